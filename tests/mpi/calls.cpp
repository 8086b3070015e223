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

int any_kind(const Case& c, Random& random)
{
    return c.layout >= 0 ? c.layout : uniform(random, 0, Layout::kinds - 1);
}
int tiling_kind(const Case& c, Random& random)
{
    const int kind = any_kind(c, random);
    return kind == 5 ? 0 : kind;
}
/// Plain ints or those of another kind.
int kind_of_one(const Case& c, Random& random, int other)
{
    return c.layout >= 0 ? c.layout : uniform(random, 0, 1) * other;
}

/// A regular side: blocks of one layout, one after the other.
class Regular {
public:
    Buffer buffer;

    Regular(const Case& c, Dice dice, int n, int slots)
        : buffer(0, 0),
          layout_(tiling_kind(c, dice.local), n),
          slots_(slots)
    {
        buffer = Buffer(layout_.reach(), (slots + 1) * (layout_.reach() + 16));
    }
    int slots() const { return slots_; }
    int address(int slot) const { return slot * layout_.count() * layout_.extent(); }
    const Layout& layout(int = 0) const { return layout_; }
    auto arguments(void* place) const { return std::tuple(place, layout_.count(), layout_.type()); }

private:
    Layout layout_;
    int slots_;
};

/// An irregular side: a layout a slot, at displacements with room between them, in random order.
class Irregular {
public:
    Buffer buffer;

    /// `kind`: of the next slot.  Displacements are multiples of `unit` ints.
    Irregular(Random& random, const std::vector<int>& ints, int unit, const std::function<int()>& kind)
        : buffer(0, 0),
          unit_(unit),
          addresses_(ints.size())
    {
        std::vector<int> order(ints.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, random);
        for (const int n : ints) layouts_.emplace_back(kind(), n);
        int next = 16;
        for (const int slot : order) {
            const int step = (layout(slot).reach() / unit + 1) * unit;
            next = (next + unit - 1) / unit * unit;
            addresses_[at(slot)] = next + step;
            next += 2 * step;
        }
        buffer = Buffer(16, next + 16);
    }
    int slots() const { return static_cast<int>(layouts_.size()); }
    int address(int slot) const { return addresses_[at(slot)]; }
    const Layout& layout(int slot) const { return layouts_[at(slot)]; }

protected:
    std::vector<int> counts() const
    {
        std::vector<int> result;
        for (const Layout& layout : layouts_) result.push_back(layout.count());
        return result;
    }
    std::vector<MPI_Aint> displacements(int bytes_of_int) const
    {
        std::vector<MPI_Aint> result;
        for (const int address : addresses_) result.push_back(MPI_Aint{bytes_of_int} * address / unit_);
        return result;
    }

    int unit_;
    std::vector<int> addresses_; // in ints
    std::vector<Layout> layouts_;
};

/// All slots have one datatype, of an int.
class OneType : public Irregular {
public:
    OneType(const Case& c, Dice dice, const std::vector<int>& ints, int other)
        : OneType(dice.local, ints, kind_of_one(c, dice.local, other))
    {}
    auto arguments(void* place) const { return std::tuple(place, counts(), displacements(1), type_.type()); }

private:
    OneType(Random& random, const std::vector<int>& ints, int kind)
        : Irregular(random, ints, Layout(kind, 1).extent(), [=] { return kind; }),
          type_(kind, 1)
    {}
    Layout type_;
};

/// Slots have datatypes of their own.
class OwnTypes : public Irregular {
public:
    OwnTypes(const Case& c, Dice dice, const std::vector<int>& ints)
        : Irregular(dice.local, ints, 1, [&] { return any_kind(c, dice.local); })
    {
        for (const Layout& layout : layouts_) types_.push_back(layout.type());
    }
    auto arguments(void* place) const { return std::tuple(place, counts(), displacements(4), types_.data()); }

private:
    std::vector<MPI_Datatype> types_;
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
    for (int i = 0; i < c.targets(); ++i)
        result[0].push_back(c.mine().targets[at(i)] == gap ? ints(c.me, i) : 0);
    for (int i = 0; i < c.sources(); ++i)
        result[1].push_back(c.mine().sources[at(i)] == gap ? ints(c.me, i) : 0);
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
    return [&c, seed, same](int process, int) {
        return same ? c.irregular(seed % 4) : edge_ints(c, process, 0, seed);
    };
}

/// Fill a side with what this process sends.
template <class Side>
void fill(const Case& c, Side& send)
{
    for (int i = 0; i < send.slots(); ++i)
        put(send.buffer, send.address(i), send.layout(i), [&](int k) { return c.content(c.me, i, k); });
}
/// The receive buffer after the blocks over this process's in-edges have arrived; `personal`: a block for
/// each edge, else the sender's only one.
template <class Side>
Buffer arriving(const Case& c, const Side& receive, bool personal)
{
    Buffer expected = receive.buffer;
    for (const Pair& pair : c.graph.pairs)
        if (pair.to == c.me)
            put(expected, receive.address(pair.in_edge), receive.layout(pair.in_edge),
                [&](int k) { return c.content(pair.from, personal ? pair.out_edge : 0, k); });
    return expected;
}
/// Or at the root alone.
template <class Side>
Buffer gathered(const Case& c, const Side& receive, int root)
{
    return c.me == root ? arriving(c, receive, false) : receive.buffer;
}

/// Makes a call with a side that is sent and one that is received; `last`: the arguments behind theirs.
template <class... S, class... L, class Send, class Receive, class... Last>
void make(Session& session, const char* what, const Forms<S...>& small, const Forms<L...>& large, Send& send,
          Receive& receive, Buffer expected, Last... last)
{
    const auto buffers = std::make_shared<Buffers>(std::move(send.buffer), std::move(receive.buffer),
                                                   std::move(expected), what);
    std::apply([&](const auto&... arguments) { session.call(small, large, buffers, arguments...); },
               std::tuple_cat(send.arguments(buffers->send.address()),
                              receive.arguments(buffers->receive.address()), std::tuple(last...)));
}
#define MAKE(name, nonblocking, ...) make(session, #name, FORMS(name, nonblocking), __VA_ARGS__)

void barrier(Session& session, const Case& c)
{
    const auto buffers = std::make_shared<Buffers>(Buffer(0, 0), Buffer(0, 0), Buffer(0, 0), "Barrier");
    buffers->rebind = Buffers::Rebind::never;
    session.call(SMALL_FORMS(Barrier, Ibarrier), buffers, c.comm);
}

void bcast(Session& session, const Case& c, Dice dice, int root)
{
    Regular side(c, dice, c.regular(dice.random), 1);
    const auto from_root = [&](int k) { return c.content(root, 0, k); };
    if (c.me == root) put(side.buffer, 0, side.layout(), from_root);
    Buffer expected = side.buffer;
    if (std::ranges::any_of(c.graph.pairs, [&](const Pair& p) { return p.from == root && p.to == c.me; }))
        put(expected, 0, side.layout(), from_root);
    const auto buffers = std::make_shared<Buffers>(Buffer(0, 0), std::move(side.buffer), std::move(expected),
                                                   "Bcast");
    buffers->rebind = Buffers::Rebind::receive_alone;
    session.call(FORMS(Bcast, Ibcast), buffers, buffers->receive.address(), side.layout().count(),
                 side.layout().type(), root, c.comm);
}

void gather(Session& session, const Case& c, Dice dice, int root)
{
    const int n = c.regular(dice.random);
    Regular send(c, dice, n, 1), receive(c, dice, n, c.sources());
    fill(c, send);
    MAKE(Gather, Igather, send, receive, gathered(c, receive, root), root, c.comm);
}

void gatherv(Session& session, const Case& c, Dice dice, int root, bool same)
{
    const Sizes sizes = process_sizes(c, dice.random, same);
    Regular send(c, dice, sizes(c.me, 0), 1);
    OneType receive(c, dice, slot_ints(c, sizes)[1], 3);
    fill(c, send);
    MAKE(Gatherv, Igatherv, send, receive, gathered(c, receive, root), root, c.comm);
}

/// If several edges lead from the root to this process, the last one's block stays.
Buffer scattered(const Case& c, const Regular& receive, int root)
{
    Buffer expected = receive.buffer;
    int last = -1;
    for (const Pair& pair : c.graph.pairs)
        if (pair.from == root && pair.to == c.me) last = std::max(last, pair.out_edge);
    if (last >= 0) put(expected, 0, receive.layout(), [&](int k) { return c.content(root, last, k); });
    return expected;
}

void scatter(Session& session, const Case& c, Dice dice, int root)
{
    const int n = c.regular(dice.random);
    Regular send(c, dice, n, c.targets()), receive(c, dice, n, 1);
    fill(c, send);
    MAKE(Scatter, Iscatter, send, receive, scattered(c, receive, root), root, c.comm);
}

void scatterv(Session& session, const Case& c, Dice dice, int root)
{
    // Edges to one process must have its one count; other processes may have others.
    const int n = uniform(dice.random, 0, 5);
    const auto ints_of = [&](int process) { return c.irregular((n + 3 * process) % 5); };
    std::vector<int> ints;
    for (const int target : c.mine().targets) ints.push_back(target == gap ? 2 : ints_of(target));
    OneType send(c, dice, ints, 2);
    Regular receive(c, dice, ints_of(c.me), 1);
    fill(c, send);
    MAKE(Scatterv, Iscatterv, send, receive, scattered(c, receive, root), root, c.comm);
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
    Regular send(c, dice, n, c.targets()), receive(c, dice, n, c.sources());
    fill(c, send);
    MAKE(Alltoall, Ialltoall, send, receive, arriving(c, receive, true), c.comm);
}

void alltoallv(Session& session, const Case& c, Dice dice, const Sizes& sizes)
{
    const auto ints = slot_ints(c, edge_sizes(c, dice.random, sizes));
    OneType send(c, dice, ints[0], 2), receive(c, dice, ints[1], 3);
    fill(c, send);
    MAKE(Alltoallv, Ialltoallv, send, receive, arriving(c, receive, true), c.comm);
}

void alltoallw(Session& session, const Case& c, Dice dice, const Sizes& sizes)
{
    const auto ints = slot_ints(c, edge_sizes(c, dice.random, sizes));
    OwnTypes send(c, dice, ints[0]), receive(c, dice, ints[1]);
    fill(c, send);
    MAKE(Alltoallw, Ialltoallw, send, receive, arriving(c, receive, true), c.comm);
}

void allgather(Session& session, const Case& c, Dice dice)
{
    const int n = c.regular(dice.random);
    Regular send(c, dice, n, 1), receive(c, dice, n, c.sources());
    fill(c, send);
    MAKE(Allgather, Iallgather, send, receive, arriving(c, receive, false), c.comm);
}

void allgatherv(Session& session, const Case& c, Dice dice, bool same)
{
    const Sizes sizes = process_sizes(c, dice.random, same);
    Regular send(c, dice, sizes(c.me, 0), 1);
    OneType receive(c, dice, slot_ints(c, sizes)[1], 3);
    fill(c, send);
    MAKE(Allgatherv, Iallgatherv, send, receive, arriving(c, receive, false), c.comm);
}

void allgatherw(Session& session, const Case& c, Dice dice, bool same)
{
    const Sizes sizes = process_sizes(c, dice.random, same);
    Regular send(c, dice, sizes(c.me, 0), 1);
    OwnTypes receive(c, dice, slot_ints(c, sizes)[1]);
    fill(c, send);
    MAKE(Allgatherw, Iallgatherw, send, receive, arriving(c, receive, false), c.comm);
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
