// SPDX-License-Identifier: BSD-3-Clause
// The arguments of halo exchanges: checked, and compared between processes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/halo_blocks.hpp"
#include "grid/grid.hpp"
#include "grid/stencil.hpp"
#include "mpi/datatype.hpp"
#include "mpiortho.h"

namespace ortho::collectives {

/// How a call names what belongs to a field.
struct FieldNames {
    bool one_shape = false;        ///< the call has one array of sizes for all fields
    const char* pointer = nullptr; ///< the call has a pointer of this name to one field

    /// The words before the name of an argument that may belong to one field or to all.
    std::string whose(std::size_t field) const;
    std::string base(std::size_t field) const;
    std::string element(std::size_t field) const;
    /// The name of the argument that is the communicator.
    const char* comm() const { return one_shape ? "graph" : "comm"; }
    /// The name of the argument that is the list of fields, or the one field.
    const char* fields() const { return pointer != nullptr ? pointer : "fields"; }
};

/// The fields of a call, and the numbers that they point to.
struct FieldList {
    std::vector<ORTHO_Field> fields;
    std::vector<MPI_Count> numbers{};
};

/// The arguments of a call that makes a halo, whichever function it is.
struct HaloArguments {
    int nfields = 0;
    int d = 0;
    /// The fields, once nfields and d are known to be right.
    std::function<FieldList(const grid::Grid&)> list;
    FieldNames names{};
    bool reduces = false;
    MPI_Op op = MPI_OP_NULL; ///< in an exchange
    MPI_Info info = MPI_INFO_NULL;

    static HaloArguments of_fields(int nfields, const ORTHO_Field fields[], int d, MPI_Info info);
    static HaloArguments of_one_shape(int nfields, void* const fields[], const MPI_Datatype elements[], int d,
                                      const int sizes[], const int lower[], const int upper[], MPI_Info info);
};

/// Array dimension k of n runs along dimension result[k] of the grid's d.  Those that are not divided among
/// processes are numbered from d on.  Throws base::Error (arg), with `whose` before the argument's name.
std::vector<int> dimensions_of(int n, const int dimension[], int d, const std::string& whose);

/// The checked arguments of one process.
struct CheckedFields {
    std::vector<Field> fields; ///< elements travel in the order that their descriptions name
    call::Bases bases;
    std::vector<grid::Stencil> regions;  ///< by field: those to fill that have layers
    std::vector<mpi::Datatype> elements; ///< our own handles of the users' datatypes
    /// By field: along which dimensions of the grid the array's run, from d on none, the order, and the
    /// identity of the user's datatype.
    std::vector<std::vector<int>> dimensions;
    std::vector<int> orders;
    std::vector<std::uint64_t> types;
    /// By field, from check_boundaries(): both sides of each of the array's dimensions, none where it is
    /// open.
    std::vector<std::vector<ORTHO_Boundary>> boundaries{};
};

/// Throws base::Error unless this process's arguments are right by themselves.  `regions`: all those that the
/// stencil can fill.
CheckedFields check_fields(const HaloArguments& arguments, const grid::Grid& grid,
                           const grid::Stencil& regions);

/// Finds two fields that share memory where they begin at other addresses, by the numbers of the fields.
/// Fields of elements with holes are left out.
call::FindOverlap overlap_finder(const CheckedFields& checked);

/// Says where fields begin.  Throws base::Error (arg) unless they have the shapes, strides and types of
/// these, whose datatypes must live as long.
std::function<call::Bases(std::span<const ORTHO_Field>)> bases_of_fields_like(const CheckedFields& checked,
                                                                              int d);

/// The move_field of a call of these fields.  `comm`, of the grid's processes, and the datatypes live as
/// long.
std::function<void(const call::Bases&, const request::FieldMove&)> field_mover(MPI_Comm comm,
                                                                               const grid::Grid& grid,
                                                                               const CheckedFields& checked);

/// Throws base::Error (mismatch), on all processes, unless all gave the same number of fields, and for each
/// of them the same size of elements, depths, regions, dimensions and order.  Collective.
void require_same_fields(MPI_Comm comm, const HaloArguments& arguments, const CheckedFields& checked,
                         const grid::Stencil& regions);
/// Throws unless the elements of each field are made of the same basic types on all processes.
void require_same_elements(MPI_Comm comm, const HaloArguments& arguments, const CheckedFields& checked);

/// Tells of what is right, and seldom meant: fields with ghost layers and without a region to fill, which are
/// all zero most likely where ORTHO_FIELD_INIT should have set them; and fields of one shape that lie in
/// Fortran's order because the grid is numbered so, and nobody has said an order.
void warn_of_what_is_seldom_meant(const HaloArguments& arguments, const grid::Grid& grid);

} // namespace ortho::collectives
