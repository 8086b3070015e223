// SPDX-License-Identifier: BSD-3-Clause
// Tables of forms: each row compares a form of ours with two runs of a form of MPI's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/comparisons.hpp"
#include "csv_file.hpp"
#include "progress.hpp"

namespace bench {

/// The exchange of a cell.
struct FormCell {
    std::string call;
    std::string topology; ///< in one word
    int offsets = 0;
    std::int64_t bytes = 0;
};

/// A text like "alltoall 3d:moore:1 4KiB".
std::string name_of(const FormCell& cell);

/// The contestants of a row: MPI's, ours, MPI's once more.
std::vector<Contestant> between(const Contestant& mpi, const Contestant& ours);

/// The table, and the CSV file.  Only rank 0 has it.
class FormTable {
public:
    /// `rows` is the number of rows to come, with those that are left out.
    FormTable(const CellOptions& options, int processes, const std::string& about, std::size_t rows);
    bool is_open() const { return csv_.is_open(); }
    /// `contestants` are those of between().
    void add(const FormCell& cell, const std::vector<Contestant>& contestants, const Runs& runs,
             const std::string& chosen);
    /// Prints that these rows are left out, their number, and the reason.
    void leave_out(const std::string& which, std::size_t rows, const std::string& why);
    void end();

private:
    int processes_;
    CsvFile csv_;
    Progress progress_;
    long long rows_ = 0; ///< rows done
    std::vector<double> ratios_;
    int slower_ = 0;
    std::string worst_; ///< the row with the least ratio
};

} // namespace bench
