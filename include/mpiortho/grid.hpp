// SPDX-License-Identifier: BSD-3-Clause
// Communicators that carry a topology: grids with a stencil, and graphs.  A part of <mpiortho.hpp>.
#ifndef MPIORTHO_GRID_HPP
#define MPIORTHO_GRID_HPP

#include <initializer_list>

#include "naming.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Which neighbors a process of a grid has: offsets in the grid.
template <std::size_t D>
class stencil {
public:
    stencil() = default;
    stencil(std::initializer_list<point<D>> offsets) : stencil(std::span(offsets.begin(), offsets.size())) {}
    explicit stencil(std::span<const point<D>> offsets)
    {
        for (const point<D>& offset : offsets) add(offset);
    }
    void add(const point<D>& offset) { offsets_.push_back(offset); }

    std::size_t size() const noexcept { return offsets_.size(); }
    const point<D>& operator[](std::size_t i) const { return offsets_[i]; }
    const point<D>* begin() const noexcept { return offsets_.begin(); }
    const point<D>* end() const noexcept { return offsets_.end(); }
    const int* data() const noexcept { return detail::ints<D>({offsets_.data(), offsets_.size()}); }
    /// This stencil with the process itself, as last offset.
    stencil with_centre() const
    {
        stencil result = *this;
        result.add({});
        return result;
    }

private:
    detail::list<point<D>> offsets_;
};

namespace detail {

template <std::size_t D>
stencil<D> ball(metric m, int depth)
{
    int n = 0;
    check_code(ORTHO_Stencil_count(static_cast<int>(D), static_cast<int>(m), depth, &n), MPI_COMM_SELF);
    list<point<D>> all(static_cast<std::size_t>(n));
    check_code(ORTHO_Stencil(static_cast<int>(D), static_cast<int>(m), depth, n, all[0].data()),
               MPI_COMM_SELF);
    stencil<D> result;
    for (const point<D>& offset : all)
        if (offset != point<D>{}) result.add(offset);
    return result;
}

} // namespace detail

/// All offsets up to `depth` in each dimension, diagonals included, without the process itself: 3^D - 1 for
/// depth 1.
template <std::size_t D>
stencil<D> moore(int depth = 1)
{
    return detail::ball<D>(metric::chebyshev, depth);
}
/// All offsets of at most `depth` steps, without the process itself: 2 D for depth 1.
template <std::size_t D>
stencil<D> neumann(int depth = 1)
{
    return detail::ball<D>(metric::manhattan, depth);
}

/// How a grid is made: grid<2> g{comm, {.periodic = {true, true}, .stencil = moore<2>()}}.
template <std::size_t D>
struct grid_options {
    /// Processes in each dimension.  The library chooses where it is 0, as MPI_Dims_create does.
    point<D> sizes = {};
    /// true: all dimensions lead around; {true, false}: the first one does.
    periods<D> periodic = {};
    mpiortho::stencil<D> stencil = moore<D>();
    /// May processes get other ranks, such that neighbors share nodes?
    bool reorder = false;
    /// A weight for each offset, or none: heavy ones are placed first.
    detail::row_span<const int> weights = {};
    /// Keys and values for the library.
    MPI_Info info = MPI_INFO_NULL;
    /// The name of the grid in messages (MPI_Comm_set_name).
    const char* name = nullptr;
};

/// Sizes of a grid for all processes of comm: fills in those that are 0.  It knows the nodes.  Collective.
template <std::size_t D>
point<D> dims_create(MPI_Comm comm, point<D> sizes = {})
{
    detail::check_code(ORTHO_Dims_create(comm, static_cast<int>(D), sizes.data()), comm);
    return sizes;
}

/// The stencil of a communicator that a grid was, or a duplicate of one.
template <std::size_t D>
stencil<D> stencil_of(MPI_Comm comm)
{
    int n = 0;
    detail::check_code(ORTHO_Cart_neighborhood_count(comm, &n), comm);
    detail::list<point<D>> offsets(static_cast<std::size_t>(n) + 1); // not empty: null is no list
    detail::check_code(ORTHO_Cart_neighborhood_offsets(comm, n, offsets[0].data()), comm);
    return stencil<D>(std::span<const point<D>>(offsets.data(), static_cast<std::size_t>(n)));
}

template <std::size_t D>
struct coarsened;

/// A grid of processes with a stencil.  It is a communicator: collectives on it go between neighbors.
///
/// Block i is sent to the process stencil[i] away, and received from the one -stencil[i] away.  Slots of
/// neighbors off the grid are gaps, which are not touched.
///
/// Processes outside the grid have no communicator (`if (g)`), and rank MPI_PROC_NULL.  They know its sizes,
/// and may pass it on: blocks, halos, gathering and scattering have nothing to do there.
template <std::size_t D>
class grid : public graph_communicator {
public:
    grid() = default;
    /// Collective.
    explicit grid(MPI_Comm comm, const grid_options<D>& options = {})
        : grid(comm, options, chosen_sizes(comm, options))
    {}

    /// The stencil, in the order of the blocks.
    const mpiortho::stencil<D>& stencil() const noexcept { return stencil_; }
    /// Processes in each dimension.
    const point<D>& sizes() const noexcept { return sizes_; }
    /// Does the dimension lead around?
    const std::array<bool, D>& periodic() const noexcept { return periodic_; }
    /// The number of processes on the grid.
    int points() const noexcept
    {
        int result = 1;
        for (const int size : sizes_) result *= size;
        return result;
    }
    /// Where this process is; MPI_PROC_NULL outside the grid.
    point<D> coordinates() const { return coordinates_; }
    /// Where a process is.  The last coordinate changes fastest.
    point<D> coordinates(int rank) const
    {
        point<D> result;
        result.fill(MPI_PROC_NULL);
        if (rank < 0 || rank >= points()) return result;
        for (std::size_t k = D; k-- > 0; rank /= sizes_[k]) result[k] = rank % sizes_[k];
        return result;
    }
    /// The grid as the communicator's name: ranks of coordinates, and much else.
    cart_name<D> name() const { return cart_name<D>(get()); }
    /// The process `offset` away, or MPI_PROC_NULL.
    int neighbor(const point<D>& offset) const { return name().rank(rank(), offset); }

    /// The slots of an offset: of the block from the process that has this one `offset` away, and of the
    /// block to the process `offset` away.  -1 where there is none.
    struct slot {
        int in, out;
    };
    slot find(const point<D>& offset) const
    {
        slot result{};
        detail::check_code(ORTHO_Cart_neighborhood_find(get(), offset.data(), &result.in, &result.out),
                           get());
        return result;
    }

    /// A grid of a part of the grid: of the processes that give the same color, in the order of `key` and
    /// then of their ranks.  They are rows, planes, blocks, every second process, or another grid; anything
    /// else is an error, and all().split() is for that.  It has the same stencil, in steps of its own.  A
    /// dimension of which one coordinate is left has size 1; it is periodic if it still leads around.
    /// MPI_UNDEFINED: in none.  Collective.
    grid split(int color, int key = 0) const
    {
        if (!*this) return grid();
        const communicator part = all().split(color, key);
        if (!part) return grid();
        if (!cart_name<D>::name_part(get(), part))
            detail::fail_on(part, MPI_ERR_TOPOLOGY,
                            "mpiortho::grid::split: the %d processes with color %d are no grid", part.size(),
                            color);
        const cart_name<D> found(part);
        return grid(part, {.sizes = found.sizes(), .periodic = found.periodic(), .stencil = stencil_});
    }

    /// A grid of every factors[k]-th process in dimension k, from the first one on, and teams of those that
    /// it stands for: for multigrid methods.  Collective.
    coarsened<D> coarsen(const point<D>& factors) const;

private:
    grid(MPI_Comm comm, const grid_options<D>& options, const point<D>& sizes)
        : graph_communicator(comm == MPI_COMM_NULL ? comm : make(comm, options, sizes)),
          stencil_(options.stencil),
          sizes_(sizes),
          periodic_(options.periodic),
          coordinates_(coordinates(rank()))
    {
        is_named_ = options.name != nullptr;
        if (is_named_ && *this)
            detail::check_mpi(MPI_Comm_set_name(get(), options.name), get(), "MPI_Comm_set_name");
    }

    static point<D> chosen_sizes(MPI_Comm comm, const grid_options<D>& options)
    {
        for (const int size : options.sizes)
            if (size == 0) return dims_create<D>(comm, options.sizes);
        return options.sizes;
    }
    static MPI_Comm make(MPI_Comm comm, const grid_options<D>& options, const point<D>& sizes)
    {
        MPI_Comm made = MPI_COMM_NULL;
        const auto create = [&](int t) {
            return ORTHO_Cart_neighborhood_create(
                comm, static_cast<int>(D), sizes.data(), detail::as_ints(options.periodic).data(), t,
                options.stencil.data(), options.weights.empty() ? MPI_UNWEIGHTED : options.weights.data(),
                options.info, options.reorder ? 1 : 0, &made);
        };
        const auto require_weights = [&] {
            if (!options.weights.empty() && options.weights.size() != options.stencil.size())
                detail::fail_on(comm, MPI_ERR_ARG, "mpiortho::grid: %zu weights for %zu offsets",
                                options.weights.size(), options.stencil.size());
        };
        detail::call_together(comm, require_weights, create, options.stencil.size());
        return made;
    }

    mpiortho::stencil<D> stencil_;
    point<D> sizes_ = {};
    std::array<bool, D> periodic_ = {};
    point<D> coordinates_ = {};
};

/// The result of grid::coarsen().
template <std::size_t D>
struct coarsened {
    /// The processes that stay, with the stencil and the periods of the finer grid.  The others are outside.
    mpiortho::grid<D> grid;
    /// This process's coarse cell: a full communicator, named as the grid that its processes make.  Rank 0 is
    /// the one that stays.  field_gather(part, whole, 0, team) brings it what all of them own.
    communicator team;
    /// A coarse cell has so many processes in each dimension, or what is left of them.
    point<D> factors;
};

namespace detail {
/// n / by of numbers that are not negative, rounded up.
constexpr int rounded_up(int n, int by) noexcept { return n / by + (n % by != 0 ? 1 : 0); }
} // namespace detail

template <std::size_t D>
coarsened<D> grid<D>::coarsen(const point<D>& factors) const
{
    point<D> sizes{};
    point<D> of_team{};
    bool stays = true;
    int cell = 0;
    for (std::size_t k = 0; k < D; ++k) {
        if (factors[k] < 1)
            detail::fail_on(get(), MPI_ERR_ARG, "mpiortho::grid::coarsen: factor %zu is %d", k, factors[k]);
        sizes[k] = detail::rounded_up(sizes_[k], factors[k]);
        const int first = coordinates_[k] / factors[k] * factors[k];
        const int left = sizes_[k] - first;
        of_team[k] = left < factors[k] ? left : factors[k];
        cell = cell * sizes[k] + coordinates_[k] / factors[k];
        stays = stays && coordinates_[k] == first;
    }
    const grid_options<D> options{.sizes = sizes, .periodic = periodic_, .stencil = stencil_};
    if (!*this) return {grid(MPI_COMM_NULL, options, sizes), communicator(), factors};
    communicator team = all().split(cell);
    cart_name<D> name_of_team(team, of_team);
    const communicator staying = all().split(stays ? 0 : MPI_UNDEFINED);
    coarsened<D> result{grid(staying, options, sizes), std::move(team), factors};
    if (is_named_) {
        detail::name_like(result.team, get(), ", team");
        if (result.grid) detail::name_like(result.grid, get(), ", coarse");
        result.grid.is_named_ = true;
    }
    return result;
}

/// How a graph is made.
struct graph_options {
    /// Weights of the edges, in the order of the lists, or none.  from_edges() takes destination_weights
    /// alone.
    detail::row_span<const int> source_weights = {};
    detail::row_span<const int> destination_weights = {};
    /// May processes get other ranks, such that neighbors share nodes?
    bool reorder = false;
    /// Keys and values for the library.
    MPI_Info info = MPI_INFO_NULL;
};

/// Any graph of processes.  It is a communicator: collectives on it go between neighbors.
class neighborhood : public graph_communicator {
public:
    neighborhood() = default;
    /// From whom this process receives, and to whom it sends.  MPI_PROC_NULL is a gap.  Collective.
    neighborhood(MPI_Comm comm, detail::row_span<const int> sources, detail::row_span<const int> destinations,
                 const graph_options& options = {})
        : graph_communicator(make(comm, sources, destinations, options))
    {}
    /// The same neighbors in both directions.
    neighborhood(MPI_Comm comm, detail::row_span<const int> neighbors)
        : neighborhood(comm, neighbors, neighbors)
    {}

    /// From edges, of which each process gives some: of sources[i] the next degrees[i] destinations.
    /// Collective.
    static neighborhood from_edges(MPI_Comm comm, detail::row_span<const int> sources,
                                   detail::row_span<const int> degrees,
                                   detail::row_span<const int> destinations,
                                   const graph_options& options = {})
    {
        const bool weighted = !options.destination_weights.empty();
        MPI_Comm made = MPI_COMM_NULL;
        const auto create = [&](int n) {
            return ORTHO_Dist_graph_create(comm, n, sources.data(), degrees.data(), destinations.data(),
                                           weighted ? options.destination_weights.data() : MPI_UNWEIGHTED,
                                           options.info, options.reorder ? 1 : 0, &made);
        };
        const auto require_right = [&] {
            if (!options.source_weights.empty())
                detail::fail_on(comm, MPI_ERR_ARG,
                                "mpiortho::neighborhood: edges have destination_weights alone");
            fit(comm, degrees.size(), sources.size(), "degrees", "sources");
            long long edges = 0;
            for (const int degree : degrees) edges += degree;
            if (edges != static_cast<long long>(destinations.size()))
                detail::fail_on(comm, MPI_ERR_ARG,
                                "mpiortho::neighborhood: %zu destinations for degrees of %lld in all",
                                destinations.size(), edges);
            if (weighted)
                fit(comm, options.destination_weights.size(), destinations.size(), "weights", "destinations");
        };
        detail::call_together(comm, require_right, create, sources.size());
        neighborhood result;
        static_cast<communicator&>(result) = communicator(made);
        return result;
    }

    /// To whom this process sends; from whom it receives the library finds out.  Collective.
    static neighborhood from_targets(MPI_Comm comm, detail::row_span<const int> targets,
                                     const graph_options& options = {})
    {
        const bool weighted = !options.destination_weights.empty();
        MPI_Comm made = MPI_COMM_NULL;
        const auto create = [&](int n) {
            return ORTHO_Dist_graph_create_from_targets(
                comm, n, targets.data(), weighted ? options.destination_weights.data() : MPI_UNWEIGHTED,
                options.info, options.reorder ? 1 : 0, &made);
        };
        const auto require_right = [&] {
            if (!options.source_weights.empty())
                detail::fail_on(comm, MPI_ERR_ARG,
                                "mpiortho::neighborhood: targets have destination_weights alone");
            if (weighted) fit(comm, options.destination_weights.size(), targets.size(), "weights", "targets");
        };
        detail::call_together(comm, require_right, create, targets.size());
        neighborhood result;
        static_cast<communicator&>(result) = communicator(made);
        return result;
    }

private:
    static MPI_Comm make(MPI_Comm comm, std::span<const int> sources, std::span<const int> destinations,
                         const graph_options& options)
    {
        const bool weighted = !options.source_weights.empty() || !options.destination_weights.empty();
        MPI_Comm made = MPI_COMM_NULL;
        const auto create = [&](int indegree) {
            return ORTHO_Dist_graph_create_adjacent(
                comm, indegree, sources.data(), weighted ? list(options.source_weights) : MPI_UNWEIGHTED,
                static_cast<int>(destinations.size()), destinations.data(),
                weighted ? list(options.destination_weights) : MPI_UNWEIGHTED, options.info,
                options.reorder ? 1 : 0, &made);
        };
        const auto require_weights = [&] {
            if (!weighted) return;
            fit(comm, options.source_weights.size(), sources.size(), "weights", "sources");
            fit(comm, options.destination_weights.size(), destinations.size(), "weights", "destinations");
        };
        detail::call_together(comm, require_weights, create, sources.size());
        return made;
    }
    /// One of these for each of those.
    static void fit(MPI_Comm comm, std::size_t n, std::size_t wanted, const char* these, const char* those)
    {
        if (n != wanted)
            detail::fail_on(comm, MPI_ERR_ARG, "mpiortho::neighborhood: %zu %s for %zu %s", n, these, wanted,
                            those);
    }
    static const int* list(std::span<const int> weights)
    {
        return weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
    }
};

/// MPI_Cart_create that knows the nodes: with reorder, neighbors share nodes where they can.  The result
/// carries MPI's Cartesian topology, and cart_name<D>(result) is its name.  Collective.
template <std::size_t D>
communicator nodecart(MPI_Comm comm, const point<D>& sizes,
                      const std::type_identity_t<periods<D>>& periodic = {}, bool reorder = true)
{
    MPI_Comm made = MPI_COMM_NULL;
    detail::check_code(ORTHO_Nodecart_create(comm, static_cast<int>(D), sizes.data(),
                                             detail::as_ints(periodic).data(), reorder ? 1 : 0, &made),
                       comm);
    return communicator(made);
}

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
