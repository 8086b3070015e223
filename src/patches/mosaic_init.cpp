// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Mosaic_halo_init, ORTHO_Mosaic_reduce_init, ORTHO_Mosaic_unfilled.

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "indexmap/ghost_exchange.hpp"
#include "memory/kind.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/operator.hpp"
#include "patches/box_reduction.hpp"
#include "patches/checked_fields.hpp"
#include "patches/closed_tiles.hpp"
#include "patches/mosaic_handles.hpp"
#include "request/request.hpp"
#include "sparse/sparse_exchange.hpp"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using indexmap::GhostSide;
using mosaic::Filled;
using patches::Array;
using patches::BoxReduction;
using patches::BoxTypes;
using patches::CheckedFields;
using patches::MemoryBox;
using patches::Mosaic;

/// The arguments of a call.
struct Arguments {
    const char* function;
    int nfields;
    const ORTHO_Mosaic_field* fields;
    bool reduces;
    MPI_Op op;
    const ORTHO_Request* request;
};

/// A box that this process fills on another one, or on itself: what the holder of the ghosts tells.
struct Lent {
    int field = 0;
    std::size_t patch = 0; ///< of this process
    int sign = 1;
    mosaic::Box box{};
    std::vector<int> order{}; ///< of the array's dimensions, as elements travel

    /// use(number) for each of them in turn, to write it or to read it.
    template <class Use>
    void each_number(Use use)
    {
        std::size_t dimensions = order.size();
        use(field);
        use(patch);
        use(sign);
        use(dimensions);
        order.resize(dimensions);
        std::ranges::for_each(box.first, use);
        std::ranges::for_each(box.count, use);
        std::ranges::for_each(order, use);
    }
};

/// The boxes of an exchange on this process.
struct Boxes {
    std::map<int, std::vector<Filled>> filled{}; ///< by owner
    std::map<int, std::vector<Lent>> lent{};     ///< by holder
    std::vector<mosaic::Unfilled> unfilled{};
};

void check_arguments(const Arguments& arguments, const CheckedFields& checked)
{
    mpi::require_result(arguments.request, "request");
    if (!arguments.reduces) return;
    require(arguments.op != MPI_OP_NULL, ErrorKind::op, "op", "op is MPI_OP_NULL");
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        require(!checked.fields[f].syncs, ErrorKind::arg, "sync", "fields[", f,
                "].sync is set, and a reduction leaves elements that are one point as they are");
        require(checked.boundaries[f].empty(), ErrorKind::arg, "boundary", "fields[", f,
                "].boundary is set, and ghosts that are reduced have no boundary");
        mpi::require_operator(arguments.op, indexmap::numbers_in(checked.elements[f], arguments.op).type);
    }
    require(mpi::commutes(arguments.op), ErrorKind::op, "op", "op does not commute");
}

/// Finds the boxes, and tells the owners of elements about them.  Collective.
Boxes find_boxes(const Mosaic& mosaic, const CheckedFields& checked)
{
    Boxes result;
    MPI_Comm const comm = mosaic.comm.get();
    topology::check_together(comm, [&] {
        mosaic::Ghosts ghosts;
        mosaic::GhostSearch search(mosaic.tiles, mosaic.patches, checked.fields);
        for (std::size_t p = 0; p < mosaic.number_here(); ++p) {
            for (std::size_t f = 0; f < checked.fields.size(); ++f)
                search.add(ghosts, static_cast<int>(f), mosaic.first_here() + p);
            for (const Filled& filled : ghosts.filled)
                result.filled[mosaic.owner(filled.donor)].push_back(filled);
            ghosts.filled.clear();
        }
        result.unfilled = std::move(ghosts.unfilled);
    });
    const auto exchange = sparse::run(comm, [&] {
        std::vector<sparse::SparseMessage> messages;
        for (const auto& [owner, boxes] : result.filled) {
            std::vector<std::int64_t> numbers;
            for (const Filled& filled : boxes) {
                const Array& array = checked.arrays[at(filled.field)][filled.patch - mosaic.first_here()];
                Lent{filled.donor_field, filled.donor - mosaic.begin[at(owner)], filled.sign,
                     filled.donor_box, donor_order(array, filled)}
                    .each_number([&](auto number) { numbers.push_back(static_cast<std::int64_t>(number)); });
            }
            const std::size_t bytes = numbers.size() * sizeof numbers[0];
            std::memcpy(messages.emplace_back(owner, bytes).bytes.get(), numbers.data(), bytes);
        }
        return messages;
    });
    for (const sparse::SparseMessage& message : exchange->received()) {
        std::vector<std::int64_t> numbers(message.length / sizeof(std::int64_t));
        std::memcpy(numbers.data(), message.bytes.get(), message.length);
        std::vector<Lent>& boxes = result.lent[message.partner];
        for (auto next = numbers.begin(); next != numbers.end();)
            boxes.emplace_back().each_number([&](auto& number) {
                number = static_cast<std::remove_reference_t<decltype(number)>>(*next++);
            });
    }
    return result;
}

/// Ghosts whose values change once they have come.
struct Changed {
    std::size_t base;
    MemoryBox box;
    mpi::SignedNumbers form;
    int sign;
    double shift;
};

/// Blocks for the engine to exchange, and changes of what has come.
struct Plan {
    indexmap::GhostBlocks blocks{};
    BoxTypes types{};
    CheckedFields checked{};
    std::vector<Changed> changed{};
    collectives::AllShownGhosts shown{};              ///< what lies beyond closed sides
    std::unique_ptr<BoxReduction> reduction{};        ///< null if ghosts are filled
    std::vector<std::vector<ORTHO_Patch>> unfilled{}; ///< by array
    std::size_t patches = 0, first_patch = 0;         ///< of this process

    /// True if there is something to do once all has come.
    bool has_end() const { return reduction || !changed.empty() || !shown.empty(); }
    std::size_t base_of(int field, std::size_t patch) const { return at(field) * patches + patch; }
    /// The arrays, and the memory of a reduction behind them.
    call::Bases all_bases(call::Bases arrays) const
    {
        if (reduction) arrays.push_back(reduction->memory());
        return arrays;
    }
};

/// Ghosts of this process, by owner.
void add_ghosts(Plan& plan, const Boxes& boxes, GhostSide& side)
{
    for (const auto& [owner, all] : boxes.filled) {
        side.add_partner();
        for (const Filled& filled : all) {
            const std::size_t patch = filled.patch - plan.first_patch;
            const std::size_t base = plan.base_of(filled.field, patch);
            const Array& array = plan.checked.arrays[at(filled.field)][patch];
            const MemoryBox box = box_filled(array, filled);
            MPI_Datatype const element = plan.checked.elements[at(filled.field)];
            side.add(base, box.offset, plan.types.of(box, element));
            if (filled.sign > 0 && filled.shift == 0) continue;
            plan.changed.push_back({base, box, *mpi::signed_numbers(element), filled.sign, filled.shift});
        }
    }
}

/// Elements of this process that fill ghosts, by holder; or rows for the ghosts that come back.
void add_lent(Plan& plan, const Boxes& boxes, GhostSide& side)
{
    for (const auto& [holder, all] : boxes.lent) {
        side.add_partner();
        for (const Lent& lent : all) {
            const std::size_t base = plan.base_of(lent.field, lent.patch);
            const MemoryBox box = box_in(plan.checked.arrays[at(lent.field)][lent.patch], lent.box,
                                         lent.order);
            MPI_Datatype const element = plan.checked.elements[at(lent.field)];
            if (!plan.reduction) {
                side.add(base, box.offset, plan.types.of(box, element));
                continue;
            }
            side.add(plan.checked.bases.size(), plan.reduction->add(base, box, element, lent.sign),
                     mpi::Datatype::row(box.elements(), element));
        }
    }
}

/// An exchange between patches: the engine's, and what is done when all has come.
class MosaicTask final : public indexmap::GhostExchange {
public:
    MosaicTask(std::unique_ptr<request::Task> exchange, std::shared_ptr<Plan> plan, mpi::Comm graph)
        : GhostExchange(std::move(exchange), plan->has_end()),
          graph_(std::move(graph)),
          plan_(std::move(plan)),
          bases_(plan_->checked.bases),
          by_row_(bases_.size())
    {
        prepare_devices();
    }
    /// The exchange uses graph and plan.
    ~MosaicTask() override { drop_exchange(); }

    void rebind_buffers(const void*, void*) override { fail_as_halo(); }
    void rebind_fields(std::span<void* const> bases) override
    {
        require(bases.size() == bases_.size(), ErrorKind::arg, "nfields", "nfields = ", bases.size(),
                " of an exchange of ", bases_.size(), " arrays: ", plan_->checked.fields.size(),
                " fields on ", plan_->patches, " patches");
        for (std::size_t i = 0; i < bases.size(); ++i) patches::require_array(bases[i], "", i);
        const call::Bases arrays(bases.begin(), bases.end());
        require_one_home(plan_->checked, arrays);
        require_whole(*plan_, arrays);
        rebind_exchange(plan_->all_bases(arrays));
        bases_ = arrays;
        prepare_devices();
    }

    std::string explanation() const override
    {
        return GhostExchange::explanation() + (plan_->shown.empty() ? "" : text_of(plan_->shown));
    }
    const Plan& plan() const { return *plan_; }

    /// Elements are reduced by the host, which gets them in a row from devices.
    static void require_whole(const Plan& plan, const call::Bases& arrays)
    {
        if (!memory::any_driver() || !plan.reduction) return;
        const std::size_t i = plan.reduction->find_holes(arrays);
        if (i < arrays.size())
            base::fail(ErrorKind::buffer, "bases", "fields[", i / plan.patches, "].bases[", i % plan.patches,
                       "] lies in the memory of a device, where elements with holes are not reduced");
    }

private:
    void prepare_devices()
    {
        if (!memory::any_driver()) return;
        if (plan_->reduction) return plan_->reduction->prepare(bases_, plan_->types);
        for (const Changed& changed : plan_->changed) {
            const std::size_t base = changed.base;
            if (by_row_[base] || !memory::home_of(bases_[base])) continue;
            MPI_Datatype const element = plan_->checked.elements[base / plan_->patches];
            auto& ghosts = changed_by_row_.try_emplace(base, element).first->second;
            ghosts.change(changed.box.offset, plan_->types.of(changed.box, element), changed.sign,
                          changed.shift);
        }
        for (auto& [base, ghosts] : changed_by_row_)
            if (!by_row_[base]) {
                ghosts.finish();
                by_row_[base] = true;
            }
    }

    void end() override
    {
        if (plan_->reduction) return plan_->reduction->reduce(bases_);
        for (const Changed& changed : plan_->changed)
            if (!by_row_[changed.base])
                change(changed.box, static_cast<std::byte*>(bases_[changed.base]) + changed.box.offset,
                       changed.form, changed.sign, changed.shift);
        fill_all(changed_by_row_, bases_);
        fill_all(plan_->shown, bases_);
    }

    mpi::Comm graph_;
    std::shared_ptr<Plan> plan_;
    call::Bases bases_;
    std::vector<bool> by_row_; ///< of arrays that have been on a device: their values change by the next ones
    std::map<std::size_t, collectives::ShownGhosts> changed_by_row_;
};

ORTHO_Request make_request(const Arguments& arguments, const std::shared_ptr<Plan>& plan, Boxes boxes,
                           mpi::Comm comm, MPI_Info info)
{
    const auto graph = topology::attached_graph(comm.get());
    add_ghosts(*plan, boxes, arguments.reduces ? plan->blocks.send : plan->blocks.receive);
    add_lent(*plan, boxes, arguments.reduces ? plan->blocks.receive : plan->blocks.send);
    boxes = {}; // they take as much memory as what is made now
    if (plan->reduction) {
        plan->reduction->allocate();
        plan->changed.clear();
    }
    topology::check_together(comm.get(), [&] { MosaicTask::require_whole(*plan, plan->checked.bases); });
    const std::shared_ptr<indexmap::GhostBlocks> blocks(plan, &plan->blocks); // which uses the plan's types
    auto exchange = indexmap::prepare_exchange(
        graph, blocks, plan->all_bases(plan->checked.bases),
        {arguments.function, "request is an exchange between patches, not of ORTHO_Field"}, false, info);
    return request::make_request(std::make_unique<MosaicTask>(std::move(exchange), plan, std::move(comm)),
                                 true);
}

int mosaic_init(const Arguments& arguments, ORTHO_Mosaic handle, MPI_Info info, ORTHO_Request* request)
{
    const std::shared_ptr<Mosaic> mosaic = patches::find_mosaic(handle);
    MPI_Comm const comm = mosaic ? mosaic->comm.get() : MPI_COMM_SELF;
    const auto plan = std::make_shared<Plan>();
    Boxes boxes;
    int code = mpi::guard(arguments.function, comm, [&] {
        static_cast<void>(patches::mosaic_of(handle));
        topology::check_together(comm, [&] {
            plan->checked = patches::check_fields(arguments.nfields, arguments.fields, *mosaic);
            check_arguments(arguments, plan->checked);
        });
        const int d = mosaic->tiles.dimensions();
        patches::require_same(comm, plan->checked, arguments.fields, d);
        plan->patches = mosaic->number_here();
        plan->first_patch = mosaic->first_here();
        if (arguments.reduces) plan->reduction = std::make_unique<BoxReduction>(arguments.op);
        boxes = find_boxes(*mosaic, plan->checked);
        plan->unfilled.resize(plan->checked.bases.size());
        for (const auto& [field, patch, box] : boxes.unfilled)
            plan->unfilled[plan->base_of(field, patch - plan->first_patch)].push_back(
                patches::patch_of(d, mosaic->patches[patch].tile, box));
        topology::check_together(
            comm, [&] { plan->shown = patches::closed_tiles(*mosaic, plan->checked, plan->unfilled); });
    });
    if (code != MPI_SUCCESS) return code;
    const auto ranks_of = [](const auto& by_rank) {
        const auto ranks = by_rank | std::views::keys;
        return std::vector<int>(ranks.begin(), ranks.end());
    };
    const std::vector<int> owners = ranks_of(boxes.filled);
    const std::vector<int> holders = ranks_of(boxes.lent);
    mpi::Comm graph;
    code = indexmap::make_exchange_graph(arguments.function, comm, arguments.reduces ? holders : owners,
                                         arguments.reduces ? owners : holders, MPI_INFO_NULL, graph);
    if (code != MPI_SUCCESS) return code;
    return mpi::guard(arguments.function, comm, [&] {
        *request = make_request(arguments, plan, std::move(boxes), std::move(graph), info);
    });
}

} // namespace

extern "C" {

int ORTHO_Mosaic_halo_init(int nfields, const ORTHO_Mosaic_field fields[], ORTHO_Mosaic mosaic, MPI_Info info,
                           ORTHO_Request* request)
{
    return mosaic_init({"ORTHO_Mosaic_halo_init", nfields, fields, false, MPI_OP_NULL, request}, mosaic, info,
                       request);
}

int ORTHO_Mosaic_reduce_init(int nfields, const ORTHO_Mosaic_field fields[], MPI_Op op, ORTHO_Mosaic mosaic,
                             MPI_Info info, ORTHO_Request* request)
{
    return mosaic_init({"ORTHO_Mosaic_reduce_init", nfields, fields, true, op, request}, mosaic, info,
                       request);
}

int ORTHO_Mosaic_unfilled(ORTHO_Request request, int field, int patch, int maxn, ORTHO_Patch boxes[], int* n)
{
    return mpi::guard("ORTHO_Mosaic_unfilled", [&] {
        const auto* const task = request::is_live(request) ? dynamic_cast<MosaicTask*>(request->task.get())
                                                           : nullptr;
        require(task != nullptr, ErrorKind::request, "request", "request is no exchange between patches");
        const Plan& plan = task->plan();
        require(field >= 0 && at(field) < plan.checked.fields.size(), ErrorKind::arg, "field",
                "field = ", field, " is none of ", plan.checked.fields.size(), " fields");
        require(patch >= 0 && at(patch) < plan.patches, ErrorKind::arg, "patch", "patch = ", patch,
                " is none of ", plan.patches, " patches");
        patches::write_patches(plan.unfilled[plan.base_of(field, at(patch))], maxn, boxes, "boxes", n);
    });
}

} // extern "C"
