// SPDX-License-Identifier: BSD-3-Clause
// Numbers that change their signs, or to which something is added.

#include "patches/signed_numbers.hpp"

#include <cstdint>

namespace ortho::patches {

namespace {

template <class T>
void change_numbers(const MemoryBox& box, std::byte* begin, MPI_Count count, int sign, double shift)
{
    const auto factor = static_cast<T>(sign);
    const auto summand = static_cast<T>(shift);
    each_element(box, begin, [&](std::byte* element) {
        T* const numbers = reinterpret_cast<T*>(element);
        for (MPI_Count i = 0; i < count; ++i) numbers[i] = static_cast<T>(factor * numbers[i] + summand);
    });
}

} // namespace

void change(const MemoryBox& box, std::byte* begin, const mpi::SignedNumbers& form, int sign, double shift)
{
    const auto with = [&](auto zero) { change_numbers<decltype(zero)>(box, begin, form.count, sign, shift); };
    const auto is = [&](auto zero) { return form.bytes == static_cast<int>(sizeof zero); };
    if (form.are_real) return is(float()) ? with(float()) : is(double()) ? with(double()) : with(0.0L);
    is(std::int8_t())    ? with(std::int8_t())
    : is(std::int16_t()) ? with(std::int16_t())
    : is(std::int32_t()) ? with(std::int32_t())
                         : with(std::int64_t());
}

} // namespace ortho::patches
