// SPDX-License-Identifier: BSD-3-Clause
// Operators of reductions: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_OP_HPP
#define MPIORTHO_OP_HPP

#include "datatype.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// The smaller of two, the larger of two: MPI_MIN and MPI_MAX for numbers.
struct minimum {
    template <class T>
    constexpr T operator()(const T& a, const T& b) const
    {
        return b < a ? b : a;
    }
};
struct maximum {
    template <class T>
    constexpr T operator()(const T& a, const T& b) const
    {
        return a < b ? b : a;
    }
};

/// An operator of your own that commutes: allreduce(x, mpiortho::commutative{f}, comm).  Others are applied
/// in the order of the blocks.
template <class F>
struct commutative : F {
    using F::operator();
};
template <class F>
commutative(F) -> commutative<F>;

namespace detail {

// Which of std::plus<> and its like an operator is, is found out by what it does with probes: so <functional>
// need not be included.
struct probe {};
enum class known_op { none, sum, product, bit_and, bit_or, bit_xor, and_, or_, min, max };
template <known_op op>
struct probed {};
inline probed<known_op::sum> operator+(probe, probe) { return {}; }
inline probed<known_op::product> operator*(probe, probe) { return {}; }
inline probed<known_op::bit_and> operator&(probe, probe) { return {}; }
inline probed<known_op::bit_or> operator|(probe, probe) { return {}; }
inline probed<known_op::bit_xor> operator^(probe, probe) { return {}; }
inline probed<known_op::and_> operator&&(probe, probe) { return {}; }
inline probed<known_op::or_> operator||(probe, probe) { return {}; }

template <known_op op>
consteval known_op name_of(probed<op>)
{
    return op;
}

template <class F>
concept transparent = requires
{
    typename F::is_transparent;
};

template <class F>
struct recognised {
    static constexpr known_op value = [] {
        if constexpr (std::is_same_v<F, minimum>)
            return known_op::min;
        else if constexpr (std::is_same_v<F, maximum>)
            return known_op::max;
        else if constexpr (transparent<F> && requires(F f, probe a) { name_of(f(a, a)); })
            return name_of(decltype(F{}(probe{}, probe{})){});
        else
            return known_op::none;
    }();
};
/// Is an operator one of MPI's?
template <class F>
concept mpi_op = std::is_convertible_v<F, MPI_Op> && !std::is_empty_v<F>;
template <class F>
inline constexpr bool is_commutative = false;
template <class F>
inline constexpr bool is_commutative<commutative<F>> = true;

inline MPI_Op predefined(known_op op) noexcept
{
    switch (op) {
    case known_op::sum: return MPI_SUM;
    case known_op::product: return MPI_PROD;
    case known_op::bit_and: return MPI_BAND;
    case known_op::bit_or: return MPI_BOR;
    case known_op::bit_xor: return MPI_BXOR;
    case known_op::and_: return MPI_LAND;
    case known_op::or_: return MPI_LOR;
    case known_op::min: return MPI_MIN;
    case known_op::max: return MPI_MAX;
    default: return MPI_OP_NULL;
    }
}

/// The operator of MPI's that F is, for functions that take no others.
template <class F>
MPI_Op operator_of_mpi(const F& f)
{
    static_assert(mpi_op<F> || recognised<F>::value != known_op::none,
                  "mpiortho: windows and reduce take std::plus<> and its like, minimum, maximum, or an "
                  "MPI_Op");
    if constexpr (mpi_op<F>)
        return f;
    else
        return predefined(recognised<F>::value);
}

/// MPI calls this for an operator of the user's on elements of type T: inout = f(in, inout).
template <class F, class T>
void apply(void* in, void* inout, int* length, MPI_Datatype*)
{
    const auto* const a = static_cast<const T*>(in);
    auto* const b = static_cast<T*>(inout);
    for (int i = 0; i < *length; ++i) b[i] = F{}(a[i], b[i]);
}

template <class F, class T>
MPI_Op user_op()
{
    static const kept<MPI_Op, MPI_Op_free> op([] {
        MPI_Op made = MPI_OP_NULL;
        require_mpi("MPI_Op_create");
        check_mpi(MPI_Op_create(apply<F, T>, is_commutative<F> ? 1 : 0, &made), MPI_COMM_SELF,
                  "MPI_Op_create");
        return made;
    }());
    return op;
}

/// char is text for MPI, and not a number.
template <class T>
MPI_Datatype number()
{
    if constexpr (std::is_same_v<T, char>)
        return std::is_signed_v<char> ? MPI_SIGNED_CHAR : MPI_UNSIGNED_CHAR;
    else
        return datatype<T>();
}

/// The arguments of MPI for a reduction of elements T by F: an operator, a datatype, and how many of these an
/// element has.
struct reduction {
    MPI_Op op;
    MPI_Datatype type;
    MPI_Count per_element;
};

template <class F, class T>
reduction reduce_by(const F& f)
{
    using scalar = typename flat<T>::scalar;
    constexpr MPI_Count n = flat<T>::size;
    constexpr known_op known = recognised<F>::value;
    if constexpr (mpi_op<F>) {
        return {f, number<scalar>(), n}; // an operator of MPI's works on the elements of an array
    } else if constexpr (known != known_op::none && (is_builtin<scalar> || is_complex<scalar>)) {
        return {predefined(known), number<scalar>(), n};
    } else {
        static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                      "mpiortho: the operator has a state; make an MPI_Op of it");
        if constexpr (std::is_invocable_r_v<T, F, const T&, const T&>) {
            return {user_op<F, T>(), datatype<T>(), 1};
        } else {
            static_assert(std::is_invocable_r_v<scalar, F, const scalar&, const scalar&>,
                          "mpiortho: the operator cannot be called with two elements of the buffer");
            return {user_op<F, scalar>(), datatype<scalar>(), n};
        }
    }
}

} // namespace detail
} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
