// SPDX-License-Identifier: BSD-3-Clause
// The channels through shared memory that messages of a communicator take.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grid/nodes.hpp"
#include "mpi/comm.hpp"
#include "nodequeue/channel.hpp"
#include "nodequeue/single_copy_trial.hpp"
#include "nodequeue/unbounded_channel.hpp"
#include "runtime/message.hpp"
#include "transport/transport.hpp"

namespace ortho::nodequeue {

/// Which way messages go.  All members but the last are the same on all processes.
struct Limits {
    std::size_t single_copy = 0; ///< from so many bytes on the receiver copies, once, while the sender waits
    std::size_t by_mpi = 0;      ///< from so many on MPI carries a message whose sender may not wait
    std::size_t partners = 0; ///< others of its node to which this process sends; 0 where no cores are shared

    /// Is MPI not faster, which would send so many messages, with as many bytes in all?
    bool are_small(std::size_t bytes, std::size_t messages) const { return bytes / messages < by_mpi; }
};

/// Where an operation's messages get their channels from.
class ShmChannels {
public:
    virtual ~ShmChannels() = default;
    /// Does the process of this rank see our memory, and we its?  The other functions are for those that do.
    virtual bool lead_to(int rank) const = 0;
    /// For a message of so many bytes.
    virtual Sender* to(int rank, std::size_t bytes) = 0;
    virtual Receiver* from(int rank) = 0;
    /// Do messages of so many bytes take them, in place of `mpi_messages` of MPI's?  Both ends get the same
    /// answer.
    virtual bool take(std::size_t bytes, std::size_t mpi_messages) const = 0;
    /// Does whoever sends stay until what was sent has been received?
    virtual bool may_wait_for_receivers() const = 0;
    /// Have they room for few messages, so that an operation is over only when there is room for the next
    /// one's?
    virtual bool may_be_full() const { return false; }
    /// From how many bytes on a receiver reads its peer's memory; more than there are if it may not.
    virtual std::size_t least_remote_bytes() const = 0;
    /// From how many bytes on it is tried out whether that is faster than two copies, up to which size.
    struct Tried {
        std::size_t from;
        std::size_t below;
    };
    virtual Tried tried_bytes() const = 0;
    /// The process of this rank, as the system numbers it.
    virtual std::int64_t process_of(int rank) const = 0;
};

struct Card;
class ArenaBlock;

/// Where non-blocking operations find what one process has sent them.  They read in the order in which they
/// were started: each message is one's turn.
struct Inbox {
    UnboundedReceiver channel;
    std::uint64_t next_turn = 0; ///< of the next message that is asked for
    std::uint64_t turn = 0;      ///< whose it is to be read
};

/// A process's offer to the others of its node, on its way to them.
class NodeOffer;

/// The channels that the processes of a node share: one channel each way between any two of them that all
/// blocking operations of the communicator use, one after the other, and another one for all non-blocking
/// operations.  To be used under the graph's mutex.
class NodeChannels final : public ShmChannels {
public:
    /// The first half of agree(), which waits for nobody: all processes make it, or none does.  Null if there
    /// is one process.  `comm`: for messages, `tag` among them.
    static std::shared_ptr<NodeOffer> offer(MPI_Comm comm, int tag, const grid::Nodes* nodes);
    /// Channels between the processes of a communicator.  Null if no two processes are on a node, or if any
    /// of them has no memory to share with others of its node, or has ORTHO_SHM=0.  `nodes`: the
    /// communicator's nodes, null for one.  Nodes that ORTHO_NODES makes have no channels between them,
    /// although they could.  `offered`: the first half, if it was made.  Collective.
    static std::shared_ptr<NodeChannels> agree(const mpi::SetUpComms& comms, const grid::Nodes* nodes,
                                               std::shared_ptr<NodeOffer> offered = nullptr);

    ~NodeChannels() override;

    bool lead_to(int rank) const override
    {
        return std::ranges::binary_search(peers_, rank, {}, &Peer::rank);
    }
    bool take(std::size_t, std::size_t) const override { return true; }
    Sender* to(int rank, std::size_t bytes) override;
    Receiver* from(int rank) override;
    bool may_wait_for_receivers() const override { return true; }
    std::size_t least_remote_bytes() const override
    {
        return std::max(limits_.single_copy, least_bytes(single_copy_from_, limits_.partners));
    }
    Tried tried_bytes() const override
    {
        constexpr std::size_t least_tried = 32768;
        const bool tries = tries_ && single_copy_from_ != never && limits_.partners == 0;
        return {least_tried, tries ? where_caches_end : 0};
    }
    /// May the processes of each node read each other's memory?
    bool may_read_peers() const { return single_copy_from_ != never; }
    /// Are two copies of a message faster than one, as long as it stays in a cache?
    bool two_copies_are_faster() const { return single_copy_from_ >= where_caches_end; }
    /// Do they, as soon as prices say so?
    bool read_peers_always() const { return single_copy_from_ == always; }
    const Limits& limits() const { return limits_; }
    void set(const Limits& limits) { limits_ = limits; }
    std::int64_t process_of(int rank) const override { return peer_at(rank).process; }

    /// The number of the next blocking operation, which all processes begin in the same order.
    std::uint32_t next_operation() { return ++operations_; }
    /// The number of the next non-blocking operation.
    std::uint32_t next_nonblocking() { return ++nonblocking_; }
    /// The channels of those.
    UnboundedSender* unbounded_to(int rank);
    Inbox* unbounded_from(int rank);

    /// Are all processes on one node?
    bool all_here() const { return all_here_; }
    Arena& arena() const { return arena_; }
    /// Where the arena of a process of this node begins here.
    std::byte* arena_of(int rank) const { return peer_at(rank).arena.get(); }

private:
    struct Peer {
        int rank;
        int index; ///< among the processes of the node, the same for all of them
        std::int64_t process;
        std::shared_ptr<std::byte> arena;
        std::uint64_t mailboxes; ///< offset of its mailboxes, two for each process of the node
        std::unique_ptr<Sender> sender{};
        std::unique_ptr<Receiver> receiver{};
        std::unique_ptr<UnboundedSender> unbounded_sender{};
        std::unique_ptr<Inbox> inbox{};
    };

    explicit NodeChannels(Arena& arena) : arena_(arena) {}

    const Peer& peer_at(int rank) const { return *std::ranges::lower_bound(peers_, rank, {}, &Peer::rank); }
    Peer& peer_at(int rank) { return *std::ranges::lower_bound(peers_, rank, {}, &Peer::rank); }
    bool see(std::span<const Card> theirs, const Card& mine);
    void try_single_copy_with_next(std::span<const Card> theirs, const Card& mine, const ArenaBlock* trial);

    Arena& arena_;
    std::byte* mailboxes_ = nullptr; // ours
    int index_ = 0;
    bool all_here_ = false;
    SingleCopyFrom single_copy_from_ = never;
    bool tries_ = false; ///< operations may find out what is faster
    Limits limits_;
    std::uint32_t operations_ = 0;
    std::uint32_t nonblocking_ = 0;
    std::vector<Peer> peers_; // by rank; they stay where they are
};

/// The channels of a persistent operation, which nothing else uses.  Where there is no memory for one it
/// leads nowhere, and its messages go by MPI.
class PrivateChannels : public ShmChannels {
public:
    bool lead_to(int rank) const override { return node_.lead_to(rank); }
    std::size_t least_remote_bytes() const override { return node_.least_remote_bytes(); }
    Tried tried_bytes() const override { return node_.tried_bytes(); }
    std::int64_t process_of(int rank) const override { return node_.process_of(rank); }

    /// Tell receivers where senders' ends are, by messages with a tag that nothing else has.
    void begin_to_connect(MPI_Comm private_comm, int tag);
    /// Goes on; true once receivers know it.
    bool are_connected();
    /// The processes whose messages have not come, while they are being connected.
    std::vector<int> unheard() const;
    /// The operation is bound again: the same messages, in the same order, ask for their channels.
    void bind_again() { again_out_ = again_in_ = 0; }
    /// Once they are connected: does any lead nowhere, so that its messages go by MPI?
    bool any_leads_nowhere() const
    {
        return std::ranges::any_of(out_, [](const Out& out) { return out.sender->leads_nowhere(); }) ||
               std::ranges::any_of(in_, [](const In& in) { return in.receiver->leads_nowhere(); });
    }

protected:
    explicit PrivateChannels(NodeChannels& node) : node_(node) {}

    struct Out {
        int rank;
        std::unique_ptr<Sender> sender;
        std::uint64_t told; ///< an offset in our arena; 0 for a channel that leads nowhere
    };
    struct In {
        int rank;
        std::unique_ptr<Receiver> receiver;
    };
    Sender* add_sender(int rank, std::unique_ptr<Sender> sender, std::uint64_t told);
    Receiver* add_receiver(int rank);
    /// The channel that the message had before; null if it has had none.
    Sender* sender_again() { return again_out_ < out_.size() ? out_[again_out_++].sender.get() : nullptr; }
    Receiver* receiver_again() { return again_in_ < in_.size() ? in_[again_in_++].receiver.get() : nullptr; }
    virtual void connect(Receiver& receiver, std::byte* arena, std::uint64_t told) = 0;

    NodeChannels& node_;
    std::vector<Out> out_;
    std::vector<In> in_;

private:
    std::size_t again_out_ = 0;
    std::size_t again_in_ = 0;
    static constexpr auto not_heard = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> heard_;        // while they are being connected
    std::optional<runtime::Posted> messages_; // of that
};

/// For an operation that is started, and may be left alone: a channel for each message.  It has room for two
/// of them, so that a message that was sent is there for the receiver, whatever the sender does then.
class StartedChannels final : public PrivateChannels {
public:
    /// `comes_by`: who starts the operation stays with it, so that large messages may go in parts.
    /// `any_size`: MPI is not faster with large ones.
    StartedChannels(NodeChannels& node, bool comes_by, bool any_size)
        : PrivateChannels(node),
          comes_by_(comes_by),
          any_size_(any_size)
    {}

    Sender* to(int rank, std::size_t bytes) override;
    Receiver* from(int rank) override
    {
        Receiver* const known = receiver_again();
        return known != nullptr ? known : add_receiver(rank);
    }
    bool take(std::size_t bytes, std::size_t mpi_messages) const override
    {
        return comes_by_ || ((any_size_ || node_.limits().are_small(bytes, mpi_messages)) &&
                             Sender::has_room_for_two(bytes, most()));
    }
    bool may_wait_for_receivers() const override { return comes_by_; }
    bool may_be_full() const override { return true; }

private:
    /// The most bytes of a ring.  Data that goes in parts should still be in a cache when it is read.
    std::uint64_t most() const { return std::uint64_t{comes_by_ ? 4U : 64U} << 20U; }

    void connect(Receiver& receiver, std::byte* arena, std::uint64_t told) override
    {
        receiver.connect(arena, told);
    }

    bool comes_by_;
    bool any_size_;
};

/// For an operation that all its processes run until it is over: a channel to each process and from each,
/// with rings that are made when messages take it.
class RunChannels final : public PrivateChannels {
public:
    explicit RunChannels(NodeChannels& node) : PrivateChannels(node) {}

    Sender* to(int rank, std::size_t bytes) override;
    Receiver* from(int rank) override;
    bool take(std::size_t, std::size_t) const override { return true; }
    bool may_wait_for_receivers() const override { return true; }

private:
    void connect(Receiver& receiver, std::byte* arena, std::uint64_t told) override;
};

/// Messages through the shared memory of a node, by these channels.  `private_comm`: the communicator's
/// private one, for messages that there is no memory for.
std::shared_ptr<transport::Transport> shared_memory(std::shared_ptr<ShmChannels> channels,
                                                    MPI_Comm private_comm);
/// Messages of non-blocking operations (announced_messages.cpp).  `by_mpi`: what moves those that are
/// announced.  The messages of one phase alone: they are looked for in the order of operations.
std::shared_ptr<transport::Transport> announced_messages(std::shared_ptr<NodeChannels> channels,
                                                         std::shared_ptr<transport::Transport> by_mpi,
                                                         MPI_Comm private_comm);

} // namespace ortho::nodequeue
