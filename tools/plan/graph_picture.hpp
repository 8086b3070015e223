// SPDX-License-Identifier: BSD-3-Clause
// A picture of the data that each node sends to each other one.
#pragma once

#include <string>

#include "plan/graph_traffic.hpp"
#include "plan/svg.hpp"

namespace plan {

/// A square for each two nodes, or for each two groups of neighboring nodes if there are many.
tools::Svg draw_traffic(const Traffic& traffic, const ortho::grid::Nodes& nodes, const std::string& title);

} // namespace plan
