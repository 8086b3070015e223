// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan predict`: the predicted time of every algorithm.
#pragma once

#include <string>

#include "plan/planned_call.hpp"

namespace plan {

struct PredictOptions {
    std::string specification;
    std::string svg; ///< a file, or empty
    MachineOptions machine;
};

/// Prints a table of the algorithms, and the block sizes for which each is chosen; makes the picture.  Throws
/// base::Error for a mistake in the options.
void print_prediction(const PredictOptions& options);

} // namespace plan
