// SPDX-License-Identifier: BSD-3-Clause
// Exchange of ghost layers: a part of <mpiortho.hpp>.
//
//     auto halo = mpiortho::halo(g, f);         // prepares it, once
//     auto pending = halo.start();              // in each step: start, ...
//     for (auto row : f.interior()) update(row);
//     pending.wait();                           // ... and wait: the ghosts are filled
//     for (auto cell : f.boundary()) update(cell);
//
//     halo.run();                               // start and wait in one, which can be faster
#ifndef MPIORTHO_HALO_HPP
#define MPIORTHO_HALO_HPP

#include "field.hpp"
#include "grid.hpp"
#include "op.hpp"
#include "request.hpp"

namespace mpiortho {
inline namespace v0_2 {

/// An array with ghost layers, whatever its element type: fields, views and lists of them become these.
/// Use it for fields of several types in one halo: mpiortho::halo(g, std::array{any_field(u), any_field(v)}).
template <std::size_t D>
struct any_field {
    void* base = nullptr;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    std::array<MPI_Count, D> sizes = {};  ///< ghosts included
    std::array<MPI_Aint, D> strides = {}; ///< in bytes
    std::array<MPI_Count, D> lower = {};  ///< ghost layers
    std::array<MPI_Count, D> upper = {};
    bool has_ghosts = false; ///< else the halo says how many

    any_field() = default;
    template <class T>
    explicit any_field(field<T, D>& f) : base(f.data()),
                                         element(datatype<T>()),
                                         has_ghosts(true)
    {
        for (std::size_t k = 0; k < D; ++k) {
            lower[k] = f.ghosts().lower[k];
            upper[k] = f.ghosts().upper[k];
            sizes[k] = lower[k] + f.extents()[k] + upper[k];
            strides[k] = f.strides()[k] * static_cast<MPI_Aint>(sizeof(T));
        }
    }
    template <view V>
    requires(detail::rank_of_view<V>() == D) explicit any_field(V& v)
    {
        auto* const data = [&] {
            if constexpr (detail::has_data_handle<V>)
                return &*v.data_handle();
            else
                return &*v.data();
        }();
        using T = std::remove_pointer_t<decltype(data)>;
        static_assert(!std::is_const_v<T>, "mpiortho: the elements of the view are const");
        base = data;
        element = datatype<T>();
        for (std::size_t k = 0; k < D; ++k) {
            sizes[k] = static_cast<MPI_Count>(v.extent(k));
            strides[k] = static_cast<MPI_Aint>(v.stride(k)) * static_cast<MPI_Aint>(sizeof(T));
        }
    }
};
template <class T, std::size_t D>
any_field(field<T, D>&) -> any_field<D>;
template <view V>
any_field(V&) -> any_field<detail::rank_of_view<V>()>;

namespace detail {

/// Does a stencil fill region `side`?  It does along the opposite offset.  Without a stencil all are filled.
template <std::size_t D>
bool fills(const stencil<D>* offsets, const point<D>& side)
{
    if (side == point<D>{}) return false;
    if (offsets == nullptr) return true;
    for (const point<D>& offset : *offsets) {
        bool is_opposite = true;
        for (std::size_t k = 0; k < D; ++k) is_opposite = is_opposite && offset[k] == -side[k];
        if (is_opposite) return true;
    }
    return false;
}

/// Is F a function, or a pointer to one?
template <class F>
inline constexpr bool is_function = std::is_function_v<std::remove_pointer_t<std::decay_t<F>>>;

} // namespace detail

/// Which ghost regions of which field are to be filled: any function (int field, point<D> side) -> bool,
/// where side[k] is -1 below the owned elements, 1 above them, else 0.  It is called while the halo is made.
template <std::size_t D>
class region_filter {
public:
    region_filter() = default;
    /// Refers to an object that can be called, such as a lambda, which must live as long.
    template <class F>
    requires(std::is_invocable_r_v<bool, F&, int, point<D>> && !detail::is_function<F> &&
             !std::is_same_v<std::remove_cvref_t<F>, region_filter>) region_filter(F&& f)
        : called_(&f),
          choose_(choose<std::remove_reference_t<F>>)
    {}
    /// A function, or a pointer to one.
    template <class F>
    requires(std::is_invocable_r_v<bool, F&, int, point<D>>&& detail::is_function<F>) region_filter(F&& f)
        : called_(reinterpret_cast<const void*>(static_cast<std::decay_t<F>>(f))),
          choose_(choose<std::remove_pointer_t<std::decay_t<F>>>)
    {}
    explicit operator bool() const noexcept { return choose_ != nullptr; }
    /// Adds the regions of a field that the function lets through, and returns how many there are.
    int operator()(int field, const stencil<D>* offsets, detail::list<point<D>>& regions) const
    {
        return choose_(called_, field, offsets, regions);
    }

private:
    template <class F>
    static int choose(const void* called, int field, const stencil<D>* offsets,
                      detail::list<point<D>>& regions)
    {
        auto* const f = reinterpret_cast<F*>(const_cast<void*>(called));
        int n = 0;
        point<D> side;
        side.fill(-1);
        for (bool more = true; more;) { // all of {-1,0,1}^D
            if (detail::fills(offsets, side) && (*f)(field, side)) {
                regions.push_back(side);
                ++n;
            }
            more = false;
            for (std::size_t k = D; k-- > 0 && !more;) {
                more = ++side[k] <= 1;
                if (!more) side[k] = -1;
            }
        }
        return n;
    }

    const void* called_ = nullptr;
    int (*choose_)(const void*, int, const stencil<D>*, detail::list<point<D>>&) = nullptr;
};

namespace detail {

template <std::size_t D>
constexpr point<D> in_order()
{
    point<D> result{};
    for (std::size_t k = 0; k < D; ++k) result[k] = static_cast<int>(k);
    return result;
}

} // namespace detail

/// How a halo is made: mpiortho::halo(g, f, {.ghosts = 1}).
template <std::size_t D>
struct halo_options {
    /// Ghost layers of views, which must be given.  An mpiortho::field knows its own.
    ghost_widths<D> ghosts = {};
    /// Which regions to fill; all that the stencil has if nothing is said.
    region_filter<D> crosses = {};
    /// Dimension k of the arrays runs along dimension[k] of the grid.
    point<D> dimension = detail::in_order<D>();
    /// Keys and values for the library.
    MPI_Info info = MPI_INFO_NULL;
};

namespace detail {

template <class F>
inline constexpr bool is_field = false;
template <class T, std::size_t D>
inline constexpr bool is_field<field<T, D>> = true;
template <class F>
inline constexpr bool is_any_field = false;
template <std::size_t D>
inline constexpr bool is_any_field<any_field<D>> = true;

/// Does what F&& refers to live on?  A field that is passed as a temporary does not, nor a view that owns.
template <class F>
consteval bool field_lives_on()
{
    using plain = std::remove_cvref_t<F>;
    if constexpr (std::is_lvalue_reference_v<F> || is_any_field<plain>)
        return true;
    else if constexpr (is_field<plain>)
        return false;
    else if constexpr (view<plain>)
        return std::is_trivially_destructible_v<plain>;
    else // a list of fields
        return field_lives_on<std::remove_reference_t<decltype(*std::begin(std::declval<plain&>()))>>();
}

template <std::size_t D>
void add_field(list<any_field<D>>& fields, auto& f)
{
    using F = std::remove_cvref_t<decltype(f)>;
    if constexpr (is_any_field<F>)
        fields.push_back(f);
    else if constexpr (is_field<F> || view<F>) {
        static_assert(!is_field<F> || !std::is_const_v<std::remove_reference_t<decltype(f)>>,
                      "mpiortho: the field of the halo is const");
        fields.push_back(any_field<D>(f));
    } else {
        static_assert(
            requires { std::begin(f); }, "mpiortho: this is no field, no view with extents and strides, and "
                                         "no list of these");
        for (auto& each : f) add_field<D>(fields, each);
    }
}

template <class F>
consteval std::size_t dimensions_of()
{
    if constexpr (requires { F::dimensions; })
        return F::dimensions;
    else if constexpr (view<F>)
        return rank_of_view<F>();
    else if constexpr (is_any_field<F>)
        return std::tuple_size_v<decltype(F::sizes)>;
    else
        return dimensions_of<std::remove_cvref_t<decltype(*std::begin(std::declval<F&>()))>>();
}

struct reverse;

} // namespace detail

/// An exchange of ghost layers, prepared: a persistent operation.
///
/// halo(g, f, options) fills the ghost layers of f, which is a field, a view, or a list of these:
/// std::vector, std::array or an array.  All of them travel in one message a partner.  On a grid g the
/// stencil says which ghost regions are filled; on a communicator with a Cartesian name all 3^D - 1 are.
/// Ghosts at borders of the grid are not touched.  Making it is collective.  The halo refers to the arrays.
template <std::size_t D>
class halo : public operation {
public:
    halo() = default;
    template <class F>
    halo(const grid<D>& g, F&& fields, const halo_options<D>& options = {})
        : halo(g, &g.stencil(), MPI_OP_NULL, fields, options)
    {
        static_assert(detail::field_lives_on<F>(), "mpiortho: the field of the halo is a temporary");
    }
    template <communicator_like C, class F>
    requires(!std::is_same_v<C, grid<D>>) halo(const C& comm, F&& fields, const halo_options<D>& options = {})
        : halo(comm, nullptr, MPI_OP_NULL, fields, options)
    {
        static_assert(detail::field_lives_on<F>(), "mpiortho: the field of the halo is a temporary");
    }

    /// Other arrays of the same shapes, from the next start on: for double buffering.  Local.
    template <class F>
    void rebind(F&& fields)
    {
        static_assert(detail::field_lives_on<F>(), "mpiortho: the field of the halo is a temporary");
        detail::list<any_field<D>> list;
        detail::add_field<D>(list, fields);
        detail::list<void*> bases;
        for (const any_field<D>& f : list) bases.push_back(f.base);
        detail::check(ORTHO_Halo_rebind(get(), static_cast<int>(bases.size()), bases.data()), comm());
    }

    /// The ghost regions of a field that nothing fills, since they lie beyond a border of the grid.
    std::vector<point<D>> unfilled(int field = 0) const
    {
        int n = 0;
        detail::check(ORTHO_Halo_unfilled(get(), field, 0, nullptr, &n), comm());
        std::vector<point<D>> result(static_cast<std::size_t>(n));
        if (n > 0) detail::check(ORTHO_Halo_unfilled(get(), field, n, result[0].data(), &n), comm());
        return result;
    }

private:
    friend struct detail::reverse;

    template <class F>
    halo(MPI_Comm comm, const stencil<D>* offsets, MPI_Op op, F& fields, const halo_options<D>& options)
        : operation(prepare(comm, offsets, op, fields, options))
    {}

    /// The fields that do not know their ghost layers get those of the options.
    static void give_ghosts(detail::list<any_field<D>>& fields, const ghost_widths<D>& ghosts, MPI_Comm comm)
    {
        bool some_get_them = false;
        bool some_differ = false;
        for (any_field<D>& f : fields) {
            some_get_them = some_get_them || !f.has_ghosts;
            for (std::size_t k = 0; k < D; ++k) {
                if (!f.has_ghosts) {
                    f.lower[k] = ghosts.lower[k];
                    f.upper[k] = ghosts.upper[k];
                }
                some_differ = some_differ || f.lower[k] != ghosts.lower[k] || f.upper[k] != ghosts.upper[k];
            }
        }
        const bool given = ghosts != ghost_widths<D>();
        if (some_get_them && !given)
            detail::fail(
                comm, MPI_ERR_ARG,
                "mpiortho::halo: a view does not say how many ghost layers it has: pass {.ghosts = 1}");
        if (!some_get_them && given && some_differ)
            detail::fail(comm, MPI_ERR_ARG,
                         "mpiortho::halo: the ghosts of the options are not those that the fields have");
    }

    template <class F>
    static operation prepare(MPI_Comm comm, const stencil<D>* offsets, MPI_Op op, F& fields,
                             const halo_options<D>& options)
    {
        detail::list<any_field<D>> list;
        detail::add_field<D>(list, fields);
        give_ghosts(list, options.ghosts, comm);
        detail::list<ORTHO_Field> described(list.size());
        detail::list<point<D>> regions; // of all fields
        for (std::size_t i = 0; i < list.size(); ++i) {
            any_field<D>& f = list[i];
            ORTHO_Field& d = described[i] = ORTHO_FIELD_INIT;
            d.base = f.base;
            d.element = f.element;
            d.sizes = f.sizes.data();
            d.lower = f.lower.data();
            d.upper = f.upper.data();
            d.strides = f.strides.data();
            d.dimension = options.dimension.data();
            if (options.crosses) d.ndirections = options.crosses(static_cast<int>(i), offsets, regions);
        }
        std::size_t region = 0;
        for (ORTHO_Field& d : described) {
            if (d.ndirections <= 0) continue;
            d.directions = regions[region].data();
            region += static_cast<std::size_t>(d.ndirections);
        }
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        const int n = static_cast<int>(described.size());
        const int d = static_cast<int>(D);
        detail::check(
            op == MPI_OP_NULL
                ? ORTHO_Halo_fields_init(n, described.data(), d, comm, options.info, &request)
                : ORTHO_Halo_reduce_fields_init(n, described.data(), d, op, comm, options.info, &request),
            comm);
        return operation(request, comm);
    }
};
template <std::size_t D, class F>
halo(const grid<D>&, F&&, const halo_options<D>& = {}) -> halo<D>;
template <communicator_like C, class F>
halo(const C&, F&&, const halo_options<detail::dimensions_of<std::remove_cvref_t<F>>()>& = {})
    -> halo<detail::dimensions_of<std::remove_cvref_t<F>>()>;

namespace detail {

/// halo_reduce() on anything.
struct reverse {
    template <std::size_t D, class F, class O>
    static halo<D> make(MPI_Comm comm, const stencil<D>* offsets, F&& fields, const O& op,
                        const halo_options<D>& options)
    {
        static_assert(field_lives_on<F>(), "mpiortho: the field of the halo is a temporary");
        MPI_Op handle = MPI_OP_NULL;
        if constexpr (mpi_op<O>) {
            handle = op;
        } else {
            static_assert(
                recognised<O>::value != known_op::none,
                "mpiortho: halo_reduce takes std::plus<> and its like, minimum, maximum, or an MPI_Op");
            handle = predefined(recognised<O>::value);
        }
        return halo<D>(comm, offsets, handle, fields, options);
    }
};

} // namespace detail

/// The reverse: ghosts are sent to their owners, and added to the owned elements by an operator that
/// commutes, such as std::plus<>{}.  Ghosts are not changed.
template <std::size_t D, class F, class O>
halo<D> halo_reduce(const grid<D>& g, F&& fields, const O& op, const halo_options<D>& options = {})
{
    return detail::reverse::make(g, &g.stencil(), std::forward<F>(fields), op, options);
}
/// The same on a communicator with a Cartesian name, as MPI_Cart_create's.
template <communicator_like C, class F, class O,
          std::size_t D = detail::dimensions_of<std::remove_cvref_t<F>>()>
requires(!std::is_same_v<C, grid<D>>) halo<D> halo_reduce(const C& comm, F&& fields, const O& op,
                                                          const halo_options<D>& options = {})
{
    return detail::reverse::make<D>(comm, nullptr, std::forward<F>(fields), op, options);
}

} // namespace v0_2
} // namespace mpiortho

#endif
