// SPDX-License-Identifier: BSD-3-Clause
// Communicators of our own behind a graph: for its messages, and for collectives.
//
// An MPI takes as long to make a communicator as to make the graph's, and some MPIs have only 2048 of them.
// So graphs that are made on one communicator share a communicator for their messages, where each has its own
// tags.  Collectives have no tags, and threads may be in collectives of several graphs at once.  So a graph
// makes a communicator for them when the first one comes.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "agree/ballot.hpp"
#include "mpi/comm.hpp"
#include "runtime/internal_collectives.hpp"

namespace ortho::topology {

/// The communicator for messages of all graphs that are made on one communicator.
class SharedComm;

/// A graph's tags on a shared communicator, given back at its end.
class TagRange {
public:
    TagRange() = default;
    /// The range with this number, which must be free.
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

/// The communicators of a graph.
class PrivateComm {
public:
    /// No communicator.
    PrivateComm() = default;
    /// One communicator for messages and collectives, which no other graph has.
    explicit PrivateComm(mpi::Comm own) : own_(std::move(own)) {}
    /// A shared communicator for messages.
    explicit PrivateComm(TagRange tags) : tags_(std::move(tags)) {}

    explicit operator bool() const { return tags_ || own_; }

    /// Keeps communicators and tags from further use, and so what is on its way there: messages of a graph
    /// that was not made, or of calls that did not fit.
    void lose() noexcept;

    /// Has the graph's processes with the same ranks.
    MPI_Comm messages() const { return tags_ ? tags_.comm() : own_.get(); }

    // Tags of messages that belong to no operation, and those of operations (engine/tags.hpp):
    int setting_up_tag() const { return first(); }
    int meeting_tag() const { return first() + 1; }
    int first_tag() const { return first() + 2; }
    int last_tag() const { return tags_ ? tags_.last() : mpi::last_tag(); }

    /// A communicator for collectives in a call that all processes are in, and that may wait for them.
    /// `comm` is the user's, of the same processes.  Collective the first time.
    MPI_Comm collectives(MPI_Comm comm);
    /// This communicator, and the one for messages that belong to no operation.
    mpi::SetUpComms set_up_comms(MPI_Comm comm) { return {collectives(comm), messages(), setting_up_tag()}; }
    /// The communicators if no other collective is on `comm`, which the user does not have yet: makes none.
    mpi::SetUpComms set_up_comms_of_new(MPI_Comm comm) const
    {
        return {own_ ? own_.get() : comm, messages(), setting_up_tag()};
    }

private:
    int first() const { return tags_ ? tags_.first() : 0; }

    TagRange tags_;
    mpi::Comm own_; ///< for collectives alone, if there are tags
};

/// A communicator that was just made, as one of the library's own: it returns its errors.
mpi::Comm taken_over(mpi::Comm made);
/// A communicator of the same processes that returns its errors.  Collective.
mpi::Comm make_own(MPI_Comm comm, runtime::HaveMet have_met = runtime::HaveMet::no);

/// Do graphs on `parent` share a communicator?  The slots are in a constructor's ballot.
class SharingVote {
public:
    explicit SharingVote(agree::Ballot& ballot) : ballot_(ballot) {}

    /// `graphs` is the number of graphs alive in this process.  Local.
    void say(MPI_Comm parent, int graphs);

    /// Called when the ballot was held.  On one node, constructors on `parent` may agree by messages
    /// (hold_on()).  Call it at once, before this process may fail.  Local.
    void hear(bool one_node) const noexcept;

    /// The communicators for the next graph on `parent`; its processes have their ranks there.  Collective if
    /// there is no communicator to share, or none any more.  None if very many graphs are alive and a new
    /// communicator would be needed.
    PrivateComm agreed(MPI_Comm parent) const;
    /// The communicators of a graph that shares with no other; none if very many graphs are alive.
    PrivateComm agreed_alone(MPI_Comm comm) const;

private:
    /// Have all processes the same shared communicator?
    bool is_everywhere() const { return is_known_.holds() && next_.holds(); }

    std::shared_ptr<SharedComm> known_; ///< null if there is none
    agree::Ballot& ballot_;
    agree::AllTrue is_known_{ballot_};
    agree::AllEqual next_{ballot_}; ///< the number of the next range of tags
    agree::AnyTrue is_taken_{ballot_};
    agree::AllEqual ranges_{ballot_};
    agree::Largest graphs_{ballot_};
};

/// Holds a constructor's ballot with all processes of `parent`.  Uses messages of ours if all processes know
/// that they share a communicator, since MPI's non-blocking collective takes longer.  Between nodes it uses
/// MPI's: messages of ours would need connections that have no other use.  Collective.
void hold_on(MPI_Comm parent, agree::Ballot& ballot);

} // namespace ortho::topology
