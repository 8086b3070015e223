// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators and on complete graphs, which are the same there, in all forms, with
// counts in int and in MPI_Count; then where a count of two is too much for MPI, so that datatypes stand for
// what does not fit.
#include <type_traits>

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
    std::vector<int> counts, places;
    int length = 1;

    Blocks(int n, const std::function<int(int)>& count) : places(at(n))
    {
        for (int i = 0; i < n; ++i) counts.push_back(count(i));
        for (int i = n; i-- > 0;) {
            places[at(i)] = length;
            length += counts[at(i)] + 1;
        }
    }
    void put(std::vector<int>& buffer, int block, const std::function<int(int)>& content) const
    {
        for (int k = 0; k < counts[at(block)]; ++k) buffer[at(places[at(block)] + k)] = content(k);
    }
    std::vector<int> buffer() const { return std::vector<int>(at(length), -1); }
};

/// Arrays of arguments, which are of no account once a call has returned.
class Arrays {
public:
    template <class Number, class Given>
    const Number* add(const std::vector<Given>& values)
    {
        auto array = std::make_shared<std::vector<Number>>(values.begin(), values.end());
        const std::vector<Number> copy = *array;
        spoil_.push_back([array] { std::ranges::fill(*array, Number{-7}); });
        restore_.push_back([array, copy] { std::ranges::copy(copy, array->begin()); });
        return array->data();
    }
    void spoil() const
    {
        for (const auto& action : spoil_) action();
    }
    void restore() const
    {
        for (const auto& action : restore_) action();
    }

private:
    std::vector<std::function<void()>> spoil_;
    std::vector<std::function<void()>> restore_;
};

struct Stage {
    MPI_Comm comm;
    bool is_graph;
    int me, n;
};

template <class Run, class Start, class Init>
struct Forms {
    const char* name;
    Run run;
    Start start;
    Init init;
};
template <class Run, class Start, class Init>
Forms(const char*, Run, Start, Init) -> Forms<Run, Start, Init>;

/// Makes the call in all its forms.  `received`: what it writes to, and what must then be there.
template <class Forms, class... A>
void call(const Stage& s, const Forms& forms, const Arrays& arrays, std::vector<int>& received,
          const std::vector<int>& expected, A... arguments)
{
    const std::vector<int> before = received;
    const auto verify = [&](const char* form) {
        if (received != expected)
            test::fail(__FILE__, __LINE__,
                       std::string(forms.name) + ", " + form + (s.is_graph ? ", on a graph" : "") + ": " +
                           std::to_string(ortho::mpi::most_elements));
        std::ranges::copy(before, received.begin());
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
        CHECK_OK(forms.run(arguments..., s.comm));
        verify("blocking");
    }
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(forms.start(arguments..., s.comm, &request));
    arrays.spoil();
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    verify("non-blocking");
    arrays.restore();
    CHECK_OK(forms.init(arguments..., s.comm, MPI_INFO_NULL, &request));
    arrays.spoil();
    for (int repeat = 0; repeat < 2; ++repeat) {
        CHECK_OK(test::start_and_wait(&request));
        verify("persistent");
    }
    CHECK_OK(ORTHO_Request_free(&request));
    arrays.restore();
}

#define FORMS_OF(name, nonblocking, end)                                                                     \
    Forms { "ORTHO_" #name #end, ORTHO_##name##end, ORTHO_##nonblocking##end, ORTHO_##name##_init##end }
/// Those with counts of type Count.
#define FORMS(name, nonblocking)                                                                             \
    of_type<Count>(FORMS_OF(name, nonblocking, ), FORMS_OF(name, nonblocking, _c))
template <class Count, class Small, class Large>
auto of_type(Small small, Large large)
{
    if constexpr (std::is_same_v<Count, int>)
        return small;
    else
        return large;
}

/// The collectives with counts of one type.
template <class Count>
struct Calls {
    using Place = std::conditional_t<std::is_same_v<Count, int>, int, MPI_Aint>;
    const Stage& s;
    const Count many = regular;

    std::vector<int> blank(int blocks) const { return std::vector<int>(at(blocks * regular), -1); }
    /// This process's blocks, of one size each, for all.
    std::vector<int> mine(int blocks) const
    {
        std::vector<int> result;
        for (int i = 0; i < blocks; ++i)
            for (int k = 0; k < regular; ++k) result.push_back(value(s.me, i, k));
        return result;
    }
    /// The block with this number from each process.
    std::vector<int> from_all(int block) const
    {
        std::vector<int> result;
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
    std::vector<int> filled(const Blocks& blocks) const
    {
        std::vector<int> result = blocks.buffer();
        for (int i = 0; i < s.n; ++i) blocks.put(result, i, [&](int k) { return value(s.me, i, k); });
        return result;
    }
    std::vector<int> arrived(const Blocks& blocks, int mine) const
    {
        std::vector<int> result = blocks.buffer();
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
        Arrays arrays;
        std::vector<int> from = mine(s.n), to = blank(s.n);
        call(s, FORMS(Alltoall, Ialltoall), arrays, to, from_all(s.me), from.data(), many, MPI_INT, to.data(),
             many, MPI_INT);

        const Blocks out = outgoing();
        const Blocks in = incoming();
        from = filled(out);
        to = in.buffer();
        const auto* const sendcounts = arrays.add<Count>(out.counts);
        const auto* const recvcounts = arrays.add<Count>(in.counts);
        call(s, FORMS(Alltoallv, Ialltoallv), arrays, to, arrived(in, s.me), from.data(), sendcounts,
             arrays.add<Place>(out.places), MPI_INT, to.data(), recvcounts, arrays.add<Place>(in.places),
             MPI_INT);

        const std::vector<MPI_Datatype> types(at(s.n), MPI_INT);
        call(s, FORMS(Alltoallw, Ialltoallw), arrays, to, arrived(in, s.me), from.data(), sendcounts,
             arrays.add<MPI_Aint>(bytes(out)), types.data(), to.data(), recvcounts,
             arrays.add<MPI_Aint>(bytes(in)), types.data());

        if (s.is_graph) return;
        // In place: what is sent to a process has the size of what comes from it.
        const Blocks both(s.n, [&](int i) { return (i + s.me) % 4; });
        std::vector<int> sent = filled(both);
        call(s, FORMS(Alltoallv, Ialltoallv), arrays, sent, arrived(both, s.me), MPI_IN_PLACE,
             static_cast<const Count*>(nullptr), static_cast<const Place*>(nullptr), MPI_DATATYPE_NULL,
             sent.data(), arrays.add<Count>(both.counts), arrays.add<Place>(both.places), MPI_INT);
    }

    void allgathers() const
    {
        Arrays arrays;
        const std::vector<int> from = mine(1);
        std::vector<int> to = blank(s.n);
        call(s, FORMS(Allgather, Iallgather), arrays, to, from_all(0), from.data(), many, MPI_INT, to.data(),
             many, MPI_INT);

        const Blocks in(s.n, [](int i) { return std::min(elements(i, 0), regular); });
        to = in.buffer();
        const std::vector<int> expected = arrived(in, 0);
        const Count mine = in.counts[at(s.me)];
        const auto* const counts = arrays.add<Count>(in.counts);
        const auto* const places = arrays.add<Place>(in.places);
        call(s, FORMS(Allgatherv, Iallgatherv), arrays, to, expected, from.data(), mine, MPI_INT, to.data(),
             counts, places, MPI_INT);
        const std::vector<MPI_Datatype> types(at(s.n), MPI_INT);
        const auto* const displacements = arrays.add<MPI_Aint>(bytes(in));
        call(s, FORMS(Allgatherw, Iallgatherw), arrays, to, expected, from.data(), mine, MPI_INT, to.data(),
             counts, displacements, types.data());
        if (s.is_graph) return;
        in.put(to, s.me, [&](int k) { return value(s.me, 0, k); });
        call(s, FORMS(Allgatherv, Iallgatherv), arrays, to, expected, MPI_IN_PLACE, mine, MPI_DATATYPE_NULL,
             to.data(), counts, places, MPI_INT);
        call(s, FORMS(Allgatherw, Iallgatherw), arrays, to, expected, MPI_IN_PLACE, mine, MPI_DATATYPE_NULL,
             to.data(), counts, displacements, types.data());
    }

    void from_the_root(int root) const
    {
        Arrays arrays;
        const bool is_root = s.me == root;
        std::vector<int> to = is_root ? mine(1) : blank(1), expected(at(regular));
        for (int k = 0; k < regular; ++k) expected[at(k)] = value(root, 0, k);
        call(s, FORMS(Bcast, Ibcast), arrays, to, expected, to.data(), many, MPI_INT, root);

        std::vector<int> from = mine(s.n);
        to = blank(1);
        for (int k = 0; k < regular; ++k) expected[at(k)] = value(root, s.me, k);
        // Arguments that count at the root alone are nonsense elsewhere.
        call(s, FORMS(Scatter, Iscatter), arrays, to, expected, from.data(), is_root ? many : Count{-1},
             is_root ? MPI_INT : MPI_DATATYPE_NULL, to.data(), many, MPI_INT, root);

        const Blocks out = outgoing();
        from = filled(out);
        const int size = elements(root, s.me);
        expected.assign(at(regular), -1);
        for (int k = 0; k < size; ++k) expected[at(k)] = value(root, s.me, k);
        call(s, FORMS(Scatterv, Iscatterv), arrays, to, expected, from.data(),
             is_root ? arrays.add<Count>(out.counts) : nullptr,
             is_root ? arrays.add<Place>(out.places) : nullptr, is_root ? MPI_INT : MPI_DATATYPE_NULL,
             to.data(), Count{size}, MPI_INT, root);
    }

    void to_the_root(int root) const
    {
        Arrays arrays;
        const bool is_root = s.me == root;
        std::vector<int> from = mine(1), to = blank(s.n);
        call(s, FORMS(Gather, Igather), arrays, to, is_root ? from_all(0) : to, from.data(), many, MPI_INT,
             to.data(), is_root ? many : Count{-1}, is_root ? MPI_INT : MPI_DATATYPE_NULL, root);

        const Blocks in(s.n, [](int i) { return std::min(elements(i, 0), regular); });
        to = in.buffer();
        const auto* const counts = is_root ? arrays.add<Count>(in.counts) : nullptr;
        const auto* const places = is_root ? arrays.add<Place>(in.places) : nullptr;
        const MPI_Datatype type = is_root ? MPI_INT : MPI_DATATYPE_NULL;
        const std::vector<int> expected = is_root ? arrived(in, 0) : to;
        const Count mine = in.counts[at(s.me)];
        call(s, FORMS(Gatherv, Igatherv), arrays, to, expected, from.data(), mine, MPI_INT, to.data(), counts,
             places, type, root);
        if (s.is_graph) return;
        if (is_root) in.put(to, s.me, [&](int k) { return value(s.me, 0, k); });
        call(s, FORMS(Gatherv, Igatherv), arrays, to, expected,
             is_root ? MPI_IN_PLACE : static_cast<const void*>(from.data()), mine, MPI_INT, to.data(), counts,
             places, type, root);
    }

    /// The sum over processes first to last of their int k of a block.
    std::vector<int> sum(int block, int first, int last) const
    {
        std::vector<int> result(at(regular), first > last ? -1 : 0);
        for (int i = first; i <= last; ++i)
            for (int k = 0; k < regular; ++k) result[at(k)] += value(i, block, k);
        return result;
    }

    void reductions(int root, MPI_Op op) const
    {
        Arrays arrays;
        std::vector<int> from = mine(1), to = blank(1);
        const int last = s.n - 1;
        call(s, FORMS(Reduce, Ireduce), arrays, to, s.me == root ? sum(0, 0, last) : to, from.data(),
             to.data(), many, MPI_INT, op, root);
        call(s, FORMS(Allreduce, Iallreduce), arrays, to, sum(0, 0, last), from.data(), to.data(), many,
             MPI_INT, op);
        from = mine(s.n);
        call(s, FORMS(Reduce_scatter_block, Ireduce_scatter_block), arrays, to, sum(s.me, 0, last),
             from.data(), to.data(), many, MPI_INT, op);
        const auto* const counts = arrays.add<Count>(std::vector<int>(at(s.n), regular));
        std::vector<int> places(at(s.n));
        for (int i = 0; i < s.n; ++i) places[at(i)] = i * regular;
        call(s, FORMS(Reduce_scatterv, Ireduce_scatterv), arrays, to, sum(s.me, 0, last), from.data(), counts,
             arrays.add<Place>(places), to.data(), many, MPI_INT, op);
        if (s.is_graph) return;
        call(s, FORMS(Reduce_scatter, Ireduce_scatter), arrays, to, sum(s.me, 0, last), from.data(),
             to.data(), counts, MPI_INT, op);
        from = mine(1);
        call(s, FORMS(Scan, Iscan), arrays, to, sum(0, 0, s.me), from.data(), to.data(), many, MPI_INT, op);
        if (s.me == 0) return exclude_first(from, to, op);
        call(s, FORMS(Exscan, Iexscan), arrays, to, sum(0, 0, s.me - 1), from.data(), to.data(), many,
             MPI_INT, op);
    }
    /// The data that the first process receives is undefined.
    void exclude_first(const std::vector<int>& from, std::vector<int>& to, MPI_Op op) const
    {
        test::Request request;
        const auto forms = FORMS(Exscan, Iexscan);
        for (int repeat = 0; repeat < 2; ++repeat)
            CHECK_OK(forms.run(from.data(), to.data(), many, MPI_INT, op, s.comm));
        CHECK_OK(forms.start(from.data(), to.data(), many, MPI_INT, op, s.comm, &request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(forms.init(from.data(), to.data(), many, MPI_INT, op, s.comm, MPI_INFO_NULL, &request));
        for (int repeat = 0; repeat < 2; ++repeat) CHECK_OK(test::start_and_wait(&request));
    }

    void barrier() const
    {
        std::vector<int> nothing;
        call(s, FORMS_OF(Barrier, Ibarrier, ), {}, nothing, nothing);
    }

    void mistakes() const
    {
        int a = 0, b = 0;
        const auto bcast = FORMS(Bcast, Ibcast);
        CHECK_EQ(test::error_class(bcast.run(&a, Count{-3}, MPI_INT, 0, s.comm)), MPI_ERR_COUNT);
        const std::string text = test::message();
        CHECK(text.find(bcast.name) != std::string::npos && text.find("count = -3") != std::string::npos);
        CHECK(text.find("rank") != std::string::npos);
        const auto scan = FORMS(Scan, Iscan);
        CHECK_EQ(test::error_class(scan.run(&a, &b, many, MPI_INT, MPI_SUM, s.comm)), ORTHO_ERR_UNDEFINED);
    }

    void all(MPI_Op own) const
    {
        barrier();
        alltoalls();
        allgathers();
        for (const int root : {0, s.n - 1}) {
            from_the_root(root);
            to_the_root(root);
            reductions(root, root == 0 ? MPI_SUM : own);
        }
        if (s.is_graph) mistakes();
    }
};

void add(void* in, void* inout, int* n, MPI_Datatype*)
{
    for (int i = 0; i < *n; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

void on(MPI_Comm comm, bool is_graph, MPI_Op own)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const Stage stage{comm, is_graph, test::rank(comm), test::size(comm)};
    for (const MPI_Count most : {MPI_Count{INT_MAX}, MPI_Count{2}}) {
        ortho::mpi::most_elements = most;
        Calls<int>{stage}.all(own);
        Calls<MPI_Count>{stage}.all(own);
    }
    ortho::mpi::most_elements = INT_MAX;
}

void on_complete_graph(MPI_Comm full, MPI_Op own)
{
    std::vector<int> all(at(test::size()));
    std::iota(all.begin(), all.end(), 0);
    test::Comm graph = test::adjacent(all, all, full);
    on(graph, true, own);
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    test::Comm full = test::duplicate();
    test::Op own;
    MPI_Op_create(add, 0, &own);
    on(full, false, own);
    on_complete_graph(full, own);
    // Each process on a node of its own: by MPI alone.
    setenv("ORTHO_NODES", "1", 1);
    on_complete_graph(full, own);
    unsetenv("ORTHO_NODES");
}
