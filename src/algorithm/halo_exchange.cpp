// SPDX-License-Identifier: BSD-3-Clause
// The schedules of a halo exchange and of its adjoint along a route.  No MPI in this file.

#include "algorithm/halo_exchange.hpp"

#include <utility>
#include <vector>

#include "base/index.hpp"

namespace ortho::algorithm {

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
            std::vector<int> back = bundle->step;
            for (int& n : back) n = -n;
            if (!bundle->stays) out.begin_round(back);
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
