// SPDX-License-Identifier: BSD-3-Clause
// A process's description of its call for its neighbors, where calls are verified.

#include "verify/call_signature.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "grid/local_graph.hpp"
#include "mpi/datatype.hpp"
#include "mpi/operator.hpp"

namespace ortho::verify {

using base::Error;
using base::ErrorKind;
using base::text;

namespace {

struct Taken {
    MPI_Aint begin;
    MPI_Aint end;
    int slot;
};

/// Throws base::Error (buffer) if two of the blocks overlap.  Only of blocks without holes is this known.
void require_apart(const call::BufferBlocks& blocks)
{
    std::vector<Taken> all;
    for (int slot = 0; slot < blocks.slots(); ++slot) {
        if (blocks.is_gap(slot) || blocks.count(slot) <= 0) continue;
        const mpi::Measures measures = mpi::measure(blocks.type(slot));
        const bool is_dense = measures.size == measures.extent && measures.size == measures.true_extent &&
                              measures.true_lb == 0;
        if (measures.size == 0 || !is_dense) continue;
        const MPI_Aint begin = blocks.byte_displacement(slot);
        all.push_back({begin, begin + measures.extent * blocks.count(slot), slot});
    }
    std::ranges::sort(all, {}, &Taken::begin);
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto [first, second] = std::minmax(all[i - 1].slot, all[i].slot);
        base::require(all[i].begin >= all[i - 1].end, base::ErrorKind::buffer, "recvbuf", "slots ", first,
                      " and ", second, " of recvbuf overlap");
    }
}

template <std::size_t N>
void write(std::array<char, N>& room, std::string_view words)
{
    words.copy(room.data(), N - 1);
}

/// This process's end of an edge.  Its block is that of the slot, or the only block.
End end_of(const call::BufferBlocks& blocks, int slot, bool has_block, const char* what)
{
    End end{.slot = slot, .has_block = has_block && blocks.slots() > 0 ? 1 : 0};
    if (end.has_block == 0) return end;
    const int block = blocks.slots() == 1 ? 0 : slot;
    MPI_Datatype const type = blocks.type(block);
    if (blocks.count(block) > 0 && !mpi::is_named(type)) mpi::require_committed(type, what);
    end.signature = mpi::signature_of(blocks.count(block), type);
    return end;
}

/// The ends of the edges of a list that lead to a partner, or come from it.
std::vector<End> between(const std::vector<int>& partners, int partner, const std::vector<End>& ends)
{
    std::vector<End> result;
    for (std::size_t i = 0; i < partners.size(); ++i)
        if (partners[i] == partner) result.push_back(ends[i]);
    return result;
}

/// A process and its message.
struct Party {
    int rank;
    const Telling& telling;
};

std::string where(const std::string& title, int rank) { return text("on ", title, " rank ", rank); }

/// Compares the edges from one process to another one.
std::optional<Error> compare_edges(const std::string& title, const Party& source, const Party& target)
{
    const std::vector<End>& out = source.telling.out;
    const std::vector<End>& in = target.telling.in;
    for (std::size_t i = 0; i < std::min(out.size(), in.size()); ++i) {
        if (out[i].has_block == 0 && in[i].has_block == 0) continue;
        if (mpi::fit(out[i].signature, in[i].signature)) continue;
        const bool is_count = out[i].signature.bytes != in[i].signature.bytes;
        return Error(ErrorKind::mismatch, is_count ? "count" : "datatype",
                     text(where(title, source.rank), " sends ", mpi::text_of(out[i].signature), " in slot ",
                          out[i].slot, " to rank ", target.rank, ", which expects ",
                          mpi::text_of(in[i].signature), " in slot ", in[i].slot));
    }
    return std::nullopt;
}

} // namespace

std::optional<Error> compare(const std::string& title, int rank, const Heading& mine, int other,
                             const Heading& theirs)
{
    const auto error = [&](const char* argument, const auto&... words) {
        return Error(ErrorKind::mismatch, argument, text(where(title, rank), words...));
    };
    if (mine.function != theirs.function)
        return error("call", " is in ", mine.function.data(), ", and rank ", other, " in ",
                     theirs.function.data());
    if (mine.is_refused() || theirs.is_refused()) {
        const bool is_mine = mine.is_refused();
        const Heading& refused = is_mine ? mine : theirs;
        if (refused.is_nonblocking == 0) return std::nullopt; // all will agree on the refusal
        return Error(static_cast<ErrorKind>(refused.refusal_kind), refused.refused_argument.data(),
                     text(where(title, is_mine ? rank : other), ' ', refused.refusal.data()));
    }
    if (mine.root != theirs.root)
        return error("root", " gives root = ", mine.root, ", and rank ", other, " root = ", theirs.root);
    if (mine.op != theirs.op)
        return error("op", " reduces with ", mine.op.data(), ", and rank ", other, " with ",
                     theirs.op.data());
    if (mine.in_place != theirs.in_place) {
        const auto words = [](const Heading& heading) {
            return heading.in_place != 0 ? "MPI_IN_PLACE" : "a send buffer";
        };
        return error("sendbuf", " gives ", words(mine), ", and rank ", other, ' ', words(theirs));
    }
    return std::nullopt;
}

std::optional<Error> compare(const std::string& title, int rank, const Telling& mine, int partner,
                             const Telling& theirs)
{
    const Party here{rank, mine};
    const Party there{partner, theirs};
    if (auto error = compare(title, rank, mine.heading, partner, theirs.heading)) return error;
    if (mine.heading.is_refused() || theirs.heading.is_refused()) return std::nullopt;
    if (auto error = compare_edges(title, here, there)) return error;
    return compare_edges(title, there, here);
}

base::Error refusal_in_words()
{
    try {
        throw;
    } catch (const Error& error) {
        return {error.kind(), error.argument(), text("gives what is wrong by itself: ", error.what())};
    } catch (...) {
        return {ErrorKind::other, "arguments", "failed in the call"};
    }
}

CallSignature::CallSignature(std::shared_ptr<const topology::GraphInfo> graph_info, const char* function,
                             const Error& refusal, bool is_nonblocking)
    : graph_info_(std::move(graph_info)),
      out_(graph_info_->lists.targets.size()),
      in_(graph_info_->lists.sources.size())
{
    write(heading_.function, function);
    heading_.is_nonblocking = is_nonblocking ? 1 : 0;
    heading_.refusal_kind = static_cast<int>(refusal.kind());
    write(heading_.refused_argument, refusal.argument());
    write(heading_.refusal, refusal.what());
}

CallSignature::CallSignature(std::shared_ptr<const topology::GraphInfo> graph_info, const call::Call& call,
                             bool is_nonblocking)
    : graph_info_(std::move(graph_info))
{
    require_apart(call.receive);
    write(heading_.function, call.function);
    write(heading_.op, mpi::words_of(call.op));
    if (algorithm::has_root(call.collective)) heading_.root = call.root;
    heading_.is_nonblocking = is_nonblocking ? 1 : 0;
    heading_.in_place = call.collective == planner::Collective::allreduce && call.in_place ? 1 : 0;
    const auto& [rank, sources, targets] = graph_info_->lists;
    for (std::size_t i = 0; i < targets.size(); ++i)
        out_.push_back(end_of(call.send, static_cast<int>(i),
                              targets[i] != grid::gap && call::has_block(call, rank, targets[i]),
                              mpi::type_of_sent));
    for (std::size_t i = 0; i < sources.size(); ++i)
        in_.push_back(end_of(call.receive, static_cast<int>(i),
                             sources[i] != grid::gap && call::has_block(call, sources[i], rank),
                             mpi::type_of_received));
}

std::uint64_t CallSignature::number() const
{
    const int numbers[] = {heading_.root, heading_.in_place};
    return base::hash_of(numbers, base::hash_of(heading_.op, base::hash_of(heading_.function)));
}

Telling CallSignature::to(int partner) const
{
    return {heading_, between(graph_info_->lists.targets, partner, out_),
            between(graph_info_->lists.sources, partner, in_)};
}

std::vector<int> CallSignature::partners() const
{
    std::set<int> all(graph_info_->lists.sources.begin(), graph_info_->lists.sources.end());
    all.insert(graph_info_->lists.targets.begin(), graph_info_->lists.targets.end());
    all.erase(grid::gap);
    return {all.begin(), all.end()};
}

} // namespace ortho::verify
