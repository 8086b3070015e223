// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/place.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "bench/comparison_table.hpp"
#include "csv_file.hpp"
#include "neighbor_calls.hpp"
#include "placement/edge_cut.hpp"
#include "placement/gropp.hpp"
#include "placement/placement.hpp"
#include "progress.hpp"

namespace bench {

namespace {

using namespace ortho;

/// The nodes that the library finds.
grid::Nodes nodes_of(const World& world)
{
    const char* const wanted = std::getenv("ORTHO_NODES");
    if (const auto sizes = grid::parse_node_sizes(wanted != nullptr ? wanted : ""))
        return grid::Nodes::consecutive(world.size, *sizes);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &node);
    int first = world.rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    std::vector<int> labels(at(world.size));
    MPI_Allgather(&first, 1, MPI_INT, labels.data(), 1, MPI_INT, world.comm);
    return grid::Nodes(labels);
}

grid::Neighborhood neighborhood_of(const Exchange& exchange)
{
    const grid::Grid grid(exchange.dims, {exchange.periods.begin(), exchange.periods.end()});
    grid::Stencil stencil(static_cast<int>(exchange.dims.size()));
    for (int i = 0; i < exchange.stencil_size(); ++i)
        stencil.push_back({&exchange.offsets[at(i) * exchange.dims.size()], exchange.dims.size()});
    return grid::canonical(grid, stencil).neighborhood;
}

/// The processes in the order that the library's placement gives them.
MPI_Comm placed(MPI_Comm base, const Exchange& exchange)
{
    MPI_Comm cart = MPI_COMM_NULL;
    ORTHO_Cart_neighborhood_create(base, static_cast<int>(exchange.dims.size()), exchange.dims.data(),
                                   exchange.periods.data(), exchange.stencil_size(), exchange.offsets.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &cart);
    MPI_Comm result = MPI_COMM_NULL;
    ORTHO_Comm_base(cart, &result);
    MPI_Comm_free(&cart);
    return result;
}

/// The processes in the order of Gropp's placement, or of `base` if his method has no answer.
MPI_Comm nodecart(MPI_Comm base, const grid::Neighborhood& neighborhood, const grid::Nodes& nodes)
{
    int rank = 0;
    MPI_Comm_rank(base, &rank);
    if (const auto node_of = placement::gropp(neighborhood.grid, nodes)) {
        const std::vector<int> process_at = placement::processes_on_points(nodes, *node_of);
        int point = 0;
        while (process_at[at(point)] != rank) ++point;
        rank = point;
    }
    MPI_Comm result = MPI_COMM_NULL;
    MPI_Comm_split(base, 0, rank, &result);
    return result;
}

/// An exchange with processes in some order, by the library and by hand.
class Layout {
public:
    /// Frees `comm` at its end.
    Layout(const char* name, MPI_Comm comm, const Exchange& exchange)
        : name_(name),
          comm_(comm),
          exchange_(make_exchange(comm, exchange.dims, exchange.periods[0] != 0, exchange.offsets)),
          graph_(ortho_comm(comm, exchange_, "auto", true))
    {
        MPI_Comm_rank(comm, &rank_);
    }
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
    ~Layout()
    {
        end();
        MPI_Comm_free(&graph_);
        MPI_Comm_free(&comm_);
    }
    const char* name() const { return name_; }

    /// The number of edges between nodes.
    std::int64_t leaving(const World& world, const grid::Neighborhood& neighborhood,
                         const grid::Nodes& nodes) const
    {
        std::vector<int> process_at(at(world.size));
        MPI_Allgather(&world.rank, 1, MPI_INT, process_at.data(), 1, MPI_INT, comm_);
        return placement::count_cut(neighborhood, {}, nodes.renumbered(process_at).of_all()).total;
    }

    /// Begins exchanges with blocks of this size.
    void begin(int bytes)
    {
        end();
        data_.emplace(exchange_, rank_, true, bytes / 4);
        family("alltoall", &*data_).ours.init(graph_, MPI_INFO_NULL, &request_);
    }
    Data& data() { return *data_; }

    void by_library()
    {
        ORTHO_Start(&request_);
        ORTHO_Wait(&request_, MPI_STATUS_IGNORE);
    }
    /// By hand as in [G], Figure 3.
    void by_hand()
    {
        std::vector<MPI_Request> requests;
        const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
        requests.reserve(exchange_.sources.size() + exchange_.targets.size());
        Data& d = *data_;
        for (std::size_t i = 0; i < exchange_.sources.size(); ++i)
            MPI_Irecv(&d.receive[i * at(d.count)], d.count, MPI_INT, exchange_.sources[i],
                      exchange_.source_offsets[i], comm_, next());
        for (std::size_t i = 0; i < exchange_.targets.size(); ++i)
            MPI_Isend(&d.send[i * at(d.count)], d.count, MPI_INT, exchange_.targets[i],
                      exchange_.target_offsets[i], comm_, next());
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    /// Ends the exchanges, and returns the library's algorithm.
    std::string end()
    {
        if (request_ == ORTHO_REQUEST_NULL) return "";
        return algorithm_of(std::exchange(request_, ORTHO_REQUEST_NULL));
    }

private:
    const char* name_;
    MPI_Comm comm_;
    int rank_ = 0;
    Exchange exchange_;
    MPI_Comm graph_;
    std::optional<Data> data_;
    ORTHO_Request request_ = ORTHO_REQUEST_NULL;
};

/// As numbered, Gropp's, and the library's.
using Layouts = std::array<Layout, 3>;
constexpr const char* library = "mpiortho";
constexpr const char* by_hand_name = "by hand";

constexpr auto place_columns = std::to_array<Column>({
    {"bytes", 8, "of a block"},
    {"numbered us", 12, "microseconds of mpiortho's exchange with ranks as numbered, the median"},
    {"gropp us", 12, "microseconds with ranks by Gropp's method"},
    {"placed us", 12, "microseconds with ranks as mpiortho places them"},
    {"numbered/gropp", 22, "the first / the second: above 1 Gropp's order is faster"},
    {"numbered/placed", 22, "the first / the third: above 1 mpiortho's order is faster"},
    {"gropp/placed", 22, "the second / the third"},
    {"control", 22, "as numbered / the same once more: how far such ratios stray by themselves"},
    {"by hand: num./gropp", 22, "the exchange by hand, numbered/gropp"},
    {"by hand: num./placed", 22, "the exchange by hand, numbered/placed"},
    {"chosen", -1, "the algorithm that the planner chose; several where it differs between orders"},
});

/// The lines, and the CSV file.  Only rank 0 has it.
class PlaceTable {
public:
    PlaceTable(const PlaceOptions& options, int processes, const grid::Nodes& nodes, const std::string& grid,
               const std::string& stencil, const std::array<std::int64_t, 3>& leaving)
        : before_(fmt::format("{},{},\"{}\"", grid, options.cells.mesh ? "mesh" : "torus", stencil)),
          csv_(options.cells.csv,
               "grid,topology,stencil,bytes,library,order,algorithm,run,sample,batch,microseconds,right"),
          progress_("size", std::ssize(options.bytes))
    {
        fmt::print("# edges that leave their nodes: {} as numbered, {} by Gropp's method, {} placed\n",
                   leaving[0], leaving[1], leaving[2]);
        print_heading(processes,
                      fmt::format("{} nodes; {} {}, {}", nodes.count(), options.cells.mesh ? "mesh" : "torus",
                                  grid, stencil),
                      "time in one order / in another", options.cells.runs, place_columns);
    }
    bool is_open() const { return csv_.is_open(); }

    void add(int bytes, const std::vector<Contestant>& contestants, const Runs& runs,
             const std::string& chosen)
    {
        progress_.hide();
        write_samples(csv_, fmt::format("{},{}", before_, bytes), contestants, runs);
        csv_.flush();
        const std::vector<std::vector<double>> medians = medians_of(runs);
        const auto of = [&](const char* whose, const char* order) {
            return medians[place_of(contestants, whose, order)];
        };
        const auto microseconds = [&](const char* order) {
            return fixed(1e6 * median(of(library, order)), 1);
        };
        const auto ratio = [&](const char* whose, const char* above, const char* below) {
            return ratio_text(estimate_median(ratios(of(whose, above), of(whose, below))));
        };
        print_row(place_columns, wrong_contestants(contestants, runs), bytes, microseconds("numbered"),
                  microseconds("gropp"), microseconds("placed"), ratio(library, "numbered", "gropp"),
                  ratio(library, "numbered", "placed"), ratio(library, "gropp", "placed"),
                  ratio(library, "numbered", "control"), ratio(by_hand_name, "numbered", "gropp"),
                  ratio(by_hand_name, "numbered", "placed"), chosen);
        progress_.at(++done_);
    }

private:
    std::string before_;
    CsvFile csv_;
    Progress progress_;
    int done_ = 0;
};

/// Returns the number of wrong samples.
int measure_size(const World& world, Layouts& layouts, int bytes, const CellOptions& options,
                 PlaceTable* table)
{
    Layout* last = nullptr; // the one with the last exchange
    std::vector<Contestant> contestants;
    for (Layout& layout : layouts) {
        layout.begin(bytes);
        contestants.push_back({library, layout.name(), "", [&] {
                                   last = &layout;
                                   layout.by_library();
                               }});
        contestants.push_back({by_hand_name, layout.name(), "", [&] {
                                   last = &layout;
                                   layout.by_hand();
                               }});
    }
    contestants.push_back({library, "control", "", [&] {
                               last = &layouts[0];
                               layouts[0].by_library();
                           }});
    const Surroundings surroundings{[&](int sample) {
                                        for (Layout& layout : layouts) layout.data().prepare(sample);
                                    },
                                    [&](int sample) { return last->data().is_right(sample); }};
    const Runs runs = measure(world.comm, contestants, surroundings, options);
    int wrong = 0;
    for (const std::vector<Series>& run : runs)
        for (const Series& series : run) wrong += series.wrong;
    std::string chosen;
    for (Layout& layout : layouts) {
        const std::string algorithm = layout.end();
        if (!chosen.ends_with(algorithm)) chosen += (chosen.empty() ? "" : ", ") + algorithm;
    }
    if (table != nullptr) table->add(bytes, contestants, runs, chosen);
    return wrong;
}

} // namespace

std::string run_place(const PlaceOptions& options)
{
    const World world;
    std::string mistake;
    const std::vector<int> dims = parse_grid(options.cells.grid, options.dimensions, world.size, mistake);
    if (!mistake.empty()) return mistake;
    const Exchange exchange = make_exchange(world.comm, dims, !options.cells.mesh, options.stencil, mistake);
    if (!mistake.empty()) return mistake;

    const grid::Nodes nodes = nodes_of(world);
    const grid::Neighborhood neighborhood = neighborhood_of(exchange);
    MPI_Comm numbered = MPI_COMM_NULL;
    MPI_Comm_dup(world.comm, &numbered);
    Layouts layouts{Layout("numbered", numbered, exchange),
                    Layout("gropp", nodecart(world.comm, neighborhood, nodes), exchange),
                    Layout("placed", placed(world.comm, exchange), exchange)};
    std::array<std::int64_t, 3> leaving{};
    for (std::size_t i = 0; i < layouts.size(); ++i)
        leaving[i] = layouts[i].leaving(world, neighborhood, nodes);

    std::unique_ptr<PlaceTable> table;
    if (world.rank == 0)
        table = std::make_unique<PlaceTable>(
            options, world.size, nodes, fmt::format("{}", fmt::join(dims, "x")), exchange.stencil, leaving);
    mistake = csv_mistake(world, options.cells.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;
    int wrong = 0;
    for (const int bytes : options.bytes)
        wrong += measure_size(world, layouts, bytes, options.cells, table.get());
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
