// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>

#include "samples.hpp"
#include "stencils.hpp"

namespace bench {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Int k of what process `process` sends for an offset in a sample.
int content(int process, int offset, int sample, int k)
{
    return static_cast<int>(1'000'003U * static_cast<unsigned>(process) + 7'919U * static_cast<unsigned>(offset) +
                            104'729U * static_cast<unsigned>(sample) + static_cast<unsigned>(k));
}

/// The arguments of an exchange of blocks of `count` ints with each neighbor.
struct Data {
    const Exchange& exchange;
    int rank;
    bool personal; ///< a block for each neighbor
    int count;
    std::vector<int> send;
    std::vector<int> receive;
    // Of the v and w forms.
    std::vector<int> send_counts, send_places, receive_counts, receive_places;
    std::vector<MPI_Aint> send_bytes, receive_bytes;
    std::vector<MPI_Datatype> types;

    Data(const Exchange& exchange_, int rank_, bool personal_, int count_)
        : exchange(exchange_), rank(rank_), personal(personal_), count(count_),
          send((personal ? exchange.targets.size() : 1) * at(count) + 1),
          receive(exchange.sources.size() * at(count) + 1),
          types(std::max(exchange.targets.size(), exchange.sources.size()) + 1, MPI_INT)
    {
        for (int i = 0; i <= static_cast<int>(exchange.targets.size()); ++i) {
            send_counts.push_back(count);
            send_places.push_back(i * count);
            send_bytes.push_back(MPI_Aint{4} * i * count);
        }
        for (int i = 0; i <= static_cast<int>(exchange.sources.size()); ++i) {
            receive_counts.push_back(count);
            receive_places.push_back(i * count);
            receive_bytes.push_back(MPI_Aint{4} * i * count);
        }
    }

    void prepare(int sample)
    {
        std::ranges::fill(receive, -1);
        const std::size_t blocks = personal ? exchange.targets.size() : 1;
        for (std::size_t i = 0; i < blocks; ++i)
            for (int k = 0; k < count; ++k)
                send[i * at(count) + at(k)] = content(rank, personal ? exchange.target_offsets[i] : 0, sample, k);
    }
    bool is_right(int sample) const
    {
        for (std::size_t i = 0; i < exchange.sources.size(); ++i)
            for (int k = 0; k < count; ++k)
                if (receive[i * at(count) + at(k)] !=
                    content(exchange.sources[i], personal ? exchange.source_offsets[i] : 0, sample, k))
                    return false;
        return receive.back() == -1;
    }
};

/// A collective in its three forms: `blocking(comm)`, `start(comm, request)`, `init(comm, info, request)`.
/// Request is MPI's or ours; init may be missing.
template <class Request>
struct Calls {
    std::function<void(MPI_Comm)> blocking;
    std::function<void(MPI_Comm, Request*)> start;
    std::function<void(MPI_Comm, MPI_Info, Request*)> init;
};

struct Family {
    Calls<MPI_Request> mpi;
    Calls<ORTHO_Request> ours;
};

// The arguments of the collectives, up to the communicator, in the data *d.
#define BENCH_REGULAR d->send.data(), d->count, MPI_INT, d->receive.data(), d->count, MPI_INT
#define BENCH_GATHERED                                                                                 \
    d->send.data(), d->count, MPI_INT, d->receive.data(), d->receive_counts.data(),                    \
        d->receive_places.data(), MPI_INT
#define BENCH_IRREGULAR                                                                                \
    d->send.data(), d->send_counts.data(), d->send_places.data(), MPI_INT, d->receive.data(),          \
        d->receive_counts.data(), d->receive_places.data(), MPI_INT
#define BENCH_TYPED                                                                                    \
    d->send.data(), d->send_counts.data(), d->send_bytes.data(), d->types.data(), d->receive.data(),   \
        d->receive_counts.data(), d->receive_bytes.data(), d->types.data()

#if MPI_VERSION >= 4
#define BENCH_MPI_INIT(name, ...)                                                                      \
    [d](MPI_Comm comm, MPI_Info info, MPI_Request* request) {                                          \
        MPI_Neighbor_##name##_init(__VA_ARGS__, comm, info, request);                                  \
    }
#else
#define BENCH_MPI_INIT(name, ...) nullptr
#endif

/// MPI's calls of a name, and ours.
#define BENCH_FAMILY(name, Name, ...)                                                                  \
    {                                                                                                  \
        {[d](MPI_Comm comm) { MPI_Neighbor_##name(__VA_ARGS__, comm); },                               \
         [d](MPI_Comm comm, MPI_Request* request) { MPI_Ineighbor_##name(__VA_ARGS__, comm, request); }, \
         BENCH_MPI_INIT(name, __VA_ARGS__)},                                                           \
        {                                                                                              \
            [d](MPI_Comm comm) { ORTHO_##Name(__VA_ARGS__, comm); },                                   \
                [d](MPI_Comm comm, ORTHO_Request* request) { ORTHO_I##name(__VA_ARGS__, comm, request); }, \
                [d](MPI_Comm comm, MPI_Info info, ORTHO_Request* request) {                            \
                    ORTHO_##Name##_init(__VA_ARGS__, comm, info, request);                             \
                }                                                                                      \
        }                                                                                              \
    }

Family family(const std::string& collective, Data* d)
{
    if (collective == "alltoall") return BENCH_FAMILY(alltoall, Alltoall, BENCH_REGULAR);
    if (collective == "alltoallv") return BENCH_FAMILY(alltoallv, Alltoallv, BENCH_IRREGULAR);
    if (collective == "alltoallw") return BENCH_FAMILY(alltoallw, Alltoallw, BENCH_TYPED);
    if (collective == "allgather") return BENCH_FAMILY(allgather, Allgather, BENCH_REGULAR);
    return BENCH_FAMILY(allgatherv, Allgatherv, BENCH_GATHERED);
}

/// Persistent requests of contestants, freed with this.
struct Requests {
    std::vector<std::unique_ptr<MPI_Request>> mpi;
    std::vector<std::unique_ptr<ORTHO_Request>> ours;

    Requests() = default;
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    ~Requests()
    {
        for (auto& request : mpi) MPI_Request_free(request.get());
        for (auto& request : ours) ORTHO_Request_free(request.get());
    }
};

void add_mpi(std::vector<Contestant>& contestants, const Calls<MPI_Request>& calls, MPI_Comm comm, Requests& requests)
{
    contestants.push_back({"MPI", "blocking", "", [=] { calls.blocking(comm); }});
    contestants.push_back({"MPI", "nonblocking", "", [=] {
                               MPI_Request request = MPI_REQUEST_NULL;
                               calls.start(comm, &request);
                               MPI_Wait(&request, MPI_STATUS_IGNORE);
                           }});
    if (!calls.init) return;
    MPI_Request* const request = requests.mpi.emplace_back(std::make_unique<MPI_Request>(MPI_REQUEST_NULL)).get();
    calls.init(comm, MPI_INFO_NULL, request);
    contestants.push_back({"MPI", "persistent", "", [=] {
                               MPI_Start(request);
                               MPI_Wait(request, MPI_STATUS_IGNORE);
                           }});
}

void add_ours(std::vector<Contestant>& contestants, const Calls<ORTHO_Request>& calls, MPI_Comm comm,
              const std::string& algorithm, Requests& requests)
{
    contestants.push_back({"mpiortho", "blocking", algorithm, [=] { calls.blocking(comm); }});
    contestants.push_back({"mpiortho", "nonblocking", algorithm, [=] {
                               ORTHO_Request request = ORTHO_REQUEST_NULL;
                               calls.start(comm, &request);
                               ORTHO_Wait(&request, MPI_STATUS_IGNORE);
                           }});
    ORTHO_Request* const request =
        requests.ours.emplace_back(std::make_unique<ORTHO_Request>(ORTHO_REQUEST_NULL)).get();
    calls.init(comm, MPI_INFO_NULL, request);
    contestants.push_back({"mpiortho", "persistent", algorithm, [=] {
                               ORTHO_Start(request);
                               ORTHO_Wait(request, MPI_STATUS_IGNORE);
                           }});
}

/// Some MPIs take no null pointer for an empty list.
const int* pointer_to(const std::vector<int>& ranks)
{
    static const int none = 0;
    return ranks.empty() ? &none : ranks.data();
}

MPI_Comm ortho_comm(MPI_Comm base, const Exchange& exchange, const std::string& algorithm, bool forward)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_algorithm", algorithm.c_str());
    MPI_Info_set(info, "ortho_forward", forward ? "true" : "false");
    MPI_Info_set(info, "ortho_assert_uniform", "true"); // all blocks have one size here
    MPI_Comm comm = MPI_COMM_NULL;
    ORTHO_Dist_graph_create_adjacent(base, static_cast<int>(exchange.sources.size()), pointer_to(exchange.sources),
                                     MPI_UNWEIGHTED, static_cast<int>(exchange.targets.size()),
                                     pointer_to(exchange.targets), MPI_UNWEIGHTED, info, 0, &comm);
    MPI_Info_free(&info);
    return comm;
}

MPI_Comm mpi_comm(MPI_Comm base, const Exchange& exchange)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(base, static_cast<int>(exchange.sources.size()), pointer_to(exchange.sources),
                                   MPI_UNWEIGHTED, static_cast<int>(exchange.targets.size()), pointer_to(exchange.targets),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return comm;
}

/// What the table and the CSV file say, on rank 0.
class Report {
public:
    Report(const NeighborOptions& options, const Exchange& exchange, int processes)
        : options_(options), setting_(fmt::format("{},{},{},{},{}", options.collective, fmt::join(exchange.dims, "x"),
                                                  options.mesh ? "mesh" : "torus", quoted(options.stencil), processes))
    {
        char version[MPI_MAX_LIBRARY_VERSION_STRING];
        int length = 0;
        MPI_Get_library_version(version, &length);
        const std::string name(version, std::find_if(version, version + length, [](char c) { return c == '\n'; }));
        fmt::print("# {}\n# {} processes on a {} {}, stencil {} with {} offsets, {}, {} samples\n", name, processes,
                   options.mesh ? "mesh" : "torus", fmt::join(exchange.dims, "x"), options.stencil,
                   exchange.stencil_size(), options.collective, options.samples);
        if (options.csv.empty()) return;
        file_ = std::fopen(options.csv.c_str(), "w");
        if (file_ != nullptr)
            fmt::print(file_, "kind,collective,grid,topology,stencil,processes,block_bytes,library,form,algorithm,"
                              "sample,batch,microseconds,ratio_to_mpi_same_form,ratio_to_mpi_blocking,right\n");
    }
    ~Report()
    {
        if (file_ != nullptr) std::fclose(file_);
    }
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    bool is_open() const { return options_.csv.empty() || file_ != nullptr; }

    void add(int bytes, int batch, const std::vector<Contestant>& contestants, const std::vector<Series>& series)
    {
        std::map<std::string, double> mpi; // medians by form
        for (std::size_t i = 0; i < contestants.size(); ++i)
            if (contestants[i].library == "MPI") mpi[contestants[i].form] = median(series[i].seconds);
        fmt::print("\n{} bytes a block, {} calls a sample\n{:<9} {:<12} {:<20} {:>10} {:>9} {:>9} {:>9}\n", bytes, batch,
                   "library", "form", "algorithm", "median us", "best us", "/same", "/blocking");
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const Contestant& c = contestants[i];
            const double middle = median(series[i].seconds);
            const std::string same = mpi.contains(c.form) ? fmt::format("{:.2f}", middle / mpi[c.form]) : "";
            const std::string blocking = fmt::format("{:.2f}", middle / mpi["blocking"]);
            fmt::print("{:<9} {:<12} {:<20} {:>10.2f} {:>9.2f} {:>9} {:>9}{}\n", c.library, c.form, c.algorithm,
                       1e6 * middle, 1e6 * *std::ranges::min_element(series[i].seconds), same, blocking,
                       series[i].wrong > 0 ? "  WRONG RESULTS" : "");
            if (file_ == nullptr) continue;
            const std::string who =
                fmt::format("{},{},{},{},{}", setting_, bytes, c.library, c.form, c.algorithm);
            for (std::size_t k = 0; k < series[i].seconds.size(); ++k)
                fmt::print(file_, "sample,{},{},{},{:.4f},,,\n", who, k, batch, 1e6 * series[i].seconds[k]);
            fmt::print(file_, "median,{},,{},{:.4f},{},{},{}\n", who, batch, 1e6 * middle, same, blocking,
                       series[i].wrong > 0 ? "no" : "yes");
        }
    }

private:
    /// Commas and semicolons are in some stencils.
    static std::string quoted(const std::string& text) { return '"' + text + '"'; }

    const NeighborOptions& options_;
    std::string setting_;
    std::FILE* file_ = nullptr;
};

} // namespace

std::string run_neighbor(const NeighborOptions& options)
{
    int rank = 0;
    int processes = 0;
    MPI_Comm base = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_rank(base, &rank);
    MPI_Comm_size(base, &processes);
    std::string mistake;
    const std::vector<int> dims = parse_grid(options.grid, options.dimensions, processes, mistake);
    if (!mistake.empty()) return mistake;
    const Exchange exchange = make_exchange(base, dims, !options.mesh, options.stencil, mistake);
    if (!mistake.empty()) return mistake;

    std::unique_ptr<Report> report;
    int open = 1;
    if (rank == 0) {
        report = std::make_unique<Report>(options, exchange, processes);
        open = report->is_open() ? 1 : 0;
    }
    MPI_Bcast(&open, 1, MPI_INT, 0, base);
    if (open == 0) return fmt::format("--csv {} cannot be written", options.csv);

    MPI_Comm native = mpi_comm(base, exchange);
    std::vector<MPI_Comm> ours;
    for (const std::string& algorithm : options.algorithms)
        ours.push_back(ortho_comm(base, exchange, algorithm, options.forward));
    const bool personal = options.collective.starts_with("alltoall");
    int wrong = 0;
    for (const int bytes : options.bytes) {
        Data data(exchange, rank, personal, bytes / 4);
        const Family calls = family(options.collective, &data);
        Requests requests;
        std::vector<Contestant> contestants;
        add_mpi(contestants, calls.mpi, native, requests);
        for (std::size_t i = 0; i < ours.size(); ++i)
            add_ours(contestants, calls.ours, ours[i], options.algorithms[i], requests);
        for (const Contestant& contestant : contestants) contestant.call(); // plans, and warms up
        const int batch = batch_for(base, contestants[0].call, options.batch_ms / 1000);
        const std::vector<Series> series =
            take_samples(base, contestants,
                         {[&](int sample) { data.prepare(sample); }, [&](int sample) { return data.is_right(sample); }},
                         options.samples, batch);
        for (std::size_t i = 0; i < contestants.size(); ++i)
            if (contestants[i].library == "mpiortho") wrong += series[i].wrong;
        if (report) report->add(bytes, batch, contestants, series);
    }
    for (MPI_Comm& comm : ours) MPI_Comm_free(&comm);
    MPI_Comm_free(&native);
    MPI_Comm_free(&base);
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
