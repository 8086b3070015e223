// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: arrays that are divided over a grid, and grids of parts of grids.  Expected values come
// from arithmetic.

#include "cpp.hpp"

namespace ortho_cpp_test {

namespace {

/// The value at a place of the whole array.
int value_at(const point<2>& first, int i, int j) { return 100 * (first[0] + i) + first[1] + j; }

void fill(field<int, 2>& a, const point<2>& first)
{
    for (int& x : std::span(a.data(), field<int, 2>::elements(a.extents(), a.ghosts()))) x = -1;
    set_owned(a, [&](const point<2>& x) { return value_at(first, x[0], x[1]); });
}

/// Owned elements have their values, and ghosts are untouched.
void check_filled(const field<int, 2>& a, const point<2>& first)
{
    const auto [rows, columns] = a.extents();
    for (int i = -a.ghosts().lower[0]; i < rows + a.ghosts().upper[0]; ++i)
        for (int j = -a.ghosts().lower[1]; j < columns + a.ghosts().upper[1]; ++j) {
            const bool is_owned = i >= 0 && i < rows && j >= 0 && j < columns;
            CHECK_EQ(a(i, j), is_owned ? value_at(first, i, j) : -1);
        }
}

/// Every element belongs to the process whose box it is in, and to no other.
void check_owners(const blocks<2>& part, int processes)
{
    const auto [rows, columns] = part.sizes();
    std::vector<int> owners(at(rows * columns), -1);
    for (int r = 0; r < processes; ++r)
        for (int i = 0; i < part.extents(r)[0]; ++i)
            for (int j = 0; j < part.extents(r)[1]; ++j) {
                int& owner = owners[at((part.first(r)[0] + i) * columns + part.first(r)[1] + j)];
                CHECK_EQ(owner, -1);
                owner = r;
            }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) CHECK_EQ(part.owner({i, j}), owners[at(i * columns + j)]);
    for (const point<2>& nowhere :
         {point<2>{-1, 0}, point<2>{0, -1}, point<2>{rows, 0}, point<2>{0, columns}})
        CHECK_EQ(part.owner(nowhere), MPI_PROC_NULL);
    CHECK((part.extents(processes) == point<2>{} && part.extents(-1) == point<2>{}));
}

/// Boxes of the whole array, on each process.
void boxes_of(const blocks<2>& part, const comm_ref& comm)
{
    const auto [rows, columns] = part.sizes();
    field<int, 2> a(part, {.ghosts = {{1, 0}, {2, 1}}});
    fill(a, part.first());
    for (const box<2>& which :
         {box<2>{{0, 0}, {rows, columns}}, box<2>{{rows / 2, 0}, {rows / 2 + 1, columns}},
          box<2>{{1, 2}, {rows - 1, 4}}, box<2>{{2, columns - 1}, {rows, columns}}, box<2>{{3, 1}, {3, 4}}})
        for (int root = 0; root < comm.size(); ++root) {
            const field<int, 2> all = part.gather(a, root, which);
            const bool has = comm.rank() == root && !which.is_empty();
            CHECK((all.extents() ==
                   (has ? point<2>{which.last[0] - which.first[0], which.last[1] - which.first[1]}
                        : point<2>{})));
            check_filled(all, which.first);
        }
    throws(ORTHO_ERR_MISMATCH, "and the processes own", [&] {
        part.gather(a, 0, {{0, 0}, {rows + 1, columns}});
    });
}

/// There and back, from and to each process.
void there_and_back(const blocks<2>& part, const comm_ref& comm)
{
    for (int root = 0; root < comm.size(); ++root) {
        field<int, 2> a(part, {.ghosts = {{1, 0}, {2, 1}}});
        fill(a, part.first());
        field<int, 2> all = part.gather(a, root);
        CHECK((all.extents() == (comm.rank() == root ? part.sizes() : point<2>{})));
        check_filled(all, {0, 0});
        field<int, 2> b(part, {.ghosts = 2});
        fill(b, {50, 50});
        part.scatter(all, b, root);
        check_filled(b, part.first());
    }
}

void divisions()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = {true, false}}};
    for (const point<2>& sizes : {point<2>{7, 5}, point<2>{1, 9}, point<2>{0, 3}, point<2>{12, 12}}) {
        const blocks part(g, sizes);
        CHECK(part.sizes() == sizes);
        for (int r = 0; r < g.size(); ++r)
            for (std::size_t k = 0; k < 2; ++k) {
                const int p = g.sizes()[k], c = g.coordinates(r)[k];
                CHECK_EQ(part.extents(r)[k], (sizes[k] + p - 1 - c) / p);
            }
        CHECK_EQ(part.smallest()[0], sizes[0] / g.sizes()[0]);
        check_owners(part, g.size());
        there_and_back(part, g);
        check_owners(part.coarsen({2, 3}), g.size());
        CHECK((part.coarsen({2, 3}).sizes() == point<2>{(sizes[0] + 1) / 2, (sizes[1] + 2) / 3}));
        for (int i = 0; i < sizes[0]; i += 2)
            for (int j = 0; j < sizes[1]; j += 3)
                CHECK_EQ(part.coarsen({2, 3}).owner({i / 2, j / 3}), part.owner({i, j}));
    }
    const blocks<2> large(g, {INT_MAX, INT_MAX - 1});
    CHECK((large.coarsen({2, INT_MAX}).sizes() == point<2>{1 << 30, 1}));
    // As each likes.
    std::vector<Ints> extents(2);
    for (std::size_t k = 0; k < 2; ++k)
        for (int c = 0; c < g.sizes()[k]; ++c) extents[k].push_back((c * 5 + 3) % 4);
    const blocks uneven(g, extents);
    check_owners(uneven, g.size());
    there_and_back(uneven, g);
    boxes_of(blocks(g, {7, 5}), g);
    boxes_of(blocks(g, {16, 9}), g);
    extents[1].push_back(1);
    throws(MPI_ERR_ARG, "not one extent", [&] { blocks<2>(g, extents); });
    throws(MPI_ERR_ARG, "not one extent", [&] { blocks<2>(g, std::vector<Ints>(1)); });
    // Parts that are not what was divided are an error on all processes.
    const blocks whole(g, {6, 6});
    field<int, 2> wrong(g.rank() == 0 ? point<2>{9, 9} : whole.extents());
    throws(ORTHO_ERR_MISMATCH, "ORTHO_Field_gather", [&] { whole.gather(wrong, 0); });
    // Names that number processes in the other order, and MPI's Cartesian communicators.
    const communicator named = comm_ref(MPI_COMM_WORLD).dup();
    MPI_Comm_set_errhandler(named, MPI_ERRORS_RETURN);
    const int p = named.size();
    cart_name<2>(named, p % 2 == 0 ? point<2>{2, p / 2} : point<2>{p, 1}, {}, order::column_major);
    const blocks<2> columns(named, point<2>{7, 5});
    check_owners(columns, p);
    there_and_back(columns, named);
    if (p % 2 == 0) CHECK_EQ(columns.owner({6, 0}), 1);
    Ints backward;
    for (int r = p; r-- > 0;) backward.push_back(r);
    cart_name<2>(named, g.sizes(), {}, backward);
    check_owners(blocks<2>(named, point<2>{7, 5}), p);
    there_and_back(blocks<2>(named, point<2>{7, 5}), named);
    if (p % 4 == 0) {
        cart_name<3>::permuted(named, {2, 1, p / 2}, {}, {1, 0, 2});
        CHECK((blocks<3>(named, point<3>{2, 1, p / 2}).first(1) == point<3>{0, 0, 1}));
    }
    backward.back() = MPI_PROC_NULL; // the last point is land
    for (int i = 0; i + 1 < p; ++i) --backward[at(i)];
    cart_name<2>(named, {p, 1}, {}, backward);
    const blocks<2> coast(named, point<2>{2 * p, 1});
    CHECK_EQ(coast.owner({2 * p - 1, 0}), MPI_PROC_NULL);
    CHECK((coast.extents(p - 1) == point<2>{}));
    for (int r = 0; r + 1 < p; ++r) {
        CHECK((coast.first(r) == point<2>{2 * (p - 2 - r), 0}));
        CHECK_EQ(coast.owner({2 * (p - 2 - r) + 1, 0}), r);
    }
    const communicator cart = nodecart<2>(MPI_COMM_WORLD, g.sizes(), {true, false}, false);
    there_and_back(blocks<2>(cart, point<2>{4, 9}), cart);
    CHECK_EQ(block_of(10, 4, 2).first, 6);
    CHECK_EQ(block_of(10, 4, 2).count, 2);
    CHECK_EQ(block_owner(10, 4, 7).part, 2);
    CHECK_EQ(block_owner(10, 4, 7).place, 1);
    // Dimensions that change places: what lies along grid dimension 0 is the array's last.
    const blocks part(g, {7, 5});
    field<int, 2> turned({part.extents()[1], part.extents()[0]});
    set_owned(turned, [&](const point<2>& x) { return value_at(part.first(), x[1], x[0]); });
    field<int, 2> all(g.rank() == 0 ? point<2>{5, 7} : point<2>{}, 0);
    part.gather(turned, all, 0, {.dimension = {1, 0}});
    for (auto row : all.owned())
        for (auto [i, j] : row) CHECK_EQ(all(i, j), value_at({0, 0}, j, i));
}

/// A process outside a grid may ask about the grid and pass it on.
void outside()
{
    const grid<2> g{MPI_COMM_WORLD, {.sizes = {1, 1}, .periodic = {true, false}}};
    const bool is_in = test::rank() == 0;
    CHECK_EQ(static_cast<bool>(g), is_in);
    CHECK_EQ(g.rank(), is_in ? 0 : MPI_PROC_NULL);
    CHECK_EQ(g.size(), is_in ? 1 : 0);
    CHECK((g.sizes() == point<2>{1, 1} && g.periodic() == std::array<bool, 2>{true, false}));
    CHECK_EQ(g.points(), 1);
    CHECK_EQ(g.stencil().size(), std::size_t{8});
    CHECK((g.coordinates() == (is_in ? point<2>{0, 0} : point<2>{MPI_PROC_NULL, MPI_PROC_NULL})));
    CHECK((g.coordinates(0) == point<2>{0, 0}));
    CHECK_EQ(g.all().size(), is_in ? 1 : 0);
    const blocks part(g, {3, 4});
    CHECK((part.sizes() == point<2>{3, 4}));
    CHECK((part.extents() == (is_in ? point<2>{3, 4} : point<2>{})));
    CHECK_EQ(part.owner({2, 2}), 0);
    field<int, 2> a(part, {.ghosts = 1});
    fill(a, {0, 0});
    const auto all = part.gather(a, 0);
    CHECK((all.extents() == part.extents()));
    check_filled(all, {0, 0});
    part.scatter(all, a, 0);
    const auto coarse = g.coarsen({2, 2});
    CHECK_EQ(static_cast<bool>(coarse.grid), is_in);
    CHECK_EQ(static_cast<bool>(coarse.team), is_in);
    CHECK((coarse.grid.sizes() == point<2>{1, 1}));
    CHECK((part.on(coarse).extents() == part.extents()));
    CHECK_EQ(static_cast<bool>(g.split(0)), is_in);
    const grid<2> none;
    CHECK_EQ(none.rank(), MPI_PROC_NULL);
}

void fewer_processes()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = {true, false}, .stencil = neumann<2>(), .name = "fluid"}};
    const point<2> here = g.coordinates();
    const point<2> factors = {2, 3};
    const auto coarse = g.coarsen(factors);
    const bool stays = here[0] % 2 == 0 && here[1] % 3 == 0;
    CHECK_EQ(static_cast<bool>(coarse.grid), stays);
    CHECK((coarse.grid.sizes() == point<2>{(g.sizes()[0] + 1) / 2, (g.sizes()[1] + 2) / 3}));
    CHECK_EQ(coarse.team.rank() == 0, stays);
    const cart_name<2> team(coarse.team);
    CHECK((team.coordinates(coarse.team.rank()) == point<2>{here[0] % 2, here[1] % 3}));
    CHECK_EQ(coarse.team.size(), coarse.team.sum(1)); // over all of the team
    if (stays) {
        CHECK((coarse.grid.coordinates() == point<2>{here[0] / 2, here[1] / 3}));
        CHECK((coarse.grid.periodic() == g.periodic()));
        // A step there is two here, or goes around.
        const int below = coarse.grid.neighbor({1, 0});
        CHECK_EQ(below, coarse.grid.name().rank({here[0] / 2 + 1, here[1] / 3}));
        CHECK_EQ(std::string(error(MPI_ERR_ARG, coarse.grid, "").comm_name()), "fluid, coarse");
    }
    for (const point<2>& sizes : {point<2>{9, 7}, point<2>{2, 11}}) {
        // The team's data comes to the process that stays, and back.
        const blocks part(g, sizes);
        const blocks<2> merged = part.on(coarse);
        CHECK(merged.sizes() == sizes);
        if (stays) CHECK(merged.first() == part.first());
        field<int, 2> mine(part, {.ghosts = 1});
        field<int, 2> teams(merged, {.ghosts = 1});
        fill(mine, part.first());
        fill(teams, {70, 70});
        field_gather(mine, teams, 0, coarse.team);
        if (stays) check_filled(teams, merged.first());
        fill(mine, {70, 70});
        field_scatter(teams, mine, 0, coarse.team);
        check_filled(mine, part.first());
    }
    const auto alone = g.coarsen({INT_MAX, INT_MAX});
    CHECK_EQ(static_cast<bool>(alone.grid), g.rank() == 0);
    CHECK((alone.grid.sizes() == point<2>{1, 1}));
    throws(MPI_ERR_ARG, "factor 0 is 0", [&] { g.coarsen({0, 1}); });
}

void parts()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = {true, true}, .stencil = neumann<2>(), .name = "fluid"}};
    const point<2> here = g.coordinates();
    // Rows: the ring along dimension 1 stays one.
    const grid<2> row = g.split(here[0]);
    CHECK((row.sizes() == point<2>{1, g.sizes()[1]}));
    CHECK((row.coordinates() == point<2>{0, here[1]}));
    CHECK_EQ(row.stencil().size(), std::size_t{4});
    CHECK_EQ(row.in_blocks(), 4);
    CHECK_EQ(row.neighbors().sum(row.rank()) >= 0, true);
    if (g.sizes()[1] > 1) CHECK((row.periodic() == std::array<bool, 2>{g.sizes()[0] == 1, true}));
    CHECK_EQ(row.neighbor({0, 1}), (here[1] + 1) % g.sizes()[1]);
    const blocks part(row, {3, 10});
    field<int, 2> a(part, {.ghosts = 1});
    fill(a, part.first());
    mpiortho::halo(row, a).run();
    if (g.sizes()[1] > 1) {
        const int left = row.neighbor({0, -1});
        const int last = part.first(left)[1] + part.extents(left)[1] - 1;
        CHECK_EQ(a(1, -1), value_at({0, 0}, 1, last));
    }
    // The other way around, by the key; nothing for those without a color; what is no grid.
    const grid<2> turned = g.split(0, -g.rank());
    CHECK_EQ(turned.rank(), g.size() - 1 - g.rank());
    CHECK_EQ(turned.points(), g.size());
    CHECK(!g.split(MPI_UNDEFINED));
    const ring o;
    MPI_Comm_set_errhandler(o.g, MPI_ERRORS_RETURN);
    if (o.p >= 4) {
        const bool is_in = o.r < 4 && o.r != 2;
        const int expected = is_in && o.p > 4 ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
        if (o.p > 4) throws(expected, "are no grid", [&] { o.g.split(is_in ? 0 : MPI_UNDEFINED); });
        CHECK_EQ(o.g.all().split(is_in ? 0 : MPI_UNDEFINED).size(), is_in ? 3 : 0);
    }
    // Messages say the name.
    CHECK_EQ(std::string(error(MPI_ERR_ARG, g, "").comm_name()), "fluid");
    CHECK_EQ(std::string(error(MPI_ERR_ARG, g.all(), "").comm_name()), "fluid");
}

/// The names that say less still mean the neighbors.
void old_names()
{
    const ring o;
    const int expected = o.left + o.right;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    CHECK_EQ(o.g.sum(o.r), expected);
    CHECK_EQ(o.g.max(o.r) + o.g.min(o.r), expected);
    CHECK_EQ(allreduce(o.r, std::plus<>{}, o.g), expected);
    auto later = iallreduce(o.r, std::plus<>{}, o.g);
    CHECK_EQ(later.get(), expected);
    int sum = 0;
    allreduce(o.r, sum, std::plus<>{}, o.g);
    CHECK_EQ(sum, expected);
    CHECK_EQ(reduce(o.r, std::plus<>{}, 0, o.g), o.r == 0 ? expected : 0);
#pragma GCC diagnostic pop
}

} // namespace

void blocks_of_grids()
{
    divisions();
    outside();
    fewer_processes();
    parts();
    old_names();
}

} // namespace ortho_cpp_test
