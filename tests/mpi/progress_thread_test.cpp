// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PROGRESS=thread: what is started goes on while the program is elsewhere, and may forward.
//
// progress_thread_test          with MPI_THREAD_MULTIPLE
// progress_thread_test single   without, where nothing forwards

#include "calls.hpp"
#include "sequences.hpp"

namespace {

/// All eight around each process, on a torus of two dimensions.
MPI_Comm torus(const char* algorithm)
{
    int dims[2] = {0, 0};
    MPI_Dims_create(test::size(), 2, dims);
    return test::neighborhood(dims, {1, 1}, {-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1},
                              MPI_COMM_WORLD, test::Info{{"ortho_algorithm", algorithm}});
}

/// Each process sends its rank and i in block i.
struct Blocks {
    explicit Blocks(MPI_Comm comm) : from(8), to(8, -1), wanted(8)
    {
        Ints sources(8), targets(8);
        CHECK_OK(ORTHO_Dist_graph_neighbors(comm, 8, sources.data(), MPI_UNWEIGHTED, 8, targets.data(),
                                            MPI_UNWEIGHTED));
        for (std::size_t i = 0; i < 8; ++i) {
            from[i] = 10 * test::rank() + static_cast<int>(i);
            wanted[i] = 10 * sources[i] + static_cast<int>(i);
        }
    }
    Ints from, to, wanted;
};

/// A process that has started an operation, through which blocks of others travel, waits in MPI for what
/// another process sends when its own is over.  Without the thread nobody would send these blocks on.
void blocks_travel_through_who_is_away()
{
    test::Comm comm = torus("alltoall_combining");
    for (int away = 0; away < test::size(); ++away) {
        Blocks blocks(comm);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(
            ORTHO_Ialltoall(blocks.from.data(), 1, MPI_INT, blocks.to.data(), 1, MPI_INT, comm, &request));
        if (test::rank() == away)
            for (int r = 0; r < test::size(); ++r)
                if (r != away) MPI_Recv(nullptr, 0, MPI_INT, r, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        if (test::rank() != away) MPI_Send(nullptr, 0, MPI_INT, away, 3, MPI_COMM_WORLD);
        CHECK(blocks.to == blocks.wanted);
    }
}

/// Is a started operation allowed to forward?  With fewer than 4 processes there is nothing to forward.
bool may_forward()
{
    MPI_Comm comm = torus(nullptr);
    Blocks blocks(comm);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Ialltoall(blocks.from.data(), 1, MPI_INT, blocks.to.data(), 1, MPI_INT, comm, &request));
    const std::string text = test::explanation(request);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(blocks.to == blocks.wanted);
    MPI_Comm_free(&comm);
    CHECK(text.find("alltoall_combining") != std::string::npos);
    return text.find("which may be busy elsewhere") == std::string::npos;
}

/// The program calls while the thread drives.
void calls_of_all_kinds()
{
    const test::Reductions reductions;
    cases::Random random(1);
    cases::Random local(static_cast<unsigned>(test::rank()));
    const int sequences = test::given("ORTHO_TEST_REPEATS", 5);
    for (int n = 0; n < sequences; ++n) test::overlap(MPI_COMM_WORLD, {random, local}, reductions, 40);
}

} // namespace

int main(int argc, char** argv)
{
    setenv("ORTHO_PROGRESS", "thread", 1);
    const bool single = argc > 1 && std::string(argv[1]) == "single";
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
    if (single) {
        CHECK(provided == MPI_THREAD_MULTIPLE || !may_forward());
    } else {
        CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
        CHECK(may_forward());
        if (test::size() >= 4) blocks_travel_through_who_is_away();
        calls_of_all_kinds();
    }
    return test::finish();
}
