// SPDX-License-Identifier: BSD-3-Clause
// Shared by the targets of libFuzzer: `take` gets each text, and either reads it or throws Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// Ends the program, which libFuzzer reports with the text.
inline void demand(bool truth)
{
    if (!truth) std::abort();
}

#define FUZZ(Error, take)                                                                                    \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)                        \
    {                                                                                                        \
        try {                                                                                                \
            take(std::string(reinterpret_cast<const char*>(data), size));                                    \
        } catch (const Error&) {}                                                                            \
        return 0;                                                                                            \
    }
