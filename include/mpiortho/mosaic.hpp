// SPDX-License-Identifier: BSD-3-Clause
// Grids that are not one box: a part of <mpiortho.hpp>.
//
//     mpiortho::tiles<2> ocean{{360, 180}};                            // one tile
//     ocean.periodic(0, 0);                                            // around the Earth
//     ocean.fold({0, 1, location::upper}, 0, pivot::t);                // the Arctic
//     mpiortho::mosaic<2> m(comm, ocean, ocean.divide(processes, rank, {60, 60}));
//
//     const mpiortho::patch_options<2> east{.location = {location::upper, location::centre}};
//     const mpiortho::patch_options<2> north{.location = {location::centre, location::upper}};
//     auto t = m.fields<double>();                                     // a field for each patch
//     auto u = m.fields<double>(east), v = m.fields<double>(north);
//     auto halo = m.halo(on_patches(t), vector_of(on_patches(u, east), on_patches(v, north)));
//     halo.run();                                                      // fills the ghosts
#ifndef MPIORTHO_MOSAIC_HPP
#define MPIORTHO_MOSAIC_HPP

#include <initializer_list>
#include <span>
#include <vector>

#include "halo.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Where element i of a field lies in cell i; and a side of a tile, which is lower or upper.  `both` is lower,
/// and the last patch of a tile has one element more, at the tile's upper side.
enum class location : int {
    lower = ORTHO_LOWER,
    centre = ORTHO_CENTRE,
    upper = ORTHO_UPPER,
    both = ORTHO_BOTH,
};

/// A kind says what becomes of values across a contact.
enum class field_kind : int {
    scalar = ORTHO_SCALAR,     ///< they stay as they are
    vector = ORTHO_VECTOR,     ///< a component becomes plus or minus the one that runs along it there
    pair = ORTHO_PAIR,         ///< likewise, without the sign
    position = ORTHO_POSITION, ///< a component of the contact's shift is added
};

/// The point of a cell around which a side is folded: its centre, its corner, the middle of a face of the
/// dimension along the side (u), or of the one across it (v).
enum class pivot : int { t = ORTHO_PIVOT_T, f = ORTHO_PIVOT_F, u = ORTHO_PIVOT_U, v = ORTHO_PIVOT_V };

/// The struct of the C interface: what lies beyond a side of a tile.
using contact = ORTHO_Contact;

/// A box of cells of one tile, which one process owns.
template <std::size_t D>
struct patch {
    int tile = 0;
    point<D> first = {};
    point<D> count = {};
};

/// A side of a tile.
struct tile_side {
    int tile = 0;
    int dimension = 0;
    location side = location::upper;
};

/// The owner of a cell, that patch of that process.  Both are -1 if nobody owns it.
struct patch_owner {
    int rank;
    int patch;
};

namespace detail {

/// All patches that a function of the C interface gives: get(room, patches, n).
template <std::size_t D, class Get>
std::vector<patch<D>> all_patches(MPI_Comm comm, Get get)
{
    int n = 0;
    check_code(get(0, nullptr, &n), comm);
    list<ORTHO_Patch> found(static_cast<std::size_t>(n));
    if (n > 0) check_code(get(n, found.data(), &n), comm);
    std::vector<patch<D>> result(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        result[i].tile = found[i].tile;
        for (std::size_t k = 0; k < D; ++k) {
            result[i].first[k] = static_cast<int>(found[i].first[k]);
            result[i].count[k] = static_cast<int>(found[i].count[k]);
        }
    }
    return result;
}

} // namespace detail

/// Boxes of cells, each in an index space of its own, and contacts, which say what lies beyond their sides.
///
/// Functions that add a contact return it, so that its shift can be set before the next one is added.  All is
/// local.  Numbers that cannot be throw mpiortho::error.
template <std::size_t D>
class tiles {
    static_assert(D >= 1 && D <= 4, "mpiortho: tiles have 1 to 4 dimensions");

public:
    tiles() = default;
    /// The cells of each tile.
    explicit tiles(std::span<const point<D>> sizes)
    {
        for (const point<D>& size : sizes) cells_.insert(cells_.end(), size.begin(), size.end());
    }
    tiles(std::initializer_list<point<D>> sizes) : tiles(std::span(sizes.begin(), sizes.size())) {}

    int number() const noexcept { return static_cast<int>(cells_.size() / D); }
    const std::vector<contact>& contacts() const noexcept { return contacts_; }

    contact& add(const contact& made) { return contacts_.emplace_back(made); }
    /// Joins two whole sides.  The other dimensions run along each other in their order, those of `here` with
    /// reversed[k] backward.
    contact& join(const tile_side& here, const tile_side& there, const std::array<bool, D>& reversed = {})
    {
        contact made{};
        checked(ORTHO_Contact_join(d, sizes_to(here.tile > there.tile ? here.tile : there.tile), here.tile,
                                   here.dimension, static_cast<int>(here.side), there.tile, there.dimension,
                                   static_cast<int>(there.side), detail::as_ints(reversed).data(), &made));
        return add(made);
    }
    /// Joins the two sides of a dimension.
    contact& periodic(int tile, int dimension)
    {
        contact made{};
        checked(ORTHO_Contact_periodic(d, sizes_to(tile), tile, dimension, &made));
        return add(made);
    }
    /// Folds a side onto itself: dimension `along` runs backward beyond it.
    contact& fold(const tile_side& side, int along, pivot around)
    {
        contact made{};
        checked(ORTHO_Contact_fold(d, sizes_to(side.tile), side.tile, side.dimension,
                                   static_cast<int>(side.side), along, static_cast<int>(around), &made));
        return add(made);
    }
    /// Makes a sphere of tiles 0 to 5, of n x n cells each, numbered as in FV3 and MITgcm.
    void cubed_sphere()
    {
        contact made[12] = {};
        checked(ORTHO_Contact_cubed_sphere(d, sizes_to(5), made));
        contacts_.insert(contacts_.end(), made, made + 12);
    }

    /// Boxes of at most most[k] cells in dimension k (0: any number), dealt out to `parts` processes: those of
    /// process number `part`.
    std::vector<patch<D>> divide(int parts, int part, const point<D>& most = {}) const
    {
        MPI_Count limits[D];
        for (std::size_t k = 0; k < D; ++k) limits[k] = most[k];
        return detail::all_patches<D>(MPI_COMM_SELF, [&](int room, ORTHO_Patch* all, int* n) {
            return ORTHO_Mosaic_divide(d, number(), cells_.data(), limits, parts, part, room, all, n);
        });
    }

private:
    template <std::size_t>
    friend class mosaic;

    static constexpr int d = static_cast<int>(D);
    static void checked(int code) { detail::check_code(code, MPI_COMM_SELF); }
    /// The C functions read the sizes of all tiles up to this one.
    const MPI_Count* sizes_to(int tile) const
    {
        if (tile >= number())
            detail::fail_on(MPI_COMM_SELF, MPI_ERR_ARG, "mpiortho::tiles: tile %d is none of %d tiles", tile,
                            number());
        return cells_.data();
    }

    std::vector<MPI_Count> cells_; // D of each tile
    std::vector<contact> contacts_;
};

/// How a field lies on a mosaic; the same on all processes.
template <std::size_t D>
struct patch_options {
    /// Ghost layers around what a patch owns.
    ghost_widths<D> ghosts = 1;
    /// Where its elements lie in cells, in each dimension.
    std::array<mpiortho::location, D> location = {};
    field_kind kind = field_kind::scalar;
    /// The component of the contacts' shift that is added to a position.
    int component = 0;
    /// True if owned elements that are one point get the value of the first one.
    bool sync = false;
    /// The values of ghosts beyond sides of tiles that no contact leads across.
    boundaries<D> boundary = {};
};

/// A field on a mosaic, an array for each patch of this process: on_patches() makes it.
template <std::size_t D>
struct patch_fields {
    detail::list<any_field<D>> arrays = {};
    MPI_Datatype element = MPI_DATATYPE_NULL;
    patch_options<D> options = {};
    int group = 0; ///< components of one vector have one
};

namespace detail {

/// The datatype of the elements of arrays, which a process without patches has to say, too.
inline MPI_Datatype type_of(std::type_identity<unknown>) { return MPI_DATATYPE_NULL; }
template <class T>
MPI_Datatype type_of(std::type_identity<T>)
{
    return datatype<T>();
}
template <class E>
MPI_Datatype type_of(std::type_identity<many<E>>)
{
    return type_of(std::type_identity<E>());
}

} // namespace detail

/// A list of arrays, fields or views: one for each patch of this process, in their order.  With its ghosts an
/// array has as many elements as mosaic::extents() says, and the ghosts of the options.
template <class L, std::size_t D = detail::dimensions_of<std::remove_cvref_t<L>>()>
patch_fields<D> on_patches(L&& arrays, const patch_options<D>& options = {})
{
    patch_fields<D> result{.options = options};
    if constexpr (detail::is_right<D, L>()) {
        detail::add_field<D>(result.arrays, arrays);
        result.element = detail::type_of(detail::element_of<std::remove_cvref_t<L>>());
        if (result.arrays.size() > 0) result.element = result.arrays[0].element;
    }
    return result;
}

/// The D components of a vector, in the order of dimensions; of a pair, if it is their kind.
template <std::size_t D, std::same_as<patch_fields<D>>... More>
requires(sizeof...(More) + 1 == D) std::array<patch_fields<D>, D> vector_of(const patch_fields<D>& first,
                                                                            const More&... more)
{
    std::array<patch_fields<D>, D> result{first, more...};
    for (std::size_t k = 0; k < D; ++k) {
        result[k].options.component = static_cast<int>(k);
        if (first.options.kind != field_kind::pair) result[k].options.kind = field_kind::vector;
    }
    return result;
}

/// A persistent exchange between patches: mosaic::halo() and mosaic::reduce() make it.
template <std::size_t D>
class [[nodiscard("it is prepared, and not started: keep it, and call start() or run()")]] patch_exchange
    : public operation
{
public:
    patch_exchange() = default;

    /// Other arrays of the same shapes and types, from the next start on: a list for each field.  Local.
    template <class... L>
    void rebind(L && ... lists)
    {
        detail::list<any_field<D>> all;
        if constexpr ((detail::is_right<D, L>() && ...)) (detail::add_field<D>(all, lists), ...);
        detail::list<void*> bases(all.size());
        bool are_like = all.size() == arrays_.size();
        for (std::size_t i = 0; i < all.size() && are_like; ++i) {
            bases[i] = all[i].base;
            are_like = all[i].element == arrays_[i].element && all[i].sizes == arrays_[i].sizes &&
                       all[i].strides == arrays_[i].strides;
        }
        if (!are_like)
            detail::fail_on(comm(), MPI_ERR_ARG,
                            "mpiortho: the exchange is of %zu arrays, and these %zu are not as many, of the "
                            "same shapes and types",
                            arrays_.size(), all.size());
        if (bases.size() > 0)
            detail::check_code(ORTHO_Halo_rebind(get(), static_cast<int>(bases.size()), bases.data()),
                               comm());
        MPIORTHO_IF_CHECKED(watch(all);)
    }
    /// The ghosts of a field on a patch that nobody fills: boxes of elements.
    std::vector<patch<D>> unfilled(int field, int patch_number) const
    {
        return detail::all_patches<D>(comm(), [&](int room, ORTHO_Patch* boxes, int* n) {
            return ORTHO_Mosaic_unfilled(get(), field, patch_number, room, boxes, n);
        });
    }

private:
    template <std::size_t>
    friend class mosaic;

    patch_exchange(ORTHO_Request request, MPI_Comm comm, const detail::list<any_field<D>>& arrays)
        : operation(request, comm),
          arrays_(arrays)
    {
        MPIORTHO_IF_CHECKED(watch(arrays);)
    }

    detail::list<any_field<D>> arrays_; // those it was made with
};

/// A grid of tiles, of whose cells each process owns some patches.
template <std::size_t D>
class mosaic {
public:
    mosaic() = default;
    /// The patches of this process, any number of them.  Collective; comm must live as long.
    mosaic(MPI_Comm comm, const tiles<D>& its, std::type_identity_t<std::span<const patch<D>>> patches)
        : tiles_(its),
          patches_(patches.begin(), patches.end()),
          comm_(comm)
    {
        const std::vector<contact>& contacts = its.contacts();
        detail::list<ORTHO_Patch> all(patches.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].tile = patches[i].tile;
            for (std::size_t k = 0; k < D; ++k) {
                all[i].first[k] = patches[i].first[k];
                all[i].count[k] = patches[i].count[k];
            }
        }
        detail::check_code(ORTHO_Mosaic_create(comm, static_cast<int>(D), its.number(), its.cells_.data(),
                                               static_cast<int>(contacts.size()), contacts.data(),
                                               static_cast<int>(all.size()), all.data(), MPI_INFO_NULL,
                                               &mosaic_),
                           comm);
    }
    mosaic(mosaic&& other) noexcept { *this = std::move(other); }
    mosaic& operator=(mosaic&& other) noexcept
    {
        std::swap(mosaic_, other.mosaic_);
        std::swap(tiles_, other.tiles_);
        patches_.swap(other.patches_);
        std::swap(comm_, other.comm_);
        return *this;
    }
    ~mosaic()
    {
        if (mosaic_ != ORTHO_MOSAIC_NULL && detail::is_running()) ORTHO_Mosaic_free(&mosaic_);
    }

    /// The patches of this process.
    const std::vector<patch<D>>& patches() const noexcept { return patches_; }
    ORTHO_Mosaic get() const noexcept { return mosaic_; }
    patch_owner owner(int tile, const point<D>& cell) const
    {
        MPI_Count element[D];
        for (std::size_t k = 0; k < D; ++k) element[k] = cell[k];
        patch_owner result{-1, -1};
        detail::check_code(ORTHO_Mosaic_owner(mosaic_, tile, element, &result.rank, &result.patch), comm_);
        return result;
    }
    /// The elements of a field at that location that a patch of this process owns.
    point<D> extents(std::size_t patch_number, const std::array<location, D>& where = {}) const
    {
        const patch<D>& its = patches_[patch_number];
        const MPI_Count* const size = &tiles_.cells_[static_cast<std::size_t>(its.tile) * D];
        point<D> result = its.count;
        for (std::size_t k = 0; k < D; ++k)
            if (where[k] == location::both && its.first[k] + its.count[k] == size[k]) ++result[k];
        return result;
    }
    /// A field for each patch of this process, whose elements are T{}.
    template <class T>
    std::vector<field<T, D>> fields(const patch_options<D>& options = {}) const
    {
        std::vector<field<T, D>> result;
        for (std::size_t p = 0; p < patches_.size(); ++p)
            result.emplace_back(extents(p, options.location), options.ghosts);
        return result;
    }

    /// Ghosts of these fields get the values of the elements at their positions, all in one message a partner.
    /// Fields are what on_patches() and vector_of() return.  Collective.
    template <class... F>
    patch_exchange<D> halo(const F&... fields) const
    {
        return make(false, MPI_OP_NULL, fields...);
    }
    /// The reverse: ghosts are reduced into these elements, with their signs, by an operator that commutes.
    template <class Op, class... F>
    patch_exchange<D> reduce(const Op& op, const F&... fields) const
    {
        return make(true, detail::operator_of_mpi(op), fields...);
    }

private:
    using fields_list = detail::list<patch_fields<D>>;

    static void take(fields_list& all, const patch_fields<D>& its) { all.push_back(its); }
    static void take(fields_list& all, const std::array<patch_fields<D>, D>& vector)
    {
        const int group = static_cast<int>(all.size());
        for (patch_fields<D> each : vector) {
            each.group = group;
            all.push_back(each);
        }
    }

    /// The first patch on which a field has not an array as it should be, which the C functions cannot see.
    int wrong_patch(const patch_fields<D>& its) const
    {
        const auto& [below, above] = its.options.ghosts;
        for (std::size_t p = 0; p < its.arrays.size() || p < patches_.size(); ++p) {
            if (p >= its.arrays.size() || p >= patches_.size()) return static_cast<int>(p);
            const any_field<D>& array = its.arrays[p];
            const point<D> owned = extents(p, its.options.location);
            bool is_right = array.element == its.element;
            for (std::size_t k = 0; k < D; ++k)
                is_right = is_right && array.sizes[k] == MPI_Count{below[k]} + owned[k] + above[k] &&
                           (!array.has_ghosts || (array.lower[k] == below[k] && array.upper[k] == above[k]));
            if (!is_right) return static_cast<int>(p);
        }
        return -1;
    }

    [[noreturn]] void fail_for(const patch_fields<D>& its, int field, std::size_t where) const
    {
        if (where >= its.arrays.size() || where >= patches_.size())
            detail::fail_on(comm_, MPI_ERR_ARG,
                            "mpiortho: field %d of a mosaic has %zu arrays, and this process %zu patches",
                            field, its.arrays.size(), patches_.size());
        const any_field<D>& array = its.arrays[where];
        const point<D> owned = extents(where, its.options.location);
        const auto& [below, above] = its.options.ghosts;
        char each[80 * D] = {};
        int end = 0;
        for (std::size_t k = 0; k < D; ++k)
            end += std::snprintf(each + end, sizeof each - static_cast<std::size_t>(end),
                                 "%s %lld elements for %d + %d + %d", k == 0 ? "" : ",",
                                 static_cast<long long>(array.sizes[k]), below[k], owned[k], above[k]);
        detail::fail_on(comm_, MPI_ERR_ARG,
                        "mpiortho: field %d of a mosaic has no array on patch %zu that is as large as its "
                        "patch, location and ghosts say, or one of another type:%s",
                        field, where, each);
    }

    template <class... F>
    patch_exchange<D> make(bool reduces, MPI_Op op, const F&... given) const
    {
        static_assert(
            ((std::is_same_v<F, patch_fields<D>> || std::is_same_v<F, std::array<patch_fields<D>, D>>)&&...),
            "mpiortho: fields on a mosaic are what on_patches() and vector_of() return, of as many "
            "dimensions");
        fields_list all;
        (take(all, given), ...);
        struct numbers { // that descriptions point to
            MPI_Count lower[D], upper[D];
            int location[D];
            ORTHO_Boundary sides[2 * D];
        };
        const std::size_t n = patches_.size();
        detail::list<numbers> lists(all.size());
        detail::list<ORTHO_Mosaic_field> described(all.size());
        detail::list<any_field<D>> arrays;
        detail::list<void*> bases(all.size() * n + 1); // not empty: null is no list
        detail::list<MPI_Aint> strides(all.size() * n * D + 1);
        int wrong = -1, where = -1;
        for (std::size_t f = 0; f < all.size(); ++f) {
            const patch_options<D>& options = all[f].options;
            for (std::size_t k = 0; k < D; ++k) {
                lists[f].lower[k] = options.ghosts.lower[k];
                lists[f].upper[k] = options.ghosts.upper[k];
                lists[f].location[k] = static_cast<int>(options.location[k]);
                lists[f].sides[2 * k] = options.boundary.lower[k];
                lists[f].sides[2 * k + 1] = options.boundary.upper[k];
            }
            described[f] = ORTHO_MOSAIC_FIELD_INIT;
            described[f].bases = bases.data() + f * n;
            described[f].strides = strides.data() + f * n * D;
            described[f].element = all[f].element;
            described[f].lower = lists[f].lower;
            described[f].upper = lists[f].upper;
            described[f].location = lists[f].location;
            for (const ORTHO_Boundary& side : lists[f].sides)
                if (side.kind != ORTHO_BOUNDARY_NONE) described[f].boundary = lists[f].sides;
            described[f].kind = static_cast<int>(options.kind);
            described[f].component = options.component;
            described[f].group = all[f].group;
            described[f].sync = options.sync ? 1 : 0;
            if (where < 0) {
                where = wrong_patch(all[f]);
                wrong = static_cast<int>(f);
            }
            for (std::size_t p = 0; p < n && where < 0; ++p) {
                arrays.push_back(all[f].arrays[p]);
                bases[f * n + p] = all[f].arrays[p].base;
                for (std::size_t k = 0; k < D; ++k)
                    strides[(f * n + p) * D + k] = all[f].arrays[p].strides[k];
            }
        }
        // The C functions tell all processes of a wrong field.
        if (where >= 0) described[static_cast<std::size_t>(wrong)].lower = nullptr;
        const int count = static_cast<int>(all.size());
        ORTHO_Request made = ORTHO_REQUEST_NULL;
        const auto* const fields = described.data();
        int code = MPI_SUCCESS;
        if (where < 0 || detail::tells_others(comm_))
            code = reduces ? ORTHO_Mosaic_reduce_init(count, fields, op, mosaic_, MPI_INFO_NULL, &made)
                           : ORTHO_Mosaic_halo_init(count, fields, mosaic_, MPI_INFO_NULL, &made);
        if (where >= 0)
            fail_for(all[static_cast<std::size_t>(wrong)], wrong, static_cast<std::size_t>(where));
        detail::check_code(code, comm_);
        return patch_exchange<D>(made, comm_, arrays);
    }

    ORTHO_Mosaic mosaic_ = ORTHO_MOSAIC_NULL;
    tiles<D> tiles_;
    std::vector<patch<D>> patches_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
