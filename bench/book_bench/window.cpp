// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>

#include "bench/comparison_table.hpp"
#include "bench/ghost_fields.hpp"
#include "bench/ghost_region_types.hpp"
#include "csv_file.hpp"
#include "neighbor_calls.hpp"
#include "progress.hpp"

namespace bench {

namespace {

/// Windows of one field: on a graph, and on a full communicator.
class Windows {
public:
    Windows(Ghosts& ghosts, MPI_Comm graph_comm, MPI_Comm full_comm)
    {
        const auto whole = static_cast<MPI_Aint>(ghosts.whole());
        const MPI_Aint bytes = whole * whole * whole * static_cast<MPI_Aint>(sizeof(double));
        ORTHO_Win_create(ghosts.field(0), bytes, 1, MPI_INFO_NULL, graph_comm, &graph);
        MPI_Win_create(ghosts.field(0), bytes, 1, MPI_INFO_NULL, full_comm, &full);
    }
    Windows(const Windows&) = delete;
    Windows& operator=(const Windows&) = delete;
    ~Windows()
    {
        ORTHO_Win_free(&graph);
        MPI_Win_free(&full);
    }

    MPI_Win graph = MPI_WIN_NULL;
    MPI_Win full = MPI_WIN_NULL;
};

/// The datatypes of accesses: Put takes owned elements to a neighbor's ghosts, Get the other way round.
struct Accesses {
    RegionTypes types;
    std::vector<MPI_Datatype> owned, ghosts_there; ///< for each of exchange.targets
    std::vector<MPI_Datatype> ghosts, owned_there;

    Accesses(const Exchange& exchange, const Ghosts& fields) : types(fields)
    {
        for (const int i : exchange.target_offsets) {
            const Point there = offset_of(exchange, i);
            const Point back{-there[0], -there[1], -there[2]};
            owned.push_back(types.of(fields.owned(there)));
            ghosts_there.push_back(types.of(fields.ghosts(there)));
            ghosts.push_back(types.of(fields.ghosts(back)));
            owned_there.push_back(types.of(fields.owned(back)));
        }
    }
};

using Fence = int (*)(int, MPI_Win);
using Access = void (*)(double* field, MPI_Datatype here, int target, MPI_Datatype there, MPI_Win win);

/// An exchange: all processes have used their ghosts, and get new ones.
void exchange_ghosts(Fence fence, Access access, const std::vector<int>& targets,
                     const std::vector<MPI_Datatype>& here, const std::vector<MPI_Datatype>& there,
                     double* field, MPI_Win win)
{
    fence(MPI_MODE_NOPRECEDE, win);
    for (std::size_t i = 0; i < targets.size(); ++i) access(field, here[i], targets[i], there[i], win);
    fence(MPI_MODE_NOSUCCEED, win);
}

void put(double* field, MPI_Datatype here, int target, MPI_Datatype there, MPI_Win win)
{
    ORTHO_Put(field, 1, here, target, 0, 1, there, win);
}
void get(double* field, MPI_Datatype here, int target, MPI_Datatype there, MPI_Win win)
{
    ORTHO_Get(field, 1, here, target, 0, 1, there, win);
}
void mpi_put(double* field, MPI_Datatype here, int target, MPI_Datatype there, MPI_Win win)
{
    MPI_Put(field, 1, here, target, 0, 1, there, win);
}
void mpi_get(double* field, MPI_Datatype here, int target, MPI_Datatype there, MPI_Win win)
{
    MPI_Get(field, 1, here, target, 0, 1, there, win);
}

/// Our persistent collective.
ORTHO_Request alltoallw(const Neighbors& n, Ghosts& ghosts, MPI_Comm comm)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    ORTHO_Alltoallw_init(ghosts.field(0), n.ones.data(), n.zeros.data(), n.send.data(), ghosts.field(0),
                         n.ones.data(), n.zeros.data(), n.receive.data(), comm, MPI_INFO_NULL, &request);
    return request;
}

constexpr auto window_columns = std::to_array<Column>({
    {"side", 5, "owned elements (doubles) of the field in each dimension"},
    {"depth", 5, "layers of ghosts"},
    {"put us", 10, "microseconds of an exchange by ORTHO_Put between fences of neighbors, the median"},
    {"get/put", 22, "ORTHO_Get between such fences / ORTHO_Put: above 1 ORTHO_Put is faster"},
    {"MPI put/put", 22, "MPI_Put between MPI_Win_fence / ORTHO_Put"},
    {"MPI get/put", 22, "MPI_Get between MPI_Win_fence / ORTHO_Put"},
    {"MPI alltoallw/put", 22, "MPI_Neighbor_alltoallw / ORTHO_Put"},
    {"alltoallw/put", 22, "ORTHO_Alltoallw / ORTHO_Put"},
    {"persistent/put", 22, "ORTHO_Alltoallw, persistent / ORTHO_Put"},
});

/// The lines, and the CSV file.  Only rank 0 has it.
class WindowTable {
public:
    WindowTable(const WindowOptions& options, int processes, const std::string& grid)
        : grid_(grid),
          csv_(options.cells.csv,
               "side,depth,grid,library,form,algorithm,run,sample,batch,microseconds,right"),
          progress_("cell", std::ssize(options.depths) * std::ssize(options.sides))
    {
        print_heading(processes,
                      fmt::format("{} {}; ghosts of a cube of doubles in {} memory, 26 neighbors",
                                  options.cells.mesh ? "mesh" : "torus", grid, options.memory),
                      "their time / that of mpiortho's put", options.cells.runs, window_columns);
    }
    bool is_open() const { return csv_.is_open(); }

    void add(const Ghosts& ghosts, const std::vector<Contestant>& contestants, const Runs& runs)
    {
        progress_.hide();
        write_samples(csv_, fmt::format("{},{},{}", ghosts.side(), ghosts.depth(), grid_), contestants, runs);
        csv_.flush();
        const std::vector<std::vector<double>> medians = medians_of(runs);
        const auto by_put = [&](const char* whose, const char* form) {
            const std::size_t i = place_of(contestants, whose, form);
            return ratio_text(estimate_median(ratios(medians[i], medians[0])));
        };
        print_row(window_columns, wrong_contestants(contestants, runs), ghosts.side(), ghosts.depth(),
                  fixed(1e6 * median(medians[0]), 1), by_put("mpiortho", "get"), by_put("MPI", "put"),
                  by_put("MPI", "get"), by_put("MPI", "alltoallw"), by_put("mpiortho", "alltoallw"),
                  by_put("mpiortho", "persistent"));
        progress_.at(++done_);
    }

private:
    std::string grid_;
    CsvFile csv_;
    Progress progress_;
    int done_ = 0;
};

/// Returns the number of wrong samples of our contestants.
int measure_cell(MPI_Comm base, const Exchange& exchange, const Comms& comms, Ghosts& ghosts,
                 const CellOptions& options, WindowTable* table)
{
    const Neighbors n(exchange, ghosts);
    const Accesses accesses(exchange, ghosts);
    const Windows windows(ghosts, comms.automatic, base);
    ORTHO_Request persistent = alltoallw(n, ghosts, comms.automatic);
    double* const field = ghosts.field(0);
    const auto by_put = [&](Fence fence, Access access, MPI_Win win) {
        return [&, fence, access, win] {
            exchange_ghosts(fence, access, exchange.targets, accesses.owned, accesses.ghosts_there, field,
                            win);
        };
    };
    const auto by_get = [&](Fence fence, Access access, MPI_Win win) {
        return [&, fence, access, win] {
            exchange_ghosts(fence, access, exchange.targets, accesses.ghosts, accesses.owned_there, field,
                            win);
        };
    };
    std::vector<Contestant> contestants = {
        {"mpiortho", "put", "", by_put(ORTHO_Win_fence, put, windows.graph)},
        {"mpiortho", "get", "", by_get(ORTHO_Win_fence, get, windows.graph)},
        {"MPI", "put", "", by_put(MPI_Win_fence, mpi_put, windows.full)},
        {"MPI", "get", "", by_get(MPI_Win_fence, mpi_get, windows.full)},
        {"MPI", "alltoallw", "",
         [&] {
             MPI_Neighbor_alltoallw(field, n.ones.data(), n.zeros.data(), n.send.data(), field, n.ones.data(),
                                    n.zeros.data(), n.receive.data(), comms.mpi);
         }},
        {"mpiortho", "alltoallw", "",
         [&] {
             ORTHO_Alltoallw(field, n.ones.data(), n.zeros.data(), n.send.data(), field, n.ones.data(),
                             n.zeros.data(), n.receive.data(), comms.automatic);
         }},
        {"mpiortho", "persistent", "",
         [&] {
             ORTHO_Start(&persistent);
             ORTHO_Wait(&persistent, MPI_STATUS_IGNORE);
         }},
    };
    const Runs runs = measure(
        base, contestants,
        {[&](int sample) { ghosts.prepare(sample); }, [&](int sample) { return ghosts.is_right(sample); }},
        options);
    if (table != nullptr) table->add(ghosts, contestants, runs);
    ORTHO_Request_free(&persistent);
    return wrong_of_ours(contestants, runs);
}

} // namespace

std::string run_window(const WindowOptions& options)
{
    const World world;
    std::string mistake;
    const Exchange exchange = ghost_exchange(world, options.cells.grid, options.cells.mesh, options.sides,
                                             options.depths, mistake);
    if (!mistake.empty()) return mistake;

    std::unique_ptr<WindowTable> table;
    if (world.rank == 0)
        table = std::make_unique<WindowTable>(options, world.size,
                                              fmt::format("{}", fmt::join(exchange.dims, "x")));
    mistake = csv_mistake(world, options.cells.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    int wrong = 0;
    const Comms comms(world.comm, exchange, "alltoall_direct");
    for (const int depth : options.depths)
        for (const int side : options.sides) {
            Ghosts ghosts(exchange, world.rank, 1, side, depth, is_shared(options.memory));
            wrong += measure_cell(world.comm, exchange, comms, ghosts, options.cells, table.get());
        }
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
