// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_tune.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <mpi.h>
#include <mpiortho.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/cores.hpp"
#include "planner/tune.hpp"
#include "progress.hpp"
#include "runtime/wait.hpp"
#include "timing_samples.hpp"
#include "world_comm.hpp"

namespace bench {

namespace {

using ortho::schedule::Link;
using ortho::planner::Machine;

constexpr int many = 8;                 // messages at once
constexpr int small_bytes = 4;          // of a message
constexpr int large_bytes = 256 * 1024; // of a message
constexpr int twice_bytes = 4096;       // copied twice
constexpr int once_bytes = 65536;       // copied once
constexpr int pieces = 1024;            // of a message of scattered ints

/// Each process sends to the processes `first` to `last` places after it, receives from those before it, and
/// waits as the library does.  All messages go at once.
class Shift {
public:
    /// `first` <= `last` < size of comm.
    Shift(MPI_Comm comm, int first, int last)
        : comm_(comm),
          first_(first),
          partners_(last - first + 1),
          out_(large_bytes),
          in_(large_bytes)
    {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
        MPI_Type_vector(pieces, 1, 2, MPI_INT, &apart_);
        MPI_Type_commit(&apart_);
    }
    ~Shift() { MPI_Type_free(&apart_); }
    Shift(const Shift&) = delete;
    Shift& operator=(const Shift&) = delete;

    /// n messages to the partners in turn, and as many from them.
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
                ortho::runtime::test(&requests[i], &done);
                if (done == 0) sched_yield();
            }
    }
    int partners() const { return partners_; }
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

/// The library's own way: each process sends a block to each of the next processes, and receives one from
/// each of the processes before it, in blocking calls.
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
        ORTHO_Dist_graph_create_adjacent(comm, partners, before.data(), MPI_UNWEIGHTED, partners,
                                         after.data(), MPI_UNWEIGHTED, info, 0, &graph_);
        MPI_Info_free(&info);
        out_.resize(static_cast<std::size_t>(partners) * large_bytes);
        in_.resize(out_.size());
    }
    ~Ring() { MPI_Comm_free(&graph_); }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    void exchange(int bytes)
    {
        ORTHO_Alltoall(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, graph_);
    }

    /// Collective.
    bool goes_through_shared_memory()
    {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        ORTHO_Alltoall_init(out_.data(), small_bytes, MPI_BYTE, in_.data(), small_bytes, MPI_BYTE, graph_,
                            MPI_INFO_NULL, &request);
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

/// Times of several calls, taken in turn in many passes over all of them.  So a disturbance is spread over
/// them all.  The result is a low quantile: a disturbance makes a time longer, never shorter.
class Clock {
public:
    Clock(MPI_Comm comm, const TuneOptions& options) : comm_(comm), options_(options) {}

    /// Call it before each pass.  All passes must make the same calls of time() in the same order.
    void begin_pass() { next_ = 0; }

    /// Seconds of the call, the same on all processes: takes a sample, and returns the result of all so far.
    double time(const char* name, const std::function<void()>& call)
    {
        if (next_ == items_.size()) {
            const int batch = simulated ? 10 : batch_for(comm_, call, options_.batch_ms * 1e-3);
            items_.push_back({name, batch, {}});
        }
        Item& item = items_[next_++];
        item.seconds.push_back(time_batch(comm_, call, item.batch));
        return low(item.seconds);
    }

    /// Forgets all samples: later calls may be others.
    void begin_again() { items_.clear(); }

    /// The two halves of the samples should give one result.  If they do not, this is the item with the
    /// largest difference.
    std::optional<std::string> restless(double tolerance) const
    {
        double worst = 1 + tolerance;
        std::optional<std::string> result;
        for (const Item& item : items_) {
            const auto middle = item.seconds.begin() + static_cast<std::ptrdiff_t>(item.seconds.size() / 2);
            const double first = low({item.seconds.begin(), middle});
            const double second = low({middle, item.seconds.end()});
            const double ratio = std::max(first, second) / std::max(1e-12, std::min(first, second));
            if (ratio <= worst) continue;
            worst = ratio;
            result = fmt::format("{}: {:.3g} us in the first half of the samples, {:.3g} us in the second",
                                 item.name, 1e6 * first, 1e6 * second);
        }
        return result;
    }

private:
    struct Item {
        const char* name;
        int batch;
        std::vector<double> seconds;
    };

    static double low(std::vector<double> seconds)
    {
        const auto nth = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 5);
        std::ranges::nth_element(seconds, nth);
        return *nth;
    }

    MPI_Comm comm_;
    const TuneOptions& options_;
    std::vector<Item> items_;
    std::size_t next_ = 0;
};

/// The cores of this node.
int cores() { return simulated ? std::numeric_limits<int>::max() : ortho::base::cores_here(); }

std::int64_t picoseconds(double seconds) { return std::max<std::int64_t>(0, std::llround(1e12 * seconds)); }

/// A message's overheads, equal at both ends, and its latency, from the times of one message and of several
/// at once.  If several keep the core busy, latency hides behind them; else the latency of the last one is
/// added to the time of sending them.  Where processes share a core, most of the time is their turns, which
/// nothing hides.
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

/// The size of a message whose overheads take as long as its bytes.  It is found once, so that all passes
/// have one size.
class Balance {
public:
    int bytes(double overhead, double byte)
    {
        const double wanted = std::clamp(overhead / std::max(byte, 1e-15), 64.0, double{large_bytes});
        return fixed_ > 0 ? fixed_ : latest_ = static_cast<int>(wanted);
    }
    void fix() { fixed_ = latest_; }

private:
    int latest_ = 0;
    int fixed_ = 0;
};

/// A kind of MPI's messages.  `a_core` processes share a core, and all do this at once.
class LinkTrial {
public:
    LinkTrial(MPI_Comm comm, int first, int last, int a_core) : shift_(comm, first, last), a_core_(a_core) {}

    Link pass(Clock& clock)
    {
        const double phase = clock.time("a message", [&] { shift_.messages(1, 0, MPI_BYTE); });
        const double several = clock.time("eight messages", [&] { shift_.messages(many, 0, MPI_BYTE); });
        const double large = clock.time("a message of 256 KiB",
                                        [&] { shift_.messages(1, large_bytes, MPI_BYTE); });
        const auto [overhead, latency] = overhead_and_latency(phase / a_core_, several / a_core_,
                                                              a_core_ > 1);
        const double byte = (large - phase) / large_bytes / a_core_;
        // Each message arrives before the next one is sent: the cores take the additional time.
        const int bytes = balance_.bytes(overhead, byte);
        const double longer = clock.time("eight messages with bytes",
                                         [&] { shift_.messages(many, bytes, MPI_BYTE); });
        const double copy = (longer - several) / many / bytes / a_core_;
        return {picoseconds(overhead), picoseconds(overhead), picoseconds(latency * a_core_),
                picoseconds(byte), std::min(picoseconds(copy), picoseconds(byte))};
    }
    /// The time of each int that lies apart from the others, at both ends.
    std::int64_t block_pass(Clock& clock)
    {
        const double together = clock.time("ints in a row", [&] { shift_.messages(1, pieces, MPI_INT); });
        const double apart = clock.time("ints that lie apart",
                                        [&] { shift_.messages(1, 1, shift_.apart()); });
        return picoseconds((apart - together) / pieces / a_core_);
    }
    /// The time of each byte if all processes of a node, at most `on_node`, send at once.
    std::int64_t injection_pass(Clock& clock, int on_node)
    {
        const double phase = clock.time("a message of each process",
                                        [&] { shift_.messages(1, 0, MPI_BYTE); });
        const double large = clock.time("a message of 256 KiB of each process",
                                        [&] { shift_.messages(1, large_bytes, MPI_BYTE); });
        return picoseconds((large - phase) / large_bytes / on_node);
    }
    void fix() { balance_.fix(); }

private:
    Shift shift_;
    int a_core_;
    Balance balance_;
};

/// Messages through shared memory.  `size` is the number of processes on the smallest node, more than one.
class SharedTrial {
public:
    SharedTrial(MPI_Comm node, int size, int a_core)
        : partners_(std::min(many, size - 1)),
          a_core_(a_core),
          nobody_(node, 0),
          next_(node, 1),
          several_(node, partners_)
    {}
    /// Do messages go through shared memory on all nodes?  Collective.
    bool are_shared(MPI_Comm world)
    {
        int shared = next_.goes_through_shared_memory() ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, world);
        return shared != 0;
    }
    /// The links with two copies, and with one.
    std::pair<Link, Link> pass(Clock& clock, const Link& usual)
    {
        const double call = clock.time("a call without messages", [&] { nobody_.exchange(small_bytes); });
        const double phase = std::max(
            0.0, clock.time("a call with a message", [&] { next_.exchange(small_bytes); }) - call);
        // The short one is copied twice, unless prices are unusual; the long one once, if that is allowed.
        const double short_one = clock.time("a call with 4 KiB", [&] { next_.exchange(twice_bytes); }) - call;
        const double long_one = clock.time("a call with 64 KiB", [&] { next_.exchange(once_bytes); }) - call;
        const double large = clock.time("a call with 256 KiB", [&] { next_.exchange(large_bytes); }) - call;
        // With a single partner the usual ratio splits the time into a message's part and the phase's.
        const double usually = 1e-12 * static_cast<double>(usual.send_ps + usual.receive_ps);
        const double share = usually / (usually + 1e-12 * static_cast<double>(usual.latency_ps));
        double message = std::min(phase * share, usually * a_core_);
        if (partners_ > 1) {
            const double all = clock.time("a call with messages", [&] { several_.exchange(small_bytes); }) -
                               call;
            message = std::max(0.0, (all - phase) / (partners_ - 1));
        }
        // The cores move all bytes.
        const std::int64_t byte = picoseconds((short_one - phase) / (twice_bytes - small_bytes) / a_core_);
        const Link twice{picoseconds(message / 2 / a_core_), picoseconds(message / 2 / a_core_),
                         picoseconds(phase - message), byte, byte};
        Link once = twice;
        once.byte_ps = once.copy_ps = picoseconds((large - long_one) / (large_bytes - once_bytes) / a_core_);
        const double begin = long_one - once_bytes * 1e-12 * static_cast<double>(once.byte_ps) * a_core_;
        // The receiver asks the system.
        once.receive_ps += picoseconds((begin - phase) / a_core_);
        return {twice, once};
    }

private:
    int partners_;
    int a_core_;
    Ring nobody_;
    Ring next_;
    Ring several_;
};

/// The link between nodes: messages of all processes, but bytes of one process for each node, since several
/// processes share the way out.
class NetworkTrial {
public:
    /// Ranks are dealt out node by node, so that most messages go to other nodes.
    NetworkTrial(const World& world, MPI_Comm node, int most, int a_core)
        : all_comm_(world.comm),
          all_(world.comm, most, std::max(most, world.size - most), a_core)
    {
        int rank_on_node = 0;
        MPI_Comm_rank(node, &rank_on_node);
        MPI_Comm_split(world.comm, rank_on_node == 0 ? 0 : MPI_UNDEFINED, 0, &leaders_);
        if (leaders_ == MPI_COMM_NULL) return;
        alone_.emplace(leaders_, 1, 1);
        int nodes = 0;
        MPI_Comm_size(leaders_, &nodes);
        for (const int messages : {2, 4})
            if (nodes > 2)
                meeting_.emplace_back(std::make_unique<Shift>(leaders_, 1, std::min(messages, nodes - 1)));
    }
    ~NetworkTrial()
    {
        if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
    }
    NetworkTrial(const NetworkTrial&) = delete;
    NetworkTrial& operator=(const NetworkTrial&) = delete;

    Link pass(Clock& clock)
    {
        Link link = all_.pass(clock);
        const double phase = clock.time("a message between nodes", [&] {
            if (alone_) alone_->messages(1, 0, MPI_BYTE);
        });
        const double large = clock.time("a message of 256 KiB between nodes", [&] {
            if (alone_) alone_->messages(1, large_bytes, MPI_BYTE);
        });
        link.byte_ps = picoseconds((large - phase) / large_bytes);
        return link;
    }
    /// The times of each byte where two messages between nodes meet at a process, and where more do.  With
    /// fewer than four nodes no more meet.
    void meeting_pass(Clock& clock, Machine& machine)
    {
        std::vector<std::int64_t> byte_ps;
        for (const char* const name : {"two messages that meet", "several messages that meet"}) {
            const auto meet = [&](int bytes) {
                return clock.time(name, [&] {
                    if (byte_ps.size() >= meeting_.size()) return;
                    Shift& shift = *meeting_[byte_ps.size()];
                    shift.messages(shift.partners(), bytes, MPI_BYTE);
                });
            };
            const double none = meet(0);
            const double large = meet(large_bytes) - none;
            // The time is that of all processes; those that send nothing do not know by how many.
            const bool sends = byte_ps.size() < meeting_.size();
            const int partners = sends ? meeting_[byte_ps.size()]->partners() : 1;
            byte_ps.push_back(sends ? picoseconds(large / large_bytes / partners) : 0);
        }
        MPI_Allreduce(MPI_IN_PLACE, byte_ps.data(), 2, MPI_INT64_T, MPI_MAX, all_comm_);
        machine.two_byte_ps = byte_ps[0];
        machine.more_byte_ps = byte_ps[1];
    }
    LinkTrial& all() { return all_; }

private:
    MPI_Comm all_comm_;
    LinkTrial all_;
    MPI_Comm leaders_ = MPI_COMM_NULL; // the first process of each node
    std::optional<Shift> alone_;
    std::vector<std::unique_ptr<Shift>> meeting_; // of two messages, and of more
};

/// All measurements, and the machine that they give.
class Trials {
public:
    explicit Trials(const World& world)
    {
        MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
        int on_node = 0;
        MPI_Comm_size(node_, &on_node);
        int extremes[] = {on_node, -on_node};
        MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, world.comm);
        most_ = extremes[0];
        least_ = -extremes[1];
        a_core_ = (most_ - 1) / cores() + 1;
        MPI_Allreduce(MPI_IN_PLACE, &a_core_, 1, MPI_INT, MPI_MAX, world.comm); // nodes may have other cores
        if (least_ > 1) {
            inner_.emplace(node_, 1, least_ - 1, a_core_);
            shared_.emplace(node_, least_, a_core_);
            if (!shared_->are_shared(world.comm)) shared_.reset();
        }
        if (world.size > most_) network_.emplace(world, node_, most_, a_core_);
    }
    ~Trials()
    {
        inner_.reset();
        shared_.reset();
        network_.reset();
        MPI_Comm_free(&node_);
    }
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    /// All but the numbers.
    MeasuredMachine what_is_measured() const
    {
        MeasuredMachine result;
        result.has_node = inner_.has_value();
        result.has_shared = shared_.has_value();
        result.has_network = network_.has_value();
        result.most_on_a_node = most_;
        result.comments = comments();
        return result;
    }
    bool share_cores() const { return a_core_ > 1; }

    /// All nodes and all processes measure at once, as in real programs.
    Machine pass(Clock& clock)
    {
        clock.begin_pass();
        const Machine built_in;
        Machine machine;
        if (inner_) {
            machine.node = inner_->pass(clock);
            take_turns(machine.node, built_in.node);
            machine.block_ps = inner_->block_pass(clock);
        }
        if (shared_) {
            std::tie(machine.shared, machine.single) = shared_->pass(clock, built_in.shared);
            take_turns(machine.single, built_in.single);
            take_turns(machine.shared, built_in.shared); // ours: an MPI that spins has longer turns
        }
        if (network_) {
            machine.network = network_->pass(clock);
            machine.injection_byte_ps = network_->all().injection_pass(clock, most_);
            network_->meeting_pass(clock, machine);
            if (!inner_) {
                take_turns(machine.network, built_in.network);
                machine.block_ps = network_->all().block_pass(clock);
            } else if (a_core_ > 1) {
                machine.network.switch_ps = machine.node.switch_ps;
                machine.network.latency_ps = std::max<std::int64_t>(0, machine.network.latency_ps -
                                                                           a_core_ * machine.node.switch_ps);
            }
        }
        machine.reduce_byte_ps = reduction_pass(clock);
        return machine;
    }
    void fix()
    {
        if (inner_) inner_->fix();
        if (network_) network_->all().fix();
    }

    /// Lines about numbers that were not measured.
    std::string comments() const
    {
        std::string result;
        if (!inner_)
            result += "# node.*, shared.*, single.*: built-in, since there is a node with one process\n";
        else if (!shared_)
            result += "# shared.*, single.*: built-in, since messages do not go through shared memory here\n";
        else if (least_ == 2)
            result += "# shared.send_ps, shared.receive_ps, shared.latency_ps: their sum was measured, since "
                      "there is a node with two processes\n";
        if (!network_) result += "# network.*, injection_byte_ps: built-in, since there is one node\n";
        if (a_core_ < 2) result += "# *.switch_ps: built-in, since there is a core for each process\n";
        return result;
    }

    /// The first number that no machine has; nothing if all are possible.
    std::optional<std::string> impossible(const Machine& machine) const
    {
        std::optional<std::string> result;
        const auto check = [&](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
            if (!result && (value < least || value > most))
                result = fmt::format("{} would be {}, and lies between {} and {} anywhere", name, value,
                                     least, most);
        };
        constexpr std::int64_t millisecond = 1'000'000'000;
        constexpr std::int64_t slowest_byte = 10'000'000; // 100 kB/s
        const auto check_link = [&](const Link& link, const std::array<const char*, 4>& names) {
            check(names[0], link.send_ps, 0, millisecond);
            check(names[1], link.latency_ps, 0, 20 * millisecond);
            check(names[2], link.byte_ps, 1, slowest_byte);
            check(names[3], link.switch_ps, 0, 100 * millisecond);
        };
        if (inner_)
            check_link(machine.node, {"node.send_ps", "node.latency_ps", "node.byte_ps", "node.switch_ps"});
        if (shared_)
            check_link(machine.shared,
                       {"shared.send_ps", "shared.latency_ps", "shared.byte_ps", "shared.switch_ps"});
        if (network_) {
            check_link(machine.network,
                       {"network.send_ps", "network.latency_ps", "network.byte_ps", "network.switch_ps"});
            check("injection_byte_ps", machine.injection_byte_ps, 1, slowest_byte);
        }
        check("block_ps", machine.block_ps, 0, millisecond);
        check("reduce_byte_ps", machine.reduce_byte_ps, 0, slowest_byte);
        return result;
    }

private:
    /// Where processes share a core, a phase is long because of their turns, whatever the link.
    void take_turns(Link& link, const Link& usual) const
    {
        if (a_core_ < 2) return;
        const std::int64_t turns = std::max<std::int64_t>(0, link.latency_ps - usual.latency_ps);
        link.switch_ps = turns / a_core_;
        link.latency_ps -= turns;
    }
    std::int64_t reduction_pass(Clock& clock)
    {
        const auto reduce = [&] {
            MPI_Reduce_local(from_.data(), to_.data(), static_cast<int>(from_.size()), MPI_DOUBLE, MPI_MAX);
        };
        return picoseconds(clock.time("a reduction", reduce) /
                           static_cast<double>(from_.size() * sizeof(double)) / a_core_);
    }

    MPI_Comm node_ = MPI_COMM_NULL;
    int most_ = 0; // processes on a node
    int least_ = 0;
    int a_core_ = 1;
    std::optional<LinkTrial> inner_;
    std::optional<SharedTrial> shared_;
    std::optional<NetworkTrial> network_;
    std::vector<double> from_ = std::vector<double>(4096, 1);
    std::vector<double> to_ = std::vector<double>(4096, 1);
};

} // namespace

MeasuredMachine measure_machine(const World& world, const TuneOptions& options)
{
    Trials trials(world);
    Clock clock(world.comm, options);
    const int warm_up = simulated ? 1 : 3;
    const int least = simulated ? 2 : options.samples;
    const int most = 4 * least; // passes, until the machine is at rest
    // Processes that share cores disturb each other.
    const double tolerance = (trials.share_cores() ? 2 : 1) * options.tolerance;
    Progress progress("pass", warm_up + least);
    int passes = 0;
    const auto pass = [&] {
        const Machine machine = trials.pass(clock);
        if (world.rank == 0) progress.at(std::min(++passes, warm_up + least));
        return machine;
    };
    for (int i = 0; i < warm_up; ++i) pass();
    trials.fix();
    clock.begin_again();
    MeasuredMachine result = trials.what_is_measured();
    std::optional<std::string> restless;
    for (int i = 0; i < least || (restless && i < most); ++i) {
        result.machine = pass();
        if (i + 1 >= least) restless = clock.restless(tolerance);
    }
    if (world.rank == 0) progress.hide();
    if (!restless && !simulated) restless = trials.impossible(result.machine);
    result.doubt = restless.value_or("");
    return result;
}

std::string run_tune(const TuneOptions& options)
{
    const World world;
    const MeasuredMachine measured = measure_machine(world, options);
    if (!measured.doubt.empty())
        return fmt::format("nothing is written: something else keeps the machine busy ({})", measured.doubt);
    if (world.rank != 0) return "";

    const std::string text = fmt::format(
        "# What ortho-bench tune measured on {:%Y-%m-%d}: processes {}, at most {} on a node.\n# {}\n"
        "# Times in picoseconds; read by programs where ORTHO_TUNE names this file.\n{}{}",
        fmt::localtime(std::time(nullptr)), world.size, measured.most_on_a_node, mpi_name(),
        measured.comments, ortho::planner::to_text(measured.machine));
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
