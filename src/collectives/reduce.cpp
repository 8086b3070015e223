// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Reduce and ORTHO_Allreduce in their three forms.

#include "collectives/forms.hpp"

using namespace ortho;
using collectives::Arguments;
using planner::Collective;

namespace {

constexpr collectives::SideNames sum_send_names{"sendbuf", "count", "datatype", ""};
constexpr collectives::SideNames sum_receive_names{"recvbuf", "count", "datatype", ""};

struct Reduce {
    const void* sendbuf;
    void* recvbuf;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    int root;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Reduce, PMPI_Ireduce, PMPI_Reduce_init, sendbuf, recvbuf, count, datatype, op, root,
                 comm)
    void keep(collectives::Kept& kept) { kept.keep_type(datatype); }

    engine::Call describe(const Arguments& arguments) const
    {
        arguments.check_root(root);
        arguments.check_operator(op, datatype, count);
        const bool is_root = arguments.rank() == root;
        engine::Call call{.collective = Collective::reduce,
                          .send = {},
                          .receive = {},
                          .root = root,
                          .op = op,
                          .element = engine::Blocks::regular(nullptr, 1, count, datatype)};
        call.in_place = is_root && sendbuf == MPI_IN_PLACE;
        if (is_root && arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, count, datatype, sum_receive_names);
        if (arguments.sends_to(root))
            call.send = call.in_place ? call.receive
                                      : arguments.regular(sendbuf, 1, count, datatype, sum_send_names);
        arguments.check_distinct(call.in_place ? engine::Blocks() : call.send, call.receive);
        return call;
    }
};

struct Allreduce {
    const void* sendbuf;
    void* recvbuf;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Allreduce, PMPI_Iallreduce, PMPI_Allreduce_init, sendbuf, recvbuf, count, datatype, op,
                 comm)
    void keep(collectives::Kept& kept) { kept.keep_type(datatype); }

    engine::Call describe(const Arguments& arguments) const
    {
        arguments.check_operator(op, datatype, count);
        engine::Call call{.collective = Collective::allreduce,
                          .send = {},
                          .receive = {},
                          .op = op,
                          .element = engine::Blocks::regular(nullptr, 1, count, datatype)};
        call.in_place = sendbuf == MPI_IN_PLACE;
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, count, datatype, sum_receive_names);
        if (arguments.sends())
            call.send = arguments.regular(call.in_place ? recvbuf : sendbuf, 1, count, datatype,
                                          sum_send_names);
        arguments.check_distinct(call.in_place ? engine::Blocks() : call.send, call.receive);
        return call;
    }
};

} // namespace

extern "C" {

int ORTHO_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                 MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Reduce", Reduce{sendbuf, recvbuf, count, datatype, op, root, comm});
}

int ORTHO_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                  MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Ireduce",
                                    Reduce{sendbuf, recvbuf, count, datatype, op, root, comm}, request);
}

int ORTHO_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      int root, MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Reduce_init",
                                   Reduce{sendbuf, recvbuf, count, datatype, op, root, comm}, info, request);
}

int ORTHO_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Allreduce", Allreduce{sendbuf, recvbuf, count, datatype, op, comm});
}

int ORTHO_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Iallreduce",
                                    Allreduce{sendbuf, recvbuf, count, datatype, op, comm}, request);
}

int ORTHO_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Allreduce_init",
                                   Allreduce{sendbuf, recvbuf, count, datatype, op, comm}, info, request);
}

} // extern "C"
