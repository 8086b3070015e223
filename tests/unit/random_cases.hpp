// SPDX-License-Identifier: BSD-3-Clause
// Random grids, stencils and graphs, and the results that schedules must deliver on them.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "base/error.hpp"
#include "grid/grid.hpp"
#include "grid/halo.hpp"
#include "grid/local_graph.hpp"
#include "grid/neighborhood.hpp"
#include "grid/nodes.hpp"
#include "planner/algorithm_list.hpp"
#include "verifier.hpp"

namespace cases {

namespace algorithm = ortho::algorithm;
namespace grid = ortho::grid;
namespace schedule = ortho::schedule;
using Random = std::mt19937;

/// One case of this number is run: all of them if ORTHO_TEST_ALL is set, fewer with sanitizers that watch the
/// memory, since another build runs them, and as many as ORTHO_TEST_ONE_IN says.
int one_in();

/// The number of random cases.
inline int times(int usual) { return usual / one_in(); }

inline int uniform(Random& random, int low, int high)
{
    return std::uniform_int_distribution<int>(low, high)(random);
}

/// The words of the error that an action throws, of this kind and for this argument if they are given; "none"
/// without one.
template <class Action>
std::string mistake_in(Action action, std::optional<ortho::base::ErrorKind> kind = {},
                       const std::string& argument = {})
{
    try {
        action();
    } catch (const ortho::base::Error& error) {
        const bool is_meant = (!kind || error.kind() == *kind) &&
                              (argument.empty() || error.argument() == argument);
        return (is_meant ? "" : "another error: ") + std::string(error.what());
    }
    return "none";
}

/// Up to `most_dimensions` dimensions of sizes 1, 2, 3 and primes, mixed periods, either order.
grid::Grid random_grid(Random& random, int most_dimensions, int most_points);

/// Offsets up to `reach` either way, sometimes longer than the grid, with duplicates.
grid::Stencil random_stencil(Random& random, int dimensions, int most_offsets, int reach);

/// Both, with the offsets as the library knows them.
grid::Neighborhood random_neighborhood(Random& random, int most_dimensions, int most_points, int most_offsets,
                                       int reach);

/// All points of {low..high}^dimensions, in lexicographic order.
std::vector<std::vector<int>> box(int dimensions, int low, int high);
/// These points as a stencil.
grid::Stencil all_of(int dimensions, int low, int high);

/// The torus with so many processes in each dimension.
grid::Grid cube(int dimensions, int size);
/// The grid without borders, and the offsets to all processes, each once.
grid::Grid torus_of(const grid::Grid& grid);
grid::Stencil all_offsets(const grid::Grid& grid);

/// Up to three fields with regions of their own, or none.
grid::Halo random_halo(Random& random, const grid::Grid& grid);

/// Nodes of one size or of several; their processes are in a row, take turns, or are anywhere.
grid::Nodes random_nodes(Random& random, int processes);

/// A random ordered partition of the dimensions.
algorithm::Groups random_groups(Random& random, int dimensions);

/// Dimensions in random order, each up to `most` times: as many steps.
algorithm::Groups random_steps(Random& random, int dimensions, int most);

/// A multigraph with self-edges, multi-edges, isolated processes and gaps; `pairs` lists
/// its edges as (process, out-edge, process, in-edge), paired as MPI says.
struct Pair {
    int from, out_edge, to, in_edge;
};
struct Multigraph {
    std::vector<grid::LocalGraph> processes;
    std::vector<Pair> pairs;
};
Multigraph random_graph(Random& random, int processes, int most_edges);

/// The edges of a process of a neighborhood, in canonical order with gaps at borders, ...
grid::LocalGraph lists_at(const grid::Neighborhood& neighborhood, int rank);
/// ... and those of all processes.
Multigraph graph_of(const grid::Neighborhood& neighborhood);

/// The multigraph of a neighborhood with shuffled lists and without gaps, paired as MPI says.
Multigraph shuffled_graph(Random& random, const grid::Neighborhood& neighborhood);

/// The result of an alltoall (`personal`) or allgather over the graph's edges, by edge.
schedule::Goal delivery(const Multigraph& graph, bool personal);

/// The result on a stencil, by canonical index.
schedule::Goal delivery(const grid::Neighborhood& neighborhood, bool personal);

/// Joins the contributions of all delivered blocks, in this order, to one value: the result of a reduction.
void reduce(schedule::Goal& goal);

/// The result of an algorithm on a stencil, ...
schedule::Goal goal(const algorithm::Algorithm& algorithm, const grid::Neighborhood& neighborhood,
                    bool in_place = false);
/// ... and with a halo: region s of process r gets the cells that r+s owns.  Where it reduces, the owned cells
/// of r get their own value and region s of every process r-s; no other slot is written.
schedule::Goal goal(const algorithm::Algorithm& algorithm, const grid::Halo& halo);

/// The schedule of one process, by algorithms on graphs, ...
schedule::Schedule build(const algorithm::Algorithm& algorithm, const grid::LocalGraph& graph,
                         const algorithm::CallSpecification& specification = {});
/// ... on stencils, ...
schedule::Schedule build(const algorithm::Algorithm& algorithm, const grid::Neighborhood& neighborhood,
                         int rank, const algorithm::Groups& groups,
                         const algorithm::CallSpecification& specification = {});
/// ... and of halos.
schedule::Schedule build(const algorithm::Algorithm& algorithm, const grid::Halo& halo, int rank,
                         const algorithm::PlannerContext& context = {});

/// The error of the schedules of all processes; empty if there is none.  On a torus all have one schedule.
std::string fault(const algorithm::Algorithm& algorithm, const grid::Neighborhood& neighborhood,
                  const algorithm::Groups& groups, bool in_place = false);
std::string fault(const algorithm::Algorithm& algorithm, const grid::Halo& halo);

} // namespace cases
