// SPDX-License-Identifier: BSD-3-Clause
// tests/scripts/cpp.sh runs this: lifetimes and errors of the C++ interface that end a program, or write to
// stderr.
//   forgotten    an operation is under way when its object goes out of scope
//   finalized    objects outlive MPI_Finalize
//   fatal        an error under MPI_ERRORS_ARE_FATAL, which ends the program
//   fatal_here   the same, of an error that the interface itself finds
//   fatal_lists  the same, of lists that do not fit each other, which the C functions refuse, too
//   returned     the same two under MPI_ERRORS_RETURN
//   handles      types, operators and communicators are made; MPI_Finalize finds nothing left
#include <mpiortho.hpp>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

using namespace mpiortho;

struct pair {
    int a, b;
};
template <>
inline constexpr bool mpiortho::travels_as_bytes<pair> = true;

namespace {

grid<1> outlives;
communicator outlives_too;
operation prepared;
std::vector<int> sent(2, 1);
std::vector<int> received(2);

void forgotten()
{
    const grid<1> g(MPI_COMM_WORLD, {.periodic = {true}, .stencil = moore<1>()});
    // A message that does not go at once: the others wait for that of process 0.
    std::vector<double> send(2'000'000, g.rank());
    std::vector<double> recv(2'000'000);
    if (g.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    {
        const pending p = ialltoall(send, recv, g);
    }
    const int left = g.neighbor({-1});
    std::printf("%s\n", recv[1'000'000] == g.neighbor({1}) && recv[0] == left ? "arrived" : "did not arrive");
}

void wrong_count(const comm_ref& comm)
{
    std::vector<int> odd(static_cast<std::size_t>(2 * comm.size() + 1));
    alltoall(odd, odd, comm);
}

int caught(void (*call)(const comm_ref&), const comm_ref& comm)
{
    try {
        call(comm);
    } catch (const error& e) {
        std::printf("caught: %s\n", e.what());
        return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const char* const what = argc > 1 ? argv[1] : "";
    const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
    MPI_Init(&argc, &argv);
    int result = 0;
    if (is("forgotten")) {
        forgotten();
    } else if (is("finalized")) {
        outlives = grid<1>(MPI_COMM_WORLD);
        outlives_too = outlives.dup();
        prepared = allgather_init(sent[0], received, outlives);
        prepared.run();
    } else if (is("handles")) {
        const grid<2> g(MPI_COMM_WORLD);
        field<std::array<double, 2>, 2> f({4, 4}, 1);
        auto halo = mpiortho::halo(g, f);
        halo.run();
        const pair sum = allreduce(
            pair{1, 2},
            [](pair x, pair y) {
                return pair{x.a + y.a, x.b + y.b};
            },
            g.all());
        result = sum.b != 2 * g.all().size();
    } else {
        const comm_ref world(MPI_COMM_WORLD);
        if (is("fatal_lists"))
            sparse_alltoallv(received, std::vector<int>{0}, std::vector<MPI_Count>{}, world);
        const auto call = is("fatal") ? [](const comm_ref& c) { bcast(received, -7, c); } : wrong_count;
        if (is("returned")) {
            MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
            result = caught([](const comm_ref& c) { bcast(received, -7, c); }, world) +
                         caught(wrong_count, world) !=
                     2;
        } else {
            result = caught(call, world);
        }
    }
    MPI_Finalize();
    return result;
}
