// SPDX-License-Identifier: BSD-3-Clause
// Exchanges round after round, for whoever wants to see what becomes of them when something fails: `failure
// FORM fatal|return MARK`.  FORM is blocking, nonblocking, persistent, or mpi for MPI's own call.  With
// `return` errors come back as codes, and a process that gets one says so and calls MPI_Abort.  MARK is what
// these processes are known by.  "running" is said once all are under way.  The processes are a ring: where
// there are three on a host, one of them waits for others of its host alone.
#include <vector>

#include "tests/mpi/check.hpp"

namespace {

constexpr int block_bytes = 40'000;
constexpr double limit_s = 240; // if nothing fails

class Ring {
public:
    Ring(const std::string& form, bool fatal) : form_(form), out_(2 * block_bytes), in_(2 * block_bytes)
    {
        const int rank = test::rank(), size = test::size();
        const int both[] = {(rank + size - 1) % size, (rank + 1) % size};
        const auto make = form == "mpi" ? MPI_Dist_graph_create_adjacent : ORTHO_Dist_graph_create_adjacent;
        make(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_);
        if (!fatal) test::return_errors(comm_);
        if (form == "persistent")
            ORTHO_Alltoall_init(out_.data(), block_bytes, MPI_BYTE, in_.data(), block_bytes, MPI_BYTE, comm_,
                                MPI_INFO_NULL, &request_);
    }

    int exchange()
    {
        if (form_ == "mpi")
            return MPI_Neighbor_alltoall(out_.data(), block_bytes, MPI_BYTE, in_.data(), block_bytes,
                                         MPI_BYTE, comm_);
        if (form_ == "blocking")
            return ORTHO_Alltoall(out_.data(), block_bytes, MPI_BYTE, in_.data(), block_bytes, MPI_BYTE,
                                  comm_);
        const int code = form_ == "persistent"
                             ? ORTHO_Start(&request_)
                             : ORTHO_Ialltoall(out_.data(), block_bytes, MPI_BYTE, in_.data(), block_bytes,
                                               MPI_BYTE, comm_, &request_);
        return code != MPI_SUCCESS ? code : ORTHO_Wait(&request_, MPI_STATUS_IGNORE);
    }

private:
    std::string form_;
    std::vector<char> out_, in_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    ORTHO_Request request_ = ORTHO_REQUEST_NULL;
};

} // namespace

TEST_MAIN()
{
    if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
    Ring ring(argv[1], std::string(argv[2]) == "fatal");
    for (int i = 0; i < 10; ++i) ring.exchange();
    MPI_Barrier(MPI_COMM_WORLD);
    if (test::rank() == 0) {
        std::puts("running");
        std::fflush(stdout);
    }
    int code = MPI_SUCCESS;
    const double begin = MPI_Wtime();
    while (code == MPI_SUCCESS && MPI_Wtime() - begin < limit_s) code = ring.exchange();
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::fprintf(stderr, "rank %d ends: %s\n", test::rank(), text);
    MPI_Abort(MPI_COMM_WORLD, 3);
}
