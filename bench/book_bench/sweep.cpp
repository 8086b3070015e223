// SPDX-License-Identifier: BSD-3-Clause
// Placements of many grids against Gropp's and the lower bound.

#include "book_bench/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "placement/dims.hpp"
#include "placement/gropp.hpp"
#include "placement/placement.hpp"
#include "plan/edge_cut_bound.hpp"
#include "plan/output_file.hpp"
#include "specification.hpp"

namespace plan {

namespace grid = ortho::grid;
namespace placement = ortho::placement;

namespace {

constexpr int first_dimension = 2;
constexpr int last_dimension = 4;

struct Case {
    int d;
    int processes;
    int node_size;
};

/// One of `stride` cases.
std::vector<Case> cases_of(const SweepOptions& options)
{
    std::vector<Case> result;
    std::int64_t number = 0;
    for (int d = first_dimension; d <= last_dimension; ++d)
        for (int p = 2; p <= options.processes; ++p)
            for (int size = 2; size <= options.node_size && size < p; ++size) {
                if (options.dividing && p % size != 0) continue;
                if (number++ % options.stride == 0) result.push_back({d, p, size});
            }
    return result;
}

/// Sums over cases of one kind.
struct Tally {
    std::int64_t cases = 0;
    std::int64_t optimal = 0; ///< ours reaches the bound
    double excess = 0;        ///< sum of ours / bound - 1
    double worst = 0;
    double of_numbered = 0; ///< sum of ours / as numbered
    std::int64_t gropp = 0; ///< cases in which Gropp's method has an answer
    std::int64_t better = 0;
    std::int64_t worse = 0;

    void add(std::int64_t ours, std::int64_t numbered, std::int64_t bound)
    {
        const double now = bound > 0 ? static_cast<double>(ours) / static_cast<double>(bound) - 1 : 0;
        ++cases;
        optimal += ours == bound ? 1 : 0;
        excess += now;
        worst = std::max(worst, now);
        of_numbered += static_cast<double>(ours) / static_cast<double>(numbered);
    }
};

void print_tally(const std::string& name, const Tally& tally)
{
    const auto n = static_cast<double>(tally.cases);
    fmt::print("{:<22} {:>7} {:>8.1f} % {:>8.2f} % {:>8.1f} % {:>9.1f} % {:>8} {:>8} {:>7}\n", name,
               tally.cases, 100 * static_cast<double>(tally.optimal) / n, 100 * tally.excess / n,
               100 * tally.worst, 100 * tally.of_numbered / n, tally.gropp, tally.better, tally.worse);
}

} // namespace

void print_sweep(const SweepOptions& options)
{
    std::ofstream csv;
    if (!options.csv.empty()) csv.open(options.csv);
    csv << "dims,node_size,numbered,gropp,ours,method,bound,numbered_node,gropp_node,ours_node\n";
    const std::vector<Case> cases = cases_of(options);
    const bool shows_progress = isatty(STDERR_FILENO) == 1;
    // By dimensions, and by whether the node size divides the number of processes.
    Tally tallies[last_dimension + 1][2];
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto [d, processes, node_size] = cases[i];
        if (shows_progress && i % 64 == 0) fmt::print(stderr, "\r{} of {}", i, cases.size());
        const std::vector<int> dims = placement::choose_dims(
            processes, std::vector<int>(static_cast<std::size_t>(d)), nullptr);
        const grid::Grid mesh(dims, std::vector<char>(dims.size()));
        const grid::Neighborhood neighborhood =
            grid::canonical(mesh, tools::parse_stencil("neumann:1", d).offsets).neighborhood;
        const grid::Nodes nodes = grid::Nodes::consecutive(processes, std::vector{node_size});
        const std::int64_t bound = least_cut(neighborhood, {}, nodes.sizes());
        const std::vector<placement::Proposal> proposals = placement::propose(neighborhood, {}, nodes);
        const placement::Proposal& ours = placement::best_of(proposals);
        Tally& tally = tallies[d][processes % node_size == 0 ? 0 : 1];
        tally.add(ours.cut.total, proposals.front().cut.total, bound);
        const placement::EdgeCut& numbered = proposals.front().cut;
        std::string of_gropp;
        std::string of_his_node;
        if (const auto answer = placement::gropp(mesh, nodes)) {
            const placement::EdgeCut his = placement::count_cut(neighborhood, {}, *answer);
            of_gropp = fmt::format("{}", his.total);
            of_his_node = fmt::format("{}", his.of_a_node);
            ++tally.gropp;
            tally.better += ours.cut < his ? 1 : 0;
            tally.worse += ours.cut.total > his.total || ours.cut.of_a_node > his.of_a_node ? 1 : 0;
        }
        csv << fmt::format("{},{},{},{},{},{},{},{},{},{}\n", fmt::join(dims, "x"), node_size, numbered.total,
                           of_gropp, ours.cut.total, ours.method, bound, numbered.of_a_node, of_his_node,
                           ours.cut.of_a_node);
    }
    if (shows_progress) fmt::print(stderr, "\r{:20}\r", "");
    if (!options.csv.empty()) finish_file(csv, "csv", options.csv);

    fmt::print("Balanced meshes of 2 to 4 dimensions, a step each way in each dimension, up to {} processes, "
               "nodes of 2 to "
               "{}\n(one case in {}{}).\n\n",
               options.processes, options.node_size, options.stride,
               options.dividing ? " of those where the nodes are full" : "");
    fmt::print("{:<22} {:>7} {:>10} {:>10} {:>10} {:>11} {:>8} {:>8} {:>7}\n", "", "cases", "optimal",
               "mean over", "worst over", "of as", "Gropp's", "ours is", "is");
    fmt::print("{:<22} {:>7} {:>10} {:>10} {:>10} {:>11} {:>8} {:>8} {:>7}\n", "", "", "for sure", "bound",
               "bound", "numbered", "answers", "better", "worse");
    for (int d = first_dimension; d <= last_dimension; ++d)
        for (const int kind : {0, 1})
            if (tallies[d][kind].cases > 0)
                print_tally(fmt::format("{} dimensions, {}", d, kind == 0 ? "dividing" : "not"),
                            tallies[d][kind]);
}

} // namespace plan
