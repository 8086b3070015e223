// SPDX-License-Identifier: BSD-3-Clause
// Our calls in the place of MPI's.
#pragma once

#include <mpi.h>

#include <new>

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

/// Calls a function of MPI's that may not be there.
template <class... Parameters, class... Arguments>
int if_there(int (*mpis)(Parameters...), Arguments... arguments)
{
    return mpis != nullptr ? mpis(arguments...) : MPI_ERR_OTHER;
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
