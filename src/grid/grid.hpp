// SPDX-License-Identifier: BSD-3-Clause
// A d-dimensional grid of processes: ranks and coordinates.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ortho::grid {

/// The coordinate in which neighboring ranks differ: the last one (row-major, as in C) or the first one
/// (column-major, as in Fortran).
enum class Order : std::uint8_t { row_major, col_major };

/// No grid has more dimensions.
inline constexpr int most_dimensions = 4096;
/// Throws base::Error (dims) unless there is a grid of d dimensions.  Lists of d numbers are not read before.
void require_dimensions(int d);

/// A mesh, a torus, or a mix of both: `size(k)` points in dimension k, which wraps around iff `periodic(k)`.
/// Points are numbered 0..points()-1 by slowest_first(), unless with_ranks() has given other numbers.  Points
/// without a number count as off the grid.
class Grid {
public:
    /// The number of a point off the grid.
    static constexpr int nowhere = -1;

    /// The grid of no dimensions: one point.
    Grid() = default;

    /// Throws base::Error (dims) for a size below 1 and for more than INT_MAX points.  `argument` is the
    /// public argument that the sizes come from.
    Grid(const std::vector<int>& sizes, std::vector<char> periodic, Order order = Order::row_major,
         const char* argument = "order");
    /// With any order of the dimensions: that in which neighboring ranks differ comes last.  Throws
    /// base::Error (arg), too, unless each dimension is there once.
    Grid(std::vector<int> sizes, std::vector<char> periodic, std::vector<int> slowest_first,
         const char* argument = "order");

    /// A copy of the grid with other numbers: ranks[i] is the number of the i-th point by slowest_first(), or
    /// `nowhere`.  Throws base::Error (arg) unless the numbers are 0, 1, ..., each once.
    Grid with_ranks(std::vector<int> ranks) const;
    bool has_ranks() const { return !ranks_.empty(); }
    /// Do all points have numbers?
    bool is_full() const { return !has_ranks() || ranks_.size() == places_.size(); }
    std::span<const int> ranks() const { return ranks_; }

    int dimensions() const { return static_cast<int>(sizes_.size()); }
    int size(int k) const { return sizes_[static_cast<std::size_t>(k)]; }
    bool periodic(int k) const { return periodic_[static_cast<std::size_t>(k)] != 0; }
    /// The order of the dimensions: that in which neighboring ranks differ comes last.
    const std::vector<int>& slowest_first() const { return slowest_first_; }
    bool is(Order order) const;
    int points() const { return points_; }
    /// True if no dimension has a border and each point has a number.
    bool is_torus() const;

    /// Coordinate `c` of dimension k, wrapped into 0..size(k)-1 where the dimension is
    /// periodic; `nowhere` if it is off the grid.  O(1) for any 64-bit value.
    int wrap(int k, std::int64_t c) const
    {
        const std::int64_t p = size(k);
        if (c >= 0 && c < p) return static_cast<int>(c);
        if (!periodic(k)) return nowhere;
        if (c >= -p && c < 2 * p) return static_cast<int>(c < 0 ? c + p : c - p); // without a division
        c %= p;
        return static_cast<int>(c < 0 ? c + p : c);
    }

    /// The number of the point with these coordinates, or `nowhere`.
    int rank(std::span<const int> coordinates) const;

    /// Coordinate k of point `rank` (0 <= rank < points()).
    int coordinate(int rank, int k) const
    {
        return place(rank) / strides_[static_cast<std::size_t>(k)] % size(k);
    }
    std::vector<int> coordinates(int rank) const;
    /// Writes the coordinates into `result`, which has room for them.
    void coordinates(int rank, std::span<int> result) const
    {
        rank = place(rank);
        for (std::size_t i = sizes_.size(); i-- > 0;) {
            const auto k = static_cast<std::size_t>(slowest_first_[i]);
            const int p = sizes_[k];
            const int quotient = p == 1 ? rank : rank / p; // divisions take time
            result[k] = rank - quotient * p;
            rank = quotient;
        }
    }

    /// The point `offset` away from point `from`, or `nowhere`.  Offsets may have any size.
    int neighbor(int from, std::span<const int> offset) const;
    /// The point from which `to` is `offset` away, or `nowhere`.
    int neighbor_against(int to, std::span<const int> offset) const;

    /// The unique representative of all offsets in dimension k that lead to one point: in (-size/2, size/2]
    /// if k is periodic, else `offset` itself.
    std::int64_t representative(int k, std::int64_t offset) const
    {
        if (!periodic(k)) return offset;
        const std::int64_t p = size(k);
        const std::int64_t residue = wrap(k, offset);
        return residue > p / 2 ? residue - p : residue;
    }

    /// The offset from point `from` to point `to`, as a representative.
    void offset(int from, int to, std::span<int> result) const;

    bool operator==(const Grid&) const = default;

private:
    /// The position by slowest_first() of the point with this number.
    int place(int rank) const { return has_ranks() ? places_[static_cast<std::size_t>(rank)] : rank; }
    int number(int place) const { return has_ranks() ? ranks_[static_cast<std::size_t>(place)] : place; }
    int displaced(int from, std::span<const int> offset, int sign) const;

    std::vector<int> sizes_;
    std::vector<char> periodic_;
    std::vector<int> slowest_first_;
    std::vector<int> strides_;
    int points_ = 1;
    std::vector<int> ranks_, places_; ///< by position, and by number; empty for numbers by slowest_first()
};

} // namespace ortho::grid
