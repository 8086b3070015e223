// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include "base/index.hpp"
#include "bench/comparison_table.hpp"
#include "bench/statistics.hpp"
#include "bench/table_columns.hpp"
#include "book_bench/neighbor_sums.hpp"
#include "csv_file.hpp"
#include "neighbor_calls.hpp"
#include "progress.hpp"
#include "stencil_exchange.hpp"
#include "timing_samples.hpp"
#include "world_comm.hpp"

namespace bench {

namespace {

using ortho::at;

/// A schedule of ours that can serve the call.
struct Predicted {
    std::string algorithm;
    double microseconds = 0;
    bool chosen = false;
};

/// The predictions of ORTHO_Explain, in lines " chosen NAME: predicted T us; …" and " not    NAME:
/// predicted T us".
std::vector<Predicted> predictions(ORTHO_Request request)
{
    int length = 0;
    ORTHO_Explain(request, nullptr, 0, &length);
    std::string text(at(length) + 1, '\0');
    ORTHO_Explain(request, text.data(), length + 1, nullptr);
    std::vector<Predicted> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string choice, name, predicted;
        double time = 0;
        words >> choice >> name >> predicted >> time;
        if (!words || predicted != "predicted" || (choice != "chosen" && choice != "not")) continue;
        name.pop_back(); // the colon
        result.push_back({name, time, choice == "chosen"});
    }
    return result;
}

/// A persistent operation of ours.
class Operation {
public:
    template <class Init>
    Operation(const Init& init, const std::string& algorithm)
    {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        if (!algorithm.empty()) MPI_Info_set(info, "ortho_algorithm", algorithm.c_str());
        init(info, &request_);
        MPI_Info_free(&info);
    }
    Operation(Operation&& other) noexcept : request_(std::exchange(other.request_, ORTHO_REQUEST_NULL)) {}
    Operation& operator=(Operation&&) = delete;
    ~Operation()
    {
        if (request_ != ORTHO_REQUEST_NULL) ORTHO_Request_free(&request_);
    }
    ORTHO_Request get() const { return request_; }

private:
    ORTHO_Request request_ = ORTHO_REQUEST_NULL;
};

/// The exchange by hand, one message for each edge.
class ByHand {
public:
    ByHand(MPI_Comm comm, Data& data)
        : comm_(comm),
          data_(data),
          requests_(data.exchange.sources.size() + data.exchange.targets.size())
    {}

    /// Offset by offset, as in the papers' trivial algorithm.
    void in_rounds()
    {
        std::size_t to = 0, from = 0;
        const Exchange& exchange = data_.exchange;
        for (int offset = 0; offset < exchange.stencil_size(); ++offset) {
            // At a border the neighbor may not exist.
            const bool sends = to < exchange.targets.size() && exchange.target_offsets[to] == offset;
            const bool receives = from < exchange.sources.size() && exchange.source_offsets[from] == offset;
            MPI_Sendrecv(sent(to), sends ? count(data_.send_counts, to) : 0, MPI_INT,
                         sends ? exchange.targets[to] : MPI_PROC_NULL, tag, received(from),
                         receives ? data_.receive_counts[from] : 0, MPI_INT,
                         receives ? exchange.sources[from] : MPI_PROC_NULL, tag, comm_, MPI_STATUS_IGNORE);
            to += sends ? 1 : 0;
            from += receives ? 1 : 0;
        }
    }

    void all_at_once()
    {
        const Exchange& exchange = data_.exchange;
        MPI_Request* request = requests_.data();
        for (std::size_t i = 0; i < exchange.sources.size(); ++i)
            MPI_Irecv(received(i), data_.receive_counts[i], MPI_INT, exchange.sources[i], tag, comm_,
                      request++);
        for (std::size_t i = 0; i < exchange.targets.size(); ++i)
            MPI_Isend(sent(i), count(data_.send_counts, i), MPI_INT, exchange.targets[i], tag, comm_,
                      request++);
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

private:
    static constexpr int tag = 1;
    int count(const std::vector<int>& counts, std::size_t i) const
    {
        return data_.personal ? counts[i] : data_.count;
    }
    int* sent(std::size_t i) const { return data_.send.data() + (data_.personal ? data_.send_places[i] : 0); }
    int* received(std::size_t i) const { return data_.receive.data() + data_.receive_places[i]; }

    MPI_Comm comm_;
    Data& data_;
    std::vector<MPI_Request> requests_;
};

/// The counts of the irregular exchange in the paper Cartesian Collective Communication (section 4): m^(d -
/// z) elements where z coordinates are not 0.
std::vector<int> irregular_counts(const Exchange& exchange, int m)
{
    const int d = static_cast<int>(exchange.dims.size());
    std::vector<int> counts;
    for (int i = 0; i < exchange.stencil_size(); ++i) {
        const auto first = exchange.offsets.begin() + i * d;
        const auto zeros = std::count(first, first + d, 0);
        counts.push_back(static_cast<int>(std::pow(m, zeros)));
    }
    return counts;
}

/// The largest number of elements in all blocks of a process in one cell of the table.
double elements(const SchedulesOptions& options, const std::string& collective)
{
    const int d = std::ranges::max(options.d);
    const double m = std::ranges::max(options.m);
    // The irregular counts of all offsets, summed up by the number of zeros, are (m + n - 1)^d - m^d.
    const double n = std::ranges::max(options.n);
    return collective == "alltoallv" ? std::pow(m + n - 1, d) - std::pow(m, d) : std::pow(n, d) * m;
}

constexpr auto schedule_columns = std::to_array<Column>({
    {"*", 1, "stands before what the planner chose"},
    {"schedule", -28, "rounds, all_at_once and NAME_and_reduce are by hand, the others mpiortho's"},
    {"predicted us", 14, "microseconds that the planner expects"},
    {"measured us", 14, "microseconds of a call, the median"},
    {"/first", 9, "the time of the first line / that of this one: above 1 is faster"},
});

class SchedulesTable {
public:
    SchedulesTable(const SchedulesOptions& options, int processes)
        : options_(options),
          processes_(processes),
          csv_(options.csv, "collective,grid,topology,processes,d,n,t,m,schedule,chosen,predicted_us,"
                            "microseconds,ratio_to_first,right"),
          progress_("cell", std::ssize(options.collectives) * std::ssize(options.d) * std::ssize(options.n) *
                                std::ssize(options.m))
    {
        fmt::print("# {}\n# {} processes, stencils {{-1, ..., n-2}}^d without 0, {} samples of {} calls\n"
                   "# over each table: the call, d dimensions, extent n, t offsets, m elements of a block\n",
                   mpi_name(), processes, options.samples, options.batch);
        print_explanations(schedule_columns);
    }
    bool is_open() const { return csv_.is_open(); }

    void add(const Cell& cell, const std::vector<Contestant>& contestants, const std::vector<Series>& series,
             const std::vector<Predicted>& predicted)
    {
        progress_.hide();
        fmt::print("\n{} d={} n={} t={} m={} on {}\n", cell.collective, cell.dims.size(), cell.n, cell.t,
                   cell.m, fmt::join(cell.dims, "x"));
        print_names(schedule_columns);
        const std::size_t by_hand = contestants.size() - predicted.size();
        const double first = median(series[0].seconds);
        double best = first, chosen = 0;
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const double middle = median(series[i].seconds);
            best = std::min(best, middle);
            std::string expected;
            const Predicted* const mine = i < by_hand ? nullptr : &predicted[i - by_hand];
            const bool is_chosen = mine != nullptr && mine->chosen;
            if (is_chosen) chosen = middle;
            if (mine != nullptr) {
                expected = fmt::format("{:.3f}", mine->microseconds);
                errors_.push_back(std::abs(mine->microseconds * 1e-6 / middle - 1));
            }
            const bool wrong = series[i].wrong > 0;
            print_row(schedule_columns, wrong ? "  WRONG RESULTS" : "", is_chosen ? "*" : " ",
                      contestants[i].algorithm, expected, fixed(1e6 * middle, 3), fixed(first / middle, 3));
            csv_.print("{},{},{},{},{},{},{},{},{},{},{},{:.4f},{:.4f},{}\n", cell.collective,
                       fmt::join(cell.dims, "x"), options_.mesh ? "mesh" : "torus", processes_,
                       cell.dims.size(), cell.n, cell.t, cell.m, contestants[i].algorithm,
                       is_chosen ? "yes" : "no", expected, 1e6 * middle, first / middle,
                       wrong ? "no" : "yes");
        }
        csv_.flush();
        std::fflush(stdout);
        if (chosen > 0) excess_.push_back(chosen / best - 1);
        progress_.at(++done_);
    }

    void end() const
    {
        if (excess_.empty()) return;
        const auto good = std::ranges::count_if(excess_, [](double excess) { return excess <= 0.1; });
        fmt::print("\n# {} cells; the choice is within 10 % of the best in {} ({:.0f} %), at worst {:.0f} % "
                   "above it\n",
                   excess_.size(), good,
                   100.0 * static_cast<double>(good) / static_cast<double>(excess_.size()),
                   100 * *std::ranges::max_element(excess_));
        fmt::print("# {} predictions; relative error: median {:.0f} %, worst {:.0f} %\n", errors_.size(),
                   100 * median(errors_), 100 * *std::ranges::max_element(errors_));
    }

private:
    const SchedulesOptions& options_;
    int processes_;
    CsvFile csv_;
    Progress progress_;
    int done_ = 0;
    std::vector<double> excess_; ///< of the choices over the best of their cells
    std::vector<double> errors_; ///< of predictions, relative to measured times
};

/// The calls of one cell, and the work around them.
struct ScheduleProblem {
    std::vector<Contestant> by_hand;
    std::function<void(MPI_Info, ORTHO_Request*)> init;
    Surroundings surroundings;
};

/// Returns the number of wrong samples of ours.
int measure_cell(const World& world, const SchedulesOptions& options, const Cell& cell,
                 const ScheduleProblem& problem, SchedulesTable* table)
{
    const std::vector<Predicted> predicted = predictions(Operation(problem.init, "").get());
    std::vector<Contestant> contestants = problem.by_hand;
    std::erase_if(contestants,
                  [&](const Contestant& c) { return std::ranges::count(options.without, c.algorithm) > 0; });
    std::vector<Operation> operations;
    for (const Predicted& one : predicted) {
        ORTHO_Request request = operations.emplace_back(problem.init, one.algorithm).get();
        contestants.push_back({"mpiortho", "persistent", one.algorithm, [request]() mutable {
                                   ORTHO_Start(&request);
                                   ORTHO_Wait(&request, MPI_STATUS_IGNORE);
                               }});
    }
    for (Contestant& contestant : contestants) {
        contestant.batch = options.batch;
        if (options.samples > 1) contestant.call(); // warms up
    }
    const std::vector<Series> series = take_samples(world.comm, contestants, problem.surroundings,
                                                    options.samples);
    if (table != nullptr) table->add(cell, contestants, series, predicted);
    return wrong_of_ours(contestants, series);
}

int measure_exchange(const World& world, const SchedulesOptions& options, const Cell& cell,
                     const Exchange& exchange, MPI_Comm comm, SchedulesTable* table)
{
    const bool irregular = cell.collective == "alltoallv";
    Data data = irregular ? Data(exchange, world.rank, irregular_counts(exchange, cell.m))
                          : Data(exchange, world.rank, cell.collective == "alltoall", cell.m);
    ByHand hand(world.comm, data);
    const Family calls = family(cell.collective, &data);
    return measure_cell(
        world, options, cell,
        {{{"hand", "blocking", "rounds", [&] { hand.in_rounds(); }},
          {"hand", "blocking", "all_at_once", [&] { hand.all_at_once(); }}},
         [&](MPI_Info info, ORTHO_Request* request) { calls.ours.init(comm, info, request); },
         {[&](int sample) { data.prepare(sample); }, [&](int sample) { return data.is_right(sample); }}},
        table);
}

int measure_sums(const World& world, const SchedulesOptions& options, const Cell& cell,
                 const Exchange& exchange, MPI_Comm comm, SchedulesTable* table)
{
    const bool personal = cell.collective == "reduce_scatterv";
    Sums sums(exchange, world.rank, cell.m, personal);
    MPI_Comm native = mpi_comm(world.comm, exchange);
    const int wrong = measure_cell(
        world, options, cell,
        {{{"MPI", "blocking", personal ? "alltoall_and_reduce" : "allgather_and_reduce",
           [&] { sums.by_mpi(native); }}},
         [&](MPI_Info info, ORTHO_Request* request) { sums.init(comm, info, request); },
         {[&](int sample) { sums.prepare(sample); }, [&](int sample) { return sums.is_right(sample); }}},
        table);
    MPI_Comm_free(&native);
    return wrong;
}

} // namespace

std::string run_schedules(const SchedulesOptions& options)
{
    const World world;
    std::string mistake = grid_mistake(options.grid, options.d, world.size);
    if (!mistake.empty()) return mistake;
    for (const std::string& collective : options.collectives) {
        mistake = elements_mistake(elements(options, collective));
        if (!mistake.empty()) return mistake;
    }
    std::unique_ptr<SchedulesTable> table;
    if (world.rank == 0) table = std::make_unique<SchedulesTable>(options, world.size);
    mistake = csv_mistake(world, options.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    int wrong = 0;
    for (const int d : options.d) {
        const std::vector<int> dims = parse_grid(options.grid, d, world.size, mistake);
        for (const int n : options.n) {
            const Exchange exchange = make_exchange(world.comm, dims, !options.mesh, fmt::format("box:{}", n),
                                                    mistake);
            for (const std::string& collective : options.collectives) {
                MPI_Comm comm = ortho_comm(world.comm, exchange, "auto", true, collective != "alltoallv");
                for (const int m : options.m) {
                    const Cell cell{collective, dims, n, exchange.stencil_size(), m};
                    wrong += collective == "allreduce" || collective == "reduce_scatterv"
                                 ? measure_sums(world, options, cell, exchange, comm, table.get())
                                 : measure_exchange(world, options, cell, exchange, comm, table.get());
                }
                MPI_Comm_free(&comm);
            }
        }
    }
    if (table) table->end();
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
