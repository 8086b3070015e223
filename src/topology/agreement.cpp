// SPDX-License-Identifier: BSD-3-Clause
// Processes that must find the same thing, or fail together.

#include "topology/agreement.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "grid/uniformity.hpp"

namespace ortho::topology {

namespace {

/// A logical and over all processes.
bool all_agree(MPI_Comm comm, bool mine)
{
    int all = mine ? 1 : 0;
    mpi::check_users(PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm));
    return all != 0;
}

/// The corners' lists, at rank 0, which is one of them.
std::vector<grid::Stencil> gather_corners(MPI_Comm channel, const grid::Grid& grid,
                                          const grid::Stencil& mine, int rank)
{
    std::vector<grid::Stencil> lists;
    for (const int corner : grid::corners(grid)) {
        if (corner == 0) {
            lists.push_back(mine);
        } else if (rank == 0) {
            int length = 0;
            mpi::check(PMPI_Recv(&length, 1, MPI_INT, corner, 0, channel, MPI_STATUS_IGNORE));
            std::vector<int> flat(static_cast<std::size_t>(length));
            mpi::check(PMPI_Recv(flat.data(), length, MPI_INT, corner, 0, channel, MPI_STATUS_IGNORE));
            lists.emplace_back(grid.dimensions(), std::move(flat));
        } else if (rank == corner) {
            const int length = static_cast<int>(mine.flat().size());
            mpi::check(PMPI_Send(&length, 1, MPI_INT, 0, 0, channel));
            mpi::check(PMPI_Send(mine.flat().data(), length, MPI_INT, 0, 0, channel));
        }
    }
    return lists;
}

grid::Neighborhood from_rank_0(MPI_Comm channel, grid::Neighborhood neighborhood)
{
    std::vector<int> flat(neighborhood.offsets.flat().begin(), neighborhood.offsets.flat().end());
    int length = static_cast<int>(flat.size());
    mpi::check(PMPI_Bcast(&length, 1, MPI_INT, 0, channel));
    flat.resize(static_cast<std::size_t>(length));
    mpi::check(PMPI_Bcast(flat.data(), length, MPI_INT, 0, channel));
    neighborhood.offsets = grid::Stencil(neighborhood.dimensions(), std::move(flat));
    return neighborhood;
}

} // namespace

bool fail_together(MPI_Comm comm, const std::function<bool()>& check)
{
    std::optional<base::Error> mine;
    bool vote = false;
    try {
        vote = check();
    } catch (const base::Error& error) {
        mine = error;
    }
    int worst[] = {mine ? static_cast<int>(mine->kind()) : -1, vote ? 0 : 1};
    mpi::check_users(PMPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_INT, MPI_MAX, comm));
    if (mine) throw *mine;
    base::require(worst[0] < 0, static_cast<base::ErrorKind>(worst[0]), "arguments",
                  "an argument is wrong on another process");
    return worst[1] == 0;
}

std::optional<std::size_t> first_difference(MPI_Comm comm, std::span<const int> numbers)
{
    // The largest x and the largest ~x, which is ~ the smallest x, and never overflows.
    const auto difference = [&](std::span<const int> list) -> std::optional<std::size_t> {
        std::vector<int> extremes(list.begin(), list.end());
        for (const int x : list) extremes.push_back(~x);
        mpi::check_users(PMPI_Allreduce(MPI_IN_PLACE, extremes.data(), static_cast<int>(extremes.size()),
                                        MPI_INT, MPI_MAX, comm));
        for (std::size_t i = 0; i < list.size(); ++i)
            if (extremes[i] != ~extremes[list.size() + i]) return i;
        return std::nullopt;
    };
    const int length = static_cast<int>(numbers.size());
    if (difference({&length, 1})) return numbers.size();
    return difference(numbers);
}

bool same_name_everywhere(MPI_Comm comm, const grid::Grid* name)
{
    std::vector<int> all;
    if (name != nullptr) {
        all.push_back(static_cast<int>(name->order()));
        for (int k = 0; k < name->dimensions(); ++k) {
            all.push_back(name->size(k));
            all.push_back(name->periodic(k) ? 1 : 0);
        }
    }
    return !first_difference(comm, all) && name != nullptr;
}

std::optional<Isomorphism> find_isomorphism(MPI_Comm channel, const grid::Grid* name,
                                            const grid::LocalGraph& lists)
{
    if (!same_name_everywhere(channel, name)) return std::nullopt;
    const grid::Grid& grid = *name;
    // A grid that names only some of the processes, or has no dimension, is no grid to route on.
    if (grid.points() != mpi::size_of(channel) || grid.dimensions() == 0) return std::nullopt;

    const grid::Stencil mine =
        grid::edge_offsets(grid, lists.rank, lists.targets, grid::Direction::out);
    grid::Neighborhood neighborhood{grid, grid::Stencil(grid.dimensions())};
    const auto corner_lists = gather_corners(channel, grid, mine, lists.rank);
    if (lists.rank == 0) neighborhood = grid::merge_corners(grid, corner_lists);
    neighborhood = from_rank_0(channel, std::move(neighborhood));

    auto slots = grid::match(neighborhood, lists);
    if (!all_agree(channel, slots.has_value())) return std::nullopt;

    Isomorphism result{std::move(neighborhood), std::move(*slots), {}, false};
    // On a torus every index has a slot everywhere.
    if (grid.is_torus()) result.size_slots = result.slots.send;
    result.regular_sizes_agree = grid::sizes_are_uniform(result.neighborhood);
    return result;
}

} // namespace ortho::topology
