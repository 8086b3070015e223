// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: grids that are not one box.  Expected values come from arithmetic.
#include <optional>

#include "cpp.hpp"

namespace ortho_cpp_test {

namespace {

constexpr double untouched = -1e6;

/// An element of a field, with the sign that its value gets elsewhere.
struct source {
    int i, j, sign;
};

int around(int i) { return (i % 8 + 8) % 8; }

/// Which element fills element (i, j) of a field: 8 x 5 cells around which dimension 0 is periodic, folded at
/// the top around the corner of a cell.  None beyond the bottom.
std::optional<source> source_of(const std::array<location, 2>& at, bool is_vector, int i, int j)
{
    const int upper[] = {at[0] == location::upper ? 1 : 0, at[1] == location::upper ? 1 : 0};
    if (j < 0) return std::nullopt;
    i = around(i);
    const int sign = is_vector ? -1 : 1;
    const source beyond{around(7 - upper[0] - i), 9 - upper[1] - j, sign};
    // Elements on the fold are one point with their images, of which the first counts.
    if (j > 4 || (j == beyond.j && beyond.i < i)) return beyond;
    return source{i, j, 1};
}

double value_at(int f, int i, int j) { return 1000 * (f + 1) + 10 * i + j; }

/// Elements of fields of which one has been given to each patch.
using all_fields = std::vector<std::vector<field<double, 2>>>;

template <class Visit>
void each_element(const patch<2>& its, int ghosts, Visit visit)
{
    const auto& [tile, first, count] = its;
    for (int i = -ghosts; i < count[0] + ghosts; ++i)
        for (int j = -ghosts; j < count[1] + ghosts; ++j)
            visit(i, j, first[0] + i, first[1] + j, i >= 0 && i < count[0] && j >= 0 && j < count[1]);
}

const std::array<location, 2> centre{location::centre, location::centre};
const std::array<location, 2> east{location::upper, location::centre};
const std::array<location, 2> north{location::centre, location::upper};

tiles<2> folded()
{
    tiles<2> ocean{{8, 5}};
    ocean.periodic(0, 0);
    ocean.fold({0, 1, location::upper}, 0, pivot::f);
    return ocean;
}

void fill(const mosaic<2>& m, all_fields& all, int turn)
{
    for (std::size_t f = 0; f < all.size(); ++f)
        for (std::size_t p = 0; p < m.patches().size(); ++p)
            each_element(m.patches()[p], 2, [&](int i, int j, int x, int y, bool is_owned) {
                all[f][p](i, j) = is_owned ? value_at(static_cast<int>(f), x, y) + turn : untouched;
            });
}

void check_filled(const mosaic<2>& m, const all_fields& all, int turn)
{
    const std::array<location, 2> at[] = {centre, east, north};
    for (std::size_t f = 0; f < all.size(); ++f)
        for (std::size_t p = 0; p < m.patches().size(); ++p)
            each_element(m.patches()[p], 2, [&](int i, int j, int x, int y, bool is_owned) {
                const auto from = source_of(at[f], f > 0, x, y);
                const double expected = is_owned ? value_at(static_cast<int>(f), x, y) + turn
                                        : from   ? from->sign *
                                                     (value_at(static_cast<int>(f), from->i, from->j) + turn)
                                               : untouched;
                CHECK_EQ(all[f][p](i, j), expected);
            });
}

/// A fold, with a scalar and a staggered vector, on several patches a process.
void fold()
{
    const int p = test::size(), me = test::rank();
    const tiles<2> ocean = folded();
    CHECK(ocean.number() == 1 && ocean.contacts().size() == 2);
    mosaic made(MPI_COMM_WORLD, ocean, ocean.divide(p, me, {2, 3}));
    const mosaic<2> m = std::move(made);
    CHECK(m.get() != ORTHO_MOSAIC_NULL && made.get() == ORTHO_MOSAIC_NULL);
    const patch_options<2> scalar{.ghosts = 2};
    const patch_options<2> in_u{.ghosts = 2, .location = east};
    const patch_options<2> in_v{.ghosts = 2, .location = north};
    const auto create = [&] {
        all_fields result;
        for (const patch_options<2>& options : {scalar, in_u, in_v})
            result.push_back(m.fields<double>(options));
        return result;
    };
    all_fields all = create();
    fill(m, all, 0);
    patch_exchange<2> halo = m.halo(on_patches(all[0], scalar),
                                    vector_of(on_patches(all[1], in_u), on_patches(all[2], in_v)));
    CHECK(halo.explain().size() > 0);
    halo.run();
    check_filled(m, all, 0);
    all_fields next = create();
    fill(m, next, 5);
    halo.rebind(next[0], next[1], next[2]);
    halo.start().wait();
    check_filled(m, next, 5);
    check_filled(m, all, 0);

    // Ghosts of the lowest row have no owner.
    for (std::size_t k = 0; k < m.patches().size(); ++k) {
        const patch<2>& its = m.patches()[k];
        int n = 0;
        for (const patch<2>& box : halo.unfilled(0, static_cast<int>(k))) {
            CHECK(box.first[1] < 0 && box.first[1] + box.count[1] <= 0);
            n += box.count[0] * box.count[1];
        }
        CHECK_EQ(n, (its.first[1] == 0 ? 2 * (its.count[0] + 4) : 0));
    }
    // All patches, by who owns them.
    for (int rank = 0; rank < p; ++rank) {
        const std::vector<patch<2>> its = ocean.divide(p, rank, {2, 3});
        for (std::size_t k = 0; k < its.size(); ++k) {
            const patch_owner owner = m.owner(0, its[k].first);
            CHECK(owner.rank == rank && owner.patch == static_cast<int>(k));
        }
    }

    // The adjoint: each ghost is 1, and adds its sign to the element that would fill it.
    std::map<std::pair<int, int>, int> sums;
    for (int rank = 0; rank < p; ++rank)
        for (const patch<2>& its : ocean.divide(p, rank, {2, 3}))
            each_element(its, 2, [&](int, int, int x, int y, bool is_owned) {
                const auto from = source_of(north, true, x, y);
                if (!is_owned && from) sums[{from->i, from->j}] += from->sign;
            });
    for (auto* const fields : {&next[1], &next[2]})
        for (std::size_t k = 0; k < m.patches().size(); ++k)
            each_element(m.patches()[k], 2, [&](int i, int j, int, int, bool is_owned) {
                (*fields)[k](i, j) = is_owned ? 0 : 1;
            });
    m.reduce(std::plus<>{}, vector_of(on_patches(next[1], in_u), on_patches(next[2], in_v))).run();
    for (std::size_t k = 0; k < m.patches().size(); ++k)
        each_element(m.patches()[k], 2, [&](int i, int j, int x, int y, bool is_owned) {
            CHECK_EQ(next[2][k](i, j), (is_owned ? sums[{x, y}] : 1));
        });
}

/// A sphere of six panels of 4 x 4 cells.  Beyond the top of an even panel dimension 0 runs along -1, and 1
/// along 0.
void sphere()
{
    const int p = test::size(), me = test::rank();
    tiles<2> cube(std::vector<point<2>>(6, {4, 4}));
    cube.cubed_sphere();
    CHECK_EQ(cube.contacts().size(), std::size_t{12});
    const mosaic m(MPI_COMM_WORLD, cube, cube.divide(p, me));
    const std::size_t n = m.patches().size();
    std::vector<std::vector<double>> memory(2 * n, std::vector<double>(36, untouched));
    std::vector<strided_view<double, 2>> u, v; // column-major
    for (std::size_t k = 0; k < n; ++k) {
        u.push_back({memory[k].data(), {6, 6}, {1, 6}});
        v.push_back({memory[n + k].data(), {6, 6}, {1, 6}});
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                const int value = 100 * m.patches()[k].tile + 10 * static_cast<int>(i) + static_cast<int>(j);
                u[k](i + 1, j + 1) = value + 1000;
                v[k](i + 1, j + 1) = value + 2000;
            }
    }
    auto halo = m.halo(vector_of(on_patches(u), on_patches(v)));
    halo.run();
    for (std::size_t k = 0; k < n; ++k) {
        CHECK_EQ(halo.unfilled(1, static_cast<int>(k)).size(), std::size_t{4});
        CHECK(u[k](0, 0) == untouched && v[k](5, 5) == untouched);
        const int tile = m.patches()[k].tile;
        if (tile % 2 != 0) continue;
        for (int i = 0; i < 4; ++i) {
            const int right = 100 * ((tile + 1) % 6) + i, above = 100 * ((tile + 2) % 6) + 3 - i;
            CHECK(u[k](5, at(i) + 1) == right + 1000 && v[k](5, at(i) + 1) == right + 2000);
            CHECK(u[k](at(i) + 1, 5) == -(above + 2000) && v[k](at(i) + 1, 5) == above + 1000);
        }
    }
    // Lengths of sides have no sign.
    auto lengths = m.halo(
        vector_of(on_patches(u, {.kind = field_kind::pair}), on_patches(v, {.kind = field_kind::pair})));
    lengths.run();
    for (std::size_t k = 0; k < n; ++k)
        if (m.patches()[k].tile == 0) CHECK_EQ(u[k](1, 5), 203. + 2000);
}

/// A row of cells that both ends close.
void closed_sides()
{
    const tiles<1> row{{4}};
    const mosaic m(MPI_COMM_WORLD, row, row.divide(test::size(), test::rank()));
    const std::array<boundary_side, 1> wall = {boundary_side(boundary::symmetric, -1)};
    const std::array<boundary_side, 1> edge = {boundary::edge};
    const patch_options<1> options{.ghosts = 2, .boundary = {wall, edge}};
    auto x = m.fields<double>(options);
    for (auto& one : x)
        for (int i = 0; i < 4; ++i) one(i) = i + 1;
    m.halo(on_patches(x, options)).run();
    for (auto& one : x) {
        CHECK(one(-1) == -1 && one(-2) == -2);
        CHECK(one(4) == 4 && one(5) == 4);
    }
}

/// Two tiles in a row, of which only process 0 has patches: positions, elements at all faces.
void row_of_tiles()
{
    const bool is_first = test::rank() == 0;
    tiles<1> two{{3}, {4}};
    two.join({0, 0, location::upper}, {1, 0, location::lower}).shift[0] = 0.5;
    std::vector<patch<1>> mine;
    if (is_first)
        for (int tile = 0; tile < 2; ++tile) mine.push_back({tile, {0}, {3 + tile}});
    mosaic<1> m;
    m = mosaic(MPI_COMM_WORLD, two, mine);
    const patch_options<1> faces{
        .location = {location::both}, .kind = field_kind::position, .component = 0, .sync = true};
    auto x = m.fields<double>(faces);
    CHECK_EQ(x.size(), mine.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
        CHECK_EQ(x[k].extents()[0], (k == 0 ? 4 : 5));
        for (int i = -1; i <= x[k].extents()[0]; ++i) x[k](i) = 10. * static_cast<double>(k) + i;
    }
    auto halo = m.halo(on_patches(x, faces));
    halo.run();
    if (is_first) {
        CHECK(x[0](4) == 11.5 && x[1](-1) == 1.5); // beyond the side that both have
        CHECK(x[0](3) == 3 && x[1](0) == 2.5);     // the side itself is tile 0's
        CHECK(x[0](-1) == -1 && x[1](5) == 15);
    }
}

/// Wrong arguments throw; what is wrong on one process throws on all.
void wrong_mosaics()
{
    const int p = test::size(), me = test::rank();
    tiles<2> ocean = folded();
    throws(MPI_ERR_ARG, "tile 1 is none of 1 tiles", [&] { ocean.periodic(1, 0); });
    throws(MPI_ERR_ARG, "tile 3 is none of 1 tiles", [&] { ocean.join({0, 0}, {3, 0}); });
    throws(MPI_ERR_ARG, "tile 5 is none of 1 tiles", [&] { ocean.cubed_sphere(); });
    throws(MPI_ERR_ARG, "dimension = 2", [&] { ocean.periodic(0, 2); });
    throws(MPI_ERR_ARG, "part = ", [&] { ocean.divide(p, p); });
    CHECK_EQ(ocean.contacts().size(), std::size_t{2});
    std::vector<patch<2>> mine = ocean.divide(p, me, {2, 3});
    if (me == p - 1) mine.push_back(mine.back());
    throws(MPI_ERR_ARG, "another patch has", [&] { mosaic<2>(MPI_COMM_WORLD, ocean, mine); });
    if (me == p - 1) mine.pop_back();
    const mosaic m(MPI_COMM_WORLD, ocean, mine);
    throws(MPI_ERR_ARG, "element[0]: cell 8", [&] { m.owner(0, {8, 0}); });
    auto t = m.fields<double>();
    auto halo = m.halo(on_patches(t));
    throws(MPI_ERR_ARG, "patch = ", [&] { halo.unfilled(0, static_cast<int>(mine.size())); });
    throws(MPI_ERR_ARG, "has no component 1",
           [&] { m.halo(on_patches(t, {.kind = field_kind::vector})).run(); });
    std::vector<field<double, 2>> few;
    throws(MPI_ERR_ARG, "these 0 are not as many", [&] { halo.rebind(few); });
    for (std::size_t k = 0; k + 1 < mine.size(); ++k) few.emplace_back(m.extents(k), 1);
    const bool is_wrong = me == p - 1;
    const auto wrong_on_last = [&](auto& wrong, const std::string& words) {
        throws(MPI_ERR_ARG, is_wrong ? words : "fields[0].lower",
               [&] { m.halo(on_patches(is_wrong ? wrong : t, {.ghosts = 1})).run(); });
    };
    wrong_on_last(few, "arrays, and this process");
    auto deep = m.fields<double>({.ghosts = 2});
    std::string deep_words = "field 0 of a mosaic has no array on patch 0";
    if (!mine.empty()) {
        const std::string n = std::to_string(mine[0].count[0]), all = std::to_string(mine[0].count[0] + 4);
        deep_words = " say, or one of another type: " + all + " elements for 1 + " + n + " + 1,";
    }
    wrong_on_last(deep, deep_words);
    throws(MPI_ERR_ARG, "", [&] { mosaic<2>().halo(on_patches(t)).run(); });
}

} // namespace

void mosaics()
{
    fold();
    sphere();
    closed_sides();
    row_of_tiles();
    wrong_mosaics();
}

} // namespace ortho_cpp_test
