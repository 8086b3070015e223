// SPDX-License-Identifier: BSD-3-Clause
// For which edges a process has blocks in the calls on its graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "grid/local_graph.hpp"
#include "topology/graph.hpp"

namespace ortho::call {

/// The blocks of one side of a call.
struct BlockSlots {
    std::size_t number = 0; ///< 0 if none counts; then nothing is read of that side's arguments
    /// The partners of the blocks, if there are gaps among them, whose blocks are not read; else null.
    const std::vector<int>* partners = nullptr;

    bool is_gap(std::size_t i) const { return partners != nullptr && (*partners)[i] == grid::gap; }
};

/// The edges of a process.  A gap counts like an edge where the sizes of gaps are asserted.
class Edges {
public:
    /// `graph_info` must live as long as this.
    explicit Edges(const topology::GraphInfo& graph_info)
        : lists_(graph_info.lists),
          gaps_have_sizes_(graph_info.settings && graph_info.settings->assert_uniform &&
                           graph_info.stencil.has_value()),
          in_(slots_of(lists_.sources)),
          out_(slots_of(lists_.targets))
    {}

    const BlockSlots& in() const { return in_; }
    const BlockSlots& out() const { return out_; }
    /// One block, for whatever edges.
    static BlockSlots one() { return {1}; }
    /// One block for all of these.
    static BlockSlots one_for(const BlockSlots& slots) { return {slots.number > 0 ? 1U : 0U}; }

    // For rooted calls.

    /// These at the root alone, or everywhere else.
    BlockSlots at_root(const BlockSlots& slots, int root) const
    {
        return lists_.rank == root ? slots : BlockSlots();
    }
    BlockSlots off_root(const BlockSlots& slots, int root) const
    {
        return lists_.rank != root ? slots : BlockSlots();
    }
    /// One block for the root, from the root, if there is such an edge.
    BlockSlots to(int root) const { return {contains(lists_.targets, root) ? 1U : 0U}; }
    BlockSlots from(int root) const { return {contains(lists_.sources, root) ? 1U : 0U}; }

private:
    static bool contains(const std::vector<int>& partners, int process)
    {
        return std::ranges::find(partners, process) != partners.end();
    }
    BlockSlots slots_of(const std::vector<int>& partners) const
    {
        if (gaps_have_sizes_ || !contains(partners, grid::gap)) return {partners.size()};
        const bool any = std::ranges::any_of(partners, [](int partner) { return partner != grid::gap; });
        return any ? BlockSlots{partners.size(), &partners} : BlockSlots();
    }

    const grid::LocalGraph& lists_;
    bool gaps_have_sizes_;
    BlockSlots in_;
    BlockSlots out_;
};

} // namespace ortho::call
