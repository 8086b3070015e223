// SPDX-License-Identifier: BSD-3-Clause
// Processes that ask each other, as threads.
#pragma once

#include <barrier>
#include <thread>

namespace cases {

using Numbers = std::vector<long long>;

class Processes {
public:
    explicit Processes(int n) : barrier_(n), told_(static_cast<std::size_t>(n)) {}

    /// Runs program(rank) on all of them.
    template <class Program>
    void run(Program program)
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < std::ssize(told_); ++rank) threads.emplace_back(program, rank);
    }
    /// The numbers of all, by rank.  All call it together.
    std::vector<Numbers> gather(int rank, Numbers mine)
    {
        told_[static_cast<std::size_t>(rank)] = std::move(mine);
        barrier_.arrive_and_wait();
        const std::vector<Numbers> all = told_;
        if (rank == 0) ++gathers_;
        barrier_.arrive_and_wait();
        return all;
    }
    /// How often they have gathered numbers.
    int gathers() const { return gathers_; }

private:
    std::barrier<> barrier_;
    std::vector<Numbers> told_;
    int gathers_ = 0;
};

} // namespace cases
