# SPDX-License-Identifier: BSD-3-Clause
# Header, version script, library and manual pages name the same functions.
. "$srcdir/tests/algorithms.sh"

# Comments out, then every function that the header declares.
sed -e 's,/\*.*\*/,,' -e '/\/\*/,/\*\//d' "$srcdir/include/mpiortho.h" | tr '\n' ' ' |
    grep -oE 'int ORTHO_[A-Z][a-z][A-Za-z_]*\(' | sed 's/int \(.*\)(/\1/' | sort >"$work/header"
sed -n 's/^    \(ORTHO_[A-Z][a-z].*\);$/\1/p' "$builddir/libmpiortho.map" | sort >"$work/map"
nm -D --defined-only "$builddir/.libs/libmpiortho.so" | sed -n 's/.* T \(ORTHO_[A-Za-z_]*\)@.*/\1/p' | sort >"$work/library"
# Pages that are links, of the collectives, are made when the library is built.
cp "$srcdir"/man/*.[137] "$builddir"/man/ORTHO_*.3 "$work"
for page in "$work"/ORTHO_*.3; do basename "$page" .3; done | sort >"$work/pages"
table() { $AWK -v make="$1" -f "$srcdir/src/build/calls.awk" "$srcdir/src/calls.table"; }
# A declaration a line, one space between words, stars with the type.
declarations() { sed -e 's/ \*/* /g' -e 's/  */ /g' -e 's/( /(/g' | sort; }
table prototypes | declarations >"$work/table_prototypes"
# The prototypes of the header's functions that the table has.
sed -e 's,/\*.*\*/,,' -e '/\/\*/,/\*\//d' "$srcdir/include/mpiortho.h" | tr '\n' ' ' | grep -oE 'int ORTHO_[A-Za-z_]*\([^;]*\);' |
    declarations >"$work/declared"
table names | sed '/^private /d; s/.* //' | sort >"$work/table_names"
sed 's/int \(.*\)(.*/\1/' "$work/declared" | paste -d '\t' - "$work/declared" | sort | join -t "$(printf '\t')" - "$work/table_names" |
    cut -f 2 | sort >"$work/header_prototypes"

nothing_else_is_shown() {
    # But to the interposer, under a version of its own.  No data, which programs could write, but that of 0.2.
    ! nm -D --defined-only "$builddir/.libs/libmpiortho.so" | grep -vE ' [TA] (ORTHO_[A-Za-z_]*|ortho_err_[a-z]*|mpiortho_is_not_built_with_[A-Za-z_]*|MPIORTHO_0(\.[0-9]+)?)(@.*)?$' |
        grep -vE ' (T ortho_[a-z_]*@@|A )MPIORTHO_PRIVATE_[0-9.]*(@.*)?$| D ORTHO_ERR_[A-Z]*@@MPIORTHO_0$' |
        grep -vE '__asan|__ubsan|__odr'
}
pages_name_what_they_describe() {
    for page in "$work"/ORTHO_*.3; do
        name=$(basename "$page" .3)
        target=$(sed -n 's,^\.so man3/\(.*\)$,\1,p' "$page")
        if [ -n "$target" ]; then
            [ -f "$srcdir/man/$target" ] || { echo "$name: link to $target, which is not there"; return 1; }
            page="$srcdir/man/$target"
        fi
        sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$page" | grep -qw -- "$name" || { echo "$name is not in NAME of $page"; return 1; }
        sed -n '/^\.SH SYN/,/^\.SH DESC/p' "$page" | grep -q -- "$name" || { echo "$name is not in SYNOPSIS of $page"; return 1; }
    done
}
# doc/interface.md promises the names of variables and info keys that the library knows.
promised_names_are_known() {
    sed -n '/^## Names/,/^## Decisions/p' "$srcdir/doc/interface.md" | grep -oE '`(ORTHO_[A-Z_]*[A-Z]|ortho_[a-z_]*[a-z])`' |
        tr -d '`' | sort -u >"$work/promised"
    {
        grep -oE '\{"ORTHO_[A-Z_]*", Value' "$srcdir/src/base/environment.cpp" | sed 's/{"\(.*\)".*/\1/'
        grep -ohE '"ortho_[a-z_]*[a-z]"' "$srcdir"/src/*/*.cpp "$srcdir"/src/*/*.hpp | tr -d '"' | sort -u
        echo ORTHO_SIMULATED # a prefix
    } | sort >"$work/known"
    diff "$work/promised" "$work/known"
}
pages_are_well_formed() {
    [ -n "$MANDOC" ] || { echo "no mandoc"; return 1; }
    for page in "$srcdir"/man/*.[137]; do
        case $(head -n 1 "$page") in .so*) continue ;; esac
        "$MANDOC" -T lint -W warning "$page" || return 1
    done
}
# A page that says which algorithms a collective has names all algorithms of the list for it, in their order; mpiortho(7) names all.
with_collectives() { # name collective
    for name in $(algorithms); do
        sed -n "s/.*\.collective = Collective::\([a-z_]*\).*/$name \1/p" "$(source_of "$name")" | uniq
    done
}
pages_name_all_algorithms() {
    [ "$(with_collectives | wc -l)" -gt 10 ] || { echo "the list is not understood"; return 1; }
    with_collectives | while read -r name collective; do
        grep -q -- "$name" "$srcdir/man/mpiortho.7" || { echo "$name is not in mpiortho.7"; return 1; }
        case $collective in halo*) continue ;; esac
        grep -l "This collective has.*fB${collective}_direct" "$srcdir"/man/*.3 | grep -q . ||
            { echo "no page says which algorithms $collective has"; return 1; }
    done || return 1
    for page in $(grep -l 'This collective has' "$srcdir"/man/*.3); do
        said=$(sed -n 's/^This collective has //p' "$page" | grep -oE 'fB[a-z_]+' | sed 's/^fB//')
        collective=$(with_collectives | awk -v first="$(echo "$said" | head -n 1)" '$1 == first { print $2 }')
        [ "$said" = "$(with_collectives | awk -v c="$collective" '$2 == c { print $1 }')" ] || { echo "$page has" $said; return 1; }
    done
}
# A reader who ports a program reads one page, and finds the others there.
porting_is_listed() {
    list=$(sed -n '/^\.SH PORTING/,/^\.SH SEE/p' "$srcdir/man/mpiortho.7")
    [ -n "$list" ] || { echo "mpiortho.7 has no PORTING"; return 1; }
    for page in $(grep -l '^\.SH PORTING' "$srcdir"/man/*.3); do
        for name in $(sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$page" | grep -oE 'ORTHO_[A-Za-z_]+'); do
            case $list in *"$name"*) continue 2 ;; esac
        done
        echo "$page is not listed in mpiortho.7, PORTING"
        return 1
    done
}

# One test calls each function of the table.
all_are_tested() {
    objects=$(ls "$builddir"/tests/mpi/*counts_test.o 2>/dev/null)
    [ -n "$objects" ] || { echo "tests/mpi/counts_test has not been built"; return 1; }
    nm -u $objects | grep -oE 'ORTHO_[A-Za-z_]*' | sort -u >"$work/called"
    untested=$(join -v 1 "$work/table_names" "$work/called")
    [ -z "$untested" ] || { echo "tests/mpi/counts_test does not call" $untested; return 1; }
}

# Names of classes, functions and members: of the headers for C++, and those that mpiortho-cpp(7) has a section or an entry for.
# A section whose title begins with a small letter is that of a class, and its entries are members.  An entry may have several
# names, with their arguments.
$AWK -f "$srcdir/tests/scripts/cpp_names.awk" "$srcdir"/include/mpiortho/*.hpp | sort -u >"$work/cpp_headers"
$AWK '
    { title = /^\.SS/; entry = after_tp; after_tp = /^\.TP/ }
    /^\.S[HS]/ { class = "" }
    title || entry {
        sub(/^\.[A-Z]+ /, "")
        gsub(/<[^>]*>|\([^()]*\)/, "")
        if (title && /^[a-z_]+$/) { class = $0 " "; print $0; next }
        if (title) next
        n = split($0, names, ", ")
        for (i = 1; i <= n; ++i) print class names[i]
    }' "$srcdir/man/mpiortho-cpp.7" | sort -u >"$work/cpp_page"
cpp_page_is_right() {
    [ "$(wc -l <"$work/cpp_headers")" -gt 250 ] || { echo "the headers are not understood"; return 1; }
    missing=$(comm -23 "$work/cpp_headers" "$work/cpp_page" | sed 's/ /::/')
    false=$(comm -13 "$work/cpp_headers" "$work/cpp_page" | sed 's/ /::/')
    [ -z "$missing" ] || echo "mpiortho-cpp(7) does not have" $missing
    [ -z "$false" ] || echo "mpiortho-cpp(7) has what no header has:" $false
    [ -z "$missing$false" ]
}

# Its signatures are what the headers say (make cpp-signatures).
signatures_are_the_headers() {
    sh "$srcdir/man/cpp.sh" "$srcdir/include/mpiortho" "$srcdir/man/mpiortho-cpp.7" "$AWK" >"$work/signatures" || return 1
    [ "$(sed '1,/^\.SH SIGNATURES/d' "$work/signatures" | wc -l)" -gt 400 ] || { echo "the headers are not understood"; return 1; }
    diff "$srcdir/man/mpiortho-cpp.7" "$work/signatures"
}

check "the header declares functions" test -s "$work/header"
check "version script = header" diff "$work/map" "$work/header"
check "library = header" diff "$work/library" "$work/header"
check "the table of calls = header" diff "$work/table_prototypes" "$work/header_prototypes"
check "the table has the collectives" test "$(wc -l <"$work/table_names")" -gt 50
check "a test calls each function of the table" all_are_tested
check "manual pages = header" diff "$work/pages" "$work/header"
check "the library shows nothing else" nothing_else_is_shown
check "pages name and declare what they describe" pages_name_what_they_describe
check "mpiortho-cpp(7) = headers for C++" cpp_page_is_right
check "mpiortho-cpp(7) has the signatures of the headers" signatures_are_the_headers
check "pages name all algorithms" pages_name_all_algorithms
check "doc/interface.md promises the names that are known" promised_names_are_known
check "pages are well-formed" pages_are_well_formed
check "differences to the prototypes are listed" porting_is_listed
