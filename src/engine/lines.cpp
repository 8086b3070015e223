// SPDX-License-Identifier: BSD-3-Clause
// The lines through shared memory that messages of a communicator take.

#include "engine/lines.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <set>

#include "base/environment.hpp"
#include "mpi/exchange.hpp"

namespace ortho::engine {

namespace {

using Post = std::atomic<std::uint64_t>;

/// As many processes on a node as posts are made for, before it is known how many there are.
constexpr int most_on_a_node = 1024;

/// The post for the process with this index, of posts that begin there.
Post& post_at(std::byte* begin, int index)
{
    return *std::launder(reinterpret_cast<Post*>(begin + static_cast<std::size_t>(index) * sizeof(Post)));
}

/// What each process tells all.
struct Card {
    shared::Address address;
    std::uint64_t posts; ///< offset; 0 if it has no memory, or rank 0 wants none
};

std::vector<Card> exchange_cards(MPI_Comm channel, const Card& mine)
{
    std::vector<Card> cards(static_cast<std::size_t>(mpi::size_of(channel)));
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, cards.data(), sizeof mine, MPI_BYTE, channel, &request));
    mpi::wait(request);
    return cards;
}

} // namespace

std::unique_ptr<NodeLines> NodeLines::agree(MPI_Comm channel, const grid::Nodes* nodes)
{
    const int processes = mpi::size_of(channel);
    if (processes == 1) return nullptr;
    const int rank = mpi::rank_of(channel);
    Card mine{};
    const bool wanted = base::environment("ORTHO_SHM") != "0";
    shared::Arena* const arena = wanted ? shared::Arena::mine() : nullptr;
    std::byte* posts = nullptr;
    const auto number = static_cast<std::size_t>(std::min(processes, most_on_a_node));
    if (arena != nullptr && (posts = arena->allocate(number * sizeof(Post))) != nullptr) {
        for (std::size_t i = 0; i < number; ++i) new (posts + i * sizeof(Post)) Post(0);
        mine = {arena->address(), arena->offset_of(posts)};
    }
    const std::vector<Card> cards = exchange_cards(channel, mine);

    // Where rank 0 has no memory to share nobody has: all know that from its card.
    std::unique_ptr<NodeLines> lines;
    int on_fullest = 0; // of processes on a node
    int failed = posts == nullptr ? 1 : 0;
    if (posts != nullptr && cards[0].posts != 0) {
        lines.reset(new NodeLines(*arena));
        lines->posts_ = posts;
        int here = 0;
        for (int r = 0; r < processes; ++r) {
            const Card& card = cards[static_cast<std::size_t>(r)];
            if (card.address.node != mine.address.node) continue;
            if (nodes != nullptr && nodes->of(r) != nodes->of(rank)) continue;
            const int index = here++;
            if (r == rank) {
                lines->index_ = index;
                continue;
            }
            std::byte* const begin = shared::Arena::see(card.address);
            if (begin == nullptr) failed = 1;
            lines->peers_.emplace(r, Peer{index, begin, card.posts});
        }
        if (here > most_on_a_node) failed = 1;
        on_fullest = here;
        lines->all_here_ = here == processes;
    } else if (posts != nullptr) {
        arena->release(posts);
    }
    if (cards[0].posts == 0) return nullptr;
    int extremes[] = {failed, on_fullest};
    mpi::maximize(channel, extremes);
    if (extremes[0] != 0 || extremes[1] < 2) return nullptr;
    return lines;
}

NodeLines::~NodeLines()
{
    // A receiver may not have looked at its post yet: that stays until all that was sent has been read.
    std::vector<shared::RingWriter> rings;
    for (const auto& [rank, peer] : peers_)
        if (peer.sender && peer.sender->there()) rings.push_back(peer.sender->ring());
    arena_.release_later(posts_, [rings = std::move(rings)] {
        return std::ranges::all_of(rings, [](const shared::RingWriter& ring) { return ring.is_drained(); });
    });
}

shared::Sender* NodeLines::to(int rank, std::size_t)
{
    Peer& peer = peers_.at(rank);
    if (!peer.sender)
        peer.sender = std::make_unique<shared::Sender>(arena_, post_at(posts_, peer.index));
    return peer.sender.get();
}

shared::Receiver* NodeLines::from(int rank)
{
    Peer& peer = peers_.at(rank);
    if (!peer.receiver)
        peer.receiver = std::make_unique<shared::Receiver>(peer.arena, post_at(peer.arena + peer.posts, index_));
    return peer.receiver.get();
}

shared::Sender* PrivateLines::to(int rank, std::size_t bytes)
{
    out_.push_back({rank, std::make_unique<shared::Sender>(node_.arena(), bytes, most)});
    shared::Sender& sender = *out_.back().sender;
    if (!sender.there() || (sender.in_parts() && !comes_by_)) failed_ = true;
    return &sender;
}

shared::Receiver* PrivateLines::from(int rank)
{
    in_.push_back({rank, std::make_unique<shared::Receiver>()});
    return in_.back().receiver.get();
}

bool PrivateLines::connect(std::uint32_t number)
{
    bool all = true;
    // One after the other where several go to, or come from, one process.
    std::set<int> busy;
    for (Out& out : out_) {
        if (out.told || busy.contains(out.rank)) continue;
        shared::Sender& line = *node_.to(out.rank, 0);
        std::byte* const row = line.reserve(number, sizeof(std::uint64_t));
        if (row == nullptr) {
            busy.insert(out.rank);
            all = false;
            continue;
        }
        const std::uint64_t offset = out.sender->offset();
        std::memcpy(row, &offset, sizeof offset);
        line.ring().commit();
        out.told = true;
    }
    busy.clear();
    for (In& in : in_) {
        if (in.connected || busy.contains(in.rank)) continue;
        shared::Receiver& line = *node_.from(in.rank);
        if (!line.open(number)) {
            busy.insert(in.rank);
            all = false;
            continue;
        }
        std::uint64_t offset = 0;
        std::memcpy(&offset, line.ring().whole(), sizeof offset);
        line.ring().close();
        in.receiver->connect(node_.arena_of(in.rank), offset);
        in.connected = true;
    }
    return all;
}

} // namespace ortho::engine
