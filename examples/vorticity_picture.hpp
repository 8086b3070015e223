// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the flow past a cylinder.  No MPI in this file.
#pragma once

#include <vector>

#include "flow.hpp"
#include "picture.hpp"

/// The vorticity of the whole stream, row by row from below, in velocities per diameter, as a picture of the
/// cylinder and what is behind it.
Picture draw_vorticity(const std::vector<double>& vorticity, const Stream& stream);
