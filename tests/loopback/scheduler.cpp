// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler.hpp"

#include <algorithm>
#include <utility>

namespace loopback {

namespace {

// Progress in shared memory is not seen, so these are generous.
constexpr std::uint64_t most_picks_without_progress = 3'000'000;
/// A process that others may wait for comes back after so many picks without progress.
constexpr std::uint64_t most_picks_of_patience = 3'000;

} // namespace

const char* name_of(Strategy strategy)
{
    constexpr const char* names[strategies] = {"uniform", "late", "away", "alternating", "greedy"};
    return names[static_cast<int>(strategy)];
}

void Scheduler::run(const std::vector<std::function<void()>>& bodies, const std::vector<char**>& environments,
                    std::function<void(int)> switched)
{
    switched_ = std::move(switched);
    const int p = static_cast<int>(bodies.size());
    for (int i = 0; i < p; ++i) {
        const auto index = static_cast<std::size_t>(i);
        fibers_.push_back(std::make_unique<Fiber>([this, i, body = &bodies[index]] {
            answer();
            (*body)();
            progressed();
            std::erase(alive_, i);
            if (away_ == i) away_ = nobody;
            if (alive_.empty()) {
                switched_(nobody);
                main_.resume(fiber(i));
            }
            switch_to(next());
        }));
        fibers_.back()->set_environment(environments[index]);
        alive_.push_back(i);
    }
    if (strategy_ == Strategy::late) {
        away_ = static_cast<int>(below(bodies.size()));
        back_at_ = 1'000 + below(200'000);
    }
    running_ = next();
    switched_(running_);
    fiber(running_).resume(main_);
}

void Scheduler::pick()
{
    ++now_;
    if ((now_ & 1023U) == 0 && nothing_happens()) hang();
    const int process = next();
    note(static_cast<std::uint64_t>(process));
    if (process != running_) switch_to(process);
}

void Scheduler::enter(int process)
{
    const int from = std::exchange(running_, process);
    switched_(process);
    fiber(process).resume(fiber(from));
}

void Scheduler::switch_to(int process)
{
    enter(process);
    answer();
}

/// A process that was asked by tell_places() tells, and goes back.
void Scheduler::answer()
{
    while (tell_ != nullptr && teller_ != nobody) {
        (*tell_)();
        enter(std::exchange(teller_, nobody));
    }
}

int Scheduler::next()
{
    if (strategy_ == Strategy::away || strategy_ == Strategy::late) let_stay_away();
    const std::size_t n = alive_.size();
    if (strategy_ == Strategy::alternating) {
        const auto after = std::ranges::upper_bound(alive_, running_);
        return after == alive_.end() ? alive_.front() : *after;
    }
    int result = alive_[below(n)];
    while (n > 1 && result == away_) result = alive_[below(n)];
    return result;
}

void Scheduler::let_stay_away()
{
    if (away_ != nobody && (now_ >= back_at_ || now_ - last_progress_ > most_picks_of_patience))
        away_ = nobody;
    if (strategy_ == Strategy::away && away_ == nobody && below(2'000) == 0) {
        away_ = alive_[below(alive_.size())];
        back_at_ = now_ + 1'000 + below(30'000);
        last_progress_ = std::max(last_progress_, now_ - std::min(now_, most_picks_of_patience / 2));
    }
}

bool Scheduler::nothing_happens()
{
    if (const std::uint64_t all = calls(); all != last_calls_) {
        last_calls_ = all;
        last_call_ = now_;
    }
    const std::uint64_t idle = now_ - std::min(now_, last_progress_);
    return idle > most_picks_without_progress && now_ - last_call_ > most_picks_without_progress;
}

void Scheduler::tell_places(const std::function<void()>& tell)
{
    const int asks = running_;
    tell();
    tell_ = &tell;
    for (const int process : alive_) {
        if (process == asks) continue;
        teller_ = asks;
        enter(process);
    }
    tell_ = nullptr;
}

} // namespace loopback
