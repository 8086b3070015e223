// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Bcast.

#include "collectives/arguments.hpp"
#include "mpiortho.h"

using namespace ortho;
using planner::Collective;

extern "C" int ORTHO_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Bcast(buffer, count, datatype, root, comm);
    return mpi::guard("ORTHO_Bcast", comm, [&] {
        const collectives::Arguments arguments(comm);
        arguments.check_root(root);
        constexpr collectives::SideNames names{"buffer", "count", "datatype", ""};
        engine::Call call{.collective = Collective::bcast, .send = {}, .receive = {}, .root = root};
        if (arguments.rank() == root && arguments.sends())
            call.send = arguments.regular(buffer, 1, count, datatype, names);
        else if (arguments.rank() != root && arguments.receives_from(root))
            call.receive = arguments.regular(buffer, 1, count, datatype, names);
        arguments.run(call);
    });
}
