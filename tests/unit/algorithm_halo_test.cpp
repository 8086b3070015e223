// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges and their adjoints: regions, all stencils in two dimensions, cost, routes, and what a wrong order
// does.  algorithm_list_test tries random grids.

#include "algorithm/halo_route.hpp"
#include "schedule/builder.hpp"

using namespace ortho::schedule;
using grid::Halo;

namespace {

const algorithm::Algorithm* const which[] = {&algorithm::halo_direct, &algorithm::halo_combining,
                                             &algorithm::halo_reduce_direct,
                                             &algorithm::halo_reduce_combining};

std::vector<std::vector<int>> unit_box(int d) { return cases::box(d, -1, 1); }
grid::Stencil moore(int d) { return cases::all_of(d, -1, 1); }

grid::Stencil random_unit_stencil(cases::Random& random, int d)
{
    grid::Stencil result(d);
    const int share = cases::uniform(random, 0, 10);
    for (const auto& n : unit_box(d))
        if (cases::uniform(random, 1, 10) <= share) result.push_back(n);
    return result;
}

Halo halo_of(const grid::Grid& grid, const grid::Stencil& stencil, int fields = 1)
{
    const grid::Stencil regions = grid::regions_on_grid(grid, grid::ghost_regions(stencil));
    return grid::make_halo(grid, std::vector<grid::Stencil>(at(fields), regions));
}

TEST(Halo, RegionsAreOppositeToTheOffsetsWhateverTheGrid)
{
    cases::Random random(39);
    for (int repeat = 0; repeat < cases::times(2000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 4, 48);
        const int d = grid.dimensions();
        const grid::Stencil stencil = random_unit_stencil(random, d);
        std::set<std::vector<int>> offsets;
        for (int i = 0; i < stencil.size(); ++i) offsets.insert({stencil[i].begin(), stencil[i].end()});
        grid::Stencil expected(d);
        grid::Stencil filled(d); // those that are filled on some process
        for (const auto& region : unit_box(d)) {
            std::vector<int> offset;
            for (const int n : region) offset.push_back(-n);
            if (region == std::vector<int>(at(d), 0) || !offsets.contains(offset)) continue;
            expected.push_back(region);
            bool is_filled = false;
            for (int r = 0; r < grid.points(); ++r)
                is_filled = is_filled || grid.neighbor(r, region) != grid::Grid::nowhere;
            if (is_filled) filled.push_back(region);
        }
        ASSERT_EQ(grid::ghost_regions(stencil), expected);
        ASSERT_EQ(grid::regions_on_grid(grid, expected), filled);
    }
}

/// Only the processes that offsets lead to are known.
TEST(Halo, RegionsAreThoseThatTheDefinitionNamesModuloTheGrid)
{
    cases::Random random(40);
    for (int repeat = 0; repeat < cases::times(2000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 4, 48);
        const int d = grid.dimensions();
        const auto n = grid::canonical(grid, random_unit_stencil(random, d)).neighborhood;
        ASSERT_EQ(grid::first_beyond_unit_steps(n.offsets), -1);
        std::set<std::vector<int>> offsets;
        for (int i = 0; i < n.size(); ++i) offsets.insert({n.offsets[i].begin(), n.offsets[i].end()});
        grid::Stencil expected(d);
        for (const auto& region : unit_box(d)) {
            std::vector<int> offset;
            for (int k = 0; k < d; ++k)
                offset.push_back(static_cast<int>(grid.representative(k, -region[at(k)])));
            if (region != std::vector<int>(at(d), 0) && offsets.contains(offset)) expected.push_back(region);
        }
        ASSERT_EQ(grid::ghost_regions(n), expected);
    }
}

TEST(Halo, OffsetsThatAreNoUnitStepsAreFound)
{
    const grid::Stencil given(2, {0, 1, 4, 0, 2, 0});
    EXPECT_EQ(grid::first_beyond_unit_steps(given), 1);
    const grid::Stencil known = grid::canonical(grid::Grid({5, 5}, {1, 0}), given).neighborhood.offsets;
    const int i = grid::first_beyond_unit_steps(known);
    ASSERT_GE(i, 0);
    EXPECT_EQ(known(i, 0), 2); // and +4 is -1 on a ring of 5
}

TEST(Halo, SlotsAreFoundByRegionAndField)
{
    cases::Random random(44);
    for (int repeat = 0; repeat < cases::times(200); ++repeat) {
        const Halo halo = cases::random_halo(random, cases::random_grid(random, 3, 8));
        for (int slot = 0; slot < halo.slots(); ++slot)
            ASSERT_EQ(halo.find(halo.regions[slot], halo.field[at(slot)]), slot);
        ASSERT_EQ(halo.find(std::vector<int>(at(halo.grid.dimensions()), 0), 0), -1);
        ASSERT_EQ(halo.find(std::vector<int>(at(halo.grid.dimensions()), 1), halo.fields), -1);
    }
}

/// The populations of a lattice-Boltzmann cavity cross the sides that they move to, and no others.
TEST(Halo, DirectionsOfNinePopulationsTravelInFourMessages)
{
    std::vector<grid::Stencil> regions;
    int slots = 0;
    for (const auto& velocity : unit_box(2)) {
        grid::Stencil& mine = regions.emplace_back(2);
        for (const auto& side : unit_box(2)) {
            bool comes_from = side != std::vector<int>{0, 0};
            for (std::size_t k = 0; k < 2; ++k)
                comes_from = comes_from && (side[k] == 0 || side[k] == -velocity[k]);
            if (comes_from) mine.push_back(side);
        }
        slots += mine.size();
    }
    const Halo halo = grid::make_halo(cases::cube(2, 4), regions);
    ASSERT_EQ(halo.slots(), slots);
    EXPECT_EQ(slots, 4 * 1 + 4 * 3); // of 9 * 8
    EXPECT_EQ(cost(cases::build(algorithm::halo_combining, halo, 0)).messages, 4);
    EXPECT_EQ(cost(cases::build(algorithm::halo_direct, halo, 0)).messages, 8);
    EXPECT_EQ(cost(cases::build(algorithm::halo_combining, halo, 0)).blocks, slots);
    for (const auto* const a : which) EXPECT_EQ(cases::fault(*a, halo), "");
}

TEST(Halo, AllStencilsInTwoDimensions)
{
    const auto box = unit_box(2);
    for (const grid::Grid& grid :
         {grid::Grid({1, 1}, {1, 1}), grid::Grid({2, 3}, {1, 1}), grid::Grid({1, 2}, {1, 0}),
          grid::Grid({3, 3}, {0, 0}), grid::Grid({2, 2}, {1, 1}), grid::Grid({3, 1}, {0, 0})}) {
        for (unsigned subset = 0; subset < 512; ++subset) {
            grid::Stencil stencil(2);
            for (std::size_t i = 0; i < box.size(); ++i)
                if ((subset >> i & 1U) != 0) stencil.push_back(box[i]);
            const Halo halo = halo_of(grid, stencil);
            for (const auto* const a : which) ASSERT_EQ(cases::fault(*a, halo), "") << subset;
        }
    }
}

TEST(Halo, AllNeighborsTakeTwoMessagesADimension)
{
    for (int d = 1, regions = 2; d <= 5; ++d, regions = 3 * regions + 2) {
        const Halo halo = halo_of(cases::cube(d, 5), moore(d));
        ASSERT_EQ(halo.regions.size(), regions);
        for (const bool reduces : {false, true}) {
            const auto& combining = reduces ? algorithm::halo_reduce_combining : algorithm::halo_combining;
            const auto& direct = reduces ? algorithm::halo_reduce_direct : algorithm::halo_direct;
            const Cost combined = cost(cases::build(combining, halo, 0));
            EXPECT_EQ(combined.messages, 2 * d);
            EXPECT_EQ(combined.phases, d);
            EXPECT_EQ(combined.blocks, regions);
            EXPECT_EQ(combined.reductions, reduces ? regions : 0);
            EXPECT_EQ(cost(cases::build(direct, halo, 0)).messages, regions);
        }
    }
}

TEST(Halo, EveryRegionTravelsOnce)
{
    cases::Random random(42);
    for (int repeat = 0; repeat < cases::times(500); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 4, 48);
        const Halo halo = halo_of(grid, random_unit_stencil(random, grid.dimensions()), 2);
        int filled = 0;
        for (int r = 0; r < grid.points(); ++r)
            for (int slot = 0; slot < halo.slots(); ++slot) filled += halo.is_filled(r, slot) ? 1 : 0;
        for (const auto* const a : which) {
            const bool reduces = algorithm::reduces(a->collective);
            int moved = 0, reduced = 0;
            for (int r = 0; r < grid.points(); ++r) {
                const Cost c = cost(cases::build(*a, halo, r));
                moved += c.blocks + (reduces ? 0 : c.copies);
                reduced += c.reductions;
            }
            // The adjoints have other local copies, too; but they reduce everything that arrives.
            ASSERT_EQ(reduces ? reduced : moved, filled);
        }
    }
}

TEST(Halo, RoutesAreBundlesOfRegions)
{
    const auto combined = [](const grid::Grid& grid, const grid::Stencil& stencil) {
        return algorithm::combining_route(halo_of(grid, stencil)).messages();
    };
    const auto direct = [](const grid::Grid& grid, const grid::Stencil& stencil) {
        return algorithm::direct_route(halo_of(grid, stencil)).messages();
    };
    // Corners alone go direct; with faces in one dimension they come along.
    const grid::Grid grid = cases::cube(2, 5);
    EXPECT_EQ(combined(grid, {2, {1, 1, -1, 1, 1, -1, -1, -1}}), 4);
    EXPECT_EQ(combined(grid, {2, {1, 1, 1, -1, 1, 0, 0, 1, 0, -1}}), 3);
    EXPECT_EQ(combined(grid, {2, {1, 1, -1, 1, 0, 1, 0, -1, 1, 0, -1, 0}}), 4);
    // The better of two orders is taken: (1,1) comes by (0,1), since (1,0) does not exist.
    EXPECT_EQ(combined(grid, {2, {1, 1, -1, 1, 0, 1}}), 3);
    // Steps to one process make one message: all 26 on 2 processes, 24 of them on 4 x 4.
    EXPECT_EQ(direct({{2, 1, 1}, {1, 1, 1}}, moore(3)), 1);
    EXPECT_EQ(direct({{4, 4, 1}, {1, 1, 1}}, moore(3)), 8);
    EXPECT_EQ(combined(cases::cube(3, 2), moore(3)), 3);
    // On a ring of one process nothing is sent.
    EXPECT_EQ(halo_of(cases::cube(3, 1), grid::Stencil(3, {0, 0, 0, 1, 1, -1})).regions,
              grid::Stencil(3, {-1, -1, 1}));
    const Halo alone = halo_of(cases::cube(3, 1), moore(3));
    EXPECT_EQ(alone.regions.size(), 26);
    EXPECT_EQ(algorithm::combining_route(alone).messages(), 0);
}

TEST(Halo, BoxesMeetAcrossFaces)
{
    const grid::GhostedArray array{{10, 9}, {1, 2}, {3, 0}};
    EXPECT_EQ(array.owned(0), 6);
    EXPECT_EQ(array.owned(1), 7);
    const auto box = [&](std::vector<int> region, std::vector<int> via) {
        const grid::Box b = array.box(region, via);
        return std::vector<std::int64_t>{b.start[0], b.size[0], b.start[1], b.size[1]};
    };
    using V = std::vector<std::int64_t>;
    EXPECT_EQ(box({-1, 0}, {-1, 0}), (V{0, 1, 2, 7})); // ghosts
    EXPECT_EQ(box({1, 0}, {1, 0}), (V{7, 3, 2, 7}));
    EXPECT_EQ(box({-1, 0}, {0, 0}), (V{6, 1, 2, 7})); // the last owned layer
    EXPECT_EQ(box({1, 0}, {0, 0}), (V{1, 3, 2, 7}));  // the first three
    EXPECT_EQ(box({1, -1}, {1, 0}), (V{7, 3, 7, 2})); // out of ghosts in one dimension
    EXPECT_EQ(box({1, -1}, {0, -1}), (V{1, 3, 0, 2}));
    using Region = std::vector<int>;
    EXPECT_TRUE(array.has_depth(Region{-1, -1}));
    EXPECT_FALSE(array.has_depth(Region{-1, 1}));
    EXPECT_TRUE(array.box(Region{0, 1}, Region{0, 1}).is_empty());
    EXPECT_EQ(grid::with_layers(moore(2), array).size(), 6); // without those beyond the last column
}

/// A block that is forwarded must have arrived, and must stay until it has left.
class WrongOrder : public testing::Test {
protected:
    WrongOrder() : halo(halo_of(cases::cube(2, 3), moore(2))) {}

    std::string verdict(const Schedule& schedule) const
    {
        return verify(world_of(halo.grid), std::span(&schedule, 1), cases::goal(algorithm::halo_direct, halo))
            .value_or("");
    }

    Halo halo;
};

TEST_F(WrongOrder, PhasesTheOtherWayRound)
{
    Schedule bad = cases::build(algorithm::halo_combining, halo, 0);
    ASSERT_EQ(verdict(bad), "");
    std::ranges::reverse(bad.phases);
    EXPECT_NE(verdict(bad).find("before anything is there"), std::string::npos);
}

TEST_F(WrongOrder, AllInOnePhase)
{
    Schedule bad = cases::build(algorithm::halo_combining, halo, 0);
    bad.phases[0].rounds.end = bad.phases[1].rounds.end;
    bad.phases.pop_back();
    EXPECT_NE(verdict(bad).find("something else in the phase uses"), std::string::npos);
}

TEST_F(WrongOrder, OverwrittenBeforeItHasLeft)
{
    // The second phase receives again what it sends from.
    Schedule bad = cases::build(algorithm::halo_combining, halo, 0);
    for (Slot& slot : bad.slots)
        if (slot == receive_slot(0)) slot = bad.parts[0].whole;
    EXPECT_NE(verdict(bad).find("something else in the phase uses"), std::string::npos);
}

} // namespace
