// SPDX-License-Identifier: BSD-3-Clause
// The routes to ghost regions, by phase, sender and intermediate process; schedules.  No MPI in this file.

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
            hops.push_back({0, grid::against(region)});
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
    for (int slot = 0; slot < halo.slots(); ++slot) hops.push_back({0, grid::against(halo.regions[slot])});
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

using grid::Halo;
using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

/// The slot of the owned cells of the slot's field.
int owned_cells(const Halo& halo, int slot) { return halo.slots() + halo.field[at(slot)]; }

/// Is the slot filled on the process that the bundle's step leads to?
bool is_filled_at_the_other_end(const Halo& halo, int rank, const HaloRoute::Bundle& bundle, int slot)
{
    const int other = halo.grid.neighbor(rank, bundle.step);
    return other != grid::Grid::nowhere && halo.is_filled(other, slot);
}

} // namespace

void send_from_owned_cells(const Halo& halo, Builder& out)
{
    for (int slot = 0; slot < halo.slots(); ++slot)
        out.part(send_slot(slot), send_slot(owned_cells(halo, slot)));
}

schedule::Schedule exchange_along(const HaloRoute& route, const Halo& halo, int rank)
{
    Builder out = Builder::on_grid(halo.grid.dimensions());
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const int via = route.via[at(slot)];
        out.part(send_slot(slot),
                 via == HaloRoute::owned ? send_slot(owned_cells(halo, slot)) : receive_slot(via));
    }

    auto bundle = route.bundles.begin();
    for (int phase = 0; phase < route.phases; ++phase) {
        out.begin_phase();
        for (; bundle != route.bundles.end() && bundle->phase == phase; ++bundle) {
            if (!bundle->stays) out.begin_round(bundle->step);
            for (const int slot : bundle->slots) {
                const bool receives = halo.is_filled(rank, slot);
                const bool sends = is_filled_at_the_other_end(halo, rank, *bundle, slot);
                if (bundle->stays && receives) out.copy_meanwhile(send_slot(slot), receive_slot(slot));
                if (!bundle->stays && sends) out.send(send_slot(slot));
                if (!bundle->stays && receives) out.receive(receive_slot(slot));
            }
        }
    }
    return std::move(out).finish();
}

schedule::Schedule reduce_against(const HaloRoute& route, const Halo& halo, int rank)
{
    Builder out = Builder::on_grid(halo.grid.dimensions());

    // The slot to send to each region's owner: the region, or a copy that others' contributions are added to.
    std::vector<Slot> leaving;
    std::vector<int> copied;
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const bool is_copied = route.passes_on[at(slot)] != 0 && halo.is_filled(rank, slot);
        leaving.push_back(is_copied ? out.new_temp(slot) : send_slot(slot));
        if (is_copied) copied.push_back(slot);
    }
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const int via = route.via[at(slot)];
        if (via != HaloRoute::owned && !halo.is_filled(rank, via)) continue; // nothing comes
        out.part(receive_slot(slot),
                 via == HaloRoute::owned ? receive_slot(owned_cells(halo, slot)) : leaving[at(via)]);
    }

    auto end = route.bundles.end();
    for (int phase = route.phases; phase-- > 0;) {
        auto begin = end;
        while (begin != route.bundles.begin() && (begin - 1)->phase == phase) --begin;
        out.begin_phase();
        if (phase == route.phases - 1)
            for (const int slot : copied) out.copy_meanwhile(send_slot(slot), leaving[at(slot)]);
        for (auto bundle = begin; bundle != end; ++bundle) {
            if (!bundle->stays) out.begin_round(grid::against(bundle->step));
            for (const int slot : bundle->slots) {
                const Slot mine = leaving[at(slot)];
                if (halo.is_filled(rank, slot) && !bundle->stays) out.send(mine);
                if (!is_filled_at_the_other_end(halo, rank, *bundle, slot)) continue;
                const Slot arrived = out.new_temp(slot);
                const Slot sum = out.new_temp(slot);
                if (bundle->stays)
                    out.copy_meanwhile(mine, arrived);
                else
                    out.receive(arrived);
                // Operators take consecutive elements; those of a region are not.
                out.copy_afterwards(receive_slot(slot), sum);
                out.reduce_afterwards(arrived, sum);
                out.copy_afterwards(sum, receive_slot(slot));
            }
        }
        end = begin;
    }
    return std::move(out).finish();
}

} // namespace ortho::algorithm
