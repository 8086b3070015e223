// SPDX-License-Identifier: BSD-3-Clause
// Tables of forms: in each row a form of ours between a form of MPI's and the same once more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/comparisons.hpp"
#include "csv_file.hpp"
#include "progress.hpp"

namespace bench {

/// What is exchanged.
struct FormCell {
    std::string call;
    std::string topology; ///< in one word
    int offsets = 0;
    std::int64_t bytes = 0;
};

/// "alltoall 3d:moore:1 4KiB"
std::string name_of(const FormCell& cell);

/// The contestants of a row: MPI's, ours, MPI's once more.
std::vector<Contestant> between(const Contestant& mpi, const Contestant& ours);

/// The table, and the CSV file.  On rank 0.
class FormTable {
public:
    /// `rows`: so many will come, those that are left out among them.
    FormTable(const CellOptions& options, int processes, const std::string& about, std::size_t rows);
    bool is_open() const { return csv_.is_open(); }
    /// `contestants`: as from between().
    void add(const FormCell& cell, const std::vector<Contestant>& contestants, const Runs& runs,
             const std::string& chosen);
    /// Says that these rows are left out, so many, and why.
    void leave_out(const std::string& which, std::size_t rows, const std::string& why);
    void end();

private:
    int processes_;
    CsvFile csv_;
    Progress progress_;
    long long rows_ = 0; ///< that are done
    std::vector<double> ratios_;
    int slower_ = 0;
    std::string worst_; ///< the row with the least ratio
};

} // namespace bench
