// SPDX-License-Identifier: BSD-3-Clause
// Folds, cubes and patches: the figures that these grids must have; what is wrong with contacts and patches.

#include "mosaic/ghosts.hpp"

using namespace ortho::mosaic;
using cases::mistake_in;

namespace {

Field at_locations(Location x, Location y, std::int64_t depth)
{
    Field field;
    field.location = {x, y};
    field.lower = field.upper = {depth, depth};
    return field;
}

std::vector<Patch> whole_tiles(int d, const std::vector<Index>& sizes) { return divide(d, sizes, {}, 1, 0); }

Contact periodic(const std::vector<Index>& sizes, int tile, int dimension)
{
    return join(2, sizes, {tile, dimension, 1}, {tile, dimension, -1}, {});
}

/// Two fields become the components of a vector.
void make_vector(std::vector<Field>& fields, int first)
{
    for (int c = 0; c < 2; ++c) {
        fields[at(first + c)].kind = Kind::vector;
        fields[at(first + c)].component = c;
        fields[at(first + c)].group = {first, first + 1};
    }
}

/// All ghosts of fields on whole tiles.
Ghosts ghosts_of(const std::vector<Index>& sizes, const std::vector<Contact>& contacts,
                 const std::vector<Field>& fields)
{
    const Tiles tiles(2, sizes, contacts);
    const Patches patches(whole_tiles(2, sizes));
    Ghosts result;
    GhostSearch search(tiles, patches, fields);
    for (std::size_t patch = 0; patch < patches.number(); ++patch)
        for (std::size_t f = 0; f < fields.size(); ++f) search.add(result, static_cast<int>(f), patch);
    return result;
}

template <class Box>
std::int64_t volume(const std::vector<Box>& boxes)
{
    std::int64_t result = 0;
    for (const Box& its : boxes) result += its.box.volume();
    return result;
}

/// The element that fills one ghost.
struct Found {
    Index element{};
    int sign = 0;
};
Found find(const Ghosts& ghosts, int field, const Index& ghost)
{
    for (const Filled& filled : ghosts.filled) {
        if (filled.field != field || common(filled.box, {ghost, {1, 1, 1, 1}}).is_empty()) continue;
        Found result{{}, filled.sign};
        for (std::size_t j = 0; j < 2; ++j) {
            const std::size_t k = filled.map.source(j);
            const std::int64_t step = ghost[k] - filled.box.first[k];
            result.element[j] = filled.map.sign[j] > 0 ? filled.donor_box.first[j] + step
                                                       : filled.donor_box.end(j) - 1 - step;
        }
        return result;
    }
    return {{-99, -99}, 0};
}

// --- Folds --------------------------------------------------------------------------------------------

TEST(MosaicGrids, FoldsHaveTheRelationsOfNemo)
{
    const std::vector<Index> sizes{{8, 5}};
    const struct {
        Pivot pivot;
        std::int64_t column, row; ///< of the donor of the first centre beyond the fold
    } folds[] = {{Pivot::F, 7, 4}, {Pivot::T, 8, 3}, {Pivot::U, 7, 3}, {Pivot::V, 8, 4}};
    for (const auto& [pivot, column, row] : folds) {
        std::vector<Field> fields{at_locations(Location::centre, Location::centre, 1),
                                  at_locations(Location::upper, Location::centre, 1),
                                  at_locations(Location::centre, Location::upper, 1),
                                  at_locations(Location::upper, Location::upper, 1)};
        make_vector(fields, 1);
        const Ghosts ghosts = ghosts_of(sizes, {periodic(sizes, 0, 0), fold(2, sizes, {0, 1, 1}, 0, pivot)},
                                        fields);
        for (int f = 0; f < 4; ++f)
            for (std::int64_t i = 0; i < 8; ++i) {
                const Found found = find(ghosts, f, {i, 5});
                EXPECT_EQ(found.element, (Index{(column - i - f % 2 + 8) % 8, row - f / 2})) << "field " << f;
                EXPECT_EQ(found.sign, f == 1 || f == 2 ? -1 : 1);
            }
    }
}

/// The row of a fold with a centre pivot is there twice: its second half gets the values of the first.
TEST(MosaicGrids, TheRowOfAFoldIsSynced)
{
    const std::vector<Index> sizes{{8, 5}};
    Field field = at_locations(Location::centre, Location::centre, 0);
    field.syncs = true;
    const Ghosts ghosts = ghosts_of(sizes, {periodic(sizes, 0, 0), fold(2, sizes, {0, 1, 1}, 0, Pivot::T)},
                                    {field});
    for (std::int64_t i = 0; i < 8; ++i) // i is 8 - i; 0 and 4 are themselves
        EXPECT_EQ(find(ghosts, 0, {i, 4}).element, i > 4 ? (Index{8 - i, 4}) : (Index{-99, -99})) << i;
    EXPECT_EQ(find(ghosts, 0, {6, 3}).sign, 0);
}

// --- Cubes --------------------------------------------------------------------------------------------

TEST(MosaicGrids, ACubeHasNoGhostsAtItsCorners)
{
    for (const std::int64_t n : {4, 6})
        for (const std::int64_t depth : {1, 2, 3}) {
            const std::vector<Index> sizes(6, Index{n, n});
            const Ghosts ghosts = ghosts_of(sizes, cubed_sphere(2, sizes),
                                            {at_locations(Location::centre, Location::centre, depth)});
            EXPECT_EQ(volume(ghosts.filled), 24 * n * depth);
            EXPECT_EQ(volume(ghosts.unfilled), 24 * depth * depth);
        }
}

/// All corners of cells, with n elements: two corners of the cube are no tile's lower corner.
TEST(MosaicGrids, TwoCornersOfACubeAreNobodys)
{
    const std::vector<Index> sizes(6, Index{4, 4});
    const Ghosts ghosts = ghosts_of(sizes, cubed_sphere(2, sizes),
                                    {at_locations(Location::lower, Location::lower, 1)});
    // Each is seen by three tiles, whose upper corners are (4,4), (4,0) or (0,4).
    int seen = 0;
    for (const Unfilled& unfilled : ghosts.unfilled)
        for (const Index& corner : {Index{4, 4}, Index{4, 0}, Index{0, 4}})
            seen += common(unfilled.box, {corner, {1, 1, 1, 1}}).is_empty() ? 0 : 1;
    EXPECT_EQ(seen, 2 * 3);
}

/// A cube whose tiles have the other two axes as dimensions, in their order: joined without regard to sides.
std::vector<Contact> plain_cube(const std::vector<Index>& sizes)
{
    // Tile 2 a + s is at the lower or the upper end of axis a.
    std::vector<Contact> contacts;
    const auto dimension_of = [](int axis, int of_tile_at) { return axis < of_tile_at ? axis : axis - 1; };
    for (int a = 0; a < 3; ++a)
        for (int b = a + 1; b < 3; ++b)
            for (int end = 0; end < 4; ++end) {
                const int of_a = end % 2, of_b = end / 2;
                contacts.push_back(join(2, sizes, {2 * a + of_a, dimension_of(b, a), of_b != 0 ? 1 : -1},
                                        {2 * b + of_b, dimension_of(a, b), of_a != 0 ? 1 : -1}, {}));
            }
    return contacts;
}

TEST(MosaicGrids, FacesOnSeamsOfACube)
{
    const std::vector<Index> sizes(6, Index{4, 4});
    const auto nobodys = [&](Location normal) { // but those beyond corners
        std::vector<Field> fields{at_locations(normal, Location::centre, 1),
                                  at_locations(Location::centre, normal, 1)};
        make_vector(fields, 0);
        std::int64_t result = 0;
        for (const Unfilled& unfilled : ghosts_of(sizes, plain_cube(sizes), fields).unfilled) {
            Box along;
            along.set(at(1 - unfilled.field), 0, 4);
            along.set(at(unfilled.field), -9, 9);
            const Box part = common(unfilled.box, along);
            result += part.is_empty() ? 0 : part.volume();
        }
        return result;
    };
    EXPECT_EQ(nobodys(Location::lower), 24);
    EXPECT_EQ(nobodys(Location::both), 0);
}

/// A lap around a corner of a cube turns a vector by 90 degrees; four sides of a tile come back to it.
TEST(MosaicGrids, ACubeIsClosed)
{
    const std::vector<Index> sizes(6, Index{3, 3});
    const Tiles tiles(2, sizes, cubed_sphere(2, sizes));
    for (int tile = 0; tile < 6; ++tile)
        for (std::size_t k = 0; k < 2; ++k)
            for (const int side : {-1, 1}) {
                ASSERT_EQ(tiles.beyond(tile, k, side).size(), 1U);
                const auto& contact = tiles.beyond(tile, k, side)[0];
                const auto& back = tiles.beyond(contact.donor, contact.donor_dimension(),
                                                contact.donor_side())[0];
                EXPECT_EQ(back.donor, tile);
                EXPECT_EQ(chain(contact.map, back.map), Map());
                EXPECT_EQ(contact.donor_side(), -side); // upper sides meet lower ones
            }
    // FV3's and MITgcm's first tile: 2 on its right, 3 above, 5 on its left, 6 below.
    EXPECT_EQ(tiles.beyond(0, 0, 1)[0].donor, 1);
    EXPECT_EQ(tiles.beyond(0, 1, 1)[0].donor, 2);
    EXPECT_EQ(tiles.beyond(0, 0, -1)[0].donor, 4);
    EXPECT_EQ(tiles.beyond(0, 1, -1)[0].donor, 5);
}

// --- Patches ------------------------------------------------------------------------------------------

TEST(MosaicGrids, PartsHaveAllCellsOnce)
{
    const std::vector<Index> sizes{{10, 7, 4}, {3, 3, 3}};
    for (const int parts : {1, 2, 5, 40}) {
        std::vector<Patch> all;
        for (int part = 0; part < parts; ++part)
            for (const Patch& patch : divide(3, sizes, {4, 2, 4}, parts, part)) {
                for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(patch.cells.count[k], (Index{4, 2, 4})[k]);
                all.push_back(patch);
            }
        std::int64_t cells = 0;
        for (const Patch& patch : all) cells += patch.cells.volume();
        EXPECT_EQ(cells, 10 * 7 * 4 + 27);
        const Patches patches(all);
        patches.require_apart(3, 0, all.size());
        for (std::size_t p = 0; p < all.size(); ++p)
            EXPECT_EQ(patches.owner(all[p].tile, all[p].cells.first), static_cast<std::int64_t>(p));
        EXPECT_EQ(patches.owner(1, {3, 0, 0}), -1);
    }
    // 8 equal boxes for 2 parts: the first dimension is divided first.
    for (const Patch& patch : divide(3, {{4, 4, 4}}, {2, 2, 2}, 2, 1)) EXPECT_EQ(patch.cells.first[0], 2);
    EXPECT_EQ(divide(3, {{4, 4, 4}}, {2, 2, 2}, 2, 1).size(), 4U);
}

TEST(MosaicGrids, TilesOfAnySizeAreDivided)
{
    constexpr std::int64_t largest = INT64_MAX;
    EXPECT_EQ(divide(2, {{10, 6, 1, 1}}, {largest, largest}, 1, 0).size(), 1U);
    EXPECT_EQ(divide(2, {{10, 6, 1, 1}}, {4, largest - 3}, 1, 0).size(), 3U);
    constexpr std::int64_t many = std::int64_t{1} << 47;
    for (const int part : {0, 1}) {
        EXPECT_EQ(divide(2, {{many, many, 1, 1}}, {many / 2, many / 2}, 2, part).size(), 2U);
        EXPECT_EQ(divide(3, {{many, many, many, 1}}, {many / 2, many, many}, 2, part).size(), 1U);
    }
}

// --- Errors -------------------------------------------------------------------------------------------

TEST(MosaicGrids, MorePatchesThanAnIntCountsAreRefused)
{
    const std::int64_t n = std::int64_t{1} << 40;
    for (const Index& size : {Index{n, 1, 1, 1}, Index{n, n, n, n}})
        EXPECT_EQ(mistake_in([&] {
                      divide(4, {size}, {1, 1, 1, 1}, 2, 0);
                  }),
                  "most divides the tiles into more than 2147483647 patches");
}

TEST(MosaicGrids, WrongContactsAreRefused)
{
    const std::vector<Index> sizes{{8, 5}, {8, 4}};
    const auto refusal_of = [&](std::vector<Contact> contacts) {
        return mistake_in([&] { Tiles(2, sizes, contacts); });
    };
    const Contact good = join(2, sizes, {0, 1, 1}, {1, 1, -1}, {});
    EXPECT_EQ(refusal_of({good}), "none");
    EXPECT_EQ(refusal_of({good, good}), "none"); // the same again
    const struct {
        void (*change)(Contact&);
        const char* refusal; ///< begins so
    } rows[] = {
        {[](Contact& c) { c.donor = 2; }, "contacts[0].donor = 2 is none of 2 tiles"},
        {[](Contact& c) { c.side = 0; }, "contacts[0].side = 0 is neither -1 nor 1"},
        {[](Contact& c) { c.map.origin[1] += 2; }, "contacts[0] leads inside of tile 1"},
        {[](Contact& c) { c.map.origin[1] -= 2; }, "contacts[0] leads outside of tile 1"},
        {[](Contact& c) { c.map.origin[0] = 4; },
         "contacts[0] leads outside of tile 1: to cell 2 to cell 9 in dimension 0"},
        {[](Contact& c) {
             c.part = {{5, 0}, {4, 0}};
         },
         "contacts[0] is for cell 5 to cell 8 in dimension 0 of tile 0, which has 8"},
    };
    for (const auto& row : rows) {
        Contact wrong = good;
        row.change(wrong);
        EXPECT_TRUE(refusal_of({wrong}).starts_with(row.refusal)) << refusal_of({wrong});
    }
    Contact wrong = good;
    wrong.map.sign[0] = -1;
    wrong.map.origin[0] = 16;
    EXPECT_EQ(
        refusal_of({good, wrong}),
        "contacts[1] and contacts[0] both say what lies beyond the upper side of dimension 1 of tile 0");
    Contact folded = fold(2, sizes, {0, 1, 1}, 0, Pivot::F);
    EXPECT_EQ(refusal_of({folded}), "none");
    folded.map.sign[0] = 1;
    folded.map.origin[0] = 6;
    EXPECT_NE(refusal_of({folded, periodic(sizes, 0, 0)})
                  .find("contacts[0] leads to its own side, and is not its own inverse"),
              std::string::npos);
    folded.map.origin[0] = 8; // half around, as beyond a pole
    EXPECT_EQ(refusal_of({folded, periodic(sizes, 0, 0)}), "none");
    EXPECT_NE(refusal_of({fold(2, sizes, {0, 1, 1}, 0, Pivot::T)}).find("leads outside"), std::string::npos);
    EXPECT_NE(mistake_in([&] {
                  join(2, sizes, {0, 0, 1}, {1, 0, -1}, {});
              }).find("dimension 1 of tile 0 has 5 cells"),
              std::string::npos);
    const int twice[] = {1, -1};
    const std::int64_t origin[] = {0, 0};
    EXPECT_EQ(mistake_in([&] { map_of(2, twice, origin); }),
              "transform is no signed permutation of 2 dimensions: transform[1] = -1");
}

TEST(MosaicGrids, WrongPatchesAreRefused)
{
    const std::vector<Index> sizes{{8, 5}};
    const Tiles tiles(2, sizes, {});
    const auto refusal_of = [&](std::vector<Patch> patches) {
        return mistake_in([&] {
            require_inside(tiles, patches);
            Patches(patches).require_apart(2, 0, patches.size());
        });
    };
    const Patch left{0, {{0, 0}, {4, 5, 1, 1}}};
    EXPECT_EQ(refusal_of({left, {0, {{4, 0}, {4, 5, 1, 1}}}}), "none");
    EXPECT_EQ(refusal_of({left, {1, {{4, 0}, {4, 5, 1, 1}}}}), "patches[1].tile = 1 is none of 1 tiles");
    EXPECT_EQ(refusal_of({left, {0, {{4, 0}, {4, 0, 1, 1}}}}), "patches[1].count[1] = 0 is not positive");
    EXPECT_NE(refusal_of({left, {0, {{4, 1}, {4, 5, 1, 1}}}}).find("patches[1] leaves its tile"),
              std::string::npos);
    EXPECT_NE(refusal_of({left, {0, {{3, 4}, {4, 1, 1, 1}}}}).find("that another patch has"),
              std::string::npos);
}

TEST(MosaicGrids, GhostsAreNoDeeperThanTiles)
{
    const std::vector<Index> sizes{{8, 2}};
    for (const auto& [pivot, most] : {std::pair(Pivot::F, 2), std::pair(Pivot::T, 1)}) {
        const std::vector<Contact> contacts{periodic(sizes, 0, 0), fold(2, sizes, {0, 1, 1}, 0, pivot)};
        const auto ghosts_of_depth = [&](std::int64_t depth) {
            return ghosts_of(sizes, contacts, {at_locations(Location::centre, Location::centre, depth)});
        };
        // Nothing lies below.
        EXPECT_EQ(volume(ghosts_of_depth(most).unfilled), (8 + 2 * most) * most);
        const int deeper = most + 1; // a name that lambdas may capture
        EXPECT_NE(mistake_in([&] { ghosts_of_depth(deeper); }).find("deeper than tile 0"), std::string::npos);
    }
}

} // namespace
