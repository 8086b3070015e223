// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: each collective in its three forms on full communicators, and on a ring; requests.
#include <type_traits>

#include "cpp.hpp"

namespace ortho_cpp_test {

namespace {

template <class C>
void full(const C& comm)
{
    const int p = test::size(), r = test::rank();
    Ints recv;
    // Block i of process r has two elements: 100 r + 2 i and the next.
    const Ints send = numbered(2 * p, 100 * r);
    IN_THREE_FORMS(
        alltoall, (send, recv, comm), [&] { recv.assign(at(2 * p), -1); },
        [&] {
            for (int i = 0; i < p; ++i) {
                CHECK_EQ(recv[at(2 * i)], 100 * i + 2 * r);
                CHECK_EQ(recv[at(2 * i + 1)], 100 * i + 2 * r + 1);
            }
        });
    const auto has_all = [&] {
        for (int i = 0; i < p; ++i) CHECK_EQ(recv[at(i)], 7 * i);
    };
    const int mine = 7 * r;
    IN_THREE_FORMS(
        allgather, (mine, recv, comm), [&] { recv.assign(at(p), -1); }, has_all);
    const int root = p - 1;
    const auto root_has_all = [&] {
        if (r == root) has_all();
    };
    IN_THREE_FORMS(
        gather, (mine, recv, root, comm), [&] { recv.assign(r == root ? at(p) : 0, -1); }, root_has_all);
    int one = -1;
    const Ints all = r == root ? numbered(p, 50) : Ints();
    IN_THREE_FORMS(
        scatter, (all, one, root, comm), [&] { one = -1; }, [&] { CHECK_EQ(one, 50 + r); });
    IN_THREE_FORMS(
        bcast, (one, root, comm), [&] { one = r == root ? 99 : -1; }, [&] { CHECK_EQ(one, 99); });
    IN_THREE_FORMS(
        barrier, (comm), [] {}, [] {});
    const Ints two = {r, 1};
    Ints sums(2);
    const auto no_sums = [&] { sums.assign(2, -1); };
    const int total = p * (p - 1) / 2;
    IN_THREE_FORMS(allreduce, (two, sums, std::plus<>{}, comm), no_sums, [&] { HAS(sums, total, p); });
    IN_THREE_FORMS(reduce, (two, sums, MPI_SUM, root, comm), no_sums, [&] {
        if (r == root) HAS(sums, total, p);
    });
    IN_THREE_FORMS(scan, (two, sums, std::plus<>{}, comm), no_sums,
                   [&] { HAS(sums, r * (r + 1) / 2, r + 1); });
    IN_THREE_FORMS(exscan, (two, sums, std::plus<>{}, comm), no_sums, [&] {
        if (r > 0) HAS(sums, r * (r - 1) / 2, r);
    });
    IN_THREE_FORMS(reduce_scatter, (send, sums, std::plus<>{}, comm), no_sums,
                   [&] { HAS(sums, 100 * total + p * 2 * r, 100 * total + p * (2 * r + 1)); });
    // The own block of those in the receive buffer comes to its beginning.
    Ints blocks_here = send;
    reduce_scatter(in_place, blocks_here, std::plus<>{}, comm);
    CHECK_EQ(blocks_here[0], 100 * total + p * 2 * r);
    CHECK_EQ(blocks_here[1], 100 * total + p * (2 * r + 1));
    if constexpr (!std::is_same_v<C, large>) {
        // Block i has i + 1 elements: all of them r.
        Ints counts = numbered(p, 1), equal(at(p), r + 1), places(at(p));
        for (int i = 0; i < p; ++i) places[at(i)] = i * (r + 1);
        const Ints blocks(at(p * (p + 1) / 2), r);
        const auto sent_each = [&] {
            for (int i = 0; i < p * (r + 1); ++i) CHECK_EQ(recv[at(i)], i / (r + 1));
        };
        const auto room = [&] { recv.assign(at(p * (r + 1)), -1); };
        IN_THREE_FORMS(alltoall, (blocks, counts, recv, equal, comm), room, sent_each);
        Ints send_places(at(p));
        for (int i = 0; i < p; ++i) send_places[at(i)] = i * (i + 1) / 2;
        IN_THREE_FORMS(alltoall, (blocks, counts, send_places, recv, equal, places, comm), room, sent_each);
        const Ints some(at(r + 1), r); // r + 1 elements from process r
        const auto triangle = [&] {
            for (int i = 0, k = 0; i < p; ++i)
                for (int j = 0; j <= i; ++j) CHECK_EQ(recv[at(k++)], i);
        };
        const auto triangle_room = [&] { recv.assign(at(p * (p + 1) / 2), -1); };
        IN_THREE_FORMS(allgather, (some, recv, counts, comm), triangle_room, triangle);
        IN_THREE_FORMS(allgather, (some, recv, counts, send_places, comm), triangle_room, triangle);
        const auto at_root = [&] {
            if (r == root) triangle();
        };
        IN_THREE_FORMS(gather, (some, recv, counts, root, comm), triangle_room, at_root);
        IN_THREE_FORMS(gather, (some, recv, counts, send_places, root, comm), triangle_room, at_root);
        const auto mine_only = [&] {
            for (int i = 0; i <= r; ++i) CHECK_EQ(recv[at(i)], root);
        };
        const auto my_room = [&] { recv.assign(at(r + 1), -1); };
        IN_THREE_FORMS(scatter, (blocks, counts, recv, root, comm), my_room, mine_only);
        IN_THREE_FORMS(scatter, (blocks, counts, send_places, recv, root, comm), my_room, mine_only);
        // Elsewhere than at the root the lists are not looked at.
        Ints nothing;
        const auto at_root_alone = [&](Ints& list) -> Ints& { return r == root ? list : nothing; };
        triangle_room();
        gather(some, at_root_alone(recv), at_root_alone(counts), root, comm);
        at_root();
        triangle_room();
        gather(some, at_root_alone(recv), counts, root, comm);
        at_root();
        triangle_room();
        gather(some, at_root_alone(recv), at_root_alone(counts), at_root_alone(send_places), root, comm);
        at_root();
        my_room();
        scatter(r == root ? blocks : nothing, at_root_alone(counts), recv, root, comm);
        mine_only();
        my_room();
        scatter(r == root ? blocks : nothing, counts, recv, root, comm);
        mine_only();
        my_room();
        scatter(blocks, at_root_alone(counts), at_root_alone(send_places), recv, root, comm);
        mine_only();
        const auto reduced = [&] {
            for (int i = 0; i <= r; ++i) CHECK_EQ(recv[at(i)], total);
        };
        IN_THREE_FORMS(reduce_scatter, (blocks, counts, recv, std::plus<>{}, comm), my_room, reduced);
        IN_THREE_FORMS(reduce_scatter, (blocks, counts, send_places, recv, std::plus<>{}, comm), my_room,
                       reduced);
        Ints reduced_here = blocks;
        reduce_scatter(in_place, counts, reduced_here, std::plus<>{}, comm);
        for (int i = 0; i <= r; ++i) CHECK_EQ(reduced_here[at(i)], total);
        std::vector<MPI_Aint> bytes(at(p)), send_bytes(at(p));
        for (int i = 0; i < p; ++i) {
            bytes[at(i)] = 4 * places[at(i)];
            send_bytes[at(i)] = 4 * send_places[at(i)];
        }
        const std::vector<MPI_Datatype> ints(at(p), MPI_INT);
        in_three_forms(
            [&] { alltoall(blocks.data(), counts, send_bytes, ints, recv.data(), equal, bytes, ints, comm); },
            [&] {
                return ialltoall(blocks.data(), counts, send_bytes, ints, recv.data(), equal, bytes, ints,
                                 comm);
            },
            [&] {
                recv.reserve(at(p * (r + 1)));
                return alltoall_init(blocks.data(), counts, send_bytes, ints, recv.data(), equal, bytes, ints,
                                     comm);
            },
            room, sent_each);
        IN_THREE_FORMS(allgather, (some, recv.data(), counts, send_bytes, ints, comm), triangle_room,
                       triangle);
        // In place.
        Ints here = numbered(p, 10 * r);
        alltoall(in_place, here, comm);
        for (int i = 0; i < p; ++i) CHECK_EQ(here[at(i)], 10 * i + r);
        int sum = r;
        allreduce(in_place, sum, std::plus<>{}, comm);
        CHECK_EQ(sum, total);
    } else {
        const std::vector<MPI_Count> counts(at(p), 2);
        recv.assign(at(2 * p), -1);
        alltoall(send, counts, recv, counts, comm);
        for (int i = 0; i < p; ++i) CHECK_EQ(recv[at(2 * i)], 100 * i + 2 * r);
    }
}

void on_ring()
{
    const ring o;
    const auto& g = o.g;
    CHECK_EQ(g.in_blocks(), 2);
    CHECK_EQ(g.out_blocks(), 2);
    CHECK(g.topology() == topology::graph);
    CHECK(g.sources() == Ints({o.left, o.right}));
    CHECK(g.destinations() == Ints({o.right, o.left}));
    CHECK_EQ(g.find({1}).in, 0);
    CHECK_EQ(g.neighbor({1}), o.right);
    CHECK_EQ(g.rank(), g.name().rank(g.coordinates()));
    CHECK(static_cast<bool>(g.isomorphic()));
    Ints recv(4);
    const Ints send = {10 * o.r, 10 * o.r + 1, 10 * o.r + 2, 10 * o.r + 3};
    IN_THREE_FORMS(
        alltoall, (send, recv, g), [&] { recv.assign(4, -1); },
        [&] { HAS(recv, 10 * o.left, 10 * o.left + 1, 10 * o.right + 2, 10 * o.right + 3); });
    Ints two(2);
    IN_THREE_FORMS(
        allgather, (o.r, two, g), [&] { two.assign(2, -1); }, [&] { HAS(two, o.left, o.right); });
    CHECK_EQ(g.neighbors().sum(o.r), o.left + o.right);
    CHECK_EQ(g.neighbors().max(o.r), std::max(o.left, o.right));
    CHECK_EQ(g.neighbors().min(o.r), std::min(o.left, o.right));
    CHECK_EQ(g.all().sum(o.r), o.p * (o.p - 1) / 2);
    const Ints counts = {1, 3};
    Ints sums(1);
    // A plain handle means the same, and so does a duplicate.
    const MPI_Comm plain = g;
    CHECK_EQ(allreduce(o.r, std::plus<>{}, plain), o.left + o.right);
    const communicator other = g.dup();
    CHECK_EQ(other.sum(o.r), o.left + o.right);
    CHECK_EQ(large(g).sum(o.r), o.left + o.right);
    alltoall(send, counts, recv, counts, plain);
    CHECK(recv == Ints({10 * o.left, 10 * o.right + 1, 10 * o.right + 2, 10 * o.right + 3}));
    const Ints ones = {1, 1};
    reduce_scatter(Ints{o.r, o.r + 100}, ones, sums, std::plus<>{}, g);
    CHECK_EQ(sums[0], o.left + o.right + 100);
    reduce_scatter(Ints{o.r, o.r + 100}, sums, std::plus<>{}, g);
    CHECK_EQ(sums[0], o.left + o.right + 100);
    reduce_scatter(Ints{o.r, o.r + 100}, ones, Ints{1, 0}, sums, std::plus<>{}, g);
    CHECK_EQ(sums[0], o.left + 100 + o.right);
    barrier(g);
    // On a graph scan has no meaning: the class is mpiortho's own.
    try {
        scan(o.r, std::plus<>{}, g);
        CHECK(false);
    } catch (const error& e) {
        CHECK_EQ(e.error_class(), ORTHO_ERR_UNDEFINED);
        CHECK_EQ(e.rank(), o.r);
    }
}

/// Operations that are waited for, tested, prepared, started together, moved.
void requests()
{
    const ring o;
    Ints a(2), b(2), sent = {o.r, o.r};
    {
        pending p = ialltoall(sent, a, o.g);
        pending q = ialltoall(sent, b, o.g);
        wait_all(p, q);
        CHECK(!p && !q);
        CHECK(a == Ints({o.left, o.right}) && a == b);
    }
    {
        std::array<pending, 3> three = {ialltoall(sent, a, o.g), pending(), iallgather(o.r, b, o.g)};
        int over = 0;
        for (int i = wait_any(three); i != -1; i = wait_any(three)) {
            CHECK(i == 0 || i == 2);
            ++over;
        }
        CHECK_EQ(over, 2);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        std::array<int, 2> indices{};
        int over = 0;
        for (int n = wait_some(two, indices); n > 0; n = wait_some(two, indices)) over += n;
        CHECK_EQ(over, 2);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        while (!test_all(two)) progress();
        CHECK(!two[0] && !two[1]);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        int first = -1;
        while (first == -1) first = test_any(two);
        CHECK(!two[at(first)] && two[at(1 - first)]);
        std::array<int, 2> indices{};
        while (test_some(two, indices) == 0) {}
        CHECK_EQ(indices[0], 1 - first);
    }
    {
        operation x = alltoall_init(sent, a, o.g);
        operation y = allgather_init(o.r, b, o.g);
        run_all(x, y);
        auto both = start_all(x, y);
        wait_all(both);
        auto [p, q] = start_all(x, y);
        while (!p.arrived(0)) progress();
        CHECK_EQ(a[0], o.left);
        wait_all(p, q);
        const std::string why = x.explain();
        CHECK(why.find("alltoall") != std::string::npos);
        std::ostringstream out;
        out << y.explain();
        CHECK(out.str().find("allgather") != std::string::npos);
        // A moved operation goes on; what is overwritten ends.
        operation z = std::move(x);
        pending r = z.start();
        r = z.get() == nullptr ? pending() : std::move(r);
        r.wait();
        y = std::move(z);
        y.run();
    }
    {
        pending p = ialltoall(sent, a, o.g);
        p = ialltoall(sent, b, o.g); // waits for the first
        CHECK(a == Ints({o.left, o.right}));
    } // waits for the second
    CHECK(b == Ints({o.left, o.right}));
}

} // namespace

void collectives()
{
    full(MPI_COMM_WORLD);
    full(comm_ref(MPI_COMM_WORLD));
    full(large(MPI_COMM_WORLD));
    on_ring();
    requests();
}

} // namespace ortho_cpp_test
