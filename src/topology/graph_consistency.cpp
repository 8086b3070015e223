// SPDX-License-Identifier: BSD-3-Clause
// Checks that all processes agree when a graph is made.

#include "topology/graph_consistency.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "runtime/wait.hpp"
#include "topology/cart_name.hpp"
#include "topology/error_consensus.hpp"

namespace ortho::topology {

namespace {

using base::Error;
using base::ErrorKind;
using base::text;

/// The weights of the edges of a list, by partner, or 1 each.  Weights of one partner are sorted, since their
/// order does not matter.
struct ByPartner {
    std::vector<int> counts;
    std::vector<int> begins;
    std::vector<int> weights;

    explicit ByPartner(std::vector<int> counts_) : counts(std::move(counts_)), begins(counts.size(), 0)
    {
        std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
        weights.resize(static_cast<std::size_t>(std::reduce(counts.begin(), counts.end())), 1);
    }
};

ByPartner by_partner(int processes, const std::vector<int>& partners, const std::vector<int>& weights)
{
    std::vector<int> counts(static_cast<std::size_t>(processes), 0);
    for (const int partner : partners)
        if (partner != grid::gap) ++counts[static_cast<std::size_t>(partner)];
    ByPartner result(std::move(counts));
    if (weights.empty()) return result;
    std::vector<int> next = result.begins;
    for (std::size_t i = 0; i < partners.size(); ++i)
        if (partners[i] != grid::gap)
            result.weights[static_cast<std::size_t>(next[static_cast<std::size_t>(partners[i])]++)] =
                weights[i];
    for (std::size_t q = 0; q < result.counts.size(); ++q) {
        const auto begin = result.weights.begin() + result.begins[q];
        std::sort(begin, begin + result.counts[q]);
    }
    return result;
}

/// The edges to this process in the lists of all others.
ByPartner theirs(MPI_Comm comm, const ByPartner& mine)
{
    std::vector<int> counts(mine.counts.size());
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(
        PMPI_Ialltoall(mine.counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, comm, &request));
    runtime::wait(request, comm);
    ByPartner result(std::move(counts));
    mpi::check_users(PMPI_Ialltoallv(mine.weights.data(), mine.counts.data(), mine.begins.data(), MPI_INT,
                                     result.weights.data(), result.counts.data(), result.begins.data(),
                                     MPI_INT, comm, &request));
    runtime::wait(request, comm);
    return result;
}

std::string times(int n) { return n == 1 ? "once" : text(n, " times"); }

/// The first edge into this process on which its two ends do not agree.
std::optional<Error> first_difference(const std::string& title, int me, const ByPartner& in,
                                      const ByPartner& said)
{
    for (std::size_t q = 0; q < in.counts.size(); ++q) {
        if (in.counts[q] != said.counts[q])
            return Error(ErrorKind::mismatch, "sources",
                         text("on ", title, " rank ", q, " lists rank ", me, " as a destination ",
                              times(said.counts[q]), ", which lists rank ", q, " as a source ",
                              times(in.counts[q])));
        for (int i = in.begins[q]; i < in.begins[q] + in.counts[q]; ++i) {
            const int here = in.weights[static_cast<std::size_t>(i)];
            const int there = said.weights[static_cast<std::size_t>(i)];
            if (here != there)
                return Error(ErrorKind::mismatch, "sourceweights",
                             text("on ", title, " an edge from rank ", q, " to rank ", me, " weighs ", there,
                                  " at its source and ", here, " at its destination"));
        }
    }
    return std::nullopt;
}

std::string text_of(const grid::Grid* name)
{
    if (name == nullptr) return "no name";
    std::string result = "a grid of";
    for (int k = 0; k < name->dimensions(); ++k)
        result += text(k > 0 ? " x " : " ", name->size(k), name->periodic(k) ? " (periodic)" : "");
    if (name->is(grid::Order::row_major)) return result;
    if (name->is(grid::Order::col_major)) return result + ", column-major";
    result += ", in the order of dimensions";
    for (const int k : name->slowest_first()) result += text(' ', k);
    return result;
}

} // namespace

void require_symmetric_lists(MPI_Comm comm, const std::string& title, const GraphInfo& graph_info)
{
    const int processes = mpi::size_of(comm);
    const ByPartner in = by_partner(processes, graph_info.lists.sources, graph_info.source_weights);
    const ByPartner out = by_partner(processes, graph_info.lists.targets, graph_info.target_weights);
    fail_if_any(comm, first_difference(title, graph_info.lists.rank, in, theirs(comm, out)));
}

void require_same_name(MPI_Comm comm, const grid::Grid* name, const char* argument)
{
    const std::string mine = text_of(name);
    agree::Ballot ballot;
    agree::Text of_rank_0(ballot);
    if (mpi::rank_of(comm) == 0) of_rank_0.say(mine);
    agree::hold(comm, ballot);
    std::optional<Error> difference;
    if (mine != of_rank_0.value())
        difference.emplace(ErrorKind::mismatch, argument,
                           text("on ", mpi::title_of(comm), " rank ", mpi::rank_of(comm), " has ", mine,
                                ", and rank 0 has ", of_rank_0.value()));
    fail_if_any(comm, std::move(difference));
}

} // namespace ortho::topology
