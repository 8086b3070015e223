// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a halo exchange as text.  No MPI in this file.

#include "halo_text.hpp"

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "size_text.hpp"
#include "split_text.hpp"

namespace tools {

namespace {

template <class... Values>
[[noreturn]] void no_fields(std::string_view text, const Values&... values)
{
    ortho::base::fail(ortho::base::ErrorKind::arg, "fields", "arrays '", text, "'", values...);
}

/// One depth for each dimension, or one for all.
std::vector<std::int64_t> parse_depths(std::string_view list, int dimensions, std::string_view text)
{
    const std::vector<int> depths = parse_integers(list, ",", 0);
    if (depths.size() == 1) return std::vector<std::int64_t>(ortho::at(dimensions), depths[0]);
    if (std::ssize(depths) != dimensions)
        no_fields(text, ": '", list, "' is neither a number of ghost layers nor one for each of ", dimensions,
                  " dimensions");
    return {depths.begin(), depths.end()};
}

std::string list_text(const std::vector<std::int64_t>& numbers, const char* between)
{
    std::string result;
    for (const std::int64_t n : numbers) result += ortho::base::text(result.empty() ? "" : between, n);
    return result;
}

} // namespace

GhostedFields parse_ghosted_fields(std::string_view text, int dimensions)
{
    std::string_view rest = text;
    const std::string_view product = take_word(rest);
    GhostedFields result;
    const std::vector<int> sizes = parse_product(product);
    result.shape = {{sizes.begin(), sizes.end()},
                    parse_depths("1", dimensions, text),
                    parse_depths("1", dimensions, text)};
    if (std::ssize(result.shape.sizes) != dimensions)
        no_fields(text, ": '", product, "' is no size in ", dimensions,
                  " dimensions, such as 34x34 in two, ghosts included");
    while (!rest.empty()) {
        const std::string_view what = take_word(rest);
        const std::string_view value = take_word(rest);
        if (what == "depth") {
            result.shape.lower = result.shape.upper = parse_depths(value, dimensions, text);
        } else if (what == "lower") {
            result.shape.lower = parse_depths(value, dimensions, text);
        } else if (what == "upper") {
            result.shape.upper = parse_depths(value, dimensions, text);
        } else if (what == "fields") {
            const std::optional<int> number = parse_integer(value);
            if (!number || *number < 1) no_fields(text, ": '", value, "' is no number of fields");
            result.fields = *number;
        } else if (what == "elements") {
            result.element_bytes = parse_size(value);
        } else {
            no_fields(text, " goes on with '", what, "', none of depth, lower, upper, fields, elements");
        }
    }
    result.shape.require_room();
    return result;
}

std::string to_text(const GhostedFields& fields)
{
    const std::string lower = list_text(fields.shape.lower, ",");
    const std::string upper = list_text(fields.shape.upper, ",");
    return ortho::base::text(fields.fields, fields.fields == 1 ? " field of " : " fields of ",
                             list_text(fields.shape.sizes, "x"), " elements of ",
                             size_text(fields.element_bytes), ", depth ", lower,
                             lower == upper ? "" : " and " + upper);
}

} // namespace tools
