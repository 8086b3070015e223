// SPDX-License-Identifier: BSD-3-Clause
// Arrays with ghost layers: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_FIELD_HPP
#define MPIORTHO_FIELD_HPP

#include <array>
#include <climits>
#include <concepts>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <type_traits>
#include <utility>

#include "naming.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Ghost layers of an array: below and above the owned elements in each dimension.
template <std::size_t D>
struct ghost_widths {
    point<D> lower = {};
    point<D> upper = {};

    constexpr ghost_widths() = default;
    /// As many on all sides.
    constexpr ghost_widths(int all)
    {
        lower.fill(all);
        upper.fill(all);
    }
    constexpr ghost_widths(const point<D>& both) : lower(both), upper(both) {}
    constexpr ghost_widths(const point<D>& below, const point<D>& above) : lower(below), upper(above) {}
    constexpr bool operator==(const ghost_widths&) const = default;
};

/// A row of cells: `length` of them, which differ in the last coordinate, from `first` on.  A range of
/// points.
template <std::size_t D>
struct row {
    point<D> first = {};
    int length = 0;

    constexpr row() = default;
    constexpr row(const point<D>& from, int n) : first(from), length{n} {}

    struct iterator {
        using value_type = point<D>;
        using difference_type = std::ptrdiff_t;
        point<D> at = {};
        constexpr const point<D>& operator*() const { return at; }
        constexpr iterator& operator++()
        {
            ++at[D - 1];
            return *this;
        }
        constexpr iterator operator++(int)
        {
            iterator before = *this;
            ++*this;
            return before;
        }
        constexpr bool operator==(const iterator& other) const { return at[D - 1] == other.at[D - 1]; }
    };
    constexpr iterator begin() const { return {first}; }
    constexpr iterator end() const
    {
        iterator last{first};
        last.at[D - 1] += length;
        return last;
    }
    constexpr std::size_t size() const { return static_cast<std::size_t>(length); }
};

/// Cells with first[k] <= x[k] < last[k].
template <std::size_t D>
struct box {
    point<D> first = {};
    point<D> last = {};

    constexpr bool is_empty() const
    {
        for (std::size_t k = 0; k < D; ++k)
            if (first[k] >= last[k]) return true;
        return false;
    }
    constexpr std::size_t size() const
    {
        if (is_empty()) return 0;
        std::size_t n = 1;
        for (std::size_t k = 0; k < D; ++k) n *= static_cast<std::size_t>(last[k] - first[k]);
        return n;
    }
};

/// The rows of a box, or the cells of several boxes: what interior() and boundary() return.  The last
/// coordinate changes fastest.
template <std::size_t D, bool by_rows, std::size_t N>
class cells_of {
public:
    struct end_mark {};
    class iterator {
    public:
        using value_type = std::conditional_t<by_rows, row<D>, point<D>>;
        using difference_type = std::ptrdiff_t;
        iterator() = default;
        explicit constexpr iterator(const std::array<box<D>, N>& boxes) : boxes_(boxes) { enter(); }

        constexpr value_type operator*() const
        {
            if constexpr (by_rows)
                return row<D>(at_, boxes_[i_].last[D - 1] - at_[D - 1]);
            else
                return at_;
        }
        constexpr iterator& operator++()
        {
            const box<D>& b = boxes_[i_];
            for (std::size_t k = by_rows ? D - 1 : D; k-- > 0;) {
                if (++at_[k] < b.last[k]) return *this;
                at_[k] = b.first[k];
            }
            ++i_;
            enter();
            return *this;
        }
        constexpr void operator++(int) { ++*this; }
        constexpr bool operator==(end_mark) const { return i_ == N; }

    private:
        constexpr void enter()
        {
            while (i_ < N && boxes_[i_].is_empty()) ++i_;
            if (i_ < N) at_ = boxes_[i_].first;
        }
        std::array<box<D>, N> boxes_{};
        std::size_t i_ = 0;
        point<D> at_{};
    };

    explicit constexpr cells_of(const std::array<box<D>, N>& boxes) : boxes_(boxes) {}
    constexpr iterator begin() const { return iterator(boxes_); }
    constexpr end_mark end() const { return {}; }
    /// The number of cells.
    constexpr std::size_t cells() const
    {
        std::size_t n = 0;
        for (const box<D>& b : boxes_) n += b.size();
        return n;
    }
    const std::array<box<D>, N>& boxes() const { return boxes_; }

private:
    std::array<box<D>, N> boxes_;
};

/// The owned cells of an array with ghost layers, parted into those that do not need ghosts and those that
/// do.
template <std::size_t D>
class owned_cells {
public:
    /// Owned elements in each dimension, ghost layers, and the coordinates of the first owned cell.
    constexpr owned_cells(const point<D>& extents, const ghost_widths<D>& ghosts, const point<D>& first = {})
        : all_{first, first},
          inner_{}
    {
        for (std::size_t k = 0; k < D; ++k) {
            all_.last[k] = first[k] + extents[k];
            const int low = first[k] + ghosts.lower[k];
            inner_.first[k] = low < all_.last[k] ? low : all_.last[k];
            const int high = all_.last[k] - ghosts.upper[k];
            inner_.last[k] = high > inner_.first[k] ? high : inner_.first[k];
        }
    }

    /// Rows of cells that are at least a ghost width away from the border.
    constexpr cells_of<D, true, 1> interior() const { return cells_of<D, true, 1>({inner_}); }
    /// The other owned cells, each once.
    constexpr cells_of<D, false, 2 * D> boundary() const { return cells_of<D, false, 2 * D>(slabs()); }
    /// Rows of the boundary's cells.
    constexpr cells_of<D, true, 2 * D> boundary_rows() const { return cells_of<D, true, 2 * D>(slabs()); }
    /// Rows of all owned cells.
    constexpr cells_of<D, true, 1> owned() const { return cells_of<D, true, 1>({all_}); }

private:
    constexpr std::array<box<D>, 2 * D> slabs() const
    {
        std::array<box<D>, 2 * D> result{};
        for (std::size_t k = 0; k < D; ++k) {
            box<D> slab = all_;
            for (std::size_t j = 0; j < k; ++j) {
                slab.first[j] = inner_.first[j];
                slab.last[j] = inner_.last[j];
            }
            result[2 * k] = slab;
            result[2 * k].last[k] = inner_.first[k];
            result[2 * k + 1] = slab;
            result[2 * k + 1].first[k] = inner_.last[k];
        }
        return result;
    }

    box<D> all_;
    box<D> inner_;
};

template <std::size_t D>
class blocks;

/// How a field of a block is made: field<double, 2>(part, {.ghosts = 1}).
template <std::size_t D>
struct field_options {
    ghost_widths<D> ghosts = 1;
};

namespace detail {

/// A number that a field cannot have.  There is no communicator whose handler could be called.
[[noreturn, gnu::__format__(__printf__, 1, 2)]] inline void fail_field(const char* format, ...)
{
    char message[256] = {};
    va_list values;
    va_start(values, format);
    std::vsnprintf(message, sizeof message, format, values);
    va_end(values);
    throw error(MPI_ERR_ARG, MPI_COMM_NULL, message);
}

} // namespace detail

/// The elements of a field in a box, as references: what field::ghosts(side), beside(side) and mirror(side)
/// return.  The last coordinate changes fastest.  The elements of a mirror come backwards where side[k] is not
/// 0.
template <class Field, std::size_t D, bool is_mirror = false>
class elements_in {
    using cells_range = cells_of<D, false, 1>;

public:
    using end_mark = typename cells_range::end_mark;
    class iterator {
    public:
        using value_type = typename Field::value_type;
        using difference_type = std::ptrdiff_t;
        iterator() = default;
        iterator(Field* field, const cells_range& cells, const point<D>& side)
            : field_(field),
              cell_(cells.begin()),
              box_(cells.boxes()[0]),
              side_(side)
        {}
        auto& operator*() const { return (*field_)[cell()]; }
        /// Where the element is.
        point<D> cell() const
        {
            point<D> result = *cell_;
            if constexpr (is_mirror)
                for (std::size_t k = 0; k < D; ++k)
                    if (side_[k] != 0) result[k] = box_.first[k] + box_.last[k] - 1 - result[k];
            return result;
        }
        iterator& operator++()
        {
            ++cell_;
            return *this;
        }
        iterator operator++(int)
        {
            iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(end_mark end) const { return cell_ == end; }

    private:
        Field* field_ = nullptr;
        typename cells_range::iterator cell_;
        box<D> box_;
        point<D> side_{}; // of the field, where it is a mirror
    };

    elements_in(Field& field, const box<D>& where, const point<D>& side = {})
        : field_(&field),
          cells_({where}),
          side_(side)
    {}
    iterator begin() const { return {field_, cells_, side_}; }
    end_mark end() const { return {}; }
    std::size_t size() const { return cells_.cells(); }
    /// Where they are: a range of points.
    cells_range cells() const { return cells_; }

private:
    Field* field_;
    cells_range cells_;
    point<D> side_;
};

/// An array of D dimensions with ghost layers around the elements that the process owns, in row-major order.
///
/// Owned elements have coordinates from 0 on; ghosts have coordinates below 0, and from the extent on.
template <class T, std::size_t D>
class field {
public:
    using value_type = T;
    static constexpr std::size_t dimensions = D;

    field() = default;
    /// Elements that the process owns in each dimension, and ghost layers.  The elements are T{}.
    /// Throws mpiortho::error (MPI_ERR_ARG) for negative numbers, and for more elements than memory can have.
    explicit field(const point<D>& extents, const ghost_widths<D>& ghosts = 1)
        : field(nullptr, extents, ghosts)
    {
        memory_ = detail::list<T>(elements(extents, ghosts));
        base_ = memory_.data();
        MPIORTHO_IF_CHECKED(watched_ = detail::watched_memory::fresh();)
    }
    /// This process's part of an array that is divided over a grid (mpiortho/blocks.hpp).
    explicit field(const blocks<D>& part, const field_options<D>& options = {})
        : field(part.extents(), options.ghosts)
    {}
    /// A field in memory of yours: room for elements(extents, ghosts), from the first ghost on.
    field(T* memory, const point<D>& extents, const ghost_widths<D>& ghosts = 1)
        : base_(memory),
          extents_(extents),
          ghosts_(ghosts)
    {
        static_cast<void>(elements(extents, ghosts)); // checks them
        std::ptrdiff_t stride = 1;
        for (std::size_t k = D; k-- > 0;) {
            strides_[k] = stride;
            origin_ += stride * ghosts.lower[k];
            stride *= ghosts.lower[k] + extents[k] + ghosts.upper[k];
        }
    }
    MPIORTHO_IF_CHECKED(~field() { watched_.give_back(); })
    field(field&& other) noexcept { swap(other); }
    field& operator=(field&& other) noexcept
    {
        swap(other);
        return *this;
    }

    /// How many elements there are, ghosts included.
    static constexpr std::size_t elements(const point<D>& extents, const ghost_widths<D>& ghosts)
    {
        constexpr long long most = PTRDIFF_MAX / sizeof(T);
        long long n = 1;
        for (std::size_t k = 0; k < D; ++k) {
            require_not_negative("extents", k, extents[k]);
            require_not_negative("ghosts.lower", k, ghosts.lower[k]);
            require_not_negative("ghosts.upper", k, ghosts.upper[k]);
            const long long layers = static_cast<long long>(ghosts.lower[k]) + extents[k] + ghosts.upper[k];
            if (layers > INT_MAX || (layers > 0 && n > most / layers))
                detail::fail_field("mpiortho::field: extents[%zu] = %d makes more elements than memory has",
                                   k, extents[k]);
            n *= layers;
        }
        return static_cast<std::size_t>(n);
    }

    /// An element, by D ints or by a point.
    template <std::convertible_to<int>... Index>
    requires(sizeof...(Index) == D) T& operator()(Index... i)
    {
        return base_[place_of({static_cast<int>(i)...})];
    }
    template <std::convertible_to<int>... Index>
    requires(sizeof...(Index) == D) const T& operator()(Index... i) const
    {
        return base_[place_of({static_cast<int>(i)...})];
    }
    T& operator[](const point<D>& i) { return base_[place_of(i)]; }
    const T& operator[](const point<D>& i) const { return base_[place_of(i)]; }
    /// The elements of a row, which lie one after another.
    std::span<T> operator[](const row<D>& r) { return {base_ + place_of(r.first, r.length), r.size()}; }
    std::span<const T> operator[](const row<D>& r) const
    {
        return {base_ + place_of(r.first, r.length), r.size()};
    }

    /// Owned elements in each dimension.
    const point<D>& extents() const noexcept { return extents_; }
    const ghost_widths<D>& ghosts() const noexcept { return ghosts_; }
    /// From one element to the next in each dimension, in elements.
    const std::array<std::ptrdiff_t, D>& strides() const noexcept { return strides_; }
    /// Another field of this shape, whose elements are T{}.
    field like() const { return field(extents_, ghosts_); }
    /// The ghosts on one side: side[k] is -1 below the owned elements, 1 above them, else 0, as in
    /// halo::unfilled().
    elements_in<field, D> ghosts(const point<D>& side) { return {*this, box_at("ghosts", side, true)}; }
    elements_in<const field, D> ghosts(const point<D>& side) const
    {
        return {*this, box_at("ghosts", side, true)};
    }
    /// The owned elements beside them, in as many layers as there are ghosts, and in the same order: what lies
    /// at the other end of a periodic array of that many layers.
    elements_in<field, D> beside(const point<D>& side) { return {*this, box_at("beside", side, false)}; }
    elements_in<const field, D> beside(const point<D>& side) const
    {
        return {*this, box_at("beside", side, false)};
    }
    /// The owned elements beside ghosts, as a wall mirrors them: each in the place of the ghost that is as
    /// far from the face.
    elements_in<field, D, true> mirror(const point<D>& side)
    {
        return {*this, box_at("mirror", side, false), side};
    }
    elements_in<const field, D, true> mirror(const point<D>& side) const
    {
        return {*this, box_at("mirror", side, false), side};
    }
    /// All elements, from the first ghost on.
    T* data() noexcept { return base_; }
    const T* data() const noexcept { return base_; }

    /// Rows of owned cells that do not need ghosts, and the other owned cells.
    auto interior() const { return cells().interior(); }
    auto boundary() const { return cells().boundary(); }
    auto boundary_rows() const { return cells().boundary_rows(); }
    /// Rows of all owned cells.
    auto owned() const { return cells().owned(); }

    MPIORTHO_IF_CHECKED(const detail::watched_memory& watched() const noexcept { return watched_; })
    void swap(field& other) noexcept
    {
        MPIORTHO_IF_CHECKED(std::swap(watched_, other.watched_);)
        memory_.swap(other.memory_);
        std::swap(base_, other.base_);
        std::swap(extents_, other.extents_);
        std::swap(ghosts_, other.ghosts_);
        std::swap(strides_, other.strides_);
        std::swap(origin_, other.origin_);
    }
    friend void swap(field& a, field& b) noexcept { a.swap(b); }

private:
    owned_cells<D> cells() const { return {extents_, ghosts_}; }
    static constexpr void require_not_negative(const char* argument, std::size_t k, int n)
    {
        if (n < 0) detail::fail_field("mpiortho::field: %s[%zu] = %d is negative", argument, k, n);
    }
    /// The ghosts on a side, or the owned elements beside them.
    box<D> box_at(const char* function, const point<D>& side, bool ghosts) const
    {
        box<D> result{{}, extents_};
        for (std::size_t k = 0; k < D; ++k) {
            if (side[k] < -1 || side[k] > 1)
                detail::fail_field("mpiortho::field::%s: side[%zu] = %d is none of -1, 0, 1", function, k,
                                   side[k]);
            const int layers = side[k] < 0 ? ghosts_.lower[k] : ghosts_.upper[k];
            if (side[k] < 0) {
                result.first[k] = ghosts ? -layers : 0;
                result.last[k] = ghosts ? 0 : layers < extents_[k] ? layers : extents_[k];
            } else if (side[k] > 0) {
                result.first[k] = ghosts ? extents_[k] : layers < extents_[k] ? extents_[k] - layers : 0;
                result.last[k] = ghosts ? extents_[k] + layers : extents_[k];
            }
        }
        if (side == point<D>{})
            detail::fail_field("mpiortho::field::%s: side is 0 in all dimensions", function);
        return result;
    }
    MPIORTHO_IF_CHECKED(static std::array<char, 16 * D> text_of(const point<D>& p) {
        std::array<char, 16 * D> result{};
        for (std::size_t k = 0, at = 0; k < D; ++k)
            at += static_cast<std::size_t>(
                std::snprintf(&result[at], result.size() - at, "%s%d", k == 0 ? "" : ", ", p[k]));
        return result;
    })
    // The last of `length` elements in a row that begins at `i` is in the field, and so is the first one.
    MPIORTHO_IF_CHECKED(void require_inside(const point<D>& i, int length) const {
        for (std::size_t k = 0; k < D; ++k) {
            const long long last = i[k] + (k + 1 == D ? length - 1LL : 0LL);
            if (i[k] < -ghosts_.lower[k] || last >= extents_[k] + ghosts_.upper[k])
                detail::fail_field(
                    "mpiortho::field: (%s)%s is beyond the field at %p, which has extents (%s), "
                    "and (%s) and (%s) ghosts below and above",
                    text_of(i).data(), length == 1 ? "" : ", or the row from there,",
                    static_cast<const void*>(base_), text_of(extents_).data(), text_of(ghosts_.lower).data(),
                    text_of(ghosts_.upper).data());
        }
    })
    std::ptrdiff_t place_of(const point<D>& i, [[maybe_unused]] int length = 1) const
    {
        MPIORTHO_IF_CHECKED(require_inside(i, length);)
        std::ptrdiff_t at = origin_ + i[D - 1];
        for (std::size_t k = 0; k + 1 < D; ++k) at += i[k] * strides_[k];
        return at;
    }

    detail::list<T> memory_;
    MPIORTHO_IF_CHECKED(detail::watched_memory watched_;)
    T* base_ = nullptr;
    point<D> extents_ = {};
    ghost_widths<D> ghosts_;
    std::array<std::ptrdiff_t, D> strides_ = {};
    std::ptrdiff_t origin_ = 0; // the first owned element
};

/// An array of somebody else's, shaped like std::mdspan: extent(k), stride(k), data_handle() or data(), and
/// the number of dimensions, rank.  std::mdspan, Kokkos::View and others are such.
template <class V>
concept view = detail::has_rank<V> && detail::has_extents<V> &&
    (detail::has_data_handle<V> || detail::has_data<V>);

/// The owned cells of a view that has such ghosts; coordinates are the view's, so that ghosts begin at 0.
template <view V, std::size_t D = detail::rank_of_view<V>()>
owned_cells<D> owned_cells_of(const V& v, const ghost_widths<D>& ghosts)
{
    point<D> extents{};
    for (std::size_t k = 0; k < D; ++k)
        extents[k] = static_cast<int>(v.extent(k)) - ghosts.lower[k] - ghosts.upper[k];
    return {extents, ghosts, ghosts.lower};
}

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
