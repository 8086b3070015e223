// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan place`: the placement of processes of a grid on nodes.

#include "plan/plan_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "plan/edge_cut_bound.hpp"
#include "plan/output_file.hpp"
#include "plan/partners.hpp"
#include "plan/place_picture.hpp"
#include "plan/planned_call.hpp"
#include "split_text.hpp"
#include "stencil_text.hpp"

namespace plan {

using ortho::base::ErrorKind;
using ortho::base::require;

namespace {

using ortho::at;

grid::Grid parse_grid(const PlaceOptions& options)
{
    const std::vector<int> sizes = tools::parse_product(options.grid);
    require(!sizes.empty(), ErrorKind::arg, "grid", "--grid ", options.grid, " is no size such as 128x128");
    std::int64_t points = 1;
    for (const int size : sizes) {
        points *= size;
        require(points <= std::numeric_limits<int>::max(), ErrorKind::arg, "grid", "--grid ", options.grid,
                " has more than ", std::numeric_limits<int>::max(), " processes");
    }
    return {sizes, std::vector<char>(sizes.size(), options.periodic ? 1 : 0)};
}

std::int64_t edges_of(const grid::Neighborhood& neighborhood)
{
    // Each point is a node.
    std::vector<int> all(at(neighborhood.grid.points()));
    std::iota(all.begin(), all.end(), 0);
    return placement::count_cut(neighborhood, {}, all).total;
}

Places make_places(const PlaceOptions& options)
{
    Places result;
    const grid::Grid grid = parse_grid(options);
    result.nodes = parse_nodes(options.nodes, grid.points());
    const auto [stencil, name] = tools::parse_stencil(options.stencil, grid.dimensions());
    grid::Canonical canonical = grid::canonical(grid, stencil);
    result.neighborhood = std::move(canonical.neighborhood);
    if (!options.weights.empty()) {
        require(std::ssize(options.weights) == stencil.size(), ErrorKind::arg, "weights", "--weights has ",
                options.weights.size(), " numbers, and the stencil ", stencil.size(), " offsets");
        result.weights.resize(at(result.neighborhood.size()));
        for (std::size_t i = 0; i < options.weights.size(); ++i)
            if (canonical.index[i] != grid::gap) result.weights[at(canonical.index[i])] = options.weights[i];
    }
    result.title = fmt::format("{} {}, {} on {}", options.periodic ? "torus" : "mesh", options.grid,
                               counted(grid.points(), "process", "processes"), nodes_text(result.nodes));
    result.stencil_title = fmt::format("{}: {}, {}", name, counted(stencil.size(), "offset"),
                                       counted(edges_of(result.neighborhood), "edge"));
    result.proposals = placement::propose(result.neighborhood, result.weights, result.nodes);
    result.bound = least_cut(result.neighborhood, result.weights, result.nodes.sizes());
    return result;
}

std::string range_text(const Partners::Range& range, std::int64_t processes)
{
    return fmt::format("{:>5} {:>5} {:>7.2f}", range.min, range.max,
                       static_cast<double>(range.sum) / static_cast<double>(processes));
}

void print_table(const Places& places, const PlaceOptions& options)
{
    fmt::print("{:<18}{:^19}  {:^19}  {:>27}\n", "", "on-node partners", "off-node partners",
               places.weights.empty() ? "edges that leave nodes" : "weight that leaves nodes");
    fmt::print("   {:<12}{:>8} {:>5} {:>7}  {:>5} {:>5} {:>7}  {:>11} {:>10} {:>9}\n", "method", "min", "max",
               "avg", "min", "max", "avg", "total", "one node's", "over bound");
    for (const placement::Proposal& proposal : places.proposals) {
        const char* const mark = &proposal == &places.chosen() ? "*" : " ";
        if (!proposal.has_answer()) {
            fmt::print(" {} {:<12}   no: {}\n", mark, proposal.method, proposal.why_not);
            continue;
        }
        const Partners partners = count_partners(places.neighborhood, proposal.node_of,
                                                 options.missing_are_off_node);
        const std::int64_t processes = places.nodes.processes();
        fmt::print(" {} {:<12}   {}  {}  {:>11} {:>10} {:>10}\n", mark, proposal.method,
                   range_text(partners.on_node, processes), range_text(partners.off_node, processes),
                   proposal.cut.total, proposal.cut.of_a_node, excess_text(proposal.cut.total, places.bound));
    }
    fmt::print("   {:<12}{:>55}\n", "lower bound", places.bound);
}

void write_csv(const Places& places, const PlaceOptions& options)
{
    std::ofstream out(options.csv);
    out << "method,total,of_a_node,on_min,on_max,on_sum,off_min,off_max,off_sum,chosen\n";
    for (const placement::Proposal& proposal : places.proposals) {
        if (!proposal.has_answer()) continue;
        const auto [on, off] = count_partners(places.neighborhood, proposal.node_of,
                                              options.missing_are_off_node);
        out << fmt::format("{},{},{},{},{},{},{},{},{},{}\n", proposal.method, proposal.cut.total,
                           proposal.cut.of_a_node, on.min, on.max, on.sum, off.min, off.max, off.sum,
                           &proposal == &places.chosen() ? 1 : 0);
    }
    out << fmt::format("lower bound,{},,,,,,,,\n", places.bound);
    finish_file(out, "csv", options.csv);
}

} // namespace

grid::Nodes parse_nodes(const std::string& nodes, int processes)
{
    const std::optional<std::vector<int>> sizes = grid::parse_node_sizes(nodes);
    require(sizes.has_value(), ErrorKind::arg, "nodes", "--nodes ", nodes,
            " is no list of how many processes nodes have, such as 16 or 4,4,3");
    return grid::Nodes::consecutive(processes, *sizes);
}

std::string nodes_text(const grid::Nodes& nodes)
{
    const auto [least, most] = std::ranges::minmax(nodes.sizes());
    return fmt::format("{} of {}", counted(nodes.count(), "node"),
                       least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most));
}

std::string excess_text(std::int64_t cut, std::int64_t bound)
{
    if (cut == bound) return "none";
    if (bound == 0) return "-";
    return fmt::format("+{:.1f} %", 100 * static_cast<double>(cut - bound) / static_cast<double>(bound));
}

void print_places(const PlaceOptions& options)
{
    const Places places = make_places(options);
    if (!options.svg.empty()) draw_places(places).write(options.svg);
    if (!options.csv.empty()) write_csv(places, options);
    const std::vector<int> process_at = placement::processes_on_points(places.nodes, places.chosen().node_of);
    write_rank_files(options.rank_files, places.nodes, process_at);

    fmt::print("{}\n{}\n\n", places.title, places.stencil_title);
    print_table(places, options);
    if (!options.svg.empty()) fmt::print("\nPicture: {}\n", options.svg);
    if (!options.rank_files.hostfile.empty() && comes_again(places.nodes, process_at))
        fmt::print(
            "\n{} is for Slurm. In it hosts come again behind others, which MPICH takes for more nodes: it "
            "needs --rankmap.\n",
            options.rank_files.hostfile);
}

} // namespace plan
