// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

using cases::Pair;
using ortho::grid::gap;

namespace test {

namespace {

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
        : layout(kind, n),
          buffer(layout.reach(), (slots_ + 1) * (layout.reach() + 16)),
          slots(slots_)
    {}
    int address(int slot) const { return slot * layout.count() * layout.extent(); }
};

/// An irregular side: a layout a slot, at displacements with room between them, in random order.
struct Irregular {
    std::vector<Layout> layouts;
    std::vector<int> addresses; // in ints
    Buffer buffer;

    /// `one_type`: all slots have the datatype of kind `kind`, so that displacements are in its extents.
    Irregular(Random& random, const std::vector<int>& ints, bool one_type, int kind)
        : addresses(ints.size()),
          buffer(0, 0)
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

/// Sizes that may differ from edge to edge, the same at both ends; 0 now and then.
int edge_ints(const Case& c, int from, int out_edge, int seed)
{
    return c.irregular(
        static_cast<int>((static_cast<unsigned>(from) * 7U + static_cast<unsigned>(out_edge) * 13U +
                          static_cast<unsigned>(seed)) %
                         static_cast<unsigned>(5 + c.processes() % 2)));
}

/// The ints of each send and receive slot.  Gaps have the size of their slot, as on the communicators
/// that assert it.
std::array<std::vector<int>, 2> slot_ints(const Case& c, const Sizes& ints)
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

Sizes edge_sizes(const Case& c, Random& random, const Sizes& given)
{
    const int seed = uniform(random, 0, 100);
    if (given) return given;
    return [&c, seed](int from, int out_edge) { return edge_ints(c, from, out_edge, seed); };
}
Sizes process_sizes(const Case& c, Random& random, bool same)
{
    const int seed = uniform(random, 0, 100);
    return [&c, seed, same](int process, int) { return same ? seed % 4 : edge_ints(c, process, 0, seed); };
}

/// Fill a side with what this process sends.
void fill(const Case& c, Irregular& send)
{
    for (std::size_t i = 0; i < send.layouts.size(); ++i)
        put(send.buffer, send.addresses[i], send.layouts[i],
            [&](int k) { return content(c.me, static_cast<int>(i), k); });
}
void fill(const Case& c, Regular& send)
{
    for (int i = 0; i < send.slots; ++i)
        put(send.buffer, send.address(i), send.layout, [&](int k) { return content(c.me, i, k); });
}
/// The receive buffer after the blocks over this process's in-edges have arrived; `personal`: a block for
/// each edge, else the sender's only one.
Buffer arriving(const Case& c, const Irregular& receive, bool personal)
{
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me)
            put(expected, receive.addresses[at(pair.in_edge)], receive.layouts[at(pair.in_edge)],
                [&](int k) { return content(pair.from, personal ? pair.out_edge : 0, k); });
    return expected;
}
Buffer arriving(const Case& c, const Regular& receive, bool personal)
{
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me)
            put(expected, receive.address(pair.in_edge), receive.layout,
                [&](int k) { return content(pair.from, personal ? pair.out_edge : 0, k); });
    return expected;
}

/// The sides' buffers move to where they outlive the call.
template <class Send, class Receive>
std::shared_ptr<Buffers> kept(Send& send, Receive& receive, Buffer expected, const char* what)
{
    return std::make_shared<Buffers>(std::move(send.buffer), std::move(receive.buffer), std::move(expected),
                                     what);
}

void barrier(Session& session, const Case& c)
{
    auto buffers = std::make_shared<Buffers>(Buffer(0, 0), Buffer(0, 0), Buffer(0, 0), "Barrier");
    buffers->rebind = Buffers::Rebind::never;
    session.call(ORTHO_Barrier, ORTHO_Ibarrier, ORTHO_Barrier_init, std::move(buffers), c.comm);
}

void bcast(Session& session, const Case& c, Dice dice, int root)
{
    Regular buffer(tiling_kind(dice.local), c.regular(dice.random), 1);
    const auto from_root = [&](int k) { return content(root, 0, k); };
    if (c.me == root) put(buffer.buffer, 0, buffer.layout, from_root);
    Buffer expected = buffer.buffer;
    if (std::ranges::any_of(c.graph.pairs, [&](const Pair& p) { return p.from == root && p.to == c.me; }))
        put(expected, 0, buffer.layout, from_root);
    auto buffers = std::make_shared<Buffers>(Buffer(0, 0), std::move(buffer.buffer), std::move(expected),
                                             "Bcast");
    buffers->rebind = Buffers::Rebind::receive_alone;
    void* const address = buffers->receive.address();
    session.call(FORMS(Bcast, Ibcast), std::move(buffers), address, buffer.layout.count(),
                 buffer.layout.type(), root, c.comm);
}

void gather(Session& session, const Case& c, Dice dice, int root)
{
    const int n = c.regular(dice.random);
    Regular send(tiling_kind(dice.local), n, 1);
    Regular receive(tiling_kind(dice.local), n, static_cast<int>(c.mine().sources.size()));
    fill(c, send);
    Buffer expected = c.me == root ? arriving(c, receive, false) : receive.buffer;
    auto buffers = kept(send, receive, std::move(expected), "Gather");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Gather, Igather), std::move(buffers), from, send.layout.count(), send.layout.type(),
                 to, receive.layout.count(), receive.layout.type(), root, c.comm);
}

void gatherv(Session& session, const Case& c, Dice dice, int root, bool same)
{
    const Sizes sizes = process_sizes(c, dice.random, same);
    const int kind = uniform(dice.local, 0, 1) * 3;
    Regular send(tiling_kind(dice.local), sizes(c.me, 0), 1);
    Irregular receive(dice.local, slot_ints(c, sizes)[1], true, kind);
    const Layout type(kind, 1);
    fill(c, send);
    Buffer expected = c.me == root ? arriving(c, receive, false) : receive.buffer;
    auto buffers = kept(send, receive, std::move(expected), "Gatherv");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Gatherv, Igatherv), std::move(buffers), from, send.layout.count(), send.layout.type(),
                 to, receive.counts(), receive.displacements(type.extent()), type.type(), root, c.comm);
}

/// If several edges lead from the root to this process, the last one's block stays.
Buffer scattered(const Case& c, const Regular& receive, int root)
{
    Buffer expected = receive.buffer;
    int last = -1;
    for (const Pair& pair : c.graph.pairs)
        if (pair.from == root && pair.to == c.me) last = std::max(last, pair.out_edge);
    if (last >= 0) put(expected, 0, receive.layout, [&](int k) { return content(root, last, k); });
    return expected;
}

void scatter(Session& session, const Case& c, Dice dice, int root)
{
    const int n = c.regular(dice.random);
    Regular send(tiling_kind(dice.local), n, static_cast<int>(c.mine().targets.size()));
    Regular receive(tiling_kind(dice.local), n, 1);
    fill(c, send);
    auto buffers = kept(send, receive, scattered(c, receive, root), "Scatter");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Scatter, Iscatter), std::move(buffers), from, send.layout.count(), send.layout.type(),
                 to, receive.layout.count(), receive.layout.type(), root, c.comm);
}

void scatterv(Session& session, const Case& c, Dice dice, int root)
{
    // Edges to one process must have its one count; other processes may have others.
    const int n = uniform(dice.random, 0, 5);
    const auto ints_of = [&](int process) { return c.irregular((n + 3 * process) % 5); };
    std::vector<int> ints;
    for (const int target : c.mine().targets) ints.push_back(target == gap ? 2 : ints_of(target));
    const int kind = uniform(dice.local, 0, 1) * 2;
    const Layout type(kind, 1);
    Irregular send(dice.local, ints, true, kind);
    Regular receive(tiling_kind(dice.local), ints_of(c.me), 1);
    fill(c, send);
    auto buffers = kept(send, receive, scattered(c, receive, root), "Scatterv");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Scatterv, Iscatterv), std::move(buffers), from, send.counts(),
                 send.displacements(type.extent()), type.type(), to, receive.layout.count(),
                 receive.layout.type(), root, c.comm);
}

} // namespace

void Buffers::verify() const
{
    const std::string difference = receive.difference(expected);
    if (!difference.empty()) fail("calls.cpp", 0, std::string(what) + " " + difference);
}

void Pending::start()
{
    buffers->receive.assign(buffers->before);
    CHECK_OK(ORTHO_Start(&request));
}

void Pending::rebind()
{
    using enum Buffers::Rebind;
    if (buffers->rebind == never) return;
    buffers = std::make_shared<Buffers>(*buffers);
    const void* const send = buffers->rebind == in_place        ? MPI_IN_PLACE
                             : buffers->rebind == receive_alone ? nullptr
                                                                : buffers->send.address();
    CHECK_OK(ORTHO_Request_rebind(request, send, buffers->receive.address()));
}

void Session::complete()
{
    const auto maybe_rebind = [&](Pending& call) {
        if ((at(++executions_) * 2654435761U >> 8) % 2 == at(rank()) % 2) call.rebind();
    };
    for (Pending& call : pending) {
        CHECK_OK(ORTHO_Wait(&call.request, MPI_STATUS_IGNORE));
        call.verify();
        if (!call.persistent) {
            CHECK(call.request == ORTHO_REQUEST_NULL);
            continue;
        }
        maybe_rebind(call);
        call.start();
        CHECK_OK(ORTHO_Wait(&call.request, MPI_STATUS_IGNORE));
        call.verify();
        maybe_rebind(call);
        call.buffers->receive.assign(call.buffers->before);
        CHECK_OK(ORTHO_Run(&call.request, MPI_STATUS_IGNORE));
        call.verify();
        CHECK_OK(ORTHO_Request_free(&call.request));
        CHECK(call.request == ORTHO_REQUEST_NULL);
    }
    pending.clear();
}

void alltoall(Session& session, const Case& c, Dice dice)
{
    const int n = c.regular(dice.random);
    Regular send(tiling_kind(dice.local), n, static_cast<int>(c.mine().targets.size()));
    Regular receive(tiling_kind(dice.local), n, static_cast<int>(c.mine().sources.size()));
    fill(c, send);
    auto buffers = kept(send, receive, arriving(c, receive, true), "Alltoall");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Alltoall, Ialltoall), std::move(buffers), from, send.layout.count(),
                 send.layout.type(), to, receive.layout.count(), receive.layout.type(), c.comm);
}

void alltoallv(Session& session, const Case& c, Dice dice, const Sizes& sizes)
{
    const auto ints = slot_ints(c, edge_sizes(c, dice.random, sizes));
    const int kinds[] = {uniform(dice.local, 0, 1) * 2, uniform(dice.local, 0, 1) * 3}; // types of one int
    Irregular send(dice.local, ints[0], true, kinds[0]);
    Irregular receive(dice.local, ints[1], true, kinds[1]);
    const Layout send_type(kinds[0], 1);
    const Layout receive_type(kinds[1], 1);
    fill(c, send);
    auto buffers = kept(send, receive, arriving(c, receive, true), "Alltoallv");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Alltoallv, Ialltoallv), std::move(buffers), from, send.counts(),
                 send.displacements(send_type.extent()), send_type.type(), to, receive.counts(),
                 receive.displacements(receive_type.extent()), receive_type.type(), c.comm);
}

void alltoallw(Session& session, const Case& c, Dice dice, const Sizes& sizes)
{
    const auto ints = slot_ints(c, edge_sizes(c, dice.random, sizes));
    Irregular send(dice.local, ints[0], false, 0);
    Irregular receive(dice.local, ints[1], false, 0);
    fill(c, send);
    auto buffers = kept(send, receive, arriving(c, receive, true), "Alltoallw");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Alltoallw, Ialltoallw), std::move(buffers), from, send.counts(),
                 send.byte_displacements(), send.types().data(), to, receive.counts(),
                 receive.byte_displacements(), receive.types().data(), c.comm);
}

void allgather(Session& session, const Case& c, Dice dice)
{
    const int n = c.regular(dice.random);
    Regular send(tiling_kind(dice.local), n, 1);
    Regular receive(tiling_kind(dice.local), n, static_cast<int>(c.mine().sources.size()));
    fill(c, send);
    auto buffers = kept(send, receive, arriving(c, receive, false), "Allgather");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Allgather, Iallgather), std::move(buffers), from, send.layout.count(),
                 send.layout.type(), to, receive.layout.count(), receive.layout.type(), c.comm);
}

void allgatherv(Session& session, const Case& c, Dice dice, bool same)
{
    const Sizes sizes = process_sizes(c, dice.random, same);
    const int kind = uniform(dice.local, 0, 1) * 3;
    Regular send(tiling_kind(dice.local), sizes(c.me, 0), 1);
    Irregular receive(dice.local, slot_ints(c, sizes)[1], true, kind);
    const Layout type(kind, 1);
    fill(c, send);
    auto buffers = kept(send, receive, arriving(c, receive, false), "Allgatherv");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Allgatherv, Iallgatherv), std::move(buffers), from, send.layout.count(),
                 send.layout.type(), to, receive.counts(), receive.displacements(type.extent()), type.type(),
                 c.comm);
}

void allgatherw(Session& session, const Case& c, Dice dice, bool same)
{
    const Sizes sizes = process_sizes(c, dice.random, same);
    Regular send(tiling_kind(dice.local), sizes(c.me, 0), 1);
    Irregular receive(dice.local, slot_ints(c, sizes)[1], false, 0);
    fill(c, send);
    auto buffers = kept(send, receive, arriving(c, receive, false), "Allgatherw");
    void* const from = buffers->send.address();
    void* const to = buffers->receive.address();
    session.call(FORMS(Allgatherw, Iallgatherw), std::move(buffers), from, send.layout.count(),
                 send.layout.type(), to, receive.counts(), receive.byte_displacements(),
                 receive.types().data(), c.comm);
}

void any_call(Session& session, const Case& c, Dice dice, int kind, const Reductions& reductions,
              const Sizes& sizes)
{
    const int root = uniform(dice.random, 0, c.processes() - 1);
    const bool same = static_cast<bool>(sizes);
    const Reduction& r =
        reductions.all()[at(uniform(dice.random, 0, static_cast<int>(reductions.all().size()) - 1))];
    switch (kind) {
    case 0: return barrier(session, c);
    case 1: return bcast(session, c, dice, root);
    case 2: return gather(session, c, dice, root);
    case 3: return gatherv(session, c, dice, root, same);
    case 4: return scatter(session, c, dice, root);
    case 5: return scatterv(session, c, dice, root);
    case 6: return allgather(session, c, dice);
    case 7: return allgatherv(session, c, dice, same);
    case 8: return allgatherw(session, c, dice, same);
    case 9: return alltoall(session, c, dice);
    case 10: return alltoallv(session, c, dice, sizes);
    case 11: return alltoallw(session, c, dice, sizes);
    case 12: return reduce(session, c, dice, r, root);
    case 13: return allreduce(session, c, dice, r);
    case 14: return reduce_scatter_block(session, c, dice, r);
    case 15: return reduce_scatterv(session, c, dice, r);
    default: fail("calls.cpp", 0, "no such kind of call");
    }
}

void every_call(Session& session, const Case& c, Dice dice, const Reductions& reductions, const Sizes& sizes)
{
    const int root = uniform(dice.random, 0, c.processes() - 1);
    for (int kind = 0; kind < 12; ++kind) any_call(session, c, dice, kind, reductions, sizes);
    for (const Reduction& r : reductions.all()) {
        reduce(session, c, dice, r, root);
        allreduce(session, c, dice, r);
        reduce_scatter_block(session, c, dice, r);
        reduce_scatterv(session, c, dice, r);
    }
    session.complete();
}

} // namespace test
