// SPDX-License-Identifier: BSD-3-Clause
// Cuts a graph into parts.

#include "plan/graph_parts.hpp"

#ifdef HAVE_METIS
#include <metis.h>
#endif

#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace plan {

using ortho::base::ErrorKind;

bool has_metis()
{
#ifdef HAVE_METIS
    return true;
#else
    return false;
#endif
}

std::vector<int> parts_by_rows(int rows, int parts)
{
    std::vector<int> result;
    for (std::int64_t i = 0; i < rows; ++i) result.push_back(static_cast<int>(i * parts / rows));
    return result;
}

#ifdef HAVE_METIS
std::vector<int> parts_by_metis(const tools::SparseRows& rows, int parts)
{
    if (parts == 1 || rows.rows() <= parts) return parts_by_rows(rows.rows(), parts); // METIS refuses these
    const bool has_weights = !rows.weights.empty() || !rows.row_weights.empty();      // then it is symmetric
    const tools::SparseRows graph = has_weights ? rows : tools::symmetric(rows);
    ortho::base::require(graph.begin.back() <= std::numeric_limits<idx_t>::max(), ErrorKind::arg, "by",
                         "--by metis: ", graph.begin.back(), " entries are more than this METIS can count");
    std::vector<idx_t> begin(graph.begin.begin(), graph.begin.end());
    std::vector<idx_t> columns(graph.columns.begin(), graph.columns.end());
    std::vector<idx_t> row_weights(graph.row_weights.begin(), graph.row_weights.end());
    std::vector<idx_t> weights(graph.weights.begin(), graph.weights.end());
    // The k-way method cuts graphs of a few rows a part badly, and may leave parts empty.
    std::vector<idx_t> best;
    std::pair<int, idx_t> least; // empty parts, edges that are cut
    for (const auto method : {METIS_PartGraphKway, METIS_PartGraphRecursive}) {
        std::vector<idx_t> part(ortho::at(graph.rows()));
        idx_t vertices = graph.rows();
        idx_t constraints = 1;
        idx_t wanted = parts;
        idx_t cut = 0;
        const int status = method(&vertices, &constraints, begin.data(), columns.data(),
                                  row_weights.empty() ? nullptr : row_weights.data(), nullptr,
                                  weights.empty() ? nullptr : weights.data(), &wanted, nullptr, nullptr,
                                  nullptr, &cut, part.data());
        ortho::base::require(status == METIS_OK, ErrorKind::arg, "by", "--by metis: METIS finds no ", parts,
                             " parts");
        const std::pair found{parts - static_cast<int>(std::set(part.begin(), part.end()).size()), cut};
        if (!best.empty() && found >= least) continue;
        best = std::move(part);
        least = found;
    }
    return {best.begin(), best.end()};
}
#else
std::vector<int> parts_by_metis(const tools::SparseRows&, int)
{
    ortho::base::fail(ErrorKind::arg, "by", "--by metis: this ortho-plan was built without METIS");
}
#endif

} // namespace plan
