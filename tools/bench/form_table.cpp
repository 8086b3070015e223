// SPDX-License-Identifier: BSD-3-Clause
#include "bench/form_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/comparison_table.hpp"
#include "bench/table_columns.hpp"
#include "size_text.hpp"

namespace bench {

namespace {

constexpr auto form_columns = std::to_array<Column>({
    {"call", -10, "what is called"},
    {"topology", -14,
     "a stencil and its dimensions; of halo: fields, their sides and the depth of their ghosts"},
    {"t", 4, "offsets of the stencil"},
    {"bytes", 8, "of a block; of halo: of all ghosts of a process"},
    {"form", -11, "of mpiortho's call; run is ORTHO_Run of a persistent one"},
    {"rival", -11, "the form of MPI's call, or how it is done by hand"},
    {"MPI us", 10, "microseconds of the rival, the median of the first time"},
    {"ours us", 10, "microseconds of mpiortho's, the median"},
    {"ratio", 7, "the rival's (the geometric mean of both times) / mpiortho's: above 1 mpiortho is faster"},
    {"control", 7, "the rival / the same once more: how far such ratios stray by themselves"},
    {"mark", -6, "slower, if the ratio is below 0.97 by more than the control is off 1"},
    {"chosen", -1, "the algorithm that the planner chose"},
});

std::string word(std::int64_t bytes)
{
    std::string text = tools::size_text(bytes);
    std::erase(text, ' ');
    return text;
}

} // namespace

std::string name_of(const FormCell& cell)
{
    return fmt::format("{} {} {}", cell.call, cell.topology, word(cell.bytes));
}

std::vector<Contestant> between(const Contestant& mpi, const Contestant& ours)
{
    Contestant again = mpi;
    again.form = "control";
    return {mpi, ours, again};
}

FormTable::FormTable(const CellOptions& options, int processes, const std::string& about, std::size_t rows)
    : processes_(processes),
      csv_(options.csv, "kind,collective,topology,t,bytes,processes,library,form,algorithm,run,sample,batch,"
                        "microseconds,ratio,control,slower,right"),
      progress_("row", static_cast<long long>(rows))
{
    fmt::print("# {}\n# {} processes, {}; {}\n", mpi_name(), processes, options.mesh ? "meshes" : "tori",
               about);
    print_explanations(form_columns);
    print_names(form_columns);
    std::fflush(stdout);
}

void FormTable::add(const FormCell& cell, const std::vector<Contestant>& contestants, const Runs& runs,
                    const std::string& chosen)
{
    progress_.hide();
    const std::vector<std::vector<double>> medians = medians_of(runs);
    const double mpi = median(medians[0]);
    const double ours = median(medians[1]);
    const Verdict verdict = judge(mpi, ours, median(medians[2]));
    const std::string& rival = contestants[0].form;
    const std::string& form = contestants[1].form;
    std::string notes;
    if (is_wrong(runs, 0) || is_wrong(runs, 2)) notes += "  WRONG RESULTS: MPI";
    if (is_wrong(runs, 1)) notes += "  WRONG RESULTS: mpiortho";
    print_row(form_columns, notes, cell.call, cell.topology, cell.offsets, word(cell.bytes), form, rival,
              fixed(1e6 * mpi, 2), fixed(1e6 * ours, 2), fixed(verdict.ratio, 2), fixed(verdict.control, 2),
              verdict.slower ? "slower" : "-", chosen);

    const std::string setting = fmt::format("{},\"{}\",{},{},{}", cell.call, cell.topology, cell.offsets,
                                            cell.bytes, processes_);
    write_samples(csv_, "sample," + setting, contestants, runs, ",,,");
    csv_.print("verdict,{},MPI,{},{},,,,,{:.4f},{:.4f},{},\n", setting, rival, form, verdict.ratio,
               verdict.control, verdict.slower ? "yes" : "no");
    csv_.flush();

    if (ratios_.empty() || verdict.ratio < *std::ranges::min_element(ratios_))
        worst_ = fmt::format("{} {} / {}", name_of(cell), form, rival);
    ratios_.push_back(verdict.ratio);
    slower_ += verdict.slower ? 1 : 0;
    progress_.at(++rows_);
}

void FormTable::leave_out(const std::string& which, std::size_t rows, const std::string& why)
{
    progress_.hide();
    fmt::print("# left out: {}: {}\n", which, why);
    rows_ += static_cast<long long>(rows);
    progress_.at(rows_);
}

void FormTable::end()
{
    progress_.hide();
    if (ratios_.empty()) {
        fmt::print("# 0 cells\n");
        return;
    }
    fmt::print("# {} cells, {} slower, worst {:.2f} ({}), geometric mean {:.2f}\n", ratios_.size(), slower_,
               *std::ranges::min_element(ratios_), worst_, geometric_mean(ratios_));
}

} // namespace bench
