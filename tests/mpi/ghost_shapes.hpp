// SPDX-License-Identifier: BSD-3-Clause
// Random grids, and arrays with ghost layers on them, of which all processes know everything but how they lie
// in the memory of one.
#pragma once

#include "grids.hpp"

namespace test {

/// Visit all index vectors of a box of these sizes, in some order.
template <class Visit>
void for_each_index(const Ints& sizes, Visit visit)
{
    if (std::ranges::find(sizes, 0) != sizes.end()) return;
    Ints index(sizes.size(), 0);
    for (bool more = true; more;) {
        visit(index);
        more = false;
        for (std::size_t k = 0; k < sizes.size() && !more; ++k) {
            more = index[k] + 1 < sizes[k];
            index[k] = more ? index[k] + 1 : 0;
        }
    }
}

/// So many processes somewhere on a grid that has more points.
inline Grid random_grid_with_land(cases::Random& random, int processes)
{
    const int points = processes + cases::uniform(random, 0, 4);
    Ints ranks(ortho::at(points), Grid::nowhere);
    std::iota(ranks.begin(), ranks.begin() + processes, 0);
    std::ranges::shuffle(ranks, random);
    const Grid grid = random_grid_of(random, points);
    const Ints periods = periods_of(grid);
    const auto order = cases::uniform(random, 0, 1) == 0 ? ortho::grid::Order::row_major
                                                         : ortho::grid::Order::col_major;
    return Grid(sizes_of(grid), {periods.begin(), periods.end()}, order).with_ranks(ranks);
}

/// While it lives, communicators are made on nodes of so many processes; on those that are there if it is 0.
class Nodes {
public:
    explicit Nodes(int processes)
    {
        if (processes > 0) setenv("ORTHO_NODES", std::to_string(processes).c_str(), 1);
    }
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;
    ~Nodes() { unsetenv("ORTHO_NODES"); }
};

/// The array that each process of a grid has.  Behind the grid's dimensions there may be others, which are
/// not divided.
struct GhostShape {
    Ints lower, upper;       ///< ghost layers, by dimension
    std::vector<Ints> owned; ///< by dimension and coordinate: layers

    /// Makes all processes own as much as the first one.
    void make_even()
    {
        for (Ints& layers : owned) std::ranges::fill(layers, layers[0]);
    }
    void add_undivided(int elements)
    {
        lower.push_back(0), upper.push_back(0);
        owned.push_back({elements});
    }
    int dimensions() const { return static_cast<int>(owned.size()); }

    int owned_by(const Grid& grid, int process, int k) const
    {
        return owned[ortho::at(k)][coordinate(grid, process, k)];
    }
    /// Owned elements of all processes, and those before the elements of one.
    int all(int k) const
    {
        return std::accumulate(owned[ortho::at(k)].begin(), owned[ortho::at(k)].end(), 0);
    }
    int first(const Grid& grid, int process, int k) const
    {
        const auto begin = owned[ortho::at(k)].begin();
        return std::accumulate(begin, begin + static_cast<int>(coordinate(grid, process, k)), 0);
    }
    Ints sizes(const Grid& grid, int process) const
    {
        Ints result;
        for (int k = 0; k < dimensions(); ++k)
            result.push_back(lower[ortho::at(k)] + owned_by(grid, process, k) + upper[ortho::at(k)]);
        return result;
    }
    /// -1, 0 or 1 in each dimension of the grid: below, among or above the owned elements.
    Ints region_of(const Grid& grid, int process, const Ints& index) const
    {
        Ints region;
        for (int k = 0; k < grid.dimensions(); ++k) {
            const int layer = index[ortho::at(k)] - lower[ortho::at(k)];
            region.push_back(layer < 0 ? -1 : layer < owned_by(grid, process, k) ? 0 : 1);
        }
        return region;
    }
    /// Number of an element among all owned elements of the grid, wrapped around.
    int global(const Grid& grid, int process, const Ints& index) const
    {
        int result = 0;
        for (int k = 0; k < dimensions(); ++k) {
            const int c = first(grid, process, k) + index[ortho::at(k)] - lower[ortho::at(k)];
            result = result * all(k) + (c % all(k) + all(k)) % all(k);
        }
        return result;
    }

private:
    static std::size_t coordinate(const Grid& grid, int process, int k)
    {
        return k < grid.dimensions() ? ortho::at(grid.coordinate(process, k)) : 0;
    }
};

inline GhostShape random_ghost_shape(cases::Random& random, const Grid& grid)
{
    GhostShape shape;
    const int deepest = grid.dimensions() <= 2 ? 3 : 2;
    for (int k = 0; k < grid.dimensions(); ++k) {
        shape.lower.push_back(cases::uniform(random, 0, deepest));
        shape.upper.push_back(cases::uniform(random, 0, deepest));
        const int least = std::max(shape.lower.back(), shape.upper.back());
        Ints& layers = shape.owned.emplace_back();
        for (int c = 0; c < grid.size(k); ++c) layers.push_back(least + cases::uniform(random, 0, 2));
        if (shape.all(k) == 0) layers[0] = 1;
    }
    return shape;
}

/// The dimensions of a shape in any order; those that are not divided, in theirs.
inline Ints random_order(cases::Random& random, int divided, int all)
{
    Ints result(ortho::at(all));
    std::iota(result.begin(), result.end(), 0);
    std::ranges::shuffle(result, random);
    int next = divided;
    for (int& k : result)
        if (k >= divided) k = next++;
    return result;
}

/// The rest as in ORTHO_FIELD_INIT.
inline ORTHO_Field field(void* base, MPI_Datatype element, const MPI_Count* sizes, const MPI_Count* lower,
                         const MPI_Count* upper, const MPI_Aint* strides = nullptr)
{
    ORTHO_Field result = ORTHO_FIELD_INIT;
    result.base = base;
    result.element = element;
    result.sizes = sizes;
    result.lower = lower;
    result.upper = upper;
    result.strides = strides;
    return result;
}

/// The dimensions of an array, by those of the shape, of which the first ones are the grid's.
struct Axes {
    Ints dimension; ///< of the shape, by that of the array
    int divided;    ///< dimensions of the grid
    int order = MPI_ORDER_C;
};

/// Where an array lies in the memory of this process: nobody else knows.
class Layout {
public:
    /// Lists by dimension of the shape.  `element`: bytes from one to the next.  `gap`: bytes, of which a few
    /// may lie between rows, unless the array is packed.
    Layout(cases::Random& mine, const Axes& axes, const Ints& all, const Ints& below, const Ints& above,
           MPI_Aint element, MPI_Aint gap, bool packed = false)
        : axes_(axes),
          strides_(axes.dimension.size()),
          is_packed_(packed || cases::uniform(mine, 0, 1) == 0)
    {
        for (const int k : axes.dimension) {
            sizes_.push_back(all[ortho::at(k)]);
            lower_.push_back(below[ortho::at(k)]);
            upper_.push_back(above[ortho::at(k)]);
            along_.push_back(k < axes.divided ? k : ORTHO_UNDIVIDED);
        }
        Ints nesting(sizes_.size()); // the innermost first
        std::iota(nesting.begin(), nesting.end(), 0);
        if (axes.order == MPI_ORDER_C) std::ranges::reverse(nesting);
        if (!is_packed_) std::ranges::shuffle(nesting, mine);
        MPI_Aint stride = element, high = element;
        for (const int k : nesting) {
            const auto size = static_cast<MPI_Aint>(sizes_[ortho::at(k)]);
            if (!is_packed_) stride += gap * std::max(0, cases::uniform(mine, -1, 2));
            const bool is_backwards = !is_packed_ && cases::uniform(mine, 0, 2) == 0;
            strides_[ortho::at(k)] = is_backwards ? -stride : stride;
            const MPI_Aint reach = stride * std::max<MPI_Aint>(0, size - 1);
            if (is_backwards) begin_ += reach;
            high += reach;
            stride *= std::max<MPI_Aint>(1, size);
        }
        bytes_ = static_cast<std::size_t>(high);
    }

    const std::vector<MPI_Aint>& strides() const { return strides_; }
    std::size_t bytes() const { return bytes_; }
    /// Bytes before the first element, ...
    MPI_Aint begin() const { return begin_; }
    /// ... and before any one, by dimension of the shape.
    MPI_Aint place(const Ints& index) const
    {
        MPI_Aint result = begin_;
        for (std::size_t k = 0; k < strides_.size(); ++k)
            result += index[ortho::at(axes_.dimension[k])] * strides_[k];
        return result;
    }
    /// As the library is told of it.  Where lists say what is so without them, they may be left out.
    ORTHO_Field field(void* memory, MPI_Datatype element, bool in_full = false) const
    {
        ORTHO_Field result = test::field(static_cast<char*>(memory) + begin_, element, sizes_.data(),
                                         lower_.data(), upper_.data());
        const bool is_plain = std::ranges::is_sorted(axes_.dimension) &&
                              along_.size() == ortho::at(axes_.divided);
        if (!is_packed_ || in_full) result.strides = strides_.data();
        if (!is_plain || in_full || axes_.divided % 2 == 0) result.dimension = along_.data();
        if (!is_plain || in_full) result.ndims = static_cast<int>(along_.size());
        result.order = axes_.order;
        return result;
    }
    /// Overwrites the lists that the library was told of: when the call is over, they may be wrong.
    void spoil()
    {
        for (auto* const list : {&sizes_, &lower_, &upper_}) std::ranges::fill(*list, -1);
        std::ranges::fill(strides_, 1);
        std::ranges::fill(along_, 7);
    }

private:
    Axes axes_;
    std::vector<MPI_Count> sizes_, lower_, upper_; ///< by dimension of the array
    std::vector<MPI_Aint> strides_;
    Ints along_; ///< the grid's dimensions
    bool is_packed_;
    MPI_Aint begin_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace test
