// SPDX-License-Identifier: BSD-3-Clause
// How messages travel: what every way of them offers.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/wait.hpp"
#include "transport/bound_datatypes.hpp"
#include "transport/data_location.hpp"

namespace ortho::transport {

/// Tells an execution of an operation from all others of the communicator.
struct Stamp {
    int tag = 0;
    std::uint32_t number = 0; ///< among those that use the same transports; 0 where they share no memory
    // For an operation whose blocks for one process may have tags of their own: the tags that operations take
    // in turn.
    int first_tag = 0;
    int tags = 0;

    /// The tag of a block; of all blocks if that is -1.  Some later operation has it, too.  Messages with one
    /// tag arrive in order, and both ends post them in the order of operations.  (In a program whose ends
    /// disagree a block may meet that of an operation a thousand later, if so many are under way.)
    int tag_of(int block) const
    {
        constexpr int most = 64;
        if (block < 0) return tag;
        const int step = block % (most - 1) + 1;
        return first_tag + (tag - first_tag + step * (tags / most)) % tags;
    }
};

/// Which message of a schedule it is.
struct Label {
    int round = -1;         ///< the index of its round
    int block = -1;         ///< the one of the round's blocks that it brings; -1 if it may bring several
    bool is_signal = false; ///< it brings no blocks, and tells that its sender has come
};

/// The names of receives in errors.
class Labels {
public:
    virtual ~Labels() = default;
    /// Which blocks the message brings that was bound with this label, in words.
    virtual std::string contents_of(Label label) const = 0;
};

/// Throws what MPI's code for a received message means: of one that is too long, which one.  `room`: bytes.
[[noreturn]] void fail_receive(int code, int partner, MPI_Count room, const std::string& contents);

/// The messages of one phase of a schedule that go by one transport.  They are bound one after the other, in
/// the order of the schedule.
class Messages {
public:
    virtual ~Messages() = default;

    /// `data`: places in order.  `label`: which message it is.
    void bind_receive(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts,
                      Label label)
    {
        add_receive(partner, data, layouts, label);
        senders_.push_back(partner);
    }
    void bind_send(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts, Label label)
    {
        add_send(partner, data, layouts, label);
        receivers_.push_back(partner);
    }
    // A message that has been bound, and is not under way, gets other data in place.  `i`: among those that
    // are received, or sent.  False if it is another partner's, or needs more than other addresses and sizes:
    // then none of the messages may be used any more.
    bool replace_receive(std::size_t i, int partner, std::span<const PlainData> data)
    {
        return i < senders_.size() && senders_[i] == partner && change_receive(i, data);
    }
    bool replace_send(std::size_t i, int partner, std::span<const PlainData> data)
    {
        return i < receivers_.size() && receivers_[i] == partner && change_send(i, data);
    }
    /// Does nobody look for the data of the last one that was bound to be sent in host memory?
    virtual bool last_send_stays_on_device() const { return false; }
    /// Does all data of theirs that is sent lie in rows that come from devices?  Then post() may be called
    /// before all of it has come: it sends what has, and post_more() and advance() the rest.
    virtual bool sends_from_rows() const { return false; }
    /// Does MPI move any of them in the usual case?
    virtual bool takes_mpi() const { return true; }

    std::size_t receives() const { return senders_.size(); }
    /// The receiver of each message that is sent.
    std::span<const int> receivers() const { return receivers_; }
    /// How many of those travel as the transport's words say.
    virtual std::size_t sent_as_worded() const { return receivers_.size(); }

protected:
    virtual void add_receive(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts,
                             Label label) = 0;
    virtual void add_send(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts,
                          Label label) = 0;
    virtual bool change_receive(std::size_t /*i*/, std::span<const PlainData>) { return false; }
    virtual bool change_send(std::size_t /*i*/, std::span<const PlainData>) { return false; }

private:
    std::vector<int> senders_;
    std::vector<int> receivers_;
};

/// Messages on their way: those of one phase at a time.  Errors do not stop it, lest partners wait for ever.
class Passage {
public:
    virtual ~Passage() = default;

    /// The next start must not fail half-way for want of memory: makes room for these.
    virtual void reserve(const Messages& messages) = 0;
    /// Begins to receive and to send.  The messages must stay where they are until all is over.  Messages of two
    /// processes meet in the order in which both have bound them.  An error is kept, and a later call tells it:
    /// a sender that has failed sends a message without data all the same.
    virtual void post(const Messages& messages, Stamp stamp) = 0;
    /// Sends what has come from devices since, and no message ends.
    virtual void post_more() {}
    /// Goes on as far as possible, and never waits in MPI, whose waiting keeps a core.  True once all messages are through: what is sent may be
    /// written again, what is received lies in its blocks.
    virtual bool advance(runtime::Backoff& backoff) = 0;
    /// Has this receive come?
    virtual bool has_arrived(std::size_t receive) = 0;
    /// The data of this receive has come another way: it is over.
    virtual void forgo(std::size_t /*receive*/) {}
    /// The ranks at the other ends of messages that are not through.
    virtual void add_waiting_for(std::set<int>& ranks) = 0;

    /// May a post() find no room?  Then an operation is over only when is_ready() says that the next will.
    virtual bool may_be_full() const { return false; }
    /// Is the next post() of these messages sure to find room?  If not, `waits_for` gets who keeps it from
    /// it.
    virtual bool is_ready(const Messages&, std::set<int>*) { return true; }
    /// The calls of these ranks do not fit: their messages are not waited for any more, and no block is
    /// written. MPI's messages can be abandoned, and calls that may be go by these alone.
    virtual void abandon(std::span<const int> /*ranks*/) {}

    /// Processes have failed, and MPI's messages are about to end with errors: nothing else is waited for, no
    /// block is written any more, and none is read by other processes.
    virtual void give_up() {}

    /// The first thing that went wrong since post(), if anything did.
    const std::exception_ptr& error() const { return error_; }

protected:
    void keep(std::exception_ptr error)
    {
        if (!error_) error_ = std::move(error);
    }
    /// Does it, and keeps what goes wrong.
    template <class Action>
    void attempt(Action action)
    {
        try {
            action();
        } catch (...) {
            keep(std::current_exception());
        }
    }
    std::exception_ptr error_;
};

/// A way for messages to travel between processes of one communicator.
class Transport {
public:
    virtual ~Transport() = default;

    /// Can a message of so many bytes between this process and that one take it?  Both ends get the same
    /// answer, if both have the same number of bytes: where the arguments of the ends do not fit, they differ.  `mpi_messages`: how many MPI would send in its place (most_together()).
    virtual bool reaches(int rank, std::size_t bytes, std::size_t mpi_messages) const = 0;
    /// Blocks of one message for that process, so many and so long in all, go in messages of at most so many
    /// bytes, if they are more than one block.  Both ends get the same number, which is never less than
    /// `always_together`.
    virtual std::size_t most_together(int /*rank*/, std::size_t /*blocks*/, std::size_t /*bytes*/) const
    {
        return std::numeric_limits<std::size_t>::max();
    }
    static constexpr std::size_t always_together = 4096;
    /// True if the caller passes the blocks for that process one by one, and the transport divides them into
    /// messages.  Then receivers need not divide them alike.
    virtual bool takes_blocks(int /*rank*/) const { return false; }
    /// Are messages from that process copied by this one, whenever it looks for them, and by no call of ours?
    virtual bool copies_on_node(int) const { return false; }
    /// Binds messages of a phase.
    virtual std::unique_ptr<Messages> bind() = 0;
    virtual std::unique_ptr<Passage> passage(const Labels& labels) = 0;
    /// Must a process without messages post, too?
    virtual bool all_take_part() const { return false; }
    /// How explanations call it, behind "3 messages"; nothing for MPI's messages.
    virtual const char* words() const { return ""; }
};

/// A message goes by the first of these that reaches its partner; the last one reaches all.
using Transports = std::vector<std::shared_ptr<Transport>>;

/// A phase as one collective of MPI's, on the user's communicator, before there is a private one.  All its
/// processes take part in each phase, in their turn; operations have one phase at most, in which no partner
/// has two messages the same way.
std::shared_ptr<Transport> detached(MPI_Comm user_comm);

/// Messages of MPI's between all processes of a communicator that nobody else uses.  `is_on_node`: true for
/// those of this node; null if it is not known which they are.
std::shared_ptr<Transport> point_to_point(MPI_Comm comm, std::function<bool(int)> is_on_node);

} // namespace ortho::transport
