// SPDX-License-Identifier: BSD-3-Clause
// How ghost regions are filled: in which phase, from where, through whom.  No MPI in this file.

#include "algorithm/halo_route.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/index.hpp"

namespace ortho::algorithm {

using grid::Grid;
using grid::Halo;

namespace {

/// Does the step lead from every process to itself?
bool leads_nowhere(const Grid& grid, const std::vector<int>& step)
{
    for (int k = 0; k < grid.dimensions(); ++k)
        if (grid.representative(k, step[at(k)]) != 0) return false;
    return true;
}

/// One region's hop.
struct Hop {
    int phase;
    std::vector<int> step;
};

HaloRoute bundle(const Halo& halo, const std::vector<Hop>& hops, std::vector<int> via)
{
    std::map<std::pair<int, std::vector<int>>, std::vector<int>> bundles;
    for (std::size_t i = 0; i < hops.size(); ++i)
        bundles[{hops[i].phase, hops[i].step}].push_back(static_cast<int>(i));
    HaloRoute route;
    route.via = std::move(via);
    route.passes_on.assign(hops.size(), 0);
    for (const int region : route.via)
        if (region != HaloRoute::owned) route.passes_on[at(region)] = 1;
    for (auto& [hop, regions] : bundles) {
        route.phases = hop.first + 1;
        route.bundles.push_back(
            {hop.first, hop.second, leads_nowhere(halo.grid, hop.second), std::move(regions)});
    }
    return route;
}

std::vector<int> against(std::span<const int> region)
{
    std::vector<int> step(region.begin(), region.end());
    for (int& n : step) n = -n;
    return step;
}

HaloRoute route_in_order(const Halo& halo, const std::vector<int>& order)
{
    const int d = halo.grid.dimensions();
    const auto find = [&](const std::vector<int>& region) {
        // Regions are in lexicographic order.
        int low = 0;
        for (int high = halo.regions.size(); low < high;) {
            const int middle = (low + high) / 2;
            if (grid::compare(halo.regions[middle], region) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        return low < halo.regions.size() && grid::compare(halo.regions[low], region) == 0 ? low
                                                                                          : HaloRoute::owned;
    };

    std::vector<Hop> hops;
    std::vector<int> via;
    for (int i = 0; i < halo.regions.size(); ++i) {
        const auto region = halo.regions[i];
        int last = d - 1;
        while (region[at(order[at(last)])] == 0) --last;
        const int k = order[at(last)];
        std::vector<int> prefix(region.begin(), region.end());
        prefix[at(k)] = 0;
        via.push_back(find(prefix));
        if (via.back() == HaloRoute::owned && halo.regions.nonzeros(i) > 1) {
            hops.push_back({0, against(region)});
        } else {
            std::vector<int> step(at(d), 0);
            step[at(k)] = -region[at(k)];
            hops.push_back({last, std::move(step)});
        }
    }
    return bundle(halo, hops, std::move(via));
}

} // namespace

int HaloRoute::messages() const
{
    return static_cast<int>(
        std::ranges::count_if(bundles, [](const Bundle& bundle) { return !bundle.stays; }));
}

HaloRoute direct_route(const Halo& halo)
{
    std::vector<Hop> hops;
    for (int i = 0; i < halo.regions.size(); ++i) hops.push_back({0, against(halo.regions[i])});
    return bundle(halo, hops, std::vector<int>(hops.size(), HaloRoute::owned));
}

HaloRoute combining_route(const Halo& halo)
{
    constexpr int most_tried = 5; // 120 orders
    std::vector<int> order(at(halo.grid.dimensions()));
    std::iota(order.begin(), order.end(), 0);
    HaloRoute best = route_in_order(halo, order);
    if (halo.grid.dimensions() > most_tried) return best;
    while (std::ranges::next_permutation(order).found) {
        HaloRoute route = route_in_order(halo, order);
        if (route.messages() < best.messages()) best = std::move(route);
    }
    return best;
}

} // namespace ortho::algorithm
