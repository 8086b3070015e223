// SPDX-License-Identifier: BSD-3-Clause
// Numbers that change their signs, or to which something is added.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mpi/type_signature.hpp"

namespace ortho::mpi {

/// use(T()) for the type of these numbers.
template <class Use>
void with_type_of(const SignedNumbers& numbers, Use use)
{
    const auto is = [&](auto zero) { return numbers.bytes == static_cast<int>(sizeof zero); };
    if (numbers.are_real) return is(0.0F) ? use(0.0F) : is(0.0) ? use(0.0) : use(0.0L);
    is(std::int8_t())    ? use(std::int8_t())
    : is(std::int16_t()) ? use(std::int16_t())
    : is(std::int32_t()) ? use(std::int32_t())
                         : use(std::int64_t());
}

/// The numbers of elements become their opposites, of 0 it is -0 where there is one; or, if the sign is 1,
/// `shift` is added to them.  each(use): use(address) for each element.
template <class Each>
void change(const SignedNumbers& numbers, int sign, double shift, Each each)
{
    with_type_of(numbers, [&]<class T>(T) {
        const auto change_all = [&](auto changed) {
            each([&](std::byte* element) {
                T* const first = reinterpret_cast<T*>(element);
                for (MPI_Count i = 0; i < numbers.count; ++i) first[i] = changed(first[i]);
            });
        };
        if (sign > 0)
            change_all(
                [summand = static_cast<T>(shift)](T number) { return static_cast<T>(number + summand); });
        else if constexpr (std::is_integral_v<T>) // the least one stays
            change_all([](T number) { return static_cast<T>(0 - static_cast<std::uint64_t>(number)); });
        else
            change_all([](T number) { return -number; });
    });
}

} // namespace ortho::mpi
