// SPDX-License-Identifier: BSD-3-Clause
// Text from values, for messages.  No MPI in this file.

#include "base/text.hpp"

#include <charconv>
#include <fstream>

namespace ortho::base {

namespace {

/// The number of letters to insert, delete, change, or swap with the next one (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const bool same = a[i - 1] == b[j - 1];
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

} // namespace

void Part::append_to(std::string& out) const
{
    constexpr int digits = 6; // as many as an output stream writes
    std::array<char, 32> written;
    const auto write = [&](auto... number) {
        char* const begin = written.data();
        out.append(begin, std::to_chars(begin, begin + written.size(), number...).ptr);
    };
    switch (kind_) {
    case Kind::text: out += text_; break;
    case Kind::letter: out += static_cast<char>(number_); break;
    case Kind::address: out += "0x" + hexadecimal(reinterpret_cast<std::uintptr_t>(address_)); break;
    case Kind::real: write(real_, std::chars_format::general, digits); break;
    case Kind::number: write(number_); break;
    case Kind::natural: write(natural_); break;
    }
}

std::string hexadecimal(std::uint64_t number)
{
    std::array<char, 16> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr};
}

std::string text_of(std::span<const Part> parts)
{
    std::string out;
    for (const Part& part : parts) part.append_to(out);
    return out;
}

std::optional<std::string> content_of(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::string result;
    // Iterators of the buffer would throw what reading throws.
    for (char part[4096]; in.read(part, sizeof part), in.gcount() > 0;)
        result.append(part, static_cast<std::size_t>(in.gcount()));
    if (!in.is_open() || in.bad()) return std::nullopt;
    return result;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> names)
{
    const auto best = std::ranges::min_element(names, {},
                                               [&](std::string_view n) { return distance(name, n); });
    if (best == names.end() || distance(name, *best) > 2) return {};
    return text("; did you mean ", *best, "?");
}

} // namespace ortho::base
