// SPDX-License-Identifier: BSD-3-Clause
// `book_bench counts`: messages and blocks of the combining algorithms.

#include "book_bench/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "algorithm/dimension_groups.hpp"
#include "base/error.hpp"
#include "specification.hpp"

namespace plan {

namespace {

using ortho::algorithm::Collective;
using ortho::algorithm::Groups;
using ortho::schedule::PhaseCounts;

/// A stencil, and the costs of combining on it.
struct Counted {
    std::int64_t blocks; ///< offsets that are not zero
    ortho::algorithm::KeptDimensionGroups groups;
};

/// The stencil {-1..n-2}^d without the zero offset, on a torus where all offsets differ.
Counted counts_of(int d, int n)
{
    constexpr std::int64_t most = 1 << 16; // a second or two
    std::int64_t points = 1;
    std::string torus = "torus ";
    for (int k = 0; k < d; ++k) {
        points *= n;
        ortho::base::require(points <= most, ortho::base::ErrorKind::arg, "counts", "d = ", d, " and n = ", n,
                             " make a stencil of more than ", most, " offsets");
        torus += fmt::format("{}{}", k > 0 ? "x" : "", n);
    }
    const tools::Specification s = tools::parse_specification(
        fmt::format("alltoall:{}:box:-1..{}:1B", torus, n - 2));
    return {points - 1,
            ortho::algorithm::KeptDimensionGroups(ortho::grid::canonical(s.grid, s.stencil).neighborhood)};
}

PhaseCounts sum_along(Counted& counts, Collective collective, const Groups& groups)
{
    PhaseCounts sum;
    for (const PhaseCounts& phase : counts.groups.of(collective).along(groups)) {
        sum.messages += phase.messages;
        sum.blocks += phase.blocks;
    }
    return sum;
}

/// 0..d-1 in `groups` groups whose sizes differ by at most one.
Groups even_groups(int d, int groups)
{
    Groups result(static_cast<std::size_t>(groups));
    for (int k = 0; k < d; ++k) result[static_cast<std::size_t>(k * groups / d)].push_back(k);
    return result;
}

constexpr const char* row_format = "{:>2} {:>2} {:>6} {:>4} {:>10} {:>9} {:>9} {:>9} {:>10} {:>15}\n";

void print_table_1(int d, int n, Counted& counts)
{
    const Groups singly = ortho::algorithm::one_by_one(d);
    const auto of = [&](Collective collective) { return sum_along(counts, collective, singly); };
    const std::int64_t t = counts.blocks;
    const PhaseCounts alltoall = of(Collective::alltoall);
    // If blocks travel no further than directly, combining is better at any size.
    const auto cut_off = [&](std::int64_t blocks) {
        return alltoall.blocks <= blocks
                   ? "-"
                   : fmt::format("{:.3f}", static_cast<double>(blocks - alltoall.messages) /
                                               static_cast<double>(alltoall.blocks - blocks));
    };
    fmt::print(row_format, d, n, t, alltoall.messages, of(Collective::allgather).blocks, alltoall.blocks,
               cut_off(t + 1), cut_off(t), of(Collective::allreduce).blocks,
               of(Collective::reduce_scatter).blocks);
}

} // namespace

void print_counts(const std::vector<int>& dimensions, const std::vector<int>& widths)
{
    int most_dimensions = 1;
    std::vector<Counted> all;
    for (const int d : dimensions)
        for (const int n : widths) {
            all.push_back(counts_of(d, n));
            most_dimensions = std::max(most_dimensions, d);
        }

    fmt::print(
        "Stencils {{-1..n-2}}^d without the zero offset: t blocks, as many messages when sent directly.\n"
        "Combined dimension by dimension: C messages and V blocks of every process.\n"
        "Cut-off: below alpha/beta times (t-C)/(V-t) bytes a block combining is faster; the paper counts\n"
        "the zero offset, too: (t+1-C)/(V-t-1).\n\n");
    fmt::print(row_format, "", "", "", "", "allgather", "alltoall", "paper's", "", "allreduce",
               "reduce_scatter");
    fmt::print(row_format, "d", "n", "t", "C", "V", "V", "cut-off", "cut-off", "V", "V");
    auto counts = all.begin();
    for (const int d : dimensions)
        for (const int n : widths) print_table_1(d, n, *counts++);

    fmt::print("\nAlltoall with the dimensions in groups of even size: messages/blocks in so many "
               "phases.\n\n{:>2} {:>2}",
               "d", "n");
    for (int groups = 1; groups <= most_dimensions; ++groups) fmt::print(" {:>12}", groups);
    fmt::print("\n");
    counts = all.begin();
    for (const int d : dimensions)
        for (const int n : widths) {
            fmt::print("{:>2} {:>2}", d, n);
            for (int groups = 1; groups <= d; ++groups) {
                const PhaseCounts sum = sum_along(*counts, Collective::alltoall, even_groups(d, groups));
                fmt::print(" {:>12}", fmt::format("{}/{}", sum.messages, sum.blocks));
            }
            fmt::print("\n");
            ++counts;
        }
}

} // namespace plan
