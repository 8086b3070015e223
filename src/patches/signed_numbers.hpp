// SPDX-License-Identifier: BSD-3-Clause
// Numbers that change their signs, or to which something is added.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/type_signature.hpp"
#include "patches/memory_boxes.hpp"

namespace ortho::patches {

/// Multiplies the numbers of a box by a sign, and adds `shift` to them.  `begin`: the first element.
void change(const MemoryBox& box, std::byte* begin, const mpi::SignedNumbers& form, int sign, double shift);

} // namespace ortho::patches
