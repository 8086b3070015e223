// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan graph`: the exchanges of a graph that is distributed over processes.

#include "plan/plan_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "algorithm/wires.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "graph_text.hpp"
#include "placement/graph_placement.hpp"
#include "plan/graph_parts.hpp"
#include "plan/graph_picture.hpp"
#include "plan/graph_traffic.hpp"
#include "plan/output_file.hpp"
#include "plan/plan_place.hpp"
#include "schedule/work.hpp"
#include "size_text.hpp"

namespace plan {

using ortho::at;
using ortho::base::ErrorKind;
using ortho::base::require;

namespace {

std::string content_of(const std::string& file)
{
    auto text = ortho::base::content_of(file);
    require(text.has_value(), ErrorKind::arg, "file", file, " cannot be read");
    return std::move(*text);
}

/// The graph's rows on processes, and these on nodes.
struct Distribution {
    tools::SparseRows rows;
    std::vector<int> parts;
    std::string how; ///< "parts by METIS"
    grid::Nodes nodes;
};

Distribution distribute(const GraphOptions& options)
{
    Distribution result;
    result.rows = tools::parse_rows(content_of(options.file), options.file);
    const int rows = result.rows.rows();
    int processes = options.processes;
    require(options.partition.empty() || options.by.empty(), ErrorKind::arg, "by",
            "--by and --partition name two partitions");
    if (!options.partition.empty()) {
        result.parts = tools::parse_parts(content_of(options.partition), options.partition, rows);
        result.how = "parts of " + options.partition;
        const int found = rows == 0 ? 1 : *std::ranges::max_element(result.parts) + 1;
        if (processes == 0) processes = found;
        require(found <= processes, ErrorKind::arg, "processes", "--processes ", processes, ": ",
                options.partition, " has part ", found - 1);
    } else {
        require(processes > 0, ErrorKind::arg, "processes", "--processes is needed without --partition");
        const bool by_metis = options.by.empty() ? has_metis() : options.by == "metis";
        result.parts = by_metis ? parts_by_metis(result.rows, processes) : parts_by_rows(rows, processes);
        result.how = by_metis ? "parts by METIS" : "parts by rows";
    }
    result.nodes = parse_nodes(options.nodes, processes);
    if (!options.cyclic) return result;
    // Deals the processes to the nodes that have room yet.
    std::vector<int> room(result.nodes.sizes().begin(), result.nodes.sizes().end());
    std::vector<int> node_of;
    for (std::size_t node = 0; std::ssize(node_of) < processes; node = (node + 1) % room.size())
        if (room[node]-- > 0) node_of.push_back(static_cast<int>(node));
    result.nodes = grid::Nodes(node_of);
    return result;
}

/// A way to exchange, its price, and the reason why the library does not take it.
struct PricedWay {
    const char* name;
    std::int64_t time_ps;
    std::string_view why_not;
};

std::vector<PricedWay> price(const Traffic& traffic, const grid::Nodes& nodes, const std::string& tune)
{
    ortho::schedule::Layout layout;
    layout.one_node = nodes.count() == 1;
    if (!layout.one_node) layout.nodes = std::make_shared<const grid::Nodes>(nodes);
    const ortho::schedule::Machine machine = ortho::schedule::with_shared_memory(
        machine_of(tune), ortho::schedule::Large::single, layout);
    std::vector<PricedWay> result{{"direct", ortho::schedule::predict(machine, layout, traffic.direct), {}}};
    if (nodes.count() == 1) return result;
    // The library does not know what crosses once before it has made wires.
    const auto library_ps = [&](bool by_wires) {
        return ortho::algorithm::exchange_ps(traffic.counts, by_wires, machine, layout);
    };
    const std::string_view why_not = traffic.counts.off_messages == 0 ? "no message leaves its node"
                                     : library_ps(true) < library_ps(false)
                                         ? ""
                                         : "the library, which counts messages alone, predicts more";
    result.push_back({"wires", ortho::schedule::predict(machine, layout, traffic.by_wires), why_not});
    return result;
}

void print_counts(const Traffic& traffic, int processes)
{
    fmt::print("{:<36}{:>12} {:>12} {:>14}\n", "", "mean", "most", "all");
    const auto row = [&](const char* what, const Amount& amount) {
        fmt::print("{:<36}{:>12.2f} {:>12} {:>14}\n", what, static_cast<double>(amount.all) / processes,
                   amount.most, amount.all);
    };
    row("messages on the node", traffic.near_messages);
    row("         off the node", traffic.off_messages);
    row("bytes    on the node", traffic.near_bytes);
    row("         off the node", traffic.off_bytes);
    row("wires    off the node", traffic.wires);
    row("bytes in wires", traffic.wire_bytes);
    row("parts of wires", traffic.parts);
    fmt::print("{:<36}{:>12} {:>12} {:>14}\n\n", "elements that a node gets again", "", "", traffic.repeated);
}

void print_ways(const std::vector<PricedWay>& ways)
{
    const PricedWay& chosen = ways.back().why_not.empty() ? ways.back() : ways.front();
    fmt::print("   {:<8} {:>12}\n", "way", "predicted");
    for (const PricedWay& way : ways)
        fmt::print(" {} {:<8} {:>12}{}{}\n", &way == &chosen ? "*" : " ", way.name, time_text(way.time_ps),
                   way.why_not.empty() ? "" : "   no: ", way.why_not);
    if (ways.size() > 1)
        fmt::print("direct / wires: {:.2f}\n",
                   static_cast<double>(ways[0].time_ps) /
                       static_cast<double>(std::max<std::int64_t>(1, ways[1].time_ps)));
}

void write_csv(const GraphOptions& options, const Distribution& graph, const Traffic& t,
               const std::vector<PricedWay>& ways)
{
    std::ofstream out(options.csv);
    out << "file,processes,nodes,bytes,near_messages,near_messages_most,off_messages,off_messages_most,"
           "near_bytes,off_bytes,off_bytes_most,wires,wires_most,wire_bytes,wire_bytes_most,repeated,"
           "direct_ps,wires_ps,taken\n";
    const bool taken = ways.size() > 1 && ways[1].why_not.empty();
    out << std::quoted(options.file, '"', '"')
        << fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", graph.nodes.processes(),
                       graph.nodes.count(), options.bytes, t.near_messages.all, t.near_messages.most,
                       t.off_messages.all, t.off_messages.most, t.near_bytes.all, t.off_bytes.all,
                       t.off_bytes.most, t.wires.all, t.wires.most, t.wire_bytes.all, t.wire_bytes.most,
                       t.repeated, ways.front().time_ps, ways.back().time_ps, taken ? "wires" : "direct");
    finish_file(out, "csv", options.csv);
}

} // namespace

void print_graph(const GraphOptions& options)
{
    const std::int64_t bytes = tools::parse_size(options.bytes);
    Distribution graph = distribute(options);
    Traffic traffic = count_traffic(graph.rows, graph.parts, graph.nodes, bytes);
    if (options.reorder) {
        const placement::PointGraph messages(graph.nodes.processes(), traffic.messages);
        graph.nodes = grid::Nodes(placement::place_graph(messages, graph.nodes));
        traffic = count_traffic(graph.rows, graph.parts, graph.nodes, bytes);
    }
    const std::vector<PricedWay> ways = price(traffic, graph.nodes, options.tune);
    const int processes = graph.nodes.processes();
    const std::string title = fmt::format(
        "{}: {} on {}", options.file, counted(processes, "process", "processes"), nodes_text(graph.nodes));
    if (!options.svg.empty()) draw_traffic(traffic, graph.nodes, title).write(options.svg);
    if (!options.csv.empty()) write_csv(options, graph, traffic, ways);

    std::vector<int> sizes(at(processes));
    for (const int part : graph.parts) ++sizes[at(part)];
    fmt::print("{}{}\n{} with {}, {}, at most {} on a process; elements of {}\n\n", title,
               options.reorder  ? ", placed"
               : options.cyclic ? ", which take turns"
                                : "",
               counted(graph.rows.rows(), "row"), counted(std::ssize(graph.rows.columns), "entry", "entries"),
               graph.how, *std::ranges::max_element(sizes), tools::size_text(bytes));
    if (const auto empty = std::ranges::count(sizes, 0); empty > 0)
        fmt::print("{} of {} no rows{}\n\n", empty, counted(processes, "process has", "processes have"),
                   graph.how != "parts by METIS" || graph.rows.rows() < processes
                       ? ""
                       : ": METIS's bisection, gpmetis -ptype=rb, leaves fewer such");
    print_counts(traffic, processes);
    print_ways(ways);
    if (!options.svg.empty()) fmt::print("\nPicture: {}\n", options.svg);
}

} // namespace plan
