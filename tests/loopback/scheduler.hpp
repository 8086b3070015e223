// SPDX-License-Identifier: BSD-3-Clause
// Which virtual process runs: all decisions come from one seed.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace loopback {

/// A function with a stack of its own, which runs when somebody switches to it.
class Fiber {
public:
    /// The fiber of the thread itself.
    Fiber() = default;
    /// `body` must not return: it switches away for the last time.
    explicit Fiber(std::function<void()> body);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Leave the fiber `from`, which runs, and go on with this one.  `environ`, errno and what C++ knows of
    /// exceptions belong to each fiber.
    void resume(Fiber& from);
    void set_environment(char** environment) { kept_.environment = environment; }

private:
    static void enter(unsigned high, unsigned low);
    void arrive();

    std::function<void()> body_;
    std::byte* stack_ = nullptr;
    std::jmp_buf place_{};
    bool is_new_ = false;
    struct Kept {
        void* exceptions[2] = {}; // __cxa_eh_globals
        int error = 0;
        char** environment = nullptr;
    } kept_;
};

/// How the next process is picked.
enum class Strategy {
    uniform,     ///< at random
    late,        ///< one process starts late
    away,        ///< now and then one process stays away for long
    alternating, ///< one after the other
    greedy       ///< one process runs as far as it gets
};
constexpr int strategies = 5;
const char* name_of(Strategy strategy);

class Scheduler {
public:
    Scheduler(std::uint64_t seed, Strategy strategy) : strategy_(strategy), random_(seed) {}

    /// Runs all bodies to their ends, each in a fiber with the environment of the same number.
    /// `switched(i)`: body i runs from now on.
    void run(const std::vector<std::function<void()>>& bodies, const std::vector<char**>& environments,
             std::function<void(int)> switched);

    /// The running process can go on, but another one may be picked.
    void yield()
    {
        if (strategy_ != Strategy::greedy || below(64) == 0) pick();
    }
    /// The running process looks for something that is not there yet.
    void wait() { pick(); }
    /// Something has happened that others may wait for.
    void progressed() { last_progress_ = now_; }

    /// The number of picks: the time.
    std::uint64_t now() const { return now_; }
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    /// Changes with each decision.
    std::uint64_t trace() const { return trace_; }
    void note(std::uint64_t fact) { trace_ = (trace_ ^ fact) * 0x100000001b3U; }

    /// Has each process say where it is.
    void tell_places(const std::function<void()>& tell);

    /// Called when no process gets any further.
    std::function<void()> hang;
    /// How many calls of the library there were that do not only look: progress in shared memory is not seen.
    std::function<std::uint64_t()> calls;

private:
    static constexpr int nobody = -1;
    void pick();
    int next();
    Fiber& fiber(int process) { return *fibers_[static_cast<std::size_t>(process)]; }
    void enter(int process);
    void switch_to(int process);
    void answer();
    bool nothing_happens();
    void let_stay_away();

    Strategy strategy_;
    std::mt19937_64 random_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<int> alive_;
    std::function<void(int)> switched_;
    Fiber main_;
    int running_ = nobody, away_ = nobody;
    std::uint64_t back_at_ = 0, now_ = 0, last_progress_ = 0, last_call_ = 0, last_calls_ = 0;
    std::uint64_t trace_ = 0xcbf29ce484222325U;
    const std::function<void()>* tell_ = nullptr;
    int teller_ = nobody;
};

} // namespace loopback
