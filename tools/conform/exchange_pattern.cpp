// SPDX-License-Identifier: BSD-3-Clause
#include "conform/exchange_pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/index.hpp"
#include "grid/grid.hpp"

namespace conform {

namespace {

using ortho::grid::gap;

constexpr Origin nothing{gap, gap};

using ortho::at;

/// The slot of the k-th entry of a list that equals `process`.
int kth(const std::vector<int>& list, int process, std::ptrdiff_t k)
{
    for (std::size_t slot = 0; slot < list.size(); ++slot)
        if (list[slot] == process && k-- == 0) return static_cast<int>(slot);
    return gap;
}

/// Slot 2k is the step -1 in dimension k, slot 2k + 1 the step +1.
std::string step_name(const CartesianGrid& grid, int slot)
{
    std::string name = slot % 2 == 0 ? "-1" : "+1";
    if (grid.sizes.size() > 1) name += " (dimension " + std::to_string(slot / 2) + ")";
    return name;
}

/// `mirrored`: the in-slot of a side has the number of the out-slot of the other side.
Pattern grid_pattern(const CartesianGrid& grid, bool mirrored)
{
    const ortho::grid::Grid points(grid.sizes, grid.periodic);
    const int slots = 2 * points.dimensions();
    Pattern result(at(points.points()));
    for (int r = 0; r < points.points(); ++r) {
        Part& part = result[at(r)];
        part.lists.rank = r;
        for (int slot = 0; slot < slots; ++slot) {
            std::vector<int> step(grid.sizes.size(), 0);
            step[at(slot / 2)] = slot % 2 == 0 ? -1 : 1;
            part.lists.targets.push_back(points.neighbor(r, step));
            part.to.push_back("to " + step_name(grid, slot));
            // The side of the in-slot; blocks from there were sent the other way.
            const int side = mirrored ? slot ^ 1 : slot;
            step[at(slot / 2)] = side % 2 == 0 ? -1 : 1;
            const int source = points.neighbor(r, step);
            part.lists.sources.push_back(source);
            part.origins.push_back(source == gap ? nothing : Origin{source, side ^ 1});
            part.in_slots.push_back("the " + step_name(grid, side) + " slot");
        }
    }
    return result;
}

} // namespace

Pattern graph_pattern(std::vector<ortho::grid::LocalGraph> lists)
{
    Pattern result(lists.size());
    for (std::size_t q = 0; q < lists.size(); ++q) {
        const std::vector<int>& sources = lists[q].sources;
        for (auto source = sources.begin(); source != sources.end(); ++source) {
            const auto k = std::count(sources.begin(), source, *source);
            result[q].origins.push_back(
                *source == gap ? nothing
                               : Origin{*source, kth(lists[at(*source)].targets, static_cast<int>(q), k)});
            result[q].in_slots.push_back("slot " + std::to_string(source - sources.begin()));
        }
        for (std::size_t i = 0; i < lists[q].targets.size(); ++i)
            result[q].to.push_back("along its edge " + std::to_string(i));
    }
    for (std::size_t q = 0; q < lists.size(); ++q) result[q].lists = std::move(lists[q]);
    return result;
}

Pattern cartesian_pattern(const CartesianGrid& grid) { return grid_pattern(grid, false); }
Pattern neighborhood_pattern(const CartesianGrid& grid) { return grid_pattern(grid, true); }

} // namespace conform
