// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cases.hpp"
#include "grid/halo.hpp"

using namespace ortho;
using namespace ortho::planner;

namespace {

Situation moore(const grid::Grid& grid, int rank = 0)
{
    grid::Stencil stencil(grid.dimensions());
    std::vector<int> offset(static_cast<std::size_t>(grid.dimensions()), -1);
    for (bool more = true; more;) {
        stencil.push_back(offset);
        more = false;
        for (std::size_t k = offset.size(); k-- > 0 && !more;) {
            more = offset[k] < 1;
            offset[k] = more ? offset[k] + 1 : -1;
        }
    }
    Situation situation;
    situation.neighborhood = grid::canonical(grid, stencil).neighborhood;
    situation.graph = cases::graph_of(*situation.neighborhood).processes[static_cast<std::size_t>(rank)];
    situation.regular_sizes_agree = true;
    return situation;
}

std::string chosen(Planner& planner, Problem problem)
{
    return std::string(planner.plan(problem).algorithm->name);
}

const grid::Grid torus({5, 5, 5}, {1, 1, 1});

TEST(Registry, NamesAreDistinctAndFirstIsDirect)
{
    std::set<std::string_view> names;
    std::set<Collective> seen;
    for (const Algorithm& a : registry()) {
        EXPECT_TRUE(names.insert(a.name).second);
        if (seen.insert(a.collective).second) {
            EXPECT_TRUE(a.name.ends_with("_direct"));
            EXPECT_EQ(a.obstacle({}, {}), "");
        }
    }
    EXPECT_EQ(seen.size(), 11U);
}

TEST(Planner, TheCutOffOfThePaper)
{
    // m < (alpha/beta) (t-C)/(V-t), A 3.1: 10 000 bytes * (26-6)/(54-26) = 7142.9 bytes.
    Planner planner(moore(torus), {});
    const auto at = [&](std::int64_t bytes) {
        return chosen(planner, {.collective = Collective::alltoall, .block_bytes = bytes});
    };
    EXPECT_EQ(at(0), "alltoall_combining");
    EXPECT_EQ(at(7142), "alltoall_combining");
    EXPECT_EQ(at(7143), "alltoall_direct");
    // Allgather moves no more blocks than direct does: it is better at any size.
    EXPECT_EQ(chosen(planner, {.collective = Collective::allgather, .block_bytes = 1LL << 40}),
              "allgather_combining");
}

TEST(Planner, HalosForwardIfTheyMay)
{
    Planner planner(moore(torus), {});
    const grid::Halo all{torus, grid::ghost_regions(moore(torus).neighborhood.value()), 1};
    Problem problem{.collective = Collective::halo, .block_bytes = 1LL << 30, .halo = &all};
    EXPECT_EQ(chosen(planner, problem), "halo_combining"); // at any size: every byte travels once
    problem.forwarding = Forwarding::if_bound;
    EXPECT_EQ(chosen(planner, problem), "halo_direct");
    // Faces alone are as many messages either way.
    problem.forwarding = Forwarding::yes;
    const grid::Halo faces{torus, grid::Stencil(3, {-1, 0, 0, 0, 0, 1}), 1};
    problem.halo = &faces;
    EXPECT_EQ(chosen(planner, problem), "halo_direct");
    problem.collective = Collective::halo_reduce;
    problem.halo = &all;
    EXPECT_EQ(chosen(planner, problem), "halo_reduce_combining");
    // What is kept of one halo is not taken for another.
    const auto of_all = planner.plan(problem).schedule;
    EXPECT_EQ(planner.plan(problem).schedule, of_all);
    problem.halo = &faces;
    EXPECT_NE(planner.plan(problem).schedule, of_all);
}

TEST(Planner, IrregularSizesAreWeighedOneByOne)
{
    Situation situation = moore(torus);
    situation.irregular_sizes_agree = true;
    Planner planner(situation, {});
    std::vector<std::int64_t> sizes(27, 8);
    Problem problem{.collective = Collective::alltoall, .irregular = true, .sizes = sizes};
    EXPECT_EQ(chosen(planner, problem), "alltoall_combining");
    sizes[13] = 1LL << 40; // the zero offset travels nowhere
    EXPECT_EQ(chosen(planner, problem), "alltoall_combining");
    sizes[4] = 1LL << 40; // a face travels once either way
    EXPECT_EQ(chosen(planner, problem), "alltoall_combining");
    sizes[0] = 1LL << 30; // a corner travels three times
    EXPECT_EQ(chosen(planner, problem), "alltoall_direct");
}

TEST(Planner, DirectWhereSizesMayDiffer)
{
    Situation situation = moore(torus);
    Planner regular_only(situation, {});
    EXPECT_EQ(chosen(regular_only, {.collective = Collective::alltoall, .irregular = true}), "alltoall_direct");
    situation.regular_sizes_agree = false;
    Planner neither(situation, {});
    EXPECT_EQ(chosen(neither, {.collective = Collective::alltoall, .block_bytes = 4}), "alltoall_direct");
    EXPECT_EQ(chosen(neither, {.collective = Collective::allgather, .block_bytes = 4}), "allgather_direct");
}

TEST(Planner, DirectCountsPartnersNotOffsets)
{
    // On 2 x 2 all offsets name three other processes, and there are two steps: 2 < 3 messages,
    // but 12 blocks directly and 15 combined... of which the planner knows the price.
    Planner planner(moore(grid::Grid({2, 2}, {1, 1})), {});
    EXPECT_EQ(planner.figures().partners, 3);
    EXPECT_EQ(planner.figures().combined_messages, 2);
}

TEST(Planner, BoundNamesBindTheirOwnCollectiveOnly)
{
    Planner planner(moore(torus), {parse_algorithms("alltoall_direct", "ORTHO_ALGORITHM"), {}});
    EXPECT_EQ(chosen(planner, {.collective = Collective::alltoall, .block_bytes = 4}), "alltoall_direct");
    EXPECT_EQ(chosen(planner, {.collective = Collective::allgather, .block_bytes = 4}), "allgather_combining");
}

TEST(Planner, ABoundCallThatCannotBeServedIsAnError)
{
    Situation situation = moore(torus);
    situation.regular_sizes_agree = false;
    Planner planner(situation, {{"alltoall_combining"}, {}});
    try {
        planner.plan({.collective = Collective::alltoall, .block_bytes = 4});
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.kind(), base::ErrorKind::algorithm);
        EXPECT_NE(std::string(error.what()).find("alltoall_combining"), std::string::npos);
    }
    EXPECT_NO_THROW(planner.plan({.collective = Collective::allgather}));
}

TEST(Planner, ListsAreParsed)
{
    using Names = std::vector<std::string>;
    EXPECT_EQ(parse_algorithms("", "x"), Names{});
    EXPECT_EQ(parse_algorithms("auto", "x"), Names{});
    EXPECT_EQ(parse_algorithms(" alltoall_direct , allgather_combining", "x"),
              (Names{"alltoall_direct", "allgather_combining"}));
    EXPECT_THROW(parse_algorithms("alltoall_direct,fast", "x"), base::Error);
    EXPECT_THROW(parse_algorithms("alltoall_direct allgather_direct", "x"), base::Error);
}

TEST(Planner, AScheduleIsMadeOnce)
{
    Planner planner(moore(torus), {});
    const auto first = planner.plan({.collective = Collective::alltoall, .block_bytes = 4}).schedule;
    EXPECT_EQ(planner.plan({.collective = Collective::alltoall, .block_bytes = 8}).schedule, first);
    for (int root = 0; root < 125; ++root) planner.plan({.collective = Collective::bcast, .root = root});
    EXPECT_NE(planner.plan({.collective = Collective::bcast, .root = 7}).schedule, nullptr);
}

} // namespace
