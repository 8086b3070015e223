// SPDX-License-Identifier: BSD-3-Clause
// Explains in words which algorithm was chosen for a call, and why.

#include "engine/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "base/index.hpp"
#include "base/text.hpp"
#include "planner/tune.hpp"
#include "schedule/off_node.hpp"
#include "schedule/work.hpp"

namespace ortho::engine {

namespace {

using base::counted;

/// "torus 4x4", "mesh 3x5", "grid 3x4 with periods 1 0".
std::string to_text(const grid::Grid& grid)
{
    std::ostringstream out;
    int periodic = 0;
    for (int k = 0; k < grid.dimensions(); ++k) periodic += grid.periodic(k) ? 1 : 0;
    out << (periodic == grid.dimensions() ? "torus " : periodic == 0 ? "mesh " : "grid ");
    for (int k = 0; k < grid.dimensions(); ++k) out << (k > 0 ? "x" : "") << grid.size(k);
    if (periodic > 0 && periodic < grid.dimensions()) {
        out << " with periods";
        for (int k = 0; k < grid.dimensions(); ++k) out << (grid.periodic(k) ? " 1" : " 0");
    }
    return out.str();
}

/// As the user has them: those that the communicator was made with, or else those that this process's
/// out-edges lead along, in the order of its list.
grid::Stencil offsets_of(const topology::GraphInfo& graph_info)
{
    if (graph_info.stencil) return *graph_info.stencil;
    const grid::Neighborhood& neighborhood = graph_info.isomorphism->neighborhood;
    std::map<int, int> by_slot; // canonical indices
    for (int i = 0; i < neighborhood.size(); ++i)
        if (const int slot = graph_info.isomorphism->slots.send[at(i)]; slot != grid::gap) by_slot[slot] = i;
    grid::Stencil result(neighborhood.dimensions());
    for (const auto& [slot, i] : by_slot) result.push_back(neighborhood.offsets[i]);
    return result;
}

/// The offsets, or the first of them.
std::string to_text(const grid::Stencil& stencil)
{
    constexpr int most = 9;
    std::ostringstream out;
    for (int i = 0; i < stencil.size() && i < most; ++i) {
        out << " (";
        for (int k = 0; k < stencil.dimensions(); ++k) out << (k > 0 ? "," : "") << stencil(i, k);
        out << ')';
    }
    if (stencil.size() > most) out << " and " << stencil.size() - most << " more";
    return out.str();
}

/// This process's neighbors, in words.
std::string topology_text(const topology::GraphInfo& graph_info)
{
    const auto edges = [](const std::vector<int>& partners) {
        return std::ssize(partners) - std::ranges::count(partners, grid::gap);
    };
    std::string result = base::text(counted(edges(graph_info.lists.sources), "in-edge"), " and ",
                                    counted(edges(graph_info.lists.targets), "out-edge"));
    if (graph_info.isomorphism) {
        const grid::Stencil offsets = offsets_of(graph_info);
        result += base::text("; all processes have the same neighbors (isomorphic) on ",
                             graph_info.has_found_grid ? "a grid that nobody has named, " : "",
                             to_text(graph_info.isomorphism->neighborhood.grid), ": ",
                             counted(offsets.size(), "offset"), to_text(offsets));
    } else {
        result += graph_info.isomorphism_decided
                      ? "; it is not known that all processes have the same neighbors (not isomorphic)"
                      : "; whether all processes have the same neighbors was not looked for "
                        "(ORTHO_Comm_isomorphic does)";
    }
    return result;
}

std::string microseconds(std::int64_t picoseconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g us", static_cast<double>(picoseconds) * 1e-6);
    return text;
}

/// "; phase 1 crosses dimensions 0 1, phase 2 dimension 2"; nothing for algorithms that cross none.
std::string to_text(const algorithm::Groups& groups)
{
    std::ostringstream out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        out << (i == 0 ? "; phase 1 crosses dimension" : base::text(", phase ", i + 1, " dimension"))
            << (groups[i].size() > 1 ? "s" : "");
        for (const int k : groups[i]) out << ' ' << k;
    }
    return out.str();
}

/// How many of all messages do not go by MPI's messages, and how.
std::string ways_text(const Binding& binding, std::int64_t messages)
{
    std::string result;
    const std::vector<std::size_t> sent = binding.sent_messages();
    std::map<std::string_view, std::size_t> by_words; // several transports may have the same
    for (std::size_t i = 0; i < sent.size(); ++i) by_words[binding.transports()[i]->words()] += sent[i];
    for (const auto& [words, number] : by_words) {
        if (number == 0 || words.empty()) continue;
        const bool all = static_cast<std::int64_t>(number) >= messages;
        result += base::text(" (", all ? "" : base::text(number, " of them "), words, ")");
    }
    return result;
}

/// How many there are, how many edges leave theirs, where one process can tell, and what a trial found
/// between them.
std::string nodes_text(const grid::Nodes& nodes, const topology::GraphInfo& graph_info)
{
    std::string result = base::text(nodes.count());
    if (graph_info.isomorphism)
        result += base::text(", ", schedule::percent_off_node(graph_info.isomorphism->neighborhood, nodes),
                             " % of the edges leave theirs");
    if (const int kind = graph_info.settings->network_kind.value_or(0); kind > 0)
        result += base::text("; messages between them take as long as over ",
                             planner::network_kinds()[at(kind)].name);
    return result;
}

/// This process's part in the operation, in words.
std::string process_text(const schedule::Cost& cost, const Binding& binding)
{
    std::string result = base::text(
        "sends ", counted(cost.messages, "message"), ways_text(binding, cost.messages), " with ",
        counted(cost.blocks, "block"), ", ", counted(binding.sent_bytes(), "byte"), " in all, in ",
        counted(cost.phases, "phase"), "; receives ", counted(cost.messages_in, "message"), "; copies ",
        counted(cost.copies, "block"), " in its own memory; ");
    if (cost.reductions > 0) result += "reduces " + counted(cost.reductions, "time") + "; ";
    return result + "needs " + counted(static_cast<std::int64_t>(binding.temp_bytes()), "byte") +
           " of temporary space";
}

/// ", 21 % longer" than the chosen one, or ", no better".
std::string longer_text(std::int64_t time_ps, std::int64_t chosen_ps)
{
    if (time_ps <= chosen_ps) return ", no better";
    if (chosen_ps <= 0) return ", longer";
    const double percent = 100.0 * static_cast<double>(time_ps - chosen_ps) / static_cast<double>(chosen_ps);
    char text[48];
    std::snprintf(text, sizeof text, percent < 1 ? ", less than 1 %% longer" : ", %.0f %% longer", percent);
    return text;
}

/// Null if the plan did not consider it.
const planner::Candidate* candidate_of(const planner::Plan& plan, const algorithm::Algorithm* algorithm)
{
    const auto found = std::ranges::find(plan.candidates, algorithm, &planner::Candidate::algorithm);
    return found == plan.candidates.end() ? nullptr : &*found;
}

/// The known times of a candidate that applies, and why it was chosen, or was not.
std::string times_text(const planner::Candidate& candidate, const planner::Candidate& chosen,
                       bool is_predicted)
{
    const bool is_chosen = &candidate == &chosen;
    std::string result;
    if (is_predicted) {
        result = ": predicted " + microseconds(candidate.choice.cost_ps);
        if (!is_chosen) result += longer_text(candidate.choice.cost_ps, chosen.choice.cost_ps);
    }
    if (result.empty() && !is_chosen) result = base::text(": no better than ", chosen.algorithm->name);
    return result + to_text(candidate.choice.groups);
}

} // namespace

std::string explain(const std::string& title, const Decision& decision, const Binding& binding,
                    const planner::Plan* by_run)
{
    const topology::GraphInfo& graph_info = *decision.graph_info;
    const planner::Plan& plan = decision.plan;
    std::ostringstream out;
    out << "mpiortho: " << plan.algorithm->name << " on rank " << graph_info.lists.rank << " of " << title
        << '\n';
    out << "  call: " << decision.call.words() << (decision.op.empty() ? "" : "; reduces with ")
        << decision.op << '\n';
    out << "  topology: " << topology_text(graph_info) << '\n';
    const grid::Nodes* const nodes = graph_info.settings ? graph_info.settings->layout.nodes.get() : nullptr;
    if (nodes != nullptr) out << "  nodes: " << nodes_text(*nodes, graph_info) << '\n';
    if (!graph_info.placement.empty()) out << "  ranks: " << graph_info.placement << '\n';
    out << "  algorithm: " << plan.algorithm->does << '\n';
    out << "  this process: " << process_text(schedule::cost(*plan.schedule), binding) << '\n';
    if (binding.staging() != nullptr) {
        out << "  devices: blocks lie there, and go through host memory";
        if (const std::size_t stay = binding.sends_on_devices(); stay > 0)
            out << ", but for " << counted(static_cast<std::int64_t>(stay), "message")
                << " that this process sends";
        out << (binding.staging()->reduces() ? "; the device reduces\n" : "\n");
    }
    const planner::Candidate& chosen = *candidate_of(plan, plan.algorithm);
    const planner::Candidate* const run_chosen = by_run != nullptr ? candidate_of(*by_run, plan.algorithm)
                                                                   : nullptr;
    const bool is_predicted = (graph_info.isomorphism || chosen.choice.cost_ps > 0) &&
                              plan.candidates.size() > 1;
    for (const planner::Candidate& candidate : plan.candidates) {
        const planner::Candidate* const run = by_run != nullptr ? candidate_of(*by_run, candidate.algorithm)
                                                                : nullptr;
        out << "  " << (&candidate == &chosen ? "chosen " : "not    ") << candidate.algorithm->name;
        if (candidate.applies())
            out << times_text(candidate, chosen, is_predicted);
        else if (run != nullptr && run->applies())
            out << " (only by ORTHO_Run)" << times_text(*run, *run_chosen, is_predicted);
        else
            out << ": " << candidate.why_not.text;
        out << '\n';
    }
    if (run_chosen != nullptr) {
        out << "  ORTHO_Run does the same";
        if (is_predicted && run_chosen->choice.cost_ps != chosen.choice.cost_ps)
            out << ": predicted " << microseconds(run_chosen->choice.cost_ps);
        out << '\n';
    }
    return out.str();
}

} // namespace ortho::engine
