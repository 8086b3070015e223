// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: names of grids, communicators that are made of others, graphs, two groups.

#include "cpp.hpp"

namespace ortho_cpp_test {

void names()
{
    const communicator comm = comm_ref(MPI_COMM_WORLD).dup();
    const int p = comm.size();
    CHECK(!cart_name<2>::exists(comm));
    cart_name<2> name(comm, {1, p}, {false, true});
    CHECK(cart_name<2>::exists(comm));
    CHECK(name.is_same_everywhere());
    CHECK_EQ(name.size(), p);
    CHECK((name.sizes() == point<2>{1, p}));
    CHECK((name.periodic() == std::array<bool, 2>{false, true}));
    CHECK_EQ(name.rank({0, p}), 0);
    CHECK_EQ(name.rank({1, 0}), MPI_PROC_NULL);
    CHECK((name.coordinates(p - 1) == point<2>{0, p - 1}));
    CHECK_EQ(name.rank(0, {0, -1}), p - 1);
    CHECK((name.relative(0, p - 1) == point<2>{0, p > 2 ? -1 : p - 1}));
    CHECK_EQ(name.shift(0, {0, 1}).in, p - 1);
    CHECK_EQ(name.shift(0, {0, 1}).out, 1 % p);
    const std::array<point<2>, 2> points = {{{0, 0}, {0, 1}}};
    CHECK(name.ranks(points) == Ints({0, 1 % p}));
    CHECK(name.ranks(p - 1, points) == Ints({p - 1, 0}));
    CHECK((name.neighbors(0, metric::manhattan, 1, 1) == std::vector<point<2>>{{0, -1}, {0, 1}}));
    const auto ball = name.stencil(metric::manhattan, 1);
    CHECK_EQ(ball.size(), std::size_t{5});
    CHECK((name.difference(ball, points) == std::vector<point<2>>{{-1, 0}, {0, -1}, {1, 0}}));
    const communicator row = name.sub({true, false});
    CHECK_EQ(row.size(), p);
    name.remove();
    CHECK(!cart_name<2>::exists(comm));
    // Neighboring ranks differ in the first dimension.
    cart_name<2> permuted = cart_name<2>::permuted(comm, {p, 1}, {true, false}, {1, 0});
    CHECK((permuted.coordinates(p - 1) == point<2>{p - 1, 0}));
    permuted.remove();
    // One word is for all dimensions.
    CHECK((cart_name<2>(comm, {1, p}, true).periodic() == std::array{true, true}));
    CHECK((cart_name<2>(comm, {1, p}).periodic() == std::array{false, false}));
    const grid<2> torus{comm, {.sizes = {1, p}, .periodic = true}};
    CHECK((torus.periodic() == std::array{true, true}));
    CHECK_EQ(torus.neighbor({1, 0}), torus.rank());
    const grid<2> tube{comm, {.sizes = {1, p}, .periodic = {false, true}}};
    CHECK((tube.periodic() == std::array{false, true}));
    CHECK_EQ(tube.neighbor({1, 0}), MPI_PROC_NULL);
}

void communicators()
{
    const comm_ref world(MPI_COMM_WORLD);
    const int p = world.size(), r = world.rank();
    CHECK(world.topology() == topology::full);
    const communicator halves = world.split(r % 2, -r);
    CHECK_EQ(halves.size(), (p + 1 - r % 2) / 2);
    CHECK_EQ(world.split_type(MPI_COMM_TYPE_SHARED).in_blocks() > 0, true);
    const ring o;
    const communicator base = o.g.base();
    CHECK(base.topology() == topology::full);
    CHECK_EQ(base.sum(1), p);
    // The ring without its last process is a chain.
    communicator chain = comm_ref(o.g).split(r < p - 1 ? 0 : MPI_UNDEFINED, r);
    CHECK_EQ(static_cast<bool>(chain), r < p - 1);
    if (chain && p > 3) CHECK_EQ(chain.in_blocks(), r == 0 || r == p - 2 ? 1 : 2);
    const communicator same = o.g.subgraph(base);
    CHECK_EQ(same.sum(r), o.left + o.right);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(base, &group);
    CHECK_EQ(o.g.create(group).sum(r), o.left + o.right);
    CHECK_EQ(o.g.create_group(group).sum(r), o.left + o.right);
    MPI_Group_free(&group);
    MPI_Comm released = chain.release();
    CHECK(!chain);
    if (released != MPI_COMM_NULL) MPI_Comm_free(&released);
    // Any graph: everybody sends to process 0, which has a gap in its list, too.
    Ints sources = r == 0 ? numbered(p, 0) : Ints();
    if (r == 0) sources.push_back(MPI_PROC_NULL);
    const Ints destinations = {0};
    const neighborhood star(MPI_COMM_WORLD, sources, destinations);
    CHECK_EQ(star.in_blocks(), r == 0 ? p + 1 : 0);
    CHECK_EQ(star.neighbors().sum(1), r == 0 ? p : 0);
    CHECK_EQ(star.all().sum(1), p);
    CHECK(star.sources() == sources);
    CHECK(star.out_slots(0) == Ints({0}));
    const Ints weights = {3}, from = {r}, to = {o.right}, one = {1};
    const neighborhood edges = neighborhood::from_edges(MPI_COMM_WORLD, from, one, to,
                                                        {.destination_weights = weights});
    CHECK_EQ(edges.neighbors().sum(r), o.left);
    CHECK(edges.destination_weights() == weights);
    CHECK(edges.source_weights() == weights);
    CHECK(star.source_weights().empty());
    const auto offsets = stencil_of<1>(o.g);
    CHECK(offsets.size() == 2 && offsets[0] == point<1>{1} && offsets[1] == point<1>{-1});
    CHECK(version().major + version().minor > 0);
    const neighborhood both(MPI_COMM_WORLD, Ints{o.left, o.right});
    CHECK_EQ(both.neighbors().sum(r), o.left + o.right);
    // Grids: sizes are chosen, and who is outside has none.
    const grid<2> chosen(MPI_COMM_WORLD);
    CHECK_EQ(chosen.sizes()[0] * chosen.sizes()[1], p);
    CHECK_EQ(chosen.stencil().size(), std::size_t{8});
    const grid<2> small(MPI_COMM_WORLD, {.sizes = {1, 1}, .stencil = neumann<2>().with_centre()});
    CHECK_EQ(static_cast<bool>(small), r == 0);
    if (small) CHECK_EQ(small.neighbors().sum(5), 5);
    const communicator cart = nodecart<1>(MPI_COMM_WORLD, {p}, {true});
    CHECK_EQ(cart_name<1>(cart).size(), p);
    CHECK_EQ((dims_create<2>(MPI_COMM_WORLD, {1, 0})[1]), p);
    CHECK_EQ(moore<3>().size(), std::size_t{26});
    CHECK_EQ(neumann<2>(2).size(), std::size_t{12});
    const info promise{{"ortho_forward", "true"}};
    const grid<1> forwards(MPI_COMM_WORLD, {.periodic = {true}, .info = promise.get()});
    Ints b(2);
    operation with_info = allgather_init(r, b, forwards, promise);
    with_info.run();
}

/// Between two groups, the even and the odd ranks, blocks come from the others.
void between_groups()
{
    const int p = test::size(), r = test::rank();
    if (p < 2) return;
    const communicator half = comm_ref(MPI_COMM_WORLD).split(r % 2, r);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - r % 2, 5, &made);
    const communicator inter(made);
    const int others = (p + r % 2) / 2;
    CHECK(inter.topology() == topology::inter);
    CHECK_EQ(inter.in_blocks(), others);
    CHECK_EQ(inter.out_blocks(), others);
    Ints recv(at(others), -1);
    IN_THREE_FORMS(
        allgather, (r, recv, inter), [&] { recv.assign(at(others), -1); },
        [&] {
            for (int i = 0; i < others; ++i) CHECK_EQ(recv[at(i)], 2 * i + 1 - r % 2);
        });
    const MPI_Comm plain = inter;
    CHECK_EQ(allreduce(1, std::plus<>{}, plain), others);
    // The first even process is the root: it alone has lists.
    const int root = r == 0 ? MPI_ROOT : r % 2 == 0 ? MPI_PROC_NULL : 0;
    recv.assign(at(others), -1);
    gather(r, recv, r == 0 ? Ints(at(others), 1) : Ints(), root, inter);
    for (int i = 0; i < others && r == 0; ++i) CHECK_EQ(recv[at(i)], 2 * i + 1);
    CHECK_EQ(inter.sum(1), others);
    CHECK_EQ(inter.base().sum(1), half.size());
    if (test::is_played()) return; // loopback has no such reduce_scatter
    // Lengths are those of the own group.
    const int own = half.size();
    const Ints ones(at(own * others), 1);
    recv.assign(at(others), -1);
    reduce_scatter(ones, Ints(at(own), others), recv, std::plus<>{}, inter);
    CHECK(recv == Ints(at(others), others));
    recv.assign(at(others), -1);
    reduce_scatter(ones, recv, std::plus<>{}, inter);
    CHECK(recv == Ints(at(others), others));
}

} // namespace ortho_cpp_test
