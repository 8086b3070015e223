// SPDX-License-Identifier: BSD-3-Clause
// A list of offsets.  No MPI in this file.
#pragma once

#include <compare>
#include <span>
#include <vector>

namespace ortho::grid {

/// A list of d-dimensional offsets, in grid steps, of either sign and any size.  Its
/// order matters, and an offset may occur more than once.  Stored t x d, row-major.
class Stencil {
public:
    Stencil() = default;
    explicit Stencil(int dimensions) : dimensions_(dimensions) {}
    /// `offsets` holds whole rows of `dimensions` numbers; dimensions >= 1.
    Stencil(int dimensions, std::vector<int> offsets);

    int dimensions() const { return dimensions_; }
    int size() const { return size_; }

    int operator()(int i, int k) const { return offsets_[index(i) + static_cast<std::size_t>(k)]; }
    std::span<const int> operator[](int i) const
    {
        return {offsets_.data() + index(i), static_cast<std::size_t>(dimensions_)};
    }
    std::span<const int> flat() const { return offsets_; }

    /// The offsets with these indices, in the order of `indices`.
    Stencil in_order(std::span<const int> indices) const;

    void reserve(int offsets);
    void push_back(std::span<const int> offset);

    /// The number of coordinates of offset i that are not 0.  A block that travels one dimension at a time
    /// takes as many hops (papers: z_i).
    int nonzeros(int i) const;

    bool operator==(const Stencil&) const = default;

private:
    std::size_t index(int i) const
    {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(dimensions_);
    }

    int dimensions_ = 0;
    int size_ = 0;
    std::vector<int> offsets_;
};

/// Lexicographic comparison of two offsets.
std::strong_ordering compare(std::span<const int> a, std::span<const int> b);

/// Does an offset occur more than once?  `sorted` is in lexicographic order.
bool has_repeats(const Stencil& sorted);

/// True if each offset leads along one dimension at most.
bool is_star(const Stencil& stencil);

/// One step back and one ahead in each dimension, in the order of MPI's neighborhood collectives.
Stencil axis_steps(int dimensions);

/// The indices of the offsets in lexicographic order; equal offsets stay in list order.
std::vector<int> lexicographic_order(const Stencil& stencil);

} // namespace ortho::grid
