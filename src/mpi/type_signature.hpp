// SPDX-License-Identifier: BSD-3-Clause
// Type signatures: the basic types of a message, in order, in a few numbers.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ortho::mpi {

/// The signature of some elements of a datatype.  Plain data.  Equal sequences of basic types have equal
/// signatures on all processes of one MPI, however the datatypes are made.
struct TypeSignature {
    std::uint64_t hash = 0;  ///< a polynomial in the basic types, at a fixed point
    std::uint64_t power = 1; ///< that point to the power of `basics`
    std::int64_t basics = 0; ///< number of basic elements
    std::int64_t bytes = 0;
    bool packed = false;        ///< contains MPI_PACKED, which fits any type
    std::array<char, 39> basic; ///< the name of the basic type, if there is only one

    TypeSignature() { basic.fill('\0'); }
};

/// Takes O(size of the type's description): repetitions are not unrolled.
TypeSignature signature_of(MPI_Count count, MPI_Datatype type);

/// May a process send one, and another process receive the other?
bool fit(const TypeSignature& a, const TypeSignature& b);

/// Do two types have equal basic types in equal order in the same bytes of an element?
bool are_alike(MPI_Datatype a, MPI_Datatype b);

/// The numbers with a sign that an element consists of, one behind the other: a complex one is two.
struct SignedNumbers {
    int bytes; ///< of each
    bool are_real;
    bool are_complex;
    MPI_Count count; ///< in an element
};
/// Nothing for elements that are something else.
std::optional<SignedNumbers> signed_numbers(MPI_Datatype type);

/// A text like "10 MPI_INT (40 bytes)".
std::string text_of(const TypeSignature& signature);

} // namespace ortho::mpi
