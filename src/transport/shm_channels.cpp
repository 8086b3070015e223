// SPDX-License-Identifier: BSD-3-Clause
// The channels through shared memory that messages of a communicator take.

#include "transport/shm_channels.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/environment.hpp"
#include "mpi/internal_collectives.hpp"
#include "shm/peer_memory.hpp"

namespace ortho::transport {

namespace {

using shared::Address;
using shared::Mailbox;

/// As many processes on a node as mailboxes are made for, before it is known how many there are.
constexpr int most_on_a_node = 1024;

/// For each process of a node.
enum class Use : std::size_t { blocking, nonblocking };
constexpr std::size_t uses = 2;

/// The mailbox for the process with this index, of mailboxes that begin there.
Mailbox& mailbox_at(std::byte* begin, int index, Use use)
{
    const std::size_t i = uses * static_cast<std::size_t>(index) + static_cast<std::size_t>(use);
    return *std::launder(reinterpret_cast<Mailbox*>(begin + i * sizeof(Mailbox)));
}

/// What each process tells all.
struct Card {
    shared::Address address;
    std::uint64_t mailboxes; ///< offset; 0 if it has no memory, or rank 0 wants none
    std::uint64_t probe;     ///< address of a word that nobody shares, whose value is the arena's cookie
};

std::vector<Card> exchange_cards(MPI_Comm private_comm, const Card& mine)
{
    std::vector<Card> cards(static_cast<std::size_t>(mpi::size_of(private_comm)));
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, cards.data(), sizeof mine, MPI_BYTE,
                               private_comm, &request));
    mpi::wait(request);
    return cards;
}

} // namespace

std::shared_ptr<NodeChannels> NodeChannels::agree(MPI_Comm private_comm, const grid::Nodes* nodes)
{
    const int processes = mpi::size_of(private_comm);
    if (processes == 1) return nullptr;
    const int rank = mpi::rank_of(private_comm);
    Card mine{};
    const bool wanted = base::environment_flag("ORTHO_SHM").value_or(true);
    shared::Arena* const arena = wanted ? shared::Arena::mine() : nullptr;
    std::byte* mailboxes = nullptr;
    const std::size_t number = uses * static_cast<std::size_t>(std::min(processes, most_on_a_node));
    if (arena != nullptr && (mailboxes = arena->allocate(number * sizeof(Mailbox))) != nullptr) {
        for (std::size_t i = 0; i < number; ++i) new (mailboxes + i * sizeof(Mailbox)) Mailbox();
        static const std::uint64_t probe = arena->address().cookie;
        mine = {arena->address(), arena->offset_of(mailboxes), reinterpret_cast<std::uintptr_t>(&probe)};
    }
    const std::vector<Card> cards = exchange_cards(private_comm, mine);

    // Where rank 0 has no memory to share nobody has: all know that from its card.
    std::shared_ptr<NodeChannels> channels;
    int on_fullest = 0; // of processes on a node
    int failed = mailboxes == nullptr ? 1 : 0;
    int refused = base::environment_flag("ORTHO_SINGLE_COPY").value_or(true) ? 0 : 1;
    if (mailboxes != nullptr && cards[0].mailboxes != 0) {
        channels.reset(new NodeChannels(*arena));
        channels->mailboxes_ = mailboxes;
        int here = 0;
        for (int r = 0; r < processes; ++r) {
            const Card& card = cards[static_cast<std::size_t>(r)];
            if (card.address.node != mine.address.node) continue;
            if (nodes != nullptr && nodes->of(r) != nodes->of(rank)) continue;
            const int index = here++;
            if (r == rank) {
                channels->index_ = index;
                continue;
            }
            std::shared_ptr<std::byte> begin = shared::Arena::see(card.address);
            if (begin == nullptr) failed = 1;
            const Address& address = card.address;
            if (refused == 0 && !shared::may_read(address.process, card.probe, address.cookie)) refused = 1;
            channels->peers_.emplace(r, Peer{index, address.process, std::move(begin), card.mailboxes});
        }
        if (here > most_on_a_node) failed = 1;
        on_fullest = here;
        channels->all_here_ = here == processes;
    } else if (mailboxes != nullptr) {
        arena->release(mailboxes);
    }
    if (cards[0].mailboxes == 0) return nullptr;
    int extremes[] = {failed, on_fullest, refused};
    mpi::maximize(private_comm, extremes);
    if (extremes[0] != 0 || extremes[1] < 2) return nullptr;
    channels->may_read_peers_ = extremes[2] == 0;
    return channels;
}

NodeChannels::~NodeChannels()
{
    // A receiver may not have looked at its mailbox yet: that stays until all that was sent has been read.
    const bool told_of_none = std::ranges::any_of(peers_, [](const auto& entry) {
        const Peer& peer = entry.second;
        return (peer.sender && peer.sender->has_told_of_none()) ||
               (peer.unbounded_sender && peer.unbounded_sender->has_told_of_none());
    });
    if (told_of_none) return; // and that stays for good
    std::vector<std::byte*> blocks{mailboxes_};
    std::vector<shared::RingWriter> rings;
    const auto take = [&](auto& sender) {
        if (!sender) return;
        shared::RingWriter ring = sender->take_ring();
        if (!ring) return;
        blocks.push_back(reinterpret_cast<std::byte*>(ring.memory()));
        rings.push_back(ring);
    };
    for (const auto& [rank, peer] : peers_) {
        take(peer.sender);
        take(peer.unbounded_sender);
    }
    arena_.release_later(std::move(blocks), [rings = std::move(rings)] {
        return std::ranges::all_of(rings, [](const shared::RingWriter& ring) { return ring.is_drained(); });
    });
}

shared::Sender* NodeChannels::to(int rank, std::size_t)
{
    Peer& peer = peers_.at(rank);
    if (!peer.sender)
        peer.sender = std::make_unique<shared::Sender>(
            arena_, mailbox_at(mailboxes_, peer.index, Use::blocking), false);
    return peer.sender.get();
}

shared::Receiver* NodeChannels::from(int rank)
{
    Peer& peer = peers_.at(rank);
    if (!peer.receiver)
        peer.receiver = std::make_unique<shared::Receiver>(
            peer.arena.get(), mailbox_at(peer.arena.get() + peer.mailboxes, index_, Use::blocking));
    return peer.receiver.get();
}

shared::UnboundedSender* NodeChannels::unbounded_to(int rank)
{
    Peer& peer = peers_.at(rank);
    if (!peer.unbounded_sender)
        peer.unbounded_sender = std::make_unique<shared::UnboundedSender>(
            arena_, mailbox_at(mailboxes_, peer.index, Use::nonblocking));
    return peer.unbounded_sender.get();
}

Inbox* NodeChannels::unbounded_from(int rank)
{
    Peer& peer = peers_.at(rank);
    std::byte* const begin = peer.arena.get();
    if (!peer.inbox)
        peer.inbox = std::make_unique<Inbox>(
            Inbox{{begin, mailbox_at(begin + peer.mailboxes, index_, Use::nonblocking)}});
    return peer.inbox.get();
}

shared::Sender* PrivateChannels::add_sender(int rank, std::unique_ptr<shared::Sender> sender,
                                            std::uint64_t told)
{
    out_.push_back({rank, std::move(sender), told});
    again_out_ = out_.size();
    return out_.back().sender.get();
}

shared::Receiver* PrivateChannels::add_receiver(int rank)
{
    in_.push_back({rank, std::make_unique<shared::Receiver>()});
    again_in_ = in_.size();
    return in_.back().receiver.get();
}

void PrivateChannels::connect(MPI_Comm private_comm, int tag)
{
    std::vector<std::uint64_t> heard(in_.size());
    std::vector<MPI_Request> requests;
    const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
    requests.reserve(in_.size() + out_.size());
    // Messages between two processes come in the order of the schedule.
    for (std::size_t i = 0; i < in_.size(); ++i)
        mpi::check(PMPI_Irecv(&heard[i], 1, MPI_UINT64_T, in_[i].rank, tag, private_comm, next()));
    for (const Out& out : out_)
        mpi::check(PMPI_Isend(&out.told, 1, MPI_UINT64_T, out.rank, tag, private_comm, next()));
    for (MPI_Request request : requests) mpi::wait(request);
    for (std::size_t i = 0; i < in_.size(); ++i)
        if (heard[i] != 0) connect(*in_[i].receiver, node_.arena_of(in_[i].rank), heard[i]);
}

shared::Sender* StartedChannels::to(int rank, std::size_t bytes)
{
    if (shared::Sender* const known = sender_again()) return known;
    shared::Arena& arena = node_.arena();
    auto sender = std::make_unique<shared::Sender>(arena, bytes, most());
    if (sender->there()) {
        const std::uint64_t offset = sender->offset();
        return add_sender(rank, std::move(sender), offset);
    }
    return add_sender(rank, std::make_unique<shared::Sender>(arena), 0);
}

shared::Sender* RunChannels::to(int rank, std::size_t)
{
    const auto found = std::ranges::find(out_, rank, &Out::rank);
    if (found != out_.end()) return found->sender.get();
    shared::Arena& arena = node_.arena();
    std::byte* const place = arena.allocate(sizeof(Mailbox));
    if (place == nullptr) return add_sender(rank, std::make_unique<shared::Sender>(arena), 0);
    Mailbox& mailbox = *new (place) Mailbox();
    return add_sender(rank, std::make_unique<shared::Sender>(arena, mailbox, true), arena.offset_of(place));
}

shared::Receiver* RunChannels::from(int rank)
{
    const auto found = std::ranges::find(in_, rank, &In::rank);
    return found != in_.end() ? found->receiver.get() : add_receiver(rank);
}

void RunChannels::connect(shared::Receiver& receiver, std::byte* arena, std::uint64_t told)
{
    receiver.watch(arena, *std::launder(reinterpret_cast<Mailbox*>(arena + told)));
}

} // namespace ortho::transport
