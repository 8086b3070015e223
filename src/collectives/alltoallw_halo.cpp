// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges in the blocks of an alltoall.

#include "collectives/alltoallw_halo.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agree/ballot.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/saturating_math.hpp"
#include "collectives/halo_call.hpp"
#include "grid/halo_detection.hpp"
#include "mpi/datatype.hpp"
#include "mpi/strides.hpp"

namespace ortho::collectives {

namespace {

using grid::FoundArray;
using Region = std::vector<int>;

bool is_ghost(const Region& region)
{
    return std::ranges::any_of(region, [](int side) { return side != 0; });
}

/// The block of a slot; false if it is no strided box.
bool read(const engine::BufferBlocks& blocks, int slot, std::optional<grid::StridedBox>& box)
{
    if (slot == grid::gap) return true;
    const engine::DataLocation place = blocks[slot];
    box = mpi::strided_box(place.address, place.count, place.type);
    return box.has_value();
}

/// Finds the array whose ghost exchange this process's blocks describe.
std::optional<FoundArray> find_array(const grid::Isomorphism& isomorphism, const engine::Call& alltoall)
{
    std::vector<grid::ExchangedBoxes> boxes(at(isomorphism.neighborhood.size()));
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (!read(alltoall.send, isomorphism.slots.send[i], boxes[i].sent) ||
            !read(alltoall.receive, isomorphism.slots.receive[i], boxes[i].received))
            return std::nullopt;
    auto found = grid::find_halo(isomorphism.neighborhood, boxes);
    if (found && found->element > INT_MAX) return std::nullopt;
    return found;
}

grid::GhostedArray shape_of(const FoundArray& array)
{
    grid::GhostedArray shape;
    for (std::size_t k = 0; k < array.owned.size(); ++k) {
        shape.lower.push_back(std::max(0, array.lower[k]));
        shape.upper.push_back(std::max(0, array.upper[k]));
        shape.sizes.push_back(shape.lower[k] + array.owned[k] + shape.upper[k]);
    }
    return shape;
}

Field field_of(const FoundArray& array, MPI_Datatype element)
{
    return {element, shape_of(array), {array.strides.begin(), array.strides.end()}, array.nesting};
}

/// These ghost regions of arrays on a grid; those that are all 0 are none.
grid::Halo halo_of(const grid::Grid& grid, const std::set<Region>& regions)
{
    grid::Stencil ghosts(grid.dimensions());
    for (const Region& region : regions)
        if (is_ghost(region)) ghosts.push_back(region);
    return grid::make_halo(grid, {ghosts});
}

/// A region as a number, and back.
long long code_of(const Region& region)
{
    long long code = 0;
    for (const int side : region) code = 3 * code + side + 1;
    return code;
}

Region region_of(long long code, int d)
{
    Region region(at(d), 0);
    for (int k = d; k-- > 0; code /= 3) region[at(k)] = static_cast<int>(code % 3) - 1;
    return region;
}

/// Each region comes once, and with it the faces that it is between.
bool is_whole(const std::vector<Region>& regions)
{
    std::set<Region> all;
    for (const Region& region : regions)
        if (is_ghost(region) && !all.insert(region).second) return false;
    for (const Region& region : all) {
        for (std::size_t k = 0; k < region.size(); ++k) {
            Region face(region.size(), 0);
            face[k] = region[k];
            if (region[k] != 0 && !all.contains(face)) return false;
        }
    }
    return !all.empty();
}

/// Bytes of a ghost region of an array.
long long ghost_bytes(const Region& region, const FoundArray& array)
{
    const std::int64_t cells = shape_of(array).box(region, region).cells();
    return base::times_plus(cells, array.element, 0);
}

/// Bytes of a region on the processes that have most and least.
struct Extremes {
    std::int64_t most;
    std::int64_t least;
};

/// The regions of the canonical indices, if all processes have found arrays that fit together.  Collective.
std::optional<std::map<Region, Extremes>> agree(topology::Graph& graph, const topology::GraphInfo& graph_info,
                                                const std::optional<FoundArray>& array)
{
    const grid::Neighborhood& neighborhood = graph_info.isomorphism->neighborhood;
    const int d = neighborhood.dimensions();
    // All take part, whatever they have found: others wait for it.
    const auto around = extents_around(graph.private_comm, graph_info.lists,
                                       array ? owned_extents({field_of(*array, MPI_BYTE)})
                                             : std::vector<long long>(at(d), 0));
    bool fits = array.has_value();
    if (array) {
        std::set<Region> here;
        for (const auto& region : array->regions)
            if (region) here.insert(*region);
        const grid::Halo halo = halo_of(neighborhood.grid, here);
        try {
            check_extents(halo, {field_of(*array, MPI_BYTE)}, graph_info.lists.rank, around,
                          [](std::size_t) { return std::string(); });
        } catch (const base::Error&) {
            fits = false; // an error of ORTHO_Halo_init; here it is no halo
        }
    }

    agree::Ballot ballot;
    const agree::AllTrue all_fit(ballot, fits);
    std::vector<agree::AllEqual> layout; // of the array
    const auto add = [&](auto number_of) {
        agree::AllEqual& slot = layout.emplace_back(ballot);
        if (array) slot.say(number_of());
    };
    add([&] { return array->element; });
    for (std::size_t k = 0; k < at(d); ++k) {
        add([&] { return array->lower[k]; });
        add([&] { return array->upper[k]; });
        add([&] { return array->nesting[k]; });
    }
    struct RegionVote {
        agree::Ballot& ballot;
        agree::AllEqual code{ballot};
        agree::Largest most{ballot};
        agree::Smallest least{ballot};
    };
    std::vector<RegionVote> votes;
    for (std::size_t i = 0; i < at(neighborhood.size()); ++i) {
        RegionVote& vote = votes.emplace_back(RegionVote{ballot});
        if (!array || !array->regions[i]) continue;
        const long long bytes = ghost_bytes(*array->regions[i], *array);
        vote.code.say(code_of(*array->regions[i]));
        vote.most.say(bytes);
        vote.least.say(bytes);
    }
    graph.hold(ballot);

    if (!all_fit.holds() || !std::ranges::all_of(layout, &agree::AllEqual::holds)) return std::nullopt;
    std::vector<Region> regions;
    std::map<Region, Extremes> bytes;
    for (const RegionVote& vote : votes) {
        if (!vote.code.holds()) return std::nullopt;
        if (!vote.code.is_said()) continue;
        regions.push_back(region_of(vote.code.value(), d));
        bytes[regions.back()] = {vote.most.value(), vote.least.value()};
    }
    if (!is_whole(regions)) return std::nullopt;
    return bytes;
}

/// Where the array begins, ghosts included.
void* begin_of(const FoundArray& array, const grid::GhostedArray& shape)
{
    std::int64_t address = array.address;
    for (std::size_t k = 0; k < array.strides.size(); ++k) address -= shape.lower[k] * array.strides[k];
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

} // namespace

std::shared_ptr<engine::Call> find_halo(topology::Graph& graph, const engine::Call& alltoall)
{
    const std::shared_ptr<const topology::GraphInfo> graph_info = graph.graph_info;
    if (!graph_info->isomorphism) return nullptr;
    const grid::Neighborhood& neighborhood = graph_info->isomorphism->neighborhood;
    if (neighborhood.size() == 0 || grid::first_beyond_unit_steps(neighborhood.offsets) >= 0) return nullptr;

    std::optional<FoundArray> array;
    try {
        array = find_array(*graph_info->isomorphism, alltoall);
    } catch (const std::exception&) {
        // No memory, say: the others must not wait for this process, and the alltoall will do.
    }
    const auto agreed = agree(graph, *graph_info, array);
    if (!agreed) return nullptr;

    std::set<Region> regions;
    engine::HaloBytes bytes{.are_equal = true}; // of the regions of the halo, which are in the same order
    for (const auto& [region, extremes] : *agreed) {
        regions.insert(region);
        if (!is_ghost(region)) continue;
        bytes.most.push_back(extremes.most);
        bytes.are_equal = bytes.are_equal && extremes.most == extremes.least;
    }
    auto element = std::make_shared<mpi::Datatype>();
    if (array->element > 1) *element = mpi::Datatype::row(array->element, MPI_BYTE);
    const Field field = field_of(*array, array->element > 1 ? element->get() : MPI_BYTE);
    // Owned elements are read where the blocks are that are sent, ghosts lie where blocks are received.
    void* const begin = begin_of(*array, field.shape);
    const engine::Bases buffers = engine::bases_of(alltoall);
    const auto moved = [begin](void* from, void* to) {
        const auto number = [](void* address) { return reinterpret_cast<std::uintptr_t>(address); };
        return engine::Bases{reinterpret_cast<void*>(number(begin) + number(to) - number(from))};
    };
    auto call = std::make_shared<engine::Call>(
        halo_call(halo_of(neighborhood.grid, regions), {field}, std::move(bytes), MPI_OP_NULL,
                  [element, buffers, moved](HaloBlocks& blocks, const schedule::Schedule& schedule,
                                            const engine::Bases& bases) {
                      return blocks.lay(schedule, moved(buffers[0], bases[0]), moved(buffers[1], bases[1]));
                  }));
    call->bases = buffers;
    call->note = "a halo exchange of one array was found in the datatypes";
    return call;
}

} // namespace ortho::collectives
