// SPDX-License-Identifier: BSD-3-Clause
// In the limit: on the complete graph reductions that do not commute give what MPI's call gives on the base
// communicator (counts_test has all other calls).  And full and inter-communicators themselves: MPI's meaning,
// displacements of any size.

namespace {

/// 2x2 matrices modulo a prime: associative, not commutative.
void multiply(void* in, void* inout, int* length, MPI_Datatype*)
{
    constexpr int prime = 10'007;
    const int* a = static_cast<int*>(in);
    int* b = static_cast<int*>(inout);
    for (int i = 0; i < *length; ++i, a += 4, b += 4) {
        const int c[] = {(a[0] * b[0] + a[1] * b[2]) % prime, (a[0] * b[1] + a[1] * b[3]) % prime,
                         (a[2] * b[0] + a[3] * b[2]) % prime, (a[2] * b[1] + a[3] * b[3]) % prime};
        std::copy(std::begin(c), std::end(c), b);
    }
}

Ints numbers(int n, int seed)
{
    Ints result(at(n));
    for (int i = 0; i < n; ++i) result[at(i)] = (seed * 1009 + i * 31) % 9973;
    return result;
}

void complete_graph()
{
    const int p = test::size(), me = test::rank();
    Ints all(at(p));
    std::iota(all.begin(), all.end(), 0);
    test::Comm graph = test::adjacent(all, all), full;
    CHECK_OK(ORTHO_Comm_base(graph, &full));
    test::Type matrix = test::committed(MPI_Type_contiguous, 4, MPI_INT);
    test::Op product;
    MPI_Op_create(multiply, 0, &product);

    const int n = 4 * p * 3;
    const Ints mine = numbers(n, me);
    Ints displs(at(p)), int_bytes(at(p));
    std::vector<MPI_Aint> bytes(at(p));
    for (int i = 0; i < p; ++i) {
        displs[at(i)] = 3 * i;
        bytes[at(i)] = int_bytes[at(i)] = 12 * i;
    }
    const std::vector<MPI_Datatype> types(at(p), MPI_INT);
    Ints ones(at(p), 1);

    // Each call with buffer x on comm; the two results must be the same bytes.
    const auto compare = [&](const char* what, auto call) {
        Ints ours(at(n), -1), theirs(at(n), -1);
        test::expect_equal(call(ours, graph), MPI_SUCCESS, what, __FILE__, __LINE__);
        test::expect_equal(call(theirs, full), MPI_SUCCESS, what, __FILE__, __LINE__);
        if (ours != theirs) test::fail(__FILE__, __LINE__, what);
    };
    for (const int root : {0, p - 1})
        compare("Reduce", [&](Ints& x, MPI_Comm comm) {
            return ORTHO_Reduce(mine.data(), x.data(), 3, matrix, product, root, comm);
        });
    compare("Allreduce", [&](Ints& x, MPI_Comm comm) {
        return ORTHO_Allreduce(mine.data(), x.data(), 3, matrix, product, comm);
    });
    compare("Reduce_scatter_block", [&](Ints& x, MPI_Comm comm) {
        return ORTHO_Reduce_scatter_block(mine.data(), x.data(), 3, matrix, product, comm);
    });
    compare("Reduce_scatterv", [&](Ints& x, MPI_Comm comm) {
        Ints counts(at(p), 2), places(at(p));
        for (int i = 0; i < p; ++i) places[at(i)] = p - 1 - i; // overlapping, in reverse
        return ORTHO_Reduce_scatterv(mine.data(), counts.data(), places.data(), x.data(), 2, matrix, product,
                                     comm);
    });
    // Reduce_scatterv of blocks in order is Reduce_scatter_block.
    Ints a(at(n), -1), b(at(n), -1), counts(at(p), 3);
    CHECK_OK(
        ORTHO_Reduce_scatterv(mine.data(), counts.data(), displs.data(), a.data(), 3, matrix, product, full));
    CHECK_OK(ORTHO_Reduce_scatter_block(mine.data(), b.data(), 3, matrix, product, full));
    CHECK(a == b);
    // On a full communicator the scans are MPI's.
    CHECK_OK(ORTHO_Scan(mine.data(), a.data(), 3, matrix, product, full));
    MPI_Scan(mine.data(), b.data(), 3, matrix, product, full);
    CHECK(a == b);
    CHECK_OK(ORTHO_Exscan(mine.data(), a.data(), 3, matrix, product, full));
    MPI_Exscan(mine.data(), b.data(), 3, matrix, product, full);
    CHECK(a == b);

    // MPI_IN_PLACE on a full communicator is MPI's.
    Ints place = mine;
    CHECK_OK(ORTHO_Allreduce(MPI_IN_PLACE, place.data(), n, MPI_INT, MPI_MAX, full));
    Ints reference(at(n));
    MPI_Allreduce(mine.data(), reference.data(), n, MPI_INT, MPI_MAX, full);
    CHECK(place == reference);
    place = mine;
    reference = mine;
    CHECK_OK(ORTHO_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, place.data(), ones.data(), bytes.data(),
                             types.data(), full));
    MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, reference.data(), ones.data(), int_bytes.data(),
                  types.data(), full);
    CHECK(place == reference);
}

/// Pairs (a, b) stand for x → ax + b: associative, not commutative.  Two more ints lie behind each.
void compose(void* in, void* inout, int* length, MPI_Datatype*)
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
    const int p = test::size(), me = test::rank(), n = 1;
    test::Type pair;
    {
        test::Type ints = test::committed(MPI_Type_contiguous, 2, MPI_INT);
        CHECK_OK(MPI_Type_create_resized(ints, 0, 16, &pair));
        MPI_Type_commit(&pair);
    }
    test::Op composition;
    MPI_Op_create(compose, 0, &composition);
    const auto value = [&](int rank, int element) { return std::array{element % 3 - 1, 2 * rank + element}; };
    Ints sent(at(4 * n * p), -1), wanted(at(4 * n), -1);
    for (int i = 0; i < n * p; ++i) std::ranges::copy(value(me, i), &sent[at(4 * i)]);
    for (int i = 0; i < n; ++i) {
        wanted[at(4 * i)] = 1;
        wanted[at(4 * i + 1)] = 0;
        for (int rank = 0; rank < p; ++rank) {
            auto next = value(rank, n * me + i);
            int one = 1;
            compose(&wanted[at(4 * i)], next.data(), &one, nullptr);
            std::ranges::copy(next, &wanted[at(4 * i)]);
        }
    }
    const Ints counts(at(p), n);
    Ints got(at(4 * n), -1);
    CHECK_OK(ORTHO_Reduce_scatter_block(sent.data(), got.data(), n, pair, composition, MPI_COMM_WORLD));
    CHECK(got == wanted);
    got.assign(at(4 * n), -1);
    ORTHO_Request request;
    CHECK_OK(ORTHO_Ireduce_scatter(sent.data(), got.data(), counts.data(), pair, composition, MPI_COMM_WORLD,
                                   &request));
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(got == wanted);
    CHECK_OK(ORTHO_Reduce_scatter_block_init(MPI_IN_PLACE, sent.data(), n, pair, composition, MPI_COMM_WORLD,
                                             MPI_INFO_NULL, &request));
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    CHECK(std::equal(wanted.begin(), wanted.end(), sent.begin()));
    CHECK_OK(ORTHO_Request_free(&request));
}

/// Displacements that an int cannot hold, on a full communicator (peers' O19).
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

/// Inter-communicators of unequal groups (peers' O18).
void inter_communicators()
{
    const int p = test::size(), me = test::rank();
    if (p < 2) return;
    const int border = (p + 2) / 3;
    const bool left = me < border;
    const int remote_size = left ? p - border : border, remote_first = left ? border : 0;
    test::Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, left ? 0 : 1, me, &half);
    test::Comm inter;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, remote_first, 99, &inter);
    test::return_errors(inter);
    const int local_rank = test::rank(half);

    Ints sent(at(remote_size)), ones(at(remote_size), 1), places(at(remote_size));
    std::vector<MPI_Aint> bytes(at(remote_size));
    const std::vector<MPI_Datatype> types(at(remote_size), MPI_INT);
    for (int i = 0; i < remote_size; ++i) {
        sent[at(i)] = 100 * me + i;
        places[at(i)] = i;
        bytes[at(i)] = 4 * i;
    }
    Ints received(at(remote_size), -1);
    const auto expect = [&](auto value) {
        for (int i = 0; i < remote_size; ++i) CHECK_EQ(received[at(i)], value(remote_first + i));
        received.assign(at(remote_size), -1);
    };
    CHECK_OK(ORTHO_Alltoallw(sent.data(), ones.data(), bytes.data(), types.data(), received.data(),
                             ones.data(), bytes.data(), types.data(), inter));
    expect([&](int from) { return 100 * from + local_rank; });
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, inter));
    expect([&](int from) { return 100 * from + local_rank; });
    CHECK_OK(ORTHO_Allgatherw(sent.data(), 1, MPI_INT, received.data(), ones.data(), bytes.data(),
                              types.data(), inter));
    expect([&](int from) { return 100 * from; });
    CHECK_OK(ORTHO_Allgather(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, inter));
    expect([&](int from) { return 100 * from; });
    int sum = -1;
    CHECK_OK(ORTHO_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, inter));
    int expected = 0;
    for (int i = 0; i < remote_size; ++i) expected += remote_first + i;
    CHECK_EQ(sum, expected);
    CHECK_OK(
        ORTHO_Reduce_scatterv(sent.data(), ones.data(), places.data(), &sum, 1, MPI_INT, MPI_SUM, inter));
    expected = 0;
    for (int i = 0; i < remote_size; ++i) expected += 100 * (remote_first + i) + local_rank;
    CHECK_EQ(sum, expected);
    int value = left && local_rank == 0 ? 77 : -1;
    CHECK_OK(ORTHO_Bcast(&value, 1, MPI_INT, left ? (local_rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter));
    CHECK_EQ(value, !left || local_rank == 0 ? 77 : -1);
    CHECK_OK(ORTHO_Barrier(inter));
    CHECK_EQ(error_class(ORTHO_Scan(&me, &sum, 1, MPI_INT, MPI_SUM, inter)), ORTHO_ERR_UNDEFINED);
    CHECK_EQ(error_class(ORTHO_Exscan(&me, &sum, 1, MPI_INT, MPI_SUM, inter)), ORTHO_ERR_UNDEFINED);
    CHECK_EQ(error_class(ORTHO_Allgatherw(MPI_IN_PLACE, 1, MPI_INT, received.data(), ones.data(),
                                          bytes.data(), types.data(), inter)),
             MPI_ERR_BUFFER);
}

} // namespace

TEST_MAIN()
{
    complete_graph();
    elements_with_gaps();
    far_displacements();
    inter_communicators();
}
