// SPDX-License-Identifier: BSD-3-Clause
// The messages that fill the ghosts of a distributed graph: direct ones, and wires between nodes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "graph_text.hpp"
#include "grid/nodes.hpp"
#include "placement/point_graph.hpp"
#include "schedule/work.hpp"

namespace plan {

/// A number of things that all processes send; the most that one of them sends or receives.
struct Amount {
    std::int64_t most = 0;
    std::int64_t all = 0;
};

/// Row i belongs to process parts[i], which needs the elements of its row's columns.
struct Traffic {
    Amount near_messages, near_bytes; ///< between processes of a node
    Amount off_messages, off_bytes;   ///< between nodes, a message for each pair of processes
    Amount wires, wire_bytes;         ///< between nodes, by wires
    Amount parts;                     ///< a process's parts of wires
    std::int64_t repeated = 0; ///< elements between nodes that several processes of a node want, less one
    std::map<std::pair<int, int>, std::int64_t> node_bytes;   ///< from one node to another, each element once
    std::vector<ortho::placement::PointGraph::Link> messages; ///< their elements are their weights

    ortho::schedule::Work direct;
    ortho::schedule::Work by_wires;
    ortho::algorithm::ExchangeCounts counts{}; ///< as _init calls compare them
};

/// The traffic if an element has `bytes` bytes.
Traffic count_traffic(const tools::SparseRows& rows, std::span<const int> parts,
                      const ortho::grid::Nodes& nodes, std::int64_t bytes);

} // namespace plan
