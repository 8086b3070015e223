// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Dist_graph_create_from_targets.

#include <mpi.h>

#include <cstring>
#include <map>
#include <vector>

#include "base/index.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/public_call.hpp"
#include "mpiortho.h"
#include "sparse/sparse_exchange.hpp"
#include "topology/neighbor_lists.hpp"

namespace {

using namespace ortho;

/// The edges of one direction, as MPI's constructors take them.
struct EdgeList {
    std::vector<int> ranks;
    std::vector<int> weights;

    void add(int rank, int weight)
    {
        ranks.push_back(rank);
        weights.push_back(weight);
    }
    int degree() const { return static_cast<int>(ranks.size()); }
    const int* weights_or(bool is_weighted) const
    {
        if (!is_weighted) return MPI_UNWEIGHTED;
        return weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
    }
};

constexpr int unweighted = -1;

/// A message has the weight of each edge to its process.
std::vector<sparse::SparseMessage> messages_of(const EdgeList& out)
{
    std::map<int, std::vector<int>> weights_to;
    for (int i = 0; i < out.degree(); ++i)
        if (out.ranks[at(i)] != MPI_PROC_NULL) weights_to[out.ranks[at(i)]].push_back(out.weights[at(i)]);
    std::vector<sparse::SparseMessage> result;
    for (const auto& [target, weights] : weights_to)
        std::memcpy(result.emplace_back(target, weights.size() * sizeof(int)).bytes.get(), weights.data(),
                    weights.size() * sizeof(int));
    return result;
}

EdgeList edges_of(const std::vector<sparse::SparseMessage>& messages)
{
    EdgeList result;
    for (const sparse::SparseMessage& message : messages) {
        std::vector<int> weights(message.length / sizeof(int));
        std::memcpy(weights.data(), message.bytes.get(), message.length);
        for (const int weight : weights) result.add(message.partner, weight);
    }
    return result;
}

} // namespace

extern "C" int ORTHO_Dist_graph_create_from_targets(MPI_Comm comm, int ntargets, const int targets[],
                                                    const int* weights, MPI_Info info, int reorder,
                                                    MPI_Comm* graph)
{
    constexpr const char* function = "ORTHO_Dist_graph_create_from_targets";
    EdgeList out, in;
    bool is_weighted = weights != MPI_UNWEIGHTED;
    const int code = mpi::guard(function, comm, [&] {
        mpi::require_intra(comm, "comm");
        const auto exchange = sparse::run(comm, [&] {
            mpi::require_result(graph, "graph");
            base::require(ntargets >= 0, base::ErrorKind::count, "ntargets", "ntargets = ", ntargets,
                          " is negative");
            if (ntargets > 0) mpi::require_result(targets, "targets");
            topology::check_weights(targets, weights, ntargets, "weights");
            const int processes = mpi::size_of(comm);
            for (int i = 0; i < ntargets; ++i) {
                if (targets[i] != MPI_PROC_NULL) topology::check_rank(targets[i], processes, "targets", i);
                out.add(targets[i], is_weighted ? weights[i] : unweighted);
            }
            return messages_of(out);
        });
        in = edges_of(exchange->received());
        if (ntargets == 0 && in.degree() > 0) is_weighted = in.weights[0] != unweighted;
    });
    if (code != MPI_SUCCESS) return code;
    // Edges with weights and edges without are found there.
    const bool in_is_weighted = in.degree() > 0 ? in.weights[0] != unweighted : is_weighted;
    const mpi::CallsNamed named(function);
    return ORTHO_Dist_graph_create_adjacent(comm, in.degree(), in.ranks.data(), in.weights_or(in_is_weighted),
                                            out.degree(), out.ranks.data(), out.weights_or(is_weighted), info,
                                            reorder, graph);
}
