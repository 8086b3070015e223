// SPDX-License-Identifier: BSD-3-Clause
// Processes that must find one answer, or fail together.

#include "topology/agreement.hpp"

#include <utility>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/library_lifetime.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/message.hpp"
#include "topology/error_consensus.hpp"

namespace ortho::topology {

namespace {

/// The numbers of these processes, at rank 0, which is one of them; nothing elsewhere.
std::vector<std::vector<int>> gather(const mpi::SetUpComms& comms, const std::vector<int>& ranks,
                                     std::span<const int> mine, int rank)
{
    std::vector<std::vector<int>> lists;
    for (const int sender : ranks) {
        if (sender == rank && rank == 0) {
            lists.emplace_back(mine.begin(), mine.end());
        } else if (rank == 0) {
            int length = 0;
            runtime::receive(comms.messages, sender, comms.tag,
                             std::as_writable_bytes(std::span(&length, 1)));
            std::vector<int>& list = lists.emplace_back(static_cast<std::size_t>(length));
            runtime::receive(comms.messages, sender, comms.tag, std::as_writable_bytes(std::span(list)));
        } else if (sender == rank) {
            const int length = static_cast<int>(mine.size());
            runtime::send(comms.messages, 0, comms.tag, std::as_bytes(std::span(&length, 1)));
            runtime::send(comms.messages, 0, comms.tag, std::as_bytes(mine));
        }
    }
    return lists;
}

/// The lists of the corners, at rank 0.
std::vector<grid::Stencil> gather_corners(const mpi::SetUpComms& comms, const grid::Grid& grid,
                                          const grid::Stencil& mine, int rank)
{
    std::vector<grid::Stencil> lists;
    for (std::vector<int>& flat : gather(comms, grid::corners(grid), mine.flat(), rank))
        lists.emplace_back(grid.dimensions(), std::move(flat));
    return lists;
}

/// The graphs of some processes, at rank 0.
std::vector<grid::LocalGraph> gather_graphs(const mpi::SetUpComms& comms, const std::vector<int>& ranks,
                                            const grid::LocalGraph& mine)
{
    std::vector<int> flat{static_cast<int>(mine.sources.size())};
    flat.insert(flat.end(), mine.sources.begin(), mine.sources.end());
    flat.insert(flat.end(), mine.targets.begin(), mine.targets.end());
    std::vector<grid::LocalGraph> graphs;
    for (const std::vector<int>& numbers : gather(comms, ranks, flat, mine.rank)) {
        const auto middle = numbers.begin() + 1 + numbers.front();
        graphs.push_back({ranks[graphs.size()], {numbers.begin() + 1, middle}, {middle, numbers.end()}});
    }
    return graphs;
}

/// A grid on which the edges of some processes are one stencil, if there is one.  Collective.
std::optional<grid::Grid> search_grid(const mpi::SetUpComms& comms, const grid::LocalGraph& lists)
{
    const int processes = mpi::size_of(comms.messages);
    const auto known = gather_graphs(comms, grid::searched_ranks(processes), lists);
    std::vector<int> sizes(at(grid::most_searched_dimensions), 0); // 0: no dimension
    std::vector<char> periodic(sizes.size());
    if (lists.rank == 0) {
        const std::optional<grid::Grid> found = grid::find_grid(processes, known);
        for (int k = 0; found && k < found->dimensions(); ++k) {
            sizes[at(k)] = found->size(k);
            periodic[at(k)] = found->periodic(k) ? 1 : 0;
        }
    }
    runtime::broadcast(comms.collectives, sizes.data(), static_cast<int>(sizes.size() * sizeof(int)));
    runtime::broadcast(comms.collectives, periodic.data(), static_cast<int>(periodic.size()));
    const auto end = std::ranges::find(sizes, 0);
    periodic.resize(at(end - sizes.begin()));
    sizes.erase(end, sizes.end());
    if (sizes.empty()) return std::nullopt;
    return grid::Grid(sizes, std::move(periodic));
}

/// Can blocks be routed on the name?  It must name all processes, with its own numbers, and have dimensions.
bool is_grid_of(const grid::Grid* name, int processes)
{
    return name != nullptr && name->points() == processes && name->dimensions() > 0 && !name->has_ranks();
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

Checked::Checked(agree::Ballot& ballot, const std::function<void()>& check) : failed_(ballot)
{
    try {
        mpi::require_running(); // agreement may need MPI_COMM_WORLD
        check();
    } catch (...) {
        error_ = std::current_exception();
    }
    failed_.say(has_failed());
}

void Checked::require(MPI_Comm comm) const
{
    if (!has_failed_anywhere()) return;
    check_together(comm, [&] {
        if (error_) std::rethrow_exception(error_);
    });
}

void check_and_meet(MPI_Comm comm, const std::function<void()>& check)
{
    if (mpi::is_inter(comm))
        check();
    else
        fail_together(comm, check);
}

void fail_together(MPI_Comm comm, const std::function<void()>& check)
{
    agree::Ballot ballot;
    const Checked checked(ballot, check);
    agree::hold(comm, ballot);
    checked.require(comm);
}

void check_together(MPI_Comm comm, const std::function<void()>& check)
{
    std::exception_ptr mine;
    std::optional<base::Error> told; // the error for the others
    const auto tell = [&](base::ErrorKind kind, const char* argument, const char* what) {
        mine = std::current_exception();
        told.emplace(kind, argument, base::text("on rank ", mpi::rank_of(comm), ", ", what));
    };
    try {
        mpi::rethrow_refusal();
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

void NameVote::say(const grid::Grid* name)
{
    is_there_.say(name != nullptr);
    if (name == nullptr) return;
    std::vector<int> numbers = name->slowest_first();
    for (int k = 0; k < name->dimensions(); ++k) {
        numbers.push_back(name->size(k));
        numbers.push_back(name->periodic(k) ? 1 : 0);
    }
    numbers.insert(numbers.end(), name->ranks().begin(), name->ranks().end());
    name_.say(numbers);
}

void StencilVote::say(const grid::Grid* name, int processes, const grid::LocalGraph& lists)
{
    if (is_grid_of(name, processes) && name->is_torus()) mine_ = grid::as_of_one(*name, lists);
    is_there_.say(mine_.has_value());
    if (mine_) stencil_.say(mine_->neighborhood.offsets.flat());
}

std::optional<grid::Isomorphism> StencilVote::agreed() &&
{
    return is_there_.holds() && stencil_.holds() ? std::move(mine_) : std::nullopt;
}

bool same_name_everywhere(MPI_Comm comm, const grid::Grid* name)
{
    agree::Ballot ballot;
    NameVote vote(ballot);
    vote.say(name);
    agree::hold(comm, ballot);
    return vote.have_one();
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
        agree::Ballot ballot;
        StencilVote vote(ballot);
        vote.say(&grid, processes, lists);
        agree::hold(comms.collectives, ballot);
        return std::move(vote).agreed();
    }

    const grid::Stencil mine = grid::edge_offsets(grid, lists.rank, lists.targets, grid::Direction::out);
    grid::Neighborhood neighborhood{grid, grid::Stencil(grid.dimensions())};
    const auto corner_lists = gather_corners(comms, grid, mine, lists.rank);
    if (lists.rank == 0) neighborhood = grid::merge_corners(grid, corner_lists);
    neighborhood = from_rank_0(comms.collectives, std::move(neighborhood));

    auto slots = grid::match(neighborhood, lists);
    if (!agree::all_true(comms.collectives, slots.has_value())) return std::nullopt;

    return grid::Isomorphism(std::move(neighborhood), std::move(*slots));
}

void MirrorVote::say(const grid::MirrorHashes& hashes)
{
    largest_.say(hashes.original);
    smallest_.say(hashes.original);
    largest_mirror_.say(hashes.mirror);
    smallest_mirror_.say(hashes.mirror);
}

void MirrorVote::say(int processes, const grid::LocalGraph& lists)
{
    edges_.say(std::ssize(lists.targets));
    edges_.say(std::ssize(lists.sources));
    say(grid::MirrorHashes(processes, lists));
}

void MirrorVote::say(int processes, int from, std::span<const int> targets)
{
    edges_.say(std::ssize(targets));
    for (const int target : targets) say(grid::MirrorHashes(processes, from, target));
}

bool MirrorVote::may_have_stencil() const
{
    return edges_.value() >= grid::least_searched && edges_.value() <= grid::most_searched &&
           largest_.value() == largest_mirror_.value() && smallest_.value() == smallest_mirror_.value();
}

void find_isomorphism_in(GraphInfo& graph_info, const mpi::SetUpComms& comms, const grid::Grid* name)
{
    std::optional<grid::Grid> found;
    if (name == nullptr) {
        found = search_grid(comms, graph_info.lists);
        if (!found) return;
    }
    graph_info.isomorphism = find_isomorphism_on(comms, found ? *found : *name, graph_info.lists);
    graph_info.has_found_grid = found && graph_info.isomorphism;
}

void carry_on_grid(MPI_Comm comm, GraphInfo graph_info, const grid::Grid* name)
{
    carry(comm, std::move(graph_info));
    if (same_name_everywhere(comm, name)) find_isomorphism_of(comm, name);
}

void find_isomorphism_of(MPI_Comm comm, const grid::Grid* name)
{
    const auto graph = graph_of(comm);
    GraphInfo known = *graph->graph_info;
    find_isomorphism_in(known, graph->private_comm.set_up_comms_of_new(comm), name);
    known.isomorphism_decided = known.isomorphism_decided || known.isomorphism;
    graph->set_graph_info(std::move(known));
}

} // namespace ortho::topology
