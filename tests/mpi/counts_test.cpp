// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators and on complete graphs, which are the same there, and between two
// groups, in all forms, with counts in int and in MPI_Count; then where a count of two is too much for MPI,
// so that datatypes stand for what does not fit.  Displacements that no int can hold.
#include <deque>

#include "calls.hpp"
#include "mpi/large_count_type.hpp"

namespace {

/// Int k of what one process has for another.
int value(int from, int to, int k) { return 1'000'000 * from + 1'000 * to + k; }
/// How many ints that are; none, now and then.
int elements(int from, int to) { return (from + 2 * to + 1) % 4; }
/// The number of elements in all blocks of one size.
constexpr int regular = 3;

/// Blocks of a buffer: in reverse order, an int between any two; the first int is none's.
struct Blocks {
    Ints counts, places;
    int length = 1;

    Blocks(int n, const std::function<int(int)>& count) : places(at(n))
    {
        for (int i = 0; i < n; ++i) counts.push_back(count(i));
        for (int i = n; i-- > 0;) {
            places[at(i)] = length;
            length += counts[at(i)] + 1;
        }
    }
    void put(Ints& buffer, int block, const std::function<int(int)>& content) const
    {
        for (int k = 0; k < counts[at(block)]; ++k) buffer[at(places[at(block)] + k)] = content(k);
    }
    Ints buffer() const { return Ints(at(length), -1); }
};

enum class Kind { full, graph, inter };

/// `n`: processes that this one exchanges with, those of the other group on an inter-communicator.
struct Stage {
    MPI_Comm comm;
    Kind kind;
    int me, n;
};

/// An operator, and what it makes of two ints.
struct Operator {
    MPI_Op op;
    int (*join)(int, int);
};
int add(int a, int b) { return a + b; }
/// The halves of an int are slope and offset of a map: composing maps is associative, and does not commute.
int compose(int a, int b)
{
    const auto x = static_cast<unsigned>(a), y = static_cast<unsigned>(b), slope = x & 0xffff;
    return static_cast<int>((slope * (y >> 16) + (x >> 16)) << 16 | (slope * y & 0xffff));
}
void compose_all(void* in, void* inout, int* n, MPI_Datatype*)
{
    for (int i = 0; i < *n; ++i)
        static_cast<int*>(inout)[i] = compose(static_cast<int*>(in)[i], static_cast<int*>(inout)[i]);
}

/// Makes the call in all its forms, twice, with counts in int and in MPI_Count.  `received`: what it writes
/// to, and what must then be there, if it is defined.
template <class... S, class... L, class... A>
void call(const Stage& s, const char* name, const test::Forms<S...>& small, const test::Forms<L...>& large,
          Ints& received, const Ints& expected, const A&... arguments)
{
    using enum test::Form;
    const Ints before = received;
    for (const bool is_large : {false, true})
        for (const auto& [form, words] : {std::pair(blocking, ", blocking"),
                                          {nonblocking, ", non-blocking"},
                                          {persistent, ", persistent"}}) {
            test::Request request;
            for (int repeat = 0; repeat < 2; ++repeat) {
                if (repeat == 0 || form != persistent)
                    CHECK_OK(is_large ? begin(form, large, &request, arguments..., s.comm)
                                      : begin(form, small, &request, arguments..., s.comm));
                CHECK_OK(test::complete(form, &request));
                if (!expected.empty() && received != expected)
                    test::fail(__FILE__, __LINE__,
                               std::string(name) + (is_large ? "_c" : "") + words + ", kind " +
                                   std::to_string(static_cast<int>(s.kind)) + ": " +
                                   std::to_string(ortho::mpi::most_elements));
                std::ranges::copy(before, received.begin());
            }
        }
}
#define CALL(name, nonblocking, ...) call(s, "ORTHO_" #name, FORMS(name, nonblocking), __VA_ARGS__)

/// The collectives.
struct Calls {
    const Stage& s;
    const int many = regular;

    Ints blank(int blocks) const { return Ints(at(blocks * regular), -1); }
    /// This process's blocks, of one size each, for all.
    Ints mine(int blocks) const
    {
        Ints result;
        for (int i = 0; i < blocks; ++i)
            for (int k = 0; k < regular; ++k) result.push_back(value(s.me, i, k));
        return result;
    }
    /// The block with this number from each process.
    Ints from_all(int block) const
    {
        Ints result;
        for (int i = 0; i < s.n; ++i)
            for (int k = 0; k < regular; ++k) result.push_back(value(i, block, k));
        return result;
    }
    Blocks incoming() const
    {
        return {s.n, [&](int i) { return elements(i, s.me); }};
    }
    Blocks outgoing() const
    {
        return {s.n, [&](int i) { return elements(s.me, i); }};
    }
    Ints filled(const Blocks& blocks) const
    {
        Ints result = blocks.buffer();
        for (int i = 0; i < s.n; ++i) blocks.put(result, i, [&](int k) { return value(s.me, i, k); });
        return result;
    }
    Ints arrived(const Blocks& blocks, int mine) const
    {
        Ints result = blocks.buffer();
        for (int i = 0; i < s.n; ++i) blocks.put(result, i, [&](int k) { return value(i, mine, k); });
        return result;
    }
    static std::vector<MPI_Aint> bytes(const Blocks& blocks)
    {
        std::vector<MPI_Aint> result;
        for (const int place : blocks.places) result.push_back(MPI_Aint{sizeof(int)} * place);
        return result;
    }

    void alltoalls() const
    {
        Ints from = mine(s.n), to = blank(s.n);
        CALL(Alltoall, Ialltoall, to, from_all(s.me), from.data(), many, MPI_INT, to.data(), many, MPI_INT);

        const Blocks out = outgoing();
        const Blocks in = incoming();
        from = filled(out);
        to = in.buffer();
        CALL(Alltoallv, Ialltoallv, to, arrived(in, s.me), from.data(), out.counts, out.places, MPI_INT,
             to.data(), in.counts, in.places, MPI_INT);
        const std::vector<MPI_Datatype> types(at(s.n), MPI_INT);
        CALL(Alltoallw, Ialltoallw, to, arrived(in, s.me), from.data(), out.counts, bytes(out), types.data(),
             to.data(), in.counts, bytes(in), types.data());

        if (s.kind != Kind::full) return;
        // In place: what is sent to a process has the size of what comes from it.
        const Blocks both(s.n, [&](int i) { return (i + s.me) % 4; });
        Ints sent = filled(both);
        CALL(Alltoallv, Ialltoallv, sent, arrived(both, s.me), MPI_IN_PLACE, nullptr, nullptr,
             MPI_DATATYPE_NULL, sent.data(), both.counts, both.places, MPI_INT);
        sent = filled(both);
        std::deque<test::Type> rows;
        for (const int count : both.counts)
            rows.emplace_back(test::committed(MPI_Type_contiguous, count, MPI_INT));
        const std::vector<MPI_Datatype> row_types(rows.begin(), rows.end());
        CALL(Alltoallw, Ialltoallw, sent, arrived(both, s.me), MPI_IN_PLACE, nullptr, nullptr, nullptr,
             sent.data(), Ints(at(s.n), 1), bytes(both), row_types.data());
    }

    void allgathers() const
    {
        const Ints from = Calls::mine(1);
        Ints to = blank(s.n);
        CALL(Allgather, Iallgather, to, from_all(0), from.data(), many, MPI_INT, to.data(), many, MPI_INT);

        const Blocks in(s.n, [](int i) { return std::min(elements(i, 0), regular); });
        to = in.buffer();
        const Ints expected = arrived(in, 0);
        const int mine = std::min(elements(s.me, 0), regular);
        const std::vector<MPI_Datatype> types(at(s.n), MPI_INT);
        const auto gather = [&](const void* sent, MPI_Datatype type) {
            CALL(Allgatherv, Iallgatherv, to, expected, sent, mine, type, to.data(), in.counts, in.places,
                 MPI_INT);
            CALL(Allgatherw, Iallgatherw, to, expected, sent, mine, type, to.data(), in.counts, bytes(in),
                 types.data());
        };
        gather(from.data(), MPI_INT);
        if (s.kind != Kind::full) return;
        in.put(to, s.me, [&](int k) { return value(s.me, 0, k); });
        gather(MPI_IN_PLACE, MPI_DATATYPE_NULL);
    }

    void from_the_root(int root) const
    {
        const bool is_root = s.me == root;
        Ints to = is_root ? mine(1) : blank(1), expected(at(regular));
        for (int k = 0; k < regular; ++k) expected[at(k)] = value(root, 0, k);
        CALL(Bcast, Ibcast, to, expected, to.data(), many, MPI_INT, root);

        Ints from = mine(s.n);
        to = blank(1);
        for (int k = 0; k < regular; ++k) expected[at(k)] = value(root, s.me, k);
        // Arguments that count at the root alone are nonsense elsewhere.
        const MPI_Datatype type = is_root ? MPI_INT : MPI_DATATYPE_NULL;
        CALL(Scatter, Iscatter, to, expected, from.data(), is_root ? many : -1, type, to.data(), many,
             MPI_INT, root);

        const Blocks out = outgoing();
        from = filled(out);
        const int size = elements(root, s.me);
        expected.assign(at(regular), -1);
        for (int k = 0; k < size; ++k) expected[at(k)] = value(root, s.me, k);
        CALL(Scatterv, Iscatterv, to, expected, from.data(), is_root ? out.counts : Ints{},
             is_root ? out.places : Ints{}, type, to.data(), size, MPI_INT, root);
    }

    void to_the_root(int root) const
    {
        const bool is_root = s.me == root;
        const MPI_Datatype type = is_root ? MPI_INT : MPI_DATATYPE_NULL;
        Ints from = mine(1), to = blank(s.n);
        CALL(Gather, Igather, to, is_root ? from_all(0) : to, from.data(), many, MPI_INT, to.data(),
             is_root ? many : -1, type, root);

        const Blocks in(s.n, [](int i) { return std::min(elements(i, 0), regular); });
        to = in.buffer();
        const Ints expected = is_root ? arrived(in, 0) : to;
        const auto gather = [&](const void* sent) {
            CALL(Gatherv, Igatherv, to, expected, sent, in.counts[at(s.me)], MPI_INT, to.data(),
                 is_root ? in.counts : Ints{}, is_root ? in.places : Ints{}, type, root);
        };
        gather(from.data());
        if (s.kind != Kind::full) return;
        if (is_root) in.put(to, s.me, [&](int k) { return value(s.me, 0, k); });
        gather(is_root ? MPI_IN_PLACE : static_cast<const void*>(from.data()));
    }

    /// The reduction over processes first to last of so many ints of their mine(), from int `begin` on.
    Ints reduced(const Operator& by, int begin, int count, int first, int last) const
    {
        Ints result = blank(1);
        for (int k = 0; k < count && first <= last; ++k) {
            const auto its = [&](int i) { return value(i, (begin + k) / regular, (begin + k) % regular); };
            result[at(k)] = its(first);
            for (int i = first + 1; i <= last; ++i) result[at(k)] = by.join(result[at(k)], its(i));
        }
        return result;
    }

    void reductions(int root, const Operator& by) const
    {
        Ints from = mine(1), to = blank(1);
        const int last = s.n - 1;
        const Ints all = reduced(by, 0, regular, 0, last);
        CALL(Allreduce, Iallreduce, to, all, from.data(), to.data(), many, MPI_INT, by.op);
        if (s.kind == Kind::inter) return;
        // Blocks of all sizes, none among them, that overlap backwards.
        Ints counts(at(s.n)), places(at(s.n));
        for (int i = 0; i < s.n; ++i) {
            counts[at(i)] = (i + 1) % (regular + 1);
            places[at(i)] = last - i;
        }
        const int block = (s.me + 1) % (regular + 1);
        from = mine(s.n);
        CALL(Reduce_scatterv, Ireduce_scatterv, to, reduced(by, last - s.me, block, 0, last), from.data(),
             counts, places, to.data(), block, MPI_INT, by.op);
        CALL(Reduce_scatter_block, Ireduce_scatter_block, to, reduced(by, regular * s.me, regular, 0, last),
             from.data(), to.data(), many, MPI_INT, by.op);
        if (s.kind == Kind::full)
            CALL(Reduce_scatter, Ireduce_scatter, to,
                 reduced(by, std::accumulate(counts.begin(), counts.begin() + s.me, 0), block, 0, last),
                 from.data(), to.data(), counts, MPI_INT, by.op);
        from = mine(1);
        CALL(Reduce, Ireduce, to, s.me == root ? all : to, from.data(), to.data(), many, MPI_INT, by.op,
             root);
        if (s.kind == Kind::graph) return;
        Ints both = from;
        CALL(Allreduce, Iallreduce, both, all, MPI_IN_PLACE, both.data(), many, MPI_INT, by.op);
        CALL(Scan, Iscan, to, reduced(by, 0, regular, 0, s.me), from.data(), to.data(), many, MPI_INT, by.op);
        // The data that the first process receives is undefined.
        const Ints before = s.me == 0 ? Ints{} : reduced(by, 0, regular, 0, s.me - 1);
        CALL(Exscan, Iexscan, to, before, from.data(), to.data(), many, MPI_INT, by.op);
    }

    void barrier() const
    {
        Ints nothing;
        call(s, "ORTHO_Barrier", SMALL_FORMS(Barrier, Ibarrier), SMALL_FORMS(Barrier, Ibarrier), nothing,
             nothing);
    }

    void mistakes() const
    {
        int a = 0, b = 0;
        FAILS(ORTHO_Bcast(&a, -3, MPI_INT, 0, s.comm), MPI_ERR_COUNT, "count = -3");
        FAILS(ORTHO_Bcast_c(&a, -3, MPI_INT, 0, s.comm), MPI_ERR_COUNT, "count = -3");
        CHECK(message().find("rank") != std::string::npos);
        FAILS(ORTHO_Scan(&a, &b, 1, MPI_INT, MPI_SUM, s.comm), ORTHO_ERR_UNDEFINED);
        FAILS(ORTHO_Scan_c(&a, &b, 1, MPI_INT, MPI_SUM, s.comm), ORTHO_ERR_UNDEFINED);
        FAILS(ORTHO_Exscan(&a, &b, 1, MPI_INT, MPI_SUM, s.comm), ORTHO_ERR_UNDEFINED);
        FAILS(ORTHO_Exscan_c(&a, &b, 1, MPI_INT, MPI_SUM, s.comm), ORTHO_ERR_UNDEFINED);
    }

    void all(const Operator& own) const
    {
        barrier();
        alltoalls();
        allgathers();
        if (s.kind != Kind::full) mistakes();
        if (s.kind == Kind::inter) return reductions(0, own);
        for (const int root : {0, s.n - 1}) {
            from_the_root(root);
            to_the_root(root);
            reductions(root, root == 0 ? Operator{MPI_SUM, add} : own);
        }
    }
};

void on(MPI_Comm comm, Kind kind, const Operator& own)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    Stage stage{comm, kind, test::rank(comm), test::size(comm)};
    if (kind == Kind::inter) MPI_Comm_remote_size(comm, &stage.n);
    for (const MPI_Count most : {MPI_Count{INT_MAX}, MPI_Count{2}}) {
        ortho::mpi::most_elements = most;
        Calls{stage}.all(own);
    }
    ortho::mpi::most_elements = INT_MAX;
}

void on_complete_graph(MPI_Comm full, const Operator& own)
{
    Ints all(at(test::size()));
    std::iota(all.begin(), all.end(), 0);
    test::Comm graph = test::adjacent(all, all, full);
    on(graph, Kind::graph, own);
}

/// Two groups, of unequal sizes from three processes on (peers' O18).
void between_groups(const Operator& own)
{
    const int p = test::size(), me = test::rank(), border = (p + 2) / 3;
    if (p < 2) return;
    const bool left = me < border;
    test::Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, left ? 0 : 1, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, left ? border : 0, 99, &inter);
    on(inter, Kind::inter, own);
    const int root = left ? me == 0 ? MPI_ROOT : MPI_PROC_NULL : 0;
    int word = root == MPI_ROOT ? 77 : -1;
    CHECK_OK(ORTHO_Bcast(&word, 1, MPI_INT, root, inter));
    CHECK_EQ(word, root == MPI_PROC_NULL ? -1 : 77);
    // Each process of a group sends the same blocks to all of the other one.
    const Ints sent(at(p), 100 * me), ones(at(p), 1), places(at(p), 0);
    int sum = -1, expected = 0;
    CHECK_OK(
        ORTHO_Reduce_scatterv(sent.data(), ones.data(), places.data(), &sum, 1, MPI_INT, MPI_SUM, inter));
    for (int i = left ? border : 0; i < (left ? p : border); ++i) expected += 100 * i;
    CHECK_EQ(sum, expected);
    const std::vector<MPI_Aint> bytes(at(p), 0);
    const std::vector<MPI_Datatype> types(at(p), MPI_INT);
    FAILS(ORTHO_Allgatherw(MPI_IN_PLACE, 1, MPI_INT, &sum, ones.data(), bytes.data(), types.data(), inter),
          MPI_ERR_BUFFER);
}

/// On a full communicator (peers' O19).
void far_displacements()
{
    const int p = test::size(), me = test::rank();
    if (p > 3) return;
    const MPI_Aint far = MPI_Aint{3} << 30;
    char* const memory = static_cast<char*>(std::malloc(static_cast<std::size_t>(far) + 4 * at(p) + 8));
    if (memory == nullptr) return;
    Ints sent(at(p)), ones(at(p), 1);
    std::vector<MPI_Aint> near_bytes(at(p)), far_bytes(at(p));
    const std::vector<MPI_Datatype> types(at(p), MPI_INT);
    for (int i = 0; i < p; ++i) {
        sent[at(i)] = 10 * me + i;
        near_bytes[at(i)] = 4 * i;
        far_bytes[at(i)] = far + 4 * i;
    }
    CHECK_OK(ORTHO_Alltoallw(sent.data(), ones.data(), near_bytes.data(), types.data(), memory, ones.data(),
                             far_bytes.data(), types.data(), MPI_COMM_WORLD));
    const int* const received = reinterpret_cast<int*>(memory + far);
    for (int i = 0; i < p; ++i) CHECK_EQ(received[i], 10 * i + me);
    CHECK_OK(ORTHO_Allgatherw(sent.data(), 1, MPI_INT, memory, ones.data(), far_bytes.data(), types.data(),
                              MPI_COMM_WORLD));
    for (int i = 0; i < p; ++i) CHECK_EQ(received[i], 10 * i);
    std::free(memory);
}

/// Pairs (a, b) stand for x → ax + b: associative, not commutative.  Two more ints lie behind each.
void compose_pairs(void* in, void* inout, int* length, MPI_Datatype*)
{
    const int* f = static_cast<int*>(in);
    int* g = static_cast<int*>(inout);
    for (int i = 0; i < *length; ++i, f += 4, g += 4) {
        g[1] += g[0] * f[1];
        g[0] *= f[0];
    }
}

/// MPICH's reductions of this kind take elements for shorter than they are (doc/mpi-bugs.md).
void elements_with_gaps()
{
    const int p = test::size(), me = test::rank();
    const test::Type pair = test::strided_ints(1, 2, 2, 4);
    test::Op composition;
    MPI_Op_create(compose_pairs, 0, &composition);
    const auto value = [&](int rank, int element) { return std::array{element % 3 - 1, 2 * rank + element}; };
    Ints sent(at(4 * p), -1), wanted{1, 0, -1, -1}, got(4, -1);
    for (int i = 0; i < p; ++i) std::ranges::copy(value(me, i), &sent[at(4 * i)]);
    for (int rank = 0; rank < p; ++rank) {
        auto next = value(rank, me);
        int one = 1;
        compose_pairs(wanted.data(), next.data(), &one, nullptr);
        std::ranges::copy(next, wanted.begin());
    }
    CHECK_OK(ORTHO_Reduce_scatter_block(sent.data(), got.data(), 1, pair, composition, MPI_COMM_WORLD));
    CHECK(got == wanted);
    got.assign(4, -1);
    CHECK_OK(in(test::Form::nonblocking, SMALL_FORMS(Reduce_scatter, Ireduce_scatter), sent.data(),
                got.data(), Ints(at(p), 1), pair, composition, MPI_COMM_WORLD));
    CHECK(got == wanted);
    CHECK_OK(in(test::Form::persistent, SMALL_FORMS(Reduce_scatter_block, Ireduce_scatter_block),
                MPI_IN_PLACE, sent.data(), 1, pair, composition, MPI_COMM_WORLD));
    CHECK(std::equal(wanted.begin(), wanted.end(), sent.begin()));
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    test::Comm full = test::duplicate();
    test::Op op;
    MPI_Op_create(compose_all, 0, &op);
    const Operator own{op, compose};
    on(full, Kind::full, own);
    on_complete_graph(full, own);
    between_groups(own);
    far_displacements();
    elements_with_gaps();
    // Each process on a node of its own: by MPI alone.
    setenv("ORTHO_NODES", "1", 1);
    on_complete_graph(full, own);
    unsetenv("ORTHO_NODES");
}
