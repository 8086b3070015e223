// SPDX-License-Identifier: BSD-3-Clause
// An alltoall of one number, in about log p messages of each process, which nobody waits for.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "mpi/comm.hpp"
#include "runtime/message.hpp"

namespace ortho::sparse {

/// In round k a process passes numbers on to the process 2^k ranks ahead: all those whose distance to go has
/// that power of two.
///
/// Source    J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all
///           communications in multiport message-passing systems, 1997.
class CountExchange {
public:
    /// `counts`: the number for each rank.  `tag`: of all messages.
    CountExchange(MPI_Comm comm, int tag, const std::vector<long long>& counts)
        : comm_(comm),
          tag_(tag),
          rank_(at(mpi::rank_of(comm))),
          by_distance_(counts.size())
    {
        for (std::size_t i = 0; i < size(); ++i) by_distance_[i] = counts[(rank_ + i) % size()];
        post();
    }

    /// Goes on without waiting; true once it is over.  Throws mpi::Failure.
    bool advance()
    {
        while (distance_ < size()) {
            if (!messages_->are_through()) return false;
            std::size_t next = 0;
            for (std::size_t i = 0; i < size(); ++i)
                if ((i & distance_) != 0) by_distance_[i] = incoming_[next++];
            distance_ *= 2;
            post();
        }
        return true;
    }

    /// Once it is over: the counts of each rank for this process.
    std::vector<long long> result() const
    {
        std::vector<long long> counts(size());
        for (std::size_t i = 0; i < size(); ++i) counts[(rank_ + size() - i) % size()] = by_distance_[i];
        return counts;
    }

private:
    std::size_t size() const { return by_distance_.size(); }
    void post()
    {
        if (distance_ >= size()) return;
        outgoing_.clear();
        for (std::size_t i = 0; i < size(); ++i)
            if ((i & distance_) != 0) outgoing_.push_back(by_distance_[i]);
        incoming_.resize(outgoing_.size());
        const auto behind = static_cast<int>((rank_ + size() - distance_) % size());
        const auto ahead = static_cast<int>((rank_ + distance_) % size());
        messages_.emplace(comm_, tag_);
        messages_->receive(behind, std::as_writable_bytes(std::span(incoming_)));
        messages_->send(ahead, std::as_bytes(std::span(outgoing_)));
    }

    MPI_Comm comm_;
    int tag_;
    std::size_t rank_;
    std::size_t distance_ = 1; ///< from this rank to its partner in the current round
    std::vector<long long> by_distance_, outgoing_, incoming_;
    std::optional<runtime::Posted> messages_; ///< the messages of the current round
};

} // namespace ortho::sparse
