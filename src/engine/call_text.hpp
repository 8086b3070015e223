// SPDX-License-Identifier: BSD-3-Clause
// A call in words.
#pragma once

#include <string>

#include "engine/context.hpp"

namespace ortho::engine {

/// "ORTHO_Alltoall_init sends and receives 8 blocks of 40 MPI_INT (160 bytes each)", the root included, and
/// the operator left out.
std::string text_of(const Call& call);

/// What it moves: "sends and receives 8 blocks of 40 MPI_INT (160 bytes each)"; empty if that is nothing.
std::string data_text(const Call& call);

} // namespace ortho::engine
