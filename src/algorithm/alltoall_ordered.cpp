// SPDX-License-Identifier: BSD-3-Clause
// Alltoall on any graph, one message a partner, in rounds.  No MPI in this file.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "algorithm/algorithms.hpp"
#include "algorithm/bundle.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::nobody;
using schedule::receive_slot;
using schedule::send_slot;

/// Deliver send block i along out-edge i, each into the slot of its in-edge, as alltoall_direct does, but
/// hand out the messages in the order of their rounds, in each of which a process sends and receives at most
/// one.
///
/// All rounds are in one phase: nobody waits for a round to end, so that a process that is late keeps nobody
/// but its partners waiting.
///
/// Shapes    send slots: out-edges; receive slots: in-edges.  `rounds`: of the message to the process at the
///           end of each out-edge, and of the one from that of each in-edge (color_edges).
/// Result    one phase; self-edges are copied meanwhile.
/// Cost      that of alltoall_direct.
/// Requires  rounds that are the same at both ends.
/// Errors    none of its own.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D.
schedule::Schedule alltoall_ordered(const grid::LocalGraph& graph, const MessageRounds& rounds)
{
    struct Both {
        const Bundle* to = nullptr;
        const Bundle* from = nullptr;
    };
    const std::vector<Bundle> targets = bundles(graph.targets);
    const std::vector<Bundle> sources = bundles(graph.sources);
    const auto round_of = [](const Bundle& bundle, const std::vector<int>& list) {
        return list[static_cast<std::size_t>(bundle.edges.front())];
    };
    std::map<int, Both> by_round;
    for (const Bundle& bundle : targets)
        if (bundle.partner != graph.rank) by_round[round_of(bundle, rounds.out)].to = &bundle;
    for (const Bundle& bundle : sources)
        if (bundle.partner != graph.rank) by_round[round_of(bundle, rounds.in)].from = &bundle;

    Builder out = Builder::on_graph();
    out.begin_phase();
    for (const auto& [round, both] : by_round) {
        out.begin_round(both.to != nullptr ? both.to->edges.front() : nobody,
                        both.from != nullptr ? both.from->edges.front() : nobody);
        if (both.to != nullptr)
            for (const int edge : both.to->edges) out.send(send_slot(edge));
        if (both.from != nullptr)
            for (const int edge : both.from->edges) out.receive(receive_slot(edge));
    }
    copy_to_oneself(out, graph);
    return std::move(out).finish();
}

} // namespace ortho::algorithm
