// SPDX-License-Identifier: BSD-3-Clause
// Reductions on a graph.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "collectives/call_traits.hpp"
#include "collectives/on_mpi.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/large_count_type.hpp"
#include "mpi/operator.hpp"
#include "transport/data_location.hpp"

namespace ortho::collectives {

namespace {

using planner::Collective;

constexpr SideNames summed_names{"sendbuf", "count", "datatype", ""};
constexpr SideNames sum_names{"recvbuf", "count", "datatype", ""};

[[noreturn]] void refuse_prefix() { base::fail(base::ErrorKind::undefined, "comm", no_order); }

} // namespace

call::Call Reduce::describe(const ArgumentChecks& arguments) const
{
    arguments.check_root(root);
    arguments.check_operator(op, datatype, count);
    const bool is_root = arguments.rank() == root;
    call::Call call{.collective = Collective::reduce,
                    .root = root,
                    .op = op,
                    .element = call::BufferBlocks::regular(nullptr, 1, count, datatype)};
    call.in_place = is_root && sendbuf == MPI_IN_PLACE;
    if (is_root && arguments.receives())
        call.receive = arguments.regular(recvbuf, 1, count, datatype, sum_names);
    if (arguments.sends_to(root))
        call.send = call.in_place ? call.receive
                                  : arguments.regular(sendbuf, 1, count, datatype, summed_names);
    arguments.check_distinct(call.in_place ? call::BufferBlocks() : call.send, call.receive);
    return call;
}

call::Call Allreduce::describe(const ArgumentChecks& arguments) const
{
    arguments.check_operator(op, datatype, count);
    call::Call call{.collective = Collective::allreduce,
                    .op = op,
                    .element = call::BufferBlocks::regular(nullptr, 1, count, datatype)};
    call.in_place = sendbuf == MPI_IN_PLACE;
    if (arguments.receives()) call.receive = arguments.regular(recvbuf, 1, count, datatype, sum_names);
    if (arguments.sends())
        call.send = arguments.regular(call.in_place ? recvbuf : sendbuf, 1, count, datatype, summed_names);
    arguments.check_distinct(call.in_place ? call::BufferBlocks() : call.send, call.receive);
    return call;
}

call::Call Reduce_scatter_block::describe(const ArgumentChecks& arguments) const
{
    arguments.check_operator(op, datatype, recvcount, "recvcount");
    call::Call call{.collective = planner::Collective::reduce_scatter,
                    .op = op,
                    .element = call::BufferBlocks::regular(nullptr, 1, recvcount, datatype)};
    if (arguments.sends())
        call.send = arguments.regular(sendbuf, arguments.outdegree(), recvcount, datatype,
                                      {"sendbuf", "recvcount", "datatype", ""});
    if (arguments.receives())
        call.receive = arguments.regular(recvbuf, 1, recvcount, datatype,
                                         {"recvbuf", "recvcount", "datatype", ""});
    arguments.check_distinct(call.send, call.receive);
    return call;
}

call::Call Reduce_scatter::describe(const ArgumentChecks&) const
{
    base::fail(base::ErrorKind::undefined, "comm",
               "Reduce_scatter has no meaning on a graph; see ORTHO_Reduce_scatterv");
}

call::Call Scan::describe(const ArgumentChecks&) const { refuse_prefix(); }

call::Call Exscan::describe(const ArgumentChecks&) const { refuse_prefix(); }

using base::ErrorKind;

call::Call Reduce_scatterv::describe(const ArgumentChecks& arguments) const
{
    arguments.check_operator(op, datatype, recvcount, "recvcount");
    call::Call call{.collective = planner::Collective::reduce_scatter,
                    .irregular = true,
                    .op = op,
                    .element = call::BufferBlocks::regular(nullptr, 1, recvcount, datatype)};
    if (arguments.sends())
        call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, senddispls, datatype,
                                      {"sendbuf", "sendcount", "datatype", "senddispls"});
    if (arguments.receives())
        call.receive = arguments.regular(recvbuf, 1, recvcount, datatype,
                                         {"recvbuf", "recvcount", "datatype", ""});
    return call;
}

/// One block from each partner.
class Reduction::Inbox {
public:
    Inbox(int partners, MPI_Count count, MPI_Datatype datatype) : partners_(partners), count_(count)
    {
        const mpi::Measures measures = mpi::measure(datatype);
        const mpi::Span span = mpi::operands_span(measures, count * partners);
        step_ = static_cast<MPI_Aint>(count) * measures.extent;
        temp_ = std::make_unique_for_overwrite<std::byte[]>(
            static_cast<std::size_t>(std::max<MPI_Aint>(1, span.end - span.begin)));
        first_ = temp_.get() - span.begin;
    }

    std::byte* address() const { return first_; }
    MPI_Aint displacement(int i) const { return i * step_; }

    void reduce_into(void* result, MPI_Datatype datatype, MPI_Op op) const
    {
        const auto block_at = [&](int i) { return first_ + displacement(i); };
        transport::copy({block_at(partners_ - 1), count_, datatype}, {result, count_, datatype});
        for (int i = partners_ - 1; i-- > 0;)
            mpi::check_users(mpi::reduce_local(block_at(i), result, count_, datatype, op));
    }

private:
    int partners_;
    MPI_Count count_;
    MPI_Aint step_ = 0;
    std::unique_ptr<std::byte[]> temp_;
    std::byte* first_ = nullptr;
};

Reduction::Reduction(const Reduce_scatterv& call) : comm(call.comm), call_(call)
{
    const auto& [sendbuf, sendcounts, senddispls, recvbuf, recvcount, datatype, op, its_comm, large,
                 of_neighbors] = call;
    base::require(sendbuf != MPI_IN_PLACE, ErrorKind::buffer, "sendbuf", "sendbuf is MPI_IN_PLACE");
    base::require(recvbuf != MPI_IN_PLACE, ErrorKind::buffer, "recvbuf", "recvbuf is MPI_IN_PLACE");
    require_count(recvcount, "recvcount");
    base::require(datatype != MPI_DATATYPE_NULL, ErrorKind::type, "datatype",
                  "datatype is MPI_DATATYPE_NULL");
    // For other types null may be MPI_BOTTOM, with absolute displacements.
    base::require(recvcount == 0 || recvbuf != nullptr || !mpi::is_named(datatype), ErrorKind::buffer,
                  "recvbuf", "recvbuf is a null pointer");
    mpi::require_operator(op, datatype);
    mpi::require_result(sendcounts.data(), "sendcounts");
    mpi::require_result(senddispls.data(), "senddispls");

    const int n = partners_of(comm);
    inbox_ = std::make_shared<Inbox>(n, recvcount, datatype);
    sides_->sendbuf = sendbuf;
    sides_->recvbuf = inbox_->address();
    const MPI_Aint extent = mpi::measure(datatype).extent;
    for (int i = 0; i < n; ++i) {
        sides_->send.add(sendcounts[i], static_cast<MPI_Aint>(senddispls[i]) * extent, datatype);
        sides_->receive.add(recvcount, inbox_->displacement(i), datatype);
    }
}

int Reduction::run() const
{
    const int code = FoldedCall{comm, sides_}.run();
    if (code == MPI_SUCCESS) finish();
    return code;
}

void Reduction::keep(mpi::ArgumentCopies& kept)
{
    FoldedCall{comm, sides_}.keep(kept);
    kept.keep_type(call_.datatype);
}

void Reduction::finish() const { inbox_->reduce_into(call_.recvbuf, call_.datatype, call_.op); }

Reduction stand_in(const Reduce_scatterv& call) { return Reduction(call); }

bool narrow(Reduce_scatter& call, std::vector<int>& counts)
{
    const int n = mpi::size_of(call.comm);
    MPI_Count all = 0;
    for (int i = 0; i < n; ++i) all += call.recvcounts[i];
    if (!mpi::fits(all)) return false;
    for (int i = 0; i < n; ++i) counts.push_back(static_cast<int>(call.recvcounts[i]));
    call.recvcounts = counts.data();
    return true;
}

namespace {

/// The blocks come one after the other, in rank order; each process's block has `count(rank)` elements.
template <class Collective, class Count>
Reduction of_blocks_in_order(const Collective& call, Count count)
{
    std::vector<MPI_Count> counts;
    std::vector<MPI_Count> displacements;
    MPI_Count next = 0;
    for (int i = 0; i < mpi::size_of(call.comm); ++i) {
        counts.push_back(count(i));
        displacements.push_back(next);
        next += counts.back();
    }
    return Reduction({call.sendbuf == MPI_IN_PLACE ? call.recvbuf : call.sendbuf, counts.data(),
                      displacements.data(), call.recvbuf,
                      counts[static_cast<std::size_t>(mpi::rank_of(call.comm))], call.datatype, call.op,
                      call.comm, true});
}

} // namespace

Reduction folded(const Reduce_scatter& call)
{
    // A process knows nothing of the other group's counts.
    base::require(!mpi::is_inter(call.comm), ErrorKind::count, "recvcounts",
                  "recvcounts has more elements in all than an int can count, which this MPI does not reduce "
                  "on inter-communicators");
    return of_blocks_in_order(call, [&](int i) { return call.recvcounts[i]; });
}

Reduction folded(const Reduce_scatter_block& call)
{
    return of_blocks_in_order(call, [&](int) { return call.recvcount; });
}

} // namespace ortho::collectives
