// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>

#include "base/index.hpp"
#include "cell_table.hpp"
#include "csv_file.hpp"
#include "ghost_types.hpp"
#include "ghosts.hpp"
#include "neighbor_calls.hpp"

namespace bench {

namespace {

using ortho::at;

/// MPI_Neighbor_alltoallw for each field: one after the other, all at once, and persistent.
void add_alltoallw(std::vector<Contestant>& contestants, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm,
                   std::vector<MPI_Request>& persistent)
{
    contestants.push_back({"MPI", "blocking", "", [&n, &ghosts, comm] {
                               for (int f = 0; f < ghosts.fields(); ++f)
                                   MPI_Neighbor_alltoallw(ghosts.field(f), n.ones.data(), n.zeros.data(),
                                                          n.send.data(), ghosts.field(f), n.ones.data(),
                                                          n.zeros.data(), n.receive.data(), comm);
                           }});
    contestants.push_back({"MPI", "nonblocking", "", [&n, &ghosts, comm] {
                               std::vector<MPI_Request> requests(at(ghosts.fields()));
                               for (int f = 0; f < ghosts.fields(); ++f)
                                   MPI_Ineighbor_alltoallw(ghosts.field(f), n.ones.data(), n.zeros.data(),
                                                           n.send.data(), ghosts.field(f), n.ones.data(),
                                                           n.zeros.data(), n.receive.data(), comm,
                                                           &requests[at(f)]);
                               MPI_Waitall(ghosts.fields(), requests.data(), MPI_STATUSES_IGNORE);
                           }});
#if MPI_VERSION >= 4
    persistent.resize(at(ghosts.fields()));
    for (int f = 0; f < ghosts.fields(); ++f)
        MPI_Neighbor_alltoallw_init(ghosts.field(f), n.ones.data(), n.zeros.data(), n.send.data(),
                                    ghosts.field(f), n.ones.data(), n.zeros.data(), n.receive.data(), comm,
                                    MPI_INFO_NULL, &persistent[at(f)]);
    contestants.push_back({"MPI", "persistent", "", [&persistent] {
                               MPI_Startall(static_cast<int>(persistent.size()), persistent.data());
                               MPI_Waitall(static_cast<int>(persistent.size()), persistent.data(),
                                           MPI_STATUSES_IGNORE);
                           }});
#else
    static_cast<void>(persistent);
#endif
}

/// A message for each neighbor and field, told apart by tags.
void by_messages(const Exchange& exchange, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm)
{
    std::vector<MPI_Request> requests;
    const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
    requests.reserve((n.send.size() + n.receive.size()) * at(ghosts.fields()));
    const int stencil = exchange.stencil_size();
    for (int f = 0; f < ghosts.fields(); ++f)
        for (std::size_t i = 0; i < n.receive.size(); ++i)
            MPI_Irecv(ghosts.field(f), 1, n.receive[i], exchange.sources[i],
                      f * stencil + exchange.source_offsets[i], comm, next());
    for (int f = 0; f < ghosts.fields(); ++f)
        for (std::size_t i = 0; i < n.send.size(); ++i)
            MPI_Isend(ghosts.field(f), 1, n.send[i], exchange.targets[i],
                      f * stencil + exchange.target_offsets[i], comm, next());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// What those who know write by hand: a dimension after the other, two messages a field in each, whose
/// faces grow by the ghosts that have come.
class Faces {
public:
    Faces(const Exchange& exchange, Ghosts& ghosts, MPI_Comm comm)
        : ghosts_(ghosts),
          types_(ghosts),
          comm_(comm)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            for (int side = 0; side < 2; ++side) {
                Point towards{};
                towards[k] = side == 0 ? -1 : 1;
                Region out = ghosts.owned(towards);
                Region in = ghosts.ghosts(towards);
                for (std::size_t before = 0; before < k; ++before)
                    for (Region* region : {&out, &in}) {
                        region->first[before] = 0;
                        region->extent[before] = ghosts.whole();
                    }
                steps_.push_back(
                    {partner(exchange, exchange.targets, exchange.target_offsets, towards), types_.of(out),
                     partner(exchange, exchange.sources, exchange.source_offsets, towards), types_.of(in)});
            }
        }
    }
    void exchange()
    {
        for (std::size_t phase = 0; phase < 6; phase += 2) {
            std::vector<MPI_Request> requests;
            const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
            requests.reserve(4 * at(ghosts_.fields()));
            for (int f = 0; f < ghosts_.fields(); ++f) {
                for (std::size_t s = phase; s < phase + 2; ++s) {
                    const int tag = 2 * f + static_cast<int>(s - phase);
                    MPI_Irecv(ghosts_.field(f), 1, steps_[s].in, steps_[s].from, tag, comm_, next());
                    MPI_Isend(ghosts_.field(f), 1, steps_[s].out, steps_[s].to, tag, comm_, next());
                }
            }
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        }
    }

private:
    struct Step {
        int to;
        MPI_Datatype out;
        int from;
        MPI_Datatype in;
    };
    static int partner(const Exchange& exchange, const std::vector<int>& ranks,
                       const std::vector<int>& offsets, const Point& wanted)
    {
        for (std::size_t i = 0; i < ranks.size(); ++i)
            if (offset_of(exchange, offsets[i]) == wanted) return ranks[i];
        return MPI_PROC_NULL;
    }
    Ghosts& ghosts_;
    RegionTypes types_;
    MPI_Comm comm_;
    std::vector<Step> steps_;
};

/// Persistent halos of ours.
ORTHO_Request halo(Ghosts& ghosts, MPI_Comm comm)
{
    std::vector<void*> fields;
    for (int f = 0; f < ghosts.fields(); ++f) fields.push_back(ghosts.field(f));
    const std::vector<MPI_Datatype> elements(fields.size(), MPI_DOUBLE);
    const int sizes[] = {ghosts.whole(), ghosts.whole(), ghosts.whole()};
    const int depths[] = {ghosts.depth(), ghosts.depth(), ghosts.depth()};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    ORTHO_Halo_init(ghosts.fields(), fields.data(), elements.data(), 3, sizes, depths, depths, comm,
                    MPI_INFO_NULL, &request);
    return request;
}

Contestant started(ORTHO_Request& request, const std::string& algorithm)
{
    return {"mpiortho", "persistent", algorithm, [&request] {
                ORTHO_Start(&request);
                ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            }};
}

/// The lines, and the CSV file.  On rank 0.
class HaloTable {
public:
    HaloTable(const HaloOptions& options, int processes, const std::string& grid)
        : grid_(grid),
          csv_(options.cells.csv,
               "fields,side,depth,grid,library,form,algorithm,run,sample,batch,microseconds,right")
    {
        print_heading(processes,
                      fmt::format("{} {}; ghosts of cubes of doubles, 26 neighbors",
                                  options.cells.mesh ? "mesh" : "torus", grid),
                      "their time / ours", options.cells.runs);
        fmt::print(
            "{:>6} {:>5} {:>5} {:<11} {:>10} {:>10} {:>10} {:>10} {:>10} {:>22} {:>22} {:>22} {:>22}  {}\n",
            "fields", "side", "depth", "alltoallw", "us", "messages", "faces", "direct", "ours us",
            "alltoallw/ours", "messages/ours", "faces/ours", "ours/copies", "chosen");
        std::fflush(stdout);
    }
    bool is_open() const { return csv_.is_open(); }

    void add(const Ghosts& ghosts, const std::vector<Contestant>& contestants, const Runs& runs,
             const std::string& chosen)
    {
        write_samples(csv_, fmt::format("{},{},{},{}", ghosts.fields(), ghosts.side(), ghosts.depth(), grid_),
                      contestants, runs);
        csv_.flush();
        std::string wrong;
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const Contestant& c = contestants[i];
            // Copies of what is this process's own are no exchange.
            if (is_wrong(runs, i) && c.form != "copies")
                wrong += fmt::format("  WRONG RESULTS: {} {} {}", c.library, c.form, c.algorithm);
        }
        const std::vector<std::vector<double>> medians = medians_of(runs);
        const std::size_t best = best_of_mpi(contestants, medians);
        const std::size_t messages = place_of(contestants, "by hand", "messages");
        const std::size_t faces = place_of(contestants, "by hand", "faces");
        const std::size_t direct = place_of(contestants, "mpiortho", "direct");
        const std::size_t automatic = place_of(contestants, "mpiortho", "auto");
        const auto microseconds = [&](std::size_t i) { return 1e6 * median(medians[i]); };
        const auto speedup = [&](std::size_t theirs, std::vector<double>& all) {
            const Estimate estimate = estimate_median(ratios(medians[theirs], medians[automatic]));
            all.push_back(estimate.median);
            return ratio_text(estimate);
        };
        const std::size_t copies = place_of(contestants, "one process", "copies");
        const Estimate slower = estimate_median(ratios(medians[automatic], medians[copies]));
        over_copies_.push_back(slower.median);
        fmt::print("{:>6} {:>5} {:>5} {:<11} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>22} {:>22} "
                   "{:>22} {:>22}  {}{}\n",
                   ghosts.fields(), ghosts.side(), ghosts.depth(), contestants[best].form, microseconds(best),
                   microseconds(messages), microseconds(faces), microseconds(direct), microseconds(automatic),
                   speedup(best, over_alltoallw_), speedup(messages, over_messages_),
                   speedup(faces, over_faces_), ratio_text(slower), chosen, wrong);
        std::fflush(stdout);
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
    // Our speed-ups, cell by cell.
    std::vector<double> over_alltoallw_, over_messages_, over_faces_;
    std::vector<double> over_copies_; // how much longer than copying in one process
};

/// Number of our contestants' samples that were wrong.
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
    add_alltoallw(contestants, neighbors, ghosts, comms.mpi, persistent);
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
                Ghosts ghosts(exchange, world.rank, fields, side, depth, options.heap);
                wrong += measure_cell(world.comm, exchange, comms, ghosts, options.cells, table.get());
            }
    if (table) table->end();
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
