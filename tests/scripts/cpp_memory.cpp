// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface over the C interface: both call the same operations, and in C++ no call allocates more
// memory.  A line a call says how often each allocates.
#include <mpiortho.hpp>

#include <cstdlib>
#include <new>
#include <vector>

namespace {

long allocations = 0; // of this program and of the library

} // namespace

void* operator new(std::size_t bytes)
{
    ++allocations;
    if (void* const memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace mpiortho;

namespace {

int failures = 0;

/// By calls that come again: the library gets used to the buffers first, which lie at the same addresses.
template <class F>
long allocated_by(int calls, F& f)
{
    long before = 0;
    for (int i = 0; i < 2 * calls; ++i) {
        if (i == calls) before = allocations;
        f();
    }
    return allocations - before;
}

template <class C, class Cpp>
void compare(const char* what, C c, Cpp cpp)
{
    const long in_c = allocated_by(200, c), in_cpp = allocated_by(200, cpp);
    std::printf("%-44s %4ld allocations, %4ld in C\n", what, in_cpp, in_c);
    failures += in_cpp > in_c ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    {
        const grid<1> g(MPI_COMM_WORLD, {.periodic = {true}, .stencil = {{1}, {-1}}});
        MPI_Comm const comm = g;
        std::vector<double> a(2), b(2);
        std::vector<int> ones = {1, 1}, places = {0, 1};
        double x = 1, y = 0;
        double *const s = a.data(), *const r = b.data();
        int *const n = ones.data(), *const d = places.data();
        const auto c = [&] { ORTHO_Alltoall(s, 1, MPI_DOUBLE, r, 1, MPI_DOUBLE, comm); };
        const auto c_with_counts = [&] { ORTHO_Alltoallv(s, n, d, MPI_DOUBLE, r, n, d, MPI_DOUBLE, comm); };
        compare("alltoall, 2 neighbors", c, [&] { alltoall(a, b, g); });
        compare("alltoall on a plain MPI_Comm", c, [&] { alltoall(a, b, comm); });
        compare("alltoall with counts and displacements", c_with_counts,
                [&] { alltoall(a, ones, places, b, ones, places, g); });
        compare("alltoall with counts", c_with_counts, [&] { alltoall(a, ones, b, ones, g); });
        compare(
            "allreduce of a value", [&] { ORTHO_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm); },
            [&] { y = g.neighbors().sum(x); });
        compare(
            "allreduce of a value, all processes",
            [&] { ORTHO_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
            [&] { y = allreduce(x, maximum{}, MPI_COMM_WORLD); });
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        compare(
            "ialltoall and wait",
            [&] {
                ORTHO_Ialltoall(s, 1, MPI_DOUBLE, r, 1, MPI_DOUBLE, comm, &request);
                ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            },
            [&] { ialltoall(a, b, g).wait(); });
        operation prepared = alltoall_init(a, b, g);
        ORTHO_Alltoall_init(s, 1, MPI_DOUBLE, r, 1, MPI_DOUBLE, comm, MPI_INFO_NULL, &request);
        const auto run = [&] { ORTHO_Run(&request, MPI_STATUS_IGNORE); };
        compare("persistent alltoall: run", run, [&] { prepared.run(); });
        compare(
            "persistent alltoall: start and wait",
            [&] {
                ORTHO_Start(&request);
                ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            },
            [&] { prepared.start().wait(); });
        ORTHO_Request_free(&request);
        const grid<2> g2(MPI_COMM_WORLD, {.periodic = {true, true}});
        field<double, 2> f({16, 16}, 1);
        auto halo = mpiortho::halo(g2, f);
        request = halo.get();
        compare("halo of 16 x 16: run", run, [&] { halo.run(); });
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
