// SPDX-License-Identifier: BSD-3-Clause
// Processes as points of a grid: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_NAMING_HPP
#define MPIORTHO_NAMING_HPP

#include <array>
#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

#include "communicator.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Coordinates of a point, or how one point lies from another: one int in each dimension.
template <std::size_t D>
using point = std::array<int, D>;

/// How distance is measured: the sum of the coordinates' absolute values, or the largest of them.
enum class metric { manhattan = ORTHO_MANHATTAN_DISTANCE, chebyshev = ORTHO_CHEBYSHEV_DISTANCE };

/// Which coordinate counts first in ranks: the last, as in C, or the first, as in Fortran.
enum class order { row_major = ORTHO_ROWMAJOR, column_major = ORTHO_COLMAJOR };

/// Which dimensions lead around: true for all of them, or one for each, as in {true, false}.
template <std::size_t D>
struct periods : std::array<bool, D> {
    constexpr periods() : std::array<bool, D>{} {}
    constexpr periods(const std::array<bool, D>& each) : std::array<bool, D>(each) {}
    template <std::same_as<bool> B>
    constexpr periods(B all) : std::array<bool, D>{}
    {
        this->fill(all);
    }
    template <std::convertible_to<bool>... B>
    requires(sizeof...(B) == D && D > 1) constexpr periods(B... each)
        : std::array<bool, D>{static_cast<bool>(each)...}
    {}
};

namespace detail {

template <std::size_t D>
point<D> as_ints(const std::array<bool, D>& flags)
{
    point<D> result{};
    for (std::size_t k = 0; k < D; ++k) result[k] = flags[k] ? 1 : 0;
    return result;
}

/// A list of points as the C interface has it: D ints a point.
template <std::size_t D>
const int* ints(std::span<const point<D>> points)
{
    static_assert(sizeof(point<D>) == D * sizeof(int));
    return points.empty() ? nullptr : points.data()->data();
}

} // namespace detail

/// The name of a communicator: its processes are the points of a grid of D dimensions.  All is local, but
/// where it is said otherwise.
///
/// This is a view: the name stays with the communicator.  Ranks are MPI_PROC_NULL off the grid.
template <std::size_t D>
class cart_name {
public:
    /// Name the processes of comm.  An older name is overwritten.
    cart_name(MPI_Comm comm, const point<D>& sizes, const std::type_identity_t<periods<D>>& periodic = {},
              order dimension_order = order::row_major)
        : comm_(comm)
    {
        detail::check_code(ORTHO_Cart_name(comm, static_cast<int>(D), static_cast<int>(dimension_order),
                                           sizes.data(), detail::as_ints(periodic).data(), &size_),
                           comm);
    }
    /// Process ranks[i] is at point number i, and none where that is MPI_PROC_NULL: land in an ocean, say.
    cart_name(MPI_Comm comm, const point<D>& sizes, const std::type_identity_t<periods<D>>& periodic,
              detail::row_span<const int> ranks, order dimension_order = order::row_major)
        : comm_(comm)
    {
        std::size_t points = 1;
        for (const int size : sizes) points *= size > 0 ? static_cast<std::size_t>(size) : 0;
        if (ranks.size() != points)
            detail::fail_on(comm, MPI_ERR_ARG, "mpiortho::cart_name: %zu ranks for %zu points", ranks.size(),
                            points);
        detail::check_code(ORTHO_Cart_name_map(comm, static_cast<int>(D), static_cast<int>(dimension_order),
                                               sizes.data(), detail::as_ints(periodic).data(), ranks.data(),
                                               &size_),
                           comm);
    }
    /// With any order of the dimensions: that in which neighboring ranks differ comes last.
    static cart_name permuted(MPI_Comm comm, const point<D>& sizes, const periods<D>& periodic,
                              const std::array<int, D>& dimension_order)
    {
        int size = 0;
        detail::check_code(ORTHO_Cart_name_permuted(comm, static_cast<int>(D), dimension_order.data(),
                                                    sizes.data(), detail::as_ints(periodic).data(), &size),
                           comm);
        return cart_name(comm);
    }
    /// The name that comm has; a Cartesian topology of MPI's is one.
    explicit cart_name(MPI_Comm comm) : comm_(comm)
    {
        int flag = 0;
        int d = 0;
        detail::check_code(ORTHO_Cart_test(comm, &flag, &d, &size_), comm);
        if (flag == 0) static_cast<void>(get()); // throws that there is no name
        if (d != static_cast<int>(D))
            detail::fail_on(comm, MPI_ERR_DIMS, "mpiortho::cart_name: the grid has %d dimensions, not %zu", d,
                            D);
    }

    /// Name `part`, processes of `whole`, with the grid that they make of that one's.  False if they make
    /// none.
    static bool name_part(MPI_Comm whole, MPI_Comm part)
    {
        int points = 0;
        detail::check_code(ORTHO_Cart_name_part(whole, part, &points), part);
        return points > 0;
    }
    /// Has comm a name, of any number of dimensions?
    static bool exists(MPI_Comm comm)
    {
        int flag = 0;
        int d = 0;
        int size = 0;
        detail::check_code(ORTHO_Cart_test(comm, &flag, &d, &size), comm);
        return flag != 0;
    }
    /// Has it the same name on all processes?  Collective.
    bool is_same_everywhere() const
    {
        int flag = 0;
        int d = 0;
        int size = 0;
        detail::check_code(ORTHO_Cart_testall(comm_, &flag, &d, &size), comm_);
        return flag != 0;
    }
    /// Take the name away.
    void remove() { detail::check_code(ORTHO_Cart_unname(comm_), comm_); }

    /// The number of points.
    int size() const noexcept { return size_; }
    /// Points in each dimension, and whether it is periodic.
    point<D> sizes() const { return get().first; }
    std::array<bool, D> periodic() const
    {
        std::array<bool, D> result{};
        const auto [sizes, periods] = get();
        for (std::size_t k = 0; k < D; ++k) result[k] = periods[k] != 0;
        return result;
    }

    /// The process with these coordinates, and the coordinates of a process.
    int rank(const point<D>& coordinates) const
    {
        int result = MPI_PROC_NULL;
        detail::check_code(ORTHO_Cart_rank(comm_, coordinates.data(), &result), comm_);
        return result;
    }
    point<D> coordinates(int rank) const
    {
        point<D> result{};
        detail::check_code(ORTHO_Cart_coordinates(comm_, rank, result.data()), comm_);
        return result;
    }
    /// The process that is `relative` away from `source`.
    int rank(int source, const point<D>& relative) const
    {
        int result = MPI_PROC_NULL;
        detail::check_code(ORTHO_Cart_relative_rank(comm_, source, relative.data(), &result), comm_);
        return result;
    }
    /// How `dest` lies from `source`; in periodic dimensions the short way.
    point<D> relative(int source, int dest) const
    {
        point<D> result{};
        detail::check_code(ORTHO_Cart_relative_coordinates(comm_, source, dest, result.data()), comm_);
        return result;
    }
    /// The processes from which `rank` is `relative` away, and that are `relative` away from `rank`.
    struct pair {
        int in, out;
    };
    pair shift(int rank, const point<D>& relative) const
    {
        pair result{};
        detail::check_code(ORTHO_Cart_relative_shift(comm_, rank, relative.data(), &result.in, &result.out),
                           comm_);
        return result;
    }
    /// The ranks of several points; of several relative coordinates, seen from `source`.
    std::vector<int> ranks(std::span<const point<D>> points) const
    {
        std::vector<int> result(points.size());
        if (!points.empty())
            detail::check_code(ORTHO_Cart_allranks(comm_, static_cast<int>(points.size()),
                                                   detail::ints(points), result.data()),
                               comm_);
        return result;
    }
    std::vector<int> ranks(int source, std::span<const point<D>> relatives) const
    {
        std::vector<int> result(relatives.size());
        if (!relatives.empty())
            detail::check_code(ORTHO_Cart_allranks_relative(comm_, source, static_cast<int>(relatives.size()),
                                                            detail::ints(relatives), result.data()),
                               comm_);
        return result;
    }
    /// The relative coordinates x with shadow <= |x| <= depth that stay on the grid, seen from `rank`.
    std::vector<point<D>> neighbors(int rank, metric m, int shadow, int depth) const
    {
        int n = 0;
        detail::check_code(ORTHO_Cart_neighbors_count(comm_, rank, static_cast<int>(m), shadow, depth, &n),
                           comm_);
        std::vector<point<D>> result(static_cast<std::size_t>(n) + 1); // not empty: null is no list
        detail::check_code(
            ORTHO_Cart_neighbors(comm_, rank, static_cast<int>(m), shadow, depth, n, result[0].data()),
            comm_);
        result.pop_back();
        return result;
    }
    /// The relative coordinates of at most `depth`, the point itself included, whatever the borders.
    std::vector<point<D>> stencil(metric m, int depth) const
    {
        int n = 0;
        detail::check_code(ORTHO_Cart_stencil_count(comm_, static_cast<int>(m), depth, &n), comm_);
        std::vector<point<D>> result(static_cast<std::size_t>(n));
        detail::check_code(ORTHO_Cart_stencil(comm_, static_cast<int>(m), depth, n, result[0].data()), comm_);
        return result;
    }
    /// `all` without `some`: each of the latter takes away one that is equal.
    std::vector<point<D>> difference(std::span<const point<D>> all, std::span<const point<D>> some) const
    {
        int n = 0;
        std::vector<point<D>> result(all.size() + 1); // not empty: null is no list
        detail::check_code(ORTHO_Cart_stencil_diff(comm_, static_cast<int>(all.size()), detail::ints(all),
                                                   static_cast<int>(some.size()), detail::ints(some), &n,
                                                   result[0].data()),
                           comm_);
        result.resize(static_cast<std::size_t>(n));
        return result;
    }
    /// The processes that agree in every dimension k with excluded[k].  Collective.
    communicator sub(const std::array<bool, D>& excluded) const
    {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check_code(ORTHO_Cart_create_sub(comm_, detail::as_ints(excluded).data(), &made), comm_);
        return communicator(made);
    }

private:
    std::pair<point<D>, point<D>> get() const
    {
        std::pair<point<D>, point<D>> result{};
        int dimension_order = 0;
        detail::check_code(ORTHO_Cart_get(comm_, &dimension_order, static_cast<int>(D), result.first.data(),
                                          result.second.data()),
                           comm_);
        return result;
    }

    MPI_Comm comm_;
    int size_ = 0;
};

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
