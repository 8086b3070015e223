# SPDX-License-Identifier: BSD-3-Clause
# The C++ interface: what must compile, what must not and which line says why, the programs of doc/cpp.md, and what
# ends a program.  With each C++20 compiler that is there: the build's, g++, clang++-16 and newer.
export ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror"
# The headers of the MPI are not ours to warn of.
mpi=$(mpi_headers | sed 's/-I/-isystem /g')
flags="-I$srcdir/include $mpi -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX"

compilers=$CXX
for compiler in g++-13 g++-14 g++-15 clang++-16 clang++-17 clang++-18 clang++-19; do
    command -v "$compiler" >/dev/null && [ "$CXX" != "$compiler -std=c++20" ] &&
        compilers="$compilers|$compiler -std=c++20"
done
# Code that does not compile does not depend on sanitizers: the build's compiler will do.
[ -z "$sanitizers" ] || compilers=$CXX
# Calls a function with each compiler.
with_each() {
    (IFS='|'; for compiler in $compilers; do echo "$compiler"; done) >"$work/compilers"
    while read -r compiler; do "$@" </dev/null || { echo "with $compiler"; return 1; }; done <"$work/compilers"
}
compiles_with() { $compiler $warnings -fsyntax-only $flags "$@"; }

# The snippets share this.
{
    cat <<'CPP'
#include <mpiortho.hpp>
#include <functional>
#include <string>
#include <valarray>
#include <vector>
using namespace mpiortho;
struct trusted { int a; double b; };
template <> inline constexpr bool mpiortho::travels_as_bytes<trusted> = true;
struct unknown { int a; double b; };
struct view2d { // shaped like std::mdspan
    using reference = double&;
    static constexpr std::size_t rank() { return 2; }
    std::size_t extent(std::size_t k) const { return k == 0 ? 4 : 5; }
    std::size_t stride(std::size_t k) const { return k == 0 ? 5 : 1; }
    double* data_handle() const { return nullptr; }
};
CPP
} >"$work/before.hpp"
# It is compiled once with each compiler: g++ takes the one, clang++ the other.
folder_of_compiler() { echo "$work/$(echo "$compiler" | tr -c 'A-Za-z0-9\n' _)"; }
precompile_with() {
    folder=$(folder_of_compiler)
    mkdir -p "$folder" && cp "$work/before.hpp" "$folder" || return 1
    case $($compiler --version) in *clang*) kind=pch ;; *) kind=gch ;; esac
    $compiler $warnings $flags -x c++-header "$folder/before.hpp" -o "$folder/before.hpp.$kind"
}
snippet() { # code: in one line
    printf '{ void program(const grid<2>& g, MPI_Comm comm, std::vector<int> a, std::vector<int> b, field<double, 2> f) { %s ' "$1"
    echo 'static_cast<void>(g), static_cast<void>(comm), static_cast<void>(a), static_cast<void>(b), static_cast<void>(f); } }'
}
# Whether code compiles depends neither on sanitizers nor, much, on the MPI.
# All that must compile is compiled at once, and so is all that must not: a snippet is a line of a file.
goods=0
good() { # code
    goods=$((goods + 1))
    { printf 'namespace good_%s ' $goods && snippet "$1"; } >>"$work/good.cpp"
}
compiles_behind() { compiles_with -include "$(folder_of_compiler)/before.hpp" "$@"; }
bads=0
bad() { # code, words: an error in that line says what is wrong, in these words
    bads=$((bads + 1))
    { printf 'namespace bad_%s ' $bads && snippet "$1"; } >>"$work/bad.cpp"
    printf '%s\n' "$1" >>"$work/bad.code"
    printf '%s\n' "$2" >>"$work/bad.words"
}
# Each error with the line of bad.cpp that it is in, or that asked for what it is in: g++ tells that before, and once
# for several errors; clang++ after.
errors_by_line() { # what the compiler said
    $AWK '
        function line_of(text) { return match(text, /bad\.cpp:[0-9]+/) ? substr(text, RSTART + 8, RLENGTH - 8) : 0 }
        / In (instantiation|substitution|function|member function|lambda function)/ { asking = "" }
        / required (from|by) / { if (line_of($0)) asking = line_of($0) }
        /error: / { error = $0; sub(/.*error: /, "", error); of = line_of($0); if (!of) of = asking; if (of) print of ": " error }
        / requested here/ { if (line_of($0)) print line_of($0) ": " error }' "$1"
}
# A template that two lines ask for alike has its errors once: the other lines are compiled again, without those that are refused.
refuse_with() {
    folder=$(folder_of_compiler)
    refused=$folder/refused
    case $($compiler --version) in *clang*) all=-ferror-limit=0 ;; *) all=-fmax-errors=0 ;; esac
    cp "$work/bad.cpp" "$folder/bad.cpp"
    : >"$refused"
    until [ "$(wc -l <"$refused")" = $bads ]; do
        ! compiles_behind $all -ftemplate-backtrace-limit=0 "$folder/bad.cpp" >"$folder/said" 2>&1 || return 0
        errors_by_line "$folder/said" | $AWK '
            FILENAME ~ /words$/ { gsub(/[()]/, "[&]"); words[FNR] = $0; next }
            { line = $0; sub(/:.*/, "", line); sub(/^[0-9]*: /, "") }
            line in words && $0 ~ words[line] && !seen[line]++ { print line }' "$work/bad.words" - >"$folder/now"
        [ -s "$folder/now" ] || return 0
        cat "$folder/now" >>"$refused"
        sed "$(sed 's/$/s,.*,,/' "$refused")" "$work/bad.cpp" >"$folder/bad.cpp"
    done
}
# The rest is compiled alone: clang++ does not tell who asked for a template that it puts off.
is_refused() { # the number of a snippet, its words
    folder=$(folder_of_compiler)
    ! grep -qx "$1" "$folder/refused" || return 0
    sed -n "$1p" "$work/bad.cpp" >"$folder/bad.cpp"
    if compiles_behind "$folder/bad.cpp" >"$folder/said" 2>&1; then echo "it compiles"; return 1; fi
    grep -q "error: .*$2" "$folder/said" || { cat "$folder/said"; return 1; }
}
good 'grid<2> t{comm, {.periodic = true}}; grid<2> u{comm, {.periodic = {true, false}}}; grid<1> r{comm, {.periodic = {true}}};'
good 'cart_name<2> n(comm, {1, 1}, true); cart_name<2> m(comm, {1, 1}, std::array{true, false}); nodecart(comm, point<2>{1, 1}, std::array{true, true});'
good 'alltoall(a, b, g); alltoall(std::vector<int>(4), b, comm); alltoall(a, std::span(b), large(comm));'
good 'pending p = ialltoall(a, b, g); p.wait(); operation o = alltoall_init(std::span(a), std::span(b), g); o.run();'
good 'std::vector<trusted> t; bcast(t, 0, comm); double x = allreduce(1.0, std::plus<>{}, comm); bcast(x, 0, g);'
good 'auto h = halo(g, f); view2d v; auto i = halo(g, v, {.ghosts = 1}); auto j = halo(g, view2d{}, {.ghosts = 1});'
good 'std::vector<field<float, 2>> many; auto h = halo(g, many, {.crosses = [](int, auto side) { return side[0] != 0; }});'
good 'bool rows(int, point<2>) noexcept; auto h = halo(g, f, {.crosses = rows}); h = halo(g, f, {.crosses = &rows});'
good 'std::function<bool(int, const point<2>&)> rows; auto h = halo(g, f, {.crosses = std::move(rows)});'
good 'auto all = std::array{any_field(f), any_field(f)}; auto h = halo(g, all); h.run(); auto p = h.start(); p.poll();'
good 'const std::string why = halo(g, f).explain(); auto r = halo_reduce(g, f, std::plus<>{});'
good 'field<int, 2> p; view2d v; auto h = halo(g, f, p, v, {.ghosts = 1}); h.run(f, p, v); auto s = h.start(f, p, v); s.wait();'
good 'field<int, 2> p; halo<2> h = halo(g, f, p, f, p, f, p, f, p, f, p, f, p, halo_options<2>{.ghosts = 1}); h.run(f, p);'
good 'field<int, 2> p; halo<2> h; h = halo(g, p, f, p, f, p, f, p, f, {.ghosts = 1}); auto r = halo_reduce(g, f, p, std::plus<>{}, {.ghosts = 1});'
good 'std::vector<field<double, 2>> two(2); auto h = halo(g, two); h.run(f, f); auto i = halo(g, f, f); i.run(two); i.run(any_field(f), f);'
good 'auto h = halo(comm, f, f, {.dimension = {1, 0}}); h.run(f, f); auto c = f.like(); for (auto s : h.unfilled()) for (auto& x : c.ghosts(s)) x = 0;'
good 'field<int, 2> p; halo_of<2, double, int> h; h = halo(g, f, p, {.ghosts = 1}); h.run(f, p);'
good 'std::vector<std::array<int, 2>> pairs; enum kind : int {}; std::vector<kind> kinds; alltoall(a, pairs, g); alltoall(a, kinds, g);'
good 'std::vector<trusted> t; std::vector<std::byte> bytes; alltoall(t, bytes, g); alltoall(typed{a.data(), 1, MPI_INT}, b, g);'
good 'const auto& c = f; for (const auto& x : c.ghosts({1, 1})) f(0, 0) += x * *f.beside({0, 1}).begin();'
good 'auto x = iallreduce(2, [](int p, int q) { return p > q ? p : q; }, g.neighbors()); a[0] = x.get();'
good 'a[0] = allreduce(1, std::plus<>{}, g.all()) + g.all().sum(1) + g.neighbors().max(2) + comm_ref(comm).sum(3);'
good 'blocks part(g, {5, 7}); field<double, 2> own(part, {.ghosts = 1}); auto all = part.gather(own, 0); part.scatter(all, own, 0);'
good 'blocks<2> part(comm, point<2>{5, 7}); view2d v; field<double, 2> all; part.gather(v, all, 0, {.ghosts = 1}); part.scatter(all, view2d{}, 0);'
good 'view2d v; bcast(v, 0, g); auto p = iallgather(v, v, comm); std::valarray<double> x; x.resize(4); bcast(x, 0, comm); bcast(std::as_const(v), 0, comm);'
good 'tiles<2> t{{8, 5}}; t.periodic(0, 0).shift[0] = 360; mosaic m(comm, t, t.divide(2, 0)); auto u = m.fields<int>(); auto h = m.halo(on_patches(u)); h.rebind(u);'
good 'mosaic<2> m; std::vector<view2d> v; patch_options<2> o{.ghosts = 2, .location = {location::upper}}; auto h = m.reduce(maximum{}, vector_of(on_patches(v, o), on_patches(v))); h.run();'
good 'std::vector<trusted> t; t = migrate(std::move(t), [](const trusted& x) { return x.a; }, g.all()); a = migrate(a, b, comm); a = migrate(a, std::vector<int>(3), g);'
good 'blocks part(g, {5, 7}); const box<2> rows{{1, 0}, {2, 7}}; auto one = part.gather(f, 0, rows); auto two = part.gather(f, 0, {{0, 0}, {1, 1}});'
good 'grid<2> named{comm, {.name = "fluid"}}; auto [half, team, factors] = named.coarsen({2, 2}); field_gather(f, field<double, 2>(), 0, team);'

bad 'const auto& c = b; alltoall(a, c, g);' 'mpiortho: the receive buffer is const'
bad 'alltoall(a, std::vector<int>(4), g);' 'mpiortho: the receive buffer is a temporary'
bad 'pending p = ialltoall(std::vector<int>(4), b, g);' 'mpiortho: the send buffer is a temporary'
bad 'operation o = allgather_init(3, b, g);' 'mpiortho: the send buffer is a temporary'
bad 'pending p = ialltoall(a, std::vector<int>(4), g);' 'mpiortho: the receive buffer is a temporary'
bad 'ialltoall(a, b, g);' 'the destructor would wait at once'
bad 'iallreduce(1, std::plus<>{}, g.neighbors());' 'the destructor would wait at once'
bad 'alltoall_init(a, b, g);' 'it is prepared, and not started'
bad 'auto h = halo(g, f); h.start();' 'the destructor would wait at once'
bad 'pending p = halo(g, f).start();' 'deleted .*function'
bad 'std::vector<unknown> u; bcast(u, 0, g);' 'mpiortho: the elements of the buffer have no MPI datatype'
bad 'std::vector<std::string> u; bcast(u, 0, g);' 'mpiortho: the elements of the buffer have no MPI datatype'
bad 'unknown u{}; bcast(u, 0, g);' 'mpiortho: this is no buffer'
bad 'std::vector<bool> u; bcast(u, 0, g);' 'mpiortho: this is no buffer'
bad 'struct { std::size_t size() const { return 4; } double* data() { return nullptr; } } u; bcast(u, 0, g);' 'mpiortho: nothing says that these elements lie in a row: pass std::span'
bad 'struct { std::size_t size() const { return 4; } double* data() const { return nullptr; } } u; window<double> w(comm, a.size()); w.put(u, 0, 0);' 'mpiortho: nothing says that these elements lie in a row: pass std::span'
bad 'struct { std::size_t size() const { return 4; } double* data() { return nullptr; } } u; index_map().fill(u);' 'mpiortho: nothing says that these elements lie in a row: pass std::span'
bad 'struct { std::size_t size() const { return 4; } double* data() const { return nullptr; } } u; sparse_alltoallv(u, a, std::vector<MPI_Count>(), g);' 'mpiortho: nothing says that these elements lie in a row: pass std::span'
bad 'struct { std::size_t size() const { return 4; } int* data() const { return nullptr; } } u; alltoall(a, u, b, u, g);' 'mpiortho: counts and displacements are lists of int'
bad 'int* p = nullptr; bcast(p, 0, g);' 'mpiortho: this is no buffer'
bad 'std::vector<long> counts; alltoall(a, counts, b, counts, g);' 'mpiortho: counts and displacements are lists of int'
bad 'alltoall(a, a, b, a, large(comm));' 'mpiortho: counts and displacements are lists of int'
bad 'int x = 1; a[0] = allreduce(1, [x](int p, int q) { return p + q + x; }, g.neighbors());' 'mpiortho: the operator has a state'
bad 'a[0] = allreduce(1, [](std::string s, int) { return s; }, g.neighbors());' 'mpiortho: the operator cannot be called'
bad 'allreduce(typed{a.data(), 1, MPI_INT}, typed{b.data(), 1, MPI_INT}, std::plus<>{}, g.neighbors());' 'mpiortho: for a buffer whose element type is not known'
bad 'std::vector<float> x; std::vector<double> y; allreduce(x, y, std::plus<>{}, g.neighbors());' 'mpiortho: the buffers have different element types'
bad 'std::vector<float> x; alltoall(a, x, g);' 'mpiortho: the send buffer and the receive buffer have different element types'
bad 'std::vector<unsigned> x; pending p = iallgather(std::span(a), x, g);' 'mpiortho: the send buffer and the receive buffer have different element types'
bad 'std::vector<trusted> x; gather(a, x, 0, g);' 'mpiortho: the send buffer and the receive buffer have different element types'
bad 'halo(g, f);' 'it is prepared, and not started'
bad 'halo_reduce(g, f, std::plus<>{});' 'it is prepared, and not started'
bad 'field<float, 2> u; halo_of<2, double> h = halo(g, f); h.run(u);' 'mpiortho: these are not as many fields, of the same element types'
bad 'auto h = halo(g, field<double, 2>({4, 4}, 1));' 'mpiortho: the field of the halo is a temporary'
bad 'const auto& c = f; auto h = halo(g, c);' 'mpiortho: the field of the halo is const'
bad 'auto h = halo(g, 3);' 'mpiortho: this is no field'
bad 'auto h = halo(g, f, 3);' 'mpiortho: this is no field'
bad 'auto h = halo(g, f, field<double, 2>({4, 4}, 1));' 'mpiortho: the field of the halo is a temporary'
bad 'field<double, 3> u; auto h = halo(g, u);' 'mpiortho: the field has another number of dimensions than the grid'
bad 'std::vector<field<double, 3>> u; auto h = halo(g, f, u);' 'mpiortho: the field has another number of dimensions than the grid'
bad 'auto h = halo(g, f, halo_options<3>{});' 'mpiortho: the options have another number of dimensions than the grid'
bad 'field<float, 2> u; auto h = halo(g, f); h.rebind(u);' 'mpiortho: these are not as many fields, of the same element types'
bad 'field<float, 2> u; auto h = halo(g, f, u); h.run(u, f);' 'mpiortho: these are not as many fields, of the same element types'
bad 'auto h = halo(g, f, f); auto p = h.start(f);' 'mpiortho: these are not as many fields, of the same element types'
bad 'std::vector<field<float, 2>> u; auto h = halo(g, f); h.run(u);' 'mpiortho: these are not as many fields, of the same element types'
bad 'auto h = halo(g, f); h.start(f);' 'the destructor would wait at once'
bad 'pending p = halo(g, f).start(f);' 'deleted .*function'
bad 'auto h = halo(g, f); h.run(f, [](int, int) {});' 'mpiortho: the last argument of halo::run is no field, and no kernel'
bad 'halo<2> h = halo(g, f); h.run(f, [](point<2>) {});' 'mpiortho: the last argument of halo::run is no field, and no kernel'
bad 'auto h = halo(g, f); h.run(field<double, 2>({4, 4}, 1));' 'mpiortho: the field of the halo is a temporary'
bad 'auto r = halo_reduce(g, f);' 'mpiortho: halo_reduce takes std::plus<> and its like'
bad 'auto h = halo_reduce(g, f, [](double x, double) { return x; });' 'mpiortho: halo_reduce takes std::plus<> and its like'
bad 'mosaic<2> m; auto h = m.halo(f);' 'mpiortho: fields on a mosaic are what on_patches() and vector_of() return'
bad 'mosaic<2> m; std::vector<field<int, 3>> u; auto h = m.halo(on_patches(u));' 'mpiortho: fields on a mosaic are what on_patches() and vector_of() return'
bad 'auto u = on_patches(mosaic<2>().fields<int>());' 'mpiortho: the field of the halo is a temporary'
bad 'mosaic<2> m; std::vector<field<int, 2>> u; m.halo(on_patches(u));' 'it is prepared, and not started'
bad 'mosaic<2> m; std::vector<field<int, 2>> u; auto h = m.reduce([](int x, int) { return x; }, on_patches(u));' 'mpiortho: windows and reduce take std::plus<> and its like'
bad 'window<int> w(comm, a); w.put(std::vector<int>(3), 0, 0);' 'mpiortho: the send buffer is a temporary'
bad 'window<int> w(comm, a); w.accumulate(a, 0, 0, [](int x, int) { return x; });' 'mpiortho: windows and reduce take std::plus<> and its like'
bad 'window<int> w(comm, a); std::vector<double> x; w.put(x, 0, 0);' 'mpiortho: the elements of the buffer are not the window'
bad 'a = migrate(std::move(a), std::vector<long>(3), comm);' 'mpiortho: the owners are a function of an element, or a list of ints'
bad 'shared_memory<std::string> s(comm, 3);' 'mpiortho: shared memory is for trivially copyable types'

# A sum over neighbors must not look like one over all processes.
for call in 'a[0] = allreduce(1, std::plus<>{}, g);' 'auto x = iallreduce(1, std::plus<>{}, g); a[0] = x.get();' 'allreduce(a, b, std::plus<>{}, g);' \
    'pending p = iallreduce(a, b, std::plus<>{}, g);' 'operation o = allreduce_init(a, b, std::plus<>{}, g);' 'a[0] = reduce(1, std::plus<>{}, 0, g);' \
    'auto x = ireduce(1, std::plus<>{}, 0, g); a[0] = x.get();' 'reduce(a, b, std::plus<>{}, 0, g);' 'pending p = ireduce(a, b, std::plus<>{}, 0, g);' \
    'operation o = reduce_init(a, b, std::plus<>{}, 0, g);' 'a[0] = g.sum(1) + g.min(1) + g.max(1);' \
    'neighborhood n(comm, a); a[0] = n.sum(1);' 'neighborhood n(comm, a); a[0] = allreduce(1, std::plus<>{}, n);'; do
    bad "$call" 'this reduces over the neighbors: say g.neighbors(), or g.all() for all processes'
done

if ! elsewhere; then
    check "what the snippets share is compiled" with_each precompile_with
    check "$goods snippets compile" with_each compiles_behind "$work/good.cpp"
    with_each refuse_with
    snippets=0
    while IFS= read -r code; do
        snippets=$((snippets + 1))
        check "does not compile: $code" with_each is_refused $snippets "$(sed -n "${snippets}p" "$work/bad.words")"
    done <"$work/bad.code"
fi

# Types that the compiler's own dialect calls arithmetic, and MPI does not know.
cat >"$work/wide.cpp" <<'CPP'
#include <mpiortho.hpp>
#include <complex>
__extension__ typedef __int128 wide;
enum class named : unsigned char {};
static_assert(std::is_arithmetic_v<wide> && !mpiortho::element<wide> && !mpiortho::element<std::array<wide, 2>>);
static_assert(mpiortho::element<std::array<const long double, 2>> && mpiortho::element<named>);
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 precise;
static_assert(!mpiortho::element<precise> && !mpiortho::element<std::complex<precise>>);
#endif
CPP
elsewhere || check "types that MPI does not know have no datatype" with_each compiles_with -std=gnu++20 "$work/wide.cpp"

# Each part can be included by itself, by the build's compiler: others have read them all in the snippets.
compiles_alone() { compiler=$CXX && compiles_with "$@"; }
for part in mpiortho.hpp $(cd "$srcdir/include" && ls mpiortho/*.hpp); do
    printf '#include <%s>\n' "$part" >"$work/part.cpp"
    ! thorough || check "<$part> can be included by itself" compiles_alone "$work/part.cpp"
done
# Macros that other headers define: C99's complex.h itself, and those of Qt, X11, R, Windows, and macOS, which take arguments
# that ours would not give them.
{
    printf '#include <%s>\n' $(sed -n 's/^#include <\(.*\)>/\1/p' "$srcdir"/include/mpiortho/*.hpp | grep -v '^mpiortho' | sort -u)
    echo '#include <complex.h>'
    sed 's/.*/#define &/' <<'END'
slots
signals public
emit
foreach(variable, container) for (variable : container)
forever for (;;)
None 0L
Bool int
Status int
True 1
False 0
Always 2
Success 0
Complex 0
Above 0
length(x) Rf_length(x)
error Rf_error
warning Rf_warning
choose Rf_choose
min(a, b) (((a) < (b)) ? (a) : (b))
max(a, b) (((a) > (b)) ? (a) : (b))
small char
near
far
interface struct
index(s, c) strchr((s), (c))
box(win, v, h) wborder((win), (v), (v), (h))
check(assertion) other_check(assertion, #assertion)
require(assertion, label) other_require(assertion, label)
verify(assertion) other_verify(assertion)
fail(...) other_fail(__FILE__, __LINE__, __VA_ARGS__)
likely(x) __builtin_expect(!!(x), 1)
unlikely(x) __builtin_expect(!!(x), 0)
printf other_printf
major(dev) other_major(dev)
minor(dev) other_minor(dev)
END
} >"$work/macros.hpp"
includes_all() { # the parts, so that none has to be tried by itself
    $CXX -std=c++20 $flags -M -include mpiortho.hpp -x c++ /dev/null | grep -o 'mpiortho/[a-z_]*\.hpp' | sort -u >"$work/included" &&
        (cd "$srcdir/include" && ls mpiortho/*.hpp) | sort | diff - "$work/included"
}
check "<mpiortho.hpp> includes all its parts" includes_all
cat >"$work/behind.cpp" <<'CPP'
#include <mpiortho.hpp>
double program(const mpiortho::grid<2>& g, mpiortho::field<double, 2>& f)
{
    auto halo = mpiortho::halo(g, f);
    halo.run();
    for (auto row : f.interior())
        for (double& x : f[row]) x += f(0, 0);
    return (g.all().max)(f(0, 0)) + (g.neighbors().min)(1.0);
}
CPP
elsewhere || check "a program with <mpiortho.hpp> compiles behind macros of other headers" with_each compiles_with -std=gnu++20 -include "$work/macros.hpp" "$work/behind.cpp"
# With an older standard there is one line of error, whatever a program goes on with.
old_standards() {
    cat >"$work/old.cpp" <<'CPP'
int main()
{
    mpiortho::grid<2> g(MPI_COMM_WORLD);
    mpiortho::field<double, 2> f(mpiortho::point<2>{4, 4}, 1);
    auto halo = mpiortho::halo(g, f);
    halo.run();
}
CPP
    for part in mpiortho.hpp $(thorough && cd "$srcdir/include" && ls mpiortho/*.hpp); do
        [ "$part" != mpiortho/list.hpp ] || continue # for the others
        case $part$compiler in mpiortho.hpp*) standards="11 14 17" ;; *"$CXX") standards=17 ;; *) continue ;; esac
        for standard in $standards; do
            ! $compiler -std=c++$standard -fsyntax-only $flags -include "$part" "$work/old.cpp" >"$work/said" 2>&1 &&
                [ "$(grep -c 'error: ' "$work/said")" = 1 ] && grep -q 'error: .*mpiortho.hpp needs C++20' "$work/said" ||
                { echo "<$part> with C++$standard:"; head -n 20 "$work/said"; return 1; }
        done
    done
}
elsewhere || check "older standards are refused in one line" with_each old_standards

heavy() { ! grep -nE '#include <(iostream|sstream|functional|regex|map|memory|ranges|string|algorithm|complex|iterator|stdexcept)>' \
    "$srcdir"/include/mpiortho.hpp "$srcdir"/include/mpiortho/*.hpp; }
check "no heavy headers" heavy

exec 3>&1
# Each function of the C interface is called, but for those that others say all of.
whole_library() {
    sed -e 's,/\*.*\*/,,' -e '/\/\*/,/\*\//d' "$srcdir/include/mpiortho.h" | tr '\n' ' ' |
        grep -oE 'int ORTHO_[A-Z][a-z][A-Za-z_]*\(' | sed 's/int \(.*\)(/\1/' | sort >"$work/functions"
    {
        grep -ohE 'ORTHO_[A-Z][a-z][A-Za-z_]*' "$srcdir"/include/mpiortho/*.hpp
        sed -n 's/^MPIORTHO_CALL([a-z_]*, \([A-Za-z_]*\), \([A-Za-z_]*\));/ORTHO_\1 ORTHO_\2 ORTHO_\1_init ORTHO_\1_c ORTHO_\2_c ORTHO_\1_init_c/p' \
            "$srcdir/include/mpiortho/collective_calls.hpp" | tr ' ' '\n'
        printf 'ORTHO_%s\n' Cart_neighborhood_get Halo_init Halo_rebind Halo_reduce_init Set_face Sparse_receive
    } | sort -u >"$work/called"
    left=$(comm -23 "$work/functions" "$work/called")
    [ "$(wc -l <"$work/functions")" -gt 150 ] && [ -z "$left" ] || { echo "not called: $left"; return 1; }
}
check "it has the whole library" whole_library

# A program with one halo is compiled against MPI's header and <vector> alone, as users have it (the C++ bindings that some
# MPIs' headers still bring are in both). Twice the time is wanted. Time says nothing on a busy machine; the compiler's memory
# grows with what it reads and instantiates, and is the same each time.
cat >"$work/base.cpp" <<'CPP'
#include <mpi.h>
#include <vector>
int main() { std::vector<double> f(36); return static_cast<int>(f[0]); }
CPP
cat >"$work/halo.cpp" <<'CPP'
#include <mpiortho.hpp>
int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    {
        mpiortho::grid<2> g(MPI_COMM_WORLD);
        mpiortho::field<double, 2> f({4, 4}, 1);
        auto halo = mpiortho::halo(g, f);
        halo.run();
    }
    MPI_Finalize();
}
CPP
seconds_and_kilobytes_of() { # source
    { CCACHE_DISABLE=1 command time -f '%U %S %M' $compiler -c -o /dev/null -I"$srcdir/include" $mpi "$1"; } 2>&1 | $AWK '{ print $1 + $2, $3 }'
}
compiler_memory() {
    base=$(seconds_and_kilobytes_of "$work/base.cpp")
    halo=$(seconds_and_kilobytes_of "$work/halo.cpp")
    echo "# $compiler: <mpi.h> and <vector> $base, one halo $halo (seconds, kilobytes)" >&3
    $AWK -v a="${base#* }" -v b="${halo#* }" 'BEGIN { exit !(a > 0 && b < 1.9 * a) }'
}
if command -v time >/dev/null && [ -z "$sanitizers" ]; then
    check "a program with one halo needs little more memory to compile than MPI's header" with_each compiler_memory
fi

# Programs.
builds() { # source, program, options...
    source=$1 program=$2
    shift 2
    $CXX $sanitizers -O0 "$@" $warnings $flags "$source" -o "$program" -L"$builddir/.libs" -lmpiortho $(mpi_libraries) \
        -Wl,-rpath,"$builddir/.libs"
}
run() { quiet on "$@" </dev/null; }
lifetime() { ORTHO_VERIFY=on run 2 "$work/lifetime" "$1"; }
says() { grep -q "$1" "$work/out" || { cat "$work/out"; return 1; }; }
says_nothing() { [ ! -s "$work/out" ] || { cat "$work/out"; return 1; }; }
# The other compilers' programs run, too.
other_builds() {
    [ "$compiler" != "$CXX" ] || return 0
    # With its parts, as make has joined them, and what make has compiled before.
    (CXX=$compiler && builds units/cpp_test.cpp "$work/cpp_test" -O0 -I. -I"$srcdir" -I"$srcdir/src" \
        -I"$srcdir/tests/unit" -include "$srcdir/tests/mpi/precompiled.hpp") || return 1
    run 2 "$work/cpp_test"
}
! thorough || [ -n "$sanitizers" ] || check "tests/mpi/cpp_test, built by other compilers, runs" with_each other_builds
check "tests/scripts/cpp_lifetime.cpp builds" builds "$srcdir/tests/scripts/cpp_lifetime.cpp" "$work/lifetime"
check "an operation that is forgotten is waited for" lifetime forgotten
check "its data are there" says '^arrived'
check "ORTHO_VERIFY=on says so" says 'under way when its mpiortho::pending was destroyed'
check "objects may outlive MPI_Finalize" lifetime finalized
check "which ORTHO_VERIFY=on says" says 'MPI_Finalize: ORTHO_Allgather_init on .* has not freed 1 request'
check "and nobody without it" run 2 "$work/lifetime" finalized
check "who says nothing" says_nothing
# MPIORTHO_CHECKED: a program that does nothing wrong stays as it is, and units with and without it are linked.
checked=$srcdir/tests/scripts/cpp_checked.cpp
checked_builds() {
    for unit in checked unchecked; do
        macro=
        [ $unit = unchecked ] || macro=-DMPIORTHO_CHECKED
        $CXX $sanitizers -O0 $macro $warnings $flags -c "$checked" -o "$work/$unit.o" || return 1
    done
    $CXX $sanitizers "$work/checked.o" "$work/unchecked.o" -o "$work/checked" -L"$builddir/.libs" -lmpiortho \
        $(mpi_libraries) -Wl,-rpath,"$builddir/.libs"
}
check "tests/scripts/cpp_checked.cpp builds, with checks and without" checked_builds
unchecked_names() { nm "$work/unchecked.o" >"$work/out" && ! grep -E '_checked|watched' "$work/out"; }
check "without the macro there is nothing of checks" unchecked_names
finds() { run 3 "$work/checked" && [ "$(tr -d '\n' <"$work/out")" = rightrightright ] || { cat "$work/out"; return 1; }; }
check "a checked build finds indices and lost arrays" finds
elsewhere || check "the snippets compile with checks" compiles_alone -DMPIORTHO_CHECKED -include "$work/before.hpp" "$work/good.cpp"
check "MPI_Finalize finds nothing left" lifetime handles
check "and says nothing" says_nothing
check "errors are exceptions where the handler returns" lifetime returned
check "with rank and communicator" says 'caught: mpiortho::[a-z]*: the [a-z]* buffer has 5 elements, .* \[rank [01] of .MPI_COMM_WORLD.\]'
ends() { ! run 2 "$work/lifetime" "$1" && ! grep caught "$work/out"; }
check "errors end the program where the handler is fatal" ends fatal
check "those that the interface finds, too" ends fatal_here
ends_lists() { ends fatal_lists && says 'targets has 1 processes, and counts 0 blocks' && ! says 'ntargets'; }
check "also those that the C functions would find, in the words of C++" ends_lists

# doc/cpp.md and doc/mosaics.md: their programs print what the page says, in any order of lines.
for which in "cpp 1" "cpp 2" "cpp 3" "cpp 4" "cpp 5" "mosaics 1"; do
    page=${which% *} n=${which#* }
    program $page cpp $n >"$work/$page$n.cpp"
    check "doc/$page.md: program $n builds" builds "$work/$page$n.cpp" "$work/$page$n" -Wno-conversion -Wno-sign-conversion
    check "doc/$page.md: it prints what the page says" prints_as_promised $page cpp $n on 4 "$work/$page$n"
done
there_are_no_more() { [ "$(grep -c '^```cpp$' "$srcdir/doc/cpp.md")" = 5 ] && [ "$(grep -c '^On 4 processes it prints' "$srcdir/doc/cpp.md")" = 5 ]; }
check "doc/cpp.md: there are no more programs" there_are_no_more

# Buffers of other libraries, of those that are there.
libraries= folders=
with_library() { # what the program calls it, a header, folders
    for folder in $3; do
        [ -f "$folder/$2" ] || continue
        folders="$folders -DWITH_$1"
        [ "$folder" = /usr/include ] || folders="$folders -isystem $folder"
        return
    done
    return 1
}
with_library EIGEN Eigen/Dense "/usr/include/eigen3"
with_library XTENSOR xtensor/xtensor.hpp /usr/include
with_library BOOST boost/multi_array.hpp /usr/include
# Debian's Kokkos is one of OpenMP, which a compiler may lack.
if echo '#include <omp.h>' | $CXX -fopenmp -x c++ -fsyntax-only - 2>"$work/out" &&
    with_library KOKKOS Kokkos_Core.hpp "/usr/include /usr/include/kokkos /usr/include/trilinos"; then
    libraries=-fopenmp
    for library in kokkoscore trilinos_kokkoscore; do
        [ ! -f "/usr/lib/$(uname -m)-linux-gnu/lib$library.so" ] || libraries="$libraries -l$library"
    done
fi
[ -z "$sanitizers" ] || libraries= folders=
rows_build() {
    $CXX $sanitizers $warnings $folders $flags "$srcdir/tests/scripts/cpp_rows.cpp" -o "$work/rows" -L"$builddir/.libs" \
        -lmpiortho $(mpi_libraries) -Wl,-rpath,"$builddir/.libs" $libraries
}
check "tests/scripts/cpp_rows.cpp builds" rows_build
check "what lies in a row is a buffer, and the rest is refused" run 2 env OMP_NUM_THREADS=1 "$work/rows"

if [ -z "$sanitizers" ]; then
    check "tests/scripts/cpp_memory.cpp builds" builds "$srcdir/tests/scripts/cpp_memory.cpp" "$work/memory"
    check "calls allocate no more memory than in C" run 1 "$work/memory"
fi
