// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Halo_fields_init, ORTHO_Halo_reduce_fields_init, and those for fields of one shape.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/arithmetic.hpp"
#include "base/index.hpp"
#include "collectives/halo_arguments.hpp"
#include "collectives/halo_call.hpp"
#include "engine/road.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/users_comm.hpp"
#include "mpiortho.h"
#include "request/request.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"
#include "topology/grid_graph.hpp"
#include "verify/verification.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using collectives::Field;
using collectives::HaloArguments;

void check_graph(const topology::GraphInfo& graph_info, const char* argument)
{
    require(
        graph_info.named_isomorphism() != nullptr, ErrorKind::topology, argument, argument,
        graph_info.isomorphism_decided
            ? " is not isomorphic: its neighborhoods are not one stencil on a grid that the communicator it "
              "was made from was named with"
            : " is not known to be isomorphic: it was not made by ORTHO, and ORTHO_Comm_isomorphic has not "
              "been called on it");
    // On a small grid an offset may lead to the next process by a longer way: what is right must not depend
    // on the number of processes.
    grid::require_unit_steps(graph_info.stencil ? *graph_info.stencil
                                                : graph_info.isomorphism->neighborhood.offsets);
}

/// The graph that the communicator's name makes; null on processes that are not on its grid.  Collective.
std::shared_ptr<topology::Graph> graph_of_grid(MPI_Comm comm, MPI_Info info, const char* argument)
{
    require(!mpi::is_inter(comm), ErrorKind::topology, argument, argument,
            " is an inter-communicator, which has neither a graph nor a Cartesian name");
    return topology::graph_of_name(comm, info, argument);
}

/// All regions that the stencil fills, or would fill if there were a process.  So offsets that leave the grid
/// from everywhere count.  Where only ranks are known, an offset stands for all that lead to the same
/// process, and all offsets that leave the grid count.
grid::Stencil all_regions(const topology::GraphInfo& graph_info)
{
    if (graph_info.stencil) return grid::ghost_regions(*graph_info.stencil);
    const grid::Neighborhood& neighborhood = graph_info.isomorphism->neighborhood;
    grid::Stencil result = grid::ghost_regions(neighborhood);
    const grid::Stencil off_grid = grid::regions_off_grid(neighborhood.grid);
    for (int i = 0; i < off_grid.size(); ++i) result.push_back(off_grid[i]);
    return result;
}

/// The exchange.  It holds the regions of each field that it fills on some process.
grid::Halo halo_of_fields(const grid::Grid& grid, std::vector<grid::Stencil> regions)
{
    for (grid::Stencil& of_field : regions) of_field = grid::regions_on_grid(grid, of_field);
    return grid::make_halo(grid, regions);
}

/// By field: those of its regions that lead off the grid from here.
std::vector<grid::Stencil> unfilled_regions(const grid::Grid& grid, int rank,
                                            const std::vector<grid::Stencil>& regions)
{
    const grid::Halo all = grid::make_halo(grid, regions); // in order
    std::vector<grid::Stencil> result(regions.size(), grid::Stencil(grid.dimensions()));
    for (int slot = 0; slot < all.slots(); ++slot)
        if (!all.is_filled(rank, slot)) result[at(all.field[at(slot)])].push_back(all.regions[slot]);
    return result;
}

call::HaloBytes agree_on_bytes(MPI_Comm comm, const grid::Halo& halo, const std::vector<Field>& fields)
{
    agree::Ballot ballot;
    std::vector<agree::AllEqual> bytes;
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const Field& field = fields[at(halo.field[at(slot)])];
        const std::int64_t cells = field.shape.box(halo.regions[slot], halo.regions[slot]).cells();
        bytes.emplace_back(ballot, base::times_plus(cells, mpi::measure(field.element).size, 0));
    }
    agree::hold(comm, ballot);
    call::HaloBytes result{.are_equal = std::ranges::all_of(bytes, &agree::AllEqual::holds)};
    for (const agree::AllEqual& slot : bytes) result.most.push_back(slot.value());
    return result;
}

/// Elements travel in the order in which they lie in memory, if that is the same everywhere.
void agree_on_nesting(MPI_Comm comm, std::vector<Field>& fields)
{
    std::vector<std::vector<int>> in_memory;
    agree::Ballot ballot;
    std::vector<agree::SameList> lists;
    for (const Field& field : fields) {
        in_memory.push_back(nesting_in_memory(field));
        lists.emplace_back(ballot).say(in_memory.back());
    }
    agree::hold(comm, ballot);
    for (std::size_t f = 0; f < fields.size(); ++f)
        if (lists[f].holds()) fields[f].nesting = in_memory[f];
}

/// The operation of a process that is not on the grid.
class OffTheGrid final : public request::Task {
public:
    /// `comm`: the user's, who may free it before the request, and whose error handler is called.
    OffTheGrid(const char* function, MPI_Comm comm, MPI_Info info)
        : users_(mpi::UsersComm::of(comm)),
          waiting_{function,
                   mpi::title_of(comm),
                   mpi::rank_of(comm),
                   {},
                   runtime::which_by_name(topology::name_in(info))}
    {}

    void start(bool) override {}
    bool advance(bool, runtime::Backoff&) override { return true; }
    void rethrow() const override {}
    bool has_arrived(int) override { return true; }
    std::string explanation() const override
    {
        return "mpiortho: this process is not on the grid that the communicator is named with, and "
               "exchanges nothing\n";
    }
    runtime::Waiting waiting() override { return waiting_; }
    MPI_Comm error_comm() const noexcept override { return users_->for_errors(); }
    void rebind_fields(std::span<void* const>) override {}
    std::vector<void*> bases_of_fields(std::span<const ORTHO_Field>) const override { return {}; }
    void rebind_buffers(const void*, void*) override { fail_as_halo(); }
    grid::Stencil unfilled(int) const override { return {}; }
    void move_field(const request::FieldMove&) override {}

private:
    std::shared_ptr<mpi::UsersComm> users_;
    runtime::Waiting waiting_;
};

/// The request of a process on the grid.
ORTHO_Request make_halo_request(const char* function, const HaloArguments& arguments,
                                const std::shared_ptr<topology::Graph>& graph, bool by_name,
                                const ORTHO_Request* request)
{
    const std::shared_ptr<const topology::GraphInfo> graph_info = graph->graph_info;
    // Verification only checks that all processes make this call; the arrays are compared below.
    const auto outline = [&] {
        return call::Call{.collective = arguments.reduces ? planner::Collective::halo_reduce
                                                          : planner::Collective::halo,
                          .op = arguments.op,
                          .function = function};
    };
    if (graph->verification_comm) verify::verify(*graph, function, outline);
    check_graph(*graph_info, arguments.names.comm()); // which is equal everywhere
    const mpi::SetUpComms comms = graph->set_up_comms();
    const grid::Grid& grid = graph_info->isomorphism->neighborhood.grid;
    const grid::Stencil regions = all_regions(*graph_info);

    collectives::CheckedFields checked;
    call::FindOverlap find_overlap;
    topology::check_together(comms.collectives, [&] {
        mpi::require_result(request, "request");
        checked = collectives::check_fields(arguments, grid, regions);
        find_overlap = collectives::overlap_finder(checked);
        if (const auto found = find_overlap(checked.bases))
            base::fail(ErrorKind::buffer, arguments.names.fields(), arguments.names.base(found->first),
                       " and ", arguments.names.base(found->second), " are arrays that share memory");
        collectives::check_boundaries(checked, arguments, grid);
    });
    collectives::require_same_fields(comms.collectives, arguments, checked, regions);
    if (graph->verification_comm) {
        collectives::require_same_elements(comms.collectives, arguments, checked);
        collectives::warn_of_what_is_seldom_meant(arguments, grid);
    }
    std::vector<Field>& fields = checked.fields;

    const grid::Halo halo = halo_of_fields(grid, checked.regions);
    const auto around = collectives::extents_around(graph->private_comm, graph_info->lists,
                                                    collectives::owned_extents(fields));
    call::AtEnd end;
    topology::check_together(comms.collectives, [&] {
        collectives::check_extents(halo, fields, graph_info->lists.rank, around,
                                   [&](std::size_t f) { return arguments.names.whose(f); });
        end = collectives::end_of(grid, graph_info->lists.rank, checked, arguments.names);
    });
    const auto bases_of_fields = collectives::bases_of_fields_like(checked, arguments.d);
    auto move_field = collectives::field_mover(comms.collectives, grid, checked);
    agree_on_nesting(comms.collectives, fields);

    call::HaloBytes bytes = agree_on_bytes(comms.collectives, halo, fields);
    call::Call call = collectives::halo_call(halo, std::move(fields), std::move(checked.elements),
                                             std::move(bytes), arguments.op);
    call.bases = std::move(checked.bases);
    call.at_end = std::move(end);
    call.bases_of_fields = bases_of_fields;
    call.move_field = std::move(move_field);
    if (call.bases.size() > 1) call.find_overlap = std::move(find_overlap);
    call.unfilled = unfilled_regions(grid, graph_info->lists.rank, checked.regions);
    call.by_name = by_name;
    call.of_one_shape = arguments.names.one_shape;
    call.function = function;
    auto task = engine::prepare(
        graph, [&] { return call; }, arguments.info);
    return request::make_request(std::move(task), true);
}

int halo_init(const char* function, const HaloArguments& arguments, MPI_Comm comm, ORTHO_Request* request)
{
    return mpi::guard(function, comm, [&] {
        const char* const argument = arguments.names.comm();
        mpi::require_comm(comm, argument);
        const bool carries_graph = topology::topology_kind(comm) == ORTHO_GRAPH;
        const auto graph = carries_graph ? topology::attached_graph(comm)
                                         : graph_of_grid(comm, arguments.info, argument);
        if (!graph) mpi::require_result(request, "request");
        *request = graph ? make_halo_request(function, arguments, graph, !carries_graph, request)
                         : request::make_request(std::make_unique<OffTheGrid>(function, comm, arguments.info),
                                                 true);
    });
}

} // namespace

extern "C" {

int ORTHO_Halo_fields_init(int nfields, const ORTHO_Field fields[], int d, MPI_Comm comm, MPI_Info info,
                           ORTHO_Request* request)
{
    return halo_init("ORTHO_Halo_fields_init", HaloArguments::of_fields(nfields, fields, d, info), comm,
                     request);
}

int ORTHO_Halo_reduce_fields_init(int nfields, const ORTHO_Field fields[], int d, MPI_Op op, MPI_Comm comm,
                                  MPI_Info info, ORTHO_Request* request)
{
    HaloArguments arguments = HaloArguments::of_fields(nfields, fields, d, info);
    arguments.reduces = true;
    arguments.op = op;
    return halo_init("ORTHO_Halo_reduce_fields_init", arguments, comm, request);
}

int ORTHO_Halo_init(int nfields, void* const fields[], const MPI_Datatype elements[], int d,
                    const int sizes[], const int lower[], const int upper[], MPI_Comm graph, MPI_Info info,
                    ORTHO_Request* request)
{
    const auto arguments = HaloArguments::of_one_shape(nfields, fields, elements, d, sizes, lower, upper,
                                                       info);
    return halo_init("ORTHO_Halo_init", arguments, graph, request);
}

int ORTHO_Halo_reduce_init(int nfields, void* const fields[], const MPI_Datatype elements[], int d,
                           const int sizes[], const int lower[], const int upper[], MPI_Op op, MPI_Comm graph,
                           MPI_Info info, ORTHO_Request* request)
{
    auto arguments = HaloArguments::of_one_shape(nfields, fields, elements, d, sizes, lower, upper, info);
    arguments.reduces = true;
    arguments.op = op;
    return halo_init("ORTHO_Halo_reduce_init", arguments, graph, request);
}

} // extern "C"
