// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: index maps, and data for processes that do not know of it.  Expected values come from
// arithmetic.

#include "cpp.hpp"

namespace ortho_cpp_test {

/// Particle `number` of a process.
struct traveller {
    int from, number;
    bool operator==(const traveller&) const = default;
};

} // namespace ortho_cpp_test

template <>
inline constexpr bool mpiortho::travels_as_bytes<ortho_cpp_test::traveller> = true;

namespace ortho_cpp_test {

namespace {

/// Four elements a process in a ring, and ghosts of the element before them and of the two behind.
std::vector<MPI_Count> neighbors_in_ring(int rank, int processes)
{
    const MPI_Count all = 4 * processes;
    return {(4 * rank + all - 1) % all, (4 * rank + 4) % all, (4 * rank + 5) % all};
}

} // namespace

void index_maps()
{
    const int p = test::size(), me = test::rank();
    const std::vector<MPI_Count> numbers = neighbors_in_ring(me, p);
    index_map made(MPI_COMM_WORLD, 4, numbers);
    index_map map = std::move(made);
    CHECK(map.owned() == 4 && map.ghosts() == 3 && map.size() == 7 && map.get() != ORTHO_INDEX_MAP_NULL);
    std::vector<double> u(7, -1), u_next(7, -1);
    std::vector<int> v(7, -1), v_next(7, -1);
    for (int i = 0; i < 4; ++i) {
        u[at(i)] = 4 * me + i;
        v[at(i)] = -(4 * me + i);
        u_next[at(i)] = 100 + 4 * me + i;
        v_next[at(i)] = -100 - 4 * me - i;
    }
    ghost_exchange fill = map.fill(u, v);
    fill.run();
    fill.rebind(u_next, v_next);
    fill.start().wait();
    for (std::size_t g = 0; g < 3; ++g) {
        const auto number = static_cast<int>(numbers[g]);
        CHECK(u[4 + g] == number && v[4 + g] == -number);
        CHECK(u_next[4 + g] == 100 + number && v_next[4 + g] == -100 - number);
    }

    std::vector<int> sums{1, 1, 1, 1, 10, 20, 30}, largest{1, 50, 1, 1, 10, 20, 30};
    map.reduce(std::plus<>{}, sums).run();
    map.reduce(maximum{}, largest).run();
    // The process before has ghosts of elements 0 and 1, the one behind of element 3.
    CHECK((sums == std::vector<int>{21, 31, 1, 11, 10, 20, 30}));
    CHECK((largest == std::vector<int>{20, 50, 1, 10, 10, 20, 30}));

    const std::vector<ghost_copy> copies = map.copies(0);
    CHECK(copies.size() == 1 && copies[0].rank == (me + p - 1) % p && copies[0].ghost == 1);
    CHECK(map.copies(2).empty());
    CHECK(map.graph().get() != MPI_COMM_NULL);

    std::vector<double> too_short(6);
    throws(MPI_ERR_ARG, "array number 0", [&] { return map.fill(too_short); });
    throws(MPI_ERR_ARG, "array number 0", [&] { fill.rebind(too_short, v); });
    std::vector<float> of_floats(7);
    throws(MPI_ERR_TYPE, "array number 0 of an exchange of ghosts has elements of another type",
           [&] { fill.rebind(of_floats, v); });
    const std::vector<int> owners{0};
    throws(MPI_ERR_ARG, "owners has 1 ghosts, and indices 2", [&] {
        return index_map(MPI_COMM_WORLD, 4, owners, std::vector<MPI_Count>{0, 1});
    });
    const index_map by_owner(MPI_COMM_WORLD, 4, owners, std::vector<MPI_Count>{3});
    std::vector<int> w{me, me, me, me + 7, -1};
    by_owner.fill(w).run();
    CHECK_EQ(w[4], 7);

    // Ids backwards and with gaps: element i of process r has 900 - 10 r - 3 i.
    const std::vector<MPI_Count> ids{900 - 10 * me, 897 - 10 * me}, behind{897 - 10 * ((me + 1) % p)};
    const index_map by_id = index_map::by_ids(MPI_COMM_WORLD, ids, behind);
    CHECK(by_id.owned() == 2 && by_id.ghosts() == 1);
    std::vector<int> x{0, 50 + me, -1};
    by_id.fill(x).run();
    CHECK_EQ(x[2], 50 + (me + 1) % p);
    throws(MPI_ERR_ARG, "ghost_ids[0]: id 1 is owned by no process",
           [&] { return index_map::by_ids(MPI_COMM_WORLD, ids, std::vector<MPI_Count>{1}); });
}

void sparse_exchanges()
{
    const int p = test::size(), me = test::rank();
    // Process r sends r + 1 numbers to the next process, none to itself, and one to process 0.
    std::vector<int> send;
    for (int i = 0; i <= me; ++i) send.push_back(100 * me + i);
    send.push_back(-me);
    const std::vector<int> targets{(me + 1) % p, me, 0};
    const std::vector<MPI_Count> counts{me + 1, 0, 1};
    throws(MPI_ERR_ARG, "targets has 1 processes, and counts 3 blocks",
           [&] { sparse_alltoallv(send, Ints{0}, counts, MPI_COMM_WORLD); });
    throws(MPI_ERR_ARG, "elements in all, and the buffer 0",
           [&] { sparse_alltoallv(Ints{}, targets, counts, MPI_COMM_WORLD); });
    const auto arrived = sparse_alltoallv(send, targets, counts, MPI_COMM_WORLD);
    CHECK_EQ(arrived.size(), static_cast<std::size_t>(me == 0 ? 2 + p : 2));
    int elements = 0;
    for (std::size_t i = 0; i < arrived.size(); ++i) {
        const auto block = arrived.block(i);
        elements += static_cast<int>(block.size());
        const int from = arrived.source(i);
        for (std::size_t j = 0; j < block.size(); ++j)
            CHECK(block[j] == 100 * from + static_cast<int>(j) || (me == 0 && block[j] == -from));
    }
    const int before = (me + p - 1) % p;
    CHECK_EQ(elements, before + 1 + (me == 0 ? p : 0));
    CHECK_EQ(arrived.data().size(), at(elements));
    auto future = isparse_alltoallv(send, targets, counts, MPI_COMM_WORLD);
    const auto again = future.get();
    CHECK(again.data() == arrived.data() && again.size() == arrived.size());
    const bool flags[] = {me % 2 == 0, true};
    const auto of_bool = sparse_alltoallv(flags, Ints{(me + 1) % p}, std::vector<MPI_Count>{2},
                                          MPI_COMM_WORLD);
    CHECK(of_bool.block(0)[0] == (before % 2 == 0) && of_bool.data()[1]);
    // An exchange that is not received ends, too.
    const float floats[] = {1, 2, 3};
    const MPI_Count three = 3;
    const MPI_Aint begin = 0;
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    const int next = (me + 1) % p;
    CHECK_OK(ORTHO_Sparse_alltoallv(floats, 1, &next, &three, &begin, MPI_FLOAT, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &exchange));
    throws(any_class, "ORTHO_Sparse_receive", [&] { return sparse_blocks<double>{exchange}; });
    int blocks = 0;
    MPI_Count all = 0;
    CHECK(ORTHO_Sparse_count(exchange, &blocks, &all) != MPI_SUCCESS);
    auto given_up = isparse_alltoallv(send, targets, counts, MPI_COMM_WORLD);
    static_cast<void>(given_up.test());
    const std::vector<int> to_first{0};
    const neighborhood graph = neighborhood::from_targets(MPI_COMM_WORLD, to_first);
    CHECK_EQ(graph.in_blocks(), me == 0 ? p : 0);
    const std::vector<MPI_Count> too_many{1000, 0, 0};
    throws(MPI_ERR_ARG, "counts", [&] { return sparse_alltoallv(send, targets, too_many, MPI_COMM_WORLD); });
}

/// Particle i of process r goes to process (r + i * i) % p, and every seventh one goes nowhere.
void migration()
{
    const int p = test::size(), me = test::rank();
    const auto owner = [p](const traveller& one) {
        return one.number % 7 == 6 ? MPI_PROC_NULL : (one.from + one.number * one.number) % p;
    };
    const auto particles = [](int rank) {
        std::vector<traveller> result;
        for (int i = 0; i < 20 + rank; ++i) result.push_back({rank, i});
        return result;
    };
    std::vector<traveller> expected;
    for (int r = 0; r < p; ++r)
        for (const traveller& one : particles(r))
            if (owner(one) == me) expected.push_back(one);
    CHECK(migrate(particles(me), owner, MPI_COMM_WORLD) == expected);
    std::vector<int> owners;
    for (const traveller& one : particles(me)) owners.push_back(owner(one));
    const grid<1> g(MPI_COMM_WORLD);
    CHECK(migrate(particles(me), owners, g.all()) == expected);
    // All stay, all go to the last process, and nobody has any.
    CHECK(migrate(
              particles(me), [me](const traveller&) { return me; }, g) == particles(me));
    const auto all = migrate(
        std::vector<int>(3, me), [p](int) { return p - 1; }, g.all());
    CHECK_EQ(all.size(), at(me == p - 1 ? 3 * p : 0));
    for (std::size_t i = 0; i < all.size(); ++i) CHECK_EQ(all[i], static_cast<int>(i / 3));
    CHECK(migrate(std::vector<double>(), Ints(), MPI_COMM_WORLD).empty());
    // A mistake of the last process is told on all.
    const bool is_last = me == p - 1;
    throws(MPI_ERR_RANK, "targets[0] = ", [&] {
        return migrate(
            particles(me), [&](const traveller&) { return is_last ? p : 0; }, g.all());
    });
    if (is_last) owners.pop_back();
    throws(is_last ? MPI_ERR_ARG : MPI_ERR_COUNT, is_last ? "owners of " : "ntargets = -1",
           [&] { return migrate(particles(me), owners, g.all()); });
}

} // namespace ortho_cpp_test
