// SPDX-License-Identifier: BSD-3-Clause
// Processes that must find the same thing, or fail together.

#include "topology/agreement.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi/internal_collectives.hpp"
#include "mpi/message.hpp"
#include "topology/error_consensus.hpp"

namespace ortho::topology {

namespace {

/// A logical and over all processes.
bool all_agree(MPI_Comm comm, bool mine)
{
    int against = mine ? 0 : 1;
    mpi::maximize(comm, {&against, 1});
    return against == 0;
}

/// The corners' lists, at rank 0, which is one of them.
std::vector<grid::Stencil> gather_corners(MPI_Comm private_comm, const grid::Grid& grid,
                                          const grid::Stencil& mine, int rank)
{
    constexpr int tag = setting_up_tag;
    std::vector<grid::Stencil> lists;
    for (const int corner : grid::corners(grid)) {
        if (corner == 0) {
            lists.push_back(mine);
        } else if (rank == 0) {
            int length = 0;
            mpi::receive(private_comm, corner, tag, std::as_writable_bytes(std::span(&length, 1)));
            std::vector<int> flat(static_cast<std::size_t>(length));
            mpi::receive(private_comm, corner, tag, std::as_writable_bytes(std::span(flat)));
            lists.emplace_back(grid.dimensions(), std::move(flat));
        } else if (rank == corner) {
            const int length = static_cast<int>(mine.flat().size());
            mpi::send(private_comm, 0, tag, std::as_bytes(std::span(&length, 1)));
            mpi::send(private_comm, 0, tag, std::as_bytes(std::span(mine.flat())));
        }
    }
    return lists;
}

grid::Neighborhood from_rank_0(MPI_Comm private_comm, grid::Neighborhood neighborhood)
{
    std::vector<int> flat(neighborhood.offsets.flat().begin(), neighborhood.offsets.flat().end());
    int length = static_cast<int>(flat.size());
    mpi::broadcast(private_comm, &length, sizeof length);
    flat.resize(static_cast<std::size_t>(length));
    mpi::broadcast(private_comm, flat.data(), static_cast<int>(flat.size() * sizeof(int)));
    neighborhood.offsets = grid::Stencil(neighborhood.dimensions(), std::move(flat));
    return neighborhood;
}

} // namespace

AgreedFlags fail_together(MPI_Comm comm, const std::function<AgreedFlags()>& check)
{
    std::exception_ptr mine;
    auto kind = base::ErrorKind::other;
    AgreedFlags flags;
    try {
        flags = check();
    } catch (const base::Error& error) {
        mine = std::current_exception();
        kind = error.kind();
    } catch (...) {
        mine = std::current_exception();
    }
    int worst[] = {mine ? static_cast<int>(kind) : -1,
                   flags.assert_uniform ? 0 : 1,
                   flags.forward ? 0 : 1,
                   flags.no_info ? 0 : 1,
                   flags.reorder ? 0 : 1,
                   flags.strided ? 0 : 1};
    mpi::maximize(comm, worst);
    if (mine) std::rethrow_exception(mine);
    base::require(worst[0] < 0, static_cast<base::ErrorKind>(worst[0]), "arguments",
                  "an argument is wrong on another process");
    return {worst[1] == 0, worst[2] == 0, worst[3] == 0, worst[4] == 0, worst[5] == 0};
}

std::optional<std::size_t> first_difference(MPI_Comm comm, std::span<const int> numbers)
{
    // The largest x and the largest ~x, which is ~ the smallest x, and never overflows.
    const auto difference = [&](std::span<const int> list) -> std::optional<std::size_t> {
        std::vector<int> extremes(list.begin(), list.end());
        for (const int x : list) extremes.push_back(~x);
        mpi::maximize(comm, extremes);
        for (std::size_t i = 0; i < list.size(); ++i)
            if (extremes[i] != ~extremes[list.size() + i]) return i;
        return std::nullopt;
    };
    const int length = static_cast<int>(numbers.size());
    if (difference({&length, 1})) return numbers.size();
    return difference(numbers);
}

std::optional<Difference> find_difference(MPI_Comm comm, std::span<const long long> numbers)
{
    // The largest x and the largest ~x, which is ~ the smallest x, and never overflows.
    std::vector<long long> extremes(numbers.begin(), numbers.end());
    for (const long long x : numbers) extremes.push_back(~x);
    mpi::maximize(comm, extremes);
    const std::size_t n = numbers.size();
    std::size_t i = 0;
    while (i < n && extremes[i] == ~extremes[n + i]) ++i;
    if (i == n) return std::nullopt;
    Difference result{i, numbers[i], 0, 0};
    mpi::broadcast(comm, &result.on_rank_0, sizeof result.on_rank_0);
    constexpr int nobody = std::numeric_limits<int>::min();
    const int rank = mpi::rank_of(comm);
    int lowest[] = {numbers[i] != result.on_rank_0 ? -rank : nobody};
    mpi::maximize(comm, lowest);
    result.rank = -lowest[0];
    long long there[] = {rank == result.rank ? numbers[i] : std::numeric_limits<long long>::min()};
    mpi::maximize(comm, there);
    result.there = there[0];
    return result;
}

void check_together(MPI_Comm comm, const std::function<void()>& check)
{
    std::exception_ptr mine;
    std::optional<base::Error> told; // to the others
    const auto tell = [&](base::ErrorKind kind, const char* argument, const char* what) {
        mine = std::current_exception();
        told.emplace(kind, argument, base::text("on rank ", mpi::rank_of(comm), ", ", what));
    };
    try {
        check();
    } catch (const base::Error& error) {
        tell(error.kind(), error.argument(), error.what());
    } catch (const std::exception& error) {
        tell(base::ErrorKind::other, "arguments", error.what());
    }
    try {
        fail_if_any(comm, std::move(told));
    } catch (...) {
        if (mine) std::rethrow_exception(mine);
        throw;
    }
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

std::optional<grid::Isomorphism> find_isomorphism(MPI_Comm private_comm, const grid::Grid* name,
                                                  const grid::LocalGraph& lists)
{
    if (!same_name_everywhere(private_comm, name)) return std::nullopt;
    const grid::Grid& grid = *name;
    // A grid that names only some of the processes, or has no dimension, is no grid to route on.
    if (grid.points() != mpi::size_of(private_comm) || grid.dimensions() == 0) return std::nullopt;

    const grid::Stencil mine = grid::edge_offsets(grid, lists.rank, lists.targets, grid::Direction::out);
    grid::Neighborhood neighborhood{grid, grid::Stencil(grid.dimensions())};
    const auto corner_lists = gather_corners(private_comm, grid, mine, lists.rank);
    if (lists.rank == 0) neighborhood = grid::merge_corners(grid, corner_lists);
    neighborhood = from_rank_0(private_comm, std::move(neighborhood));

    auto slots = grid::match(neighborhood, lists);
    if (!all_agree(private_comm, slots.has_value())) return std::nullopt;

    return grid::Isomorphism(std::move(neighborhood), std::move(*slots));
}

void carry_on_grid(MPI_Comm comm, GraphInfo graph_info, const grid::Grid* name)
{
    carry(comm, std::move(graph_info));
    const auto graph = graph_of(comm);
    GraphInfo known = *graph->graph_info;
    known.isomorphism = find_isomorphism(graph->private_comm.get(), name, known.lists);
    known.isomorphism_decided = known.isomorphism_decided || known.isomorphism;
    graph->set_graph_info(std::move(known));
}

} // namespace ortho::topology
