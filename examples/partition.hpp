// SPDX-License-Identifier: BSD-3-Clause
// Which process has which vertex of a mesh.  No MPI in this file.
#pragma once

#include <string>
#include <vector>

#include "surface_mesh.hpp"

/// METIS cuts few edges; the curve, which passes all boxes of space one after another, needs no library.
enum class Partitioner { metis, curve };

/// Is the program linked with METIS?
bool has_metis();

/// The part of each vertex, 0 to parts - 1.  Parts have about as many vertices.  Throws std::runtime_error.
std::vector<int> partition(const SurfaceMesh& mesh, int parts, Partitioner by);

/// Edges between vertices of different parts.
long long cut_edges(const SurfaceMesh& mesh, const std::vector<int>& parts);
