// SPDX-License-Identifier: BSD-3-Clause
// The planner's input, from a specification and a machine.
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

/// Options of several commands.
struct MachineOptions {
    /// A text like "36x32" or "4,4,3"; consecutive processes share a node.  Empty: many nodes, unless there
    /// is one process.
    std::string nodes;
    std::string tune; ///< a file; if empty, the built-in numbers
};

/// The machine in a file of --tune; without a name the built-in one.  Throws base::Error.
ortho::schedule::Machine machine_of(const std::string& file);

/// A call on a machine, planned as a blocking call of the library.
struct Setting {
    tools::Specification specification;
    ortho::schedule::Machine machine;
    ortho::schedule::Layout layout;
    std::string nodes_text; ///< "36 nodes of 32 processes"
    /// Bytes of a block; for a halo exchange, of all ghost regions and fields of a process.
    std::int64_t bytes = 0;
    std::shared_ptr<const grid::Halo> halo; ///< for halo exchanges

    std::vector<std::int64_t> slot_bytes; ///< for halo exchanges: of each (region, field)

    /// The call, with another number of bytes.
    planner::CallSpecification call(std::int64_t of_bytes) const;
    planner::CallSpecification call() const { return call(bytes); }
    /// The word for the things of `bytes`: "blocks", "ghosts".
    const char* bytes_of() const { return halo ? "ghosts" : "blocks"; }
    /// `rank` is the process whose schedule is wanted; nothing for candidates alone.
    planner::Planner planner(std::optional<int> rank, std::vector<std::string> algorithms = {}) const;
    /// The call in two lines: "alltoall on torus 12x12x8, 1152 processes on 36 nodes of 32", and "moore:2:
    /// 124 offsets, blocks of 400 B"; a third one for halos.
    std::string headlines() const;
};

/// Throws base::Error for a mistake in the arguments.
Setting make_setting(const std::string& specification, const MachineOptions& options);

/// The way of an algorithm: "0, 1 2" for the dimensions of each group, "all at once", "by pairs of nodes".
std::string way_text(const planner::Algorithm& algorithm, const ortho::algorithm::Groups& groups);

/// "0, 1 2": the dimensions of each group; empty for no groups.
std::string groups_text(const ortho::algorithm::Groups& groups);

/// A text like "12.34 us", "1.23 ms"; in pictures with the sign for micro.
std::string time_text(std::int64_t picoseconds, const char* microseconds = "us");
inline constexpr const char* in_a_picture = "\u00b5s";

} // namespace plan
