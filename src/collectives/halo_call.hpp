// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges as calls of the engine: what processes must have in common for them, and closed sides.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "call/call.hpp"
#include "collectives/halo_arguments.hpp"
#include "collectives/halo_blocks.hpp"
#include "engine/context.hpp"
#include "grid/grid.hpp"
#include "grid/halo.hpp"
#include "grid/local_graph.hpp"

namespace ortho::collectives {

/// The layers that a process owns of each field, by dimension: one field after the other.
std::vector<long long> owned_extents(const std::vector<Field>& fields);

/// The owned extents of all in-neighbors, by rank.  To be called by all processes, with lists of one length.
std::map<int, std::vector<long long>> extents_around(const topology::PrivateComm& comm,
                                                     const grid::LocalGraph& lists,
                                                     const std::vector<long long>& mine);

/// The words before the name of an argument of a field.
using Whose = std::function<std::string(std::size_t field)>;

/// Throws base::Error (arg, mismatch) unless this process's owned elements fit with what its neighbors'
/// ghosts need, and with theirs across faces.
void check_extents(const grid::Halo& halo, const std::vector<Field>& fields, int rank,
                   const std::map<int, std::vector<long long>>& extents, const Whose& whose);

/// The exchange, or its adjoint if there is an operator.  `elements` are the datatypes that fields name; the
/// call keeps them.
call::Call halo_call(grid::Halo halo, std::vector<Field> fields, std::vector<mpi::Datatype> elements,
                     call::HaloBytes bytes, MPI_Op op);

/// Reads what the fields say of their sides.  Throws base::Error unless it is right by itself.
void check_boundaries(CheckedFields& checked, const HaloArguments& arguments, const grid::Grid& grid);

/// The end of an exchange of all these fields.  Throws base::Error (arg) where mirrors lead to elements that
/// this process does not have.
call::AtEnd end_of(const grid::Grid& grid, int rank, const CheckedFields& checked, const FieldNames& names);

} // namespace ortho::collectives
