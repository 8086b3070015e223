// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms do on a stencil, counted.  No MPI in this file.

#include "planner/counts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithm/node_pairs.hpp"
#include "planner/machine.hpp"

namespace ortho::planner {

namespace {

/// What any process sends at most.
Crossing busiest_sender(const algorithm::NodePairs::Messages& messages)
{
    std::map<int, Crossing> out;
    Crossing result;
    for (const auto& [ends, blocks] : messages) {
        Crossing& process = out[ends.first];
        result.messages = std::max(result.messages, ++process.messages);
        result.blocks = std::max(result.blocks, process.blocks += std::ssize(blocks));
    }
    return result;
}

/// What any process of a node sends or receives there at most.  Messages count for their one end, half: some
/// send, others receive.
Crossing busiest(const algorithm::NodePairs::Messages& messages)
{
    std::map<int, std::int64_t> ends_at;
    std::map<int, std::int64_t> out;
    std::map<int, std::int64_t> in;
    Crossing result;
    for (const auto& [ends, blocks] : messages) {
        for (const int process : {ends.first, ends.second})
            result.messages = std::max(result.messages, (++ends_at[process] + 1) / 2);
        result.blocks = std::max(
            {result.blocks, out[ends.first] += std::ssize(blocks), in[ends.second] += std::ssize(blocks)});
    }
    return result;
}

void raise(Crossing& most, const Crossing& other)
{
    const auto raise_one = [](std::int64_t& a, std::int64_t b) { a = std::max(a, b); };
    raise_one(most.messages, other.messages);
    raise_one(most.blocks, other.blocks);
    raise_one(most.off.messages, other.off.messages);
    raise_one(most.off.blocks, other.off.blocks);
    raise_one(most.off.node_blocks, other.off.node_blocks);
}

} // namespace

Counts::Counts(const grid::Neighborhood& neighborhood, std::shared_ptr<const grid::Nodes> nodes)
    : neighborhood_(neighborhood),
      nodes_(std::move(nodes))
{
    const grid::Stencil& offsets = neighborhood_.offsets;
    for (int i = 0; i < offsets.size(); ++i) {
        if (offsets.nonzeros(i) == 0) continue;
        ++blocks_;
        if (i == 0 || grid::compare(offsets[i], offsets[i - 1]) != 0) ++partners_;
    }
}

template <class What>
OffNode Counts::off_node_directly(What what, bool personal) const
{
    const grid::Stencil& offsets = neighborhood_.offsets;
    grid::Stencil steps(offsets.dimensions());
    std::vector<std::int64_t> along;
    for (int i = 0; i < offsets.size(); ++i) {
        if (offsets.nonzeros(i) == 0) continue;
        if (i > 0 && grid::compare(offsets[i], offsets[i - 1]) == 0) {
            if (personal) along.back() = times_plus(1, what(i), along.back());
            continue;
        }
        steps.push_back(offsets[i]);
        along.push_back(what(i));
    }
    return off_node(neighborhood_.grid, *nodes_, steps, along);
}

Bytes Counts::bytes_directly(std::span<const std::int64_t> sizes) const
{
    const auto size_of = [&](int i) { return sizes[static_cast<std::size_t>(i)]; };
    Bytes bytes;
    for (int i = 0; i < neighborhood_.size(); ++i)
        if (neighborhood_.offsets.nonzeros(i) > 0) bytes.all = times_plus(1, size_of(i), bytes.all);
    if (nodes_ == nullptr) return bytes;
    const OffNode off = off_node_directly(size_of, true);
    bytes.off = off.blocks;
    bytes.node = off.node_blocks;
    return bytes;
}

const Crossing& Counts::directly(bool personal) const
{
    const auto [entry, is_new] = directly_.try_emplace(personal);
    Crossing& result = entry->second;
    if (!is_new) return result;
    result = {partners_, personal ? blocks_ : partners_};
    if (nodes_ != nullptr) result.off = off_node_directly([](int) { return 1; }, personal);
    return result;
}

const std::vector<Crossing>& Counts::by_node_pairs(bool personal) const
{
    const auto [entry, is_new] = by_node_pairs_.try_emplace(personal);
    std::vector<Crossing>& result = entry->second;
    if (!is_new) return result;
    result.resize(3);
    const algorithm::NodePairs pairs(neighborhood_, *nodes_, personal);
    const std::int64_t largest = std::ranges::max(nodes_->sizes());
    constexpr std::int64_t looks = most_looks / 16; // each of which takes longer
    const Sample sample(nodes_->count(), largest * std::max(1, neighborhood_.size()), looks);
    for (std::int64_t i = 0; i < sample.size(); ++i) {
        const int node = sample[i];
        raise(result[0], busiest(pairs.gathering(node)));
        raise(result[2], busiest(pairs.spreading(node)));
        const algorithm::NodePairs::Messages over = pairs.crossing(node);
        Crossing crossing = busiest_sender(over);
        crossing.off = {crossing.messages, crossing.blocks, 0};
        for (const auto& [ends, blocks] : over) crossing.off.node_blocks += std::ssize(blocks);
        raise(result[1], crossing);
    }
    return result;
}

const Crossings& Counts::crossings(Collective collective) const
{
    const auto found = crossings_.find(collective);
    if (found != crossings_.end()) return found->second;
    return crossings_.try_emplace(collective, neighborhood_, collective, nodes_).first->second;
}

} // namespace ortho::planner
