// SPDX-License-Identifier: BSD-3-Clause
// The routes to ghost regions: by phase, sender and intermediate process.  No MPI in this file.

#include "algorithm/halo_route.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/index.hpp"

namespace ortho::algorithm {

using grid::Halo;

namespace {

/// The unique representative of all steps that lead from every process to one process as this step does.
std::vector<int> representative(const grid::Grid& grid, std::vector<int> step)
{
    for (int k = 0; k < grid.dimensions(); ++k)
        step[at(k)] = static_cast<int>(grid.representative(k, step[at(k)]));
    return step;
}

/// Does a representative lead from every process to itself?
bool leads_nowhere(const std::vector<int>& step)
{
    return std::ranges::all_of(step, [](int n) { return n == 0; });
}

/// One slot's hop.
struct Hop {
    int phase;
    std::vector<int> step;
};

HaloRoute bundle(const Halo& halo, const std::vector<Hop>& hops, std::vector<int> via)
{
    std::map<std::pair<int, std::vector<int>>, std::vector<int>> bundles;
    // Around periodic dimensions of size 1 and 2 several steps lead to one process: one message is enough.
    for (std::size_t i = 0; i < hops.size(); ++i)
        bundles[{hops[i].phase, representative(halo.grid, hops[i].step)}].push_back(static_cast<int>(i));
    HaloRoute route;
    route.via = std::move(via);
    route.passes_on.assign(hops.size(), 0);
    for (const int slot : route.via)
        if (slot != HaloRoute::owned) route.passes_on[at(slot)] = 1;
    for (auto& [hop, slots] : bundles) {
        route.phases = hop.first + 1;
        route.bundles.push_back({hop.first, hop.second, leads_nowhere(hop.second), std::move(slots)});
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
    static_assert(HaloRoute::owned == -1); // Halo::find() returns it for a region that does not exist
    std::vector<Hop> hops;
    std::vector<int> via;
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const auto region = halo.regions[slot];
        int last = d - 1;
        while (region[at(order[at(last)])] == 0) --last;
        const int k = order[at(last)];
        std::vector<int> prefix(region.begin(), region.end());
        prefix[at(k)] = 0;
        via.push_back(halo.find(prefix, halo.field[at(slot)]));
        if (via.back() == HaloRoute::owned && halo.regions.nonzeros(slot) > 1) {
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
    for (int slot = 0; slot < halo.slots(); ++slot) hops.push_back({0, against(halo.regions[slot])});
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
