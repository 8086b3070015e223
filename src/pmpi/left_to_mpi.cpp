// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose neighborhood collectives stay MPI's, because small blocks take longer with ours there.

#include "pmpi/left_to_mpi.hpp"

#include <algorithm>
#include <atomic>

#include "base/cores.hpp"
#include "base/environment.hpp"
#include "mpi/interposer.hpp"
#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

namespace {

/// With more neighbors (26 were measured) combined messages win.
constexpr std::size_t few = 6;

std::atomic<int> number_left{0};

/// Does this process's environment ask for something that MPI's calls do not have?
bool wants_ours()
{
    return !may_leave() || is_strict() || base::environment("ORTHO_ALGORITHM") ||
           base::environment_flag("ORTHO_VERIFY").value_or(false);
}

} // namespace

std::array<int, numbers_of_leaving> numbers_for_leaving(const Neighbors& neighbors)
{
    const std::size_t degree = std::max(neighbors.sources.size(), neighbors.targets.size());
    const bool is_against = wants_ours() || degree > few || !mpi_exchanges(neighbors);
    const int node = ortho_processor_number();
    return {is_against ? 1 : 0, base::processes_a_core(), node, -node};
}

bool are_left_to_mpi(std::span<const int, numbers_of_leaving> largest)
{
    const bool is_one_node = largest[2] == -largest[3];
    const bool left = largest[0] == 0 && largest[1] > 1 && !is_one_node;
    if (left) ++number_left;
    return left;
}

int number_left_to_mpi() { return number_left.load(); }

} // namespace ortho::pmpi
