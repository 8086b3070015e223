// SPDX-License-Identifier: BSD-3-Clause
// Numbers that change their signs, or to which something is added.

#include "patches/signed_numbers.hpp"

#include <algorithm>
#include <span>

#include "mpi/type_contents.hpp"

namespace ortho::patches {

namespace {

using Number = NumberForm::Number;

bool is_among(MPI_Datatype type, std::span<const MPI_Datatype> types)
{
    return std::ranges::find(types, type) != types.end();
}

std::optional<Number> float_of(MPI_Count bytes)
{
    if (bytes == 4) return Number::float32;
    if (bytes == 8) return Number::float64;
    if (bytes == sizeof(long double)) return Number::float_long;
    return std::nullopt;
}

std::optional<Number> integer_of(MPI_Count bytes)
{
    if (bytes == 1) return Number::int8;
    if (bytes == 2) return Number::int16;
    if (bytes == 4) return Number::int32;
    if (bytes == 8) return Number::int64;
    return std::nullopt;
}

/// A predefined type.
std::optional<NumberForm> predefined(MPI_Datatype type)
{
    const MPI_Datatype floats[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION};
    const MPI_Datatype complexes[] = {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX,
                                      MPI_DOUBLE_COMPLEX};
    const MPI_Datatype integers[] = {MPI_SIGNED_CHAR, MPI_SHORT,   MPI_INT,     MPI_LONG,    MPI_LONG_LONG,
                                     MPI_INT8_T,      MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_INTEGER};
    const MPI_Count bytes = mpi::measure(type).size;
    if (is_among(type, floats))
        if (const auto kind = float_of(bytes)) return NumberForm{*kind, 1};
    if (is_among(type, complexes))
        if (const auto kind = float_of(bytes / 2)) return NumberForm{*kind, 2, true};
    if (is_among(type, integers))
        if (const auto kind = integer_of(bytes)) return NumberForm{*kind, 1};
    return std::nullopt;
}

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

std::optional<NumberForm> number_form(MPI_Datatype element)
{
    if (mpi::is_named(element)) return predefined(element);
    const mpi::TypeContents contents(element);
    const bool is_row = contents.combiner() == MPI_COMBINER_CONTIGUOUS;
    if (!is_row && contents.combiner() != MPI_COMBINER_DUP) return std::nullopt;
    auto result = number_form(contents.old());
    if (result && is_row) result->count *= contents.number(0);
    return result;
}

void change(const MemoryBox& box, std::byte* begin, const NumberForm& form, int sign, double shift)
{
    const auto with = [&](auto zero) { change_numbers<decltype(zero)>(box, begin, form.count, sign, shift); };
    switch (form.kind) {
    case Number::float32: return with(float());
    case Number::float64: return with(double());
    case Number::float_long: return with(static_cast<long double>(0));
    case Number::int8: return with(std::int8_t());
    case Number::int16: return with(std::int16_t());
    case Number::int32: return with(std::int32_t());
    case Number::int64: return with(std::int64_t());
    }
}

} // namespace ortho::patches
