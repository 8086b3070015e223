// SPDX-License-Identifier: BSD-3-Clause
// Fortran's collectives.
#pragma once

#include <mpi.h>

#include <vector>

#include "pmpi/fortran.hpp"
#include "pmpi/unify.hpp"

namespace ortho::pmpi::fortran {

#ifdef OPEN_MPI

/// The datatypes of a w call, as many as there are neighbors.
struct Types {
    Types(const Fint* comm, const Fint* send, const Fint* receive)
    {
        const InterposedTopology* const attribute = attribute_of(comm_of(comm));
        if (attribute == nullptr) return; // MPI reports an error before it reads them
        sendtypes = types_of(send, attribute->targets);
        recvtypes = types_of(receive, attribute->sources);
    }
    Types(const BlockNumbers& blocks, const Fint* send, const Fint* receive)
        : sendtypes(types_of(send, blocks.sent)),
          recvtypes(types_of(receive, blocks.received))
    {}
    std::vector<MPI_Datatype> sendtypes;
    std::vector<MPI_Datatype> recvtypes;
};

/// Is the call left to MPI?
inline bool is_mpis(const Fint* comm, Call call)
{
    return mode() == Mode::off || order_on(comm_of(comm), call).neighbors == nullptr;
}

#endif // OPEN_MPI

} // namespace ortho::pmpi::fortran

/// Defines a collective that ORTHO_PMPI=unify changes: the body is for communicators with a graph.
#define ORTHO_UNIFY_FORTRAN(name, parameters, arguments)                                                     \
    static void name##_of(const pmpi::InterposedTopology& neighbors, ORTHO_LIST parameters);                 \
    ORTHO_FORTRAN(name, parameters, arguments)                                                               \
    {                                                                                                        \
        if (const pmpi::InterposedTopology* const graph = pmpi::graph_meant_by(comm_of(comm)))               \
            name##_of(*graph, ORTHO_LIST arguments);                                                         \
        else                                                                                                 \
            mpis arguments;                                                                                  \
    }                                                                                                        \
    static void name##_of([[maybe_unused]] const pmpi::InterposedTopology& neighbors, ORTHO_LIST parameters)

/// Defines a collective that ORTHO_PMPI=dense may replace, too: the body makes the call of C.
#define ORTHO_DENSE_FORTRAN(name, parameters, arguments)                                                     \
    static void name##_by_c parameters;                                                                      \
    ORTHO_FORTRAN(name, parameters, arguments)                                                               \
    {                                                                                                        \
        if (pmpi::may_be_replaced(comm_of(comm)))                                                            \
            name##_by_c arguments;                                                                           \
        else                                                                                                 \
            mpis arguments;                                                                                  \
    }                                                                                                        \
    static void name##_by_c parameters
