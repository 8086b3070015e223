// SPDX-License-Identifier: BSD-3-Clause
// Reduction operators.
#pragma once

#include <mpi.h>

#include <optional>
#include <string_view>

namespace ortho::mpi {

/// Throws base::Error (op) unless the operator is valid and defined for the datatype.
void require_operator(MPI_Op op, MPI_Datatype type);

/// Reduces `count` elements, of any count, into `inout`.  Returns MPI's code.
int reduce_local(const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op op);

/// May the operands change places?  True for MPI_OP_NULL.  Asks MPI each time: operators keep no attributes.
bool commutes(MPI_Op op);

/// The name of a predefined operator; nothing for users' operators, which look alike.
std::optional<const char*> name_of(MPI_Op op);

/// The operator in words; empty for MPI_OP_NULL.
std::string_view words_of(MPI_Op op);

} // namespace ortho::mpi
