// SPDX-License-Identifier: BSD-3-Clause
// Measuring the machine for the planner.
#pragma once

#include <string>

namespace bench {

struct TuneOptions {
    std::string out; ///< the file; "" is standard output
    int samples = 25;
    double batch_ms = 2;
    /// The largest difference between the two halves of the samples, as a share.  It is doubled where
    /// processes share cores.
    double tolerance = 0.25;
};

/// Measures and writes a tune file, unless other work keeps the machine busy.  Returns an error, or "".
std::string run_tune(const TuneOptions& options);

} // namespace bench
