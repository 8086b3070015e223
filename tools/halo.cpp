// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>

#include "ghosts.hpp"
#include "neighbor_calls.hpp"

namespace bench {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Datatypes of regions, freed with this.
class Types {
public:
    explicit Types(const Ghosts& ghosts) : whole_(ghosts.whole()) {}
    Types(const Types&) = delete;
    Types& operator=(const Types&) = delete;
    ~Types()
    {
        for (MPI_Datatype& type : types_) MPI_Type_free(&type);
    }
    MPI_Datatype of(const Region& region)
    {
        const int sizes[] = {whole_, whole_, whole_};
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_subarray(3, sizes, region.extent.data(), region.first.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        types_.push_back(type);
        return type;
    }

private:
    int whole_;
    std::vector<MPI_Datatype> types_;
};

/// What MPI_Neighbor_alltoallw takes, and what 26 messages a field do: a datatype for each neighbor.
struct Neighbors {
    Types types;
    std::vector<MPI_Datatype> send, receive;
    std::vector<int> ones;
    std::vector<MPI_Aint> zeros;

    Neighbors(const Exchange& exchange, const Ghosts& ghosts)
        : types(ghosts), ones(at(exchange.stencil_size()) + 1, 1), zeros(at(exchange.stencil_size()) + 1, 0)
    {
        for (const int i : exchange.target_offsets) send.push_back(types.of(ghosts.owned(offset_of(exchange, i))));
        for (const int i : exchange.source_offsets) receive.push_back(types.of(ghosts.ghosts(offset_of(exchange, i))));
    }
};

/// MPI_Neighbor_alltoallw for each field: one after the other, all at once, and persistent.
void add_alltoallw(std::vector<Contestant>& contestants, const Neighbors& n, Ghosts& ghosts, MPI_Comm comm,
                   std::vector<MPI_Request>& persistent)
{
    contestants.push_back({"MPI", "blocking", "", [&n, &ghosts, comm] {
        for (int f = 0; f < ghosts.fields(); ++f)
            MPI_Neighbor_alltoallw(ghosts.field(f), n.ones.data(), n.zeros.data(), n.send.data(), ghosts.field(f),
                                   n.ones.data(), n.zeros.data(), n.receive.data(), comm);
    }});
    contestants.push_back({"MPI", "nonblocking", "", [&n, &ghosts, comm] {
        std::vector<MPI_Request> requests(at(ghosts.fields()));
        for (int f = 0; f < ghosts.fields(); ++f)
            MPI_Ineighbor_alltoallw(ghosts.field(f), n.ones.data(), n.zeros.data(), n.send.data(), ghosts.field(f),
                                    n.ones.data(), n.zeros.data(), n.receive.data(), comm, &requests[at(f)]);
        MPI_Waitall(ghosts.fields(), requests.data(), MPI_STATUSES_IGNORE);
    }});
#if MPI_VERSION >= 4
    persistent.resize(at(ghosts.fields()));
    for (int f = 0; f < ghosts.fields(); ++f)
        MPI_Neighbor_alltoallw_init(ghosts.field(f), n.ones.data(), n.zeros.data(), n.send.data(), ghosts.field(f),
                                    n.ones.data(), n.zeros.data(), n.receive.data(), comm, MPI_INFO_NULL,
                                    &persistent[at(f)]);
    contestants.push_back({"MPI", "persistent", "", [&persistent] {
        MPI_Startall(static_cast<int>(persistent.size()), persistent.data());
        MPI_Waitall(static_cast<int>(persistent.size()), persistent.data(), MPI_STATUSES_IGNORE);
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
            MPI_Irecv(ghosts.field(f), 1, n.receive[i], exchange.sources[i], f * stencil + exchange.source_offsets[i],
                      comm, next());
    for (int f = 0; f < ghosts.fields(); ++f)
        for (std::size_t i = 0; i < n.send.size(); ++i)
            MPI_Isend(ghosts.field(f), 1, n.send[i], exchange.targets[i], f * stencil + exchange.target_offsets[i], comm,
                      next());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// What those who know write by hand: a dimension after the other, two messages a field in each, whose
/// faces grow by the ghosts that have come.
class Faces {
public:
    Faces(const Exchange& exchange, Ghosts& ghosts, MPI_Comm comm) : ghosts_(ghosts), types_(ghosts), comm_(comm)
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
                steps_.push_back({partner(exchange, exchange.targets, exchange.target_offsets, towards), types_.of(out),
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
    static int partner(const Exchange& exchange, const std::vector<int>& ranks, const std::vector<int>& offsets,
                       const Point& wanted)
    {
        for (std::size_t i = 0; i < ranks.size(); ++i)
            if (offset_of(exchange, offsets[i]) == wanted) return ranks[i];
        return MPI_PROC_NULL;
    }
    Ghosts& ghosts_;
    Types types_;
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
    ORTHO_Halo_init(ghosts.fields(), fields.data(), elements.data(), 3, sizes, depths, depths, comm, MPI_INFO_NULL,
                    &request);
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
class Table {
public:
    Table(const HaloOptions& options, int processes, const std::string& grid) : grid_(grid), options_(options)
    {
        const Estimate all = estimate_median(std::vector<double>(at(options.cells.runs)));
        fmt::print("# {}\n# {} processes, {} {}; ghosts of cubes of doubles, 26 neighbors\n",
                   mpi_name(),
                   processes, options.cells.mesh ? "mesh" : "torus", grid);
        fmt::print("# ratios: their time / ours, the median of {} runs; in brackets the order statistics that enclose the\n"
                   "# true median with probability {:.1f} %\n",
                   options.cells.runs, 100 * all.coverage);
        fmt::print("{:>6} {:>5} {:>5} {:<11} {:>10} {:>10} {:>10} {:>10} {:>10} {:>22} {:>22} {:>22}  {}\n", "fields",
                   "side", "depth", "alltoallw", "us", "messages", "faces", "direct", "ours us", "alltoallw/ours",
                   "messages/ours", "faces/ours", "chosen");
        std::fflush(stdout);
        if (options.cells.csv.empty()) return;
        file_.reset(std::fopen(options.cells.csv.c_str(), "w"));
        if (file_)
            fmt::print(file_.get(), "fields,side,depth,grid,library,form,algorithm,run,sample,batch,microseconds,right\n");
    }
    bool is_open() const { return options_.cells.csv.empty() || file_ != nullptr; }

    void add(const Ghosts& ghosts, const std::vector<Contestant>& contestants, const Runs& runs, const std::string& chosen)
    {
        std::vector<std::vector<double>> medians(contestants.size());
        std::string wrong;
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const Contestant& c = contestants[i];
            bool right = true;
            for (std::size_t run = 0; run < runs.size(); ++run) {
                const Series& series = runs[run][i];
                medians[i].push_back(median(series.seconds));
                right &= series.wrong == 0;
                for (std::size_t k = 0; file_ && k < series.seconds.size(); ++k)
                    fmt::print(file_.get(), "{},{},{},{},{},{},{},{},{},{},{:.4f},{}\n", ghosts.fields(), ghosts.side(),
                               ghosts.depth(), grid_, c.library, c.form, c.algorithm, run, k, c.batch,
                               1e6 * series.seconds[k], series.wrong == 0 ? "yes" : "no");
            }
            if (!right) wrong += fmt::format("  WRONG RESULTS: {} {} {}", c.library, c.form, c.algorithm);
        }
        // Two of ours, messages and faces come first.
        std::size_t best = first_of_mpi;
        for (std::size_t i = first_of_mpi; i < contestants.size(); ++i)
            if (median(medians[i]) < median(medians[best])) best = i;
        const Estimate estimates[] = {estimate_median(ratios(medians[best], medians[0])),
                                      estimate_median(ratios(medians[2], medians[0])),
                                      estimate_median(ratios(medians[3], medians[0]))};
        const auto text = [](const Estimate& e) { return fmt::format("{:6.2f} [{:5.2f},{:6.2f}]", e.median, e.low, e.high); };
        const auto microseconds = [&](std::size_t i) { return 1e6 * median(medians[i]); };
        fmt::print("{:>6} {:>5} {:>5} {:<11} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>22} {:>22} {:>22}  {}{}\n",
                   ghosts.fields(), ghosts.side(), ghosts.depth(), contestants[best].form, microseconds(best),
                   microseconds(2), microseconds(3), microseconds(1), microseconds(0), text(estimates[0]),
                   text(estimates[1]), text(estimates[2]), chosen, wrong);
        std::fflush(stdout);
        if (file_) std::fflush(file_.get());
        for (std::size_t i = 0; i < 3; ++i) speedups_[i].push_back(estimates[i].median);
    }
    void end() const
    {
        fmt::print("# {} cells.  Geometric means: alltoallw/ours {:.3f}, messages/ours {:.3f}, faces/ours {:.3f}\n",
                   speedups_[0].size(), geometric_mean(speedups_[0]), geometric_mean(speedups_[1]),
                   geometric_mean(speedups_[2]));
    }
    static constexpr std::size_t first_of_mpi = 4;

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string grid_;
    const HaloOptions& options_;
    std::unique_ptr<std::FILE, Close> file_;
    std::vector<double> speedups_[3];
};

/// Number of our contestants' samples that were wrong.
int measure_cell(MPI_Comm base, const Exchange& exchange, const Comms& comms, Ghosts& ghosts, const CellOptions& options,
                 Table* table)
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
    };
    add_alltoallw(contestants, neighbors, ghosts, comms.mpi, persistent);
    const Runs runs = measure(base, contestants,
                              {[&](int sample) { ghosts.prepare(sample); }, [&](int sample) { return ghosts.is_right(sample); }},
                              options);
    int wrong = 0;
    for (const std::vector<Series>& run : runs) wrong += run[0].wrong + run[1].wrong;
    const std::string chosen = algorithm_of(automatic);
    if (table != nullptr) table->add(ghosts, contestants, runs, chosen);
    ORTHO_Request_free(&direct);
    for (MPI_Request& request : persistent) MPI_Request_free(&request);
    return wrong;
}

} // namespace

std::string run_halo(const HaloOptions& options)
{
    int rank = 0;
    int processes = 0;
    MPI_Comm base = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_rank(base, &rank);
    MPI_Comm_size(base, &processes);
    std::string mistake = grid_mistake(options.cells.grid, {3}, processes);
    if (!mistake.empty()) return mistake;
    if (std::ranges::max(options.depths) > std::ranges::min(options.sides)) return "--depths: more layers than are owned";
    const std::vector<int> dims = parse_grid(options.cells.grid, 3, processes, mistake);
    const Exchange exchange = make_exchange(base, dims, !options.cells.mesh, "moore:1", mistake);

    std::unique_ptr<Table> table;
    int open = 1;
    if (rank == 0) {
        table = std::make_unique<Table>(options, processes, fmt::format("{}", fmt::join(dims, "x")));
        open = table->is_open() ? 1 : 0;
    }
    MPI_Bcast(&open, 1, MPI_INT, 0, base);
    if (open == 0) return fmt::format("--csv {} cannot be written", options.cells.csv);

    int wrong = 0;
    {
        const Comms comms(base, exchange, "halo_direct");
        for (const int fields : options.fields)
            for (const int depth : options.depths)
                for (const int side : options.sides) {
                    Ghosts ghosts(exchange, rank, fields, side, depth);
                    wrong += measure_cell(base, exchange, comms, ghosts, options.cells, table.get());
                }
    }
    if (table) table->end();
    MPI_Comm_free(&base);
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
