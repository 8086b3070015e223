// SPDX-License-Identifier: BSD-3-Clause
// An unstructured mesh of triangles on a closed surface.  No MPI in this file.
#pragma once

#include <array>
#include <vector>

struct Position {
    double x, y, z;
};

struct SurfaceMesh {
    std::vector<Position> vertices;
    std::vector<std::array<int, 3>> triangles;

    /// The vertices beside vertex i stand in neighbors[begin[i]] to neighbors[begin[i + 1] - 1], in order.
    /// How strongly heat goes to each of them stands in weights: cotangents of the angles opposite the edge.
    std::vector<int> begin;
    std::vector<int> neighbors;
    std::vector<double> weights;
    /// The share of the surface that belongs to a vertex.
    std::vector<double> areas;

    int size() const { return static_cast<int>(vertices.size()); }
};

/// The skin of a tube that is knotted, with so many vertices around it.  Vertices lie irregularly and are
/// numbered at random, the same on all machines.
SurfaceMesh make_knot(int around);
