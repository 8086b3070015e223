// SPDX-License-Identifier: BSD-3-Clause
// Text from values, for messages.  No MPI in this file.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ortho::base {

/// A value in a message.  It refers to texts.
class Part {
public:
    Part(std::string_view text) : text_(text) {}
    Part(const std::string& text) : text_(text) {}
    Part(const char* text) : text_(text) {}
    Part(char letter) : kind_(Kind::letter), number_(letter) {}
    Part(const void* address) : kind_(Kind::address), address_(address) {}
    Part(double number) : kind_(Kind::real), real_(number) {}
    template <std::signed_integral Number>
    Part(Number number) : kind_(Kind::number),
                          number_(number)
    {}
    template <std::unsigned_integral Number>
    Part(Number number) : kind_(Kind::natural),
                          natural_(number)
    {}

    void append_to(std::string& out) const;

private:
    enum class Kind { text, letter, address, real, number, natural };

    Kind kind_ = Kind::text;
    std::string_view text_;
    union {
        const void* address_;
        double real_;
        std::int64_t number_;
        std::uint64_t natural_;
    };
};

std::string text_of(std::span<const Part> parts);

/// The number by the digits 0 to f.
std::string hexadecimal(std::uint64_t number);

/// The values one after the other, numbers as an output stream writes them.
template <class... Values>
std::string text(const Values&... values)
{
    return text_of(std::array<Part, sizeof...(values)>{values...});
}

/// A text like "1 message" or "2 messages".  `many` is the plural where it is not `one` with an s.
inline std::string counted(std::int64_t number, const std::string& one, const std::string& many = {})
{
    return text(number, ' ', number == 1 ? one : many.empty() ? one + 's' : many);
}

/// "; did you mean NAME?" for the most similar name, if at most two letters are missing, too many, wrong or
/// swapped; else an empty text.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

/// The items between the commas of a text, without blanks around them.  There is one item more than commas.
inline std::vector<std::string_view> items_of(std::string_view list)
{
    constexpr std::string_view blanks = " \t\n";
    std::vector<std::string_view> items;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        std::string_view item = list.substr(begin, end - begin);
        item.remove_prefix(std::min(item.find_first_not_of(blanks), item.size()));
        items.push_back(item.substr(0, item.find_last_not_of(blanks) + 1));
        begin = end + 1;
    }
    return items;
}

/// The text of a file; nothing if it cannot be read, as a folder cannot.
std::optional<std::string> content_of(const std::string& file);

/// A text like "1, 5, 7".
inline std::string list_of(std::span<const int> numbers)
{
    std::string result;
    for (const int number : numbers) result += (result.empty() ? "" : ", ") + std::to_string(number);
    return result;
}

} // namespace ortho::base
