// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms.  A new one is a file in algorithm/ and a line in registry.cpp.
// No MPI in this file.

#include "planner/registry.hpp"

#include <algorithm>
#include <limits>

#include "algorithm/algorithms.hpp"
#include "algorithm/halo_route.hpp"

namespace ortho::planner {

namespace {

using schedule::Schedule;

// Obstacles.

std::string none(const Situation&, const Problem&) { return {}; }

std::string sizes_must_agree(const Situation& situation, const Problem& problem)
{
    if (!situation.neighborhood) return "the neighborhoods are not isomorphic on a named grid";
    if (problem.sizes_compared) return {};
    if (problem.irregular)
        return situation.irregular_sizes_agree
                   ? ""
                   : "block sizes may differ between processes (ortho_assert_uniform is not set, "
                     "or the grid has borders and the communicator is none of "
                     "ORTHO_Cart_neighborhood_create)";
    return situation.regular_sizes_agree || situation.irregular_sizes_agree
               ? ""
               : "block sizes may differ between processes that the stencil does not connect";
}

// Costs.

/// a * b + c, for what may be huge but never negative.
std::int64_t multiply_add(std::int64_t a, std::int64_t b, std::int64_t c)
{
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result))
        return std::numeric_limits<std::int64_t>::max();
    return result;
}

std::int64_t linear(const Machine& machine, std::int64_t messages, std::int64_t bytes)
{
    return multiply_add(bytes, machine.byte_ps, multiply_add(messages, machine.message_ps, 0));
}

std::int64_t nothing(const Situation&, const Figures&, const Machine&, const Problem&) { return 0; }

std::int64_t allgather_direct_cost(const Situation&, const Figures& figures, const Machine& machine,
                                   const Problem& problem)
{
    return linear(machine, figures.partners, multiply_add(figures.partners, problem.block_bytes, 0));
}

std::int64_t allgather_combining_cost(const Situation&, const Figures& figures,
                                      const Machine& machine, const Problem& problem)
{
    return linear(machine, figures.combined_messages,
                  multiply_add(figures.allgather_blocks, problem.block_bytes, 0));
}

/// The bytes of all blocks, each as often as `times` says for its offset.
template <class Times>
std::int64_t irregular_bytes(const Situation& situation, const Problem& problem, Times times)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
        const int hops = situation.neighborhood->offsets.nonzeros(static_cast<int>(i));
        sum = multiply_add(problem.sizes[i], times(hops), sum);
    }
    return sum;
}

std::int64_t alltoall_direct_cost(const Situation& situation, const Figures& figures,
                                  const Machine& machine, const Problem& problem)
{
    const std::int64_t bytes =
        problem.irregular
            ? irregular_bytes(situation, problem, [](int hops) { return hops > 0 ? 1 : 0; })
            : multiply_add(figures.blocks, problem.block_bytes, 0);
    return linear(machine, figures.partners, bytes);
}

std::int64_t alltoall_combining_cost(const Situation& situation, const Figures& figures,
                                     const Machine& machine, const Problem& problem)
{
    const std::int64_t bytes = problem.irregular
                                   ? irregular_bytes(situation, problem, [](int hops) { return hops; })
                                   : multiply_add(figures.alltoall_blocks, problem.block_bytes, 0);
    return linear(machine, figures.combined_messages, bytes);
}

// Every byte of a halo travels once, whichever way; what differs is the number of messages.

std::int64_t halo_direct_cost(const Situation&, const Figures&, const Machine& machine, const Problem& problem)
{
    return linear(machine, algorithm::direct_route(*problem.halo).messages(), problem.block_bytes);
}

std::int64_t halo_combining_cost(const Situation&, const Figures&, const Machine& machine, const Problem& problem)
{
    return linear(machine, algorithm::combining_route(*problem.halo).messages(), problem.block_bytes);
}

// Builders.

Schedule barrier_direct(const Situation& s, const Problem&)
{
    return algorithm::barrier_direct(s.graph);
}
Schedule bcast_direct(const Situation& s, const Problem& p)
{
    return algorithm::bcast_direct(s.graph, p.root);
}
Schedule gather_direct(const Situation& s, const Problem& p)
{
    return algorithm::gather_direct(s.graph, p.root);
}
Schedule scatter_direct(const Situation& s, const Problem& p)
{
    return algorithm::scatter_direct(s.graph, p.root);
}
Schedule allgather_direct(const Situation& s, const Problem&)
{
    return algorithm::allgather_direct(s.graph);
}
Schedule allgather_combining(const Situation& s, const Problem&)
{
    return algorithm::allgather_combining(*s.neighborhood, s.graph.rank,
                                          algorithm::by_distinct_coordinates(*s.neighborhood));
}
Schedule alltoall_direct(const Situation& s, const Problem&)
{
    return algorithm::alltoall_direct(s.graph);
}
Schedule alltoall_combining(const Situation& s, const Problem&)
{
    return algorithm::alltoall_combining(*s.neighborhood, s.graph.rank,
                                         algorithm::one_by_one(s.neighborhood->dimensions()));
}
Schedule reduce_direct(const Situation& s, const Problem& p)
{
    return algorithm::reduce_direct(s.graph, p.root, p.in_place);
}
Schedule allreduce_direct(const Situation& s, const Problem& p)
{
    return algorithm::allreduce_direct(s.graph, p.in_place);
}
Schedule reduce_scatter_direct(const Situation& s, const Problem&)
{
    return algorithm::reduce_scatter_direct(s.graph);
}

Schedule halo_direct(const Situation& s, const Problem& p)
{
    return algorithm::halo_direct(*p.halo, s.graph.rank);
}
Schedule halo_combining(const Situation& s, const Problem& p)
{
    return algorithm::halo_combining(*p.halo, s.graph.rank);
}
Schedule halo_reduce_direct(const Situation& s, const Problem& p)
{
    return algorithm::halo_reduce_direct(*p.halo, s.graph.rank);
}
Schedule halo_reduce_combining(const Situation& s, const Problem& p)
{
    return algorithm::halo_reduce_combining(*p.halo, s.graph.rank);
}

using enum Collective;

constexpr Algorithm algorithms[] = {
    {"barrier_direct", barrier, false, false, none, nothing, barrier_direct},
    {"bcast_direct", bcast, false, false, none, nothing, bcast_direct},
    {"gather_direct", gather, false, false, none, nothing, gather_direct},
    {"scatter_direct", scatter, false, false, none, nothing, scatter_direct},
    {"allgather_direct", allgather, false, false, none, allgather_direct_cost, allgather_direct},
    {"allgather_combining", allgather, true, true, sizes_must_agree, allgather_combining_cost,
     allgather_combining},
    {"alltoall_direct", alltoall, false, false, none, alltoall_direct_cost, alltoall_direct},
    {"alltoall_combining", alltoall, true, true, sizes_must_agree, alltoall_combining_cost,
     alltoall_combining},
    {"reduce_direct", reduce, false, false, none, nothing, reduce_direct},
    {"allreduce_direct", allreduce, false, false, none, nothing, allreduce_direct},
    {"reduce_scatter_direct", reduce_scatter, false, false, none, nothing, reduce_scatter_direct},
    {"halo_direct", halo, false, false, none, halo_direct_cost, halo_direct},
    {"halo_combining", halo, false, true, none, halo_combining_cost, halo_combining},
    {"halo_reduce_direct", halo_reduce, false, false, none, halo_direct_cost, halo_reduce_direct},
    {"halo_reduce_combining", halo_reduce, false, true, none, halo_combining_cost, halo_reduce_combining},
};

} // namespace

std::span<const Algorithm> registry() { return algorithms; }

bool serves(std::string_view name, Collective collective)
{
    return std::ranges::any_of(registry(), [&](const Algorithm& a) {
        return a.name == name && a.collective == collective;
    });
}

bool is_unknown(std::string_view name)
{
    return std::ranges::none_of(registry(), [&](const Algorithm& a) { return a.name == name; });
}

} // namespace ortho::planner
