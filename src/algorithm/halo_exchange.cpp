// SPDX-License-Identifier: BSD-3-Clause
// The schedules of a halo exchange and of its adjoint along a route.  No MPI in this file.

#include "algorithm/halo_exchange.hpp"

#include <utility>
#include <vector>

#include "schedule/builder.hpp"

namespace ortho::algorithm {

using grid::Grid;
using grid::Halo;
using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

/// Visit the slots of a region, one a field.
template <class Visit>
void for_each_slot(const Halo& halo, int region, Visit visit)
{
    for (int f = 0; f < halo.fields; ++f) visit(region * halo.fields + f);
}

/// The slot that stands for the owned cells of the field that `slot` is a region of.
int owned_cells(const Halo& halo, int slot)
{
    return (halo.regions.size() * halo.fields) + slot % halo.fields;
}

/// The slot of the same field in another region.
int in_region(const Halo& halo, int region, int slot) { return region * halo.fields + slot % halo.fields; }

/// Region i of the process that gets it from this one by the bundle's step is filled.
bool is_filled_at_the_other_end(const Halo& halo, int rank, const HaloRoute::Bundle& bundle, int i)
{
    const int other = halo.grid.neighbor(rank, bundle.step);
    return other != Grid::nowhere && halo.is_filled(other, i);
}

} // namespace

schedule::Schedule exchange_along(const HaloRoute& route, const Halo& halo, int rank)
{
    Builder out = Builder::on_grid(halo.grid.dimensions());
    for (int i = 0; i < halo.regions.size(); ++i) {
        const int via = route.via[static_cast<std::size_t>(i)];
        for_each_slot(halo, i, [&](int slot) {
            out.part(send_slot(slot), via == HaloRoute::owned ? send_slot(owned_cells(halo, slot))
                                                              : receive_slot(in_region(halo, via, slot)));
        });
    }

    auto bundle = route.bundles.begin();
    for (int phase = 0; phase < route.phases; ++phase) {
        out.begin_phase();
        for (; bundle != route.bundles.end() && bundle->phase == phase; ++bundle) {
            if (!bundle->stays) out.begin_round(bundle->step);
            for (const int i : bundle->regions) {
                const bool receives = halo.is_filled(rank, i);
                const bool sends = is_filled_at_the_other_end(halo, rank, *bundle, i);
                for_each_slot(halo, i, [&](int slot) {
                    if (bundle->stays && receives) out.copy_meanwhile(send_slot(slot), receive_slot(slot));
                    if (!bundle->stays && sends) out.send(send_slot(slot));
                    if (!bundle->stays && receives) out.receive(receive_slot(slot));
                });
            }
        }
    }
    return std::move(out).finish();
}

schedule::Schedule reduce_against(const HaloRoute& route, const Halo& halo, int rank)
{
    Builder out = Builder::on_grid(halo.grid.dimensions());
    const auto slots = static_cast<std::size_t>(halo.regions.size() * halo.fields);

    // What leaves for a region's owner: the region, or a copy of it that others' contributions are added to.
    std::vector<Slot> leaving(slots);
    std::vector<int> copied;
    for (int i = 0; i < halo.regions.size(); ++i) {
        const bool is_copied = route.passes_on[static_cast<std::size_t>(i)] != 0 && halo.is_filled(rank, i);
        for_each_slot(halo, i, [&](int slot) {
            leaving[static_cast<std::size_t>(slot)] = is_copied ? out.new_temp(slot) : send_slot(slot);
            if (is_copied) copied.push_back(slot);
        });
    }
    for (int i = 0; i < halo.regions.size(); ++i) {
        const int via = route.via[static_cast<std::size_t>(i)];
        if (via != HaloRoute::owned && !halo.is_filled(rank, via)) continue; // nothing comes
        for_each_slot(halo, i, [&](int slot) {
            out.part(receive_slot(slot), via == HaloRoute::owned
                                             ? receive_slot(owned_cells(halo, slot))
                                             : leaving[static_cast<std::size_t>(in_region(halo, via, slot))]);
        });
    }

    auto end = route.bundles.end();
    for (int phase = route.phases; phase-- > 0;) {
        auto begin = end;
        while (begin != route.bundles.begin() && (begin - 1)->phase == phase) --begin;
        out.begin_phase();
        if (phase == route.phases - 1)
            for (const int slot : copied)
                out.copy_meanwhile(send_slot(slot), leaving[static_cast<std::size_t>(slot)]);
        for (auto bundle = begin; bundle != end; ++bundle) {
            std::vector<int> back = bundle->step;
            for (int& n : back) n = -n;
            if (!bundle->stays) out.begin_round(back);
            for (const int i : bundle->regions) {
                const bool sends = halo.is_filled(rank, i);
                const bool receives = is_filled_at_the_other_end(halo, rank, *bundle, i);
                for_each_slot(halo, i, [&](int slot) {
                    const Slot mine = leaving[static_cast<std::size_t>(slot)];
                    if (sends && !bundle->stays) out.send(mine);
                    if (!receives) return;
                    const Slot arrived = out.new_temp(slot);
                    const Slot sum = out.new_temp(slot);
                    if (bundle->stays)
                        out.copy_meanwhile(mine, arrived);
                    else
                        out.receive(arrived);
                    // Operators take elements in a row, which those of a region are not.
                    out.copy_afterwards(receive_slot(slot), sum);
                    out.reduce_afterwards(arrived, sum);
                    out.copy_afterwards(sum, receive_slot(slot));
                });
            }
        }
        end = begin;
    }
    return std::move(out).finish();
}

} // namespace ortho::algorithm
