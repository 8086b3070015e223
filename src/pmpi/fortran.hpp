// SPDX-License-Identifier: BSD-3-Clause
// Tools for Fortran calls (mpif.h, mpi, mpi_f08) that do not go through replaceable C functions: all of Open
// MPI's, and those of MPICH's mpi_f08 without buffers.
//
// mpi_f08 makes the same calls as the others, under other names; its error argument may be missing.  Bodies
// never see that it is.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#ifdef OPEN_MPI
// The addresses of the Fortran constants.
extern "C" {
extern int mpi_fortran_bottom_;
extern int mpi_fortran_in_place_;
extern int mpi_fortran_unweighted_;
extern int mpi_fortran_weights_empty_;
}
#else
// Constants in MPICH's module.  Each compiler has its own symbols for variables of a module.
#define ORTHO_LINK_CONSTANT(name, symbol) extern "C" int name __asm__(symbol) __attribute__((weak))
ORTHO_LINK_CONSTANT(gfortran_unweighted, "__mpi_f08_link_constants_MOD_mpi_unweighted");
ORTHO_LINK_CONSTANT(gfortran_weights_empty, "__mpi_f08_link_constants_MOD_mpi_weights_empty");
ORTHO_LINK_CONSTANT(intel_unweighted, "mpi_f08_link_constants_mp_mpi_unweighted_");
ORTHO_LINK_CONSTANT(intel_weights_empty, "mpi_f08_link_constants_mp_mpi_weights_empty_");
ORTHO_LINK_CONSTANT(flang_unweighted, "_QMmpi_f08_link_constantsEmpi_unweighted");
ORTHO_LINK_CONSTANT(flang_weights_empty, "_QMmpi_f08_link_constantsEmpi_weights_empty");
#endif

namespace ortho::pmpi::fortran {

using Fint = MPI_Fint;
static_assert(sizeof(Fint) == sizeof(int), "counts and ranks are passed on as they are");

#ifdef OPEN_MPI
inline const int* const all_unweighted[] = {&mpi_fortran_unweighted_};
inline const int* const all_weights_empty[] = {&mpi_fortran_weights_empty_};

inline void* buffer_of(void* given)
{
    if (given == &mpi_fortran_bottom_) return MPI_BOTTOM;
    if (given == &mpi_fortran_in_place_) return MPI_IN_PLACE;
    return given;
}
#else
inline const int* const all_unweighted[] = {&gfortran_unweighted, &intel_unweighted, &flang_unweighted};
inline const int* const all_weights_empty[] = {&gfortran_weights_empty, &intel_weights_empty,
                                               &flang_weights_empty};
#endif

inline int* weights(int* given)
{
    for (const int* const unweighted : all_unweighted)
        if (given == unweighted) return MPI_UNWEIGHTED;
    for (const int* const empty : all_weights_empty)
        if (given == empty) return MPI_WEIGHTS_EMPTY;
    return given;
}

inline MPI_Comm comm_of(const Fint* comm) { return PMPI_Comm_f2c(*comm); }
inline MPI_Datatype type_of(const Fint* type) { return PMPI_Type_f2c(*type); }

/// The datatypes of a w call, one for each edge.
inline std::vector<MPI_Datatype> types_of(const Fint* types, std::size_t n)
{
    std::vector<MPI_Datatype> result;
    for (std::size_t i = 0; i < n; ++i) result.push_back(type_of(types + i));
    return result;
}

inline void give(Fint* ierror, int code)
{
    if (ierror != nullptr) *ierror = code;
}

inline void give_comm(Fint* out, MPI_Comm comm, Fint* ierror, int code)
{
    if (code == MPI_SUCCESS) *out = PMPI_Comm_c2f(comm);
    give(ierror, code);
}

inline void give_request(Fint* out, MPI_Request request, Fint* ierror, int code)
{
    if (code == MPI_SUCCESS) *out = PMPI_Request_c2f(request);
    give(ierror, code);
}

} // namespace ortho::pmpi::fortran

/// (a, b) without its parentheses.
#define ORTHO_LIST(...) __VA_ARGS__

/// The function of mpi_f08.  An error code that is not asked for goes nowhere.
#define ORTHO_FORTRAN_F08(name, parameters, mpis, arguments)                                                 \
    extern "C" void mpi_##name##_f08_ parameters                                                             \
    {                                                                                                        \
        Fint unread = MPI_SUCCESS;                                                                           \
        if (ierror == nullptr) ierror = &unread;                                                             \
        name(mpis, ORTHO_LIST arguments);                                                                    \
    }

// Defines a Fortran function under all names that do not go through C.  `mpis` is the MPI's name for
// profilers; it exists if the program is Fortran.  All names share the body.
#ifdef OPEN_MPI
#define ORTHO_FORTRAN(name, parameters, arguments)                                                           \
    extern "C" void pmpi_##name##_ parameters __attribute__((weak));                                         \
    extern "C" void pmpi_##name##_f08_ parameters __attribute__((weak));                                     \
    static void name(void(*mpis) parameters, ORTHO_LIST parameters);                                         \
    extern "C" void mpi_##name##_ parameters { name(pmpi_##name##_, ORTHO_LIST arguments); }                 \
    ORTHO_FORTRAN_F08(name, parameters, pmpi_##name##_f08_, arguments)                                       \
    static void name([[maybe_unused]] void(*mpis) parameters, ORTHO_LIST parameters)
/// The function `other` of the same binding.
#define ORTHO_SAME_BINDING(name, other) (mpis == pmpi_##name##_ ? pmpi_##other##_ : pmpi_##other##_f08_)
#else
#define ORTHO_FORTRAN(name, parameters, arguments)                                                           \
    extern "C" void pmpir_##name##_f08_ parameters __attribute__((weak));                                    \
    static void name(void(*mpis) parameters, ORTHO_LIST parameters);                                         \
    ORTHO_FORTRAN_F08(name, parameters, pmpir_##name##_f08_, arguments)                                      \
    static void name([[maybe_unused]] void(*mpis) parameters, ORTHO_LIST parameters)
#define ORTHO_SAME_BINDING(name, other) pmpir_##other##_f08_
#endif
