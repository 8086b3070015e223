// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Halo_init and ORTHO_Halo_reduce_init.

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/saturating_math.hpp"
#include "collectives/halo_call.hpp"
#include "engine/persistent_task.hpp"
#include "engine/request.hpp"
#include "engine/run.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/internal_collectives.hpp"
#include "mpi/operator.hpp"
#include "mpiortho.h"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"
#include "verify/verify.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using collectives::Fields;

/// The arguments of both calls; op is MPI_OP_NULL in an exchange.
struct HaloArguments {
    int nfields;
    void* const* fields;
    const MPI_Datatype* elements;
    int d;
    const int* sizes;
    const int* lower;
    const int* upper;
    MPI_Op op;
    bool reduces;
};

void check_graph(const topology::GraphInfo& facts)
{
    require(facts.isomorphism.has_value(), ErrorKind::topology, "graph",
            facts.isomorphism_decided ? "graph is not isomorphic: its neighborhoods are not one stencil on a "
                                        "grid that the communicator it "
                                        "was made from was named with"
                                      : "graph is not known to be isomorphic: it was not made by ORTHO, and "
                                        "ORTHO_Comm_isomorphic has not "
                                        "been called on it");
    grid::require_unit_steps(facts.isomorphism->neighborhood);
}

void check_element(MPI_Datatype element, int f)
{
    require(element != MPI_DATATYPE_NULL, ErrorKind::type, "elements", "elements[", f,
            "] is MPI_DATATYPE_NULL");
    if (!mpi::is_named(element)) mpi::require_committed(element);
}

void check_operator(MPI_Op op, const std::vector<MPI_Datatype>& elements)
{
    require(op != MPI_OP_NULL, ErrorKind::op, "op", "op is MPI_OP_NULL");
    for (MPI_Datatype element : elements) mpi::require_operator(op, element);
    int commutative = 0;
    mpi::check(PMPI_Op_commutative(op, &commutative));
    require(commutative != 0, ErrorKind::op, "op", "op does not commute");
}

/// What one process can say of its own arguments.
Fields check(const HaloArguments& arguments, const grid::Grid& grid)
{
    const auto [nfields, fields, elements, d, sizes, lower, upper, op, reduces] = arguments;
    require(nfields >= 0, ErrorKind::arg, "nfields", "nfields = ", nfields, " is negative");
    require(d == grid.dimensions(), ErrorKind::dims, "d", "d = ", d, " on a graph whose grid has ",
            grid.dimensions(), " dimensions");
    mpi::require_result(sizes, "sizes");
    mpi::require_result(lower, "lower");
    mpi::require_result(upper, "upper");
    Fields result{.arrays = {},
                  .elements = {},
                  .shape = {{sizes, sizes + d}, {lower, lower + d}, {upper, upper + d}},
                  .nesting = collectives::nesting_of(grid),
                  .room = {sizes, sizes + d}};
    result.shape.require_room();
    const bool has_cells = std::ranges::all_of(result.shape.sizes, [](int n) { return n > 0; });
    if (nfields > 0) {
        mpi::require_result(fields, "fields");
        mpi::require_result(elements, "elements");
        result.arrays.assign(fields, fields + nfields);
        result.elements.assign(elements, elements + nfields);
    }
    for (int f = 0; f < nfields; ++f) {
        check_element(elements[f], f);
        require(!has_cells || fields[f] != nullptr, ErrorKind::buffer, "fields", "fields[", f,
                "] is a null pointer");
    }
    if (reduces) check_operator(op, result.elements);
    return result;
}

/// Throws, on all processes, unless all gave the same depths and kinds of fields.
void require_same(MPI_Comm private_comm, const Fields& fields)
{
    std::vector<int> all;
    std::vector<const char*> arguments;
    const auto add = [&](int number, const char* argument) {
        all.push_back(number);
        arguments.push_back(argument);
    };
    for (const int n : fields.shape.lower) add(n, "lower");
    for (const int n : fields.shape.upper) add(n, "upper");
    for (MPI_Datatype element : fields.elements) {
        const MPI_Count bytes = mpi::measure(element).size;
        add(static_cast<int>(bytes >> 31), "elements");
        add(static_cast<int>(bytes & INT_MAX), "elements");
    }
    arguments.push_back("nfields"); // the lists have different lengths
    if (const auto difference = topology::first_difference(private_comm, all))
        base::fail(ErrorKind::mismatch, arguments[*difference], arguments[*difference],
                   " is not the same on all processes");
}

/// The bytes of each slot on the process that has most.
std::vector<std::int64_t> most_bytes(MPI_Comm private_comm, const grid::Halo& halo, const Fields& fields)
{
    std::vector<long long> bytes;
    for (int i = 0; i < halo.regions.size(); ++i) {
        const std::int64_t cells = fields.shape.box(halo.regions[i], halo.regions[i]).cells();
        for (MPI_Datatype element : fields.elements)
            bytes.push_back(base::times_plus(cells, mpi::measure(element).size, 0));
    }
    mpi::maximize(private_comm, bytes);
    return {bytes.begin(), bytes.end()};
}

/// Of an adjoint: MPI counts what it reduces in ints.
void check_counts(const grid::Halo& halo, const grid::GhostedArray& shape)
{
    for (int i = 0; i < halo.regions.size(); ++i) {
        const std::int64_t cells = shape.box(halo.regions[i], halo.regions[i]).cells();
        require(cells <= INT_MAX, ErrorKind::count, "sizes", "a ghost region has ", cells,
                " cells, more than can be reduced");
    }
}

int halo_init(const char* function, const HaloArguments& arguments, MPI_Comm comm, MPI_Info info,
              ORTHO_Request* request)
{
    return mpi::guard(function, comm, [&] {
        topology::graph_of(comm, "graph"); // or it is the wrong topology
        const auto graph = topology::attached_graph(comm);
        MPI_Comm const private_comm = graph->private_comm.get();
        const std::shared_ptr<const topology::GraphInfo> facts = graph->facts;
        // Who comes at all; the arrays are compared below.
        const auto outline = [&] {
            return engine::Call{.collective = arguments.reduces ? planner::Collective::halo_reduce
                                                                : planner::Collective::halo,
                                .send = {},
                                .receive = {},
                                .op = arguments.op,
                                .function = function};
        };
        if (graph->checks) verify::verify(*graph, function, outline);
        check_graph(*facts); // which is equal everywhere
        const grid::Neighborhood& neighborhood = facts->isomorphism->neighborhood;

        Fields fields;
        topology::fail_together(private_comm, [&] {
            mpi::require_result(request, "request");
            fields = check(arguments, neighborhood.grid);
            return topology::AgreedFlags{};
        });
        require_same(private_comm, fields);

        const grid::GhostedArray& shape = fields.shape;
        grid::Halo halo = grid::make_halo(neighborhood, shape, arguments.nfields);
        const auto around = collectives::extents_around(private_comm, facts->lists,
                                                        collectives::owned_extents(shape));
        topology::fail_together(private_comm, [&] {
            collectives::check_extents(halo, shape, facts->lists.rank, around);
            if (arguments.reduces) check_counts(halo, shape);
            return topology::AgreedFlags{};
        });

        std::vector<std::int64_t> bytes = most_bytes(private_comm, halo, fields);
        engine::Call call = collectives::halo_call(std::move(halo), std::move(fields), std::move(bytes),
                                                   arguments.op);
        call.function = function;
        auto task = engine::prepare(
            graph, [&] { return call; }, info);
        *request = engine::make_request(std::move(task), true);
    });
}

} // namespace

extern "C" {

int ORTHO_Halo_init(int nfields, void* const fields[], const MPI_Datatype elements[], int d,
                    const int sizes[], const int lower[], const int upper[], MPI_Comm graph, MPI_Info info,
                    ORTHO_Request* request)
{
    return halo_init("ORTHO_Halo_init",
                     {nfields, fields, elements, d, sizes, lower, upper, MPI_OP_NULL, false}, graph, info,
                     request);
}

int ORTHO_Halo_reduce_init(int nfields, void* const fields[], const MPI_Datatype elements[], int d,
                           const int sizes[], const int lower[], const int upper[], MPI_Op op, MPI_Comm graph,
                           MPI_Info info, ORTHO_Request* request)
{
    return halo_init("ORTHO_Halo_reduce_init", {nfields, fields, elements, d, sizes, lower, upper, op, true},
                     graph, info, request);
}

} // extern "C"
