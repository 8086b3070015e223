// SPDX-License-Identifier: BSD-3-Clause
// The fields of an exchange between patches: checked, and compared between processes.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "call/buffer_blocks.hpp"
#include "mosaic/ghosts.hpp"
#include "mpi/argument_copies.hpp"
#include "mpiortho.h"
#include "patches/memory_boxes.hpp"
#include "patches/mosaic_handles.hpp"

namespace ortho::patches {

struct CheckedFields {
    std::vector<mosaic::Field> fields;
    std::vector<MPI_Datatype> elements;            ///< our own handles
    std::vector<std::vector<Array>> arrays;        ///< by field and patch of this process
    std::vector<std::vector<MPI_Count>> undivided; ///< by field: elements of dimensions that are not divided
    call::Bases bases;                             ///< field by field, patch by patch
    mpi::ArgumentCopies kept;
    /// By field: both sides of each dimension of the mosaic; nothing if the field has no boundary.
    std::vector<std::vector<ORTHO_Boundary>> boundaries;
};

/// Throws base::Error (buffer) if no array begins there.
void require_array(const void* base, const std::string& whose, std::size_t patch);

/// Throws base::Error (buffer) unless arrays that begin there, of such fields, lie in the memory of one device,
/// or all with the host: a message has elements of all.
void require_one_home(const CheckedFields& checked, const call::Bases& bases);

/// Throws base::Error unless this process's fields are right by themselves.
CheckedFields check_fields(int nfields, const ORTHO_Mosaic_field fields[], const Mosaic& mosaic);

/// Throws base::Error (mismatch), on all processes, unless all say the same of each field.  Collective.
void require_same(MPI_Comm comm, const CheckedFields& checked, const ORTHO_Mosaic_field fields[], int d);

} // namespace ortho::patches
