// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Bcast in its three forms.

#include "collectives/forms.hpp"

using namespace ortho;

namespace {

struct Bcast {
    void* buffer;
    int count;
    MPI_Datatype datatype;
    int root;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Bcast, PMPI_Ibcast, PMPI_Bcast_init, buffer, count, datatype, root, comm)
    void keep(collectives::Kept& kept) { kept.keep_type(datatype); }

    engine::Call describe(const collectives::Arguments& arguments) const
    {
        arguments.check_root(root);
        constexpr collectives::SideNames names{"buffer", "count", "datatype", ""};
        engine::Call call{.collective = planner::Collective::bcast, .send = {}, .receive = {}, .root = root};
        if (arguments.rank() == root && arguments.sends())
            call.send = arguments.regular(buffer, 1, count, datatype, names);
        else if (arguments.rank() != root && arguments.receives_from(root))
            call.receive = arguments.regular(buffer, 1, count, datatype, names);
        return call;
    }
};

} // namespace

extern "C" {

int ORTHO_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Bcast", Bcast{buffer, count, datatype, root, comm});
}

int ORTHO_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Ibcast", Bcast{buffer, count, datatype, root, comm}, request);
}

int ORTHO_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                     ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Bcast_init", Bcast{buffer, count, datatype, root, comm}, info,
                                   request);
}

} // extern "C"
