// SPDX-License-Identifier: BSD-3-Clause
// Messages through shared memory: what main() of shared_test calls, and what several of its files need.
#pragma once

#include "random_graphs.hpp"

namespace ortho_shared_test {

using test::Buffer;
using test::Form;

/// Element k of what a process sends in a slot; never what untouched buffers hold.
inline int content(int seed, int from, int slot, int k)
{
    const unsigned mixed = static_cast<unsigned>(seed) * 2654435761U + static_cast<unsigned>(from) * 40503U +
                           static_cast<unsigned>(slot) * 2971U + static_cast<unsigned>(k) * 31U;
    return static_cast<int>((mixed ^ (mixed >> 15U)) & 0xFFFFFU);
}

/// A torus of two dimensions, or a ring, on all processes of a communicator; block i goes to slot i.
class Torus {
public:
    Torus(MPI_Comm base, const Ints& grid, const Ints& offsets)
        : comm(test::neighborhood(grid, Ints{1, 1}, offsets, base)),
          graph(test::neighborhood_graph({grid, {1, 1}}, {2, offsets})),
          me_(test::rank(comm))
    {
        test::return_errors(comm);
    }
    ~Torus()
    {
        if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
    Torus(const Torus&) = delete;
    Torus& operator=(const Torus&) = delete;

    /// Offsets +1, 0, -1.
    static Torus ring(MPI_Comm base) { return {base, {1, test::size(base)}, {0, 1, 0, 0, 0, -1}}; }
    /// All eight around, some of them twice the same process on short sides.
    static Torus around(MPI_Comm base)
    {
        const int p = test::size(base);
        return {base,
                {p % 2 == 0 ? 2 : 1, p % 2 == 0 ? p / 2 : p},
                {-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1}};
    }

    int slots() const { return static_cast<int>(graph.processes[at(me_)].sources.size()); }
    int me() const { return me_; }
    int source(int slot) const { return graph.processes[at(me_)].sources[at(slot)]; }

    MPI_Comm comm = MPI_COMM_NULL;
    const cases::Multigraph graph;

private:
    int me_;
};

constexpr int margin = 16; // ints around each buffer

inline Buffer empty(int ints) { return {margin, ints + margin}; }

/// Fails once, not for each element.
inline void same(const Buffer& got, const Buffer& wanted, const char* what, const char* file, int line)
{
    if (got == wanted) return;
    test::fail(file, line, std::string(what) + " " + got.difference(wanted));
}
#define SAME(got, wanted, what) same((got), (wanted), (what), __FILE__, __LINE__)

inline void fill(Buffer& send, const Torus& torus, int seed, int n)
{
    for (int i = 0; i < torus.slots(); ++i)
        for (int k = 0; k < n; ++k) send[i * n + k] = content(seed, torus.me(), i, k);
}

/// An operation of its own, with its buffers.
struct Pending {
    Pending(const Torus& torus_, int seed_, int n_)
        : torus(torus_),
          seed(seed_),
          n(n_),
          send(empty(torus.slots() * n)),
          receive(empty(torus.slots() * n))
    {}
    void init()
    {
        CHECK_OK(ORTHO_Alltoall_init(send.address(), n, MPI_INT, receive.address(), n, MPI_INT, torus.comm,
                                     MPI_INFO_NULL, &request));
    }
    void prepare(int round)
    {
        seed += round;
        fill(send, torus, seed, n);
    }
    void start(int round)
    {
        prepare(round);
        CHECK_OK(ORTHO_Start(&request));
    }
    void wait()
    {
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        verify();
    }
    Buffer wanted() const
    {
        Buffer result = empty(torus.slots() * n);
        for (int i = 0; i < torus.slots(); ++i)
            for (int k = 0; k < n; ++k) result[i * n + k] = content(seed, torus.source(i), i, k);
        return result;
    }
    void verify() { SAME(receive, wanted(), "an operation of its own"); }

    const Torus& torus;
    int seed, n;
    Buffer send, receive;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
};

/// Do messages of the operation?
inline bool goes_through_memory(ORTHO_Request request)
{
    return test::explanation(request).find("through shared memory") != std::string::npos;
}

// The collectives, about n ints a block: shared_calls.cpp.

void alltoall(const Torus& torus, Form form, int seed, int n);

/// All that calls.hpp has, and one with all addresses in the types.
constexpr int kinds_of_calls = test::kinds_of_calls + 1;
void any_call(const Torus& torus, int kind, Form form, int seed, int n, Random& local);

// main() calls these.

// shared_errors.cpp
void blocks_too_large();
// shared_lifetime.cpp
void communicators_come_and_go();
// shared_orders.cpp
void senders_run_ahead();
void mixes();
// shared_persistent.cpp
void persistent_in_any_order();
void partners_are_away();
void strided_persistent();
// shared_script.cpp
void a_little_of_everything();
void closed();
void loop(int victim);
// shared_sizes.cpp
void sizes_change();
void large_persistent(int rounds);

} // namespace ortho_shared_test
