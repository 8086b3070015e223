// SPDX-License-Identifier: BSD-3-Clause
// Everybody with everybody in memory that processes share, in some orders of copies (S. Li, Y. Zhang, T.
// Hoefler: Cache-Oblivious MPI All-to-All Communications on Many-Core Architectures).  No MPI: one process
// forks the others.
//     bench/morton/morton PROCESSES [ROUNDS]
// Each process has a buffer to send and one to receive, in shared memory.  In a call block (r, s), from s for
// r, is copied once:
//     ranks      r copies its blocks, s = 0, 1, ...
//     receivers  r copies its blocks, s = r + 1, r + 2, ... modulo p: no two begin at one sender
//     senders    s copies its blocks into the buffers of others, r = s + 1, ...
//     morton     the Z-shaped curve over (r, s) is cut into p segments of one length; each process copies one
// A call takes until the last process is through.  Where processes share cores that is mostly their turns: then
// it is the time in which the cores have copied, of all processes together, divided by the number of cores.
// Before a call each process writes its blocks, and after it reads what has come, and checks it.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>
#include <vector>

namespace {

constexpr int most_bytes = 65536;
const char* const orders[] = {"ranks", "receivers", "senders", "morton"};
constexpr int n_orders = 4;
enum class Collective : std::uint8_t { alltoall, allgather };

/// Memory that all processes share.
class Shared {
public:
    explicit Shared(int processes)
        : processes_(processes),
          cores_(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))),
          row_(static_cast<std::size_t>(processes) * most_bytes)
    {
        const std::size_t bytes = 4096 + 2 * row_ * static_cast<std::size_t>(processes);
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::exit(1);
        head_ = new (memory) Head;
        buffers_ = static_cast<char*>(memory) + 4096;
    }
    char* sent(int process) { return buffers_ + static_cast<std::size_t>(process) * row_; }
    char* received(int process) { return sent(processes_ + process); }

    void barrier()
    {
        const int turn = head_->turn.load();
        if (head_->here.fetch_add(1) + 1 == processes_) {
            head_->here.store(0);
            head_->turn.store(turn + 1);
            return;
        }
        while (head_->turn.load(std::memory_order_acquire) == turn)
            if (share_cores()) sched_yield();
    }
    bool share_cores() const { return processes_ > cores_; }
    void spend(std::int64_t nanoseconds) { head_->spent.fetch_add(nanoseconds); }
    /// Microseconds in which the cores have copied since the last call.
    double spent() { return 1e-3 * static_cast<double>(head_->spent.exchange(0)) / cores_; }
    void fail() { head_->wrong.store(1); }
    bool failed() const { return head_->wrong.load() != 0; }

private:
    struct Head {
        alignas(64) std::atomic<int> here{0};
        alignas(64) std::atomic<int> turn{0};
        alignas(64) std::atomic<int> wrong{0};
        alignas(64) std::atomic<std::int64_t> spent{0};
    };
    int processes_;
    int cores_;
    std::size_t row_;
    Head* head_ = nullptr;
    char* buffers_ = nullptr;
};

/// The blocks (r, s) that process `me` copies, in its order.
std::vector<std::pair<int, int>> blocks_of(int order, int me, int p)
{
    std::vector<std::pair<int, int>> blocks;
    for (int i = 0; i < p; ++i) {
        if (order == 0) blocks.emplace_back(me, i);
        if (order == 1) blocks.emplace_back(me, (me + 1 + i) % p);
        if (order == 2) blocks.emplace_back((me + 1 + i) % p, me);
    }
    if (order < 3) return blocks;
    for (int r = 0; r < p; ++r)
        for (int s = 0; s < p; ++s) blocks.emplace_back(r, s);
    // The bits of both numbers in turn.
    std::ranges::sort(blocks, {}, [](const std::pair<int, int>& block) {
        std::uint64_t place = 0;
        for (int bit = 0; bit < 16; ++bit)
            place |= (static_cast<std::uint64_t>(block.first) >> bit & 1U) << (2 * bit + 1) |
                     (static_cast<std::uint64_t>(block.second) >> bit & 1U) << (2 * bit);
        return place;
    });
    return {blocks.begin() + me * p, blocks.begin() + (me + 1) * p};
}

/// The bytes from process s to r in a call.
char content(int call, int s, int r) { return static_cast<char>(call * 7 + s * 16 + r); }

std::int64_t nanoseconds_of_this_process()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1'000'000'000 * std::int64_t{now.tv_sec} + now.tv_nsec;
}

/// Microseconds of one call, which all processes make.
double time_of(Shared& shared, Collective collective, const std::vector<std::pair<int, int>>& mine, int bytes,
               int me, int p, int call)
{
    const auto n = static_cast<std::size_t>(bytes);
    const auto place = [&](int other) { return static_cast<std::size_t>(other) * n; };
    const bool personal = collective == Collective::alltoall;
    for (int r = 0; r < (personal ? p : 1); ++r)
        std::memset(shared.sent(me) + place(r), content(call, me, r), n);
    shared.barrier();
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t before = nanoseconds_of_this_process();
    for (const auto& [r, s] : mine)
        std::memcpy(shared.received(r) + place(s), shared.sent(s) + (personal ? place(r) : 0), n);
    shared.spend(nanoseconds_of_this_process() - before);
    shared.barrier();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    for (int s = 0; s < p; ++s) {
        const char* const block = shared.received(me) + place(s);
        const char expected = content(call, s, personal ? me : 0);
        if (!std::all_of(block, block + n, [&](char c) { return c == expected; })) shared.fail();
    }
    const double spent = me == 0 ? shared.spent() : 0;
    shared.barrier();
    return shared.share_cores() ? spent : time.count();
}

void measure(Shared& shared, int me, int p, int rounds)
{
    for (const Collective collective : {Collective::alltoall, Collective::allgather})
        for (int bytes = 4; bytes <= most_bytes; bytes *= 4) {
            std::vector<std::vector<double>> times(n_orders);
            std::vector<std::vector<std::pair<int, int>>> mine;
            for (int order = 0; order < n_orders; ++order) mine.push_back(blocks_of(order, me, p));
            for (int round = 0; round < rounds; ++round)
                for (int order = 0; order < n_orders; ++order)
                    times[static_cast<std::size_t>(order)].push_back(time_of(
                        shared, collective, mine[static_cast<std::size_t>(order)], bytes, me, p, round));
            if (me != 0) continue;
            std::vector<double> medians;
            for (auto& of_order : times) {
                std::ranges::nth_element(of_order, of_order.begin() + rounds / 2);
                medians.push_back(of_order[static_cast<std::size_t>(rounds / 2)]);
            }
            const double best = *std::min_element(medians.begin(), medians.end() - 1);
            std::printf("%-10s %4d %6d %9.2f %9.2f %9.2f %9.2f %6.2f\n",
                        collective == Collective::alltoall ? "alltoall" : "allgather", p, bytes, medians[0],
                        medians[1], medians[2], medians[3], best / medians[3]);
            std::fflush(stdout);
        }
}

} // namespace

int main(int argc, char** argv)
{
    const int p = argc > 1 ? std::atoi(argv[1]) : 0;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 201;
    if (p < 1 || p > 256 || rounds < 1) {
        std::fprintf(stderr, "usage: morton PROCESSES [ROUNDS]\n");
        return 2;
    }
    Shared shared(p);
    std::printf("#%-9s %4s %6s", "what", "p", "bytes");
    for (const char* const order : orders) std::printf(" %9s", order);
    std::printf(" %6s\n", "ratio");
    std::fflush(stdout);
    for (int me = 1; me < p; ++me)
        if (fork() == 0) {
            measure(shared, me, p, rounds);
            std::_Exit(0);
        }
    measure(shared, 0, p, rounds);
    while (wait(nullptr) > 0) {}
    if (shared.failed()) std::printf("WRONG RESULTS\n");
    return shared.failed() ? 1 : 0;
}
