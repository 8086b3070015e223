// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose neighborhood collectives stay MPI's, because ours are known to be slower there.

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
constexpr int few = 6;

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
    const int degree = static_cast<int>(std::max(neighbors.sources.size(), neighbors.targets.size()));
    const int node = ortho_processor_number();
    return {degree, base::processes_a_core(), node, -node, wants_ours() ? 1 : 0};
}

bool are_left_to_mpi(const Neighbors& neighbors, std::span<const int, numbers_of_leaving> largest)
{
    const auto [degree, processes_a_core, last_node, minus_first_node,
                want_ours] = std::to_array({largest[0], largest[1], largest[2], largest[3], largest[4]});
    const bool is_one_node = last_node == -minus_first_node;
    const bool left = mpi_exchanges(neighbors) && degree <= few && processes_a_core > 1 && !is_one_node &&
                      want_ours == 0;
    if (left) ++number_left;
    return left;
}

int number_left_to_mpi() { return number_left.load(); }

} // namespace ortho::pmpi
