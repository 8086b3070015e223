// SPDX-License-Identifier: BSD-3-Clause
// Graphs of METIS and matrices of Matrix Market: each column is a row, too; each row lies in the list.
#include "fuzz.hpp"
#include "graph_text.hpp"

FUZZ(base::Error, text)
{
    const tools::SparseRows rows = tools::parse_rows(text, "file");
    demand(rows.weights.empty() || rows.weights.size() == rows.columns.size());
    for (const int column : rows.columns) demand(column >= 0 && column < rows.rows());
    for (int i = 0; i < rows.rows(); ++i) demand(rows.row(i).size() <= rows.columns.size());
}
