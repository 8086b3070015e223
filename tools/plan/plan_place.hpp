// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan place`: the placement of processes of a grid on nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "placement/placement.hpp"
#include "plan/rank_files.hpp"

namespace plan {

namespace grid = ortho::grid;
namespace placement = ortho::placement;

struct PlaceOptions {
    std::string grid;                  ///< "128x128"
    bool periodic = false;             ///< in all dimensions
    std::string nodes;                 ///< "16" or "4,4,3", as ORTHO_NODES
    std::string stencil = "neumann:1"; ///< a step each way in each dimension
    std::vector<std::int64_t> weights; ///< of the stencil's offsets; if empty, 1
    bool missing_are_off_node = false; ///< partners beyond borders
    std::string svg;                   ///< a file, or empty
    std::string csv;                   ///< a file, or empty
    RankFileOptions rank_files;        ///< of the placement that is taken
};

/// The problem, and the proposals of the methods.
struct Places {
    grid::Neighborhood neighborhood;
    std::vector<std::int64_t> weights; ///< of its offsets
    grid::Nodes nodes;
    std::string title;         ///< "mesh 128x128, 16384 processes on 1024 nodes of 16"
    std::string stencil_title; ///< "4 offsets, 65024 edges"
    std::vector<placement::Proposal> proposals;
    std::int64_t bound = 0; ///< lower bound of the cut

    const placement::Proposal& chosen() const { return placement::best_of(proposals); }
};

/// Prints a table of the methods and the bound, writes the files of ranks and the CSV file, and makes the
/// picture.  Throws base::Error for a mistake in the options.
void print_places(const PlaceOptions& options);

/// The nodes in a text such as "16" or "4,4,3".  Throws base::Error (arg).
grid::Nodes parse_nodes(const std::string& nodes, int processes);
/// A text like "5 nodes of 2 to 4".
std::string nodes_text(const grid::Nodes& nodes);

/// The excess over the bound, like "+3.2 %".
std::string excess_text(std::int64_t cut, std::int64_t bound);

} // namespace plan
