// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose neighborhood collectives stay MPI's, because small blocks take longer with ours there.

#include "pmpi/left_to_mpi.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "base/cores.hpp"
#include "base/environment.hpp"
#include "mpi/interposer.hpp"
#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

namespace {

/// With more neighbors (26 were measured) combined messages win.
constexpr std::size_t few = 6;

std::atomic<int> number_left{0};

/// Is there a key of ours?
bool has_key(MPI_Info info)
{
    int keys = 0;
    if (info == MPI_INFO_NULL || PMPI_Info_get_nkeys(info, &keys) != MPI_SUCCESS) return false;
    for (int i = 0; i < keys; ++i) {
        char key[MPI_MAX_INFO_KEY + 1];
        if (PMPI_Info_get_nthkey(info, i, key) == MPI_SUCCESS && std::string_view(key).starts_with("ortho_"))
            return true;
    }
    return false;
}

/// Does this process's environment, or the program, ask for something that MPI's calls do not have?
bool wants_ours(MPI_Info info)
{
    constexpr const char* wishes[] = {"ORTHO_ALGORITHM", "ORTHO_PROGRESS", "ORTHO_STALL_S"};
    return !may_leave() || is_strict() || mode() == Mode::unify || has_key(info) ||
           std::ranges::any_of(wishes,
                               [](const char* wish) { return base::environment(wish).has_value(); }) ||
           base::environment_flag("ORTHO_VERIFY").value_or(false);
}

} // namespace

std::array<int, numbers_of_leaving> numbers_for_leaving(const Neighbors& neighbors, MPI_Info info)
{
    const std::size_t degree = std::max(neighbors.sources.size(), neighbors.targets.size());
    const bool is_against = wants_ours(info) || degree > few || !mpi_exchanges(neighbors);
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
