// SPDX-License-Identifier: BSD-3-Clause
#include "specification.hpp"

#include "size_text.hpp"
#include "stencil_text.hpp"

using tools::parse_specification;
using tools::Specification;

namespace {

/// The stencil of 'allgather:GRID:STENCIL:4B'.
grid::Stencil stencil(const std::string& grid, const std::string& text)
{
    return parse_specification("allgather:" + grid + ":" + text + ":4B").stencil;
}

std::int64_t bytes(const std::string& size)
{
    return parse_specification("alltoall:torus 4:moore 1:" + size).block_bytes;
}

std::string mistake(const std::string& text)
{
    return cases::mistake_in([&] { parse_specification(text); }, base::ErrorKind::arg);
}

#define EXPECT_MISTAKE(text, words) EXPECT_NE(mistake(text).find(words), std::string::npos) << mistake(text)

TEST(Specification, FourParts)
{
    const Specification s = parse_specification("alltoall:torus 4x5:moore 1:1KiB");
    EXPECT_EQ(s.collective, planner::Collective::alltoall);
    EXPECT_EQ(s.grid, grid::Grid({4, 5}, {1, 1}));
    EXPECT_EQ(s.stencil, grid::Stencil(2, {-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1}));
    EXPECT_EQ(s.block_bytes, 1024);
    EXPECT_EQ(s.grid_text, "torus 4x5");
    EXPECT_EQ(s.stencil_text, "moore:1");
}

TEST(Specification, BlanksDoNotMatter)
{
    const Specification s = parse_specification(
        "  alltoall : grid  4x5   periods  1 , 0 : offsets 1, 0 ; 0,-1 : 10 kB ");
    EXPECT_EQ(s.grid, grid::Grid({4, 5}, {1, 0}));
    EXPECT_EQ(s.stencil, grid::Stencil(2, {1, 0, 0, -1}));
    EXPECT_EQ(s.block_bytes, 10000);
}

TEST(Specification, Collectives)
{
    using planner::Collective;
    const auto collective = [](const std::string& name) {
        return parse_specification(name + ":torus 4:moore 1:4B").collective;
    };
    EXPECT_EQ(collective("allgather"), Collective::allgather);
    EXPECT_EQ(collective("allreduce"), Collective::allreduce);
    EXPECT_EQ(collective("reduce_scatter"), Collective::reduce_scatter);
    EXPECT_EQ(collective("reduce_scatter_block"), Collective::reduce_scatter);
    EXPECT_MISTAKE("alltall:torus 4:moore 1:4B", "collective 'alltall' is none of alltoall, allgather");
    EXPECT_MISTAKE(":torus 4:moore 1:4B", "collective ''");
}

TEST(Specification, Grids)
{
    const auto grid = [](const std::string& text) {
        return parse_specification("alltoall:" + text + ":box 0..1:4B").grid;
    };
    EXPECT_EQ(grid("mesh 3"), grid::Grid({3}, {0}));
    EXPECT_EQ(grid("mesh 3x1x2"), grid::Grid({3, 1, 2}, {0, 0, 0}));
    EXPECT_EQ(grid("grid 3x2 periods 0,1"), grid::Grid({3, 2}, {0, 1}));
    EXPECT_EQ(grid("torus 100x100x100").points(), 1'000'000);
    EXPECT_MISTAKE("alltoall:ring 4:moore 1:4B", "grid 'ring 4' begins with none of torus, mesh, grid");
    EXPECT_MISTAKE("alltoall:torus:moore 1:4B", "grid 'torus': '' is no size such as 4x4");
    EXPECT_MISTAKE("alltoall:torus 4xx4:moore 1:4B", "'4xx4'");
    EXPECT_MISTAKE("alltoall:torus 4x0:moore 1:4B", "'4x0'");
    EXPECT_MISTAKE("alltoall:torus 4x-4:moore 1:4B", "'4x-4'");
    EXPECT_MISTAKE("alltoall:torus 4 x 4:moore 1:4B", "goes on with 'x 4'");
    EXPECT_MISTAKE("alltoall:torus 99999x99999:moore 1:4B", "more than 2147483647 processes");
    EXPECT_MISTAKE("alltoall:grid 4x4:moore 1:4B", "does not end in periods");
    EXPECT_MISTAKE("alltoall:grid 4x4 periods 1:moore 1:4B", "2 dimensions and 1 periods");
    EXPECT_MISTAKE("alltoall:grid 4x4 periods 1,2:moore 1:4B", "period '2' is neither 0 nor 1");
}

TEST(Specification, Stencils)
{
    EXPECT_EQ(stencil("torus 9x9x9", "moore 2").size(), 124);
    EXPECT_EQ(stencil("torus 9x9x9", "moore 2 with centre").size(), 125);
    EXPECT_EQ(stencil("torus 9x9x9", "moore 2 with center").size(), 125);
    EXPECT_EQ(stencil("torus 9x9", "manhattan 2").size(), 12);
    EXPECT_EQ(stencil("torus 9x9", "neumann 1"), grid::Stencil(2, {-1, 0, 0, -1, 0, 1, 1, 0}));
    EXPECT_EQ(stencil("torus 9x9", "manhattan 2 with centre").size(), 13);
    EXPECT_EQ(stencil("torus 9x9", "box -1..0"), grid::Stencil(2, {-1, -1, -1, 0, 0, -1}));
    EXPECT_EQ(stencil("torus 9x9", "box 3..4"), grid::Stencil(2, {3, 3, 3, 4, 4, 3, 4, 4}));
    EXPECT_EQ(stencil("torus 9", "box 0..2 with centre"), grid::Stencil(1, {0, 1, 2}));
    EXPECT_EQ(stencil("torus 9x9", "offsets 0,0;0,0;7,-8"), grid::Stencil(2, {0, 0, 0, 0, 7, -8}));
    EXPECT_MISTAKE("alltoall:torus 4x4:hexagon 1:4B", "stencil 'hexagon 1' begins with none of");
    EXPECT_MISTAKE("alltoall:torus 4x4:moore -1:4B", "'-1' is no depth");
    EXPECT_MISTAKE("alltoall:torus 4x4:moore 0:4B", "stencil 'moore 0' has no offsets");
    EXPECT_MISTAKE("alltoall:torus 4x4:moore 1 without centre:4B", "goes on with 'without centre'");
    EXPECT_MISTAKE("alltoall:torus 9x9x9:moore 1000:4B", "more than 4194304 offsets");
    EXPECT_MISTAKE("alltoall:torus 9x9x9:moore 2147483647:4B", "more than 4194304 offsets");
    EXPECT_MISTAKE("alltoall:torus 9:box -2147483648..2147483647:4B", "more than 4194304 offsets");
    EXPECT_MISTAKE("alltoall:torus 9:box 2..1:4B", "'2..1' is no range");
    EXPECT_MISTAKE("alltoall:torus 9:box 1:4B", "'1' is no range such as -1..2, and no extent from 2 on");
    EXPECT_MISTAKE("alltoall:torus 9:box 1..2..3:4B", "'1..2..3' is no range");
    EXPECT_MISTAKE("alltoall:torus 9x9:offsets 1,0;1:4B",
                   "offset '1' has 1 coordinates on a grid of 2 dimensions");
    EXPECT_MISTAKE("alltoall:torus 9x9:offsets 1,a:4B", "'a' in offset '1,a' is no number");
    EXPECT_MISTAKE("alltoall:torus 9x9:offsets ::4B", "is no number");
}

/// Each spelling gives one stencil with one name.
TEST(Specification, StencilsInOneOrTwoWords)
{
    const auto expect_same = [](const std::string& name, const std::string& other) {
        const tools::NamedStencil first = tools::parse_stencil(name, 2);
        const tools::NamedStencil second = tools::parse_stencil(other, 2);
        EXPECT_EQ(first.offsets, second.offsets) << other;
        EXPECT_EQ(first.name, name);
        EXPECT_EQ(second.name, name);
        for (const std::string& text : {name, other}) {
            const Specification s = parse_specification("alltoall:torus 9x9:" + text + ":4B");
            EXPECT_EQ(s.stencil, first.offsets) << text;
            EXPECT_EQ(s.stencil_text, name);
        }
    };
    expect_same("moore:2", "moore 2");
    expect_same("moore:2", " moore : 2 ");
    expect_same("manhattan:3", "manhattan  3");
    expect_same("neumann:1", "neumann 1");
    expect_same("moore:1 with centre", "moore 1 with center");
    expect_same("box:-1..2", "box -1..2");
    expect_same("box:4", "box 4");
    expect_same("offsets:1,0;0,-1", "offsets 1, 0; 0, -1");
    EXPECT_EQ(tools::parse_stencil("box:4", 3).offsets, tools::parse_stencil("box:-1..2", 3).offsets);
    EXPECT_EQ(
        mistake("alltoall:torus 4x4:moore :4B"),
        "'alltoall:torus 4x4:moore :4B' has 3 parts, not the four of COLLECTIVE:GRID:STENCIL:SIZE, as in "
        "'alltoall:torus 4x4:moore:1:1KiB'");
    EXPECT_THROW(tools::parse_stencil("moore", 2), base::Error);
    EXPECT_THROW(tools::parse_stencil("box:", 2), base::Error);
}

TEST(Specification, ArraysOfHalos)
{
    const Specification s = parse_specification(
        "halo:torus 4x4:moore:1:66x34 depth 1,2 upper 3 fields 2 elements 4B");
    EXPECT_EQ(s.collective, planner::Collective::halo);
    EXPECT_TRUE(s.is_halo());
    ASSERT_TRUE(s.fields.has_value());
    EXPECT_EQ(s.fields->shape.sizes, (std::vector<std::int64_t>{66, 34}));
    EXPECT_EQ(s.fields->shape.lower, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(s.fields->shape.upper, (std::vector<std::int64_t>{3, 3}));
    EXPECT_EQ(s.fields->fields, 2);
    EXPECT_EQ(s.fields->element_bytes, 4);
    EXPECT_EQ(to_text(*s.fields), "2 fields of 66x34 elements of 4 B, depth 1,2 and 3,3");
    const Specification usual = parse_specification("halo_reduce:mesh 4:moore 1:10");
    ASSERT_TRUE(usual.fields.has_value());
    EXPECT_EQ(to_text(*usual.fields), "1 field of 10 elements of 8 B, depth 1");
    EXPECT_FALSE(parse_specification("alltoall:torus 4:moore:1:4B").fields.has_value());
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4B", "'4B' is no size in 2 dimensions");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4x4", "'4x4x4' is no size in 2 dimensions");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4 depth 1,1,1", "'1,1,1' is neither a number of ghost layers");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4 depth -1", "'-1' is neither");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4 depth", "'' is neither");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4 fields 0", "'0' is no number of fields");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4 elements 4", "size '4' is no number of B");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4 speed 4", "goes on with 'speed', none of depth, lower");
    EXPECT_MISTAKE("halo:torus 4x4:moore:1:4x4 depth 3", "sizes[0] = 4 has no room for 3 and 3 ghost layers");
}

TEST(Specification, Sizes)
{
    EXPECT_EQ(bytes("0B"), 0);
    EXPECT_EQ(bytes("400B"), 400);
    EXPECT_EQ(bytes("10kB"), 10'000);
    EXPECT_EQ(bytes("3 MB"), 3'000'000);
    EXPECT_EQ(bytes("1GB"), 1'000'000'000);
    EXPECT_EQ(bytes("4MiB"), 4 << 20);
    EXPECT_EQ(bytes("1024GiB"), std::int64_t{1} << 40);
    EXPECT_MISTAKE("alltoall:torus 4:moore 1:1025GiB", "size '1025GiB' is more than 1024GiB");
    for (const char* wrong : {"400", "B", "-1B", "1.5KiB", "1KB", "1 TiB", "99999999999999999999B", ""})
        EXPECT_MISTAKE(std::string("alltoall:torus 4:moore 1:") + wrong,
                       std::string("size '") + wrong + "' is no number of B");
}

TEST(Specification, OtherNumbersOfParts)
{
    EXPECT_MISTAKE("", "'' has 1 part, not the four");
    EXPECT_MISTAKE("alltoall:torus 4:moore 1", "has 3 parts");
    EXPECT_MISTAKE("alltoall:torus 4:moore:1", "has 3 parts");
    EXPECT_MISTAKE("alltoall:torus 4:moore:1:2:4B", "has 5 parts");
    EXPECT_MISTAKE("alltoall:torus 4:moore 1:2:4B", "has 5 parts");
}

TEST(Specification, SizesInWords)
{
    EXPECT_EQ(tools::size_text(0), "0 B");
    EXPECT_EQ(tools::size_text(1000), "1000 B");
    EXPECT_EQ(tools::size_text(1024), "1 KiB");
    EXPECT_EQ(tools::size_text(1536), "1.5 KiB");
    EXPECT_EQ(tools::size_text(99'200), "96.9 KiB");
    EXPECT_EQ(tools::size_text(1023 * 1024 + 1000), "1023 KiB");
    EXPECT_EQ(tools::size_text(std::int64_t{16} << 20), "16 MiB");
    EXPECT_EQ(tools::size_text(std::int64_t{1} << 62), "4 EiB");
}

} // namespace
