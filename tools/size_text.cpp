// SPDX-License-Identifier: BSD-3-Clause
// Numbers of bytes, read and written.  No MPI in this file.

#include "size_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "base/error.hpp"
#include "split_text.hpp"

namespace tools {

namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 40;

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};
constexpr std::array<Unit, 7> units{{{"B", 1},
                                     {"kB", 1'000},
                                     {"MB", 1'000'000},
                                     {"GB", 1'000'000'000},
                                     {"KiB", 1 << 10},
                                     {"MiB", 1 << 20},
                                     {"GiB", 1 << 30}}};

} // namespace

std::int64_t parse_size(std::string_view text)
{
    std::int64_t number = -1;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view name = trimmed(text.substr(static_cast<std::size_t>(last - text.data())));
    const auto unit = std::ranges::find(units, name, &Unit::name);
    if (error != std::errc() || number < 0 || unit == units.end())
        ortho::base::fail(ortho::base::ErrorKind::arg, "size", "size '", text,
                          "' is no number of B, kB, MB, GB, KiB, MiB or GiB, such as 400B");
    if (number > largest_size / unit->bytes)
        ortho::base::fail(ortho::base::ErrorKind::arg, "size", "size '", text, "' is more than 1024GiB");
    return number * unit->bytes;
}

std::string size_text(std::int64_t bytes)
{
    constexpr const char* names[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    std::size_t name = 0;
    std::int64_t unit = 1;
    for (; name < 6 && bytes / unit >= 1024; ++name) unit *= 1024;
    const auto exact = static_cast<double>(bytes) / static_cast<double>(unit);
    // Three digits; no point without digits after it.
    char digits[32];
    const auto end = exact < 1000
                         ? std::to_chars(digits, digits + sizeof digits, exact, std::chars_format::general, 3)
                         : std::to_chars(digits, digits + sizeof digits, bytes / unit);
    return ortho::base::text(std::string_view(digits, static_cast<std::size_t>(end.ptr - digits)),
                             names[name]);
}

} // namespace tools
