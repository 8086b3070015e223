// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether the elements of an array lie one after another in memory.  This part of <mpiortho.hpp> is
// one that users need not know.
//
// A type with data() and size() may be a row of a matrix, which does not lie so.  Arrays that tell their
// extents and strides are looked at when a call is made: those of Eigen, Kokkos, xtensor and Boost, and
// std::mdspan.  Standard containers and what is like them are known to the compiler.  Other types do not
// compile.
#ifndef MPIORTHO_IN_A_ROW_HPP
#define MPIORTHO_IN_A_ROW_HPP

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "error.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {
namespace detail {

template <class V>
concept has_data_handle = requires(V& v)
{
    *v.data_handle();
};
template <class V>
concept has_data = requires(V& v)
{
    *v.data();
};

template <class V>
concept has_extents = requires(V& v, std::size_t k)
{
    static_cast<std::size_t>(v.extent(k));
    static_cast<std::size_t>(v.stride(k));
};
template <class V>
concept has_rank = requires
{
    V::rank();
}
|| requires { V::rank; }
|| requires { V::Rank; };

template <class V>
consteval std::size_t rank_of_view()
{
    if constexpr (requires { V::rank(); })
        return static_cast<std::size_t>(V::rank());
    else if constexpr (requires { V::rank; })
        return static_cast<std::size_t>(V::rank);
    else if constexpr (requires { V::Rank; })
        return static_cast<std::size_t>(V::Rank);
    else
        return 0; // no view
}

template <class P>
inline constexpr bool points_to_elements = std::is_pointer_v<P> && !std::is_void_v<std::remove_pointer_t<P>>;
/// Its elements are in memory, and none is computed when it is read.
template <class B>
concept has_pointer = requires(B& b)
{
    requires points_to_elements<decltype(std::data(b))>;
}
|| requires(B& b)
{
    requires points_to_elements<decltype(b.data_handle())>;
    requires std::is_lvalue_reference_v<typename B::reference>;
};

template <class B>
auto* pointer_of(B& b)
{
    if constexpr (has_data_handle<B>)
        return b.data_handle();
    else if constexpr (requires { static_cast<std::ptrdiff_t>(b.data_offset()); })
        return b.data() + b.data_offset(); // xtensor's data() of a part is that of the whole
    else
        return std::data(b);
}

/// Arrays that tell extents and strides in one of three ways: as Eigen, as std::mdspan and Kokkos, as xtensor
/// and Boost.
template <class B>
concept strided_matrix = has_pointer<B> && requires(B& b)
{
    static_cast<std::ptrdiff_t>(b.rows() + b.cols());
    static_cast<std::ptrdiff_t>(b.rowStride() + b.colStride());
};
template <class B>
concept strided_view = has_pointer<B> && has_rank<B> && has_extents<B>;
template <class B>
concept strided_by_lists = has_pointer<B> && requires(B& b)
{
    static_cast<std::ptrdiff_t>(b.shape()[0]);
    static_cast<std::ptrdiff_t>(b.strides()[0]);
} &&(
    requires { B::dimensionality; } || requires(B & b) { std::size(b.shape()); });
template <class B>
concept tells_strides = strided_matrix<B> || strided_view<B> || strided_by_lists<B>;

/// Older containers, whose iterators do not say that they are contiguous: a look at some elements will do.
template <class B>
concept has_iterators = has_pointer<B> && requires(B& b)
{
    static_cast<std::size_t>(std::size(b));
    {
        std::begin(b)
        } -> std::random_access_iterator;
    requires std::is_same_v<decltype(*std::begin(b)), decltype(*std::data(b))>;
};
template <class B>
concept lies_in_a_row =
    tells_strides<B> ||(std::ranges::contiguous_range<B>&& std::ranges::sized_range<B>) || has_iterators<B>;
/// Nobody knows how the elements of this one lie.
template <class B>
concept lies_somehow = !lies_in_a_row<B> && requires(B & b)
{
    *std::data(b);
    std::size(b);
};

/// Which dimension of an array changes fastest in memory.
enum class fastest { unknown, first, last, another };

/// Elements of an array.
template <class T>
struct row_of {
    T* data;
    std::size_t size;
    bool is_row = true; ///< they lie one after another
    fastest dimension = fastest::unknown;
};

/// Elements lie in a row if the strides are 1, the extent of that dimension, the product of that of two, and
/// so on, in any order of the dimensions.
template <class T, class Extent, class Stride>
row_of<T> row_by_strides(T* data, std::size_t rank, Extent extent, Stride stride)
{
    std::ptrdiff_t n = 1;
    std::size_t first = rank; // dimensions with more than one element: the first, and the last
    std::size_t last = rank;
    for (std::size_t k = 0; k < rank; ++k) {
        n *= extent(k);
        if (extent(k) < 2) continue;
        last = k;
        if (first == rank) first = k;
    }
    row_of<T> result{data, static_cast<std::size_t>(n)};
    for (std::ptrdiff_t next = 1; next < n;) {
        std::size_t k = 0;
        while (k < rank && !(extent(k) > 1 && stride(k) == next)) ++k;
        if (k == rank) {
            result.is_row = false;
            break;
        }
        if (next == 1 && first != last)
            result.dimension = k == first ? fastest::first : k == last ? fastest::last : fastest::another;
        next *= extent(k);
    }
    return result;
}

/// True for a type whose elements never lie in a row.  Eigen's types tell strides that do not change.
template <class B>
consteval bool never_lies_in_a_row()
{
    if constexpr (requires { static_cast<int>(B::InnerStrideAtCompileTime); }) {
        constexpr int step = B::InnerStrideAtCompileTime; // -1: not known
        constexpr int inner = B::InnerSizeAtCompileTime;
        constexpr int outer = B::IsRowMajor ? B::RowsAtCompileTime : B::ColsAtCompileTime;
        constexpr int stride = B::OuterStrideAtCompileTime;
        return (inner != 1 && step > 1) || (outer != 1 && inner > 1 && stride > 0 && stride != inner);
    } else
        return false;
}

/// The elements of an array.  Whether they lie in a row is for the caller to see.
template <class B>
auto row_in(B& b)
{
    static_assert(!lies_somehow<B>,
                  "mpiortho: nothing says that these elements lie in a row: pass std::span, typed{pointer, "
                  "count, datatype} or, to a halo, any_field");
    static_assert(lies_in_a_row<B> || lies_somehow<B>, "mpiortho: this has no elements in a row");
    using number = std::ptrdiff_t;
    if constexpr (strided_matrix<B>) {
        static_assert(!never_lies_in_a_row<B>(),
                      "mpiortho: these elements do not lie in a row: pass a copy, typed{pointer, count, "
                      "datatype} or, to a halo, any_field");
        return row_by_strides(
            pointer_of(b), 2,
            [&](std::size_t k) { return static_cast<number>(k == 0 ? b.rows() : b.cols()); },
            [&](std::size_t k) { return static_cast<number>(k == 0 ? b.rowStride() : b.colStride()); });
    } else if constexpr (strided_view<B>) {
        return row_by_strides(
            pointer_of(b), rank_of_view<B>(), [&](std::size_t k) { return static_cast<number>(b.extent(k)); },
            [&](std::size_t k) { return static_cast<number>(b.stride(k)); });
    } else if constexpr (strided_by_lists<B>) {
        const auto rank = [&] {
            if constexpr (requires { B::dimensionality; })
                return static_cast<std::size_t>(B::dimensionality);
            else
                return static_cast<std::size_t>(std::size(b.shape()));
        }();
        return row_by_strides(
            pointer_of(b), rank, [&](std::size_t k) { return static_cast<number>(b.shape()[k]); },
            [&](std::size_t k) { return static_cast<number>(b.strides()[k]); });
    } else if constexpr (std::ranges::contiguous_range<B> && std::ranges::sized_range<B>) {
        auto* const data = std::ranges::data(b);
        return row_of<std::remove_pointer_t<decltype(std::ranges::data(b))>>{
            data, static_cast<std::size_t>(std::ranges::size(b))};
    } else {
        auto* const data = std::data(b);
        const auto n = static_cast<number>(std::size(b));
        const auto is_at = [&](number i) { return &*(std::begin(b) + i) == data + i; };
        const bool is_row = n == 0 || (is_at(0) && is_at(n - 1) && (n < 2 || is_at(1)));
        return row_of<std::remove_pointer_t<decltype(std::data(b))>>{data, static_cast<std::size_t>(n),
                                                                     is_row};
    }
}

/// The elements of an array, without const.
template <class B>
using element_in = std::remove_cv_t<std::remove_pointer_t<decltype(row_in(std::declval<B&>()).data)>>;

/// A std::span, made of whatever has its elements in a row: lists of ranks and numbers, memory of windows.
/// (std::span itself takes the first elements of the whole array for a row of xtensor's.)
template <class T>
class row_span : public std::span<T> {
public:
    using std::span<T>::span;
    template <class R, class B = std::remove_reference_t<R>>
    requires(lies_in_a_row<B> &&
             (std::is_lvalue_reference_v<R> || std::is_const_v<T>)&&std::is_convertible_v<
                 std::remove_pointer_t<decltype(row_in(std::declval<B&>()).data)> (*)[], T (*)[]>)
        row_span(R&& from)
        : std::span<T>(of(from))
    {}

private:
    static std::span<T> of(auto& from)
    {
        const auto row = row_in(from);
        if (!row.is_row)
            throw error(MPI_ERR_BUFFER, MPI_COMM_NULL,
                        "mpiortho: the elements of a list do not lie in a row: pass a copy of them");
        return {row.data, row.size};
    }
};

} // namespace detail
} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
