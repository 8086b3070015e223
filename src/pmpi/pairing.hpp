// SPDX-License-Identifier: BSD-3-Clause
// The pairing of blocks where a process has a neighbor twice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortho::pmpi {

/// With several edges to one process, each send block and each receive block goes along one of them.
enum class Pairing : std::uint8_t {
    in_order,     ///< the k-th send block for a process arrives in its k-th receive block from this one
    by_direction, ///< on grids: blocks to -1 arrive from +1, as in the standard (MPI-4.1 §8.6)
    reversed,     ///< the last send block for a process arrives in the first receive block
    unknown,      ///< none of these
};

/// MPI's neighborhood collectives, and the ways to call them.  In an allgather, in all its forms, all blocks
/// for a process are the same.
enum class Exchange : std::uint8_t { alltoall, alltoallv, alltoallw, allgather };
enum class Form : std::uint8_t { blocking, nonblocking, persistent };
struct Call {
    Exchange exchange;
    Form form;

    /// The number of the call, below `numbers`.
    constexpr std::size_t number() const
    {
        return static_cast<std::size_t>(exchange) * forms + static_cast<std::size_t>(form);
    }
    static constexpr std::size_t forms = 3;
    static constexpr std::size_t numbers = 4 * forms;
};

/// The pairing of blocks in a call on grids, or on graphs: that of MPI's own call, or with
/// ORTHO_PMPI_PAIRING=standard that of the standard.  The first question tries MPI's calls, on communicators
/// of this process alone.
Pairing pairing_of(Call call, bool on_grids);

} // namespace ortho::pmpi
