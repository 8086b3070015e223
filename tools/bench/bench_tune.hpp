// SPDX-License-Identifier: BSD-3-Clause
// Measuring the machine for the planner.
#pragma once

#include <string>

namespace bench {

struct TuneOptions {
    std::string out; ///< the file; "" is standard output
    int samples = 25;
    double batch_ms = 2;
    /// By how much more one half of the samples may say than the other, as a share; twice as much where
    /// processes share cores.
    double tolerance = 0.25;
};

/// Measures and writes a tune file, unless something else keeps the machine busy.  Returns what is wrong, or
/// "".
std::string run_tune(const TuneOptions& options);

} // namespace bench
