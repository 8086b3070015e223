// SPDX-License-Identifier: BSD-3-Clause
// Our calls in the place of MPI's.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/interposer.hpp"
#include "pmpi/call_report.hpp"
#include "pmpi/interposed_topology.hpp"
#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

/// Gives calls of the library the name of MPI's function in reports, as long as this object lives.
class Named {
public:
    explicit Named(const char* function) : before_(ortho_call_as(function)) {}
    Named(const Named&) = delete;
    Named& operator=(const Named&) = delete;
    ~Named() { ortho_call_as(before_); }

private:
    const char* before_;
};

/// Raises the exception that is caught, but for those of error handlers, which go on.
int raise_caught(const char* function, MPI_Comm comm);

/// Runs a body that stands for MPI's function of this name, on `comm`; its exceptions become errors there, but
/// for those of error handlers.
template <class Body>
int guarded(const char* function, MPI_Comm comm, Body body)
{
    try {
        return body();
    } catch (...) {
        return raise_caught(function, comm);
    }
}

/// True if the MPI that runs has this function.
template <class Function>
bool is_there(Function* function)
{
    return function != nullptr;
}

/// Calls a function of MPI's that may not be there.
template <class... Parameters, class... Arguments>
int if_there(int (*mpis)(Parameters...), Arguments... arguments)
{
    return mpis != nullptr ? mpis(arguments...) : MPI_ERR_UNSUPPORTED_OPERATION;
}

/// Calls MPI's function with large counts or, if that is not there, the one with ints.  Programs that look which
/// functions there are, such as mpi4py, find that of the interposer with any MPI.
template <class... Larges, class... Smalls, class... Arguments>
int large_or_small(int (*large)(Larges...), int (*small)(Smalls...), Arguments... arguments)
{
    if (large != nullptr) return large(arguments...);
    const auto fits = [](auto argument, auto* small_one) {
        if constexpr (std::is_same_v<decltype(small_one), int*>) return std::in_range<int>(argument);
        return true;
    };
    if (!(fits(arguments, static_cast<std::add_pointer_t<Smalls>>(nullptr)) && ...)) return MPI_ERR_COUNT;
    return if_there(small, static_cast<Smalls>(arguments)...);
}

/// Leaves a call to MPI.
template <class Mpis>
int left(Counter& counter, const EdgeOrder& order, Mpis mpis)
{
    if (order.is_left) counter.leave();
    return mpis();
}

/// A blocking neighborhood collective: `ours(order)` if it is replaced, else `mpis()`.
template <class Ours, class Mpis>
int replace(Counter& counter, MPI_Comm comm, Call call, Ours ours, Mpis mpis)
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        const EdgeOrder order = order_on(comm, call);
        if (order.neighbors == nullptr) return left(counter, order, mpis);
        const Counter::Timing timing(counter);
        return ours(order);
    });
}

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
