// SPDX-License-Identifier: BSD-3-Clause
// What the planner is told of a specification and of a machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "grid/halo.hpp"
#include "planner/planner.hpp"
#include "specification.hpp"

namespace plan {

namespace grid = ortho::grid;
namespace planner = ortho::planner;
using ortho::base::counted;

/// Options of several commands, as they were given.
struct MachineOptions {
    /// "36x32", or "4,4,3"; consecutive processes share a node.  If empty, many nodes, unless there is but
    /// one process.
    std::string nodes;
    std::string tune; ///< a file; if empty, the built-in figures
};

/// A call on a machine, as the library would plan it as a blocking call.
struct Setting {
    tools::Specification specification;
    ortho::schedule::Machine machine;
    ortho::schedule::Layout layout;
    std::string nodes_text; ///< "36 nodes of 32 processes"
    /// What is sent: bytes of a block; of a halo exchange, of all ghost regions and fields of a process.
    std::int64_t bytes = 0;
    std::shared_ptr<const grid::Halo> halo; ///< of halo exchanges

    std::vector<std::int64_t> slot_bytes; ///< likewise: of each (region, field)

    /// The call, with another number of bytes.
    planner::CallSpecification call(std::int64_t of_bytes) const;
    planner::CallSpecification call() const { return call(bytes); }
    /// What `bytes` are those of: "blocks", "ghosts".
    const char* bytes_of() const { return halo ? "ghosts" : "blocks"; }
    /// `rank`: whose schedule is wanted; nothing for candidates alone.
    planner::Planner planner(std::optional<int> rank, std::vector<std::string> algorithms = {}) const;
    /// What is planned, in two lines: "alltoall on torus 12x12x8, 1152 processes on 36 nodes of 32", and
    /// "moore:2: 124 offsets, blocks of 400 B"; of halos, a third one.
    std::string headlines() const;
};

/// Throws base::Error for a mistake in any of them.
Setting make_setting(const std::string& specification, const MachineOptions& options);

/// How an algorithm goes about it: "0, 1 2" for the dimensions of each group, "all at once", "by pairs of
/// nodes".
std::string way_text(const planner::Algorithm& algorithm, const ortho::algorithm::Groups& groups);

/// "0, 1 2": the dimensions of each group; empty for no groups.
std::string groups_text(const ortho::algorithm::Groups& groups);

/// "12.34 us", "1.23 ms"; pictures have a sign for microseconds.
std::string time_text(std::int64_t picoseconds, const char* microseconds = "us");
inline constexpr const char* in_a_picture = "\u00b5s";

} // namespace plan
