// SPDX-License-Identifier: BSD-3-Clause
// Trying algorithms out.

#include "engine/measure.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "agree/on_comm.hpp"
#include "engine/operation.hpp"
#include "engine/run.hpp"
#include "runtime/internal_collectives.hpp"

namespace ortho::engine {

namespace {

constexpr std::uintptr_t most_bytes = std::uintptr_t{256} << 20;
constexpr int rounds = 5;
constexpr double round_seconds = 1e-3;
constexpr int most_repeats = 100;

/// Blocks laid out as the user's, in memory of our own.
class Copy {
public:
    explicit Copy(const BufferBlocks& blocks)
    {
        const BufferBlocks::Extent extent = blocks.extent();
        memory_ = std::make_unique<std::byte[]>(extent.end - extent.begin + alignment);
        const auto first = reinterpret_cast<std::uintptr_t>(memory_.get());
        // As far from a multiple of the alignment as the user's.
        const std::uintptr_t shift = (extent.begin - first) % alignment;
        blocks_ = blocks.moved(first + shift - extent.begin);
    }
    const BufferBlocks& blocks() const { return blocks_; }

private:
    static constexpr std::uintptr_t alignment = 64;

    std::unique_ptr<std::byte[]> memory_;
    BufferBlocks blocks_;
};

double seconds_for(topology::Graph& graph, Operation& operation, int tag, int repeats)
{
    runtime::nonblocking_barrier(graph.collectives());
    const double begin = PMPI_Wtime();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        {
            const std::lock_guard lock(graph.mutex);
            operation.start(engine_of(graph).network().next_blocking(tag));
        }
        runtime::wait_until(
            [&](runtime::Backoff& backoff) {
                const std::lock_guard lock(graph.mutex);
                return operation.advance(backoff);
            },
            [](const runtime::StallWatch& watch) { watch.report(); },
            [&] { give_up_if_lost(graph, operation); });
    }
    return (PMPI_Wtime() - begin) / repeats;
}

bool fits(const BufferBlocks& blocks)
{
    const BufferBlocks::Extent extent = blocks.extent();
    return extent.end - extent.begin <= most_bytes;
}

} // namespace

std::vector<planner::Measured> measure(topology::Graph& graph, const Call& call,
                                       const algorithm::CallSpecification& specification, int tag)
{
    if (call.op != MPI_OP_NULL || call.halo) return {};
    std::vector<planner::Measured> result;
    {
        const std::lock_guard lock(graph.mutex);
        for (const planner::Candidate& candidate : engine_of(graph).context().candidates(specification))
            if (candidate.applies()) result.push_back({candidate.algorithm->name, 0});
    }
    if (result.size() < 2) return {};

    if (!agree::all_true(graph.collectives(), fits(call.send) && fits(call.receive))) return {};
    const Copy send(call.send);
    const Copy receive(call.receive);
    Call copied = call;
    copied.send = send.blocks();
    copied.receive = receive.blocks();

    std::vector<Operation> operations;
    for (const planner::Measured& tried : result) {
        const std::lock_guard lock(graph.mutex);
        algorithm::CallSpecification bound = specification;
        bound.algorithms = {std::string(tried.algorithm)};
        Engine& engine = engine_of(graph);
        operations.emplace_back(
            engine.context().make(copied, bound, Form::blocking, engine.network().blocking()).binding,
            MPI_OP_NULL);
    }
    std::vector<std::array<double, rounds>> seconds(result.size());
    std::vector<long long> repeats(result.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const double once = seconds_for(graph, operations[i], tag, 2); // the first time is no measure
        repeats[i] = -static_cast<long long>(
            std::clamp(round_seconds / std::max(once, 1e-9), 1.0, double{most_repeats}));
    }
    runtime::maximize(graph.collectives(), repeats); // as often as the slowest would like
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < operations.size(); ++i)
            seconds[i][round] = seconds_for(graph, operations[i], tag, static_cast<int>(-repeats[i]));

    std::vector<long long> picoseconds;
    for (auto& list : seconds) {
        std::ranges::sort(list);
        picoseconds.push_back(static_cast<long long>(1e12 * list[rounds / 2]));
    }
    runtime::maximize(graph.collectives(), picoseconds);
    for (std::size_t i = 0; i < result.size(); ++i) result[i].time_ps = picoseconds[i];
    return result; // what went wrong on the way will do so again, where it is reported
}

} // namespace ortho::engine
