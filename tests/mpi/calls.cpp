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

// Reductions.  An element is two ints (a, b) that stand for x -> a x + b modulo a prime; composing
// such maps is associative and does not commute.  Multiplying the one and adding the other does.

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

/// Composes elements whose data begins 16 bytes before their address, 32 bytes apart.
void compose_shifted(void* in, void* inout, int* length, MPI_Datatype*)
{
    for (int i = 0; i < *length; ++i) {
        int one = 1;
        compose(static_cast<int*>(in) - 4 + 8 * i, static_cast<int*>(inout) - 4 + 8 * i, &one, nullptr);
    }
}

void mix(void* in, void* inout, int* length, MPI_Datatype*)
{
    const int* x = static_cast<int*>(in);
    int* y = static_cast<int*>(inout);
    for (int i = 0; i < *length; ++i, x += 2, y += 2) {
        y[0] = x[0] * y[0] % prime;
        y[1] = (x[1] + y[1]) % prime;
    }
}

void mix_shifted(void* in, void* inout, int* length, MPI_Datatype*)
{
    for (int i = 0; i < *length; ++i) {
        int one = 1;
        mix(static_cast<int*>(in) - 4 + 8 * i, static_cast<int*>(inout) - 4 + 8 * i, &one, nullptr);
    }
}

int element(const Reduction& r, int process, int block, int i, int part)
{
    return r.sums ? 1'000'000 * process + 1'000 * block + i + 1
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
                (r.commutes ? mix : compose)(left.data(), result.data(), &one, nullptr);
            }
        }
        put_element(r, expected, i, result);
    }
}

/// Block `block`, from element `first` on.
void fill_block(const Reduction& r, Buffer& buffer, int first, int me, int block, int count)
{
    for (int i = 0; i < count; ++i)
        put_element(r, buffer, first + i, {element(r, me, block, i, 0), element(r, me, block, i, 1)});
}

Buffer room_for(int elements) { return {8, 8 * (elements + 2)}; }

/// Allreduce, or Reduce at `root`.  In place the result takes the contribution's place; without in-edges
/// it stays.
std::shared_ptr<Buffers> reduction(const Case& c, const Reduction& r, int count, bool receives, bool in_place,
                                   const char* what)
{
    Buffer send = room_for(count);
    fill_block(r, send, 0, c.me, 0, count);
    Buffer receive = in_place ? send : room_for(count), expected = receive;
    if (receives) expect_reduction(c, r, count, false, expected);
    return std::make_shared<Buffers>(std::move(send), std::move(receive), std::move(expected), what);
}

/// Block i of each process's send buffer begins at element displacement(i).
template <class Displacement>
std::shared_ptr<Buffers> scattered_reduction(const Case& c, const Reduction& r, int count, int elements,
                                             Displacement displacement, const char* what)
{
    Buffer send = room_for(elements);
    for (int i = 0; i < c.targets(); ++i) fill_block(r, send, displacement(i), c.me, i, count);
    Buffer receive = room_for(count), expected = receive;
    expect_reduction(c, r, count, true, expected);
    return std::make_shared<Buffers>(std::move(send), std::move(receive), std::move(expected), what);
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

void Pending::rebind(unsigned which)
{
    using enum Buffers::Rebind;
    if (buffers->rebind == never) return;
    const auto before = std::exchange(buffers, std::make_shared<Buffers>(*buffers));
    if (which == 1) std::swap(buffers->send, before->send);
    if (which == 2) std::swap(buffers->receive, before->receive);
    const void* const send = buffers->rebind == in_place        ? MPI_IN_PLACE
                             : buffers->rebind == receive_alone ? nullptr
                                                                : buffers->send.address();
    CHECK_OK(ORTHO_Request_rebind(request, send, buffers->receive.address()));
}

void Session::complete()
{
    const auto maybe_rebind = [&](Pending& call) {
        if ((at(++executions_) * 2654435761U >> 8) % 2 == at(rank()) % 2)
            call.rebind(static_cast<unsigned>(executions_) / 2 % 3);
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

Reductions::Reductions() : all_(4)
{
    all_[0] = {MPI_SUM, MPI_INT, 1, 0, true, true};
    MPI_Datatype pair = test::committed(MPI_Type_contiguous, 2, MPI_INT);
    all_[1] = {MPI_OP_NULL, pair, 2, 0, false, false};
    MPI_Op_create(compose, 0, &all_[1].op);
    test::Type back;
    const MPI_Aint displacement = -16;
    MPI_Type_create_hindexed_block(1, 2, &displacement, MPI_INT, &back);
    MPI_Datatype const shifted = test::committed(MPI_Type_create_resized, back.handle(), -16, 32);
    all_[2] = {MPI_OP_NULL, shifted, 8, -4, false, false};
    MPI_Op_create(compose_shifted, 0, &all_[2].op);
    all_[3] = {MPI_OP_NULL, MPI_DATATYPE_NULL, 8, -4, false, true};
    MPI_Type_dup(shifted, &all_[3].type);
    MPI_Op_create(mix_shifted, 1, &all_[3].op);
}

Reductions::~Reductions()
{
    for (std::size_t i = 1; i < all_.size(); ++i) {
        MPI_Op_free(&all_[i].op);
        MPI_Type_free(&all_[i].type);
    }
}

void allreduce(Session& session, const Case& c, Dice dice, const Reduction& r)
{
    const int count = c.regular(dice.random);
    const bool in_place = uniform(dice.random, 0, 1) == 1;
    auto buffers = reduction(c, r, count, true, in_place, "Allreduce");
    if (in_place) buffers->rebind = Buffers::Rebind::in_place;
    const void* const from = in_place ? MPI_IN_PLACE : buffers->send.address();
    session.call(FORMS(Allreduce, Iallreduce), buffers, from, buffers->receive.address(), count, r.type, r.op,
                 c.comm);
}

void reduce(Session& session, const Case& c, Dice dice, const Reduction& r, int root)
{
    const int count = c.regular(dice.random);
    const bool in_place = uniform(dice.random, 0, 1) == 1;
    auto buffers = reduction(c, r, count, c.me == root, in_place, "Reduce");
    if (in_place && c.me == root) buffers->rebind = Buffers::Rebind::in_place;
    const void* const from = in_place && c.me == root ? MPI_IN_PLACE : buffers->send.address();
    session.call(FORMS(Reduce, Ireduce), buffers, from, buffers->receive.address(), count, r.type, r.op, root,
                 c.comm);
}

void reduce_scatter_block(Session& session, const Case& c, Dice dice, const Reduction& r)
{
    const int count = c.regular(dice.random);
    const auto buffers = scattered_reduction(
        c, r, count, c.targets() * count, [&](int i) { return i * count; }, "Reduce_scatter_block");
    session.call(FORMS(Reduce_scatter_block, Ireduce_scatter_block), buffers, buffers->send.address(),
                 buffers->receive.address(), count, r.type, r.op, c.comm);
}

void reduce_scatterv(Session& session, const Case& c, Dice dice, const Reduction& r)
{
    // Blocks in reverse order with room between them.
    const int count = c.regular(dice.random);
    const int blocks = c.targets();
    const std::vector<int> counts(at(blocks), count);
    std::vector<int> displacements;
    for (int i = 0; i < blocks; ++i) displacements.push_back((blocks - 1 - i) * (count + 1));
    const auto buffers = scattered_reduction(
        c, r, count, blocks * (count + 1), [&](int i) { return displacements[at(i)]; }, "Reduce_scatterv");
    session.call(FORMS(Reduce_scatterv, Ireduce_scatterv), buffers, buffers->send.address(), counts,
                 displacements, buffers->receive.address(), count, r.type, r.op, c.comm);
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
