// SPDX-License-Identifier: BSD-3-Clause
#include "tune.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <mpi.h>
#include <mpiortho.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mpi/wait.hpp"
#include "planner/tune.hpp"
#include "samples.hpp"
#include "statistics.hpp"
#include "world.hpp"

namespace bench {

namespace {

using ortho::planner::Link;
using ortho::planner::Machine;

constexpr int many = 8;                 // messages at once
constexpr int small_bytes = 4;          // of a message
constexpr int large_bytes = 256 * 1024; // of a message
constexpr int pieces = 1024;            // of a message of ints that lie apart

/// Each process sends to those that come `first` after it and further on, and receives from those before it, at once,
/// and waits as the library does.
class Shift {
public:
    /// The farthest is at distance `last`, `first` <= `last` < size of comm.
    Shift(MPI_Comm comm, int first, int last) : comm_(comm), first_(first), partners_(last - first + 1), out_(large_bytes), in_(large_bytes)
    {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
        MPI_Type_vector(pieces, 1, 2, MPI_INT, &apart_);
        MPI_Type_commit(&apart_);
    }
    ~Shift() { MPI_Type_free(&apart_); }
    Shift(const Shift&) = delete;
    Shift& operator=(const Shift&) = delete;

    /// To and from n partners, if there are so many.
    void messages(int n, int count, MPI_Datatype type)
    {
        MPI_Request requests[2 * many];
        for (int i = 0; i < n; ++i) {
            const int distance = first_ + i % partners_;
            MPI_Irecv(in_.data(), count, type, (rank_ - distance + size_) % size_, i, comm_, &requests[i]);
            MPI_Isend(out_.data(), count, type, (rank_ + distance) % size_, i, comm_, &requests[n + i]);
        }
        for (int i = 0; i < 2 * n; ++i)
            for (int done = 0; done == 0;) {
                ortho::mpi::test(&requests[i], &done);
                if (done == 0) sched_yield();
            }
    }
    MPI_Datatype apart() const { return apart_; }

private:
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    int first_;
    int partners_;
    std::vector<char> out_;
    std::vector<char> in_;
    MPI_Datatype apart_ = MPI_DATATYPE_NULL;
};

/// The library's own way: each process sends a block to each of those that come next after it, and receives one from each of
/// those before it, in blocking calls.
class Ring {
public:
    /// `partners` < size of comm.  Collective.
    Ring(MPI_Comm comm, int partners)
    {
        int rank = 0;
        int size = 0;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        std::vector<int> after;
        std::vector<int> before;
        for (int distance = 1; distance <= partners; ++distance) {
            after.push_back((rank + distance) % size);
            before.push_back((rank - distance + size) % size);
        }
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "ortho_algorithm", "alltoall_direct");
        ORTHO_Dist_graph_create_adjacent(comm, partners, before.data(), MPI_UNWEIGHTED, partners, after.data(),
                                         MPI_UNWEIGHTED, info, 0, &graph_);
        MPI_Info_free(&info);
        out_.resize(static_cast<std::size_t>(partners) * large_bytes);
        in_.resize(out_.size());
    }
    ~Ring() { MPI_Comm_free(&graph_); }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    void exchange(int bytes) { ORTHO_Alltoall(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, graph_); }

    /// Collective.
    bool goes_through_shared_memory()
    {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        ORTHO_Alltoall_init(out_.data(), small_bytes, MPI_BYTE, in_.data(), small_bytes, MPI_BYTE, graph_, MPI_INFO_NULL,
                            &request);
        int length = 0;
        ORTHO_Explain(request, nullptr, 0, &length);
        std::string text(static_cast<std::size_t>(length) + 1, '\0');
        ORTHO_Explain(request, text.data(), length + 1, nullptr);
        ORTHO_Request_free(&request);
        return text.find("through shared memory") != std::string::npos;
    }

private:
    MPI_Comm graph_ = MPI_COMM_NULL;
    std::vector<char> out_;
    std::vector<char> in_;
};

/// Seconds of a call: the median of samples, known on all processes.
class Clock {
public:
    Clock(MPI_Comm comm, const TuneOptions& options) : comm_(comm), options_(options) {}
    double time(const std::function<void()>& call) const
    {
        const int batch = simulated ? 10 : batch_for(comm_, call, options_.batch_ms * 1e-3);
        const int samples = simulated ? 1 : options_.samples;
        const auto series =
            take_samples(comm_, {{"", "", "", call, batch}}, {[](int) {}, [](int) { return true; }}, samples);
        return median(series[0].seconds);
    }

private:
    MPI_Comm comm_;
    const TuneOptions& options_;
};

/// Of this node.
int cores()
{
    return simulated ? std::numeric_limits<int>::max() : std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

std::int64_t picoseconds(double seconds) { return std::max<std::int64_t>(0, std::llround(1e12 * seconds)); }

/// A message's overheads, at each end alike, and its latency, from the times of one message and of many at once: where those keep
/// the core busy, latency hides behind them, else the last one's adds to what it takes to send them.  Where processes share a core
/// their turns, which nothing hides, are most of it.
std::pair<double, double> overhead_and_latency(double one, double several, bool take_turns)
{
    if (take_turns) {
        const double message = std::max(0.0, (several - one) / (many - 1));
        return {message / 2, std::max(0.0, one - message)};
    }
    double overhead = several / (2 * many);
    double latency = std::max(0.0, one - 2 * overhead);
    if (latency > (many - 1) * overhead) {
        overhead = std::max(0.0, (several - one) / (many - 1));
        latency = std::max(0.0, one - 2 * overhead);
    }
    return {overhead, latency};
}

/// `a_core`: processes, which do all that at once.
Link measure_link(const Clock& clock, Shift& shift, int a_core)
{
    const double phase = clock.time([&] { shift.messages(1, 0, MPI_BYTE); });
    const double several = clock.time([&] { shift.messages(many, 0, MPI_BYTE); });
    const double large = clock.time([&] { shift.messages(1, large_bytes, MPI_BYTE); });
    const auto [overhead, latency] = overhead_and_latency(phase / a_core, several / a_core, a_core > 1);
    const double byte = (large - phase) / large_bytes / a_core;
    // Messages that are there before the next one has been sent: what they take longer is the cores'.
    const int bytes = static_cast<int>(std::clamp(overhead / std::max(byte, 1e-15), 64.0, double{large_bytes}));
    const double longer = clock.time([&] { shift.messages(many, bytes, MPI_BYTE); });
    const double copy = (longer - several) / many / bytes / a_core;
    return {picoseconds(overhead), picoseconds(overhead), picoseconds(latency * a_core), picoseconds(byte),
            std::min(picoseconds(copy), picoseconds(byte))};
}

/// Of messages through shared memory; nothing where they do not take it.  `size`: processes on the smallest node, more than one.
std::optional<Link> measure_shared_memory(const Clock& clock, MPI_Comm world, MPI_Comm node, int size, int a_core, const Link& usual)
{
    const int partners = std::min(many, size - 1);
    Ring nobody(node, 0);
    Ring next(node, 1);
    Ring several(node, partners);
    int shared = next.goes_through_shared_memory() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, world);
    if (shared == 0) return std::nullopt;

    const double call = clock.time([&] { nobody.exchange(small_bytes); });
    const double phase = std::max(0.0, clock.time([&] { next.exchange(small_bytes); }) - call);
    const double large = clock.time([&] { next.exchange(large_bytes); }) - call;
    // With one partner alone a message's time and the phase's are told apart as usual.
    const double usually = 1e-12 * static_cast<double>(usual.send_ps + usual.receive_ps);
    const double share = usually / (usually + 1e-12 * static_cast<double>(usual.latency_ps));
    double message = std::min(phase * share, usually * a_core);
    if (partners > 1) {
        const double all = clock.time([&] { several.exchange(small_bytes); }) - call;
        message = std::max(0.0, (all - phase) / (partners - 1));
    }
    // The cores move all bytes.
    const std::int64_t byte = picoseconds((large - phase) / large_bytes / a_core);
    return Link{picoseconds(message / 2 / a_core), picoseconds(message / 2 / a_core), picoseconds(phase - message), byte, byte};
}

/// The way between nodes: messages of all processes, but bytes of one process a node, since those of several share the way out.
/// `leaders`: the first process of each node; MPI_COMM_NULL on the others.
Link measure_network(const Clock& clock, MPI_Comm leaders, Shift& shift, int a_core)
{
    Link link = measure_link(clock, shift, a_core);
    std::optional<Shift> alone;
    if (leaders != MPI_COMM_NULL) alone.emplace(leaders, 1, 1);
    const double phase = clock.time([&] { if (alone) alone->messages(1, 0, MPI_BYTE); });
    const double large = clock.time([&] { if (alone) alone->messages(1, large_bytes, MPI_BYTE); });
    link.byte_ps = picoseconds((large - phase) / large_bytes);
    return link;
}

/// For each byte of all processes of a node, of which there are at most `on_node`, at once.
std::int64_t measure_injection(const Clock& clock, Shift& shift, int on_node)
{
    const double phase = clock.time([&] { shift.messages(1, 0, MPI_BYTE); });
    const double large = clock.time([&] { shift.messages(1, large_bytes, MPI_BYTE); });
    return picoseconds((large - phase) / large_bytes / on_node);
}

/// For each int that lies apart from the others, at both ends.
std::int64_t measure_block(const Clock& clock, Shift& shift, int a_core)
{
    const double together = clock.time([&] { shift.messages(1, pieces, MPI_INT); });
    const double apart = clock.time([&] { shift.messages(1, 1, shift.apart()); });
    return picoseconds((apart - together) / pieces / a_core);
}

std::int64_t measure_reduction(const Clock& clock, int a_core)
{
    std::vector<double> from(4096, 1);
    std::vector<double> to(4096, 1);
    const auto reduce = [&] { MPI_Reduce_local(from.data(), to.data(), 4096, MPI_DOUBLE, MPI_MAX); };
    return picoseconds(clock.time(reduce) / (4096 * sizeof(double)) / a_core);
}

} // namespace

std::string run_tune(const TuneOptions& options)
{
    const World world;
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int on_node = 0;
    MPI_Comm_size(node, &on_node);
    int extremes[] = {on_node, -on_node};
    MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, world.comm);
    const int most = extremes[0];
    const int least = -extremes[1];

    // All nodes measure at once, and all processes: as it is when it counts.
    const Clock clock(world.comm, options);
    Machine machine;
    std::string comments;
    const int a_core = (most - 1) / cores() + 1;
    // Where processes share a core a phase is long since they take turns, whatever the link.
    const auto take_turns = [&](Link& link, const Link& usual) {
        if (a_core < 2) return;
        const std::int64_t turns = std::max<std::int64_t>(0, link.latency_ps - usual.latency_ps);
        link.switch_ps = turns / a_core;
        link.latency_ps -= turns;
    };
    if (least > 1) {
        Shift shift(node, 1, least - 1);
        const Link usual = machine.node;
        machine.node = measure_link(clock, shift, a_core);
        take_turns(machine.node, usual);
        machine.block_ps = measure_block(clock, shift, a_core);
        if (const auto shared = measure_shared_memory(clock, world.comm, node, least, a_core, machine.shared)) {
            const Link built_in = machine.shared;
            machine.shared = *shared;
            take_turns(machine.shared, built_in); // ours: those of an MPI that spins take longer
            if (least == 2)
                comments += "# shared.send_ps, shared.receive_ps, shared.latency_ps: their sum was measured, since there is a node with two processes\n";
        } else {
            comments += "# shared.*: built-in, since messages do not go through shared memory here\n";
        }
    } else {
        comments += "# node.*, shared.*: built-in, since there is a node with one process\n";
    }
    if (world.size > most) {
        // Ranks are dealt out node by node: to other nodes for most of them.
        Shift shift(world.comm, most, std::max(most, world.size - most));
        const Link usual = machine.network;
        MPI_Comm leaders = MPI_COMM_NULL;
        int rank_on_node = 0;
        MPI_Comm_rank(node, &rank_on_node);
        MPI_Comm_split(world.comm, rank_on_node == 0 ? 0 : MPI_UNDEFINED, 0, &leaders);
        machine.network = measure_network(clock, leaders, shift, a_core);
        machine.injection_byte_ps = measure_injection(clock, shift, most);
        if (leaders != MPI_COMM_NULL) MPI_Comm_free(&leaders);
        if (least == 1) {
            take_turns(machine.network, usual);
            machine.block_ps = measure_block(clock, shift, a_core);
        } else if (a_core > 1) {
            machine.network.switch_ps = machine.node.switch_ps;
            machine.network.latency_ps = std::max<std::int64_t>(0, machine.network.latency_ps - a_core * machine.node.switch_ps);
        }
    } else {
        comments += "# network.*, injection_byte_ps: built-in, since there is one node\n";
    }
    if (a_core < 2) comments += "# *.switch_ps: built-in, since there is a core for each process\n";
    machine.reduce_byte_ps = measure_reduction(clock, a_core);
    MPI_Comm_free(&node);
    if (world.rank != 0) return "";

    const std::string text =
        fmt::format("# What ortho-bench tune measured on {:%Y-%m-%d}: processes {}, at most {} on a node.\n# {}\n"
                    "# Times in picoseconds; read by programs where ORTHO_TUNE names this file.\n{}{}",
                    fmt::localtime(std::time(nullptr)), world.size, most, mpi_name(), comments,
                    ortho::planner::to_text(machine));
    if (options.out.empty()) {
        fmt::print("{}", text);
        return "";
    }
    std::FILE* const file = std::fopen(options.out.c_str(), "w");
    if (file == nullptr) return fmt::format("--out {}: cannot be written", options.out);
    const bool written = std::fputs(text.c_str(), file) >= 0;
    return std::fclose(file) == 0 && written ? "" : fmt::format("--out {}: cannot be written", options.out);
}

} // namespace bench
