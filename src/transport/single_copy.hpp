// SPDX-License-Identifier: BSD-3-Clause
// Data that lies in its sender's arena: the receiver copies it from there, once.  No MPI in this file.
#pragma once

#include <cstddef>

#include "transport/packing.hpp"

namespace ortho::transport {

/// Does the data lie in this process's arena, and is one copy less worth that the sender waits for its
/// receiver?  `bytes`: of all the parts.
bool may_be_read_where_it_lies(const Parts& parts, std::size_t bytes);

/// The parts in words that another process understands: where they lie in this one's arena.
std::size_t bytes_of_directions(const Parts& parts);
void write_directions(const Parts& parts, std::byte* row);

/// Copies what the directions in a row lead to, as much as there is room for, and returns how many bytes
/// there were.  `arena`: where the writer's begins here.
std::size_t follow_directions(const std::byte* row, std::size_t bytes, std::byte* arena, const Parts& to);

} // namespace ortho::transport
