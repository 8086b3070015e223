// SPDX-License-Identifier: BSD-3-Clause
// tests/scripts/cpp.sh builds this with MPIORTHO_CHECKED, and links it with itself without.  Each process says
// "right" if the checked unit finds what is wrong, and if the other one does not look.
#include <mpiortho.hpp>

#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

using namespace mpiortho;

/// Does the unit without checks do the same things, without a word?
bool unchecked(MPI_Comm comm);

namespace {

/// A halo of a field of 4 x 4 elements, with a layer of ghosts.
struct case_of_halo {
    explicit case_of_halo(MPI_Comm comm) : g(comm, {.periodic = true}) {}

    grid<2> g;
    std::optional<field<double, 2>> u{field<double, 2>({4, 4}, 1)};
};

} // namespace

#ifdef MPIORTHO_CHECKED

namespace {

int failures = 0;

void expect(bool holds, const char* what)
{
    if (holds) return;
    ++failures;
    std::printf("wrong: %s\n", what);
}

/// Does it throw an error with these words?
template <class F>
void throws(int error_class, const char* words, F wrong)
{
    try {
        wrong();
        expect(false, words);
    } catch (const error& e) {
        expect(e.error_class() == error_class && std::strstr(e.what(), words) != nullptr, e.what());
    }
}

void elements()
{
    field<double, 2> a({4, 5}, {{1, 2}, {0, 1}});
    const field<double, 2>& same = a;
    a(-1, -2) = a(3, 5) = a(3, -2) = same(0, 5) + same[{-1, 5}]; // the corners are there
    const char* const at_9 = "mpiortho::field: (0, 9) is beyond the field at 0x";
    throws(MPI_ERR_ARG, at_9, [&] { a(0, 9) = 1; });
    throws(MPI_ERR_ARG, at_9, [&] { a(0, 9) = same(0, 9); });
    throws(MPI_ERR_ARG, "has extents (4, 5), and (1, 2) and (0, 1) ghosts below and above", [&] {
        a[{0, 6}] = 1;
    });
    throws(MPI_ERR_ARG, "(-2, 0) is", [&] { a(-2, 0) = 1; });
    throws(MPI_ERR_ARG, "(4, 0) is", [&] { a(4, 0) = 1; });
    throws(MPI_ERR_ARG, "(0, -3) is", [&] { a(0, -3) = 1; });
    expect(a[row<2>({0, -2}, 8)].size() == 8 && same[row<2>({3, 6}, 0)].empty(), "rows are there");
    throws(MPI_ERR_ARG, "(0, -2), or the row from there, is beyond", [&] { a[row<2>({0, -2}, 9)][0] = 1; });
    const field<double, 2> b = std::move(a);
    expect(b(3, 4) == 0, "what has moved is there");
    throws(MPI_ERR_ARG, "has extents (0, 0)", [&] { a(0, 0) = 1; });
    int memory[6] = {1, 2, 3, 4, 5, 6};
    field<int, 1> of_mine(memory, {4}, 1);
    expect(of_mine(-1) == 1 && of_mine(4) == 6, "memory of the program's");
    throws(MPI_ERR_ARG, "(5) is beyond", [&] { of_mine(5) = 1; });
}

void lifetimes(MPI_Comm comm)
{
    const char* const gone = "the field whose memory is array 0 of the exchange was destroyed";
    case_of_halo c(comm);
    auto h = halo(c.g, *c.u);
    field<double, 2> moved = std::move(*c.u); // the memory stays
    h.run();
    c.u.reset();
    h.start().wait();
    {
        field<double, 2> other({4, 4}, 1);
        swap(moved, other); // which takes the memory away
        h.run();
    }
    throws(MPI_ERR_BUFFER, gone, [&] { h.run(); });
    throws(MPI_ERR_BUFFER, gone, [&] { h.start().wait(); });
    throws(MPI_ERR_BUFFER, gone, [&] { run_all(h); });
    throws(MPI_ERR_BUFFER, gone, [&] { h.gather(field<double, 2>(), 0); });
    halo<2> of_any = std::move(h);
    throws(MPI_ERR_BUFFER, gone, [&] { of_any.run(); });
    of_any.run(moved);
    of_any.run();
    moved = field<double, 2>({4, 4}, 1);
    throws(MPI_ERR_BUFFER, gone, [&] { of_any.run(); });
    of_any.rebind(moved);
    of_any.run();

    std::vector<field<int, 2>> list;
    for (int i = 0; i < 3; ++i) list.emplace_back(point<2>{3, 3}, 1);
    auto of_list = halo(c.g, list);
    list.reserve(100);
    of_list.run();
    list.pop_back();
    throws(MPI_ERR_BUFFER, "is array 2 of the exchange", [&] { of_list.run(); });

    const tiles<1> one{{8}};
    int size = 0, rank = 0;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    const mosaic m(comm, one, one.divide(size, rank, {2}));
    auto x = m.fields<double>();
    auto of_patches = m.halo(on_patches(x));
    of_patches.run();
    auto y = m.fields<double>();
    x.clear();
    throws(MPI_ERR_BUFFER, gone, [&] { of_patches.run(); });
    of_patches.rebind(y);
    of_patches.run();
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    elements();
    lifetimes(MPI_COMM_WORLD);
    expect(unchecked(MPI_COMM_WORLD), "the other unit");
    if (failures == 0) std::puts("right");
    MPI_Finalize();
    return failures;
}

#else

bool unchecked(MPI_Comm comm)
{
    case_of_halo c(comm);
    auto h = halo(c.g, *c.u);
    h.run();
    (*c.u)(0, 0) = 5;
    // Beyond the row, in the next one: there is memory.
    return &(*c.u)(0, 9) == &(*c.u)(1, 3) && (*c.u)(0, 0) == 5;
}

#endif
