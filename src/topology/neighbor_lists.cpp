// SPDX-License-Identifier: BSD-3-Clause
// Arguments of public calls: grids of processes, and lists of neighbors.

#include "topology/neighbor_lists.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/which_mpi.hpp"
#include "runtime/internal_collectives.hpp"

namespace ortho::topology {

using base::ErrorKind;

grid::Grid make_grid(MPI_Comm comm, int d, const int dims[], const int periods[])
{
    grid::require_dimensions(d);
    mpi::require_result(dims, "dims");
    mpi::require_result(periods, "periods");
    std::vector<char> periodic;
    for (int k = 0; k < d; ++k) periodic.push_back(periods[k] != 0);
    grid::Grid grid({dims, dims + d}, std::move(periodic), grid::Order::row_major, "dims");
    base::require(grid.points() <= mpi::size_of(comm), ErrorKind::dims, "dims", "dims gives a grid of ",
                  grid.points(), " processes on a communicator of ", mpi::size_of(comm));
    return grid;
}

void Alike::add(int number, const char* argument)
{
    numbers_.push_back(number);
    arguments_.push_back(argument);
}

void Alike::add(const grid::Grid& grid)
{
    add(grid.dimensions(), "d");
    for (int k = 0; k < grid.dimensions(); ++k) add(grid.size(k), "dims");
    for (int k = 0; k < grid.dimensions(); ++k) add(grid.periodic(k) ? 1 : 0, "periods");
}

void Alike::require_everywhere(MPI_Comm comm) const
{
    if (list_.holds()) return;
    // d and t decide how long the lists are.  Lists of one length can be compared number by number.
    std::vector<std::size_t> scalars;
    std::vector<std::size_t> all(numbers_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::ranges::copy_if(all, std::back_inserter(scalars), [&](std::size_t i) {
        return std::string_view(arguments_[i]) == "d" || std::string_view(arguments_[i]) == "t";
    });
    require_same(comm, scalars);
    require_same(comm, all);
    base::fail(ErrorKind::intern, "arguments", "equal lists look different");
}

void Alike::require_same(MPI_Comm comm, const std::vector<std::size_t>& which) const
{
    std::vector<long long> numbers;
    for (const std::size_t i : which) numbers.push_back(numbers_[i]);
    const auto difference = agree::find_difference(comm, numbers);
    if (!difference) return;
    const std::size_t i = which[difference->index];
    const char* const argument = arguments_[i];
    const auto first = std::ranges::find(arguments_, std::string_view(argument),
                                         [](const char* a) { return std::string_view(a); });
    const bool is_list = std::ranges::count(arguments_, std::string_view(argument),
                                            [](const char* a) { return std::string_view(a); }) > 1;
    base::fail(ErrorKind::mismatch, argument, argument,
               is_list ? base::text("[", i - at(first - arguments_.begin()), "]") : "",
               " is not the same on all processes: ", difference->on_rank_0, " on rank 0, ",
               difference->there, " on rank ", difference->rank);
}

namespace {

using base::ErrorKind;
using base::require;

/// A list for MPI: without gaps.
struct Edges {
    std::vector<int> ranks;
    std::vector<int> weights;

    Edges(const std::vector<int>& all_ranks, const std::vector<int>& all_weights)
    {
        ranks.reserve(all_ranks.size());
        weights.reserve(all_weights.size());
        for (std::size_t i = 0; i < all_ranks.size(); ++i) {
            if (all_ranks[i] == grid::gap) continue;
            ranks.push_back(all_ranks[i]);
            if (!all_weights.empty()) weights.push_back(all_weights[i]);
        }
    }
    int degree() const { return static_cast<int>(ranks.size()); }
    const int* weights_for_mpi(bool weighted) const
    {
        if (!weighted) return MPI_UNWEIGHTED;
        return ranks.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
    }
};

} // namespace

void check_rank(int rank, int processes, const char* argument, std::int64_t i, ErrorKind kind)
{
    if (rank < 0 || rank >= processes)
        base::fail(kind, argument, argument, i < 0 ? "" : base::text("[", i, "]"), " = ", rank,
                   " is no rank of a communicator of size ", processes);
}

void check_weights(const int* ranks, const int* weights, int n, const char* argument)
{
    if (n == 0 || weights == MPI_UNWEIGHTED) return;
    require(weights != nullptr && weights != MPI_WEIGHTS_EMPTY, ErrorKind::arg, argument, argument,
            " is MPI_WEIGHTS_EMPTY or a null pointer; MPI_UNWEIGHTED means no weights");
    for (int i = 0; i < n; ++i) {
        const bool is_gap = ranks != nullptr && ranks[i] == MPI_PROC_NULL;
        require(is_gap || weights[i] >= 0, ErrorKind::arg, argument, argument, "[", i, "] = ", weights[i],
                " is negative");
    }
}

mpi::Comm plain_parent(MPI_Comm comm)
{
    mpi::Comm plain = runtime::bare_copy(comm);
    mpi::copy_errhandler(comm, plain.get()); // the graph inherits it
    return plain;
}

mpi::Comm make_mpi_graph(MPI_Comm comm, const GraphInfo& graph_info)
{
    mpi::Comm plain;
    // A graph that Open MPI 5 makes on a grid claims to be a grid, too (its issue 14438).
    if (mpi::which_mpi().is_open_mpi && mpi::topology_of(comm) != MPI_UNDEFINED) plain = plain_parent(comm);
    const Edges in(graph_info.lists.sources, graph_info.source_weights);
    const Edges out(graph_info.lists.targets, graph_info.target_weights);
    MPI_Comm graph = MPI_COMM_NULL;
    // Never with MPI's reorder: our lists would not follow MPI's order.  Never with an info: it is for the
    // reorder, and Open MPI then communicates on the processes that give one.
    mpi::check_users(PMPI_Dist_graph_create_adjacent(
        plain ? plain.get() : comm, in.degree(), in.ranks.data(), in.weights_for_mpi(graph_info.weighted),
        out.degree(), out.ranks.data(), out.weights_for_mpi(graph_info.weighted), MPI_INFO_NULL, 0, &graph));
    return mpi::Comm(graph);
}

mpi::Comm make_mpi_graph(MPI_Comm comm, const GraphInfo& graph_info, Prepared& prepared)
{
    try {
        return make_mpi_graph(comm, graph_info);
    } catch (...) {
        prepared.private_comm.lose();
        throw;
    }
}

void write_list(const GraphInfo& graph_info, const std::vector<int>& list, const std::vector<int>& weights,
                int most, int* ranks_out, int* weights_out, const ListNames& names)
{
    require(most >= 0, ErrorKind::arg, names.most, names.most, " = ", most, " is negative");
    const auto n = static_cast<std::ptrdiff_t>(std::min(list.size(), static_cast<std::size_t>(most)));
    if (n == 0) return;
    mpi::require_result(ranks_out, names.ranks);
    std::transform(list.begin(), list.begin() + n, ranks_out,
                   [](int rank) { return rank == grid::gap ? MPI_PROC_NULL : rank; });
    if (!graph_info.weighted || weights_out == MPI_UNWEIGHTED) return;
    mpi::require_result(weights_out, names.weights);
    std::copy(weights.begin(), weights.begin() + n, weights_out);
}

} // namespace ortho::topology
