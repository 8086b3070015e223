// SPDX-License-Identifier: BSD-3-Clause
// Processes that must find the same thing, or fail together.

#include "topology/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "mpi/library_lifetime.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/message.hpp"
#include "topology/error_consensus.hpp"

namespace ortho::topology {

namespace {

/// A logical and over all processes.
bool all_agree(MPI_Comm comm, bool mine)
{
    int against = mine ? 0 : 1;
    runtime::maximize(comm, {&against, 1});
    return against == 0;
}

/// The corners' lists, at rank 0, which is one of them.
std::vector<grid::Stencil> gather_corners(const mpi::SetUpComms& comms, const grid::Grid& grid,
                                          const grid::Stencil& mine, int rank)
{
    std::vector<grid::Stencil> lists;
    for (const int corner : grid::corners(grid)) {
        if (corner == 0) {
            lists.push_back(mine);
        } else if (rank == 0) {
            int length = 0;
            runtime::receive(comms.messages, corner, comms.tag,
                             std::as_writable_bytes(std::span(&length, 1)));
            std::vector<int> flat(static_cast<std::size_t>(length));
            runtime::receive(comms.messages, corner, comms.tag, std::as_writable_bytes(std::span(flat)));
            lists.emplace_back(grid.dimensions(), std::move(flat));
        } else if (rank == corner) {
            const int length = static_cast<int>(mine.flat().size());
            runtime::send(comms.messages, 0, comms.tag, std::as_bytes(std::span(&length, 1)));
            runtime::send(comms.messages, 0, comms.tag, std::as_bytes(std::span(mine.flat())));
        }
    }
    return lists;
}

/// A grid that names only some of the processes, or has no dimension, is no grid to route on.
bool is_grid_of(const grid::Grid* name, int processes)
{
    return name != nullptr && name->points() == processes && name->dimensions() > 0;
}

grid::Neighborhood from_rank_0(MPI_Comm comm, grid::Neighborhood neighborhood)
{
    std::vector<int> flat(neighborhood.offsets.flat().begin(), neighborhood.offsets.flat().end());
    int length = static_cast<int>(flat.size());
    runtime::broadcast(comm, &length, sizeof length);
    flat.resize(static_cast<std::size_t>(length));
    runtime::broadcast(comm, flat.data(), static_cast<int>(flat.size() * sizeof(int)));
    neighborhood.offsets = grid::Stencil(neighborhood.dimensions(), std::move(flat));
    return neighborhood;
}

} // namespace

Checked::Checked(const std::function<AgreedFlags()>& check)
{
    try {
        mpi::require_running(); // whoever agrees wants to know of MPI_COMM_WORLD
        flags_ = check();
    } catch (...) {
        error_ = std::current_exception();
    }
}

std::array<int, Checked::count> Checked::numbers() const
{
    return {error_ ? 1 : 0,         flags_.assert_uniform ? 0 : 1, flags_.forward ? 0 : 1,
            flags_.no_info ? 0 : 1, flags_.reorder ? 0 : 1,        flags_.strided ? 0 : 1};
}

AgreedFlags Checked::agreed(MPI_Comm comm, std::span<const int, count> largest) const
{
    if (largest[0] != 0)
        check_together(comm, [&] {
            if (error_) std::rethrow_exception(error_);
        });
    return {largest[1] == 0, largest[2] == 0, largest[3] == 0, largest[4] == 0, largest[5] == 0};
}

void check_and_meet(MPI_Comm comm, const std::function<void()>& check)
{
    if (mpi::is_inter(comm)) {
        check();
        return;
    }
    fail_together(comm, [&] {
        check();
        return AgreedFlags{};
    });
}

AgreedFlags fail_together(MPI_Comm comm, const std::function<AgreedFlags()>& check)
{
    const Checked checked(check);
    std::array<int, Checked::count> numbers = checked.numbers();
    runtime::maximize(comm, numbers);
    return checked.agreed(comm, numbers);
}

Fingerprint::Fingerprint(std::span<const int> list)
{
    // Not the same with another seed: of small numbers both would see the same.
    const auto spread = [](int number) {
        const std::uint64_t product = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15U;
        return product ^ product >> 32U;
    };
    const std::uint64_t hashes[] = {base::hash_of(list), base::hash_of(list | std::views::transform(spread))};
    numbers_[0] = static_cast<int>(list.size());
    for (std::size_t i = 0; i < 2; ++i) {
        numbers_[1 + 2 * i] = static_cast<int>(static_cast<std::uint32_t>(hashes[i]));
        numbers_[2 + 2 * i] = static_cast<int>(static_cast<std::uint32_t>(hashes[i] >> 32U));
    }
}

std::array<int, Fingerprint::count> Fingerprint::numbers() const
{
    // The largest x and the largest ~x, which is ~ the smallest x, and never overflows.
    std::array<int, count> result{};
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        result[2 * i] = numbers_[i];
        result[2 * i + 1] = ~numbers_[i];
    }
    return result;
}

bool Fingerprint::are_equal(std::span<const int, count> largest)
{
    for (std::size_t i = 0; i < count; i += 2)
        if (largest[i] != ~largest[i + 1]) return false;
    return true;
}

std::optional<Difference> find_difference(MPI_Comm comm, std::span<const long long> numbers)
{
    // The largest x and the largest ~x, which is ~ the smallest x, and never overflows.
    std::vector<long long> extremes(numbers.begin(), numbers.end());
    for (const long long x : numbers) extremes.push_back(~x);
    runtime::maximize(comm, extremes);
    const std::size_t n = numbers.size();
    std::size_t i = 0;
    while (i < n && extremes[i] == ~extremes[n + i]) ++i;
    if (i == n) return std::nullopt;
    Difference result{i, numbers[i], 0, 0};
    runtime::broadcast(comm, &result.on_rank_0, sizeof result.on_rank_0);
    constexpr int nobody = std::numeric_limits<int>::min();
    const int rank = mpi::rank_of(comm);
    int lowest[] = {numbers[i] != result.on_rank_0 ? -rank : nobody};
    runtime::maximize(comm, lowest);
    result.rank = -lowest[0];
    long long there[] = {rank == result.rank ? numbers[i] : std::numeric_limits<long long>::min()};
    runtime::maximize(comm, there);
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

Fingerprint fingerprint_of(const grid::Grid* name)
{
    if (name == nullptr) return Fingerprint();
    std::vector<int> numbers{static_cast<int>(name->order())};
    for (int k = 0; k < name->dimensions(); ++k) {
        numbers.push_back(name->size(k));
        numbers.push_back(name->periodic(k) ? 1 : 0);
    }
    return Fingerprint(numbers);
}

StencilVote::StencilVote(const grid::Grid* name, int processes, const grid::LocalGraph& lists)
{
    if (is_grid_of(name, processes) && name->is_torus()) mine_ = grid::as_of_one(*name, lists);
}

std::array<int, StencilVote::count> StencilVote::numbers() const
{
    std::array<int, count> result{mine_ ? 0 : 1};
    std::ranges::copy(mine_ ? Fingerprint(mine_->neighborhood.offsets.flat()).numbers()
                            : Fingerprint().numbers(),
                      result.begin() + 1);
    return result;
}

std::optional<grid::Isomorphism> StencilVote::agreed(std::span<const int, count> largest) &&
{
    return largest[0] == 0 && Fingerprint::are_equal(largest.subspan<1>()) ? std::move(mine_) : std::nullopt;
}

bool same_name_everywhere(MPI_Comm comm, const grid::Grid* name)
{
    std::array<int, Fingerprint::count> numbers = fingerprint_of(name).numbers();
    runtime::maximize(comm, numbers);
    return Fingerprint::are_equal(numbers) && name != nullptr;
}

std::optional<grid::Isomorphism> find_isomorphism(const mpi::SetUpComms& comms, const grid::Grid* name,
                                                  const grid::LocalGraph& lists)
{
    return same_name_everywhere(comms.collectives, name) ? find_isomorphism_on(comms, *name, lists)
                                                         : std::nullopt;
}

std::optional<grid::Isomorphism> find_isomorphism_on(const mpi::SetUpComms& comms, const grid::Grid& grid,
                                                     const grid::LocalGraph& lists)
{
    const int processes = mpi::size_of(comms.messages);
    if (!is_grid_of(&grid, processes)) return std::nullopt;
    if (grid.is_torus()) {
        StencilVote vote(&grid, processes, lists);
        std::array<int, StencilVote::count> numbers = vote.numbers();
        runtime::maximize(comms.collectives, numbers);
        return std::move(vote).agreed(numbers);
    }

    const grid::Stencil mine = grid::edge_offsets(grid, lists.rank, lists.targets, grid::Direction::out);
    grid::Neighborhood neighborhood{grid, grid::Stencil(grid.dimensions())};
    const auto corner_lists = gather_corners(comms, grid, mine, lists.rank);
    if (lists.rank == 0) neighborhood = grid::merge_corners(grid, corner_lists);
    neighborhood = from_rank_0(comms.collectives, std::move(neighborhood));

    auto slots = grid::match(neighborhood, lists);
    if (!all_agree(comms.collectives, slots.has_value())) return std::nullopt;

    return grid::Isomorphism(std::move(neighborhood), std::move(*slots));
}

void carry_on_grid(MPI_Comm comm, GraphInfo graph_info, const grid::Grid* name)
{
    carry(comm, std::move(graph_info));
    if (same_name_everywhere(comm, name)) find_isomorphism_of(comm, *name);
}

void find_isomorphism_of(MPI_Comm comm, const grid::Grid& name)
{
    const auto graph = graph_of(comm);
    GraphInfo known = *graph->graph_info;
    known.isomorphism = find_isomorphism_on(graph->private_comm.set_up_comms_of_new(comm), name, known.lists);
    known.isomorphism_decided = known.isomorphism_decided || known.isomorphism;
    graph->set_graph_info(std::move(known));
}

} // namespace ortho::topology
