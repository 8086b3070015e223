// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan mosaic`: the exchange of ghosts on a block-structured grid.

#include "plan/plan_mosaic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "plan/mosaic_picture.hpp"
#include "plan/plan_place.hpp"
#include "plan/planned_call.hpp"
#include "schedule/work.hpp"
#include "size_text.hpp"
#include "split_text.hpp"

namespace plan {

using ortho::at;
using ortho::base::ErrorKind;
using ortho::base::require;
namespace mosaic = ortho::mosaic;

namespace {

DividedGrid divided_grid(const MosaicOptions& options)
{
    DividedGrid result;
    result.grid = read_cgns(options.file);
    const int d = result.grid.dimensions;
    mosaic::Index most{};
    const std::vector<int> given = tools::parse_product(options.most);
    require(options.most.empty() || std::ssize(given) == d, ErrorKind::arg, "most", "--most ", options.most,
            " is no size of ", d, " dimensions, such as 32x32");
    std::ranges::copy(given, most.begin());
    for (int part = 0; part < options.processes; ++part)
        for (const mosaic::Patch& patch :
             mosaic::divide(d, result.grid.sizes, most, options.processes, part)) {
            result.patches.push_back(patch);
            result.owners.push_back(part);
        }
    result.layers = options.ghosts;
    mosaic::Field field;
    for (std::size_t k = 0; k < at(d); ++k) field.lower[k] = field.upper[k] = options.ghosts;
    const std::vector<mosaic::Field> fields{field};
    const mosaic::Tiles tiles(d, result.grid.sizes, result.grid.contacts);
    const mosaic::Patches patches(result.patches);
    mosaic::GhostSearch search(tiles, patches, fields);
    for (std::size_t patch = 0; patch < patches.number(); ++patch) search.add(result.ghosts, 0, patch);
    std::int64_t cells = 0;
    for (const mosaic::Patch& patch : result.patches) cells += patch.cells.volume();
    result.title = fmt::format("{}: {}, {}, {}", options.file, counted(std::ssize(result.grid.sizes), "zone"),
                               counted(cells, "cell"), counted(options.processes, "process", "processes"));
    return result;
}

/// Bytes from one process to another, and boxes.
struct Portion {
    std::int64_t bytes = 0;
    std::int64_t boxes = 0;
};
using Portions = std::map<std::pair<int, int>, Portion>;

Portions portions_of(const DividedGrid& divided, std::int64_t bytes)
{
    Portions result;
    for (const mosaic::Filled& filled : divided.ghosts.filled) {
        Portion& message = result[{divided.owners[filled.donor], divided.owners[filled.patch]}];
        message.bytes += filled.box.volume() * bytes;
        ++message.boxes;
    }
    return result;
}

/// The numbers of a process: it has, sends and receives these.
struct Share {
    std::int64_t patches = 0, cells = 0, copied = 0, boxes = 0;
    std::int64_t near = 0, near_bytes = 0, off = 0, off_bytes = 0; ///< sent
    std::int64_t received = 0, off_received = 0;                   ///< messages
};

std::vector<Share> shares_of(const DividedGrid& divided, const Portions& messages, const grid::Nodes& nodes)
{
    std::vector<Share> shares(at(nodes.processes()));
    for (std::size_t patch = 0; patch < divided.patches.size(); ++patch) {
        ++shares[at(divided.owners[patch])].patches;
        shares[at(divided.owners[patch])].cells += divided.patches[patch].cells.volume();
    }
    for (const auto& [pair, message] : messages) {
        Share& from = shares[at(pair.first)];
        if (pair.first == pair.second) {
            from.copied += message.bytes;
            continue;
        }
        const bool is_near = nodes.of(pair.first) == nodes.of(pair.second);
        ++(is_near ? from.near : from.off);
        (is_near ? from.near_bytes : from.off_bytes) += message.bytes;
        from.boxes += message.boxes;
        ++shares[at(pair.second)].received;
        if (!is_near) ++shares[at(pair.second)].off_received;
    }
    return shares;
}

std::int64_t price(const std::vector<Share>& shares, const grid::Nodes& nodes, const std::string& tune)
{
    ortho::schedule::Layout layout;
    layout.one_node = nodes.count() == 1;
    if (!layout.one_node) layout.nodes = std::make_shared<const grid::Nodes>(nodes);
    ortho::schedule::Work work;
    std::vector<std::int64_t> ways_out(at(nodes.count()));
    const auto say = [](std::int64_t& most, std::int64_t number) { most = std::max(most, number); };
    for (int rank = 0; rank < nodes.processes(); ++rank) {
        const Share& share = shares[at(rank)];
        say(work.messages, (share.near + share.off + share.received + 1) / 2);
        say(work.bytes, share.near_bytes + share.off_bytes);
        say(work.blocks, share.boxes);
        say(work.off_messages, (share.off + share.off_received + 1) / 2);
        say(work.off_bytes, share.off_bytes);
        ways_out[at(nodes.of(rank))] += share.off_bytes;
    }
    work.phases = work.messages > 0 ? 1 : 0;
    work.off_phases = work.off_messages > 0 ? 1 : 0;
    work.node_bytes = std::ranges::max(ways_out);
    const auto machine = ortho::schedule::with_shared_memory(machine_of(tune), ortho::schedule::Large::single,
                                                             layout);
    return ortho::schedule::predict(machine, layout, work);
}

void print_shares(const std::vector<Share>& shares)
{
    fmt::print("{:<28}{:>12} {:>12} {:>14}\n", "of a process", "mean", "most", "all");
    const auto row = [&](const char* what, std::int64_t Share::*number) {
        std::int64_t most = 0;
        std::int64_t all = 0;
        for (const Share& share : shares) {
            most = std::max(most, share.*number);
            all += share.*number;
        }
        fmt::print("{:<28}{:>12.2f} {:>12} {:>14}\n", what,
                   static_cast<double>(all) / static_cast<double>(shares.size()), most, all);
    };
    row("patches", &Share::patches);
    row("cells", &Share::cells);
    row("messages on the node", &Share::near);
    row("         off the node", &Share::off);
    row("bytes    on the node", &Share::near_bytes);
    row("         off the node", &Share::off_bytes);
    row("bytes copied on the process", &Share::copied);
}

void print_patches(const DividedGrid& divided)
{
    for (std::size_t patch = 0; patch < divided.patches.size(); ++patch) {
        const auto& [tile, cells] = divided.patches[patch];
        std::string ranges;
        for (std::size_t k = 0; k < at(divided.grid.dimensions); ++k)
            ranges += fmt::format("{}{}-{}", k == 0 ? "" : " x ", cells.first[k], cells.end(k) - 1);
        fmt::print("process {}: zone {}, cells {}\n", divided.owners[patch], divided.grid.names[at(tile)],
                   ranges);
    }
    fmt::print("\n");
}

void print_partners(const Portions& messages, int processes)
{
    for (int rank = 0; rank < processes; ++rank) {
        std::string to;
        for (auto it = messages.lower_bound({rank, 0}); it != messages.end() && it->first.first == rank; ++it)
            if (it->first.second != rank)
                to += fmt::format("{}{} ({} B)", to.empty() ? "" : ", ", it->first.second, it->second.bytes);
        fmt::print("process {} sends to {}\n", rank, to.empty() ? "nobody" : to);
    }
    fmt::print("\n");
}

} // namespace

void print_mosaic(const MosaicOptions& options)
{
    constexpr int most_listed = 32;
    const std::int64_t bytes = tools::parse_size(options.bytes);
    const grid::Nodes nodes = parse_nodes(options.nodes, options.processes);
    const DividedGrid divided = divided_grid(options);
    const Portions messages = portions_of(divided, bytes);
    const std::vector<Share> shares = shares_of(divided, messages, nodes);
    if (!options.svg.empty()) draw_mosaic(divided).write(options.svg);

    fmt::print("{} on {}\n", divided.title, nodes_text(nodes));
    fmt::print("{} of ghosts, elements of {}\n", counted(options.ghosts, "layer"), tools::size_text(bytes));
    if (divided.grid.left_out > 0)
        fmt::print("{} not 1-to-1, and left out\n",
                   counted(divided.grid.left_out, "interface is", "interfaces are"));
    fmt::print("\n");
    if (options.patches) print_patches(divided);
    if (options.processes <= most_listed) print_partners(messages, options.processes);
    print_shares(shares);
    fmt::print("predicted: {}\n", time_text(price(shares, nodes, options.tune)));
    if (!options.svg.empty()) fmt::print("\nPicture: {}\n", options.svg);
}

} // namespace plan
