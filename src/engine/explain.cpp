// SPDX-License-Identifier: BSD-3-Clause
// What was chosen for a call, and why, in words.

#include "engine/explain.hpp"

#include <cstdio>
#include <sstream>

#include "base/text.hpp"
#include "planner/off_node.hpp"
#include "schedule/cost.hpp"

namespace ortho::engine {

namespace {

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
    if (stencil.size() > most) out << " ...";
    return out.str();
}

std::string microseconds(std::int64_t picoseconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g us", static_cast<double>(picoseconds) * 1e-6);
    return text;
}

/// "; dimensions 0 1, 2": which are crossed together, in order; nothing for algorithms that do not.
std::string to_text(const algorithm::Groups& groups)
{
    if (groups.empty()) return {};
    std::ostringstream out;
    const char* separator = "; dimensions";
    for (const auto& group : groups) {
        out << separator;
        for (const int k : group) out << ' ' << k;
        separator = ",";
    }
    return out.str();
}

/// How many of all messages do not go by MPI.
std::string through_memory(int writes, std::int64_t messages)
{
    if (writes == 0) return {};
    std::ostringstream out;
    out << " (";
    if (writes < messages) out << writes << " messages ";
    out << "through shared memory)";
    return out.str();
}

int edges(const std::vector<int>& partners)
{
    int result = 0;
    for (const int partner : partners) result += partner != grid::gap ? 1 : 0;
    return result;
}

/// How many edges leave their node, where one process can tell.
std::string edges_between(const grid::Nodes& nodes, const topology::Facts& facts)
{
    if (!facts.isomorphism) return {};
    return base::text(", ", planner::percent_off_node(facts.isomorphism->neighborhood, nodes),
                      " % of the edges leave theirs");
}

/// Not chosen, though its cost is that of the one that was.
bool is_as_good(const planner::Candidate& candidate, const planner::Plan& plan)
{
    return candidate.algorithm != plan.algorithm && candidate.choice.cost_ps == plan.choice.cost_ps;
}

} // namespace

std::string explain(const Decision& decision, const Binding& binding)
{
    const topology::Facts& facts = *decision.facts;
    const planner::Plan& plan = decision.plan;
    const schedule::Cost cost = schedule::cost(*plan.schedule);
    std::ostringstream out;
    out << "mpiortho: " << plan.algorithm->name << " on rank " << facts.lists.rank << '\n';
    out << "  topology: graph, " << edges(facts.lists.sources) << " edges in, " << edges(facts.lists.targets)
        << " out";
    if (facts.isomorphism) {
        const grid::Neighborhood& n = facts.isomorphism->neighborhood;
        out << "; isomorphic on " << to_text(n.grid) << ", " << n.size() << " offsets" << to_text(n.offsets);
    } else {
        out << (facts.isomorphism_decided ? "; not isomorphic" : "; isomorphism not looked for");
    }
    const grid::Nodes* const nodes = facts.settings ? facts.settings->layout.nodes.get() : nullptr;
    if (nodes != nullptr) out << "\n  nodes: " << nodes->count() << edges_between(*nodes, facts);
    if (!facts.placement.empty()) out << "\n  ranks: " << facts.placement;
    out << "\n  this process: " << cost.phases << (cost.phases == 1 ? " phase, " : " phases, ")
        << cost.messages << " messages with " << cost.blocks << " blocks of " << binding.sent_bytes()
        << " bytes in all out" << through_memory(binding.writes(), cost.messages) << ", " << cost.messages_in
        << " messages in, " << cost.copies << " local copies";
    if (cost.reductions > 0) out << ", " << cost.reductions << " reductions";
    out << ", " << binding.temp_bytes() << " bytes of temporary space\n";
    for (const planner::Candidate& candidate : plan.candidates) {
        out << "  " << (candidate.algorithm == plan.algorithm ? "chosen " : "not    ")
            << candidate.algorithm->name;
        if (!candidate.obstacle.empty())
            out << ": " << candidate.obstacle;
        else if (facts.isomorphism && plan.candidates.size() > 1)
            out << ": predicted " << microseconds(candidate.choice.cost_ps)
                << to_text(candidate.choice.groups) << (is_as_good(candidate, plan) ? ", no better" : "");
        if (candidate.measured_ps) out << ", measured " << microseconds(*candidate.measured_ps);
        out << '\n';
    }
    if (!decision.note.empty()) out << "  " << decision.note << '\n';
    if (!decision.tune_line.empty()) out << "  for the tune file: " << decision.tune_line << '\n';
    return out.str();
}

} // namespace ortho::engine
