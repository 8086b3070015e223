// SPDX-License-Identifier: BSD-3-Clause
// Shared by the targets of libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"

using namespace ortho;

/// Ends the program, which libFuzzer reports with the text.
inline void demand(bool truth)
{
    if (!truth) std::abort();
}

/// A body follows.  It gets each text, and either reads it or throws Error.
#define FUZZ(Error, text)                                                                                    \
    static void take(const std::string& text);                                                               \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)                        \
    {                                                                                                        \
        try {                                                                                                \
            take(std::string(reinterpret_cast<const char*>(data), size));                                    \
        } catch (const Error&) {}                                                                            \
        return 0;                                                                                            \
    }                                                                                                        \
    static void take(const std::string& text)
