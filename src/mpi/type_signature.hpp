// SPDX-License-Identifier: BSD-3-Clause
// Type signatures: the basic types of what a message holds, in order, in a few numbers.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>

namespace ortho::mpi {

/// The signature of some elements of a datatype.  Plain data, the same for equal sequences of basic types on
/// all processes that run one MPI, however the datatypes are made.
struct TypeSignature {
    std::uint64_t hash = 0;  ///< a polynomial in the basic types, at a fixed point
    std::uint64_t power = 1; ///< that point to the power of `basics`
    std::int64_t basics = 0; ///< how many basic elements
    std::int64_t bytes = 0;
    bool packed = false;        ///< MPI_PACKED is in it, which fits anything
    std::array<char, 39> basic; ///< the name of the basic type, if there is one alone

    TypeSignature() { basic.fill('\0'); }
};

/// In O(size of the description): repetitions are not unrolled.
TypeSignature signature_of(MPI_Count count, MPI_Datatype type);

/// May one be sent and the other received?
bool fit(const TypeSignature& a, const TypeSignature& b);

/// Have two types the same basic types, in the same order, in the same bytes of an element?
bool are_alike(MPI_Datatype a, MPI_Datatype b);

/// As in "10 MPI_INT (40 bytes)".
std::string text_of(const TypeSignature& signature);

} // namespace ortho::mpi
