// SPDX-License-Identifier: BSD-3-Clause
// The findings of `ortho-bench doctor`, and their report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_tune.hpp"
#include "bench/doctor_report.hpp"
#include "bench/process_facts.hpp"
#include "bench/statistics.hpp"

namespace bench::doctor {

/// The answer to a trial to read the memory of another process of the node.
enum class Read { nobody, done, refused };

/// A process, as rank 0 knows it.
struct Process {
    ProcessFacts facts;
    int node = 0; ///< numbered by its first rank
    Read read = Read::nobody;
    int error = 0; ///< errno, if it was refused
};

/// How the library sees the machine.
struct Library {
    std::string error; ///< the message if it refuses; then the rest is not known
    int nodes = 1;
    bool shared = false; ///< messages of a node go through shared memory
    std::string network; ///< the kind that a trial found between nodes; "" if there was none
};

/// The result of a trial, the same on all processes.
struct Outcome {
    std::string name;
    double mpi = 0; ///< seconds, the geometric mean of two series
    double ours = 0;
    Verdict verdict;
    std::string chosen;
    bool mpi_is_wrong = false;
    bool ours_is_wrong = false;
};

/// The words for all of the above, on rank 0.
struct Findings {
    std::vector<Process> processes; ///< by rank
    Library library;
    MeasuredMachine measured;      ///< if the library works
    std::vector<Outcome> outcomes; ///< the same
};

/// The rest of the line of `text` that follows `words`; nothing if they are not there.
std::optional<std::string> after(const std::string& text, const std::string& words);

/// The report, with a problem for whatever is wrong.
Report report_of(Findings findings);

} // namespace bench::doctor
