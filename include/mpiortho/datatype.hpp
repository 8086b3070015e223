// SPDX-License-Identifier: BSD-3-Clause
// Which MPI datatype a C++ type has: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_DATATYPE_HPP
#define MPIORTHO_DATATYPE_HPP

#include <unistd.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "error.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Say of a struct that its bytes may be sent as they are, for example:
///
///     template <>
///     inline constexpr bool mpiortho::travels_as_bytes<particle> = true;
///
/// The struct must be trivially copyable, and must not contain pointers.
template <class T>
inline constexpr bool travels_as_bytes = false;

/// Say which datatype a type has, where none of the rules below fits: specialise it with a static function
/// `MPI_Datatype get()`.  The datatype is committed, and is yours to free.
template <class T>
struct custom_datatype {};

namespace detail {

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<std::remove_cv_t<T>, Types> || ...);

/// The floating-point types that MPI knows.  Others, such as std::float64_t, have no datatype.
template <class T>
inline constexpr bool is_floating = is_one_of<T, float, double, long double>;
/// The built-in types that MPI knows.  Others, such as __int128, have no datatype.
template <class T>
inline constexpr bool is_builtin =
    is_floating<T> ||
    is_one_of<T, bool, std::byte, char, wchar_t, char8_t, char16_t, char32_t, signed char, short, int, long,
              long long, unsigned char, unsigned short, unsigned int, unsigned long, unsigned long long>;

/// std::complex and what is like it, without a need for <complex>: real and imaginary part, and nothing else.
template <class T>
inline constexpr bool is_complex = false;
template <class T>
requires requires(const T& z)
{
    typename T::value_type;
    {
        z.real()
        } -> std::convertible_to<typename T::value_type>;
    {
        z.imag()
        } -> std::convertible_to<typename T::value_type>;
    requires is_floating<typename T::value_type>;
    requires sizeof(T) == 2 * sizeof(typename T::value_type);
}
inline constexpr bool is_complex<T> = true;

/// An array of fixed size: its elements, and how many there are; other types are arrays of one.
template <class T>
struct flat {
    using scalar = T;
    static constexpr std::size_t size = 1;
    static constexpr bool is_array = false;
};
template <class T, std::size_t N>
struct flat<std::array<T, N>> {
    using scalar = typename flat<T>::scalar;
    static constexpr std::size_t size = N * flat<T>::size;
    static constexpr bool is_array = true;
};
template <class T, std::size_t N>
struct flat<T[N]> : flat<std::array<T, N>> {};

template <class T>
concept has_custom_datatype = requires
{
    {
        custom_datatype<T>::get()
        } -> std::same_as<MPI_Datatype>;
};

template <class T>
consteval bool is_element()
{
    using scalar = typename flat<T>::scalar;
    if constexpr (has_custom_datatype<T>)
        return true;
    else if constexpr (flat<T>::is_array)
        return is_element<scalar>();
    else if constexpr (travels_as_bytes<T>) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "mpiortho: travels_as_bytes is for trivially copyable types");
        return true;
    } else if constexpr (std::is_enum_v<T>)
        return is_builtin<std::underlying_type_t<T>>;
    else
        return is_builtin<T> || is_complex<T>;
}

/// The predefined datatype of a built-in or complex type.
template <class T>
MPI_Datatype builtin() noexcept
{
    if constexpr (is_complex<T>) {
        using part = typename T::value_type;
        if constexpr (std::is_same_v<part, float>)
            return MPI_C_FLOAT_COMPLEX;
        else if constexpr (std::is_same_v<part, double>)
            return MPI_C_DOUBLE_COMPLEX;
        else
            return MPI_C_LONG_DOUBLE_COMPLEX;
    } else if constexpr (std::is_same_v<T, double>)
        return MPI_DOUBLE;
    else if constexpr (std::is_same_v<T, float>)
        return MPI_FLOAT;
    else if constexpr (std::is_same_v<T, long double>)
        return MPI_LONG_DOUBLE;
    else if constexpr (std::is_same_v<T, bool>)
        return MPI_C_BOOL;
    else if constexpr (std::is_same_v<T, std::byte>)
        return MPI_BYTE;
    else if constexpr (std::is_same_v<T, char>)
        return MPI_CHAR;
    else if constexpr (std::is_same_v<T, wchar_t>)
        return MPI_WCHAR;
    else if constexpr (std::is_same_v<T, signed char>)
        return MPI_SIGNED_CHAR;
    else if constexpr (std::is_same_v<T, short>)
        return MPI_SHORT;
    else if constexpr (std::is_same_v<T, int>)
        return MPI_INT;
    else if constexpr (std::is_same_v<T, long>)
        return MPI_LONG;
    else if constexpr (std::is_same_v<T, long long>)
        return MPI_LONG_LONG;
    else if constexpr (std::is_same_v<T, unsigned short>)
        return MPI_UNSIGNED_SHORT;
    else if constexpr (std::is_same_v<T, unsigned int>)
        return MPI_UNSIGNED;
    else if constexpr (std::is_same_v<T, unsigned long>)
        return MPI_UNSIGNED_LONG;
    else if constexpr (std::is_same_v<T, unsigned long long>)
        return MPI_UNSIGNED_LONG_LONG;
    else if constexpr (std::is_same_v<T, char32_t>)
        return MPI_UINT32_T;
    else if constexpr (std::is_same_v<T, char16_t>)
        return MPI_UINT16_T;
    else {
        static_assert(is_one_of<T, unsigned char, char8_t>);
        return MPI_UNSIGNED_CHAR;
    }
}

/// A handle that lives until MPI_Finalize, which deletes the attributes of MPI_COMM_SELF first of all; in a
/// program with sessions alone until the program ends.  Meant for static objects: those of a plugin end when
/// it is closed.  A child of fork() frees nothing of its parent's.
template <class Handle, int (*free)(Handle*)>
class kept {
public:
    explicit kept(Handle handle) : handle_(handle), until_exit_(!has_world())
    {
        if (until_exit_) return;
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove, &key_, nullptr), MPI_COMM_SELF,
                  "MPI_Comm_create_keyval");
        check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key_, this), MPI_COMM_SELF, "MPI_Comm_set_attr");
    }
    ~kept()
    {
        if (process_ != getpid() || !is_running()) return;
        if (until_exit_)
            free(&handle_);
        else if (key_ != MPI_KEYVAL_INVALID)
            MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    }
    kept(const kept&) = delete;
    kept& operator=(const kept&) = delete;

    operator Handle() const noexcept { return handle_; }

private:
    static int remove(MPI_Comm, int, void* attribute, void*)
    {
        auto* const ended = static_cast<kept*>(attribute);
        MPI_Comm_free_keyval(&ended->key_);
        return free(&ended->handle_);
    }

    Handle handle_;
    bool until_exit_;
    int key_ = MPI_KEYVAL_INVALID;
    pid_t process_ = getpid();
};
using kept_type = kept<MPI_Datatype, MPI_Type_free>;

/// MPI_COMM_SELF, or what takes its place in a program with sessions alone.
inline MPI_Comm self()
{
#ifdef MPIORTHO_SESSIONS
    if (!has_world()) {
        static const kept<MPI_Session, MPI_Session_finalize> session([] {
            MPI_Session made = MPI_SESSION_NULL;
            check_mpi(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made), MPI_COMM_NULL,
                      "MPI_Session_init");
            return made;
        }());
        static const kept<MPI_Comm, MPI_Comm_free> alone([] {
            MPI_Group me = MPI_GROUP_NULL;
            MPI_Comm made = MPI_COMM_NULL;
            check_mpi(MPI_Group_from_session_pset(session, "mpi://SELF", &me), MPI_COMM_NULL,
                      "MPI_Group_from_session_pset");
            check_mpi(
                MPI_Comm_create_from_group(me, "mpiortho.alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
                MPI_COMM_NULL, "MPI_Comm_create_from_group");
            MPI_Group_free(&me);
            return made;
        }());
        return alone;
    }
#endif
    return MPI_COMM_SELF;
}

inline MPI_Datatype make_contiguous(std::size_t n, MPI_Datatype of)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    require_mpi("MPI_Type_contiguous");
    check_mpi(MPI_Type_contiguous(static_cast<int>(n), of, &type), MPI_COMM_SELF, "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type), MPI_COMM_SELF, "MPI_Type_commit");
    return type;
}

} // namespace detail

/// A type that can be sent: built-in, enum, complex, std::array of these, a struct that travels_as_bytes, or
/// a type with a custom_datatype.
template <class T>
concept element = detail::is_element<std::remove_cv_t<T>>();

/// The datatype of T.  It lives until MPI_Finalize, with sessions alone until the program ends.  Do not free
/// it.
template <element T>
MPI_Datatype datatype()
{
    using plain = std::remove_cv_t<T>;
    using flat = detail::flat<plain>;
    if constexpr (detail::has_custom_datatype<plain>)
        return custom_datatype<plain>::get();
    else if constexpr (flat::is_array) {
        static const detail::kept_type type(
            detail::make_contiguous(flat::size, datatype<typename flat::scalar>()));
        return type;
    } else if constexpr (travels_as_bytes<plain>) {
        static const detail::kept_type type(detail::make_contiguous(sizeof(plain), MPI_BYTE));
        return type;
    } else if constexpr (std::is_enum_v<plain> && !std::is_same_v<plain, std::byte>)
        return detail::builtin<std::underlying_type_t<plain>>();
    else
        return detail::builtin<plain>();
}

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
