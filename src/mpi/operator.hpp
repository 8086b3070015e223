// SPDX-License-Identifier: BSD-3-Clause
// Reduction operators.
#pragma once

#include <mpi.h>

#include <optional>
#include <string_view>

namespace ortho::mpi {

/// Throws base::Error (op) unless the operator is there and is defined for the datatype.
void require_operator(MPI_Op op, MPI_Datatype type);

/// Reduces `count` elements, of any number, into `inout`.  Returns MPI's code.
int reduce_local(const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op op);

/// May its operands change places?  Asked each time: nothing can be kept with an operator.  Yes of
/// MPI_OP_NULL.
bool commutes(MPI_Op op);

/// The name of a predefined operator; nothing for users' operators, which cannot be told apart.
std::optional<const char*> name_of(MPI_Op op);

/// The operator in words; empty for MPI_OP_NULL.
std::string_view words_of(MPI_Op op);

} // namespace ortho::mpi
