// SPDX-License-Identifier: BSD-3-Clause
// Numbers of bytes, read and written.  No MPI in this file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tools {

/// Reads "400B", "10kB", "1KiB", "4MiB", up to 1024GiB.  Throws base::Error (arg).
std::int64_t parse_size(std::string_view text);

/// A text like "400 B", "1 KiB", "96.9 KiB", in the unit with few digits.
std::string size_text(std::int64_t bytes);

} // namespace tools
