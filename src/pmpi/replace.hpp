// SPDX-License-Identifier: BSD-3-Clause
// Our calls in the place of MPI's.
#pragma once

#include <mpi.h>

#include <new>
#include <type_traits>
#include <utility>

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

/// Runs a body that stands for MPI's function of this name, on `comm`; its exceptions become errors there, but
/// for those of error handlers.
template <class Body>
int guarded(const char* function, MPI_Comm comm, Body body)
{
    try {
        return body();
    } catch (const base::Error& error) {
        return ortho_raise(function, comm, error.kind(), error.argument(), error.what());
    } catch (const std::bad_alloc& error) {
        return ortho_raise(function, comm, base::ErrorKind::memory, "memory", error.what());
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

} // namespace ortho::pmpi
