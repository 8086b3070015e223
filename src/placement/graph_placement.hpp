// SPDX-License-Identifier: BSD-3-Clause
// The placement of the vertices of any graph, so that little weight leaves their nodes.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/nodes.hpp"
#include "placement/point_graph.hpp"

namespace ortho::placement {

/// The node of each vertex.  As many vertices are on a node as in `nodes`, and less weight leaves the nodes
/// than if vertex i is where process i is; if none is found, vertex i is there.
std::vector<int> place_graph(const PointGraph& graph, const grid::Nodes& nodes);

} // namespace ortho::placement
