// SPDX-License-Identifier: BSD-3-Clause
// Text from values, for messages.  No MPI in this file.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

namespace ortho::base {

/// The values one after the other, as an output stream writes them.
template <class... Values>
std::string text(const Values&... values)
{
    std::ostringstream out;
    (out << ... << values);
    return out.str();
}

/// A text like "1 message" or "2 messages".  `many` is the plural where it is not `one` with an s.
inline std::string counted(std::int64_t number, const std::string& one, const std::string& many = {})
{
    return text(number, ' ', number == 1 ? one : many.empty() ? one + 's' : many);
}

} // namespace ortho::base
