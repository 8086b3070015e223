// SPDX-License-Identifier: BSD-3-Clause
// The work of processes in the phases of an algorithm, from some of their schedules.  No MPI in this file.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "schedule/schedule.hpp"
#include "schedule/work.hpp"

namespace ortho::planner {

/// The schedules of a sample of processes of a grid.  The sample is the same everywhere.  Only on a torus
/// each process takes itself: all processes take the same steps there.
class SampledSchedules {
public:
    /// `context.graph.rank` stands for all processes of a torus.
    SampledSchedules(const algorithm::Algorithm& algorithm, const algorithm::PlannerContext& context,
                     const algorithm::CallSpecification& specification, const algorithm::Groups& groups);

    /// By the number of the phase, the largest work of these processes.  `sizes`: of blocks, by the index of
    /// their slot; or one for all of them.
    std::vector<schedule::PhaseCounts> phases(std::span<const std::int64_t> sizes) const;

    /// The schedule of this process if it is in the sample; else null.
    std::shared_ptr<const schedule::Schedule> of(int rank) const;

private:
    struct Sampled {
        int rank;
        std::shared_ptr<const schedule::Schedule> schedule;
    };

    /// The amount that leaves a node if each block goes straight to its receiver.
    std::int64_t leaving_along_edges(std::span<const std::int64_t> sizes) const;
    std::vector<schedule::PhaseCounts> phases_on_nodes(std::span<const std::int64_t> sizes) const;

    grid::Grid grid_;
    grid::Stencil edge_offsets_; // for a halo: the steps of its slots
    std::shared_ptr<const grid::Nodes> nodes_;
    bool depends_on_nodes_;
    std::vector<Sampled> sampled_;
};

} // namespace ortho::planner
