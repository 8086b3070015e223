// SPDX-License-Identifier: BSD-3-Clause
// The table, the errors in words, and the sums.  No MPI in this file.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "conform/exchange_cases.hpp"
#include "conform/outcome.hpp"

namespace conform {

/// A collective on a case: MPI's three forms and ours.
struct Row {
    std::string case_name;
    std::string collective;
    std::array<Result, forms.size()> mpi;
    std::array<Result, forms.size()> ours;
};

/// The lines before the rows.
std::string heading(const std::string& mpi_name);
std::string line(const Row& row);
/// The line of a case for which there are not enough processes.
std::string line_of_missing(const Case& what);

/// The lines of a row in a CSV file, whose header is csv_header.
std::string csv_lines(const Row& row);
constexpr const char* csv_header = "case,collective,library,form,outcome,words";

/// Describes each error once, with all calls that make it; "" if there are none.
std::string mistakes(const std::vector<Row>& rows);

struct Sums {
    int right = 0;
    int wrong = 0;
    int not_there = 0;
    int not_tried = 0;
};
Sums sums(const std::vector<Row>& rows, Whose whose);
/// A line like "Open MPI v4.1.4: right in 10 calls, wrong in 2, 5 not there".
std::string line(const std::string& library, const Sums& sums);

} // namespace conform
