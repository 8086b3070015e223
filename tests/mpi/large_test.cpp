// SPDX-License-Identifier: BSD-3-Clause
// More than 2^31 elements, more than 4 GiB in a message: from process 0 to process 1, on a graph and on a
// full communicator, through shared memory and through MPI; ghosts and arrays of as many.  Takes 9 GiB for
// messages, and for reductions 4 GiB a process and what MPI takes besides.  Run by tests/scripts/large.sh.
#include <chrono>

#include "ghost_shapes.hpp"

namespace {

/// The size of a message: more than 2^32 bytes, and no multiple of anything.
constexpr MPI_Count message_bytes = (MPI_Count{1} << 32) + 4099;
/// The elements of a reduction.
constexpr MPI_Count sum_elements = (MPI_Count{1} << 31) + 21;
/// Blocks begin beyond what an int can say.
constexpr MPI_Aint place = (MPI_Aint{1} << 31) + 5;

using Buffer = std::unique_ptr<std::uint8_t[]>;
Buffer room(MPI_Count bytes)
{
    return std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(bytes));
}

/// Word i of what arrives in a round: eight bytes, but for the last one, perhaps.
std::uint64_t content(MPI_Count i, int round)
{
    // Two bytes fit in one when they are added: Open MPI stops at 255.
    constexpr std::uint64_t half = 0x7F7F7F7F7F7F7F7FU;
    return ((static_cast<std::uint64_t>(i) + static_cast<std::uint64_t>(round)) * 0x9E3779B97F4A7C15U) & half;
}
std::size_t bytes_of_word(MPI_Count i, MPI_Count bytes)
{
    return static_cast<std::size_t>(std::min<MPI_Count>(8, bytes - 8 * i));
}
void fill(std::uint8_t* buffer, MPI_Count bytes, int round)
{
    for (MPI_Count i = 0; 8 * i < bytes; ++i) {
        const std::uint64_t word = content(i, round);
        std::memcpy(buffer + 8 * i, &word, bytes_of_word(i, bytes));
    }
}
/// How many words differ from expected(i).
template <class Expected>
MPI_Count count_wrong(const std::uint8_t* buffer, MPI_Count bytes, Expected expected)
{
    MPI_Count wrong = 0;
    for (MPI_Count i = 0; 8 * i < bytes; ++i) {
        const std::uint64_t word = expected(i);
        wrong += std::memcmp(buffer + 8 * i, &word, bytes_of_word(i, bytes)) != 0 ? 1 : 0;
    }
    return wrong;
}
/// One line of progress: this takes a while.
class Step {
public:
    explicit Step(std::string what) : what_(std::move(what)) {}
    ~Step()
    {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
        if (test::rank() == 0) std::fprintf(stderr, "# %s: %.1f s\n", what_.c_str(), time.count());
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

private:
    std::string what_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Process 0 sends, process 1 receives; nobody has both buffers.
class Message {
public:
    Message() : bytes_(room(message_bytes)) {}

    /// `blocks`: how many a process has on each side; the block is the last one of them.
    void send(MPI_Comm comm, const std::string& title, std::size_t blocks)
    {
        const bool sends = test::rank() == 0;
        const std::size_t sent = blocks == 1 && !sends ? 0 : blocks;
        const std::size_t received = blocks == 1 && sends ? 0 : blocks;
        std::vector<MPI_Count> counts(blocks, 0);
        std::vector<MPI_Count> room_counts(blocks, 0);
        // Counted from far behind the address that is passed.
        const std::vector<MPI_Aint> places(blocks, place);
        if (sends && sent > 0) counts.back() = message_bytes;
        if (!sends && received > 0) room_counts.front() = message_bytes;
        std::uint8_t* const address = bytes_.get() - place;
        for (const char* const form : {"blocking", "non-blocking", "persistent", "run"}) {
            // MPI_Ialltoallw of Open MPI 4.1.4 may never end.
            if (test::is_open_mpi() && blocks > 1 && form[0] != 'b') continue;
            const Step step("ORTHO_Alltoallv_c, " + std::string(form) + ", " + title);
            ++round_;
            if (sends)
                fill(bytes_.get(), message_bytes, round_);
            else
                std::memset(bytes_.get(), 0, static_cast<std::size_t>(message_bytes));
            const auto call = [&](auto function, auto... last) {
                CHECK_OK(function(address, counts.data(), places.data(), MPI_BYTE, address,
                                  room_counts.data(), places.data(), MPI_BYTE, comm, last...));
            };
            test::Request request;
            if (form[0] == 'b') {
                call(ORTHO_Alltoallv_c);
            } else if (form[0] == 'n') {
                call(ORTHO_Ialltoallv_c, &request);
                CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            } else {
                call(ORTHO_Alltoallv_init_c, MPI_INFO_NULL, &request);
                CHECK_OK(form[0] == 'p' ? test::start_and_wait(&request)
                                        : ORTHO_Run(&request, MPI_STATUS_IGNORE));
            }
            const auto expected = [&](MPI_Count i) { return content(i, round_); };
            if (!sends) CHECK_EQ(count_wrong(bytes_.get(), message_bytes, expected), 0);
        }
    }

private:
    Buffer bytes_;
    int round_ = 0;
};

void reduce(MPI_Comm comm, const std::string& title)
{
    const Step step("ORTHO_Allreduce_c, " + title);
    const Buffer mine = room(sum_elements), sum = room(sum_elements);
    fill(mine.get(), sum_elements, test::rank());
    CHECK_OK(ORTHO_Allreduce_c(mine.get(), sum.get(), sum_elements, MPI_UINT8_T, MPI_SUM, comm));
    const auto expected = [](MPI_Count i) { return content(i, 0) + content(i, 1); };
    CHECK_EQ(count_wrong(sum.get(), sum_elements, expected), 0);
}

/// The edge from process 0 to process 1; or all edges.
MPI_Comm graph(bool complete)
{
    const bool sends = test::rank() == 0;
    if (complete) return test::adjacent({0, 1}, {0, 1});
    return test::adjacent(sends ? Ints{} : Ints{0}, sends ? Ints{1} : Ints{});
}

/// A ghost row of more than 2^31 elements, from the process before this one; and an array of more than 2^32.
void fill_ghosts(const std::string& way)
{
    const int dims[] = {2, 1}, periods[] = {1, 1};
    test::Comm cart = test::cart(dims, periods);
    const MPI_Count row = sum_elements;
    const Buffer array = room(2 * row);
    fill(array.get() + row, row, test::rank());
    std::memset(array.get(), 0, static_cast<std::size_t>(row));
    const MPI_Count sizes[] = {2, row}, lower[] = {1, 0}, upper[] = {0, 0};
    const ORTHO_Field field = test::field(array.get(), MPI_UINT8_T, sizes, lower, upper);
    test::Request request;
    CHECK_OK(ORTHO_Halo_fields_init(1, &field, 2, cart, MPI_INFO_NULL, &request));
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    const auto is_from = [&](int rank) {
        return count_wrong(array.get() + (rank == test::rank() ? row : 0), row,
                           [rank](MPI_Count i) { return content(i, rank); });
    };
    for (const int rank : {0, 1}) {
        const MPI_Count wrong = is_from(rank);
        if (wrong != 0)
            test::fail(__FILE__, __LINE__,
                       "ghosts" + way + ": " + std::to_string(wrong) + " words are wrong");
    }
}

/// A row of more than 2^31 elements on each process, gathered in one array of more than 2^32, and handed out.
void gather_rows()
{
    const int dims[] = {2, 1}, periods[] = {0, 0};
    test::Comm cart = test::cart(dims, periods);
    const int rank = test::rank();
    const MPI_Count row = sum_elements;
    const Buffer part = room(row), all = room(rank == 0 ? 2 * row : 8);
    const MPI_Count sizes[] = {1, row}, whole_sizes[] = {2, row}, none[] = {0, 0};
    const ORTHO_Field field = test::field(part.get(), MPI_UINT8_T, sizes, none, none);
    const ORTHO_Field whole = test::field(all.get(), MPI_UINT8_T, whole_sizes, none, none);
    fill(part.get(), row, rank);
    CHECK_OK(ORTHO_Field_gather(&field, &whole, 2, 0, cart));
    for (int from = 0; rank == 0 && from < 2; ++from)
        CHECK_EQ(count_wrong(all.get() + from * row, row, [from](MPI_Count i) { return content(i, from); }),
                 0);
    std::memset(part.get(), 0, static_cast<std::size_t>(row));
    CHECK_OK(ORTHO_Field_scatter(&whole, &field, 2, 0, cart));
    CHECK_EQ(count_wrong(part.get(), row, [rank](MPI_Count i) { return content(i, rank); }), 0);
}

} // namespace

TEST_MAIN()
{
    // One way at a time, so that little else is in memory.
    const std::string what = argc > 1 ? argv[1] : "";
    if (test::size() == 2 && what == "ghosts") {
        for (const char* const shared : {"1", "0"}) {
            setenv("ORTHO_SHM", shared, 1);
            fill_ghosts(*shared == '1' ? ", shared memory" : ", MPI");
        }
    } else if (test::size() == 2 && what == "fields") {
        gather_rows();
    } else if (test::size() == 2 && (what == "messages" || what == "sums")) {
        for (const char* const shared : {"1", "0"}) {
            setenv("ORTHO_SHM", shared, 1);
            const std::string way = *shared == '1' ? ", shared memory" : ", MPI";
            test::Comm full = test::duplicate();
            test::Comm on_graph = graph(what == "sums");
            if (what == "messages") {
                Message message;
                message.send(on_graph, "graph" + way, 1);
                message.send(full, "full communicator" + way, 2);
            } else {
                reduce(on_graph, "graph" + way);
                reduce(full, "full communicator" + way);
            }
        }
    } else {
        std::fprintf(stderr, "usage, on 2 processes: large_test messages|sums|ghosts\n");
        ++test::failures;
    }
}
