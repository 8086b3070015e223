// SPDX-License-Identifier: BSD-3-Clause
// Text from values, for messages.  No MPI in this file.
#pragma once

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

} // namespace ortho::base
