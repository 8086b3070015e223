// SPDX-License-Identifier: BSD-3-Clause
// The public calls about names: those that are local, and behind them those that are collective.

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "grid/grid.hpp"
#include "grid/shell.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/graph_consistency.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using grid::Grid;
using mpi::guard;
using mpi::require_result;

std::size_t length(int n, const Grid& grid)
{
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(grid.dimensions());
}

/// A rank, or MPI_PROC_NULL for a point off the grid.
int rank_or_null(int rank) { return rank == Grid::nowhere ? MPI_PROC_NULL : rank; }

/// Is `rank` the number of a point?  Throws unless it is a rank of the communicator.
bool is_named(MPI_Comm cart, const Grid& grid, int rank, const char* argument)
{
    require(rank >= 0 && (rank < grid.points() || rank < mpi::size_of(cart)), ErrorKind::rank, argument,
            argument, " = ", rank, " is no rank of a communicator of size ", mpi::size_of(cart));
    return rank < grid.points();
}

/// A list of n points; null is allowed for none.
std::span<const int> points(const Grid& grid, int n, const int list[], const char* argument)
{
    require(n == 0 || list != nullptr, ErrorKind::arg, argument, argument, " is a null pointer");
    return {list, n == 0 ? 0 : length(n, grid)};
}

void require_count(int n, const char* argument)
{
    require(n >= 0, ErrorKind::count, argument, argument, " = ", n, " is negative");
}

void require_not_negative(int n, const char* argument)
{
    require(n >= 0, ErrorKind::arg, argument, argument, " = ", n, " is negative");
}

std::span<const int> point(const Grid& grid, std::span<const int> list, int i)
{
    return list.subspan(length(i, grid), length(1, grid));
}

grid::Metric metric_of(int metric)
{
    require(metric == ORTHO_MANHATTAN_DISTANCE || metric == ORTHO_CHEBYSHEV_DISTANCE, ErrorKind::arg,
            "metric", "metric = ", metric,
            " is neither ORTHO_MANHATTAN_DISTANCE nor ORTHO_CHEBYSHEV_DISTANCE");
    return metric == ORTHO_MANHATTAN_DISTANCE ? grid::Metric::manhattan : grid::Metric::chebyshev;
}

grid::Shell stencil(int dimensions, int metric, int depth)
{
    require_not_negative(depth, "depth");
    return grid::unbounded_shell(metric_of(metric), 0, depth, dimensions);
}

/// The offsets that stay on the grid as seen from a point with a name.
grid::Shell neighbors(const Grid& grid, int rank, int metric, int shadow, int depth)
{
    require_not_negative(shadow, "shadow");
    require_not_negative(depth, "depth");
    grid::Shell shell = grid::unbounded_shell(metric_of(metric), shadow, depth, grid.dimensions());
    for (int k = 0; k < grid.dimensions(); ++k) {
        if (grid.periodic(k)) continue;
        const int c = grid.coordinate(rank, k);
        shell.low[static_cast<std::size_t>(k)] = -std::min(depth, c);
        shell.high[static_cast<std::size_t>(k)] = std::min(depth, grid.size(k) - 1 - c);
    }
    return shell;
}

int size_of(const grid::Shell& shell)
{
    const std::int64_t size = grid::count(shell);
    require(size != grid::too_many, ErrorKind::arg, "depth", "depth = ", shell.depth,
            " gives more offsets than an int can count");
    return static_cast<int>(size);
}

void write(const grid::Shell& shell, int maxsize, int result[], const char* argument)
{
    require_not_negative(maxsize, "maxsize");
    require(maxsize == 0 || result != nullptr, ErrorKind::arg, argument, argument, " is a null pointer");
    if (maxsize > 0) grid::list(shell, {result, at(maxsize) * shell.low.size()});
}

/// `dimorder`: a number, or a list of all dimensions.  `ranks`: the ranks of all points, or null.
template <class DimOrder>
void name(MPI_Comm comm, int d, DimOrder dimorder, const int order[], const int period[], const int* ranks,
          int* size)
{
    constexpr bool is_list = std::is_pointer_v<DimOrder>;
    mpi::require_intra(comm, "comm");
    grid::require_dimensions(d);
    if constexpr (is_list)
        require_result(dimorder, "dimorder");
    else
        require(dimorder == ORTHO_ROWMAJOR || dimorder == ORTHO_COLMAJOR, ErrorKind::arg, "dimorder",
                "dimorder = ", dimorder, " is neither ORTHO_ROWMAJOR nor ORTHO_COLMAJOR");
    require_result(order, "order");
    require_result(period, "period");
    require_result(size, "size");
    std::vector<char> periodic;
    for (int k = 0; k < d; ++k) periodic.push_back(period[k] != 0);
    Grid grid = [&] {
        std::vector<int> sizes(order, order + d);
        if constexpr (is_list)
            return Grid(std::move(sizes), std::move(periodic), std::vector<int>(dimorder, dimorder + d));
        else
            return Grid(std::move(sizes), std::move(periodic),
                        dimorder == ORTHO_ROWMAJOR ? grid::Order::row_major : grid::Order::col_major);
    }();
    if (ranks != nullptr) {
        std::vector<int> numbers(ranks, ranks + grid.points());
        for (int& rank : numbers) {
            require(rank >= 0 || rank == MPI_PROC_NULL, ErrorKind::arg, "ranks", "ranks has ", rank,
                    ", which is neither a rank nor MPI_PROC_NULL");
            if (rank == MPI_PROC_NULL) rank = Grid::nowhere;
        }
        grid = grid.with_ranks(std::move(numbers));
    }
    require(grid.points() <= mpi::size_of(comm), ErrorKind::dims, "order", "order gives a grid of ",
            grid.points(), " processes on a communicator of ", mpi::size_of(comm));
    const int points = grid.points();
    topology::set_name(comm, std::move(grid));
    *size = points;
}

/// A number that is equal on two processes iff they agree in all excluded dimensions.
int color_of(const grid::Grid& grid, int rank, const int excluded[])
{
    int color = 0;
    for (int k = 0; k < grid.dimensions(); ++k)
        if (excluded[k] != 0) color = color * grid.size(k) + grid.coordinate(rank, k);
    return color;
}

} // namespace

extern "C" {

int ORTHO_Cart_name(MPI_Comm comm, int d, int dimorder, const int order[], const int period[], int* size)
{
    return guard("ORTHO_Cart_name", comm, [&] { name(comm, d, dimorder, order, period, nullptr, size); });
}

int ORTHO_Cart_name_permuted(MPI_Comm comm, int d, const int dimorder[], const int order[],
                             const int period[], int* size)
{
    return guard("ORTHO_Cart_name_permuted", comm,
                 [&] { name(comm, d, dimorder, order, period, nullptr, size); });
}

int ORTHO_Cart_name_map(MPI_Comm comm, int d, int dimorder, const int order[], const int period[],
                        const int ranks[], int* size)
{
    return guard("ORTHO_Cart_name_map", comm, [&] {
        require_result(ranks, "ranks");
        name(comm, d, dimorder, order, period, ranks, size);
    });
}

int ORTHO_Cart_unname(MPI_Comm comm)
{
    return guard("ORTHO_Cart_unname", comm, [&] {
        topology::name_of(comm, "comm");
        topology::remove_name(comm);
    });
}

int ORTHO_Cart_test(MPI_Comm cart, int* flag, int* d, int* size)
{
    return guard("ORTHO_Cart_test", cart, [&] {
        mpi::require_comm(cart, "cart");
        require_result(flag, "flag");
        require_result(d, "d");
        require_result(size, "size");
        const Grid* const grid = topology::find_name(cart);
        *flag = grid != nullptr;
        *d = grid != nullptr ? grid->dimensions() : 0;
        *size = grid != nullptr ? grid->points() : 0;
    });
}

int ORTHO_Cart_get(MPI_Comm cart, int* dimorder, int maxd, int order[], int period[])
{
    return guard("ORTHO_Cart_get", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        require_result(dimorder, "dimorder");
        require_not_negative(maxd, "maxd");
        const int d = std::min(maxd, grid.dimensions());
        if (d > 0) {
            require_result(order, "order");
            require_result(period, "period");
        }
        *dimorder = MPI_UNDEFINED;
        if (grid.is(grid::Order::col_major)) *dimorder = ORTHO_COLMAJOR;
        if (grid.is(grid::Order::row_major)) *dimorder = ORTHO_ROWMAJOR;
        for (int k = 0; k < d; ++k) {
            order[k] = grid.size(k);
            period[k] = grid.periodic(k) ? 1 : 0;
        }
    });
}

int ORTHO_Cart_rank(MPI_Comm cart, const int coordinates[], int* rank)
{
    return guard("ORTHO_Cart_rank", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        require_result(rank, "rank");
        *rank = rank_or_null(grid.rank(points(grid, 1, coordinates, "coordinates")));
    });
}

int ORTHO_Cart_coordinates(MPI_Comm cart, int rank, int coordinates[])
{
    return guard("ORTHO_Cart_coordinates", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        const bool named = is_named(cart, grid, rank, "rank");
        require_result(coordinates, "coordinates");
        for (int k = 0; k < grid.dimensions(); ++k)
            coordinates[k] = named ? grid.coordinate(rank, k) : MPI_PROC_NULL;
    });
}

int ORTHO_Cart_relative_rank(MPI_Comm cart, int source, const int relative[], int* dest)
{
    return guard("ORTHO_Cart_relative_rank", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        const bool named = is_named(cart, grid, source, "source");
        const auto offset = points(grid, 1, relative, "relative");
        require_result(dest, "dest");
        *dest = named ? rank_or_null(grid.neighbor(source, offset)) : MPI_PROC_NULL;
    });
}

int ORTHO_Cart_relative_coordinates(MPI_Comm cart, int source, int dest, int relative[])
{
    return guard("ORTHO_Cart_relative_coordinates", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        const bool from = is_named(cart, grid, source, "source");
        const bool to = is_named(cart, grid, dest, "dest");
        require_result(relative, "relative");
        const std::span<int> result{relative, length(1, grid)};
        if (from && to)
            grid.offset(source, dest, result);
        else
            std::ranges::fill(result, MPI_PROC_NULL);
    });
}

int ORTHO_Cart_relative_shift(MPI_Comm cart, int rank, const int relative[], int* inrank, int* outrank)
{
    return guard("ORTHO_Cart_relative_shift", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        const bool named = is_named(cart, grid, rank, "rank");
        const auto offset = points(grid, 1, relative, "relative");
        require_result(inrank, "inrank");
        require_result(outrank, "outrank");
        *inrank = named ? rank_or_null(grid.neighbor_against(rank, offset)) : MPI_PROC_NULL;
        *outrank = named ? rank_or_null(grid.neighbor(rank, offset)) : MPI_PROC_NULL;
    });
}

int ORTHO_Cart_allranks(MPI_Comm cart, int n, const int coordinates[], int ranks[])
{
    return guard("ORTHO_Cart_allranks", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        require_count(n, "n");
        const auto list = points(grid, n, coordinates, "coordinates");
        if (n > 0) require_result(ranks, "ranks");
        for (int i = 0; i < n; ++i) ranks[i] = rank_or_null(grid.rank(point(grid, list, i)));
    });
}

int ORTHO_Cart_allranks_relative(MPI_Comm cart, int source, int n, const int relatives[], int ranks[])
{
    return guard("ORTHO_Cart_allranks_relative", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        const bool named = is_named(cart, grid, source, "source");
        require_count(n, "n");
        const auto list = points(grid, n, relatives, "relatives");
        if (n > 0) require_result(ranks, "ranks");
        for (int i = 0; i < n; ++i)
            ranks[i] = named ? rank_or_null(grid.neighbor(source, point(grid, list, i))) : MPI_PROC_NULL;
    });
}

int ORTHO_Cart_stencil_count(MPI_Comm cart, int metric, int depth, int* size)
{
    return guard("ORTHO_Cart_stencil_count", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        require_result(size, "size");
        *size = size_of(stencil(grid.dimensions(), metric, depth));
    });
}

int ORTHO_Cart_stencil(MPI_Comm cart, int metric, int depth, int maxsize, int relatives[])
{
    return guard("ORTHO_Cart_stencil", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        write(stencil(grid.dimensions(), metric, depth), maxsize, relatives, "relatives");
    });
}

int ORTHO_Stencil_count(int d, int metric, int depth, int* size)
{
    return mpi::guard_at_any_time("ORTHO_Stencil_count", [&] {
        grid::require_dimensions(d);
        require_result(size, "size");
        *size = size_of(stencil(d, metric, depth));
    });
}

int ORTHO_Stencil(int d, int metric, int depth, int maxsize, int offsets[])
{
    return mpi::guard_at_any_time("ORTHO_Stencil", [&] {
        grid::require_dimensions(d);
        write(stencil(d, metric, depth), maxsize, offsets, "offsets");
    });
}

int ORTHO_Cart_stencil_diff(MPI_Comm cart, int n0, const int relatives0[], int n1, const int relatives1[],
                            int* n, int relatives[])
{
    return guard("ORTHO_Cart_stencil_diff", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        require_count(n0, "n0");
        require_count(n1, "n1");
        const auto all = points(grid, n0, relatives0, "relatives0");
        const auto taken = points(grid, n1, relatives1, "relatives1");
        require_result(n, "n");
        if (n0 > 0) require_result(relatives, "relatives");

        std::map<std::vector<int>, int> left; // offsets to remove, and how often
        for (int i = 0; i < n1; ++i) {
            const auto row = point(grid, taken, i);
            ++left[{row.begin(), row.end()}];
        }
        int* end = relatives;
        for (int i = 0; i < n0; ++i) {
            const auto row = point(grid, all, i);
            const auto found = left.find({row.begin(), row.end()});
            if (found != left.end() && found->second > 0)
                --found->second;
            else
                end = std::ranges::copy(row, end).out; // never overtakes its source
        }
        *n = grid.dimensions() == 0 ? 0 : static_cast<int>(end - relatives) / grid.dimensions();
    });
}

int ORTHO_Cart_neighbors_count(MPI_Comm cart, int rank, int metric, int shadow, int depth, int* size)
{
    return guard("ORTHO_Cart_neighbors_count", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        const bool named = is_named(cart, grid, rank, "rank");
        const grid::Shell shell = neighbors(grid, named ? rank : 0, metric, shadow, depth);
        require_result(size, "size");
        *size = named ? size_of(shell) : 0;
    });
}

int ORTHO_Cart_neighbors(MPI_Comm cart, int rank, int metric, int shadow, int depth, int maxsize,
                         int neighbors[])
{
    return guard("ORTHO_Cart_neighbors", cart, [&] {
        const Grid& grid = topology::name_of(cart);
        const bool named = is_named(cart, grid, rank, "rank");
        const grid::Shell shell = ::neighbors(grid, named ? rank : 0, metric, shadow, depth);
        write(shell, named ? maxsize : std::min(maxsize, 0), neighbors, "neighbors");
    });
}

int ORTHO_Cart_testall(MPI_Comm cart, int* flag, int* d, int* size)
{
    return guard("ORTHO_Cart_testall", cart, [&] {
        mpi::require_intra(cart, "cart");
        topology::check_and_meet(cart, [&] {
            require_result(flag, "flag");
            require_result(d, "d");
            require_result(size, "size");
        });
        const grid::Grid* const grid = topology::find_name(cart);
        *flag = topology::same_name_everywhere(cart, grid) ? 1 : 0;
        *d = grid != nullptr ? grid->dimensions() : 0;
        *size = grid != nullptr ? grid->points() : 0;
    });
}

int ORTHO_Cart_create_sub(MPI_Comm cart, const int excluded[], MPI_Comm* subcart)
{
    return guard("ORTHO_Cart_create_sub", cart, [&] {
        mpi::require_intra(cart, "cart");
        const grid::Grid* grid = nullptr;
        topology::fail_together(cart, [&] {
            grid = &topology::name_of(cart);
            require_result(excluded, "excluded");
            require_result(subcart, "subcart");
        });
        if (!topology::same_name_everywhere(cart, grid)) topology::require_same_name(cart, grid, "cart");
        const int rank = mpi::rank_of(cart);
        const int color = rank < grid->points() ? color_of(*grid, rank, excluded) : MPI_UNDEFINED;
        mpi::check_users(PMPI_Comm_split(cart, color, rank, subcart));
    });
}

} // extern "C"
