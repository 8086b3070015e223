// SPDX-License-Identifier: BSD-3-Clause
// One call of ours in the place of one of MPI's.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "mpi/interposer.hpp"
#include "pmpi/call_report.hpp"
#include "pmpi/pmpi_settings.hpp"
#include "pmpi/topology_attribute.hpp"

namespace ortho::pmpi {

/// Run a body that makes calls of MPI's function of that name, on `comm`; exceptions become errors there.
template <class Body>
int guarded(const char* function, MPI_Comm comm, Body body) noexcept
{
    try {
        return body();
    } catch (const base::Error& error) {
        return ortho_raise(function, comm, error.kind(), error.argument(), error.what());
    } catch (const std::exception& error) {
        return ortho_raise(function, comm, base::ErrorKind::memory, "memory", error.what());
    }
}

/// A blocking call on `comm`: `ours(neighbors, graph)` if there is something for it, which `find()` says,
/// else `mpis()`.
template <class Find, class Ours, class Mpis>
int replace_if(Counter& counter, MPI_Comm comm, Find find, Ours ours, Mpis mpis) noexcept
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        TopologyAttribute* const carried = find();
        if (carried == nullptr) return mpis();
        const Counter::Timing timing(counter);
        MPI_Comm const graph = graph_of(*carried, comm);
        if (graph == MPI_COMM_NULL) return MPI_ERR_OTHER;
        const int code = ours(*carried->neighbors, graph);
        return code == MPI_SUCCESS || graph == comm ? code
                                                    : ortho_raise_again(counter.function(), comm, code);
    });
}

/// The same: if the communicator carries a topology whose collectives are not MPI's.
template <class Ours, class Mpis>
int replace(Counter& counter, MPI_Comm comm, Ours ours, Mpis mpis) noexcept
{
    return replace_if(
        counter, comm, [&] { return exchanged_on(comm); }, ours, mpis);
}

/// The same of an exchange of such blocks.
template <class Ours, class Mpis>
int replace(Counter& counter, MPI_Comm comm, const RegularBlocks& blocks, Ours ours, Mpis mpis) noexcept
{
    return replace_if(
        counter, comm, [&] { return exchanged_on(comm, blocks); }, ours, mpis);
}

} // namespace ortho::pmpi
