// SPDX-License-Identifier: BSD-3-Clause
// Plain structs as lists of numbers, to be sent.  A struct has a function fields(), which ties what counts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ortho::base {

using Numbers = std::vector<std::int64_t>;

/// `visit(number)` for each integer in the value, in order.  `resize(list)`: comes before a list's elements.
template <class T, class Visit, class Resize>
void visit_numbers(T& value, Visit& visit, Resize& resize)
{
    if constexpr (std::integral<T>) {
        visit(value);
    } else if constexpr (requires { value.push_back(value[0]); }) {
        resize(value);
        for (auto& one : value) visit_numbers(one, visit, resize);
    } else {
        std::apply([&](auto&... fields) { (visit_numbers(fields, visit, resize), ...); }, value.fields());
    }
}

/// Reads only.
template <class T>
Numbers to_numbers(T& value)
{
    Numbers result;
    auto add = [&](auto number) { result.push_back(static_cast<std::int64_t>(number)); };
    auto add_size = [&](auto& list) { add(list.size()); };
    visit_numbers(value, add, add_size);
    return result;
}

template <class T>
T from_numbers(const Numbers& numbers)
{
    T result;
    std::size_t next = 0;
    auto take = [&](auto& number) { number = static_cast<std::decay_t<decltype(number)>>(numbers[next++]); };
    auto take_size = [&](auto& list) { list.resize(static_cast<std::size_t>(numbers[next++])); };
    visit_numbers(result, take, take_size);
    return result;
}

} // namespace ortho::base
