// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_doctor.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <mpiortho.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/peer_memory.hpp"
#include "bench/bench_tune.hpp"
#include "bench/doctor_findings.hpp"
#include "bench/form_table.hpp"
#include "bench/process_facts.hpp"
#include "neighbor_calls.hpp"
#include "size_text.hpp"

namespace bench::doctor {

namespace {

// --- What each process knows ---------------------------------------------------------------------------

/// All texts of all processes, by rank, on rank 0.  Collective.
std::vector<ProcessFacts> gather(const World& world, ProcessFacts facts)
{
    std::string mine;
    for (const std::string* member : facts.members()) mine += *member + '\0';
    int length = static_cast<int>(mine.size());
    std::vector<int> lengths(static_cast<std::size_t>(world.size));
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, world.comm);
    std::vector<int> places;
    int total = 0;
    for (const int part : lengths) {
        places.push_back(total);
        total += part;
    }
    std::string all(static_cast<std::size_t>(total), '\0');
    MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(), MPI_CHAR, 0,
                world.comm);
    std::vector<ProcessFacts> result;
    if (world.rank != 0) return result;
    const char* at = all.c_str();
    for (int rank = 0; rank < world.size; ++rank) {
        ProcessFacts& of_rank = result.emplace_back();
        for (std::string* member : of_rank.members()) {
            *member = at;
            at += member->size() + 1;
        }
    }
    return result;
}

/// Reads a word of the next process of the node as the library does (process_vm_readv).  Collective.
std::pair<Read, int> try_to_read(MPI_Comm node)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    if (size == 1) return {Read::nobody, 0};
    const std::uint64_t word = 0x6f7274686f000000U + static_cast<std::uint64_t>(rank);
    // The process, the address and the value.
    const std::uint64_t mine[] = {static_cast<std::uint64_t>(getpid()),
                                  reinterpret_cast<std::uint64_t>(&word), word};
    std::uint64_t next[3] = {0, 0, 0};
    MPI_Sendrecv(mine, 3, MPI_UINT64_T, (rank - 1 + size) % size, 0, next, 3, MPI_UINT64_T, (rank + 1) % size,
                 0, node, MPI_STATUS_IGNORE);
    errno = 0;
    const bool done = ortho::base::may_read(static_cast<std::int64_t>(next[0]), next[1], next[2]);
    const int error = done ? 0 : errno;
    MPI_Barrier(node); // until then the word is there
    return {done ? Read::done : Read::refused, error};
}

/// All processes, on rank 0.  Collective.
std::vector<Process> look(const World& world)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int first = world.rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    const auto [read, error] = try_to_read(node);
    MPI_Comm_free(&node);
    const int mine[] = {first, static_cast<int>(read), error};
    std::vector<int> numbers(static_cast<std::size_t>(3 * world.size));
    MPI_Gather(mine, 3, MPI_INT, numbers.data(), 3, MPI_INT, 0, world.comm);
    std::vector<Process> result;
    for (ProcessFacts& facts : gather(world, process_facts())) {
        const int* const of_rank = &numbers[3 * result.size()];
        result.push_back({std::move(facts), of_rank[0], static_cast<Read>(of_rank[1]), of_rank[2]});
    }
    return result;
}

// --- What the library says -----------------------------------------------------------------------------

std::string message_of_ours()
{
    std::array<char, 1024> text{};
    ORTHO_Error_message(text.data(), static_cast<int>(text.size()), nullptr);
    return text.data();
}

/// Asks for the explanation of an exchange on a ring.  Collective.
Library ask(const World& world)
{
    Library library;
    MPI_Comm base = MPI_COMM_NULL;
    MPI_Comm_dup(world.comm, &base);
    MPI_Comm_set_errhandler(base, MPI_ERRORS_RETURN);
    const int after_me = (world.rank + 1) % world.size;
    const int before_me = (world.rank - 1 + world.size) % world.size;
    MPI_Comm ring = MPI_COMM_NULL;
    const int code = ORTHO_Dist_graph_create_adjacent(base, 1, &before_me, MPI_UNWEIGHTED, 1, &after_me,
                                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    int failed = code == MPI_SUCCESS ? 0 : 1;
    if (failed != 0) library.error = message_of_ours();
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, world.comm);
    if (failed != 0) {
        if (library.error.empty()) library.error = "another process refuses";
        if (code == MPI_SUCCESS) MPI_Comm_free(&ring);
        MPI_Comm_free(&base);
        return library;
    }
    int out = 0;
    int in = 0;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    ORTHO_Alltoall_init(&out, 1, MPI_INT, &in, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
    std::array<char, 4096> text{};
    ORTHO_Explain(request, text.data(), static_cast<int>(text.size()), nullptr);
    ORTHO_Request_free(&request);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&base);
    const std::string explanation = text.data();
    if (const auto nodes = after(explanation, "  nodes: ")) library.nodes = std::atoi(nodes->c_str());
    library.network = after(explanation, "take as long as over ").value_or("");
    int shared = explanation.find("through shared memory") != std::string::npos ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MAX, world.comm);
    library.shared = shared != 0;
    return library;
}

// --- Five exchanges --------------------------------------------------------------------------------------

struct Trial {
    const char* collective;
    int dimensions;
    const char* stencil;
    int bytes; ///< of a block
};
constexpr std::array trials{
    Trial{"alltoall", 1, "neumann:1", 8},         Trial{"alltoall", 2, "neumann:1", 4 << 10},
    Trial{"alltoall", 3, "moore:1", 64},          Trial{"allgather", 3, "moore:1", 1 << 10},
    Trial{"alltoall", 2, "neumann:1", 256 << 10},
};

Outcome measure_trial(const World& world, const Trial& trial, const CellOptions& options)
{
    std::string mistake;
    const Exchange exchange = make_exchange(world.comm, parse_grid("", trial.dimensions, world.size, mistake),
                                            true, trial.stencil, mistake);
    MPI_Comm native = mpi_comm(world.comm, exchange);
    MPI_Comm comm = ortho_comm(world.comm, exchange, "auto", false);
    Outcome outcome;
    {
        Data data(exchange, world.rank, std::string(trial.collective) == "alltoall", trial.bytes / 4);
        const Family calls = family(trial.collective, &data);
        Requests requests;
        std::vector<Contestant> contestants = between(
            mpi_form("blocking", calls.mpi, native, requests),
            our_form("blocking", calls.ours, comm, "auto", requests));
        const Runs runs = measure(
            world.comm, contestants,
            {[&](int sample) { data.prepare(sample); }, [&](int sample) { return data.is_right(sample); }},
            options);
        const std::vector<std::vector<double>> medians = medians_of(runs);
        const double first = median(medians[0]);
        const double again = median(medians[2]);
        outcome.mpi = std::sqrt(first * again);
        outcome.ours = median(medians[1]);
        outcome.verdict = judge(first, outcome.ours, again);
        for (const std::vector<Series>& run : runs) {
            outcome.mpi_is_wrong |= run[0].wrong + run[2].wrong > 0;
            outcome.ours_is_wrong |= run[1].wrong > 0;
        }
        outcome.chosen = choice(
            "blocking", [&](MPI_Info info, ORTHO_Request* request) { calls.ours.init(comm, info, request); });
    }
    MPI_Comm_free(&native);
    MPI_Comm_free(&comm);
    outcome.name = fmt::format("{} {}d:{} {}", trial.collective, trial.dimensions, trial.stencil,
                               tools::size_text(trial.bytes));
    return outcome;
}

} // namespace

} // namespace bench::doctor

namespace bench {

std::string run_doctor(const DoctorOptions& options)
{
    const World world;
    doctor::Findings findings{doctor::look(world), doctor::ask(world), {}, {}};
    int wrong = 0;
    if (findings.library.error.empty()) {
        TuneOptions quickly;
        quickly.samples = 5;
        quickly.batch_ms = 1;
        quickly.tolerance = 0.5;
        findings.measured = measure_machine(world, quickly);
        CellOptions cells;
        cells.runs = fewest_runs;
        cells.samples = simulated ? 1 : 3;
        cells.batch_ms = 2;
        cells.budget_s = options.budget_s;
        for (const doctor::Trial& trial : doctor::trials)
            findings.outcomes.push_back(doctor::measure_trial(world, trial, cells));
        for (const doctor::Outcome& outcome : findings.outcomes) wrong += outcome.ours_is_wrong ? 1 : 0;
    }
    if (world.rank == 0) {
        const doctor::Report report = doctor::report_of(std::move(findings));
        fmt::print("{}", options.json ? doctor::json_of(report) : doctor::page_of(report));
    }
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
