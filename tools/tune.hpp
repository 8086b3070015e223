// SPDX-License-Identifier: BSD-3-Clause
// Measuring the machine for the planner.
#pragma once

#include <string>

namespace bench {

struct TuneOptions {
    std::string out; ///< the file; "" is standard output
    int samples = 25;
    double batch_ms = 2;
};

/// Measures and writes a tune file.  Returns what is wrong, or "".
std::string run_tune(const TuneOptions& options);

} // namespace bench
