// SPDX-License-Identifier: BSD-3-Clause
// Operators that assign whole structs, of which the datatype has the key alone: each operand has room for all of
// the struct, before and behind the key.

namespace {

constexpr int bytes = 1 << 20; // so many that one who writes behind the room ends soon
constexpr int before = 1 << 18;

/// A struct begins `before` bytes before its key if `Inner` is true, and else with the key.
template <bool Inner>
void take_larger(void* in, void* inout, int* n, MPI_Datatype*)
{
    auto* from = static_cast<char*>(in);
    auto* to = static_cast<char*>(inout);
    for (int i = 0; i < *n; ++i, from += bytes, to += bytes) {
        double a = 0, b = 0;
        std::memcpy(&a, from, sizeof a);
        std::memcpy(&b, to, sizeof b);
        const int start = Inner ? before : 0;
        if (a > b) std::memmove(to - start, from - start, bytes);
    }
}

/// Structs in a row.
class Row {
public:
    Row(bool inner, int count) : start_(inner ? before : 0), memory_(static_cast<std::size_t>(count) * bytes)
    {}

    void* address() { return memory_.data() + start_; }
    void put(int i, double key) { std::memcpy(place(i), &key, sizeof key); }
    double get(int i)
    {
        double key = 0;
        std::memcpy(&key, place(i), sizeof key);
        return key;
    }

private:
    char* place(int i) { return static_cast<char*>(address()) + std::ptrdiff_t{i} * bytes; }

    int start_;
    std::vector<char> memory_;
};

struct Kind {
    bool inner;
    MPI_Datatype type;
    MPI_Op op;
};

void collectives(const Kind& kind, MPI_Comm ring)
{
    const int me = test::rank(ring), p = test::size(ring), last = (me + p - 1) % p, next = (me + 1) % p;
    // Struct i of block b.
    const auto key = [](int process, int b, int i) { return 100 + process * (i == 0 ? 1 : -1) + 10.0 * b; };
    const std::array<int, 3> sources = {last, next, me};
    const std::array<int, 3> blocks = {1, 0, 2}; // of their targets, which are next, last, themselves
    Row send(kind.inner, 6), receive(kind.inner, 2);
    for (int b = 0; b < 3; ++b)
        for (int i = 0; i < 2; ++i) send.put(2 * b + i, key(me, b, i));
    const auto expect = [&](bool personal) {
        for (int i = 0; i < 2; ++i) {
            double most = 0;
            for (std::size_t e = 0; e < 3; ++e)
                most = std::max(most, key(sources[e], personal ? blocks[e] : 0, i));
            CHECK_EQ(receive.get(i), most);
            receive.put(i, 0);
        }
    };
    CHECK_OK(ORTHO_Allreduce(send.address(), receive.address(), 2, kind.type, kind.op, ring));
    expect(false);
    CHECK_OK(ORTHO_Reduce(send.address(), receive.address(), 2, kind.type, kind.op, 0, ring));
    if (me == 0) expect(false);
    CHECK_OK(ORTHO_Reduce_scatter_block(send.address(), receive.address(), 2, kind.type, kind.op, ring));
    expect(true);
    const int counts[] = {2, 2, 2}, displacements[] = {0, 2, 4};
    CHECK_OK(ORTHO_Reduce_scatterv(send.address(), counts, displacements, receive.address(), 2, kind.type,
                                   kind.op, ring));
    expect(true);

    // Where all are neighbors.
    const std::vector<int> ones(static_cast<std::size_t>(p), 1), zeros(static_cast<std::size_t>(p), 0);
    CHECK_OK(ORTHO_Reduce_scatterv(send.address(), ones.data(), zeros.data(), receive.address(), 1, kind.type,
                                   kind.op, MPI_COMM_WORLD));
    CHECK_EQ(receive.get(0), key(p - 1, 0, 0));
}

/// Elements 1, 2 of each process's four are its own, the others ghosts.
void halo(const Kind& kind, MPI_Comm grid)
{
    const int me = test::rank();
    const auto key = [](int process, int i) { return 10.0 * process + (i % 3 == 0 ? 5 : i); };
    Row row(kind.inner, 4);
    void* const fields[] = {row.address()};
    const int sizes[] = {4}, depth[] = {1};
    test::Request request;
    CHECK_OK(ORTHO_Halo_reduce_init(1, fields, &kind.type, 1, sizes, depth, depth, kind.op, grid,
                                    MPI_INFO_NULL, &request));
    for (const bool is_run : {true, false}) {
        for (int i = 0; i < 4; ++i) row.put(i, key(me, i));
        CHECK_OK(test::execute(&request, is_run));
        CHECK_EQ(row.get(1), std::max(key(me, 1), key(test::left(), 3)));
        CHECK_EQ(row.get(2), std::max(key(me, 2), key(test::right(), 0)));
    }
}

/// Each process has ghosts of both elements of the next one.
void ghosts(const Kind& kind)
{
    const int me = test::rank();
    const auto key = [](int process, int i) { return 10.0 * process + i; };
    const int owners[] = {test::right(), test::right()};
    const MPI_Count indices[] = {1, 0};
    test::IndexMap map;
    CHECK_OK(ORTHO_Index_map_create(2, 2, owners, indices, MPI_COMM_WORLD, MPI_INFO_NULL, &map));
    Row owned(kind.inner, 2), copies(kind.inner, 2);
    const void* const ghosts[] = {copies.address()};
    void* const elements[] = {owned.address()};
    test::Request request;
    CHECK_OK(
        ORTHO_Ghosts_reduce_init(1, ghosts, elements, &kind.type, kind.op, map, MPI_INFO_NULL, &request));
    for (int i = 0; i < 2; ++i) {
        owned.put(i, key(me, i));
        copies.put(i, key(me, 7 * i));
    }
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(owned.get(1), std::max(key(me, 1), key(test::left(), 0)));
    CHECK_EQ(owned.get(0), std::max(key(me, 0), key(test::left(), 7)));
}

} // namespace

TEST_MAIN()
{
    const int me = test::rank(), left = test::left(), right = test::right();
    // Block 0 goes to the next process, where it is the last one's: block 1 of the process before.
    test::Comm ring = test::adjacent({left, right, me}, {right, left, me});
    test::Comm grid = test::cart({test::size()}, {1});
    for (const bool inner : {false, true}) {
        test::Type type = test::committed(MPI_Type_create_resized, MPI_DOUBLE, inner ? -before : 0, bytes);
        test::Op op;
        MPI_Op_create(inner ? take_larger<true> : take_larger<false>, 1, &op);
        const Kind kind{inner, type, op};
        collectives(kind, ring);
        halo(kind, grid);
        ghosts(kind);
    }
}
