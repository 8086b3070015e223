// SPDX-License-Identifier: BSD-3-Clause
// Counts and displacements of any size for MPI's calls, which take ints.

#include "collectives/folded_call.hpp"

#include <limits>
#include <optional>

#include "collectives/call_traits.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/ialltoallw.hpp"
#include "mpi/large_count_type.hpp"
#include "mpi/which_mpi.hpp"
#include "transport/data_location.hpp"

namespace ortho::collectives {

Folded::Folded(MPI_Comm comm)
    // Open MPI 4.1's MPI_Alltoallw takes displacements for elements where a process is alone.
    : all_displacements_(mpi::which_mpi().is_open_mpi && mpi::size_of(comm) == 1)
{}

MPI_Datatype Folded::fold(MPI_Count count, MPI_Aint displacement, MPI_Datatype type)
{
    mpi::Datatype row;
    if (!mpi::fits(count)) {
        row = mpi::Datatype::row(count, type);
        type = row.get();
        count = 1;
    }
    const int elements = static_cast<int>(count);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check_users(PMPI_Type_create_hindexed(1, &elements, &displacement, type, &made));
    made_.emplace_back(made);
    mpi::check(PMPI_Type_commit(&made));
    return made;
}

void Folded::add(MPI_Count count, MPI_Aint displacement, MPI_Datatype type)
{
    using Int = std::numeric_limits<int>;
    const bool fits = all_displacements_ ? displacement == 0
                                         : displacement >= Int::min() && displacement <= mpi::most_elements;
    if ((!fits || !mpi::fits(count)) && count > 0) {
        type = fold(count, displacement, type);
        displacement = 0;
        count = 1;
    }
    counts_.push_back(static_cast<int>(count));
    displacements_.push_back(count > 0 ? static_cast<int>(displacement) : 0);
    types_.push_back(type);
}

void Folded::keep(mpi::ArgumentCopies& kept)
{
    for (MPI_Datatype& type : types_) kept.keep_type(type);
}

void FoldedSides::send_copy()
{
    if (sendbuf == MPI_IN_PLACE) {
        MPI_Aint end = 0;
        for (std::size_t i = 0; i < receive.entries(); ++i) {
            const MPI_Count count = receive.counts()[i];
            MPI_Datatype const type = receive.types()[i];
            if (count == 0) { // its type counts for nothing
                send.add_none();
                continue;
            }
            const mpi::Span span = mpi::span_of(mpi::measure(type), count);
            send.add(count, end - span.begin, type);
            end += span.end - span.begin;
        }
        copy = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(end));
        sendbuf = copy.get();
    }
    if (!copy) return;
    const auto block = [](const void* buffer, const Folded& side, std::size_t i) -> transport::DataLocation {
        auto* const begin = static_cast<std::byte*>(const_cast<void*>(buffer));
        return {begin + side.displacements()[i], side.counts()[i], side.types()[i]};
    };
    for (std::size_t i = 0; i < receive.entries(); ++i)
        if (send.counts()[i] > 0) transport::copy(block(recvbuf, receive, i), block(sendbuf, send, i));
}

int FoldedCall::run() const
{
    const auto& [sendbuf, send, recvbuf, receive, copy] = *sides;
    return PMPI_Alltoallw(sendbuf, send.counts(), send.displacements(), send.types(), recvbuf,
                          receive.counts(), receive.displacements(), receive.types(), comm);
}

int FoldedCall::post(MPI_Request* request) const
{
    auto& [sendbuf, send, recvbuf, receive, copy] = *sides;
    // MPICH 4.0 and Intel's MPI exchange blocks of types that differ in size wrongly in place.
    if (mpi::which_mpi().is_mpich) sides->send_copy();
    for (Folded* side : {&send, &receive}) side->fill_up(mpi::ialltoallw_entries(comm));
    return PMPI_Ialltoallw(sendbuf, send.counts(), send.displacements(), send.types(), recvbuf,
                           receive.counts(), receive.displacements(), receive.types(), comm, request);
}

void FoldedCall::keep(mpi::ArgumentCopies& kept)
{
    sides->send.keep(kept);
    sides->receive.keep(kept);
}

namespace {

/// The blocks of one side of a call, by the number of the process that each is exchanged with.
class Side {
public:
    Side(const mpi::CountArray& counts, const char* counts_name, const mpi::CountArray& displacements,
         const char* displacements_name)
        : counts_(counts),
          displacements_(displacements)
    {
        mpi::require_result(counts.data(), counts_name);
        mpi::require_result(displacements.data(), displacements_name);
    }
    Side& of(MPI_Datatype type)
    {
        type_ = type;
        step_ = mpi::measure(type).extent;
        return *this;
    }
    Side& of(const MPI_Datatype types[], const char* types_name)
    {
        mpi::require_result(types, types_name);
        types_ = types;
        return *this;
    }

    MPI_Aint displacement(int i) const { return static_cast<MPI_Aint>(displacements_[i]) * step_; }
    MPI_Datatype type(int i) const { return types_ != nullptr ? types_[i] : type_; }
    MPI_Count count(int i) const { return counts_[i]; }
    void add_to(Folded& folded, int i) const { folded.add(count(i), displacement(i), type(i)); }

private:
    mpi::CountArray counts_;
    mpi::CountArray displacements_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    const MPI_Datatype* types_ = nullptr;
    MPI_Aint step_ = 1;
};

/// An own block that lies in the receive buffer already is neither sent nor received.
int stays(const void* buffer, MPI_Comm comm)
{
    const bool in_place = buffer == MPI_IN_PLACE;
    base::require(!(in_place && mpi::is_inter(comm)), base::ErrorKind::buffer, "sendbuf",
                  "sendbuf is MPI_IN_PLACE on an inter-communicator");
    return in_place ? mpi::rank_of(comm) : -1;
}

FoldedCall with_buffers(MPI_Comm comm, const void* sendbuf, void* recvbuf)
{
    FoldedCall call(comm);
    call.sides->sendbuf = sendbuf;
    call.sides->recvbuf = recvbuf;
    return call;
}

template <class Call>
FoldedCall fold_allgather(const Call& call, const Side& receive)
{
    FoldedCall result = with_buffers(call.comm, call.sendbuf, call.recvbuf);
    FoldedSides& sides = *result.sides;
    const int self = stays(call.sendbuf, call.comm);
    MPI_Count count = call.sendcount;
    MPI_Datatype type = call.sendtype;
    if (self >= 0) {
        // By its absolute address, since MPI would take a send buffer that is the receive buffer for a
        // mistake.
        MPI_Aint address = 0;
        mpi::check(PMPI_Get_address(call.recvbuf, &address));
        type = sides.send.fold(receive.count(self), MPI_Aint_add(address, receive.displacement(self)),
                               receive.type(self));
        sides.sendbuf = MPI_BOTTOM;
        count = 1;
    }
    for (int i = 0; i < partners_of(call.comm); ++i) {
        if (i == self) {
            sides.send.add_none();
            sides.receive.add_none();
        } else {
            sides.send.add(count, 0, type);
            receive.add_to(sides.receive, i);
        }
    }
    return result;
}

template <class Call, class Sent, class Received>
FoldedCall fold_alltoall(const Call& call, Sent sent, Received received)
{
    FoldedCall result = with_buffers(call.comm, call.sendbuf, call.recvbuf);
    const int n = partners_of(call.comm);
    const Side in = received();
    for (int i = 0; i < n; ++i) in.add_to(result.sides->receive, i);
    if (call.sendbuf == MPI_IN_PLACE) return result;
    const Side out = sent();
    for (int i = 0; i < n; ++i) out.add_to(result.sides->send, i);
    return result;
}

/// Between the root, which has blocks(), and each other process, which has one.
template <class Call, class BufferBlocks>
void fold_rooted(const Call& call, int self, Folded& leafs, MPI_Count count, MPI_Datatype type, Folded& roots,
                 BufferBlocks blocks)
{
    const int n = partners_of(call.comm);
    const bool leaf = is_leaf(call.comm, call.root) && self < 0;
    for (int i = 0; i < n; ++i) {
        if (leaf && i == call.root)
            leafs.add(count, 0, type);
        else
            leafs.add_none();
    }
    std::optional<Side> side;
    if (is_root(call.comm, call.root)) side = blocks();
    for (int i = 0; i < n; ++i) {
        if (side && i != self)
            side->add_to(roots, i);
        else
            roots.add_none();
    }
}

} // namespace

FoldedCall stand_in(const Allgatherw& call)
{
    return fold_allgather(
        call, Side(call.recvcounts, "recvcounts", call.rdispls, "rdispls").of(call.recvtypes, "recvtypes"));
}

FoldedCall folded(const Allgatherv& call)
{
    return fold_allgather(call, Side(call.recvcounts, "recvcounts", call.displs, "displs").of(call.recvtype));
}

FoldedCall stand_in(const Alltoallw& call)
{
    return fold_alltoall(
        call,
        [&] {
            return Side(call.sendcounts, "sendcounts", call.sdispls, "sdispls")
                .of(call.sendtypes, "sendtypes");
        },
        [&] {
            return Side(call.recvcounts, "recvcounts", call.rdispls, "rdispls")
                .of(call.recvtypes, "recvtypes");
        });
}

FoldedCall folded(const Alltoallv& call)
{
    return fold_alltoall(
        call, [&] { return Side(call.sendcounts, "sendcounts", call.sdispls, "sdispls").of(call.sendtype); },
        [&] { return Side(call.recvcounts, "recvcounts", call.rdispls, "rdispls").of(call.recvtype); });
}

FoldedCall folded(const Gatherv& call)
{
    const int self = stays(call.sendbuf, call.comm);
    FoldedCall result = with_buffers(call.comm, self >= 0 ? nullptr : call.sendbuf, call.recvbuf);
    fold_rooted(call, self, result.sides->send, call.sendcount, call.sendtype, result.sides->receive,
                [&] { return Side(call.recvcounts, "recvcounts", call.displs, "displs").of(call.recvtype); });
    return result;
}

FoldedCall folded(const Scatterv& call)
{
    const int self = stays(call.recvbuf, call.comm);
    FoldedCall result = with_buffers(call.comm, call.sendbuf, self >= 0 ? nullptr : call.recvbuf);
    fold_rooted(call, self, result.sides->receive, call.recvcount, call.recvtype, result.sides->send,
                [&] { return Side(call.sendcounts, "sendcounts", call.displs, "displs").of(call.sendtype); });
    return result;
}

} // namespace ortho::collectives
