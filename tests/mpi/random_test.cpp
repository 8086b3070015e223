// SPDX-License-Identifier: BSD-3-Clause
// Every collective on random multigraphs and stencils, with random datatypes on both sides,
// against arithmetic: all processes know the whole graph, and an int says where it comes from.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "layouts.hpp"
#include "mpiortho.h"

using cases::Multigraph;
using cases::Pair;
using cases::Random;
using cases::uniform;
using ortho::grid::gap;
using test::Buffer;
using test::Layout;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Int k of what process `process` sends as block `block`.
int content(int process, int block, int k) { return 1'000'000 * process + 1'000 * block + k + 1; }

/// One test case: a graph, of which this process is `me`, on a communicator.
struct Case {
    const Multigraph& graph;
    MPI_Comm comm;
    int me;
    const ortho::grid::LocalGraph& mine() const { return graph.processes[at(me)]; }
    int processes() const { return static_cast<int>(graph.processes.size()); }
};

std::vector<int> to_mpi(std::vector<int> list)
{
    std::ranges::replace(list, gap, MPI_PROC_NULL);
    return list;
}

MPI_Comm make_comm(MPI_Comm base, const ortho::grid::LocalGraph& mine, MPI_Info info = MPI_INFO_NULL)
{
    const auto sources = to_mpi(mine.sources);
    const auto targets = to_mpi(mine.targets);
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(base, static_cast<int>(sources.size()), sources.data(),
                                              MPI_UNWEIGHTED, static_cast<int>(targets.size()),
                                              targets.data(), MPI_UNWEIGHTED, info, 0, &comm));
    return comm;
}

/// Fill or expect a block: `value(k)` for each int.
template <class Value>
void put(Buffer& buffer, int address, const Layout& layout, Value value)
{
    for (int k = 0; k < layout.ints(); ++k) buffer[address + layout.position(k)] = value(k);
}

int tiling_kind(Random& random)
{
    const int kind = uniform(random, 0, Layout::kinds - 1);
    return kind == 5 ? 0 : kind;
}

/// A regular side: blocks of one layout, one after the other.
struct Regular {
    Layout layout;
    Buffer buffer;
    int slots;

    Regular(int kind, int n, int slots_)
        : layout(kind, n), buffer(layout.reach(), (slots_ + 1) * (layout.reach() + 16)), slots(slots_)
    {
    }
    int address(int slot) const { return slot * layout.count() * layout.extent(); }
};

/// An irregular side: a layout a slot, at displacements with room between them, in random order.
struct Irregular {
    std::vector<Layout> layouts;
    std::vector<int> addresses; // in ints
    Buffer buffer;

    /// `one_type`: all slots have the datatype of kind `kind`, so that displacements are in its extents.
    Irregular(Random& random, const std::vector<int>& ints, bool one_type, int kind)
        : addresses(ints.size()), buffer(0, 0)
    {
        std::vector<int> order(ints.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, random);
        for (const int n : ints)
            layouts.emplace_back(one_type ? kind : uniform(random, 0, Layout::kinds - 1), n);
        int next = 16;
        for (const int slot : order) {
            const int step = layouts[at(slot)].reach();
            const int unit = one_type ? Layout(kind, 1).extent() : 1;
            next = (next + unit - 1) / unit * unit;
            addresses[at(slot)] = next + (step / unit + 1) * unit;
            next += 2 * (step / unit + 1) * unit;
        }
        buffer = Buffer(16, next + 16);
    }
    std::vector<int> counts() const
    {
        std::vector<int> result;
        for (const Layout& layout : layouts) result.push_back(layout.count());
        return result;
    }
    std::vector<int> displacements(int unit) const
    {
        std::vector<int> result;
        for (const int address : addresses) result.push_back(address / unit);
        return result;
    }
    std::vector<MPI_Aint> byte_displacements() const
    {
        std::vector<MPI_Aint> result;
        for (const int address : addresses) result.push_back(MPI_Aint{4} * address);
        return result;
    }
    std::vector<MPI_Datatype> types() const
    {
        std::vector<MPI_Datatype> result;
        for (const Layout& layout : layouts) result.push_back(layout.type());
        return result;
    }
};

void compare(const Buffer& have, const Buffer& expected, const char* what)
{
    const std::string difference = have.difference(expected);
    if (!difference.empty()) test::fail("random_test", 0, std::string(what) + " " + difference);
}

void alltoall(const Case& c, Random& random, Random& local)
{
    const int n = uniform(random, 0, 5);
    Regular send(tiling_kind(local), n, static_cast<int>(c.mine().targets.size()));
    Regular receive(tiling_kind(local), n, static_cast<int>(c.mine().sources.size()));
    for (int i = 0; i < send.slots; ++i)
        put(send.buffer, send.address(i), send.layout, [&](int k) { return content(c.me, i, k); });
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me)
            put(expected, receive.address(pair.in_edge), receive.layout,
                [&](int k) { return content(pair.from, pair.out_edge, k); });
    const Buffer sent = send.buffer;
    for (int repeat = 0; repeat < 2; ++repeat) { // the second time from what the first one kept
        CHECK_OK(ORTHO_Alltoall(send.buffer.address(), send.layout.count(), send.layout.type(),
                                receive.buffer.address(), receive.layout.count(), receive.layout.type(),
                                c.comm));
        compare(receive.buffer, expected, "Alltoall");
    }
    compare(send.buffer, sent, "Alltoall's send buffer");
}

/// Sizes that may differ from edge to edge, the same at both ends; 0 now and then.
int edge_ints(const Case& c, int from, int out_edge, int seed)
{
    return static_cast<int>((static_cast<unsigned>(from) * 7U + static_cast<unsigned>(out_edge) * 13U +
                             static_cast<unsigned>(seed)) %
                            static_cast<unsigned>(5 + c.processes() % 2));
}

/// The ints of each send and receive slot when edge sizes are `ints(from, out_edge)`.  Gaps have
/// the size of their slot, as on the communicators that assert it.
template <class Ints>
std::array<std::vector<int>, 2> slot_ints(const Case& c, Ints ints)
{
    std::array<std::vector<int>, 2> result;
    for (std::size_t i = 0; i < c.mine().targets.size(); ++i)
        result[0].push_back(c.mine().targets[i] == gap ? ints(c.me, static_cast<int>(i)) : 0);
    for (std::size_t i = 0; i < c.mine().sources.size(); ++i)
        result[1].push_back(c.mine().sources[i] == gap ? ints(c.me, static_cast<int>(i)) : 0);
    for (const Pair& pair : c.graph.pairs) {
        if (pair.from == c.me) result[0][at(pair.out_edge)] = ints(pair.from, pair.out_edge);
        if (pair.to == c.me) result[1][at(pair.in_edge)] = ints(pair.from, pair.out_edge);
    }
    return result;
}

void alltoallv(const Case& c, Random& random, Random& local, const std::function<int(int, int)>& given)
{
    const int seed = uniform(random, 0, 100);
    const auto edge = [&](int from, int out_edge) {
        return given ? given(from, out_edge) : edge_ints(c, from, out_edge, seed);
    };
    const auto ints = slot_ints(c, edge);
    const int kinds[] = {uniform(local, 0, 1) * 2, uniform(local, 0, 1) * 3}; // types of one int
    Irregular send(local, ints[0], true, kinds[0]);
    Irregular receive(local, ints[1], true, kinds[1]);
    const Layout send_type(kinds[0], 1);
    const Layout receive_type(kinds[1], 1);
    for (std::size_t i = 0; i < send.layouts.size(); ++i)
        put(send.buffer, send.addresses[i], send.layouts[i],
            [&](int k) { return content(c.me, static_cast<int>(i), k); });
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me)
            put(expected, receive.addresses[at(pair.in_edge)], receive.layouts[at(pair.in_edge)],
                [&](int k) { return content(pair.from, pair.out_edge, k); });
    CHECK_OK(ORTHO_Alltoallv(send.buffer.address(), send.counts().data(),
                             send.displacements(send_type.extent()).data(), send_type.type(),
                             receive.buffer.address(), receive.counts().data(),
                             receive.displacements(receive_type.extent()).data(), receive_type.type(), c.comm));
    compare(receive.buffer, expected, "Alltoallv");
}

void alltoallw(const Case& c, Random& random, Random& local, const std::function<int(int, int)>& given)
{
    const int seed = uniform(random, 0, 100);
    const auto edge = [&](int from, int out_edge) {
        return given ? given(from, out_edge) : edge_ints(c, from, out_edge, seed);
    };
    const auto ints = slot_ints(c, edge);
    Irregular send(local, ints[0], false, 0);
    Irregular receive(local, ints[1], false, 0);
    for (std::size_t i = 0; i < send.layouts.size(); ++i)
        put(send.buffer, send.addresses[i], send.layouts[i],
            [&](int k) { return content(c.me, static_cast<int>(i), k); });
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me)
            put(expected, receive.addresses[at(pair.in_edge)], receive.layouts[at(pair.in_edge)],
                [&](int k) { return content(pair.from, pair.out_edge, k); });
    CHECK_OK(ORTHO_Alltoallw(send.buffer.address(), send.counts().data(), send.byte_displacements().data(),
                             send.types().data(), receive.buffer.address(), receive.counts().data(),
                             receive.byte_displacements().data(), receive.types().data(), c.comm));
    compare(receive.buffer, expected, "Alltoallw");
}

enum class Gathers { allgather, gather };

/// Allgather to all, or Gather to `root`.
void gather(const Case& c, Random& random, Random& local, Gathers which, int root)
{
    const bool to_root = which == Gathers::gather;
    const int n = uniform(random, 0, 5);
    Regular send(tiling_kind(local), n, 1);
    Regular receive(tiling_kind(local), n, static_cast<int>(c.mine().sources.size()));
    put(send.buffer, 0, send.layout, [&](int k) { return content(c.me, 0, k); });
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me && (!to_root || c.me == root))
            put(expected, receive.address(pair.in_edge), receive.layout,
                [&](int k) { return content(pair.from, 0, k); });
    if (to_root)
        CHECK_OK(ORTHO_Gather(send.buffer.address(), send.layout.count(), send.layout.type(),
                              receive.buffer.address(), receive.layout.count(), receive.layout.type(), root,
                              c.comm));
    else
        CHECK_OK(ORTHO_Allgather(send.buffer.address(), send.layout.count(), send.layout.type(),
                                 receive.buffer.address(), receive.layout.count(), receive.layout.type(),
                                 c.comm));
    compare(receive.buffer, expected, to_root ? "Gather" : "Allgather");
}

enum class Vector { gatherv, allgatherv, allgatherw };

/// The v and w forms: each process sends as many ints as it likes (`same`: all as many).
void gatherv(const Case& c, Random& random, Random& local, Vector which, int root, bool same)
{
    const bool to_root = which == Vector::gatherv;
    const bool typed = which == Vector::allgatherw;
    const int seed = uniform(random, 0, 100);
    const auto process_ints = [&](int process) { return same ? seed % 4 : edge_ints(c, process, 0, seed); };
    const auto ints = slot_ints(c, [&](int from, int) { return process_ints(from); });
    const int kind = uniform(local, 0, 1) * 3;
    Regular send(tiling_kind(local), process_ints(c.me), 1);
    Irregular receive(local, ints[1], !typed, kind);
    const Layout type(kind, 1);
    put(send.buffer, 0, send.layout, [&](int k) { return content(c.me, 0, k); });
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me && (!to_root || c.me == root))
            put(expected, receive.addresses[at(pair.in_edge)], receive.layouts[at(pair.in_edge)],
                [&](int k) { return content(pair.from, 0, k); });
    if (which == Vector::gatherv)
        CHECK_OK(ORTHO_Gatherv(send.buffer.address(), send.layout.count(), send.layout.type(),
                               receive.buffer.address(), receive.counts().data(),
                               receive.displacements(type.extent()).data(), type.type(), root, c.comm));
    else if (which == Vector::allgatherv)
        CHECK_OK(ORTHO_Allgatherv(send.buffer.address(), send.layout.count(), send.layout.type(),
                                  receive.buffer.address(), receive.counts().data(),
                                  receive.displacements(type.extent()).data(), type.type(), c.comm));
    else
        CHECK_OK(ORTHO_Allgatherw(send.buffer.address(), send.layout.count(), send.layout.type(),
                                  receive.buffer.address(), receive.counts().data(),
                                  receive.byte_displacements().data(), receive.types().data(), c.comm));
    compare(receive.buffer, expected, to_root ? "Gatherv" : typed ? "Allgatherw" : "Allgatherv");
}

void scatter(const Case& c, Random& random, Random& local, int root, bool irregular)
{
    const int n = uniform(random, 0, 5);
    // Edges to one process must have its one count; other processes may have others.
    const auto ints_of = [&](int process) { return irregular ? (n + 3 * process) % 5 : n; };
    std::vector<int> ints;
    for (const int target : c.mine().targets) ints.push_back(target == gap ? 2 : ints_of(target));
    Regular receive(tiling_kind(local), ints_of(c.me), 1);
    Buffer expected = receive.buffer;
    int last = -1;
    for (const Pair& pair : c.graph.pairs)
        if (pair.from == root && pair.to == c.me) last = std::max(last, pair.out_edge);
    if (last >= 0) put(expected, 0, receive.layout, [&](int k) { return content(root, last, k); });
    if (irregular) {
        const int kind = uniform(local, 0, 1) * 2;
        const Layout type(kind, 1);
        Irregular send(local, ints, true, kind);
        for (std::size_t i = 0; i < send.layouts.size(); ++i)
            put(send.buffer, send.addresses[i], send.layouts[i],
                [&](int k) { return content(c.me, static_cast<int>(i), k); });
        CHECK_OK(ORTHO_Scatterv(send.buffer.address(), send.counts().data(),
                                send.displacements(type.extent()).data(), type.type(),
                                receive.buffer.address(), receive.layout.count(), receive.layout.type(), root,
                                c.comm));
    } else {
        Regular send(tiling_kind(local), n, static_cast<int>(c.mine().targets.size()));
        for (int i = 0; i < send.slots; ++i)
            put(send.buffer, send.address(i), send.layout, [&](int k) { return content(c.me, i, k); });
        CHECK_OK(ORTHO_Scatter(send.buffer.address(), send.layout.count(), send.layout.type(),
                               receive.buffer.address(), receive.layout.count(), receive.layout.type(), root,
                               c.comm));
    }
    compare(receive.buffer, expected, irregular ? "Scatterv" : "Scatter");
}

void bcast(const Case& c, Random& random, Random& local, int root)
{
    const int n = uniform(random, 0, 5);
    Regular buffer(tiling_kind(local), n, 1);
    const auto from_root = [&](int k) { return content(root, 0, k); };
    if (c.me == root) put(buffer.buffer, 0, buffer.layout, from_root);
    Buffer expected = buffer.buffer;
    if (std::ranges::any_of(c.graph.pairs, [&](const Pair& p) { return p.from == root && p.to == c.me; }))
        put(expected, 0, buffer.layout, from_root);
    CHECK_OK(ORTHO_Bcast(buffer.buffer.address(), buffer.layout.count(), buffer.layout.type(), root, c.comm));
    compare(buffer.buffer, expected, "Bcast");
}

// Reductions.  An element is two ints (a, b) that stand for x -> a x + b modulo a prime; composing
// such maps is associative and does not commute.

constexpr int prime = 10'007;

void compose(void* in, void* inout, int* length, MPI_Datatype*)
{
    const int* x = static_cast<int*>(in);
    int* y = static_cast<int*>(inout);
    for (int i = 0; i < *length; ++i, x += 2, y += 2) {
        y[1] = (x[0] * y[1] + x[1]) % prime;
        y[0] = x[0] * y[0] % prime;
    }
}

/// The same on elements whose data begins 16 bytes before their address, 32 bytes apart.
void compose_shifted(void* in, void* inout, int* length, MPI_Datatype*)
{
    for (int i = 0; i < *length; ++i) {
        int one = 1;
        compose(static_cast<int*>(in) - 4 + 8 * i, static_cast<int*>(inout) - 4 + 8 * i, &one, nullptr);
    }
}

struct Reduction {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int step;  // ints from one element to the next
    int shift; // ints from the address to the data
    bool sums; // one int an element, MPI_SUM
};

int element(const Reduction& r, int process, int block, int i, int part)
{
    return r.sums ? content(process, block, i)
                  : 1 + (31 * process + 17 * block + 7 * i + 3 * part) % (prime - 1);
}

void put_element(const Reduction& r, Buffer& buffer, int i, const std::array<int, 2>& value)
{
    buffer[i * r.step + r.shift] = value[0];
    if (!r.sums) buffer[i * r.step + r.shift + 1] = value[1];
}

/// The reduction over this process's in-edges in their order; nothing is put if it has none.
void expect_reduction(const Case& c, const Reduction& r, int count, bool personal, Buffer& expected)
{
    std::vector<Pair> in;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me) in.push_back(pair);
    std::ranges::sort(in, {}, &Pair::in_edge);
    for (int i = 0; i < count && !in.empty(); ++i) {
        std::array<int, 2> result{};
        for (std::size_t e = in.size(); e-- > 0;) {
            std::array<int, 2> left{};
            for (int part = 0; part < 2; ++part)
                left[at(part)] = element(r, in[e].from, personal ? in[e].out_edge : 0, i, part);
            if (e + 1 == in.size()) {
                result = left;
            } else if (r.sums) {
                result[0] += left[0];
            } else {
                int one = 1;
                compose(left.data(), result.data(), &one, nullptr);
            }
        }
        put_element(r, expected, i, result);
    }
}

void fill_block(const Reduction& r, Buffer& buffer, int address, int me, int block, int count)
{
    for (int i = 0; i < count; ++i)
        put_element(r, buffer, address / r.step + i,
                    {element(r, me, block, i, 0), element(r, me, block, i, 1)});
}

void reductions(const Case& c, Random& random, const Reduction& r, int root)
{
    const int count = uniform(random, 0, 4);
    const int room = 8 * (count + 2);
    const auto blocks = static_cast<int>(c.mine().targets.size());

    Buffer send(8, room);
    fill_block(r, send, 0, c.me, 0, count);
    const Buffer empty(8, room);

    for (const bool everywhere : {true, false}) {
        Buffer expected = empty;
        if (everywhere || c.me == root) expect_reduction(c, r, count, false, expected);
        for (const bool in_place : {false, true}) {
            // In place the result takes the contribution's place; without in-edges it stays.
            Buffer receive = in_place ? send : empty;
            Buffer wanted = expected;
            if (in_place) {
                wanted = send;
                if (everywhere || c.me == root) expect_reduction(c, r, count, false, wanted);
            }
            if (everywhere) {
                CHECK_OK(ORTHO_Allreduce(in_place ? MPI_IN_PLACE : send.address(), receive.address(), count,
                                         r.type, r.op, c.comm));
            } else {
                const void* from = in_place && c.me == root ? MPI_IN_PLACE : send.address();
                CHECK_OK(ORTHO_Reduce(from, receive.address(), count, r.type, r.op, root, c.comm));
            }
            compare(receive, wanted, everywhere ? "Allreduce" : "Reduce");
        }
    }

    Buffer personal(8, room * (blocks + 1));
    for (int block = 0; block < blocks; ++block)
        fill_block(r, personal, block * count * r.step, c.me, block, count);
    Buffer expected = empty;
    expect_reduction(c, r, count, true, expected);
    Buffer receive = empty;
    CHECK_OK(ORTHO_Reduce_scatter_block(personal.address(), receive.address(), count, r.type, r.op, c.comm));
    compare(receive, expected, "Reduce_scatter_block");

    // v: blocks in reverse order with room between them.
    std::vector<int> counts(at(blocks), count);
    std::vector<int> displacements;
    Buffer spread(8, (room + r.step) * (blocks + 1));
    for (int block = 0; block < blocks; ++block) {
        displacements.push_back((blocks - 1 - block) * (count + 1));
        fill_block(r, spread, displacements.back() * r.step, c.me, block, count);
    }
    receive = empty;
    CHECK_OK(ORTHO_Reduce_scatterv(spread.address(), counts.data(), displacements.data(), receive.address(),
                                   count, r.type, r.op, c.comm));
    compare(receive, expected, "Reduce_scatterv");
}

/// Every collective once.  `same_sizes`: v and w forms with sizes that depend on the slot only.
void everything(const Case& c, Random& random, const std::vector<Reduction>& all_reductions,
                const std::function<int(int, int)>& sizes)
{
    // Processes draw datatypes of their own, but counts and roots together.
    Random local(random() + static_cast<unsigned>(c.me));
    const int root = uniform(random, 0, c.processes() - 1);
    CHECK_OK(ORTHO_Barrier(c.comm));
    bcast(c, random, local, root);
    gather(c, random, local, Gathers::gather, root);
    gather(c, random, local, Gathers::allgather, root);
    for (const Vector which : {Vector::gatherv, Vector::allgatherv, Vector::allgatherw})
        gatherv(c, random, local, which, root, static_cast<bool>(sizes));
    for (const bool irregular : {false, true}) scatter(c, random, local, root, irregular);
    alltoall(c, random, local);
    alltoallv(c, random, local, sizes);
    alltoallw(c, random, local, sizes);
    for (const Reduction& r : all_reductions) reductions(c, random, r, root);
}

void on_random_graphs(Random& random, int repeats, const std::vector<Reduction>& all_reductions)
{
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const Multigraph graph = cases::random_graph(random, test::size(), 6 * test::size());
        MPI_Comm comm = make_comm(MPI_COMM_WORLD, graph.processes[at(test::rank())]);
        everything({graph, comm, test::rank()}, random, all_reductions, {});
        MPI_Comm_free(&comm);
    }
}

ortho::grid::Grid grid_of(Random& random, int p)
{
    for (;;) {
        ortho::grid::Grid grid = cases::random_grid(random, 3, p);
        if (grid.points() == p) return grid;
        if (uniform(random, 0, 9) == 0)
            return ortho::grid::Grid({p}, {static_cast<char>(uniform(random, 0, 1))});
    }
}

void name(MPI_Comm comm, const ortho::grid::Grid& grid)
{
    std::vector<int> order;
    std::vector<int> period;
    for (int k = 0; k < grid.dimensions(); ++k) {
        order.push_back(grid.size(k));
        period.push_back(grid.periodic(k) ? 1 : 0);
    }
    int size = 0;
    CHECK_OK(ORTHO_Cart_name(comm, grid.dimensions(),
                             grid.order() == ortho::grid::Order::row_major ? ORTHO_ROWMAJOR : ORTHO_COLMAJOR,
                             order.data(), period.data(), &size));
    CHECK_EQ(size, grid.points());
}

/// Stencils by way of named communicators and lists in any order.  `algorithms`: what is bound.
void on_stencils(Random& random, int repeats, const char* algorithms,
                 const std::vector<Reduction>& all_reductions)
{
    MPI_Comm base = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const ortho::grid::Grid grid = grid_of(random, test::size());
        const auto n = ortho::grid::canonical(
                           grid, cases::random_stencil(random, grid.dimensions(), 9, 2))
                           .neighborhood;
        const Multigraph graph = cases::shuffled_graph(random, n);
        name(base, grid);
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "ortho_algorithm", *algorithms == '\0' ? "auto" : algorithms);
        MPI_Info_set(info, "ortho_assert_uniform", "true");
        MPI_Comm comm = make_comm(base, graph.processes[at(test::rank())], info);
        MPI_Info_free(&info);
        int flag = 0;
        int t = -1;
        CHECK_OK(ORTHO_Comm_isomorphic(comm, &flag, &t));
        CHECK_EQ(flag, 1);
        CHECK_EQ(t, n.size());

        // A size for each offset, the same everywhere, as asserted.
        std::vector<std::vector<int>> offset_of(at(grid.points()));
        for (const auto& process : graph.processes)
            offset_of[at(process.rank)].resize(process.targets.size());
        std::vector<int> offset(at(grid.dimensions()));
        for (const auto& process : graph.processes) {
            for (std::size_t e = 0; e < process.targets.size(); ++e) {
                grid.offset(process.rank, process.targets[e], offset);
                int code = 0;
                for (const int x : offset) code = 5 * code + x + 2;
                offset_of[at(process.rank)][e] = (code % 4 + 4) % 4;
            }
        }
        // A bound call that cannot be served is an error, and is tested elsewhere.
        const bool may_combine = *algorithms == '\0';
        if (may_combine)
            everything({graph, comm, test::rank()}, random, all_reductions,
                       [&](int from, int out_edge) { return offset_of[at(from)][at(out_edge)]; });
        else if (grid.is_torus()) {
            const Case c{graph, comm, test::rank()};
            Random local(random() + static_cast<unsigned>(test::rank()));
            alltoall(c, random, local);
            alltoallv(c, random, local,
                      [&](int from, int out_edge) { return offset_of[at(from)][at(out_edge)]; });
            alltoallw(c, random, local,
                      [&](int from, int out_edge) { return offset_of[at(from)][at(out_edge)]; });
            gather(c, random, local, Gathers::allgather, 0);
            gatherv(c, random, local, Vector::allgatherv, 0, true);
            gatherv(c, random, local, Vector::allgatherw, 0, true);
        }
        MPI_Comm_free(&comm);
    }
    MPI_Comm_free(&base);
}

/// The graph of ORTHO_Cart_neighborhood_create: block i to slot i, gaps at borders.
Multigraph neighborhood_graph(const ortho::grid::Grid& grid, const ortho::grid::Stencil& stencil)
{
    Multigraph graph;
    for (int r = 0; r < grid.points(); ++r) {
        ortho::grid::LocalGraph process{r, {}, {}};
        for (int i = 0; i < stencil.size(); ++i) {
            process.targets.push_back(grid.neighbor(r, stencil[i]));
            process.sources.push_back(grid.neighbor_against(r, stencil[i]));
            if (process.targets.back() != gap) graph.pairs.push_back({r, i, process.targets.back(), i});
        }
        graph.processes.push_back(std::move(process));
    }
    return graph;
}

void on_cart_neighborhoods(Random& random, int repeats, const char* algorithms,
                           const std::vector<Reduction>& all_reductions)
{
    for (int repeat = 0; repeat < repeats; ++repeat) {
        // Grids smaller than the communicator, too.
        ortho::grid::Grid any = grid_of(random, uniform(random, (test::size() + 1) / 2, test::size()));
        std::vector<int> dims;
        std::vector<int> periods;
        std::vector<char> periodic;
        for (int k = 0; k < any.dimensions(); ++k) {
            dims.push_back(any.size(k));
            periods.push_back(any.periodic(k) ? 7 : 0);
            periodic.push_back(any.periodic(k) ? 1 : 0);
        }
        const ortho::grid::Grid grid(dims, periodic); // row-major
        const auto stencil = cases::random_stencil(random, grid.dimensions(), 9, 2);
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "ortho_algorithm", *algorithms == '\0' ? "auto" : algorithms);
        MPI_Info_set(info, "ortho_assert_uniform", "TRUE");
        MPI_Comm comm = MPI_COMM_NULL;
        CHECK_OK(ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, grid.dimensions(), dims.data(),
                                                periods.data(), stencil.size(), stencil.flat().data(),
                                                MPI_UNWEIGHTED, info, 0, &comm));
        MPI_Info_free(&info);
        const Multigraph graph = neighborhood_graph(grid, stencil);
        if (test::rank() >= grid.points()) {
            CHECK(comm == MPI_COMM_NULL);
            continue;
        }
        CHECK_EQ(test::rank(comm), test::rank());
        // Sizes are the same for the same slot everywhere, gaps included.
        const auto sizes = [](int, int slot) { return 1 + slot % 3; };
        Random shared(static_cast<unsigned>(repeat) + 99U);
        const Case c{graph, comm, test::rank()};
        if (*algorithms == '\0') {
            everything(c, shared, all_reductions, sizes);
        } else {
            Random local(shared() + static_cast<unsigned>(test::rank()));
            alltoall(c, shared, local);
            alltoallv(c, shared, local, sizes);
            alltoallw(c, shared, local, sizes);
            gather(c, shared, local, Gathers::allgather, 0);
            gatherv(c, shared, local, Vector::allgatherv, 0, true);
            gatherv(c, shared, local, Vector::allgatherw, 0, true);
        }
        MPI_Comm_free(&comm);
    }
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const char* given = std::getenv("ORTHO_TEST_REPEATS");
    // MPICH spins where there are more processes than cores: fewer communicators there.
#ifdef MPICH_VERSION
    const int usual = test::size() <= 2 ? 20 : 6;
#else
    const int usual = 20;
#endif
    const int repeats = given != nullptr ? std::atoi(given) : usual;
    const char* seed = std::getenv("ORTHO_TEST_SEED");
    Random random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1234U);

    std::vector<Reduction> all_reductions(3);
    all_reductions[0] = {MPI_SUM, MPI_INT, 1, 0, true};
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    all_reductions[1] = {MPI_OP_NULL, pair, 2, 0, false};
    MPI_Op_create(compose, 0, &all_reductions[1].op);
    MPI_Datatype back = MPI_DATATYPE_NULL;
    MPI_Datatype shifted = MPI_DATATYPE_NULL;
    const MPI_Aint displacement = -16;
    MPI_Type_create_hindexed_block(1, 2, &displacement, MPI_INT, &back);
    MPI_Type_create_resized(back, -16, 32, &shifted);
    MPI_Type_commit(&shifted);
    all_reductions[2] = {MPI_OP_NULL, shifted, 8, -4, false};
    MPI_Op_create(compose_shifted, 0, &all_reductions[2].op);

    on_random_graphs(random, repeats, all_reductions);
    on_stencils(random, repeats, "", all_reductions);
    on_stencils(random, repeats, "alltoall_combining,allgather_combining", all_reductions);
    on_stencils(random, repeats, "alltoall_direct,allgather_direct", all_reductions);
    on_cart_neighborhoods(random, repeats, "", all_reductions);
    on_cart_neighborhoods(random, repeats, "alltoall_combining,allgather_combining", all_reductions);

    MPI_Op_free(&all_reductions[1].op);
    MPI_Op_free(&all_reductions[2].op);
    for (MPI_Datatype* type : {&pair, &back, &shifted}) MPI_Type_free(type);
    return test::finish();
}
