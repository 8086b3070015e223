// SPDX-License-Identifier: BSD-3-Clause
// Which block is whose where a process has a neighbor twice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortho::pmpi {

/// Several edges lead to one process: each send block goes along one, and each receive block comes along one.
enum class Pairing : std::uint8_t {
    in_order,     ///< the k-th send block for a process arrives in its k-th receive block from this one
    by_direction, ///< on grids: what goes to -1 arrives from +1, as the standard says (MPI-4.1 §8.6)
    reversed,     ///< the last send block for a process arrives in the first receive block
    unknown,      ///< none of these
};

/// MPI's neighborhood collectives, and how they are called.  In an allgather, in all of its forms, the blocks
/// for a process are one and the same.
enum class Exchange : std::uint8_t { alltoall, alltoallv, alltoallw, allgather };
enum class Form : std::uint8_t { blocking, nonblocking, persistent };
struct Call {
    Exchange exchange;
    Form form;

    /// The number of the call, of so many.
    constexpr std::size_t number() const
    {
        return static_cast<std::size_t>(exchange) * forms + static_cast<std::size_t>(form);
    }
    static constexpr std::size_t forms = 3;
    static constexpr std::size_t numbers = 4 * forms;
};

/// How a call pairs blocks on grids, or on graphs: as MPI's own does, or with ORTHO_PMPI_PAIRING=standard as
/// the standard says.  MPI's calls are tried out when somebody asks first, on communicators of this process
/// alone.
Pairing pairing_of(Call call, bool on_grids);

/// Does MPI's own call do that?
bool mpi_pairs_so(Call call, bool on_grids);

} // namespace ortho::pmpi
