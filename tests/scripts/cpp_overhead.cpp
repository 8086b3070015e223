// SPDX-License-Identifier: BSD-3-Clause
// The cost of the C++ interface over the C interface: both call the same operations in turns, in one run.  A
// line a call: nanoseconds in C, nanoseconds more in C++, by the fastest of many batches.  Times are printed and
// not judged.  Ends with 1 if a call allocates more memory in C++ than in C.
#include <mpiortho.hpp>

#include <algorithm>
#include <chrono>
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

template <class F>
double batch_ns(int calls, F& f)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) f();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    return time.count() / calls;
}

template <class C, class Cpp>
void compare(const char* what, C c, Cpp cpp)
{
    constexpr int batches = 400, calls = 200;
    double best_c = 1e9, best_cpp = 1e9;
    for (int i = 0; i < batches; ++i) {
        best_c = std::min(best_c, batch_ns(calls, c));
        best_cpp = std::min(best_cpp, batch_ns(calls, cpp));
    }
    const long in_c = allocated_by(calls, c), in_cpp = allocated_by(calls, cpp);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::printf("%-44s %9.1f ns  %+6.1f ns  %4ld allocations, %4ld in C\n", what, best_c,
                    best_cpp - best_c, in_cpp, in_c);
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
        compare(
            "alltoall, 2 neighbors",
            [&] { ORTHO_Alltoall(a.data(), 1, MPI_DOUBLE, b.data(), 1, MPI_DOUBLE, comm); },
            [&] { alltoall(a, b, g); });
        compare(
            "alltoall on a plain MPI_Comm",
            [&] { ORTHO_Alltoall(a.data(), 1, MPI_DOUBLE, b.data(), 1, MPI_DOUBLE, comm); },
            [&] { alltoall(a, b, comm); });
        compare(
            "alltoall with counts and displacements",
            [&] {
                ORTHO_Alltoallv(a.data(), ones.data(), places.data(), MPI_DOUBLE, b.data(), ones.data(),
                                places.data(), MPI_DOUBLE, comm);
            },
            [&] { alltoall(a, ones, places, b, ones, places, g); });
        compare(
            "alltoall with counts",
            [&] {
                ORTHO_Alltoallv(a.data(), ones.data(), places.data(), MPI_DOUBLE, b.data(), ones.data(),
                                places.data(), MPI_DOUBLE, comm);
            },
            [&] { alltoall(a, ones, b, ones, g); });
        double x = 1, y = 0;
        compare(
            "allreduce of a value", [&] { ORTHO_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm); },
            [&] { y = g.neighbors().sum(x); });
        compare(
            "allreduce of a value, all processes",
            [&] { ORTHO_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
            [&] { y = allreduce(x, maximum{}, MPI_COMM_WORLD); });
        compare(
            "ialltoall and wait",
            [&] {
                ORTHO_Request request = ORTHO_REQUEST_NULL;
                ORTHO_Ialltoall(a.data(), 1, MPI_DOUBLE, b.data(), 1, MPI_DOUBLE, comm, &request);
                ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            },
            [&] {
                pending p = ialltoall(a, b, g);
                p.wait();
            });
        operation prepared = alltoall_init(a, b, g);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        ORTHO_Alltoall_init(a.data(), 1, MPI_DOUBLE, b.data(), 1, MPI_DOUBLE, comm, MPI_INFO_NULL, &request);
        compare(
            "persistent alltoall: run", [&] { ORTHO_Run(&request, MPI_STATUS_IGNORE); },
            [&] { prepared.run(); });
        compare(
            "persistent alltoall: start and wait",
            [&] {
                ORTHO_Start(&request);
                ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            },
            [&] {
                pending p = prepared.start();
                p.wait();
            });
        ORTHO_Request_free(&request);
        const grid<2> g2(MPI_COMM_WORLD, {.periodic = {true, true}});
        field<double, 2> f({16, 16}, 1);
        auto halo = mpiortho::halo(g2, f);
        compare(
            "halo of 16 x 16: run",
            [&] {
                ORTHO_Request r = halo.get();
                ORTHO_Run(&r, MPI_STATUS_IGNORE);
            },
            [&] { halo.run(); });
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
