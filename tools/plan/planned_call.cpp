// SPDX-License-Identifier: BSD-3-Clause
// The planner's input, from a specification and a machine.

#include "plan/planned_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "grid/isomorphism.hpp"
#include "planner/tune.hpp"
#include "size_text.hpp"
#include "split_text.hpp"

namespace plan {

using ortho::base::ErrorKind;
using ortho::base::require;

namespace {

/// The sizes of nodes in a text like "36x32" or "4,4,3".
std::vector<int> sizes_of(const std::string& nodes)
{
    constexpr const char* wrong =
        " is no number of nodes and of processes on each, such as 36x32, and no list of sizes, such "
        "as 4,4,3";
    if (nodes.find(',') != std::string::npos) {
        const auto sizes = grid::parse_node_sizes(nodes);
        require(sizes.has_value(), ErrorKind::arg, "nodes", "--nodes ", nodes, wrong);
        return *sizes;
    }
    const std::vector<int> product = tools::parse_product(nodes);
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    require(product.size() == 2 && product[0] > 0 && product[1] > 0 &&
                std::int64_t{product[0]} * product[1] <= most,
            ErrorKind::arg, "nodes", "--nodes ", nodes, wrong);
    return std::vector<int>(static_cast<std::size_t>(product[0]), product[1]);
}

/// Acts as ORTHO_Halo_init; all processes have arrays of one shape.
void set_halo(Setting& setting, const tools::GhostedFields& fields)
{
    const tools::Specification& what = setting.specification;
    grid::require_unit_steps(what.stencil);
    setting.bytes = 0;
    const grid::Stencil filled = grid::regions_on_grid(what.grid, grid::ghost_regions(what.stencil));
    const std::vector<grid::Stencil> regions(ortho::at(fields.fields),
                                             grid::with_layers(filled, fields.shape));
    setting.halo = std::make_shared<const grid::Halo>(grid::make_halo(what.grid, regions));
    for (int slot = 0; slot < setting.halo->slots(); ++slot) {
        const auto region = setting.halo->regions[slot];
        grid::require_owned_layers(fields.shape, region);
        setting.slot_bytes.push_back(
            ortho::base::times_plus(fields.shape.box(region, region).cells(), fields.element_bytes, 0));
        setting.bytes = ortho::base::times_plus(1, setting.slot_bytes.back(), setting.bytes);
    }
}

} // namespace

ortho::schedule::Machine machine_of(const std::string& file)
{
    if (file.empty()) return {};
    const auto text = ortho::base::content_of(file);
    require(text.has_value(), ErrorKind::arg, "tune", "--tune ", file, " cannot be read");
    return planner::parse_tune(*text, file).machine;
}

planner::CallSpecification Setting::call(std::int64_t of_bytes) const
{
    planner::CallSpecification call{
        .collective = specification.collective, .block_bytes = of_bytes, .halo = halo};
    if (halo) call.compared = ortho::algorithm::Compared::equal; // all processes have arrays of one shape
    call.sizes = slot_bytes;
    // Each region keeps its share of the bytes.
    if (of_bytes != bytes)
        for (std::int64_t& slot : call.sizes)
            slot = static_cast<std::int64_t>(static_cast<double>(slot) / static_cast<double>(bytes) *
                                             static_cast<double>(of_bytes));
    return call;
}

planner::Planner Setting::planner(std::optional<int> rank, std::vector<std::string> algorithms) const
{
    planner::PlannerContext context;
    context.set_stencil({grid::canonical(specification.grid, specification.stencil).neighborhood, {}});
    context.layout = layout;
    if (rank) {
        context.graph.rank = *rank;
        for (int i = 0; i < specification.stencil.size(); ++i) {
            // Grid::nowhere and grid::gap are one number for one thing.
            static_assert(grid::Grid::nowhere == grid::gap);
            context.graph.targets.push_back(specification.grid.neighbor(*rank, specification.stencil[i]));
            context.graph.sources.push_back(
                specification.grid.neighbor_against(*rank, specification.stencil[i]));
        }
    }
    return {std::move(context),
            {std::move(algorithms), std::make_shared<const planner::Tune>(planner::Tune{machine})}};
}

std::string Setting::headlines() const
{
    const std::string fields = specification.fields ? to_text(*specification.fields) + '\n' : "";
    return fmt::format(
        "{} on {}, {} on {}\n{}: {}, {} of {}\n{}", specification.collective_text, specification.grid_text,
        counted(specification.grid.points(), "process", "processes"), nodes_text, specification.stencil_text,
        counted(specification.stencil.size(), "offset"), bytes_of(), tools::size_text(bytes), fields);
}

Setting make_setting(const std::string& specification, const MachineOptions& options)
{
    Setting result;
    result.specification = tools::parse_specification(specification);
    result.bytes = result.specification.block_bytes;
    if (result.specification.fields) set_halo(result, *result.specification.fields);
    // The sizes of nodes are not known: a prediction for many nodes is on the safe side.
    const bool alone = result.specification.grid.points() == 1;
    result.layout = {.one_node = alone, .processes_a_core = 1};
    // Blocking calls copy once, unless a user forbids it.
    result.machine = ortho::schedule::with_shared_memory(machine_of(options.tune),
                                                         ortho::schedule::Large::single, result.layout);
    result.nodes_text = alone ? "one node" : "many nodes";
    if (options.nodes.empty()) return result;

    const std::vector<int> sizes = sizes_of(options.nodes);
    const std::int64_t processes = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    require(processes == result.specification.grid.points(), ErrorKind::arg, "nodes", "--nodes ",
            options.nodes, " are ", processes, " processes, and ", result.specification.grid_text, " has ",
            result.specification.grid.points());
    const bool alike = std::ranges::adjacent_find(sizes, std::ranges::not_equal_to{}) == sizes.end();
    result.layout.one_node = sizes.size() == 1;
    result.nodes_text = sizes.size() == 1 ? "one node"
                        : alike           ? fmt::format("{} nodes of {}", sizes.size(), sizes[0])
                                          : fmt::format("nodes of {}", fmt::join(sizes, ", "));
    if (sizes.size() > 1)
        result.layout.nodes = std::make_shared<const grid::Nodes>(
            grid::Nodes::consecutive(static_cast<int>(processes), sizes));
    return result;
}

std::string groups_text(const ortho::algorithm::Groups& groups)
{
    std::string result;
    for (const auto& group : groups)
        result += fmt::format("{}{}", result.empty() ? "" : ", ", fmt::join(group, " "));
    return result;
}

std::string way_text(const planner::Algorithm& algorithm, const ortho::algorithm::Groups& groups)
{
    if (algorithm.depends_on_nodes) return "by pairs of nodes";
    if (!groups.empty()) return groups_text(groups);
    return algorithm.forwards ? "one after the other" : "all at once";
}

std::string time_text(std::int64_t picoseconds, const char* microseconds)
{
    const double us = static_cast<double>(picoseconds) * 1e-6;
    if (us < 100) return fmt::format("{:.2f} {}", us, microseconds);
    if (us < 1000) return fmt::format("{:.1f} {}", us, microseconds);
    return us < 1e6 ? fmt::format("{:.2f} ms", us / 1e3) : fmt::format("{:.2f} s", us / 1e6);
}

} // namespace plan
