// SPDX-License-Identifier: BSD-3-Clause
// Graphs and partitions in files of others: Matrix Market's and METIS's.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.hpp"

namespace tools {

/// A square sparse matrix, or a graph: the columns of each row, in the order of the file.  Numbers begin at 0.
struct SparseRows {
    std::vector<std::int64_t> begin{0};
    std::vector<int> columns;
    std::vector<int> row_weights; ///< of a METIS graph; empty if it has none
    std::vector<int> weights;     ///< of columns; likewise

    int rows() const { return static_cast<int>(begin.size()) - 1; }
    std::span<const int> row(int i) const
    {
        return std::span(columns).subspan(ortho::at(begin[ortho::at(i)]),
                                          ortho::at(begin[ortho::at(i) + 1] - begin[ortho::at(i)]));
    }
};

/// More rows are refused.
inline constexpr std::int64_t most_rows = std::int64_t{1} << 27;

/// Reads the text of a file with the name `file`: a Matrix Market file, which its first line says, or else a
/// METIS graph.  Values of a matrix are not kept; entries of symmetric ones are mirrored.  Throws base::Error
/// (arg) with the line that is wrong.
SparseRows parse_rows(std::string_view text, const std::string& file);

/// The part of each row: a number a line, as METIS's programs write them into FILE.part.N.
std::vector<int> parse_parts(std::string_view text, const std::string& file, int rows);

/// The rows and columns of a matrix and of its transpose together, each column once; without the diagonal.
SparseRows symmetric(const SparseRows& rows);

} // namespace tools
