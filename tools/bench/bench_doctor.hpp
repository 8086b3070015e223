// SPDX-License-Identifier: BSD-3-Clause
// ortho-bench doctor: says what works on this machine, and what does not.
#pragma once

#include <string>

namespace bench {

struct DoctorOptions {
    bool json = false;
    double budget_s = 3; ///< about how long an exchange may take
};

/// Prints a report over MPI_COMM_WORLD.  Returns a message if results of ours are wrong; else "".
std::string run_doctor(const DoctorOptions& options);

} // namespace bench
