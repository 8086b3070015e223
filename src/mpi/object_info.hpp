// SPDX-License-Identifier: BSD-3-Clause
// Information of MPI about communicators and datatypes, for the library and the interposer.  The two share
// headers and no code.
#pragma once

#include <mpi.h>

#include <array>
#include <string>

namespace ortho::mpi {

/// A name, with a null character at its end.
using Name = std::array<char, MPI_MAX_OBJECT_NAME + 1>;

/// The name that MPI's function gets; empty if there is none.  Allocates no memory.
template <class Get, class Handle>
Name name_by(Get get, Handle handle)
{
    Name name{};
    int length = 0;
    if (get(handle, name.data(), &length) != MPI_SUCCESS || length == 0) return {};
    return name;
}

inline Name comm_name_in_place(MPI_Comm comm) { return name_by(PMPI_Comm_get_name, comm); }
inline std::string comm_name(MPI_Comm comm) { return comm_name_in_place(comm).data(); }
inline std::string win_name(MPI_Win win) { return name_by(PMPI_Win_get_name, win).data(); }
/// The name of a datatype, predefined or given.  Open MPI names a duplicate "Dup " and what its original is
/// named; that is the name here.
inline std::string type_name(MPI_Datatype type)
{
    std::string name = name_by(PMPI_Type_get_name, type).data();
    while (name.starts_with("Dup ")) name.erase(0, 4);
    return name;
}

/// Every MPI has tags up to this one.
inline constexpr int promised_tag = 32767;

/// The last tag of the MPI, the same on all processes.  Open MPI tells it only for MPI_COMM_WORLD.
inline int last_tag_of(MPI_Comm comm)
{
    const int* bound = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, MPI_TAG_UB, &bound, &found);
    return found != 0 && bound != nullptr ? *bound : promised_tag;
}

} // namespace ortho::mpi
