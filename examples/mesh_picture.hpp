// SPDX-License-Identifier: BSD-3-Clause
// Pictures of a mesh of triangles, seen from above.  No MPI in this file.
#pragma once

#include <vector>

#include "colors.hpp"
#include "picture.hpp"
#include "surface_mesh.hpp"

/// How vertices color the picture: each colors its surroundings up to half way to the next, with lines where
/// triangles meet; or each colors one point, and colors blend between points.
enum class Coloring { cells, smooth };

/// Draws the mesh into a square of a picture, as wide as the picture is high, from column `left` on.  Each
/// vertex has a color.
void draw_mesh(Picture& picture, int left, const SurfaceMesh& mesh, const std::vector<Color>& colors,
               Coloring coloring);
