// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Reduce_scatterv in its three forms.  MPI has no such call: on full and inter-communicators,
// where every process has all others for neighbors, it is MPI's alltoallv and a reduction of what
// arrives, in rank order.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "collectives/forms.hpp"
#include "mpi/datatype.hpp"
#include "mpi/operator.hpp"
#include "transport/copy.hpp"

using namespace ortho;
using base::ErrorKind;
using collectives::Arguments;

namespace {

/// One block from each partner.  A block is one element of a type of its own, so that no displacement
/// overflows.
class Inbox {
public:
    Inbox(int partners, int count, MPI_Datatype datatype)
        : partners_(partners),
          count_(count),
          datatype_(datatype)
    {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        mpi::check_users(PMPI_Type_contiguous(count, datatype, &made));
        block_ = mpi::Datatype(made);
        mpi::check(PMPI_Type_commit(&made));
        measures_ = mpi::measure(made);
        const mpi::Span span = mpi::span_of(measures_, partners);
        temp_ = std::make_unique_for_overwrite<std::byte[]>(
            static_cast<std::size_t>(std::max<MPI_Aint>(1, span.end - span.begin)));
        first_ = temp_.get() - span.begin;
        // None of blocks without elements: what MPI is to receive somebody must send.
        ones_.assign(static_cast<std::size_t>(partners), count > 0 ? 1 : 0);
        positions_.resize(ones_.size());
        std::iota(positions_.begin(), positions_.end(), 0);
    }

    void* address() const { return first_; }
    const int* counts() const { return ones_.data(); }
    const int* displacements() const { return positions_.data(); }
    MPI_Datatype type() const { return block_.get(); }

    void reduce_into(void* result, MPI_Op op) const
    {
        const auto block_at = [&](int i) { return first_ + i * measures_.extent; };
        transport::copy({block_at(partners_ - 1), count_, datatype_}, {result, count_, datatype_});
        for (int i = partners_ - 1; i-- > 0;)
            mpi::check_users(PMPI_Reduce_local(block_at(i), result, count_, datatype_, op));
    }

private:
    int partners_;
    int count_;
    MPI_Datatype datatype_;
    mpi::Datatype block_;
    mpi::Measures measures_{};
    std::unique_ptr<std::byte[]> temp_;
    std::byte* first_ = nullptr;
    std::vector<int> ones_;
    std::vector<int> positions_;
};

struct ReduceScatterv {
    const void* sendbuf;
    const int* sendcounts;
    const int* senddispls;
    void* recvbuf;
    int recvcount;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;
    mutable std::shared_ptr<Inbox> inbox = nullptr;

    int run() const
    {
        open();
        const int code = PMPI_Alltoallv(sendbuf, sendcounts, senddispls, datatype, inbox->address(),
                                        inbox->counts(), inbox->displacements(), inbox->type(), comm);
        if (code == MPI_SUCCESS) finish();
        return code;
    }
    int post(MPI_Request* request) const
    {
        open();
        return PMPI_Ialltoallv(sendbuf, sendcounts, senddispls, datatype, inbox->address(), inbox->counts(),
                               inbox->displacements(), inbox->type(), comm, request);
    }
    void finish() const { inbox->reduce_into(recvbuf, op); }
    void keep(collectives::Kept& kept)
    {
        const int n = collectives::partners_of(comm);
        kept.keep(sendcounts, n);
        kept.keep(senddispls, n);
        kept.keep_type(datatype);
    }

    engine::Call describe(const Arguments& arguments) const
    {
        arguments.check_operator(op, datatype, recvcount, "recvcount");
        engine::Call call{.collective = planner::Collective::reduce_scatter,
                          .send = {},
                          .receive = {},
                          .irregular = true,
                          .op = op,
                          .element = engine::Blocks::regular(nullptr, 1, recvcount, datatype)};
        if (arguments.sends())
            call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, senddispls, datatype,
                                          {"sendbuf", "sendcount", "datatype", "senddispls"});
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, recvcount, datatype,
                                             {"recvbuf", "recvcount", "datatype", ""});
        return call;
    }

private:
    void open() const
    {
        base::require(sendbuf != MPI_IN_PLACE, ErrorKind::buffer, "sendbuf", "sendbuf is MPI_IN_PLACE");
        base::require(recvbuf != MPI_IN_PLACE, ErrorKind::buffer, "recvbuf", "recvbuf is MPI_IN_PLACE");
        base::require(recvcount >= 0, ErrorKind::count, "recvcount", "recvcount = ", recvcount,
                      " is negative");
        base::require(datatype != MPI_DATATYPE_NULL, ErrorKind::type, "datatype",
                      "datatype is MPI_DATATYPE_NULL");
        // Of other types null may be MPI_BOTTOM, with absolute displacements.
        base::require(recvcount == 0 || recvbuf != nullptr || !mpi::is_named(datatype), ErrorKind::buffer,
                      "recvbuf", "recvbuf is a null pointer");
        mpi::require_operator(op, datatype);
        mpi::require_result(sendcounts, "sendcounts");
        mpi::require_result(senddispls, "senddispls");
        if (!inbox) inbox = std::make_shared<Inbox>(collectives::partners_of(comm), recvcount, datatype);
    }
};

} // namespace

extern "C" {

int ORTHO_Reduce_scatterv(const void* sendbuf, const int sendcounts[], const int senddispls[], void* recvbuf,
                          int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return collectives::blocking(
        "ORTHO_Reduce_scatterv",
        ReduceScatterv{sendbuf, sendcounts, senddispls, recvbuf, recvcount, datatype, op, comm});
}

int ORTHO_Ireduce_scatterv(const void* sendbuf, const int sendcounts[], const int senddispls[], void* recvbuf,
                           int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                           ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Ireduce_scatterv",
        ReduceScatterv{sendbuf, sendcounts, senddispls, recvbuf, recvcount, datatype, op, comm}, request);
}

int ORTHO_Reduce_scatterv_init(const void* sendbuf, const int sendcounts[], const int senddispls[],
                               void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Reduce_scatterv_init",
        ReduceScatterv{sendbuf, sendcounts, senddispls, recvbuf, recvcount, datatype, op, comm}, info,
        request);
}

} // extern "C"
