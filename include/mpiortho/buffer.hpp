// SPDX-License-Identifier: BSD-3-Clause
// The buffers of collectives: a part of <mpiortho.hpp>.
//
// A buffer is, in this order: a type with buffer_traits; a type with members mpi_data(), mpi_count() and
// mpi_type(); elements that lie one after another, as in std::vector, std::array, std::span; one element.
// A matrix, or a view, that tells its strides is a buffer where its elements lie one after another.  They travel
// in the order in which they lie.
#ifndef MPIORTHO_BUFFER_HPP
#define MPIORTHO_BUFFER_HPP

#include <span>

#include "communicator.hpp"
#include "datatype.hpp"
#include "in_a_row.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Make a type of somebody else's a buffer: specialise this with static functions data(buffer), a pointer,
/// count(buffer), and type(buffer), an MPI_Datatype.
template <class B>
struct buffer_traits {};

/// A buffer by hand: `count` elements of any MPI_Datatype.
template <class Pointer>
struct typed {
    Pointer data;
    MPI_Count count;
    MPI_Datatype type;

    Pointer mpi_data() const noexcept { return data; }
    MPI_Count mpi_count() const noexcept { return count; }
    MPI_Datatype mpi_type() const noexcept { return type; }
};
template <class Pointer>
typed(Pointer, MPI_Count, MPI_Datatype) -> typed<Pointer>;

/// As send buffer: the data are in the receive buffer (MPI_IN_PLACE).
struct in_place_t {};
inline constexpr in_place_t in_place{};

namespace detail {

template <class B>
concept has_buffer_traits = requires(B& b)
{
    buffer_traits<std::remove_cv_t<B>>::data(b);
    buffer_traits<std::remove_cv_t<B>>::count(b);
    buffer_traits<std::remove_cv_t<B>>::type(b);
};
template <class B>
concept has_buffer_members = requires(B& b)
{
    b.mpi_data();
    b.mpi_count();
    b.mpi_type();
};
template <class T>
inline constexpr bool is_typed = false;
template <class P>
inline constexpr bool is_typed<typed<P>> = true;

/// Does a buffer that is passed as B&& live on when the call returns?
template <class B>
inline constexpr bool lives_on = std::is_lvalue_reference_v<B> ||
                                 std::ranges::enable_borrowed_range<std::remove_cvref_t<B>> ||
                                 is_typed<std::remove_cvref_t<B>> ||
                                 std::is_same_v<std::remove_cvref_t<B>, in_place_t>;

/// A buffer, with the type of its elements (void where that is not known).
template <class Pointer, class T>
struct described {
    using element_type = T;
    Pointer data;
    MPI_Count count;
    MPI_Datatype type;
    bool is_row = true; ///< else the elements do not lie one after another
    fastest dimension = fastest::unknown;
};

template <class T>
auto describe_elements(const row_of<T>& row)
{
    using plain = std::remove_cv_t<T>;
    static_assert(
        is_element<plain>(),
        "mpiortho: the elements of the buffer have no MPI datatype (see travels_as_bytes, custom_datatype)");
    using pointer = std::conditional_t<std::is_const_v<T>, const void*, void*>;
    return described<pointer, plain>{row.data, static_cast<MPI_Count>(row.size), datatype<plain>(),
                                     row.is_row, row.dimension};
}

template <class B>
auto describe(B& b)
{
    using plain = std::remove_cv_t<B>;
    if constexpr (has_buffer_traits<B>) {
        using traits = buffer_traits<plain>;
        const auto data = traits::data(b);
        using pointee = std::remove_pointer_t<decltype(traits::data(b))>;
        using pointer = std::conditional_t<std::is_const_v<pointee>, const void*, void*>;
        return described<pointer, void>{data, static_cast<MPI_Count>(traits::count(b)), traits::type(b)};
    } else if constexpr (has_buffer_members<B>) {
        using pointee = std::remove_pointer_t<decltype(b.mpi_data())>;
        using pointer = std::conditional_t<std::is_const_v<pointee>, const void*, void*>;
        return described<pointer, void>{b.mpi_data(), static_cast<MPI_Count>(b.mpi_count()), b.mpi_type()};
    } else if constexpr (lies_in_a_row<B> || (lies_somehow<B> && !is_element<plain>())) {
        return describe_elements(row_in(b));
    } else {
        static_assert(is_element<plain>(),
                      "mpiortho: this is no buffer: neither elements in a row, nor one element "
                      "with an MPI datatype");
        return describe_elements(row_of<B>{&b, 1});
    }
}

template <class B>
inline constexpr bool is_in_place = std::is_same_v<std::remove_cvref_t<B>, in_place_t>;

/// May elements of two buffers be combined?  Elements whose type is not known are the caller's care.
template <class A, class B>
inline constexpr bool same_elements = std::is_same_v<A, B> || std::is_void_v<A> || std::is_void_v<B>;

/// The basic type of a type, for MPI; void where that is not known.
template <class T>
consteval auto scalar_of()
{
    using scalar = typename flat<T>::scalar;
    if constexpr (has_custom_datatype<T> || has_custom_datatype<scalar>)
        return std::type_identity<void>();
    else if constexpr (travels_as_bytes<scalar>)
        return std::type_identity<std::byte>();
    else if constexpr (std::is_enum_v<scalar> && !std::is_same_v<scalar, std::byte>)
        return std::type_identity<std::underlying_type_t<scalar>>();
    else
        return std::type_identity<scalar>();
}
/// The call that is made, for errors.
struct caller {
    MPI_Comm comm;
    const char* function; // of this interface
    MPI_Comm handle() const { return comm; }
};
/// One matrix by rows and one by columns: each element would become another one.
template <class On, class S, class R>
void require_same_order(const On& on, const S& s, const R& r)
{
    if (s.dimension != fastest::unknown && r.dimension != fastest::unknown && s.dimension != r.dimension)
        [[unlikely]]
        fail_on(
            on.handle(), MPI_ERR_BUFFER,
            "mpiortho::%s: one of the send and receive buffers lies row by row, and the other one column by "
            "column: pass std::span if elements are to travel in the order in which they lie",
            on.function);
}
/// The elements that a call sends must be those that it receives.
template <class On, class S, class R>
void require_same_elements(const On& on, const S& s, const R& r)
{
    require_same_order(on, s, r);
    static_assert(same_elements<typename decltype(scalar_of<typename S::element_type>())::type,
                                typename decltype(scalar_of<typename R::element_type>())::type>,
                  "mpiortho: the send buffer and the receive buffer have different element types");
}

template <class On, class Described>
void require_row(const On& on, const Described& d, const char* which)
{
    if (!d.is_row) [[unlikely]]
        fail_on(on.handle(), MPI_ERR_BUFFER,
                "mpiortho::%s: the %lld elements of the %s buffer do not lie in a row: pass a copy, "
                "typed{pointer, count, datatype} or, to a halo, any_field",
                on.function, static_cast<long long>(d.count), which);
}

/// Elements of a buffer.
struct row_size {
    MPI_Count count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;

    MPI_Count bytes() const
    {
        int size = 0; // of an element
        if (type != MPI_DATATYPE_NULL) MPI_Type_size(type, &size);
        return count * size;
    }
};

/// A buffer to read.  `later`: it is read after the call has returned.
template <bool later, class On, class B>
auto to_send(const On& on, B&& b)
{
    static_assert(!later || lives_on<B>,
                  "mpiortho: the send buffer is a temporary, which does not live until the "
                  "operation is over");
    if constexpr (is_in_place<B>) {
        return described<const void*, void>{MPI_IN_PLACE, 0, MPI_DATATYPE_NULL};
    } else {
        const auto d = describe(b);
        require_row(on, d, "send");
        if constexpr (requires { on.sent; }) on.sent = {d.count, d.type};
        return described<const void*, typename decltype(d)::element_type>{d.data, d.count, d.type, d.is_row,
                                                                          d.dimension};
    }
}

/// A buffer to write.
template <class On, class B>
auto to_receive(const On& on, B&& b)
{
    static_assert(lives_on<B>,
                  "mpiortho: the receive buffer is a temporary, of which nobody will see what arrives");
    const auto d = describe(b);
    static_assert(std::is_same_v<decltype(d.data), void*>, "mpiortho: the receive buffer is const");
    require_row(on, d, "receive");
    if constexpr (requires { on.received; }) on.received = {d.count, d.type};
    return d;
}

/// A list of counts or displacements of exactly this type.
template <class Number, class L>
std::span<const Number> list_of(const L& list)
{
    if constexpr (std::is_convertible_v<const L&, row_span<const Number>>) {
        return row_span<const Number>(list);
    } else {
        static_assert(std::is_convertible_v<const L&, row_span<const Number>>,
                      "mpiortho: counts and displacements are lists of int; with large(comm), of MPI_Count "
                      "and MPI_Aint");
        return {};
    }
}

/// A few numbers, on the stack if there are not many.
template <class Number>
class small_list {
public:
    explicit small_list(std::size_t n)
    {
        if (n > here) {
            heap_ = list<Number>(n);
            data_ = heap_.data();
        }
    }
    small_list(const small_list&) = delete;
    Number& operator[](std::size_t i) { return data_[i]; }
    const Number* data() const { return data_; }

private:
    static constexpr std::size_t here = 64;
    Number stack_[here];
    list<Number> heap_;
    Number* data_ = stack_;
};

} // namespace detail
} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
