// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: fields and their cells, and halos of fields and of views of any shape.
#include <limits>

#include "cpp.hpp"

namespace ortho_cpp_test {

namespace {

/// Shaped like Kokkos::View, which owns its elements.
struct owning_view {
    std::vector<float> elements = std::vector<float>(25);
    enum { Rank = 2 };
    std::size_t extent(std::size_t) const { return 5; }
    std::size_t stride(std::size_t k) const { return k == 0 ? 1 : 5; } // column-major
    float* data() { return elements.data(); }
    float& operator()(int i, int j) { return elements[static_cast<std::size_t>(i + 5 * j)]; }
};

/// Every cell of a box is met once, in the interior or on the boundary.
template <std::size_t D>
void cells(const point<D>& extents, const ghost_widths<D>& ghosts)
{
    field<int, D> f(extents, ghosts);
    std::size_t n = 0;
    for (auto row : f.interior())
        for (auto cell : row) {
            ++f[cell];
            for (std::size_t k = 0; k < D; ++k)
                CHECK(cell[k] >= ghosts.lower[k] && cell[k] < extents[k] - ghosts.upper[k]);
        }
    for (auto cell : f.boundary()) ++f[cell];
    for (auto row : f.boundary_rows()) n += row.size();
    CHECK_EQ(n, f.boundary().cells());
    CHECK_EQ(f.interior().cells() + f.boundary().cells(), f.owned().cells());
    for (auto row : f.owned())
        for (int x : f[row]) CHECK_EQ(x, 1);
    // Ghosts are untouched: the owned cells are all that was counted.
    std::size_t sum = 0;
    for (std::size_t i = 0; i < (field<int, D>::elements(extents, ghosts)); ++i)
        sum += static_cast<std::size_t>(f.data()[i]);
    CHECK_EQ(sum, f.owned().cells());
}

/// Element x of a torus of sizes n has this value in all fields, and what lies there modulo the sizes.
int on_torus(const point<2>& x, const point<2>& n)
{
    return 1000 * ((x[0] + n[0]) % n[0]) + (x[1] + n[1]) % n[1];
}

/// Field q crosses the side that it moves to.
bool crosses_one_side(int q, const point<2>& side) { return side == point<2>{q == 0 ? 1 : -1, 0}; }

void fields()
{
    cells<1>({5}, 1);
    cells<2>({3, 4}, 1);
    cells<2>({3, 4}, {{1, 0}, {0, 2}});
    cells<2>({1, 7}, 2);
    cells<2>({0, 7}, 1);
    cells<3>({4, 5, 6}, 1);
    cells<3>({4, 5, 6}, 0);
    cells<3>({2, 5, 1}, {{1, 2, 0}, {0, 1, 1}});
    field<double, 2> a({2, 3}, 1);
    a(0, 0) = 1;
    field<double, 2> b = std::move(a);
    CHECK_EQ(b(0, 0), 1.0);
    CHECK((b.strides() == std::array<std::ptrdiff_t, 2>{5, 1}));
    CHECK_EQ(&b(0, 0) - b.data(), 6);
    std::vector<double> memory(field<double, 2>::elements({2, 3}, 1));
    field<double, 2> c(memory.data(), {2, 3}, 1);
    c[{1, 2}] = 4;
    CHECK_EQ(memory[13], 4.0);
    swap(b, c);
    CHECK_EQ(c(0, 0), 1.0);
}

/// Each owned element gets what the ghosts of it have.
void reductions()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = true}};
    field<int, 2> sums({3, 4}, 1);
    const auto set_all = [&] {
        for (int i = -1; i <= 3; ++i)
            for (int j = -1; j <= 4; ++j) sums(i, j) = 1;
    };
    set_all();
    halo_reduce(g, sums, std::plus<>{}).run();
    CHECK_EQ(sums(1, 1), 1); // no ghost of it
    CHECK_EQ(sums(0, 1), 2); // one above
    CHECK_EQ(sums(0, 0), 4); // above, beside, at the corner
    CHECK_EQ(sums(-1, -1), 1);
    // The ghosts where MPI has made the grid, whose border has no neighbors.
    test::Comm cart = test::cart({test::size(), 1}, {1, 0});
    set_all();
    halo_reduce(cart.handle(), sums, std::plus<>{}).run();
    CHECK_EQ(sums(1, 1), 1);
    CHECK_EQ(sums(0, 1), 2); // one above
    CHECK_EQ(sums(1, 0), 1); // none beside
    CHECK_EQ(sums(0, 0), 2);
}

/// Views with strides, element types and widths that differ, some directions, other buffers, borders.
void shapes()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = {true, false}}};
    const int r = g.rank();
    const auto from = [&](int di, int dj) { return g.name().rank(r, {di, dj}); };
    // 3 x 3 owned elements of 5 x 5, in a larger array, transposed; and a column-major one that owns.
    std::vector<std::int64_t> memory(400, -1);
    const strided_view<std::int64_t, 2> v{memory.data() + 7, {5, 5}, {2, 20}};
    const auto at_v = [&](int i, int j) -> std::int64_t& { return memory[at(7 + 2 * i + 20 * j)]; };
    owning_view w;
    field<ortho_cpp_test::particle, 2> f({3, 3}, {{0, 2}, {1, 0}}); // one ghost layer above, two below
    const std::array fields = {any_field(v), any_field(w), any_field(f)};
    static_assert(view<const strided_view<std::int64_t, 2>> && view<owning_view> && !view<field<int, 2>>);
    auto all = mpiortho::halo(g, fields, {.ghosts = 1});
    for (auto row : owned_cells_of(v, ghost_widths<2>(1)).owned())
        for (auto [i, j] : row) {
            at_v(i, j) = 100 * r + 10 * i + j;
            w(i, j) = static_cast<float>(r);
        }
    set_owned(f, particle{0.5 * r, r});
    all.run();
    const auto comes = [&](int di, int dj) { return from(di, dj) != MPI_PROC_NULL; };
    for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) {
            const int i = di < 0 ? 0 : di > 0 ? 4 : 2, j = dj < 0 ? 0 : dj > 0 ? 4 : 2;
            const int si = di < 0 ? 3 : di > 0 ? 1 : 2; // where it lies at its owner
            const int sj = dj < 0 ? 3 : dj > 0 ? 1 : 2;
            CHECK_EQ(at_v(i, j), comes(di, dj) ? 100 * from(di, dj) + 10 * si + sj : -1);
            CHECK_EQ(w(i, j), comes(di, dj) ? static_cast<float>(from(di, dj)) : 0.0F);
        }
    // Views do not know their ghosts, fields do.
    throws(MPI_ERR_ARG, "pass {.ghosts = 1}", [&] { return mpiortho::halo(g, v); });
    throws(MPI_ERR_ARG, "pass {.ghosts = 1}", [&] { return mpiortho::halo(g, fields); });
    throws(MPI_ERR_ARG, "are not those that the fields have",
           [&] { return mpiortho::halo(g, f, {.ghosts = 1}); });
    field<double, 2> no_ghosts({3, 3}, 0);
    mpiortho::halo(g, no_ghosts).run();
    mpiortho::halo(g, f, {.ghosts = f.ghosts()}).run();
    mpiortho::halo(g, w, {.ghosts = point<2>{1, 0}}).run();
    CHECK_EQ(memory[6], -1); // nothing between the elements is touched
    CHECK_EQ(memory[8], -1);
    if (comes(0, -1)) CHECK_EQ(f(1, -2).n, from(0, -1));
    CHECK_EQ(f(3, 1).n, from(1, 0));
    // Borders: nothing fills what lies beyond them.
    std::size_t beyond = 0;
    for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) beyond += comes(di, dj) ? 0U : 1U;
    CHECK_EQ(all.unfilled(0).size(), beyond);
    for (const auto& side : all.unfilled(1)) CHECK(!comes(side[0], side[1]));
    // Some regions.
    field<double, 2> q[2] = {field<double, 2>({3, 3}), field<double, 2>({3, 3})};
    for (auto& each : q) set_owned(each, r + 1);
    const auto expect_some = [&](auto&& crosses) {
        for (auto& each : q) each(3, 1) = each(-1, 1) = each(-1, -1) = 0;
        mpiortho::halo_options<2> options;
        options.crosses = crosses;
        mpiortho::halo(g, q, options).run();
        CHECK_EQ(q[0](3, 1), from(1, 0) + 1.0);
        CHECK_EQ(q[0](-1, 1), 0.0);
        CHECK_EQ(q[1](-1, 1), from(-1, 0) + 1.0);
        CHECK_EQ(q[1](3, 1), 0.0);
        CHECK_EQ(q[1](-1, -1), 0.0);
    };
    int asked = 0;
    expect_some([&asked](int i, auto side) mutable { return ++asked, crosses_one_side(i, side); });
    CHECK_EQ(asked, 2 * 8);
    expect_some(crosses_one_side);
    expect_some(&crosses_one_side);
    // On MPI's Cartesian communicators, and with dimensions that change places.
    const communicator cart = nodecart<2>(MPI_COMM_WORLD, g.sizes(), {true, false}, false);
    field<int, 2> c({2, 4});
    set_owned(c, r);
    auto faces = mpiortho::halo(cart, c, {.dimension = {1, 0}});
    faces.run();
    CHECK_EQ(c(0, 4), from(1, 0)); // array dimension 1 runs along grid dimension 0
    if (comes(0, 1)) CHECK_EQ(c(2, 0), from(0, 1));
    // Other buffers of a collective.
    const ring o;
    Ints first(2, -1), second(2, -1);
    const Ints sent = {o.r, o.r}, others = {o.r + 50, o.r + 50};
    operation x = alltoall_init(sent, first, o.g);
    x.run();
    x.rebind(others, second);
    x.run();
    Ints short_one(1);
    std::vector<char> small(2);
    throws(MPI_ERR_BUFFER, "receive buffer has 4 bytes, and had 8", [&] { x.rebind(others, short_one); });
    throws(MPI_ERR_BUFFER, "send buffer has 2 bytes, and had 8", [&] { x.rebind(small, second); });
    CHECK(first == Ints({o.left, o.right}));
    CHECK(second == Ints({o.left + 50, o.right + 50}));
    int one = o.r, two = o.r + 7;
    operation y = bcast_init(one, 0, MPI_COMM_WORLD, info{{"ortho_rebind", "true"}});
    throws(MPI_ERR_BUFFER, "has 2 bytes, and had 4", [&] { y.rebind(small); });
    y.rebind(two);
    y.run();
    CHECK_EQ(one, o.r);
    CHECK_EQ(two, 7);
}

/// Fields of several types in one halo, others of the same shapes in turn; those that are not are refused.
void turns()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = {true, true}}};
    const int r = g.rank();
    const auto make = [&](auto value, const ghost_widths<2>& ghosts) {
        field<decltype(value), 2> made({3, 4}, ghosts);
        set_owned(made, value + static_cast<decltype(value)>(r));
        return made;
    };
    auto u = make(0.5, 1);
    auto v = make(1.5, 2);
    auto phase = make(std::int64_t{7}, 1);
    auto halo = mpiortho::halo(g, u, v, phase);
    auto other_u = make(10.5, 1);
    auto other_v = make(11.5, 2);
    auto other_phase = make(std::int64_t{17}, 1);
    const auto check_one = [&](const auto& f, double first, int width) {
        for (int i = -width; i < 3 + width; ++i)
            for (int j = -width; j < 4 + width; ++j)
                CHECK_EQ(static_cast<double>(f(i, j)), first + g.neighbor({i < 0    ? -1
                                                                           : i >= 3 ? 1
                                                                                    : 0,
                                                                           j < 0    ? -1
                                                                           : j >= 4 ? 1
                                                                                    : 0}));
    };
    const auto check = [&](const auto& a, const auto& b, const auto& c, int more) {
        check_one(a, more + 0.5, 1);
        check_one(b, more + 1.5, 2);
        check_one(c, more + 7, 1);
    };
    CHECK(std::string(halo.explain()).find("halo") != std::string::npos);
    halo.run();
    check(u, v, phase, 0);
    CHECK_EQ(other_u(-1, 1), 0.0);
    halo.run(other_u, other_v, other_phase);
    check(other_u, other_v, other_phase, 10);
    swap(u, other_u);
    swap(v, other_v);
    {
        v(-2, 1) = u(-1, 1) = 0;
        auto pending = halo.start(u, v, other_phase);
        for ([[maybe_unused]] auto row : u.interior()) pending.poll();
        pending.wait();
    }
    check(u, v, other_phase, 10);

    MPI_Comm_set_errhandler(g, MPI_ERRORS_RETURN);
    field<double, 2> wide({3, 5}, 1);
    field<double, 2> deep({1, 4}, {{2, 1}, {2, 1}}); // as many elements as in u
    throws(MPI_ERR_ARG, "fields[1].sizes[0] = 5, and was 7", [&] { halo.run(u, wide, phase); });
    throws(MPI_ERR_ARG, "fields[0].lower[0] = 2, and was 1", [&] { halo.run(deep, v, phase); });
    throws(MPI_ERR_ARG, "fields[0].sizes[1] = 7, and was 6", [&] { auto p = halo.start(wide, v, phase); });
    // Without what the compiler knows of them.
    mpiortho::halo<2> plain = std::move(halo);
    throws(MPI_ERR_ARG, "fields[0].element is 1 MPI_LONG", [&] { plain.run(phase, v, u); });
    throws(MPI_ERR_ARG, "nfields = 2 of a halo exchange of 3", [&] { plain.run(u, v); });
    throws(MPI_ERR_ARG, "fields[2].sizes[1] = 7",
           [&] { plain.rebind(any_field(u), any_field(v), any_field(wide)); });
    plain.run(other_u, other_v, phase);
    check(u, v, other_phase, 10);
    // Views of other strides.
    std::vector<double> memory(200);
    const strided_view<double, 2> narrow{memory.data(), {5, 5}, {5, 1}};
    const strided_view<double, 2> transposed{memory.data(), {5, 5}, {1, 5}};
    auto of_views = mpiortho::halo(g, narrow, {.ghosts = 1});
    of_views.run(narrow);
    throws(MPI_ERR_ARG, "fields[0].strides[1] = 40, and was 8", [&] { of_views.run(transposed); });
    // The reverse has several fields, too.
    for (auto* f : {&u, &other_u})
        for (int i = -1; i <= 3; ++i)
            for (int j = -1; j <= 4; ++j) (*f)(i, j) = 1;
    auto back = halo_reduce(g, u, phase, std::plus<>{});
    back.run();
    CHECK_EQ(u(0, 0), 4.0);
    back.run(other_u, phase);
    CHECK_EQ(other_u(0, 1), 2.0);
    // On communicators with a name, with options.
    const communicator cart = nodecart<2>(MPI_COMM_WORLD, g.sizes(), {true, true}, false);
    auto by_name = mpiortho::halo(cart, u, v, {.crosses = crosses_one_side});
    u(3, 1) = v(-1, 1) = -1;
    by_name.run(u, v);
    CHECK_EQ(u(3, 1), u(0, 1));
    CHECK(v(-1, 1) > 0);
}

/// The ghosts on the sides that nothing fills, and what is beside them; fields that cannot be.
void sides()
{
    const grid<2> g{MPI_COMM_WORLD, {.sizes = {mpiortho::comm_ref(MPI_COMM_WORLD).size(), 1}}};
    field<int, 2> a({3, 4}, {{2, 1}, {0, 3}});
    set_owned(a, [](const point<2>& x) { return 10 * x[0] + x[1]; });
    auto halo = mpiortho::halo(g, a);
    const field<int, 2>& constant = a;
    std::size_t n = 0;
    for (auto side : halo.unfilled()) {
        const std::size_t rows = side[0] < 0 ? 2 : side[0] > 0 ? 0 : 3;
        const std::size_t columns = side[1] < 0 ? 1 : side[1] > 0 ? 3 : 4;
        CHECK_EQ(a.ghosts(side).size(), rows * columns);
        CHECK_EQ(a.beside(side).size(), rows * columns);
        auto from = constant.beside(side).begin();
        for (int& cell : a.ghosts(side)) cell = *from++;
        for (auto [i, j] : constant.ghosts(side).cells()) {
            const int k = side[0] < 0 ? i + 2 : i;
            const int l = side[1] < 0 ? j + 1 : side[1] > 0 ? j - 3 : j;
            CHECK_EQ(constant(i, j), 10 * k + l);
            ++n;
        }
        auto in_mirror = constant.mirror(side).begin();
        for (int& cell : a.ghosts(side)) cell = *in_mirror++;
        for (auto [i, j] : constant.ghosts(side).cells()) {
            const int k = side[0] < 0 ? -1 - i : i;
            const int l = side[1] < 0 ? -1 - j : side[1] > 0 ? 7 - j : j;
            CHECK_EQ(constant(i, j), 10 * k + l);
        }
        CHECK_EQ(a.mirror(side).size(), a.ghosts(side).size());
    }
    const bool first = g.rank() == 0;
    CHECK_EQ(n, (first ? 2U * 4 : 0U) + 2 * 4 + 3 * 4); // above, at corners, beside
    const field<int, 2> b = a.like();
    CHECK(b.extents() == a.extents() && b.ghosts() == a.ghosts());
    CHECK_EQ(b(1, 1), 0);
    // A field that is thinner than its ghosts, and one without.
    field<int, 2> thin({1, 4}, 2);
    CHECK_EQ(thin.beside({1, 0}).size(), 4U);
    CHECK_EQ(thin.ghosts({1, 0}).size(), 8U);
    CHECK((field<int, 2>({3, 3}, 0).ghosts({0, 1}).size() == 0));

    using f = field<double, 2>;
    throws(MPI_ERR_ARG, "mpiortho::field: extents[0] = -4 is negative", [] { f({-4, 4}); });
    throws(MPI_ERR_ARG, "ghosts.lower[1] = -1 is negative", [] { f({4, 4}, point<2>{0, -1}); });
    throws(MPI_ERR_ARG, "extents[1] = -5 is negative", [] { f(nullptr, {4, -5}, 1); });
    constexpr int most = std::numeric_limits<int>::max();
    throws(MPI_ERR_ARG, "extents[0] = 2147483647 makes more elements", [] { f({most, 1}); });
    throws(MPI_ERR_ARG, "extents[1] = 2147483647 makes more", [] { f({most, most}, 0); });
    throws(MPI_ERR_ARG, "field::ghosts: side[1] = 2", [&] { a.ghosts({0, 2}); });
    throws(MPI_ERR_ARG, "field::beside: side is 0", [&] { a.beside({0, 0}); });
}

/// Halos on a grid that is smaller than the communicator: a process without a part does nothing.
void halos_of_parts()
{
    const int p = mpiortho::comm_ref(MPI_COMM_WORLD).size();
    if (p < 2) return;
    const grid<1> g{MPI_COMM_WORLD, {.sizes = {p - 1}, .periodic = {true}, .stencil = {{1}}}};
    field<int, 1> a({2}, 1);
    field<int, 1> b({2}, 1);
    for (auto* f : {&a, &b})
        for (int i = -1; i <= 2; ++i) (*f)(i) = -1;
    if (g) a(1) = b(1) = g.rank();
    auto halo = mpiortho::halo(g, a);
    auto back = halo_reduce(g, a, std::plus<>{});
    CHECK(halo.unfilled().empty());
    halo.run();
    halo.run(b);
    {
        auto pending = halo.start(a);
        pending.wait();
    }
    const int expected = g ? (g.rank() + p - 2) % (p - 1) : -1;
    CHECK_EQ(a(-1), expected); // the offset is +1, on 1 and 2 processes, too
    CHECK_EQ(b(-1), expected);
    CHECK_EQ(a(2), -1);
    run_all(back, halo);
    CHECK_EQ(a(2), -1);
    // Those without a part need not have an array.
    field<int, 1> none;
    auto of_parts = mpiortho::halo(g, g ? b : none, any_field(g ? a : none));
    of_parts.run(g ? a : none, any_field(g ? b : none));
    // A name that leaves processes out.
    communicator named = mpiortho::comm_ref(MPI_COMM_WORLD).dup();
    const cart_name<1> name(named, {p - 1}, {true});
    auto by_name = mpiortho::halo(named, b);
    by_name.run(b);
    CHECK_EQ(b(-1), expected);
}

/// Ghosts beyond the walls of a channel.
void boundaries_of_halos()
{
    const int p = mpiortho::comm_ref(MPI_COMM_WORLD).size();
    const grid<2> g{MPI_COMM_WORLD, {.sizes = {1, p}, .periodic = {false, true}, .stencil = moore<2>()}};
    field<double, 2> u({2, 1}, 1);
    field<int, 2> flags({2, 1}, 1);
    for (int i = 0; i < 2; ++i) {
        u(i, 0) = 10 * (i + 1) + g.rank();
        flags(i, 0) = i + 1;
    }
    const int wall = 7;
    boundaries<2> of_flags = {boundary::constant, 1, &wall};
    of_flags.upper[0] = boundary::edge;
    any_field second(flags);
    second.boundary = of_flags;
    auto halo = mpiortho::halo(g, u, second, {.boundary = {boundary::symmetric, -1}});
    halo.run();
    for (int j = -1; j <= 1; ++j) {
        const int r = (g.rank() + j + p) % p;
        CHECK_EQ(u(-1, j), -10.0 - r);
        CHECK_EQ(u(2, j), -20.0 - r);
        CHECK_EQ(flags(-1, j), 7);
        CHECK_EQ(flags(2, j), 2);
    }
    auto slip = mpiortho::halo(g, u, {.boundary = {{{{boundary::none}, {}}}, {{{boundary::reflect}, {}}}}});
    slip.run();
    CHECK_EQ(u(-1, 0), -10.0 - g.rank());
    CHECK_EQ(u(2, 0), 10.0 + g.rank());
    throws(MPI_ERR_ARG, "boundary of dimension 0, lower side, is edge",
           [&] { return halo_reduce(g, u, std::plus<>{}, {.boundary = boundary::edge}); });
}

/// run() with a kernel: rows that need no ghosts come first, and each cell once.
void kernels()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = true}};
    const point<2> extents{5, 6};
    const point<2> n{5 * g.sizes()[0], 6 * g.sizes()[1]};
    const point<2> first{5 * g.coordinates()[0], 6 * g.coordinates()[1]};
    const auto value = [&](int i, int j) { return on_torus({first[0] + i, first[1] + j}, n); };
    field<int, 2> u(extents, 1), sums(extents, 1);
    field<double, 2> wide(extents, 2);
    const auto at_cell = [&](const point<2>& x) { return value(x[0], x[1]); };
    set_owned(u, at_cell);
    set_owned(wide, at_cell);
    std::vector<row<2>> rows;
    const auto add = [&](const row<2>& its) {
        rows.push_back(its);
        for (const auto& [i, j] : its)
            sums(i, j) += u(i - 1, j) + u(i + 1, j + 1) + static_cast<int>(wide(i, j - 2) + wide(i + 2, j));
    };
    auto both = halo(g, u, wide);
    both.run(u, wide, add);
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 6; ++j)
            CHECK_EQ(sums(i, j), value(i - 1, j) + value(i + 1, j + 1) + value(i, j - 2) + value(i + 2, j));
    CHECK(rows[0].first == (point<2>{2, 2}) && rows[0].length == 2); // all that is 2 cells from the border

    // The halo knows the ghosts of a view, under a type that knows no elements, too.
    std::vector<int> memory(7 * 8);
    strided_view<int, 2> v{memory.data(), {7, 8}, {8, 1}};
    halo<2> alone = halo(g, v, {.ghosts = 1});
    Ints cells(7 * 8);
    alone.run(v, [&cells](const row<2>& its) {
        for (const auto& [i, j] : its) ++cells[at(8 * i + j)];
    });
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 8; ++j) CHECK_EQ(cells[at(8 * i + j)], i > 0 && i < 6 && j > 0 && j < 7 ? 1 : 0);
}

/// A halo knows the ghosts of its fields where these are gathered and scattered.
void wholes_of_halos()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = true}};
    const int root = g.size() - 1;
    const point<2> n{2 * g.sizes()[0], 3 * g.sizes()[1]};
    field<int, 2> u({2, 3}, {{1, 2}, {0, 1}});
    field<int, 2> v({2, 3}, 1);
    const auto [i, j] = g.coordinates();
    set_owned(u, [&, i = i, j = j](const point<2>& x) { return on_torus({2 * i + x[0], 3 * j + x[1]}, n); });
    set_owned(v, [&](const point<2>& x) { return u[x]; });
    auto h = halo(g, u, v);
    field<int, 2> whole(g.rank() == root ? n : point<2>{}, 0);
    for (const int number : {0, 1}) {
        set_owned(whole, -1);
        h.gather(whole, root, number);
        for (auto row : whole.owned())
            for (auto cell : row) CHECK_EQ(whole[cell], on_torus(cell, n));
    }
    field<int, 2> other = u.like();
    h.rebind(other, v);
    h.scatter(whole, root);
    for (auto row : u.owned())
        for (auto cell : row) CHECK_EQ(other[cell], u[cell]);
    CHECK_EQ(other(-1, 0), 0);
    field<int, 2> with_ghosts(g.rank() == root ? point<2>{5 * g.sizes()[0], 4 * g.sizes()[1]} : point<2>{},
                              0);
    throws(ORTHO_ERR_MISMATCH, "along dimension 0 of the grid, whole has",
           [&] { h.gather(with_ghosts, root); });
    // Without a part there is nothing to do.
    const grid<2> one{MPI_COMM_WORLD, {.sizes = {1, 1}}};
    field<int, 2> small({1, 1}, 1);
    small(0, 0) = 7;
    field<int, 2> all({1, 1}, 0);
    halo(one, small).gather(all, 0);
    CHECK_EQ(all(0, 0), one ? 7 : 0);
}

} // namespace

void fields_and_halos()
{
    fields();
    reductions();
    shapes();
    turns();
    sides();
    halos_of_parts();
    boundaries_of_halos();
    kernels();
    wholes_of_halos();
}

} // namespace ortho_cpp_test
