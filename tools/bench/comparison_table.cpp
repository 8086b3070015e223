// SPDX-License-Identifier: BSD-3-Clause
#include "bench/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace bench {

void print_heading(int processes, const std::string& about, const std::string& ratio, int runs,
                   std::span<const Column> columns)
{
    if (runs == 1) { // in a simulated machine
        fmt::print("# {}\n# {} processes, {}\n# ratios: {}\n", mpi_name(), processes, about, ratio);
    } else {
        const Estimate all = estimate_median(std::vector<double>(static_cast<std::size_t>(runs)));
        fmt::print("# {}\n# {} processes, {}\n# ratios: {}, the median of {} runs; in brackets the order\n"
                   "# statistics that enclose the true median with probability {:.1f} %\n",
                   mpi_name(), processes, about, ratio, runs, 100 * all.coverage);
    }
    print_explanations(columns);
    print_names(columns);
    std::fflush(stdout);
}

std::string ratio_text(const Estimate& e)
{
    return fmt::format("{:6.2f} [{:5.2f},{:6.2f}]", e.median, e.low, e.high);
}

void write_samples(CsvFile& csv, const std::string& before, const std::vector<Contestant>& contestants,
                   const Runs& runs, const char* between)
{
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        const Contestant& c = contestants[i];
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const Series& series = runs[run][i];
            for (std::size_t k = 0; k < series.seconds.size(); ++k)
                csv.print("{},{},{},{},{},{},{},{:.4f}{},{}\n", before, c.library, c.form, c.algorithm, run,
                          k, c.batch, 1e6 * series.seconds[k], between, series.wrong > 0 ? "no" : "yes");
        }
    }
}

bool is_wrong(const Runs& runs, std::size_t contestant)
{
    return std::ranges::any_of(runs, [&](const auto& run) { return run[contestant].wrong > 0; });
}

std::string wrong_contestants(const std::vector<Contestant>& contestants, const Runs& runs,
                              std::string Contestant::*word)
{
    std::string result;
    for (std::size_t i = 0; i < contestants.size(); ++i)
        if (is_wrong(runs, i))
            result += fmt::format("  WRONG RESULTS: {} {}", contestants[i].library, contestants[i].*word);
    return result;
}

} // namespace bench
