// SPDX-License-Identifier: BSD-3-Clause
// Exchange of ghost layers: a part of <mpiortho.hpp>.
//
//     auto halo = mpiortho::halo(g, now);       // prepares it, once
//     auto pending = halo.start(now);           // in each step: start, ...
//     for (auto row : now.interior()) update(row);
//     pending.wait();                           // ... and wait: the ghosts are filled
//     for (auto cell : now.boundary()) update(cell);
//     swap(now, next);                          // start(now) takes the other array then
//
//     halo.run(now);                            // start and wait in one, which can be faster
//     halo.run(now, update);                    // start, inner rows, wait, the other rows
#ifndef MPIORTHO_HALO_HPP
#define MPIORTHO_HALO_HPP

#include <optional>

#include "field.hpp"
#include "grid.hpp"
#include "op.hpp"
#include "request.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// The values of ghosts beyond a closed side, one at the border of a grid that is not periodic there.  The
/// names are those of numpy.pad.  For a row a b c d with three ghosts above it:
enum class boundary : int {
    none = ORTHO_BOUNDARY_NONE,           ///< they are not touched
    constant = ORTHO_BOUNDARY_CONSTANT,   ///< v v v
    edge = ORTHO_BOUNDARY_EDGE,           ///< d d d
    symmetric = ORTHO_BOUNDARY_SYMMETRIC, ///< d c b
    reflect = ORTHO_BOUNDARY_REFLECT,     ///< c b a
};

/// One side.
struct boundary_side {
    boundary kind = boundary::none;
    int sign = 1;                ///< -1: values other than constants change their sign
    const void* value = nullptr; ///< of a constant, an element; read while the halo is made; null: 0

    constexpr boundary_side() = default;
    constexpr boundary_side(boundary its_kind, int its_sign = 1, const void* its_value = nullptr)
        : kind(its_kind),
          sign(its_sign),
          value(its_value)
    {}
    operator ORTHO_Boundary() const { return {static_cast<int>(kind), sign, value}; }
};

/// The sides below and above the owned elements in each dimension of an array.  At a slip wall the normal
/// component of a velocity is {boundary::symmetric, -1}, and all else boundary::symmetric.
template <std::size_t D>
struct boundaries {
    std::array<boundary_side, D> lower = {};
    std::array<boundary_side, D> upper = {};

    constexpr boundaries() = default;
    /// All sides are alike.
    constexpr boundaries(boundary kind, int sign = 1, const void* value = nullptr)
    {
        lower.fill({kind, sign, value});
        upper = lower;
    }
    constexpr boundaries(const std::array<boundary_side, D>& below, const std::array<boundary_side, D>& above)
        : lower(below),
          upper(above)
    {}
};

/// An array with ghost layers, whatever its element type: fields, views and lists of them become these.
/// Use it for lists of fields of several types.
template <std::size_t D>
struct any_field {
    void* base = nullptr;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    std::array<MPI_Count, D> sizes = {};  ///< ghosts included
    std::array<MPI_Aint, D> strides = {}; ///< in bytes
    std::array<MPI_Count, D> lower = {};  ///< ghost layers
    std::array<MPI_Count, D> upper = {};
    bool has_ghosts = false;                    ///< else the halo says how many
    std::optional<boundaries<D>> boundary = {}; ///< if it is not that of the halo's options
    MPIORTHO_IF_CHECKED(detail::watched_memory watched;)

    any_field() = default;
    template <class T>
    explicit any_field(field<T, D>& f) : base(f.data()),
                                         element(datatype<T>()),
                                         has_ghosts(true)
    {
        MPIORTHO_IF_CHECKED(watched = f.watched();)
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

/// Is F a function, or a pointer to one?
template <class F>
inline constexpr bool is_function = std::is_function_v<std::remove_pointer_t<std::decay_t<F>>>;

} // namespace detail

/// Which ghost regions of which field are to be filled: any function (int field, point<D> side) -> bool,
/// where side[k] is -1 below the owned elements, 1 above them, else 0.  It is called while the halo is made,
/// with all 3^D - 1 sides.  To want one that the stencil does not have is an error, MPI_ERR_ARG.
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
    int operator()(int field, detail::list<point<D>>& regions) const
    {
        return choose_(called_, field, regions);
    }

private:
    template <class F>
    static int choose(const void* called, int field, detail::list<point<D>>& regions)
    {
        auto* const f = reinterpret_cast<F*>(const_cast<void*>(called));
        int n = 0;
        point<D> side;
        side.fill(-1);
        for (bool more = true; more;) { // all of {-1,0,1}^D
            if (side != point<D>{} && (*f)(field, side)) {
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
    int (*choose_)(const void*, int, detail::list<point<D>>&) = nullptr;
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
    /// The values of ghosts at borders of the grid.
    boundaries<D> boundary = {};
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
template <class F>
inline constexpr bool is_options = false;
template <std::size_t D>
inline constexpr bool is_options<halo_options<D>> = true;
template <class F>
concept single_field = is_field<F> || is_any_field<F> || view<F>;
template <class F>
concept list_of_fields = !single_field<F> && requires(F & f)
{
    *std::begin(f);
};
/// The type of a list's elements.
template <class F>
using each_of = std::remove_cvref_t<decltype(*std::begin(std::declval<F&>()))>;

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
    else if constexpr (list_of_fields<plain>)
        return field_lives_on<std::remove_reference_t<decltype(*std::begin(std::declval<plain&>()))>>();
    else
        return true; // no field at all
}

/// 0: this is no field, and no list of fields.
template <class F>
consteval std::size_t dimensions_of()
{
    if constexpr (requires { F::dimensions; })
        return F::dimensions;
    else if constexpr (view<F>)
        return rank_of_view<F>();
    else if constexpr (is_any_field<F>)
        return std::tuple_size_v<decltype(F::sizes)>;
    else if constexpr (list_of_fields<F>)
        return dimensions_of<each_of<F>>();
    else
        return 0;
}

template <std::size_t D>
std::integral_constant<std::size_t, D> dimensions_of_grid(const grid<D>*);
/// The dimensions of a halo on a communicator: the grid's, or else the first field's.
template <class C, class F>
consteval std::size_t dimensions_on()
{
    if constexpr (requires(const C* comm) { dimensions_of_grid(comm); })
        return decltype(dimensions_of_grid(static_cast<const C*>(nullptr)))::value;
    else
        return dimensions_of<std::remove_cvref_t<F>>();
}

/// Says what is wrong with an argument that should be a field, or a list of them.
template <std::size_t D, class F>
consteval bool is_right()
{
    using plain = std::remove_cvref_t<F>;
    constexpr bool are_fields = dimensions_of<plain>() > 0;
    static_assert(are_fields, "mpiortho: this is no field, no view with extents and strides, and no list of "
                              "these");
    static_assert(!are_fields || dimensions_of<plain>() == D,
                  "mpiortho: the field has another number of dimensions than the grid");
    static_assert(field_lives_on<F>(), "mpiortho: the field of the halo is a temporary");
    static_assert(!is_field<plain> || !std::is_const_v<std::remove_reference_t<F>>,
                  "mpiortho: the field of the halo is const");
    return are_fields && dimensions_of<plain>() == D &&
           (!is_field<plain> || !std::is_const_v<std::remove_reference_t<F>>);
}

template <std::size_t D>
void add_field(list<any_field<D>>& fields, auto& f)
{
    using F = std::remove_cvref_t<decltype(f)>;
    if constexpr (is_any_field<F>)
        fields.push_back(f);
    else if constexpr (single_field<F>)
        fields.push_back(any_field<D>(f));
    else
        for (auto& each : f) {
            static_assert(!is_field<each_of<F>> || !std::is_const_v<std::remove_reference_t<decltype(each)>>,
                          "mpiortho: the field of the halo is const");
            add_field<D>(fields, each);
        }
}

/// The types of a halo's fields that the compiler knows: an element type for each, or one of these.
struct unknown;
template <class Element>
struct many;
template <class... Element>
struct elements;
template <class F>
consteval auto element_of()
{
    if constexpr (is_field<F>)
        return std::type_identity<typename F::value_type>();
    else if constexpr (is_any_field<F>)
        return std::type_identity<unknown>();
    else if constexpr (view<F> && has_data_handle<F>)
        return std::type_identity<std::remove_cvref_t<decltype(*std::declval<F&>().data_handle())>>();
    else if constexpr (view<F>)
        return std::type_identity<std::remove_cvref_t<decltype(*std::declval<F&>().data())>>();
    else if constexpr (list_of_fields<F>)
        return std::type_identity<many<typename decltype(element_of<each_of<F>>())::type>>();
    else
        return std::type_identity<unknown>();
}
/// The fields in a list of arguments.
template <class Found, class... A>
struct fields_among;
template <class... E>
struct fields_among<elements<E...>> {
    using type = elements<E...>;
};
template <class... E, class A, class... Rest>
struct fields_among<elements<E...>, A, Rest...>
    : std::conditional_t<
          (dimensions_of<std::remove_cvref_t<A>>() > 0),
          fields_among<elements<E..., typename decltype(element_of<std::remove_cvref_t<A>>())::type>,
                       Rest...>,
          fields_among<elements<E...>, Rest...>> {};
template <class... A>
using elements_of = typename fields_among<elements<>, A...>::type;

template <class Made, class Given>
inline constexpr bool fits = std::is_same_v<Made, Given>;
template <class Given>
inline constexpr bool fits<unknown, Given> = true;
template <class Made>
inline constexpr bool fits<Made, unknown> = true;
template <>
inline constexpr bool fits<unknown, unknown> = true;
template <class Made, class Given>
inline constexpr bool fits<many<Made>, many<Given>> = fits<Made, Given>;
template <class Made, class Given>
inline constexpr bool fits<many<Made>, Given> = fits<Made, Given>;
template <class Made, class Given>
inline constexpr bool fits<Made, many<Given>> = fits<Made, Given>;
template <class E>
inline constexpr bool is_many = false;
template <class E>
inline constexpr bool is_many<many<E>> = true;

/// May a halo of such fields get such others, as far as types tell?
template <class Made, class Given>
inline constexpr bool may_take = true;
template <class... Made, class... Given>
inline constexpr bool may_take<elements<Made...>, elements<Given...>> = [] {
    if constexpr (sizeof...(Made) == sizeof...(Given))
        return (fits<Made, Given> && ...);
    else
        return (is_many<Made> || ...) || (is_many<Given> || ...);
}();

struct reverse;

template <class A, class... Rest>
auto& last_of(A& a, Rest&... rest)
{
    if constexpr (sizeof...(Rest) == 0)
        return a;
    else
        return last_of(rest...);
}
template <class F>
inline constexpr bool is_no_field = dimensions_of<std::remove_cvref_t<F>>() == 0;
/// True if the last argument of run() is a kernel: a function of a row of cells.
template <std::size_t D, class... F>
inline constexpr bool ends_with_kernel = [] {
    using last = std::remove_reference_t<decltype(last_of(std::declval<F&>()...))>;
    return is_no_field<last> && std::is_invocable_v<last&, const row<D>&>;
}();

} // namespace detail

// The arguments of a halo behind the first field: more fields, and options, which come last.  A parameter that
// gets no argument, or one in braces, is the options.
#define MPIORTHO_CLASSES(D)                                                                                  \
    class A2 = const halo_options<D>&, class A3 = const halo_options<D>&, class A4 = const halo_options<D>&, \
          class A5 = const halo_options<D>&, class A6 = const halo_options<D>&,                              \
          class A7 = const halo_options<D>&, class A8 = const halo_options<D>&,                              \
          class A9 = const halo_options<D>&, class... More
#define MPIORTHO_PARAMETERS                                                                                  \
    A2 &&a2 = {}, A3 &&a3 = {}, A4 &&a4 = {}, A5 &&a5 = {}, A6 &&a6 = {}, A7 &&a7 = {}, A8 &&a8 = {},        \
       A9 &&a9 = {}, More && ... more
#define MPIORTHO_TYPES A2, A3, A4, A5, A6, A7, A8, A9, More...
#define MPIORTHO_ARGUMENTS                                                                                   \
    std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5),                  \
        std::forward<A6>(a6), std::forward<A7>(a7), std::forward<A8>(a8), std::forward<A9>(a9),              \
        std::forward<More>(more)...

/// An exchange of ghost layers, prepared: a persistent operation.
///
/// halo(g, u, v, ..., options) fills the ghost layers of u, v, ...: fields, views, or lists of these,
/// std::vector, std::array or arrays, of any element types.  All of them travel in one message a partner.  Up
/// to 8 arguments may stand before options in braces, any number before halo_options<D>{...}.  On a grid g the
/// stencil says which ghost regions are filled; on a communicator with a Cartesian name all 3^D - 1 are.
/// Ghosts at borders of the grid get what options.boundary says; they are not touched if it says nothing.
/// Making it is collective.  The halo refers to the memory of the arrays: after swap(u, v) run() and start()
/// take the memory that u had before, and run(u) that which it has now.  The memory must live as long as it is
/// exchanged.
///
/// A halo on a grid without this process, for which `if (g)` does not hold, exchanges nothing.
///
/// `Elements` is what the compiler knows of the fields.  halo<D>, which knows nothing, can be made from every
/// other one: mpiortho::halo<2> member = mpiortho::halo(g, u).  halo_of<2, double> knows the element types.
template <std::size_t D, class Elements = detail::unknown>
class halo;

template <std::size_t D>
class halo<D, detail::unknown> : public operation {
public:
    halo() = default;
    template <communicator_like C, class F, MPIORTHO_CLASSES(D)>
    [[nodiscard("it is prepared, and not started: keep it, and call start() or run()")]] halo(
        const C& comm, F&& f, MPIORTHO_PARAMETERS)
        : halo(make<false>(comm, MPI_OP_NULL, std::forward<F>(f), MPIORTHO_ARGUMENTS))
    {}

    /// Other arrays of the same shapes and types, from the next start on: for double buffering.  Local.
    /// Arrays of other shapes or types are an error, MPI_ERR_ARG.
    template <class... F>
    void rebind(F&&... fields)
    {
        if constexpr ((detail::is_right<D, F>() && ...)) {
            if constexpr ((detail::single_field<std::remove_cvref_t<F>> && ...)) { // it takes no memory
                any_field<D> all[] = {any_field<D>(fields)...};
                ORTHO_Field described[sizeof...(F)];
                rebind_to(all, described);
            } else {
                detail::list<any_field<D>> all;
                (detail::add_field<D>(all, fields), ...);
                detail::list<ORTHO_Field> described(all.size());
                rebind_to({all.data(), all.size()}, {described.data(), described.size()});
            }
        }
    }

    using operation::run;
    using operation::start;
    /// rebind(fields...) and start() in one: nothing to forget after a swap.
    template <class... F>
    requires(sizeof...(F) > 0) pending start(F&&... fields)
    &
    {
        rebind(std::forward<F>(fields)...);
        return operation::start();
    }
    template <class... F>
    requires(sizeof...(F) > 0) pending start(F&&... fields) && = delete;
    /// rebind(fields...) and run() in one.
    ///
    /// run(fields..., kernel) computes while messages travel: it starts, calls kernel(row<D>) for the rows of
    /// owned cells that no ghost is near to, waits, and calls it for all other rows of owned cells, each cell
    /// once.  Cells are those of the first field, in its own coordinates: ghosts of a view begin at 0.  Near is
    /// what the widest ghosts of any field reach.
    template <class... F>
    requires(sizeof...(F) > 0) void run(F&&... fields)
    {
        if constexpr (detail::ends_with_kernel<D, F...>) {
            static_assert(sizeof...(F) > 1 && (0 + ... + (detail::is_no_field<F> ? 1 : 0)) == 1,
                          "mpiortho: halo::run has a kernel behind its fields");
            detail::list<any_field<D>> all;
            const auto take = [&all](auto& f) {
                if constexpr (!detail::is_no_field<decltype(f)>) detail::add_field<D>(all, f);
            };
            (take(fields), ...);
            run_around(all, detail::last_of(fields...));
        } else {
            constexpr bool is_field = !detail::is_no_field<decltype(detail::last_of(fields...))>;
            static_assert(is_field,
                          "mpiortho: the last argument of halo::run is no field, and no kernel: that "
                          "takes const row<D>&, a row of cells");
            if constexpr (is_field) rebind(std::forward<F>(fields)...);
            operation::run();
        }
    }

    /// The ghost regions of a field that nothing fills, since they lie beyond a border of the grid: sides, in
    /// dimensions of the grid.  field::ghosts(side) are the ghosts there, field::beside(side) the owned
    /// elements beside them.
    std::vector<point<D>> unfilled(int field = 0) const
    {
        int n = 0;
        detail::check_code(ORTHO_Halo_unfilled(get(), field, 0, nullptr, &n), comm());
        std::vector<point<D>> result(static_cast<std::size_t>(n));
        if (n > 0) detail::check_code(ORTHO_Halo_unfilled(get(), field, n, result[0].data(), &n), comm());
        return result;
    }

    /// Brings the owned elements of a field, of the array that the halo has now, to their places in `whole`
    /// at the root, a field or a view without ghosts; elsewhere it may be empty.  Collective.
    template <class W>
    void gather(W&& whole, int root, int field = 0) const
    {
        move(ORTHO_Halo_gather, whole, root, field);
    }
    /// The reverse: each part of the root's `whole` to the process that owns it.
    template <class W>
    void scatter(const W& whole, int root, int field = 0) const
    {
        move(ORTHO_Halo_scatter, whole, root, field);
    }

private:
    friend struct detail::reverse;

    template <class Kernel>
    void run_around(detail::list<any_field<D>>& all, Kernel& kernel)
    {
        give_own_ghosts({all.data(), all.size()});
        point<D> extents{}, first{};
        ghost_widths<D> widest{};
        for (std::size_t k = 0; k < D; ++k)
            for (const any_field<D>& f : all) {
                const auto below = static_cast<int>(f.lower[k]), above = static_cast<int>(f.upper[k]);
                if (&f == all.data()) {
                    extents[k] = static_cast<int>(f.sizes[k]) - below - above;
                    first[k] = f.has_ghosts ? 0 : below; // views count from their first ghost on
                }
                if (below > widest.lower[k]) widest.lower[k] = below;
                if (above > widest.upper[k]) widest.upper[k] = above;
            }
        const owned_cells<D> cells(extents, widest, first);
        pending under_way = start(all);
        for (const row<D>& inner : cells.interior()) kernel(inner);
        under_way.wait();
        for (const row<D>& outer : cells.boundary_rows()) kernel(outer);
    }

    halo(operation prepared, const halo_options<D>& options)
        : operation(std::move(prepared)),
          ghosts_(options.ghosts),
          dimension_(options.dimension)
    {}

    /// `a`: fields, then the operator of a reduction, then options.
    template <bool reduces, class C, class... A>
    static halo make(const C& comm, MPI_Op op, A&&... a)
    {
        const halo_options<D>* options = nullptr;
        detail::list<any_field<D>> fields;
        (take<reduces, A>(fields, options, a), ...);
        static const halo_options<D> usual;
        if (options == nullptr) options = &usual;
        bool is_part = true;
        if constexpr (std::is_base_of_v<grid<D>, C>) is_part = static_cast<bool>(comm);
        ORTHO_Request none = ORTHO_REQUEST_NULL;
        detail::check_together(
            comm, [&] { give_ghosts(fields, options->ghosts, comm); },
            [&] { init(-1, nullptr, op, comm, options->info, none); });
        if (is_part) return halo(prepare(comm, op, fields, *options), *options);
        // A process without a part is alone on a grid, and has no region filled.
        halo_options<D> nothing = *options;
        const auto none_crosses = [](int, const point<D>&) { return false; };
        nothing.crosses = none_crosses;
        halo made(prepare(alone(), op, fields, nothing), nothing);
        made.is_part_ = false;
        return made;
    }
    template <bool reduces, class A>
    static void take(detail::list<any_field<D>>& fields, const halo_options<D>*& options,
                     std::remove_reference_t<A>& a)
    {
        using plain = std::remove_cvref_t<A>;
        if constexpr (detail::is_options<plain>) {
            static_assert(std::is_same_v<plain, halo_options<D>>,
                          "mpiortho: the options have another number of dimensions than the grid");
            if (options == nullptr) options = &a; // those behind it are there by default
        } else if constexpr (!reduces || detail::dimensions_of<plain>() > 0) {
            if constexpr (detail::is_right<D, A>()) detail::add_field<D>(fields, a);
        }
    }
    static communicator alone()
    {
        point<D> one{};
        one.fill(1);
        const point<D> no_periods{};
        MPI_Comm made = MPI_COMM_NULL;
        detail::check_mpi(
            MPI_Cart_create(detail::self(), static_cast<int>(D), one.data(), no_periods.data(), 0, &made),
            MPI_COMM_NULL, "MPI_Cart_create");
        return communicator(made);
    }

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
            detail::fail_on(
                comm, MPI_ERR_ARG,
                "mpiortho::halo: a view does not say how many ghost layers it has: pass {.ghosts = 1}");
        if (!some_get_them && given && some_differ)
            detail::fail_on(comm, MPI_ERR_ARG,
                            "mpiortho::halo: the ghosts of the options are not those that the fields have");
    }

    static void describe(std::span<any_field<D>> fields, std::span<ORTHO_Field> described,
                         const point<D>& dimension)
    {
        for (std::size_t i = 0; i < fields.size(); ++i) {
            any_field<D>& f = fields[i];
            ORTHO_Field& d = described[i] = ORTHO_FIELD_INIT;
            d.base = f.base;
            d.element = f.element;
            d.sizes = f.sizes.data();
            d.lower = f.lower.data();
            d.upper = f.upper.data();
            d.strides = f.strides.data();
            d.dimension = dimension.data();
        }
    }

    static int init(int n, const ORTHO_Field* fields, MPI_Op op, MPI_Comm comm, MPI_Info info,
                    ORTHO_Request& request)
    {
        const int d = static_cast<int>(D);
        return op == MPI_OP_NULL ? ORTHO_Halo_fields_init(n, fields, d, comm, info, &request)
                                 : ORTHO_Halo_reduce_fields_init(n, fields, d, op, comm, info, &request);
    }
    static operation prepare(MPI_Comm comm, MPI_Op op, detail::list<any_field<D>>& fields,
                             const halo_options<D>& options)
    {
        detail::list<ORTHO_Field> described(fields.size());
        describe({fields.data(), fields.size()}, {described.data(), described.size()}, options.dimension);
        detail::list<ORTHO_Boundary> sides(2 * D * fields.size());
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const boundaries<D>& given = fields[i].boundary ? *fields[i].boundary : options.boundary;
            ORTHO_Boundary* const first = sides.data() + 2 * D * i;
            for (std::size_t k = 0; k < D; ++k) {
                first[2 * k] = given.lower[k];
                first[2 * k + 1] = given.upper[k];
            }
            described[i].boundary = first;
        }
        detail::list<point<D>> regions; // of all fields
        if (options.crosses)
            for (std::size_t i = 0; i < fields.size(); ++i)
                described[i].ndirections = options.crosses(static_cast<int>(i), regions);
        static constexpr int none = 0; // no null pointer: it is meant so
        std::size_t region = 0;
        for (ORTHO_Field& d : described) {
            if (d.ndirections == 0) d.directions = &none;
            if (d.ndirections <= 0) continue;
            d.directions = regions[region].data();
            region += static_cast<std::size_t>(d.ndirections);
        }
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        const int n = static_cast<int>(described.size());
        detail::check_code(init(n, described.data(), op, comm, options.info, request), comm);
        operation made(request, comm);
        MPIORTHO_IF_CHECKED(made.watch(fields);)
        return made;
    }

    void give_own_ghosts(std::span<any_field<D>> fields) const
    {
        for (any_field<D>& f : fields)
            for (std::size_t k = 0; k < D && !f.has_ghosts; ++k) {
                f.lower[k] = ghosts_.lower[k];
                f.upper[k] = ghosts_.upper[k];
            }
    }
    void rebind_to(std::span<any_field<D>> fields, std::span<ORTHO_Field> described)
    {
        give_own_ghosts(fields);
        describe(fields, described, dimension_);
        detail::check_code(
            ORTHO_Halo_rebind_fields(get(), static_cast<int>(described.size()), described.data()), comm());
        MPIORTHO_IF_CHECKED(watch(fields);)
    }

    template <class W>
    void move(int (*call)(ORTHO_Request, int, const ORTHO_Field*, int), const W& whole, int root,
              int field) const
    {
        if (!is_part_) return;
        MPIORTHO_IF_CHECKED(require_arrays();)
        any_field<D> all(const_cast<W&>(whole));
        ORTHO_Field described;
        describe({&all, 1}, {&described, 1}, dimension_);
        detail::check_code(call(get(), field, &described, root), comm());
    }

    ghost_widths<D> ghosts_; // of views
    point<D> dimension_ = {};
    bool is_part_ = true; ///< of the grid
};

template <std::size_t D, class Elements>
class halo : public halo<D> {
public:
    halo() = default;
    template <communicator_like C, class F, MPIORTHO_CLASSES(D)>
    [[nodiscard("it is prepared, and not started: keep it, and call start() or run()")]] halo(
        const C& comm, F&& f, MPIORTHO_PARAMETERS)
        : halo<D>(comm, std::forward<F>(f), MPIORTHO_ARGUMENTS)
    {}

    using halo<D>::run;
    using halo<D>::start;
    template <class... F>
    void rebind(F&&... fields)
    {
        check_types<F...>();
        halo<D>::rebind(std::forward<F>(fields)...);
    }
    template <class... F>
    requires(sizeof...(F) > 0) pending start(F&&... fields)
    &
    {
        check_types<F...>();
        return halo<D>::start(std::forward<F>(fields)...);
    }
    template <class... F>
    requires(sizeof...(F) > 0) pending start(F&&... fields) && = delete;
    template <class... F>
    requires(sizeof...(F) > 0) void run(F&&... fields)
    {
        check_types<F...>();
        halo<D>::run(std::forward<F>(fields)...);
    }

private:
    friend struct detail::reverse;

    explicit halo(halo<D>&& made) : halo<D>(std::move(made)) {}
    template <class... F>
    static consteval void check_types()
    {
        static_assert(
            detail::may_take<Elements, detail::elements_of<F...>>,
            "mpiortho: these are not as many fields, of the same element types, as the halo was made "
            "with");
    }
};
template <communicator_like C, class F, MPIORTHO_CLASSES((detail::dimensions_on<C, F>()))>
halo(const C&, F&&, MPIORTHO_PARAMETERS)
    -> halo<detail::dimensions_on<C, F>(), detail::elements_of<F, MPIORTHO_TYPES>>;

/// The type of a halo of fields, or views, of these element types, for a member of a class:
/// mpiortho::halo_of<2, double, int> halo_; ... halo_ = mpiortho::halo(g, u, flags).
template <std::size_t D, class... T>
using halo_of = halo<D, detail::elements<T...>>;

namespace detail {

/// halo_reduce() on anything.
struct reverse {
    template <std::size_t D, class Elements, class C, class... A>
    static halo<D, Elements> make(const C& comm, A&&... a)
    {
        MPI_Op op = MPI_OP_NULL;
        constexpr bool has_operator = (is_operator<A>() || ...);
        static_assert(has_operator,
                      "mpiortho: halo_reduce takes std::plus<> and its like, minimum, maximum, or an MPI_Op");
        (take(op, a), ...);
        return halo<D, Elements>(halo<D>::template make<true>(comm, op, std::forward<A>(a)...));
    }

private:
    template <class A>
    static consteval bool is_operator()
    {
        using plain = std::remove_cvref_t<A>;
        if constexpr (dimensions_of<plain>() > 0 || is_options<plain>)
            return false;
        else
            return mpi_op<plain> || recognised<plain>::value != known_op::none;
    }
    template <class A>
    static void take(MPI_Op& op, const A& a)
    {
        if constexpr (!is_operator<A>())
            return;
        else if constexpr (mpi_op<A>)
            op = a;
        else
            op = predefined(recognised<A>::value);
    }
};

} // namespace detail

/// The reverse: ghosts are sent to their owners, and added to the owned elements by an operator that
/// commutes, such as std::plus<>{}.  Ghosts are not changed.  The arguments are those of a halo; the operator
/// stands behind the fields: halo_reduce(g, u, v, std::plus<>{}, options).
template <communicator_like C, class F, std::size_t D = detail::dimensions_on<C, F>(), MPIORTHO_CLASSES(D)>
[[nodiscard("it is prepared, and not started: keep it, and call start() or run()")]] auto halo_reduce(
    const C& comm, F&& f, MPIORTHO_PARAMETERS)
{
    return detail::reverse::make<D, detail::elements_of<F, MPIORTHO_TYPES>>(comm, std::forward<F>(f),
                                                                            MPIORTHO_ARGUMENTS);
}

#undef MPIORTHO_CLASSES
#undef MPIORTHO_PARAMETERS
#undef MPIORTHO_TYPES
#undef MPIORTHO_ARGUMENTS

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
