// SPDX-License-Identifier: BSD-3-Clause
// Arrays that are divided over a grid of processes: a part of <mpiortho.hpp>.
//
//     mpiortho::blocks part(g, {ny, nx});                 // who owns what
//     mpiortho::field<double, 2> a(part, {.ghosts = 1});  // what this process owns, and ghosts
//     auto all = part.gather(a, 0);                       // the whole array on process 0
//     part.scatter(all, a, 0);                            // and back
#ifndef MPIORTHO_BLOCKS_HPP
#define MPIORTHO_BLOCKS_HPP

#include <vector>

#include "halo.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// A part of elements in a row that are dealt out evenly: its first one, and how many it has.
struct block {
    MPI_Count first, count;
};
/// Part `part` of n elements in so many parts.  The first n mod parts have one more than the others.
inline block block_of(MPI_Count n, int parts, int part)
{
    block result{};
    detail::check_code(ORTHO_Blocks_count(n, parts, part, &result.first, &result.count), MPI_COMM_SELF);
    return result;
}
/// The part that an element is in, and which of its elements it is.
struct block_place {
    int part;
    MPI_Count place;
};
inline block_place block_owner(MPI_Count n, int parts, MPI_Count index)
{
    block_place result{};
    detail::check_code(ORTHO_Blocks_owner(n, parts, index, &result.part, &result.place), MPI_COMM_SELF);
    return result;
}

/// How an array is gathered and scattered.
template <std::size_t D>
struct gather_options {
    /// Ghost layers of a view.  An mpiortho::field knows its own.
    ghost_widths<D> ghosts = {};
    /// Dimension k of the arrays runs along dimension[k] of the grid.
    point<D> dimension = detail::in_order<D>();
};

namespace detail {

/// An array as the C interface has it.
template <std::size_t D>
class gathered_array {
public:
    template <class A>
    gathered_array(const A& array, const gather_options<D>& options)
        : any_(const_cast<A&>(array)),
          dimension_(options.dimension)
    {
        for (std::size_t k = 0; k < D && !any_.has_ghosts; ++k) {
            any_.lower[k] = options.ghosts.lower[k];
            any_.upper[k] = options.ghosts.upper[k];
        }
        field_.base = any_.base;
        field_.element = any_.element;
        field_.sizes = any_.sizes.data();
        field_.lower = any_.lower.data();
        field_.upper = any_.upper.data();
        field_.strides = any_.strides.data();
        field_.dimension = dimension_.data();
    }
    gathered_array(const gathered_array&) = delete;
    gathered_array& operator=(const gathered_array&) = delete;
    const ORTHO_Field* get() const { return &field_; }

private:
    any_field<D> any_;
    point<D> dimension_;
    ORTHO_Field field_ = ORTHO_FIELD_INIT;
};

template <class A>
inline constexpr std::size_t gathered_dimensions = dimensions_of<std::remove_cvref_t<A>>();

} // namespace detail

/// Brings the elements of `part` that each process of a grid owns to their places in `whole` at the root,
/// where that has as many elements as all parts together; elsewhere it may be empty.  Fields and views.
/// `comm` is a grid, or named as one.  Ghosts are left alone.  Collective; processes without `comm` have
/// nothing to do.
template <class A, class W, communicator_like C>
void field_gather(const A& part, W&& whole, int root, const C& comm,
                  const gather_options<detail::gathered_dimensions<A>>& options = {})
{
    constexpr std::size_t d = detail::gathered_dimensions<A>;
    if (static_cast<MPI_Comm>(comm) == MPI_COMM_NULL) return;
    const detail::gathered_array<d> from(part, options);
    const detail::gathered_array<d> to(whole, {.dimension = options.dimension});
    detail::check_code(ORTHO_Field_gather(from.get(), to.get(), static_cast<int>(d), root, comm), comm);
}
/// The reverse: each part of the root's `whole` to the process that owns it.
template <class W, class A, communicator_like C>
void field_scatter(const W& whole, A&& part, int root, const C& comm,
                   const gather_options<detail::gathered_dimensions<A>>& options = {})
{
    constexpr std::size_t d = detail::gathered_dimensions<A>;
    if (static_cast<MPI_Comm>(comm) == MPI_COMM_NULL) return;
    const detail::gathered_array<d> from(whole, {.dimension = options.dimension});
    const detail::gathered_array<d> to(part, options);
    detail::check_code(ORTHO_Field_scatter(from.get(), to.get(), static_cast<int>(d), root, comm), comm);
}

/// An array that is divided over a grid of processes: who owns what.  All is local, but gather() and
/// scatter(), for which the grid's communicator must live on.  Processes outside the grid own nothing; they,
/// too, may ask what others own.
template <std::size_t D>
class blocks {
public:
    blocks() = default;
    /// An array of so many elements, divided as evenly as can be: in each dimension parts differ by one at
    /// most, and the larger ones come first.
    blocks(const grid<D>& g, const point<D>& sizes) : blocks(comm_ref(g), g.sizes()) { divide(sizes); }
    /// Blocks on a communicator that is named as a grid, such as MPI's Cartesian ones.
    template <communicator_like C>
    requires(!std::is_same_v<C, grid<D>>) blocks(const C& comm, const point<D>& sizes)
        : blocks(comm_ref(comm), cart_name<D>(comm).sizes())
    {
        number(cart_name<D>(comm));
        divide(sizes);
    }
    /// In dimension k the processes with coordinate c own extents[k][c] layers.
    template <communicator_like C, class List>
    requires requires(const List& list) { std::begin(*std::begin(list)); }
    blocks(const C& like, const List& extents) : blocks(like, point<D>{})
    {
        std::size_t k = 0;
        for (const auto& of_dimension : extents) {
            std::size_t c = 0;
            for (const int extent : of_dimension) {
                if (k >= D || c + 1 >= begins_[k].size() || extent < 0) wrong_extents();
                begins_[k][c + 1] = begins_[k][c] + extent;
                ++c;
            }
            if (k >= D || c + 1 != begins_[k].size()) wrong_extents();
            ++k;
        }
        if (k != D) wrong_extents();
    }

    /// Elements of the whole array in each dimension.
    point<D> sizes() const
    {
        point<D> result{};
        for (std::size_t k = 0; k < D && begins_[k].size() > 0; ++k) result[k] = *(begins_[k].end() - 1);
        return result;
    }
    /// The first element that this process owns, or another one does; and how many in each dimension.
    point<D> first() const { return first(comm_.rank()); }
    point<D> first(int rank) const
    {
        point<D> result{};
        for (std::size_t k = 0; k < D && has(rank); ++k) result[k] = begins_[k][coordinate(rank, k)];
        return result;
    }
    point<D> extents() const { return extents(comm_.rank()); }
    point<D> extents(int rank) const
    {
        point<D> result{};
        for (std::size_t k = 0; k < D && has(rank); ++k) {
            const std::size_t c = coordinate(rank, k);
            result[k] = begins_[k][c + 1] - begins_[k][c];
        }
        return result;
    }
    /// The least that any process owns in each dimension.
    point<D> smallest() const
    {
        point<D> result{};
        for (std::size_t k = 0; k < D; ++k)
            for (std::size_t c = 0; c + 1 < begins_[k].size(); ++c) {
                const int extent = begins_[k][c + 1] - begins_[k][c];
                if (c == 0 || extent < result[k]) result[k] = extent;
            }
        return result;
    }
    /// The process that owns an element of the whole array; MPI_PROC_NULL if there is no such element, or no
    /// process.
    int owner(const point<D>& element) const
    {
        int result = 0;
        for (std::size_t k = 0; k < D; ++k) {
            const detail::list<int>& begins = begins_[k];
            if (begins.size() == 0 || element[k] < 0 || element[k] >= *(begins.end() - 1))
                return MPI_PROC_NULL;
            std::size_t low = 0; // begins[low] <= element[k] < begins[high]
            for (std::size_t high = begins.size() - 1; high - low > 1;) {
                const std::size_t middle = (low + high) / 2;
                (begins[middle] <= element[k] ? low : high) = middle;
            }
            result = result * grid_[k] + static_cast<int>(low);
        }
        return ranks_.empty() ? result : ranks_[static_cast<std::size_t>(result)];
    }

    /// Every factors[k]-th element in dimension k, from the first one on, with the process that owns it.  So
    /// coarse element i is element i * factors of this array.
    blocks coarsen(const point<D>& factors) const
    {
        blocks result = *this;
        for (std::size_t k = 0; k < D; ++k) {
            if (factors[k] < 1)
                detail::fail_on(comm_, MPI_ERR_ARG, "mpiortho::blocks::coarsen: factor %zu is %d", k,
                                factors[k]);
            for (int& begin : result.begins_[k]) begin = detail::rounded_up(begin, factors[k]);
        }
        return result;
    }
    /// The same array on the processes that stay when a grid is coarsened: each owns what its team owns.
    /// field_gather(a, b, 0, coarse.team) brings it there.
    blocks on(const coarsened<D>& coarse) const
    {
        blocks result(comm_ref(coarse.grid), coarse.grid.sizes());
        for (std::size_t k = 0; k < D; ++k) {
            for (std::size_t c = 0; c < result.begins_[k].size(); ++c) {
                const std::size_t from = c * static_cast<std::size_t>(coarse.factors[k]);
                const std::size_t last = begins_[k].size() - 1;
                result.begins_[k][c] = begins_[k][from < last ? from : last];
            }
        }
        return result;
    }

    /// The whole array at the root; an empty one elsewhere.  Collective.
    template <class T>
    field<T, D> gather(const field<T, D>& part, int root) const
    {
        field<T, D> whole(comm_ && comm_.rank() == root ? sizes() : point<D>{}, 0);
        gather(part, whole, root);
        return whole;
    }
    /// The elements of the whole array that are in a box, at the root; an empty field elsewhere.  Collective.
    template <class T>
    field<T, D> gather(const field<T, D>& part, int root, const box<D>& which) const
    {
        any_field<D> inside(const_cast<field<T, D>&>(part));
        point<D> sizes{};
        for (std::size_t k = 0; k < D; ++k) {
            sizes[k] = which.is_empty() ? 0 : which.last[k] - which.first[k];
            // Elements outside of the box count as ghosts.
            const auto within = [n = part.extents()[k]](int i) { return i < 0 ? 0 : i < n ? i : n; };
            const int low = within(which.first[k] - first()[k]);
            const int high = within(which.first[k] + sizes[k] - first()[k]);
            inside.lower[k] += low;
            inside.upper[k] += part.extents()[k] - high;
        }
        field<T, D> result(comm_ && comm_.rank() == root ? sizes : point<D>{}, 0);
        gather(inside, result, root);
        return result;
    }
    /// Gathers into an array of yours.  Fields and views.
    template <class A, class W>
    void gather(const A& part, W&& whole, int root, const gather_options<D>& options = {}) const
    {
        field_gather(part, whole, root, comm_, options);
    }
    /// The reverse.  Elsewhere `whole` may be empty.
    template <class W, class A>
    void scatter(const W& whole, A&& part, int root, const gather_options<D>& options = {}) const
    {
        field_scatter(whole, part, root, comm_, options);
    }

private:
    blocks(const comm_ref& comm, const point<D>& grid) : comm_(comm), grid_(grid)
    {
        for (std::size_t k = 0; k < D; ++k)
            begins_[k] = detail::list<int>(static_cast<std::size_t>(grid[k]) + 1);
    }
    /// A name may give its points any numbers.
    void number(const cart_name<D>& name)
    {
        std::vector<point<D>> points(static_cast<std::size_t>(number_of_points()));
        for (std::size_t i = 1; i < points.size(); ++i) {
            points[i] = points[i - 1];
            for (std::size_t k = D; k-- > 0 && ++points[i][k] == grid_[k];) points[i][k] = 0;
        }
        ranks_ = name.ranks(points);
        places_.resize(static_cast<std::size_t>(name.size()));
        bool are_in_order = true;
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            are_in_order = are_in_order && ranks_[i] == static_cast<int>(i);
            if (ranks_[i] != MPI_PROC_NULL)
                places_[static_cast<std::size_t>(ranks_[i])] = static_cast<int>(i);
        }
        if (!are_in_order) return;
        ranks_.clear();
        places_.clear();
    }
    int number_of_points() const
    {
        int points = 1;
        for (const int n : grid_) points *= n;
        return points;
    }
    void divide(const point<D>& sizes)
    {
        for (std::size_t k = 0; k < D; ++k)
            for (int c = 0; c < grid_[k]; ++c) {
                const block part = block_of(sizes[k], grid_[k], c);
                begins_[k][static_cast<std::size_t>(c) + 1] = static_cast<int>(part.first + part.count);
            }
    }
    [[noreturn]] void wrong_extents() const
    {
        detail::fail_on(
            comm_, MPI_ERR_ARG,
            "mpiortho::blocks: there is not one extent, of 0 or more, for each coordinate of each "
            "dimension of the grid");
    }
    bool has(int rank) const
    {
        const int ranks = ranks_.empty() ? number_of_points() : static_cast<int>(places_.size());
        return rank >= 0 && rank < ranks && begins_[0].size() > 0;
    }
    std::size_t coordinate(int rank, std::size_t k) const
    {
        if (!ranks_.empty()) rank = places_[static_cast<std::size_t>(rank)];
        for (std::size_t j = D - 1; j > k; --j) rank /= grid_[j];
        return static_cast<std::size_t>(rank % grid_[k]);
    }

    comm_ref comm_;
    point<D> grid_ = {};              // processes in each dimension
    std::vector<int> ranks_, places_; // of points, the last coordinate fastest; none if they are 0, 1, ...
    std::array<detail::list<int>, D> begins_; // by dimension: where each part begins, and the end
};
template <std::size_t D>
blocks(const grid<D>&, const point<D>&) -> blocks<D>;
template <std::size_t D, class List>
blocks(const grid<D>&, const List&) -> blocks<D>;

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
