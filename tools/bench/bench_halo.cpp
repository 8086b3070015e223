// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>

#include "bench/bench_halo_forms.hpp"
#include "bench/comparison_table.hpp"
#include "bench/ghost_fields.hpp"
#include "bench/ghost_region_types.hpp"
#include "bench/halo_calls.hpp"
#include "csv_file.hpp"
#include "neighbor_calls.hpp"
#include "progress.hpp"

namespace bench {

namespace {

constexpr auto halo_columns = std::to_array<Column>({
    {"fields", 6, "arrays that travel together"},
    {"side", 5, "owned elements (doubles) of an array in each dimension"},
    {"depth", 5, "layers of ghosts"},
    {"alltoallw", -11, "the form of MPI_Neighbor_alltoallw that took least, a call for each field"},
    {"us", 10, "microseconds of that, the median"},
    {"messages", 10, "microseconds by hand, 26 messages a field"},
    {"faces", 10, "microseconds by hand, a dimension after the other, 6 messages a field"},
    {"direct", 10, "microseconds of mpiortho's algorithm halo_direct, a message a neighbor"},
    {"ours us", 10, "microseconds of mpiortho's halo exchange, as the planner has it"},
    {"alltoallw/ours", 22, "MPI's best / mpiortho's: above 1 mpiortho is faster"},
    {"messages/ours", 22, "by hand with messages / mpiortho's"},
    {"faces/ours", 22, "by hand with faces / mpiortho's"},
    {"ours/copies", 22, "mpiortho's / the same copies within one process: 1 is as good as can be"},
    {"chosen", -1, "the algorithm that the planner chose"},
});

/// The lines, and the CSV file.  Only rank 0 has it.
class HaloTable {
public:
    HaloTable(const HaloOptions& options, int processes, const std::string& grid)
        : grid_(grid),
          csv_(options.cells.csv,
               "fields,side,depth,grid,library,form,algorithm,run,sample,batch,microseconds,right"),
          progress_("cell",
                    std::ssize(options.fields) * std::ssize(options.depths) * std::ssize(options.sides))
    {
        print_heading(processes,
                      fmt::format("{} {}; ghosts of cubes of doubles in {} memory, 26 neighbors",
                                  options.cells.mesh ? "mesh" : "torus", grid, options.memory),
                      "their time / ours", options.cells.runs, halo_columns);
    }
    bool is_open() const { return csv_.is_open(); }

    void add(const Ghosts& ghosts, const std::vector<Contestant>& contestants, const Runs& runs,
             const std::string& chosen)
    {
        progress_.hide();
        write_samples(csv_, fmt::format("{},{},{},{}", ghosts.fields(), ghosts.side(), ghosts.depth(), grid_),
                      contestants, runs);
        csv_.flush();
        std::string wrong;
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const Contestant& c = contestants[i];
            // Copies within this process are no exchange.
            if (is_wrong(runs, i) && c.form != "copies")
                wrong += fmt::format("  WRONG RESULTS: {} {} {}", c.library, c.form, c.algorithm);
        }
        const std::vector<std::vector<double>> medians = medians_of(runs);
        const std::size_t best = best_of_mpi(contestants, medians);
        const std::size_t messages = place_of(contestants, "by hand", "messages");
        const std::size_t faces = place_of(contestants, "by hand", "faces");
        const std::size_t direct = place_of(contestants, "mpiortho", "direct");
        const std::size_t automatic = place_of(contestants, "mpiortho", "auto");
        const auto microseconds = [&](std::size_t i) { return fixed(1e6 * median(medians[i]), 1); };
        const auto speedup = [&](std::size_t theirs, std::vector<double>& all) {
            const Estimate estimate = estimate_median(ratios(medians[theirs], medians[automatic]));
            all.push_back(estimate.median);
            return ratio_text(estimate);
        };
        const std::size_t copies = place_of(contestants, "one process", "copies");
        const Estimate slower = estimate_median(ratios(medians[automatic], medians[copies]));
        over_copies_.push_back(slower.median);
        print_row(halo_columns, wrong, ghosts.fields(), ghosts.side(), ghosts.depth(), contestants[best].form,
                  microseconds(best), microseconds(messages), microseconds(faces), microseconds(direct),
                  microseconds(automatic), speedup(best, over_alltoallw_), speedup(messages, over_messages_),
                  speedup(faces, over_faces_), ratio_text(slower), chosen);
        progress_.at(std::ssize(over_copies_));
    }
    void end() const
    {
        fmt::print("# {} cells.  Geometric means: alltoallw/ours {:.3f}, messages/ours {:.3f}, faces/ours "
                   "{:.3f}, ours/copies {:.3f}\n",
                   over_alltoallw_.size(), geometric_mean(over_alltoallw_), geometric_mean(over_messages_),
                   geometric_mean(over_faces_), geometric_mean(over_copies_));
    }

private:
    std::string grid_;
    CsvFile csv_;
    Progress progress_;
    // Our speed-ups, cell by cell.
    std::vector<double> over_alltoallw_, over_messages_, over_faces_;
    std::vector<double> over_copies_; // time relative to copies in one process
};

/// Returns the number of wrong samples of our contestants.
int measure_cell(MPI_Comm base, const Exchange& exchange, const Comms& comms, Ghosts& ghosts,
                 const CellOptions& options, HaloTable* table)
{
    const Neighbors neighbors(exchange, ghosts);
    Faces faces(exchange, ghosts, comms.mpi);
    ORTHO_Request automatic = halo(ghosts, comms.automatic);
    ORTHO_Request direct = halo(ghosts, comms.direct);
    std::vector<MPI_Request> persistent;
    std::vector<Contestant> contestants = {
        started(automatic, "auto"),
        started(direct, "direct"),
        {"by hand", "messages", "", [&] { by_messages(exchange, neighbors, ghosts, comms.mpi); }},
        {"by hand", "faces", "", [&] { faces.exchange(); }},
        {"one process", "copies", "", [&] { ghosts.copy_regions(); }},
    };
    for (const std::string& form : alltoallw_forms())
        contestants.push_back(alltoallw_form(form, neighbors, ghosts, comms.mpi, persistent));
    const Runs runs = measure(
        base, contestants,
        {[&](int sample) { ghosts.prepare(sample); }, [&](int sample) { return ghosts.is_right(sample); }},
        options);
    const std::string chosen = algorithm_of(automatic);
    if (table != nullptr) table->add(ghosts, contestants, runs, chosen);
    ORTHO_Request_free(&direct);
    for (MPI_Request& request : persistent) MPI_Request_free(&request);
    return wrong_of_ours(contestants, runs);
}

} // namespace

std::string run_halo(const HaloOptions& options)
{
    const World world;
    std::string mistake;
    const Exchange exchange = ghost_exchange(world, options.cells.grid, options.cells.mesh, options.sides,
                                             options.depths, mistake);
    if (!mistake.empty()) return mistake;
    if (!options.forms.empty()) return run_halo_forms(world, exchange, options);

    std::unique_ptr<HaloTable> table;
    if (world.rank == 0)
        table = std::make_unique<HaloTable>(options, world.size,
                                            fmt::format("{}", fmt::join(exchange.dims, "x")));
    mistake = csv_mistake(world, options.cells.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    int wrong = 0;
    const Comms comms(world.comm, exchange, "halo_direct");
    for (const int fields : options.fields)
        for (const int depth : options.depths)
            for (const int side : options.sides) {
                Ghosts ghosts(exchange, world.rank, fields, side, depth, is_shared(options.memory));
                wrong += measure_cell(world.comm, exchange, comms, ghosts, options.cells, table.get());
            }
    if (table) table->end();
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
