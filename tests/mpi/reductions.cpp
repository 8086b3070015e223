// SPDX-License-Identifier: BSD-3-Clause
// The reductions among the calls.
#include "calls.hpp"

using cases::Pair;

namespace test {

namespace {

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

} // namespace test
