// SPDX-License-Identifier: BSD-3-Clause
// The channels through shared memory that messages of a communicator take.

#include "nodequeue/shm_channels.hpp"

#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/cores.hpp"
#include "base/environment.hpp"
#include "base/peer_memory.hpp"
#include "mpi/mutex.hpp"

namespace ortho::nodequeue {

namespace {

struct KnownPeer {
    std::shared_ptr<std::byte> arena;
    bool read; ///< may be, and so may we
};

struct KnownPeers {
    mpi::Mutex mutex;
    std::map<int, KnownPeer> peers; ///< by rank in MPI_COMM_WORLD
};

KnownPeers& known()
{
    static auto* const all = new KnownPeers; // graphs may outlive what is destroyed at exit
    return *all;
}

/// Have this process and each of these, by rank in MPI_COMM_WORLD, found before that they see each other's
/// arenas, and, if they are to be `read`, that they may read each other's memory?
bool are_known_peers(std::span<const int> world_ranks, bool read)
{
    const std::lock_guard lock(known().mutex);
    return std::ranges::all_of(world_ranks, [read](int rank) {
        const auto found = known().peers.find(rank);
        return found != known().peers.end() && (found->second.read || !read);
    });
}

/// They have.  The arena is kept mapped, so that it is seen again whatever memory is left then.  Does nothing
/// if there is no memory for that.
void keep_known_peer(int world_rank, bool read, const std::shared_ptr<std::byte>& arena) noexcept
try {
    const std::lock_guard lock(known().mutex);
    KnownPeer& peer = known().peers.try_emplace(world_rank, arena, false).first->second;
    peer.read = peer.read || read;
} catch (const std::exception&) {
    // Others have their communicator by now: next time all will look again.
}

/// As many processes on a node as mailboxes are made for, before it is known how many there are.
constexpr std::size_t most_on_a_node = 1024;

/// A process has one mailbox of each use for each process of its node.
enum class Use : std::size_t { blocking, nonblocking };
constexpr std::size_t uses = 2;

/// The mailbox for the process with this index, of mailboxes that begin there.
Mailbox& mailbox_at(std::byte* begin, int index, Use use)
{
    const std::size_t i = uses * static_cast<std::size_t>(index) + static_cast<std::size_t>(use);
    return *std::launder(reinterpret_cast<Mailbox*>(begin + i * sizeof(Mailbox)));
}

} // namespace

/// The card that each process sends to the others of its node.
struct Card {
    int rank;
    Address address;
    std::uint64_t mailboxes; ///< offset; 0 if it has no memory, or wants none
    std::uint64_t probe;     ///< address of a word that nobody shares, whose value is the arena's cookie
    std::uint64_t single_copy_from; ///< as far as it knows, and as the user wants
    std::uint64_t trial;            ///< offset of TrialMemory; 0 if there is no need
    std::uint64_t trial_at;         ///< its address
    bool knows_all;                 ///< its peers are all known to it (are_known_peers())
};

/// Memory of the arena for the time of a call; none if there is none to be had.
class ArenaBlock {
public:
    ArenaBlock(Arena& arena, std::size_t bytes) : arena_(arena), block_(arena.allocate(bytes)) {}
    ArenaBlock(const ArenaBlock&) = delete;
    ArenaBlock& operator=(const ArenaBlock&) = delete;
    ~ArenaBlock()
    {
        if (block_ != nullptr) arena_.release(block_);
    }

    std::byte* get() const { return block_; }

private:
    Arena& arena_;
    std::byte* block_;
};

/// Others of this process's node.
struct NodePeers {
    std::vector<int> ranks;
    std::vector<int> world_ranks; ///< in MPI_COMM_WORLD
    bool are_in_world = false;    ///< all of them
};

namespace {

/// `nodes`: null for one.
NodePeers node_peers_of(MPI_Comm comm, const grid::Nodes* nodes)
{
    const int me = mpi::rank_of(comm);
    NodePeers peers;
    if (nodes != nullptr) {
        const auto members = nodes->members(nodes->of(me));
        peers.ranks.assign(members.begin(), members.end());
    } else {
        peers.ranks.resize(static_cast<std::size_t>(mpi::size_of(comm)));
        std::iota(peers.ranks.begin(), peers.ranks.end(), 0);
    }
    std::erase(peers.ranks, me);
    if (!mpi::has_world()) return peers;
    const mpi::Group group(comm);
    peers.world_ranks = mpi::translate(peers.ranks, group.get(), mpi::Group(MPI_COMM_WORLD).get());
    peers.are_in_world = std::ranges::find(peers.world_ranks, MPI_UNDEFINED) == peers.world_ranks.end();
    return peers;
}

/// The user's settings for shared memory.
struct Wishes {
    bool shared_memory = true;
    std::optional<bool> single_copy{};
};

Wishes read_wishes()
{
    if (!base::any_variable_of_ours()) return {};
    return {base::environment_flag("ORTHO_SHM").value_or(true), base::environment_flag("ORTHO_SINGLE_COPY")};
}

} // namespace

/// The memory that a process offers to its peers.
struct Offer {
    Offer(const NodePeers& peers, int rank, const Wishes& wishes);
    /// Nobody takes it.
    void withdraw() const
    {
        if (mailboxes != nullptr) arena->release(mailboxes);
    }

    Arena* arena;
    bool user_decides;              ///< whether peers' memory is read
    std::byte* mailboxes = nullptr; ///< the channels' from when there are any
    std::unique_ptr<ArenaBlock> trial;
    Card card{};
};

Offer::Offer(const NodePeers& peers, int rank, const Wishes& wishes)
    : arena(wishes.shared_memory ? Arena::mine() : nullptr),
      user_decides(wishes.single_copy.has_value())
{
    card.rank = rank;
    const std::optional<bool> by_user = wishes.single_copy;
    card.single_copy_from = !by_user ? single_copy_from() : *by_user ? always : never;
    const bool may_be_read = card.single_copy_from != never;
    card.knows_all = peers.are_in_world && are_known_peers(peers.world_ranks, may_be_read);
    if (arena == nullptr) return;
    const std::size_t number = uses * std::min(peers.ranks.size() + 1, most_on_a_node);
    mailboxes = arena->allocate(number * sizeof(Mailbox));
    if (mailboxes == nullptr) return;
    for (std::size_t i = 0; i < number; ++i) new (mailboxes + i * sizeof(Mailbox)) Mailbox();
    static const std::uint64_t probe = arena->address().cookie;
    card.address = arena->address();
    card.mailboxes = arena->offset_of(mailboxes);
    card.probe = reinterpret_cast<std::uintptr_t>(&probe);
    if (by_user || !may_be_read || card.knows_all) return;
    if (base::processes_a_core() > 1) {
        card.single_copy_from = std::max(card.single_copy_from, where_cores_are_shared);
        return;
    }
    trial = std::make_unique<ArenaBlock>(*arena, sizeof(TrialMemory));
    if (trial->get() == nullptr) {
        card.single_copy_from = std::max(card.single_copy_from, where_caches_end);
        return;
    }
    new (trial->get()) TrialMemory();
    card.trial = arena->offset_of(trial->get());
    card.trial_at = reinterpret_cast<std::uintptr_t>(trial->get());
}

namespace {

/// Every peer's memory?
bool can_read(std::span<const Card> cards, const Card& mine)
{
    return std::ranges::all_of(cards, [&](const Card& card) {
        return card.address.node != mine.address.node ||
               base::may_read(card.address.process, card.probe, card.address.cookie);
    });
}

/// Summary of the cards of all processes of a node, and of all nodes once the ballot is held.
struct Summary {
    agree::Ballot& ballot;
    agree::AllTrue have_memory{ballot};
    agree::AllTrue know_all{ballot};
    agree::Largest single_copy_from{ballot};
    agree::Largest most{ballot}; ///< processes that see each other's memory
    std::map<std::uint64_t, int> sizes{};

    void add(const Card& card)
    {
        have_memory.say(card.mailboxes != 0);
        know_all.say(card.knows_all);
        single_copy_from.say(static_cast<long long>(card.single_copy_from));
        most.say(++sizes[card.address.node]);
    }
};

} // namespace

class NodeOffer {
public:
    /// Nobody but peers is spoken to: MPI_Iallgather may have each process send to each, and a connection
    /// slows an MPI down as long as it is there (Open MPI's TCP polls each of them).
    NodeOffer(MPI_Comm comm, int tag, const grid::Nodes* nodes)
        : peers(node_peers_of(comm, nodes)),
          mine(peers, mpi::rank_of(comm), read_wishes()),
          cards_(peers.ranks.size()),
          messages_(comm, tag)
    {
        for (std::size_t i = 0; i < cards_.size(); ++i)
            messages_.receive(peers.ranks[i], std::as_writable_bytes(std::span(&cards_[i], 1)));
        for (const int peer : peers.ranks) messages_.send(peer, std::as_bytes(std::span(&mine.card, 1)));
    }

    /// The peers' cards, in their order, once all are here.
    const std::vector<Card>& cards()
    {
        messages_.wait();
        return cards_;
    }

    const NodePeers peers;
    const Offer mine;

private:
    std::vector<Card> cards_;
    runtime::Posted messages_;
};

std::shared_ptr<NodeOffer> NodeChannels::offer(MPI_Comm comm, int tag, const grid::Nodes* nodes)
{
    return mpi::size_of(comm) == 1 ? nullptr : std::make_shared<NodeOffer>(comm, tag, nodes);
}

std::shared_ptr<NodeChannels> NodeChannels::agree(const mpi::SetUpComms& comms, const grid::Nodes* nodes,
                                                  std::shared_ptr<NodeOffer> offered)
{
    if (!offered) offered = NodeChannels::offer(comms.messages, comms.tag, nodes);
    if (!offered) return nullptr;
    const int size = mpi::size_of(comms.messages);
    const NodePeers& peers = offered->peers;
    const Offer& offer = offered->mine;
    const std::vector<Card>& cards = offered->cards();
    agree::Ballot ballot;
    Summary all{ballot};
    all.add(offer.card);
    for (const Card& card : cards) all.add(card);
    if (nodes != nullptr) agree::hold(comms.collectives, ballot);
    const int most = all.most.value<int>();
    if (!all.have_memory.holds() || most < 2 || most > static_cast<int>(most_on_a_node)) {
        offer.withdraw();
        return nullptr;
    }
    std::shared_ptr<NodeChannels> channels(new NodeChannels(*offer.arena));
    channels->mailboxes_ = offer.mailboxes;
    channels->all_here_ = most == size;
    channels->tries_ = !offer.user_decides;
    const auto single_copy_from = all.single_copy_from.value<SingleCopyFrom>();
    channels->single_copy_from_ = single_copy_from;
    const bool sees_all = channels->see(cards, offer.card);
    if (all.know_all.holds()) return channels;

    if (channels->may_read_peers() && !can_read(cards, offer.card)) channels->single_copy_from_ = never;
    if (sees_all && channels->may_read_peers())
        channels->try_single_copy_with_next(cards, offer.card, offer.trial.get());
    agree::Ballot second;
    const agree::AllTrue all_see_all(second, sees_all);
    const agree::Largest found(second, static_cast<long long>(channels->single_copy_from_));
    agree::hold(comms.collectives, second);
    if (!all_see_all.holds()) return nullptr;
    channels->single_copy_from_ = found.value<SingleCopyFrom>();
    // Where users want no single copies, nothing was found out that is worth keeping.
    if (single_copy_from != never) keep_single_copy_from(channels->single_copy_from_);
    if (peers.are_in_world && channels->peers_.size() == peers.ranks.size())
        for (std::size_t i = 0; i < peers.ranks.size(); ++i)
            // Nothing is found out about a process that does not want to be read.
            keep_known_peer(peers.world_ranks[i],
                            channels->may_read_peers() || cards[i].single_copy_from == never,
                            channels->peer_at(peers.ranks[i]).arena);
    return channels;
}

/// Looks up the processes on this process's node, and where their memory begins here; is all of it seen?
/// `theirs` ascend by rank.
bool NodeChannels::see(std::span<const Card> theirs, const Card& mine)
{
    bool sees_all = true;
    int before = 0;
    peers_.reserve(theirs.size());
    for (const Card& card : theirs) {
        if (card.address.node != mine.address.node) continue;
        std::shared_ptr<std::byte> begin = Arena::see(card.address);
        sees_all = sees_all && begin != nullptr;
        const bool is_before_us = card.rank < mine.rank;
        peers_.push_back({card.rank, before + (is_before_us ? 0 : 1), card.address.process, std::move(begin),
                          card.mailboxes});
        ++before;
        if (is_before_us) index_ = before;
    }
    return sees_all;
}

/// The next peer tells of all.  Without memory to try it with, nothing does.
void NodeChannels::try_single_copy_with_next(std::span<const Card> theirs, const Card& mine,
                                             const ArenaBlock* trial)
{
    if (mine.trial == 0) return;
    const auto may_be_tried = [&](const Card& card) { return card.trial != 0 && lead_to(card.rank); };
    const auto is_next = [&](const Card& card) { return card.rank > mine.rank && may_be_tried(card); };
    auto next = std::ranges::find_if(theirs, is_next);
    if (next == theirs.end()) next = std::ranges::find_if(theirs, may_be_tried);
    if (next == theirs.end()) return;
    const Peer& peer = peer_at(next->rank);
    auto* const memory = reinterpret_cast<TrialMemory*>(peer.arena.get() + next->trial);
    const SingleCopyFrom tried = try_single_copy({peer.process, std::launder(memory), next->trial_at},
                                                 *std::launder(reinterpret_cast<TrialMemory*>(trial->get())));
    single_copy_from_ = std::max(single_copy_from_, tried);
}

NodeChannels::~NodeChannels()
{
    // A receiver may not have looked at its mailbox yet: that stays until all that was sent has been read.
    const bool told_of_none = std::ranges::any_of(peers_, [](const Peer& peer) {
        return (peer.sender && peer.sender->has_told_of_none()) ||
               (peer.unbounded_sender && peer.unbounded_sender->has_told_of_none());
    });
    if (told_of_none) return; // and that stays for good
    std::vector<std::byte*> blocks{mailboxes_};
    std::vector<RingWriter> rings;
    const auto take = [&](auto& sender) {
        if (!sender) return;
        RingWriter ring = sender->take_ring();
        if (!ring) return;
        blocks.push_back(reinterpret_cast<std::byte*>(ring.memory()));
        rings.push_back(ring);
    };
    for (const Peer& peer : peers_) {
        take(peer.sender);
        take(peer.unbounded_sender);
    }
    arena_.release_later(std::move(blocks), [rings = std::move(rings)] {
        return std::ranges::all_of(rings, [](const RingWriter& ring) { return ring.is_drained(); });
    });
}

Sender* NodeChannels::to(int rank, std::size_t)
{
    Peer& peer = peer_at(rank);
    if (peer.sender) return peer.sender.get();
    peer.sender = std::make_unique<Sender>(arena_, mailbox_at(mailboxes_, peer.index, Use::blocking), false);
    const auto sends = [](const Peer& any) { return any.sender != nullptr; };
    const auto senders = static_cast<std::size_t>(std::ranges::count_if(peers_, sends));
    for (const Peer& any : peers_)
        if (any.sender) any.sender->be_one_of(senders);
    return peer.sender.get();
}

Receiver* NodeChannels::from(int rank)
{
    Peer& peer = peer_at(rank);
    if (!peer.receiver)
        peer.receiver = std::make_unique<Receiver>(
            peer.arena.get(), mailbox_at(peer.arena.get() + peer.mailboxes, index_, Use::blocking));
    return peer.receiver.get();
}

UnboundedSender* NodeChannels::unbounded_to(int rank)
{
    Peer& peer = peer_at(rank);
    if (!peer.unbounded_sender)
        peer.unbounded_sender = std::make_unique<UnboundedSender>(
            arena_, mailbox_at(mailboxes_, peer.index, Use::nonblocking));
    return peer.unbounded_sender.get();
}

Inbox* NodeChannels::unbounded_from(int rank)
{
    Peer& peer = peer_at(rank);
    std::byte* const begin = peer.arena.get();
    if (!peer.inbox)
        peer.inbox = std::make_unique<Inbox>(
            Inbox{.channel = {begin, mailbox_at(begin + peer.mailboxes, index_, Use::nonblocking)}});
    return peer.inbox.get();
}

Sender* PrivateChannels::add_sender(int rank, std::unique_ptr<Sender> sender, std::uint64_t told)
{
    out_.push_back({rank, std::move(sender), told});
    again_out_ = out_.size();
    return out_.back().sender.get();
}

Receiver* PrivateChannels::add_receiver(int rank)
{
    in_.push_back({rank, std::make_unique<Receiver>()});
    again_in_ = in_.size();
    return in_.back().receiver.get();
}

void PrivateChannels::begin_to_connect(MPI_Comm private_comm, int tag)
{
    heard_.assign(in_.size(), not_heard);
    messages_.emplace(private_comm, tag);
    // Messages between two processes come in the order of the schedule.
    for (std::size_t i = 0; i < in_.size(); ++i)
        messages_->receive(in_[i].rank, std::as_writable_bytes(std::span(&heard_[i], 1)));
    for (const Out& out : out_) messages_->send(out.rank, std::as_bytes(std::span(&out.told, 1)));
    for (const Out& out : out_) out.sender->be_one_of(out_.size());
}

bool PrivateChannels::are_connected()
{
    if (!messages_) return true;
    if (!messages_->are_through()) return false;
    for (std::size_t i = 0; i < in_.size(); ++i)
        if (heard_[i] != 0) connect(*in_[i].receiver, node_.arena_of(in_[i].rank), heard_[i]);
    messages_.reset();
    return true;
}

std::vector<int> PrivateChannels::unheard() const
{
    std::vector<int> ranks;
    for (std::size_t i = 0; i < heard_.size(); ++i)
        if (heard_[i] == not_heard) ranks.push_back(in_[i].rank);
    return ranks;
}

Sender* StartedChannels::to(int rank, std::size_t bytes)
{
    if (Sender* const known = sender_again()) return known;
    Arena& arena = node_.arena();
    auto sender = std::make_unique<Sender>(arena, bytes, most());
    if (sender->there()) {
        const std::uint64_t offset = sender->offset();
        return add_sender(rank, std::move(sender), offset);
    }
    return add_sender(rank, std::make_unique<Sender>(arena), 0);
}

Sender* RunChannels::to(int rank, std::size_t)
{
    const auto found = std::ranges::find(out_, rank, &Out::rank);
    if (found != out_.end()) return found->sender.get();
    Arena& arena = node_.arena();
    std::byte* const place = arena.allocate(sizeof(Mailbox));
    if (place == nullptr) return add_sender(rank, std::make_unique<Sender>(arena), 0);
    Mailbox& mailbox = *new (place) Mailbox();
    return add_sender(rank, std::make_unique<Sender>(arena, mailbox, true), arena.offset_of(place));
}

Receiver* RunChannels::from(int rank)
{
    const auto found = std::ranges::find(in_, rank, &In::rank);
    return found != in_.end() ? found->receiver.get() : add_receiver(rank);
}

void RunChannels::connect(Receiver& receiver, std::byte* arena, std::uint64_t told)
{
    receiver.watch(arena, *std::launder(reinterpret_cast<Mailbox*>(arena + told)));
}

} // namespace ortho::nodequeue
