// SPDX-License-Identifier: BSD-3-Clause
// The cost of the C++ interface over the C interface: both call the same operations in turns, in one run.  A
// line a call: nanoseconds in C, nanoseconds more in C++, by the fastest of many batches.  Ends with 1 if a
// call costs more than `limit` nanoseconds (an argument, 20 if there is none) and more than 1 %.
#include <mpiortho.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

using namespace mpiortho;

namespace {

double limit_ns = 20;
int failures = 0;

template <class F>
double batch_ns(int calls, F& f)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) f();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    return time.count() / calls;
}

template <class C, class Cpp>
void compare(const char* what, C c, Cpp cpp, bool is_limited = true)
{
    constexpr int batches = 400;
    constexpr int calls = 200;
    double best_c = 1e9;
    double best_cpp = 1e9;
    for (int i = 0; i < batches; ++i) {
        best_c = std::min(best_c, batch_ns(calls, c));
        best_cpp = std::min(best_cpp, batch_ns(calls, cpp));
    }
    const double more = best_cpp - best_c;
    const bool too_much = is_limited && more > limit_ns && more > 0.01 * best_c;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::printf("%-44s %9.1f ns  %+6.1f ns%s\n", what, best_c, more, too_much ? "  too much" : "");
    failures += too_much ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1) limit_ns = std::atof(argv[1]);
    {
        const grid<1> g(MPI_COMM_WORLD, {.periodic = {true}, .stencil = {{1}, {-1}}});
        MPI_Comm const comm = g;
        std::vector<double> a(2), b(2);
        std::vector<int> ones = {1, 1};
        std::vector<int> places = {0, 1};
        compare(
            "alltoall, 2 neighbors",
            [&] { ORTHO_Alltoall(a.data(), 1, MPI_DOUBLE, b.data(), 1, MPI_DOUBLE, comm); },
            [&] { alltoall(a, b, g); });
        compare(
            "alltoall on a plain MPI_Comm, without limit",
            [&] { ORTHO_Alltoall(a.data(), 1, MPI_DOUBLE, b.data(), 1, MPI_DOUBLE, comm); },
            [&] { alltoall(a, b, comm); }, false);
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
        double x = 1;
        double y = 0;
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
