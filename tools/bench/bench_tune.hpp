// SPDX-License-Identifier: BSD-3-Clause
// Measuring the machine for the planner.
#pragma once

#include <string>

#include "schedule/machine.hpp"
#include "world_comm.hpp"

namespace bench {

struct TuneOptions {
    std::string out; ///< the file; "" is standard output
    int samples = 25;
    double batch_ms = 2;
    /// The largest difference between the two halves of the samples, as a share.  It is doubled where
    /// processes share cores.
    double tolerance = 0.25;
};

/// A machine as it was measured.
struct MeasuredMachine {
    ortho::schedule::Machine machine;
    bool has_node = false;    ///< `machine.node` was measured; else it is built-in, and so on
    bool has_shared = false;  ///< `machine.shared` and `machine.single`
    bool has_network = false; ///< `machine.network`
    int most_on_a_node = 0;   ///< processes
    std::string comments;     ///< lines about numbers that were not measured
    std::string doubt;        ///< why the numbers mean little; "" if they are good
};

/// Measures in turn, in many passes; `options.out` is not used.  Collective; the same result everywhere.
MeasuredMachine measure_machine(const World& world, const TuneOptions& options);

/// Measures and writes a tune file, unless other work keeps the machine busy.  Returns an error, or "".
std::string run_tune(const TuneOptions& options);

} // namespace bench
