// SPDX-License-Identifier: BSD-3-Clause
// Calls whose ends disagree about the sizes of blocks, so that they would divide them into other messages.

namespace {

/// A process has blocks for its right neighbor, then as many for its left one.  With two processes, both
/// neighbors are the other one.
class Ring {
public:
    explicit Ring(int edges) : edges_(edges)
    {
        std::vector<int> targets, sources;
        for (int block = 0; block < blocks(); ++block) {
            targets.push_back(block < edges ? test::right() : test::left());
            sources.push_back(source(block));
        }
        comm_ = test::adjacent(sources, targets);
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() { MPI_Comm_free(&comm_); }

    MPI_Comm comm() const { return comm_; }
    int blocks() const { return 2 * edges_; }
    int source(int block) const { return block < edges_ ? test::left() : test::right(); }

private:
    int edges_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Elements of a block: nothing, through shared memory alone and together with others, and by MPI.
constexpr std::array sizes{0, 1, 5, 600, 1000, 20'000, 60'000, 300'000};
constexpr int largest = sizes.back();

/// How large blocks are of this process, or have room to be.
struct Layout {
    std::vector<int> counts, displacements;
    int all = 0;

    void add(int count)
    {
        counts.push_back(count);
        displacements.push_back(all);
        all += count;
    }
};

/// The sizes on which the ends of an edge agree.
enum class Ends { whatever, room, size };

/// A call.
class Exchange {
public:
    /// `random` is the same on all processes: how long each one's blocks are.
    Exchange(Random& random, const Ring& ring, int time, Ends ends) : ring_(&ring), time_(time), ends_(ends)
    {
        std::vector<std::vector<int>> sent(at(test::size()));
        std::vector<std::vector<int>> rooms(at(test::size()));
        // Most blocks of some calls are small, so that they go together.
        const int most = uniform(random, 1, static_cast<int>(sizes.size()) - 1);
        for (int rank = 0; rank < test::size(); ++rank)
            for (int block = 0; block < ring.blocks(); ++block) {
                sent[at(rank)].push_back(sizes[at(uniform(random, 0, most))]);
                rooms[at(rank)].push_back(sizes[at(uniform(random, 0, most))]);
            }
        for (int block = 0; block < ring.blocks(); ++block) {
            come_.push_back(sent[at(ring.source(block))][at(block)]);
            const int room = rooms[at(test::rank())][at(block)];
            out_.add(sent[at(test::rank())][at(block)]);
            in_.add(ends == Ends::size   ? come_.back()
                    : ends == Ends::room ? std::max(room, come_.back())
                                         : room);
        }
        for (int block = 0; block < ring.blocks(); ++block)
            for (int k = 0; k < out_.counts[at(block)]; ++k) sent_.push_back(code(test::rank(), block, k));
        received_.assign(at(in_.all + 1), -1);
    }

    void start()
    {
        CHECK_OK(ORTHO_Ialltoallv(sent_.data(), out_.counts.data(), out_.displacements.data(), MPI_INT,
                                  received_.data(), in_.counts.data(), in_.displacements.data(), MPI_INT,
                                  ring_->comm(), &request_));
    }
    void end() { check(ORTHO_Wait(&request_, MPI_STATUS_IGNORE)); }
    /// Several blocks of one process come in a row: if their sizes are others, into each other's slots.
    void run()
    {
        const int result = ORTHO_Alltoallv(sent_.data(), out_.counts.data(), out_.displacements.data(),
                                           MPI_INT, received_.data(), in_.counts.data(),
                                           in_.displacements.data(), MPI_INT, ring_->comm());
        if (ends_ == Ends::size || (test::size() > 2 && ring_->blocks() == 2)) check(result);
        CHECK_EQ(received_.back(), -1);
    }

private:
    void check(int result)
    {
        bool is_too_long = false, may_be_silent = false;
        for (int block = 0, i = 0; block < ring_->blocks(); ++block) {
            const bool has_come = come_[at(block)] <= in_.counts[at(block)];
            // Intel's MPI says nothing of a message to a receive that has no room at all.
            const bool is_silent = test::is_intel() && in_.counts[at(block)] == 0;
            if (!has_come) (is_silent ? may_be_silent : is_too_long) = true;
            int wrong = 0;
            for (int k = 0; k < in_.counts[at(block)]; ++k, ++i) {
                const int wanted = k < come_[at(block)] ? code(ring_->source(block), block, k) : -1;
                wrong += has_come && received_[at(i)] != wanted ? 1 : 0;
            }
            CHECK_EQ(wrong, 0);
        }
        CHECK_EQ(received_.back(), -1);
        if (is_too_long || !may_be_silent)
            CHECK_EQ(test::error_class(result), is_too_long ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    }
    int code(int from, int block, int k) const { return ((time_ * 8 + from) * 8 + block) * 4096 + k % 4096; }

    const Ring* ring_;
    int time_;
    Ends ends_;
    std::vector<int> come_;
    Layout out_;
    Layout in_;
    std::vector<int> sent_, received_;
    ORTHO_Request request_ = ORTHO_REQUEST_NULL;
};

/// Some at once, which end in any order.
void sequences(int edges, Ends ends)
{
    const Ring ring(edges);
    Random random(static_cast<unsigned>(8 * edges) + static_cast<unsigned>(ends));
    for (int time = 0; time < test::times(30);) {
        std::vector<Exchange> under_way;
        const int number = uniform(random, 1, 4);
        under_way.reserve(at(number));
        for (int i = 0; i < number; ++i) {
            under_way.emplace_back(random, ring, time++ % 64, ends);
            under_way.back().start();
        }
        std::shuffle(under_way.begin(), under_way.end(), random);
        for (Exchange& exchange : under_way) exchange.end();
        Exchange(random, ring, time++ % 64, ends).run();
        Exchange(random, ring, time++ % 64, Ends::size).run();
    }
}

/// Calls that are right: what one partner has sent arrives although another one has not started yet.
void one_is_late()
{
    if (test::size() < 3) return;
    const Ring ring(1);
    MPI_Comm comm = ring.comm();
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
}

/// A persistent operation: what some send lies in a row, and what others send does not.  Nobody need come by
/// for a block of another process to arrive.
void layouts_differ()
{
    const Ring ring(1);
    for (const int n : {600, 60'000, 1'200'000}) { // the last one is more than goes in one part
        const int step = 1 + test::rank() % 2;
        test::Type type = test::strided_ints(n, 1, step, step * n);
        std::vector<int> out(at(2 * step * n), -1), expected(at(2 * n));
        for (int i = 0; i < 2 * n; ++i) {
            out[at(step * i)] = 10'000'000 * test::rank() + i;
            expected[at(i)] = 10'000'000 * ring.source(i / n) + i;
        }
        std::vector<int> in(expected.size(), -1);
        test::Request request;
        CHECK_OK(ORTHO_Alltoall_init(out.data(), 1, type, in.data(), n, MPI_INT, ring.comm(), MPI_INFO_NULL,
                                     &request));
        CHECK_OK(ORTHO_Start(&request));
        test::others_are_away(0, [&] { CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE)); });
        CHECK(in == expected);
        in.assign(in.size(), -1);
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK(in == expected);
    }
}

} // namespace

TEST_MAIN()
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    static_assert(largest * sizeof(int) > 1 << 20); // no way of ours is as long
    layouts_differ();
    for (const int edges : {1, 2, 3})
        for (const Ends ends : {Ends::room, Ends::whatever}) sequences(edges, ends);
    one_is_late();
}
