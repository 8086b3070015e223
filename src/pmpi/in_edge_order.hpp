// SPDX-License-Identifier: BSD-3-Clause
// The send blocks of a call in the order of their edges.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "pmpi/interposed_topology.hpp"

namespace ortho::pmpi {

/// n values.  A few values take no memory of the heap; allocation would be most of a short call's time.
template <class T>
class Values {
public:
    /// Makes value i by `value(i)`.
    template <class Value>
    Values(std::size_t n, Value value)
    {
        if (n > most_few) many_.resize(n);
        data_ = n > most_few ? many_.data() : few_;
        for (std::size_t i = 0; i < n; ++i) data_[i] = value(i);
    }
    Values(const Values&) = delete;
    Values& operator=(const Values&) = delete;
    const T* data() const { return data_; }

private:
    static constexpr std::size_t most_few = 32;
    T few_[most_few]; // not initialized
    std::vector<T> many_;
    T* data_;
};

/// At index k the value of the send block of edge k.  A null pointer stays null, for an error later.
template <class T>
class InEdgeOrder {
public:
    InEdgeOrder(const T* values, const EdgeOrder& order)
        : given_(values),
          is_ordered_(values != nullptr && order.blocks != nullptr),
          ordered_(is_ordered_ ? order.blocks->size() : 0,
                   [&](std::size_t i) { return values[(*order.blocks)[i]]; })
    {}
    const T* data() const { return is_ordered_ ? ordered_.data() : given_; }

private:
    const T* given_;
    bool is_ordered_;
    Values<T> ordered_;
};

/// Exchanges equal blocks that are not in the order of edges by `typed(arguments)`, with the arguments of an
/// MPI_Neighbor_alltoallw, the only form that can do it.
template <class Count, class Typed>
[[gnu::noinline]] int typed_in_edge_order(const EdgeOrder& order, const void* sendbuf, Count sendcount,
                                          MPI_Datatype sendtype, void* recvbuf, Count recvcount,
                                          MPI_Datatype recvtype, Typed typed)
{
    const std::size_t out = order.neighbors->targets;
    const std::size_t in = order.neighbors->sources;
    const auto bytes_of = [](Count count, MPI_Datatype type) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        PMPI_Type_get_extent(type, &lower, &extent);
        return static_cast<MPI_Aint>(count) * extent;
    };
    const MPI_Aint send_bytes = bytes_of(sendcount, sendtype);
    const MPI_Aint receive_bytes = bytes_of(recvcount, recvtype);
    const Values<MPI_Aint> sends(out, [&](std::size_t i) { return (*order.blocks)[i] * send_bytes; });
    const Values<MPI_Aint> receives(in,
                                    [&](std::size_t i) { return static_cast<MPI_Aint>(i) * receive_bytes; });
    const Values<Count> sendcounts(out, [&](std::size_t) { return sendcount; });
    const Values<Count> recvcounts(in, [&](std::size_t) { return recvcount; });
    const Values<MPI_Datatype> sendtypes(out, [&](std::size_t) { return sendtype; });
    const Values<MPI_Datatype> recvtypes(in, [&](std::size_t) { return recvtype; });
    return typed(sendbuf, sendcounts.data(), sends.data(), sendtypes.data(), recvbuf, recvcounts.data(),
                 receives.data(), recvtypes.data());
}

/// Exchanges equal blocks by `regular(arguments)`, with the arguments of an MPI_Neighbor_alltoall, if they
/// are in the order of edges or an argument is wrong; else by typed_in_edge_order().
template <class Count, class Regular, class Typed>
[[gnu::always_inline]] inline int alltoall_in_edge_order(const EdgeOrder& order, const void* sendbuf,
                                                         Count sendcount, MPI_Datatype sendtype,
                                                         void* recvbuf, Count recvcount,
                                                         MPI_Datatype recvtype, Regular regular, Typed typed)
{
    // An error must name the caller's own arguments.
    const bool is_wrong = sendcount < 0 || recvcount < 0 || sendtype == MPI_DATATYPE_NULL ||
                          recvtype == MPI_DATATYPE_NULL;
    if (order.blocks == nullptr || is_wrong) [[likely]]
        return regular(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
    return typed_in_edge_order(order, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, typed);
}

} // namespace ortho::pmpi
