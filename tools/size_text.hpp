// SPDX-License-Identifier: BSD-3-Clause
// Numbers of bytes, read and written.  No MPI in this file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tools {

/// "400B", "10kB", "1KiB", "4MiB": at most 1024GiB.  Throws base::Error (arg).
std::int64_t parse_size(std::string_view text);

/// "400 B", "1 KiB", "96.9 KiB": the unit that leaves few digits.
std::string size_text(std::int64_t bytes);

} // namespace tools
