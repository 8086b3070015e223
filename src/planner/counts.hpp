// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms do on a stencil, counted.  No MPI in this file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "planner/crossings.hpp"

namespace ortho::planner {

/// The numbers of a stencil that decide between schedules: of a process far from all borders, and equal
/// everywhere, since they are counted from the stencil alone.  The zero offset is a local copy and counts
/// nowhere.  What takes time is counted when it is first asked for.
class Counts {
public:
    /// `nodes`: who is where, or null.
    explicit Counts(const grid::Neighborhood& neighborhood,
                    std::shared_ptr<const grid::Nodes> nodes = nullptr);

    /// Distinct processes: messages when sent directly.
    std::int64_t partners() const { return partners_; }
    /// Offsets that are not zero (papers: t without the zero offset).
    std::int64_t blocks() const { return blocks_; }
    /// All of them.
    std::int64_t offsets() const { return neighborhood_.size(); }
    /// Bytes that are sent directly, of blocks with these sizes, by canonical index.
    Bytes bytes_directly(std::span<const std::int64_t> sizes) const;

    /// What is sent directly, if each offset has a block of its own, or one block goes to all.
    const Crossing& directly(bool personal) const;

    /// What is sent in the phases of an exchange by node pairs, by the busiest process of the busiest node;
    /// it must be known who is where.  Of many nodes some are looked at, spread over all: the same ones
    /// everywhere.
    const std::vector<Crossing>& by_node_pairs(bool personal) const;

    /// Of a collective that has combining algorithms.
    const Crossings& crossings(Collective collective) const;

private:
    /// What is sent to each partner, in any unit: `what(i)` is that of the block with offset i.
    template <class What>
    OffNode off_node_directly(What what, bool personal) const;

    grid::Neighborhood neighborhood_;
    std::shared_ptr<const grid::Nodes> nodes_;
    std::int64_t partners_ = 0;
    std::int64_t blocks_ = 0;
    mutable std::map<bool, Crossing> directly_; // by whether it is personal
    mutable std::map<bool, std::vector<Crossing>> by_node_pairs_;
    mutable std::map<Collective, Crossings> crossings_;
};

} // namespace ortho::planner
