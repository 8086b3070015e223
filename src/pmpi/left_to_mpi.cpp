// SPDX-License-Identifier: BSD-3-Clause
// The communicators that leave their neighborhood collectives to MPI.

#include "pmpi/left_to_mpi.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cores.hpp"
#include "base/environment.hpp"
#include "mpi/interposer.hpp"
#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

namespace {

/// With more neighbors (26 were measured) combined messages are faster.
constexpr std::size_t few = 6;

std::atomic<int> left_altogether{0};
std::atomic<int> left_in_part{0};

/// Has the info a key of ours?
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

/// Does the environment of this process, or the program, ask for something that MPI's calls do not offer?
bool wants_ours(MPI_Info info)
{
    constexpr const char* wishes[] = {"ORTHO_ALGORITHM", "ORTHO_PROGRESS", "ORTHO_STALL_S"};
    return !may_leave() || is_strict() || mode() == Mode::unify || has_key(info) ||
           std::ranges::any_of(wishes,
                               [](const char* wish) { return base::environment(wish).has_value(); }) ||
           base::environment_flag("ORTHO_VERIFY").value_or(false);
}

/// Do all edges of this process lead both ways, and is it rank 0 or has a neighbor with a lower rank?  If
/// this holds on all processes, all are connected.
bool is_joined_both_ways(MPI_Comm comm, const Neighbors& neighbors)
{
    std::vector<int> sources = neighbors.sources;
    std::vector<int> targets = neighbors.targets;
    std::ranges::sort(sources);
    std::ranges::sort(targets);
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return sources == targets && (rank == 0 || (!sources.empty() && sources.front() < rank));
}

/// Bytes of a block; nothing for wrong arguments and for large blocks.
std::optional<MPI_Count> small_size(MPI_Count count, MPI_Datatype type)
{
    constexpr MPI_Count smaller_than = 4096;
    if (count < 0 || type == MPI_DATATYPE_NULL) return std::nullopt; // our call reports the error
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    if (count == 0 || size == 0) return 0;
    if (count >= smaller_than || size >= smaller_than || count * size >= smaller_than) return std::nullopt;
    return count * size;
}

} // namespace

void LeavingVote::say_of(MPI_Comm comm, InterposedTopology::Kind kind, const Neighbors& neighbors,
                         MPI_Info info)
{
    const bool is_grid = kind == InterposedTopology::Kind::grid;
    const std::size_t degree = std::max(neighbors.sources.size(), neighbors.targets.size());
    const int processes = base::processes_a_core();
    // Repeated neighbors need a trial of MPI's calls.  It is useless if this process has a core of its own.
    const auto may_be_left = [&] {
        return (!neighbors.repeated || processes > 1) &&
               is_right(neighbors, kind, {Exchange::alltoall, Form::blocking});
    };
    may_be_left_.say(!wants_ours(info) && degree <= few && may_be_left());
    processes_a_core_.say(processes);
    processor_.say(ortho_processor_number());
    knows_sizes_.say(is_grid || is_joined_both_ways(comm, neighbors));
}

void LeavingVote::hear()
{
    const bool is_one_node = processor_.holds();
    if (!may_be_left_.holds() || processes_a_core_.value() <= 1 || is_one_node) return;
    const bool by_size = knows_sizes_.holds();
    ++(by_size ? left_in_part : left_altogether);
    left_ = by_size ? Left::by_size : Left::all;
}

bool is_right(const Neighbors& neighbors, InterposedTopology::Kind kind, Call call)
{
    return !neighbors.gaps &&
           (!neighbors.repeated || mpi_pairs_so(call, kind == InterposedTopology::Kind::grid));
}

bool are_small(const RegularBlocks& blocks)
{
    const auto sent = small_size(blocks.sendcount, blocks.sendtype);
    // Open MPI 4 refuses blocks of two sizes (doc/mpi-bugs.md, no. 32).
    return sent && sent == small_size(blocks.recvcount, blocks.recvtype);
}

NumbersLeft numbers_left_to_mpi() { return {left_altogether.load(), left_in_part.load()}; }

} // namespace ortho::pmpi
