// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges as calls of the engine, and what processes must have in common for them.

#include "collectives/halo_call.hpp"

#include <memory>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "algorithm/edge_bundles.hpp"
#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/object_info.hpp"
#include "runtime/message.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

std::vector<long long> owned_extents(const std::vector<Field>& fields)
{
    std::vector<long long> extents;
    for (const Field& field : fields)
        for (int k = 0; k < field.shape.dimensions(); ++k) extents.push_back(field.shape.owned(k));
    return extents;
}

std::map<int, std::vector<long long>> extents_around(const topology::PrivateComm& comm,
                                                     const grid::LocalGraph& lists,
                                                     const std::vector<long long>& mine)
{
    std::map<int, std::vector<long long>> result{{lists.rank, mine}};
    runtime::Posted messages(comm.messages(), comm.setting_up_tag());
    for (const auto& from : algorithm::EdgeBundles(lists.sources)) {
        if (from.partner == lists.rank) continue;
        std::vector<long long>& theirs = result[from.partner];
        theirs.resize(mine.size());
        messages.receive(from.partner, std::as_writable_bytes(std::span(theirs)));
    }
    for (const auto& to : algorithm::EdgeBundles(lists.targets))
        if (to.partner != lists.rank) messages.send(to.partner, std::as_bytes(std::span(mine)));
    messages.wait();
    return result;
}

void check_extents(const grid::Halo& halo, const std::vector<Field>& fields, int rank,
                   const std::map<int, std::vector<long long>>& extents, const Whose& whose)
{
    std::vector<std::size_t> begins{0}; // for each field, where its extents begin in the list of a rank
    for (const Field& field : fields) begins.push_back(begins.back() + field.shape.sizes.size());
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const auto region = halo.regions[slot];
        const std::size_t f = at(halo.field[at(slot)]);
        const grid::GhostedArray& shape = fields[f].shape;
        if (halo.grid.neighbor_against(rank, region) != grid::Grid::nowhere)
            grid::require_owned_layers(shape, region, whose(f));
        if (!halo.is_filled(rank, slot)) continue;
        const int other = halo.grid.neighbor(rank, region);
        for (int k = 0; k < shape.dimensions(); ++k) {
            if (grid::GhostedArray::side_of(region, k) != 0) continue;
            const long long theirs = extents.at(other)[begins[f] + at(k)];
            base::require(shape.owned(k) == theirs, base::ErrorKind::mismatch, "sizes", whose(f),
                          "sizes leaves ", shape.owned(k), " owned layers in dimension ", k,
                          " of the grid here, and ", theirs, " on rank ", other, ", across a face");
        }
    }
}

namespace {

std::string sizes_text(const grid::GhostedArray& shape)
{
    std::string result;
    for (const std::int64_t cells : shape.sizes) result += base::text(result.empty() ? "" : "x", cells);
    return result;
}

std::string arrays_text(const std::vector<Field>& fields)
{
    std::set<std::string> sizes;
    std::string types;
    std::set<std::string> named;
    for (const Field& field : fields) {
        sizes.insert(sizes_text(field.shape));
        const std::string name = mpi::type_name(field.element);
        const std::string type = name.empty() ? "a datatype without a name" : name;
        if (named.insert(type).second) types += (types.empty() ? " of " : ", ") + type;
    }
    const std::string shapes = sizes.size() > 1 ? base::text(sizes.size(), " shapes,")
                               : sizes.empty()  ? std::string("no shape,")
                                                : *sizes.begin();
    return base::text(base::counted(static_cast<std::int64_t>(fields.size()), "array"), " of ", shapes,
                      " elements", types);
}

/// Do the elements of a box lie one behind the other?
bool lies_in_a_row(const Field& field, const grid::Box& box)
{
    const mpi::Measures element = mpi::measure(field.element);
    if (element.size != element.extent) return false;
    MPI_Aint end = element.extent;
    for (const int k : field.nesting | std::views::reverse) {
        if (box.size[at(k)] == 1) continue;
        if (field.strides[at(k)] != end) return false;
        end *= static_cast<MPI_Aint>(box.size[at(k)]);
    }
    return true;
}

/// Is the grid one process wide wherever the region lies off the owned cells?
bool stays(const grid::Grid& grid, std::span<const int> region)
{
    for (int k = 0; k < grid.dimensions(); ++k)
        if (region[at(k)] != 0 && grid.size(k) > 1) return false;
    return true;
}

/// Does most of the data that other processes send not lie in rows?
bool is_strided(const grid::Halo& halo, const std::vector<Field>& fields,
                const std::vector<std::int64_t>& bytes)
{
    std::int64_t in_rows = 0;
    std::int64_t all = 0;
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const auto region = halo.regions[slot];
        if (stays(halo.grid, region)) continue;
        const Field& field = fields[at(halo.field[at(slot)])];
        if (lies_in_a_row(field, field.shape.box(region, region)))
            in_rows = base::times_plus(1, bytes[at(slot)], in_rows);
        all = base::times_plus(1, bytes[at(slot)], all);
    }
    return in_rows <= all / 2;
}

} // namespace

call::Call halo_call(grid::Halo halo, std::vector<Field> fields, std::vector<mpi::Datatype> elements,
                     call::HaloBytes bytes, MPI_Op op)
{
    const bool reduces = op != MPI_OP_NULL;
    call::Call call{.collective = reduces ? planner::Collective::halo_reduce : planner::Collective::halo,
                    .op = op};
    std::int64_t all = 0;
    for (const std::int64_t slot : bytes.most) all = base::times_plus(1, slot, all);
    call.arrays = arrays_text(fields);
    call.data = base::text(reduces ? "sends the ghosts of " : "fills the ghosts of ", call.arrays,
                           reduces ? " to their owners" : "", " (at most ", base::counted(all, "byte"),
                           " on each process)");
    call.strided = is_strided(halo, fields, bytes.most);
    call.halo_bytes = std::move(bytes);
    const auto blocks = std::make_shared<HaloBlocks>(halo, std::move(fields), reduces);
    call.halo = std::make_shared<const grid::Halo>(std::move(halo));
    const auto kept = std::make_shared<std::vector<mpi::Datatype>>(std::move(elements));
    call.lay = [blocks, kept](const schedule::Schedule& schedule, const call::Bases& bases) {
        return blocks->lay(schedule, bases);
    };
    return call;
}

} // namespace ortho::collectives
