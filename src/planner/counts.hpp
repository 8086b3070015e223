// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms do on a stencil, counted.  No MPI in this file.
#pragma once

#include <cstdint>
#include <map>

#include "planner/crossings.hpp"

namespace ortho::planner {

/// The numbers of a stencil that decide between schedules: of a process far from all borders, and equal
/// everywhere, since they are counted from the stencil alone.  The zero offset is a local copy and counts
/// nowhere.  What takes time is counted when it is first asked for.
class Counts {
public:
    explicit Counts(const grid::Neighborhood& neighborhood);

    /// Distinct processes: messages when sent directly.
    std::int64_t partners() const { return partners_; }
    /// Offsets that are not zero (papers: t without the zero offset).
    std::int64_t blocks() const { return blocks_; }
    /// All of them.
    std::int64_t offsets() const { return neighborhood_.size(); }
    /// Bytes of all blocks that leave, `sizes` by canonical index.
    std::int64_t bytes_that_leave(std::span<const std::int64_t> sizes) const;
    /// Bytes of all blocks, each as often as it is sent when these groups are crossed.
    std::int64_t bytes_along(const algorithm::Groups& groups, std::span<const std::int64_t> sizes) const;

    /// Of a collective that has combining algorithms.
    const Crossings& crossings(Collective collective) const;

private:
    grid::Neighborhood neighborhood_;
    std::int64_t partners_ = 0;
    std::int64_t blocks_ = 0;
    mutable std::map<Collective, Crossings> crossings_;
};

} // namespace ortho::planner
