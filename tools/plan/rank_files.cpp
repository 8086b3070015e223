// SPDX-License-Identifier: BSD-3-Clause
// Files that tell programs that start MPI programs which rank is on which node.

#include "plan/rank_files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "plan/output_file.hpp"

namespace plan {

namespace {

using ortho::at;
using ortho::base::ErrorKind;
using ortho::base::require;

void write_file(const std::string& name, const char* option, const std::function<void(std::ostream&)>& write)
{
    if (name.empty()) return;
    std::ofstream out(name);
    write(out);
    finish_file(out, option, name);
}

/// The ranks of each node in a line of their own, in the order of their places.
void write_rank_order(std::ostream& out, const ortho::grid::Nodes& nodes, std::span<const int> rank_at)
{
    for (int node = 0; node < nodes.count(); ++node) {
        const char* separator = "";
        for (const int place : nodes.members(node)) {
            out << separator << rank_at[at(place)];
            separator = ",";
        }
        out << '\n';
    }
}

void write_rankfile(std::ostream& out, const RankFileOptions& options, const ortho::grid::Nodes& nodes,
                    std::span<const int> process_at)
{
    for (std::size_t rank = 0; rank < process_at.size(); ++rank) {
        const int node = nodes.of(process_at[rank]);
        const int core = process_at[rank] - nodes.members(node).front();
        const std::string host = options.hosts.empty() ? fmt::format("+n{}", node) : options.hosts[at(node)];
        out << fmt::format("rank {}={} slot={}\n", rank, host, core);
    }
}

void write_rankmap(std::ostream& out, const ortho::grid::Nodes& nodes, std::span<const int> process_at)
{
    const char* separator = "";
    for (const int place : process_at) out << std::exchange(separator, ",") << nodes.of(place);
    out << '\n';
}

} // namespace

bool comes_again(const ortho::grid::Nodes& nodes, std::span<const int> process_at)
{
    std::size_t runs = 0;
    for (std::size_t rank = 0; rank < process_at.size(); ++rank)
        if (rank == 0 || nodes.of(process_at[rank]) != nodes.of(process_at[rank - 1])) ++runs;
    return runs > at(nodes.count());
}

void write_rank_files(const RankFileOptions& options, const ortho::grid::Nodes& nodes,
                      std::span<const int> process_at)
{
    require(options.hosts.empty() || std::ssize(options.hosts) == nodes.count(), ErrorKind::arg, "hosts",
            "--hosts has ", options.hosts.size(), " names, and there are ", nodes.count(), " nodes");
    require(options.hostfile.empty() || !options.hosts.empty(), ErrorKind::arg, "hostfile",
            "--hostfile needs the names of the nodes: --hosts");
    std::set<std::string> hosts;
    for (const std::string& host : options.hosts)
        require(hosts.insert(host).second, ErrorKind::arg, "hosts", "--hosts names two nodes '", host, "'");
    std::vector<int> rank_at(process_at.size());
    for (std::size_t rank = 0; rank < process_at.size(); ++rank)
        rank_at[at(process_at[rank])] = static_cast<int>(rank);

    write_file(options.rank_order, "rank-order",
               [&](std::ostream& out) { write_rank_order(out, nodes, rank_at); });
    write_file(options.rankfile, "rankfile",
               [&](std::ostream& out) { write_rankfile(out, options, nodes, process_at); });
    write_file(options.hostfile, "hostfile", [&](std::ostream& out) {
        for (const int place : process_at) out << options.hosts[at(nodes.of(place))] << '\n';
    });
    write_file(options.rankmap, "rankmap", [&](std::ostream& out) { write_rankmap(out, nodes, process_at); });
}

} // namespace plan
