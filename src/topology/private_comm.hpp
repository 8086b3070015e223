// SPDX-License-Identifier: BSD-3-Clause
// Communicators of our own behind a graph: for its messages, and for collectives.
//
// To make a communicator takes an MPI as long as to make the graph's, and some have but 2048 of them.  So
// the graphs that are made on one communicator share one for their messages, where each has tags of its own.
// Collectives have no tags, and threads may be in those of several graphs at once: a graph makes a
// communicator for them when the first one comes.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "agree/ballot.hpp"
#include "mpi/comm.hpp"
#include "runtime/bare_copy.hpp"

namespace ortho::topology {

/// The communicator for messages of all graphs that are made on one communicator.
class SharedComm;

/// A graph's tags on a shared communicator, until it goes.
class TagRange {
public:
    TagRange() = default;
    /// The range with this number, which nobody has.
    TagRange(std::shared_ptr<SharedComm> comm, int number);
    TagRange(TagRange&& other) noexcept : comm_(std::move(other.comm_)), number_(other.number_) {}
    TagRange& operator=(TagRange&& other) noexcept
    {
        std::swap(comm_, other.comm_);
        std::swap(number_, other.number_);
        return *this;
    }
    ~TagRange();

    explicit operator bool() const { return comm_ != nullptr; }
    MPI_Comm comm() const;
    int first() const;
    int last() const;

private:
    std::shared_ptr<SharedComm> comm_;
    int number_ = 0;
};

/// What a graph has of them.
class PrivateComm {
public:
    /// None.
    PrivateComm() = default;
    /// One for all, which nobody else has.
    explicit PrivateComm(mpi::Comm own) : own_(std::move(own)) {}
    /// One that is shared, for messages.
    explicit PrivateComm(TagRange tags) : tags_(std::move(tags)) {}

    explicit operator bool() const { return tags_ || own_; }

    /// Messages of a graph that was not made may be on their way: nobody gets its tags any more.
    void lose_tags() noexcept;

    /// Of the graph's processes, which have the same ranks.
    MPI_Comm messages() const { return tags_ ? tags_.comm() : own_.get(); }

    // Tags of messages that belong to no operation, and those of operations (engine/tags.hpp):
    int setting_up_tag() const { return first(); }
    int meeting_tag() const { return first() + 1; }
    int first_tag() const { return first() + 2; }
    int last_tag() const { return tags_ ? tags_.last() : mpi::last_tag(); }

    /// For collectives in a call that all processes are in, and that may wait for them.  `comm`: the user's,
    /// of the same processes.  Collective the first time.
    MPI_Comm collectives(MPI_Comm comm);
    /// The same, and for messages that belong to no operation.
    mpi::SetUpComms set_up_comms(MPI_Comm comm) { return {collectives(comm), messages(), setting_up_tag()}; }
    /// The same where no other collective is on `comm`, which the user does not have yet: none is made.
    mpi::SetUpComms set_up_comms_of_new(MPI_Comm comm) const
    {
        return {own_ ? own_.get() : comm, messages(), setting_up_tag()};
    }

private:
    int first() const { return tags_ ? tags_.first() : 0; }

    TagRange tags_;
    mpi::Comm own_; ///< for collectives alone, if there are tags
};

/// A communicator that was just made becomes the library's: it returns its errors.
mpi::Comm taken_over(mpi::Comm made);
/// A communicator of the same processes that returns its errors.  Collective.
mpi::Comm make_own(MPI_Comm comm, runtime::HaveMet have_met = runtime::HaveMet::no);

/// Do graphs on `parent` share a communicator?  Decided along with what else a constructor agrees on.
class SharingVote {
public:
    explicit SharingVote(agree::Ballot& ballot) : ballot_(ballot) {}

    /// `graphs`: how many are alive in this process.  Local.
    void say(MPI_Comm parent, int graphs);

    /// The ballot was held, and it is known whether all processes are on one node: what constructors on
    /// `parent` agree on may go by messages (hold_on()).  At once, before this process may fail.  Local.
    void hear(bool one_node) const noexcept;

    /// For the next graph on `parent`, whose processes have the ranks that they have there.  Collective if
    /// there is nothing to share yet, or no more.  None where very many graphs are alive, and it would be a
    /// new communicator.
    PrivateComm agreed(MPI_Comm parent) const;
    /// A communicator for a graph that shares with no other, or none, likewise.
    PrivateComm agreed_alone(MPI_Comm comm) const;

private:
    /// Have all processes the same one?
    bool is_everywhere() const { return is_known_.holds() && next_.holds(); }

    std::shared_ptr<SharedComm> known_; ///< null if there is none
    agree::Ballot& ballot_;
    agree::AllTrue is_known_{ballot_};
    agree::AllEqual next_{ballot_}; ///< the number of the next range of tags
    agree::AnyTrue is_taken_{ballot_};
    agree::AllEqual ranges_{ballot_};
    agree::Largest graphs_{ballot_};
};

/// Holds the ballot of a constructor with all processes of `parent`.  By messages of ours where all processes
/// know that they share a communicator, because MPI's non-blocking collective takes longer.  Between nodes by
/// MPI's: messages of ours would need connections that nothing else needs.  Collective.
void hold_on(MPI_Comm parent, agree::Ballot& ballot);

} // namespace ortho::topology
