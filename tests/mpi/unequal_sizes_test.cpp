// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking calls whose ends disagree about the size of a block, so much that they expect it another way.
#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "error_checks.hpp"
#include "rings.hpp"

namespace {

using ortho::at;
using Random = std::mt19937;

int uniform(Random& random, int low, int high) { return std::uniform_int_distribution(low, high)(random); }

/// To the right and to the left, from the left and from the right.  Not two to one process, whose ends could
/// disagree about the number of messages, too.
int blocks() { return test::size() > 2 ? 2 : 1; }

MPI_Comm ring()
{
    const std::array targets{test::right(), test::left()};
    const std::array sources{test::left(), test::right()};
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, blocks(), sources.data(), MPI_UNWEIGHTED,
                                              blocks(), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                              &comm));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/// Elements of a block: through shared memory, and by MPI.
constexpr std::array sizes{0, 1, 1000, 300'000};
constexpr int largest = sizes.back();

/// A call under way.
class Exchange {
public:
    /// `random` is the same on all processes: how long each one's blocks are.  `fits`: nothing is too long.
    Exchange(Random& random, MPI_Comm comm, int time, bool fits) : time_(time)
    {
        std::vector<std::array<int, 2>> sent;
        std::vector<std::array<int, 2>> rooms;
        for (int rank = 0; rank < test::size(); ++rank) {
            auto& its = sent.emplace_back();
            auto& room = rooms.emplace_back();
            for (int block = 0; block < blocks(); ++block) {
                its[at(block)] = sizes[at(uniform(random, 0, 3))];
                room[at(block)] = sizes[at(uniform(random, 0, 3))];
            }
        }
        sent_ = sent[at(test::rank())];
        come_ = {sent[at(test::left())][0], sent[at(test::right())][1]}; // of one block the second is 0
        rooms_ = rooms[at(test::rank())];
        for (int block = 0; block < blocks(); ++block)
            if (fits) rooms_[at(block)] = std::max(rooms_[at(block)], come_[at(block)]);
        out_.resize(at(sent_[0] + sent_[1]));
        for (int block = 0, i = 0; block < blocks(); ++block)
            for (int k = 0; k < sent_[at(block)]; ++k) out_[at(i++)] = code(test::rank(), block, k);
        in_.assign(at(rooms_[0] + rooms_[1] + 1), -1);
        const std::array places{0, sent_[0]};
        const std::array slots{0, rooms_[0]};
        CHECK_OK(ORTHO_Ialltoallv(out_.data(), sent_.data(), places.data(), MPI_INT, in_.data(),
                                  rooms_.data(), slots.data(), MPI_INT, comm, &request_));
    }

    void end()
    {
        const int result = ORTHO_Wait(&request_, MPI_STATUS_IGNORE);
        const bool is_too_long = come_[0] > rooms_[0] || come_[1] > rooms_[1];
        if (is_too_long) {
            CHECK_EQ(test::error_class(result), MPI_ERR_TRUNCATE);
        } else {
            CHECK_EQ(result, MPI_SUCCESS);
        }
        const std::array sources{test::left(), test::right()};
        for (int block = 0, i = 0; block < blocks(); ++block) {
            const bool has_come = come_[at(block)] <= rooms_[at(block)];
            int wrong = 0;
            for (int k = 0; k < rooms_[at(block)]; ++k, ++i) {
                const int wanted = k < come_[at(block)] ? code(sources[at(block)], block, k) : -1;
                wrong += has_come && in_[at(i)] != wanted ? 1 : 0;
            }
            CHECK_EQ(wrong, 0);
        }
        CHECK_EQ(in_.back(), -1);
    }

private:
    int code(int from, int block, int k) const { return ((time_ * 64 + from) * 2 + block) * 4096 + k % 4096; }

    int time_;
    std::array<int, 2> sent_{};
    std::array<int, 2> come_{};
    std::array<int, 2> rooms_{};
    std::vector<int> out_;
    std::vector<int> in_;
    ORTHO_Request request_ = ORTHO_REQUEST_NULL;
};

/// Some at once, which end in any order.
void sequences(bool fits)
{
    MPI_Comm comm = ring();
    Random random(fits ? 3 : 4);
    for (int time = 0; time < test::times(60);) {
        std::vector<Exchange> under_way;
        const int number = uniform(random, 1, 4);
        under_way.reserve(at(number));
        for (int i = 0; i < number; ++i) under_way.emplace_back(random, comm, time++ % 64, fits);
        std::shuffle(under_way.begin(), under_way.end(), random);
        for (Exchange& exchange : under_way) exchange.end();
    }
    MPI_Comm_free(&comm);
}

/// Calls that are right: what one partner has sent arrives although another one has not started yet.
void one_is_late()
{
    if (test::size() < 3) return;
    MPI_Comm comm = ring();
    constexpr int late = 0;
    constexpr std::array counts{largest, largest};
    constexpr std::array places{0, largest};
    const std::vector<int> out(at(2 * largest), test::rank());
    std::array<std::vector<int>, 2> in{out, out};
    std::array<ORTHO_Request, 2> requests{ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
    // Its right neighbor has it first in its list.
    const int waits = (late + 1) % test::size();
    if (test::rank() == late) MPI_Recv(nullptr, 0, MPI_INT, waits, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i)
        CHECK_OK(ORTHO_Ialltoallv(out.data(), counts.data(), places.data(), MPI_INT, in[at(i)].data(),
                                  counts.data(), places.data(), MPI_INT, comm, &requests[at(i)]));
    if (test::rank() == waits) {
        for (int flag = 0; flag == 0;) CHECK_OK(ORTHO_Parrived(requests[1], 1, &flag));
        CHECK_EQ(in[1].back(), test::right());
        MPI_Send(nullptr, 0, MPI_INT, late, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; ++i) {
        CHECK_OK(ORTHO_Wait(&requests[at(i)], MPI_STATUS_IGNORE));
        CHECK_EQ(in[at(i)].front(), test::left());
        CHECK_EQ(in[at(i)].back(), test::right());
    }
    MPI_Comm_free(&comm);
}

/// Several blocks from one process: an error, and what comes then is right.
void several()
{
    if (test::size() < 2) return;
    const std::array targets{test::right(), test::right()};
    const std::array sources{test::left(), test::left()};
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources.data(), MPI_UNWEIGHTED, 2,
                                              targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    constexpr std::array places{0, largest};
    const std::vector<int> out(at(2 * largest), test::rank());
    for (int time = 0; time < 6; ++time) {
        std::array sent{largest, largest};
        const std::array rooms{largest, largest};
        if (time % 2 == 1) sent[at(time / 2 % 2)] = 2000;
        std::vector<int> in(at(2 * largest), -1);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoallv(out.data(), sent.data(), places.data(), MPI_INT, in.data(), rooms.data(),
                                  places.data(), MPI_INT, comm, &request));
        const int code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        // The first calls, which are not planned, deliver what comes.
        if (time % 2 == 1 && code != MPI_SUCCESS) CHECK_EQ(test::error_class(code), ORTHO_ERR_MISMATCH);
        if (time % 2 == 1 && test::given("ORTHO_PLAN_FIRST", 0) != 0) CHECK(code != MPI_SUCCESS);
        if (time % 2 == 0) {
            CHECK_EQ(code, MPI_SUCCESS);
            CHECK_EQ(in.front(), test::left());
            CHECK_EQ(in.back(), test::left());
        }
    }
    MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    static_assert(largest * sizeof(int) > 1 << 20); // no way of ours is as long
    sequences(true);
    sequences(false);
    one_is_late();
    several();
    return test::finish();
}
