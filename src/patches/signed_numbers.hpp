// SPDX-License-Identifier: BSD-3-Clause
// Numbers that change their signs, or to which something is added.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "patches/memory_boxes.hpp"

namespace ortho::patches {

/// The numbers that an element consists of, one behind the other.
struct NumberForm {
    enum class Number : std::uint8_t { float32, float64, float_long, int8, int16, int32, int64 };

    Number kind;
    MPI_Count count; ///< in an element
    bool are_complex = false;
};
/// Nothing for elements that are something else.
std::optional<NumberForm> number_form(MPI_Datatype element);

/// Multiplies the numbers of a box by a sign, and adds `shift` to them.  `begin`: the first element.
void change(const MemoryBox& box, std::byte* begin, const NumberForm& form, int sign, double shift);

} // namespace ortho::patches
