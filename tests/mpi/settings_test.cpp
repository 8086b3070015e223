// SPDX-License-Identifier: BSD-3-Clause
// Settings of algorithms and sizes in environment and info, and which of them decides.

#include "random_graphs.hpp"

namespace {

using ortho::grid::Grid;
using ortho::grid::Stencil;

MPI_Comm grid(MPI_Comm comm, const Ints& dims, const Ints& periods, const Ints& offsets, MPI_Info info)
{
    MPI_Comm cart = test::neighborhood(dims, periods, offsets, comm, info);
    if (cart != MPI_COMM_NULL) test::return_errors(cart);
    return cart;
}

const Ints moore{-1, -1, -1, 0, -1, 1, 0, -1, 0, 0, 0, 1, 1, -1, 1, 0, 1, 1};

/// The environment of rank 0 counts, whatever the others have: set it there alone.
void environment_of_rank_0()
{
    const int me = test::rank();
    setenv("ORTHO_ALGORITHM", me == 0 ? "alltoall_combining" : "no_such_thing", 1);
    // Not isomorphic: on every process the bound call cannot be served, and says so; the
    // others are free, and collectives that it does not name are not bound.
    const int next = test::right(), last = test::left();
    test::Comm comm = test::adjacent({last}, {next});
    test::return_errors(comm);
    int received = -1;
    refused(ORTHO_Alltoall(&me, 1, MPI_INT, &received, 1, MPI_INT, comm), ORTHO_ERR_ALGORITHM,
            "alltoall_combining");
    CHECK_EQ(received, -1);
    CHECK_OK(ORTHO_Allgather(&me, 1, MPI_INT, &received, 1, MPI_INT, comm));
    CHECK_EQ(received, last);
    MPI_Comm_free(&comm);
    // Info goes before environment.
    for (const char* const algorithm : {"alltoall_direct", "auto"}) {
        comm = test::adjacent({last}, {next}, MPI_COMM_WORLD, test::Info{{"ortho_algorithm", algorithm}});
        CHECK_OK(ORTHO_Alltoall(&me, 1, MPI_INT, &received, 1, MPI_INT, comm));
    }
    // A foreign communicator agrees when it is attached; an unknown name is an error on all.
    if (me == 0) setenv("ORTHO_ALGORITHM", "alltoall_direct, no_such_thing", 1);
    comm = test::one_way_ring();
    test::return_errors(comm);
    refused(ORTHO_Barrier(comm), ORTHO_ERR_ALGORITHM, "'no_such_thing'");
    CHECK(message().find("ORTHO_Barrier") == 0);
    CHECK_EQ(error_class(test::try_graph()), ORTHO_ERR_ALGORITHM);
    unsetenv("ORTHO_ALGORITHM");
    // So is a word that is none of a variable's.
    if (me == 0) setenv("ORTHO_PROGRESS", "never", 1);
    refused(test::try_graph(), MPI_ERR_INFO_VALUE, "ORTHO_PROGRESS = 'never' is not thread");
    unsetenv("ORTHO_PROGRESS");
}

void info_values()
{
    const auto create = [](const char* key, const char* value) {
        return error_class(test::try_graph(test::Info{{key, value}}));
    };
    for (const char* value : {"true", "TRUE", "False", "false"})
        CHECK_EQ(create("ortho_assert_uniform", value), MPI_SUCCESS);
    for (const char* value : {"ja", "2", "truely"}) // peers' T27: not silently ignored
        CHECK_EQ(create("ortho_assert_uniform", value), MPI_ERR_INFO_VALUE);
    CHECK_EQ(create("ortho_algorithm", "fast"), ORTHO_ERR_ALGORITHM);
    CHECK_EQ(create("some_other_key", "value"), MPI_SUCCESS);
    // Longer than what travels in one message.
    std::string list = "alltoall_direct";
    while (list.size() < 600) list += ",allgather_combining";
    for (const bool right : {true, false}) {
        if (test::rank() == 0) setenv("ORTHO_ALGORITHM", (list + (right ? "" : ",nothing")).c_str(), 1);
        CHECK_EQ(create("some_other_key", "value"), right ? MPI_SUCCESS : ORTHO_ERR_ALGORITHM);
    }
    unsetenv("ORTHO_ALGORITHM");
}

/// design.md: a 3x3 mesh with N = {(2,2),(2,1),(1,2)}: (2,0) has no edges and may pass count 0,
/// and yet lies on the way of (2,2).
void a_process_without_edges_on_the_way()
{
    if (test::size() < 9) return;
    const Ints offsets{2, 2, 2, 1, 1, 2};
    test::Comm comm = grid(MPI_COMM_WORLD, {3, 3}, {0, 0}, offsets, MPI_INFO_NULL);
    if (comm == MPI_COMM_NULL) return;
    const int me = test::rank(comm);
    Ints sent(9), received(9, -1), expected(9, -1);
    std::iota(sent.begin(), sent.end(), 100 * me);
    int count = 0;
    for (const cases::Pair& pair :
         test::neighborhood_graph(Grid({3, 3}, {0, 0}), Stencil(2, offsets)).pairs) {
        if (pair.from == me || pair.to == me) count = 3;
        for (int k = 0; pair.to == me && k < 3; ++k)
            expected[at(3 * pair.in_edge + k)] = 100 * pair.from + 3 * pair.out_edge + k;
    }
    CHECK_OK(ORTHO_Alltoall(sent.data(), count, MPI_INT, received.data(), count, MPI_INT, comm));
    CHECK(received == expected);
}

/// design.md: a 2x2 mesh with N = {(1,0),(0,1),(1,1)}: (1,0) would forward (1,1) without a slot for it.  That
/// counts of gaps mean nothing without the assertion, replay_test says.
void a_forwarder_without_a_slot()
{
    if (test::size() < 4) return;
    const Ints offsets{1, 0, 0, 1, 1, 1};
    const auto graph = test::neighborhood_graph(Grid({2, 2}, {0, 0}), Stencil(2, offsets));
    for (const char* const asserted : {"false", "true"}) {
        test::Comm comm = grid(MPI_COMM_WORLD, {2, 2}, {0, 0}, offsets,
                               test::Info{{"ortho_assert_uniform", asserted}});
        if (comm == MPI_COMM_NULL) continue;
        Random random;
        test::Session session([] { return test::Form::blocking; });
        test::alltoallv(session, {graph, comm, test::rank(comm)}, {random, random},
                        [](int, int slot) { return 1 + slot; });
    }
}

/// Peers' T16: counts that differ from process to process, legal in MPI, where a forwarder
/// would use its own.
void counts_of_ones_own()
{
    const int p = test::size(), me = test::rank(), rows = p % 2 == 0 ? 2 : 1, columns = p / rows;
    test::Comm comm = grid(MPI_COMM_WORLD, {rows, columns}, {1, 1}, {1, 1}, MPI_INFO_NULL);
    const int source = (me / columns + rows - 1) % rows * columns + (me % columns + columns - 1) % columns;
    const Ints sent(at(p + 1), me);
    Ints received(at(p + 1), -1), expected(at(p + 1), -1);
    const int sendcount = me + 1, recvcount = source + 1, zero = 0;
    CHECK_OK(ORTHO_Alltoallv(sent.data(), &sendcount, &zero, MPI_INT, received.data(), &recvcount, &zero,
                             MPI_INT, comm));
    std::fill_n(expected.begin(), recvcount, source);
    CHECK(received == expected);
    // The regular form, too: the sizes on a ring of offsets (1,1) hang together pairwise only.
    received.assign(received.size(), -1);
    CHECK_OK(ORTHO_Alltoall(sent.data(), sendcount, MPI_INT, received.data(), recvcount, MPI_INT, comm));
    CHECK(received == expected);
    CHECK_OK(ORTHO_Allgather(sent.data(), sendcount, MPI_INT, received.data(), recvcount, MPI_INT, comm));
    CHECK(received == expected);
}

/// An assertion that not all processes make is none.
void an_assertion_needs_all()
{
    const int p = test::size(), me = test::rank(), rows = p % 2 == 0 ? 2 : 1, columns = p / rows;
    const test::Info info{{"ortho_assert_uniform", p > 1 && me == p - 1 ? "false" : "true"},
                          {"ortho_algorithm", "alltoall_combining"}};
    test::Comm comm = grid(MPI_COMM_WORLD, {rows, columns}, {1, 1}, moore, info);
    const Ints counts(9, 1), displacements{0, 1, 2, 3, 4, 5, 6, 7, 8}, sent(9, me);
    Ints received(9, -1);
    const int result = error_class(ORTHO_Alltoallv(sent.data(), counts.data(), displacements.data(), MPI_INT,
                                                   received.data(), counts.data(), displacements.data(),
                                                   MPI_INT, comm));
    CHECK_EQ(result, p > 1 ? ORTHO_ERR_ALGORITHM : MPI_SUCCESS);
    // The regular form needs no assertion: these sizes hang together.
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm));
    CHECK_EQ(received[4], me);
}

/// Sizes that must be equal and are not: an error where it shows, before anything is written.
void unequal_sizes_in_a_stencil()
{
    const int p = test::size();
    test::Comm comm = grid(MPI_COMM_WORLD, {1, p}, {1, 1}, moore, MPI_INFO_NULL);
    Ints sent(36, 1), received(36, -1);
    refused(ORTHO_Alltoall(sent.data(), 4, MPI_INT, received.data(), 2, MPI_INT, comm), MPI_ERR_TRUNCATE,
            "16 bytes");
    FAILS(ORTHO_Allgather(sent.data(), 4, MPI_INT, received.data(), 2, MPI_INT, comm), MPI_ERR_TRUNCATE);
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 4, MPI_BYTE, comm));
}

/// An info on one process only: harmless, but a mistake in it is one on all.
void info_on_one_process()
{
    for (const bool wrong : {false, true}) {
        const test::Info info{{wrong ? "ortho_algorithm" : "foo", "nonsense"}};
        const MPI_Info mine = test::rank() == test::size() - 1 ? info : MPI_INFO_NULL;
        CHECK_EQ(error_class(test::try_graph(mine)), wrong ? ORTHO_ERR_ALGORITHM : MPI_SUCCESS);
    }
}

/// Operations made with an info on a graph, on a named communicator, and on one that is neither.
void make_operations(MPI_Comm ring, MPI_Info info)
{
    const int size = test::size(), periodic = 1;
    test::Comm cart = test::cart({size}, {periodic});
    const int sent[] = {1, 2};
    int received[] = {0, 0}, cells[] = {0, 0, 0};
    void* const field = cells;
    const MPI_Datatype element = MPI_INT;
    const int three = 3, one = 1;
    const MPI_Count cells_of_field = 3, ghosts = 1;
    ORTHO_Field none_filled{}; // most of it zero, as ORTHO_FIELD_INIT does not leave it
    none_filled.base = cells;
    none_filled.element = element;
    none_filled.sizes = &cells_of_field;
    none_filled.lower = none_filled.upper = &ghosts;
    none_filled.order = MPI_ORDER_C;
    ORTHO_Request requests[5];
    CHECK_OK(ORTHO_Alltoall_init(sent, 1, MPI_INT, received, 1, MPI_INT, ring, info, &requests[0]));
    CHECK_OK(ORTHO_Halo_init(1, &field, &element, 1, &three, &one, &one, ring, info, &requests[1]));
    CHECK_OK(ORTHO_Halo_init(1, &field, &element, 1, &three, &one, &one, cart, info, &requests[2]));
    CHECK_OK(ORTHO_Barrier_init(MPI_COMM_WORLD, info, &requests[3]));
    CHECK_OK(ORTHO_Halo_fields_init(1, &none_filled, 1, ring, MPI_INFO_NULL, &requests[4]));
    for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
}

/// Calls that read nothing in an info, on any communicator.
void read_nothing(MPI_Info info)
{
    MPI_Comm const comm = MPI_COMM_WORLD;
    test::Comm node;
    CHECK_OK(ORTHO_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, info, &node));
    ORTHO_Sparse sparse = ORTHO_SPARSE_NULL;
    const auto receive = [&] {
        CHECK_OK(ORTHO_Sparse_receive(&sparse, nullptr, MPI_INT, nullptr, nullptr, nullptr));
    };
    CHECK_OK(ORTHO_Sparse_alltoallv(nullptr, 0, nullptr, nullptr, nullptr, MPI_INT, comm, info, &sparse));
    receive();
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Isparse_alltoallv(nullptr, 0, nullptr, nullptr, nullptr, MPI_INT, comm, info, &sparse,
                                     &request));
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    receive();
    void* memory = nullptr;
    CHECK_OK(ORTHO_Alloc_mem(8, info, comm, &memory));
    MPI_Win window = MPI_WIN_NULL;
    CHECK_OK(ORTHO_Win_create(memory, 8, 1, info, comm, &window));
    CHECK_OK(ORTHO_Win_free(&window));
    CHECK_OK(ORTHO_Free_mem(memory, comm));
    CHECK_OK(ORTHO_Win_allocate(8, 1, info, comm, &memory, &window));
    CHECK_OK(ORTHO_Win_free(&window));
    const MPI_Count size = 1;
    ORTHO_Mosaic mosaic = ORTHO_MOSAIC_NULL;
    CHECK_OK(ORTHO_Mosaic_create(comm, 1, 1, &size, 0, nullptr, 0, nullptr, info, &mosaic));
    CHECK_OK(ORTHO_Mosaic_free(&mosaic));
}

/// A halo of an array on a grid whose ranks are numbered column-major.
void a_halo_by_columns(const char* order)
{
    test::Comm named = test::duplicate();
    const int dims[] = {test::size(), 1}, periods[] = {1, 1}, sizes[] = {3, 3}, ghosts[] = {1, 1};
    int points = 0;
    CHECK_OK(ORTHO_Cart_name(named, 2, ORTHO_COLMAJOR, dims, periods, &points));
    int cells[9] = {};
    void* const field = cells;
    const MPI_Datatype element = MPI_INT;
    test::Request request;
    CHECK_OK(ORTHO_Halo_init(1, &field, &element, 2, sizes, ghosts, ghosts, named,
                             test::Info{{"ortho_order", order}}, &request));
}

/// Some calls on a ring that is made with an info key, twice.
void a_few_calls(const std::string& key)
{
    const int size = test::size(), periodic = 1;
    const test::Info info{{key.c_str(), key == "ortho_regions" ? "faces"
                                        : key == "ortho_order" ? "C"
                                                               : "true"}};
    for (int repeat = 0; repeat < 2; ++repeat) {
        test::Comm ring = test::neighborhood({size}, {periodic}, {-1, 1}, MPI_COMM_WORLD, info);
        const int sent[] = {1, 2};
        int received[] = {0, 0};
        CHECK_OK(ORTHO_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring));
        CHECK_EQ(received[0], 1);
        CHECK_EQ(received[1], 2);
        for (MPI_Op op : {MPI_SUM, MPI_MAX}) {
            const int one = 1;
            int result = 0;
            CHECK_OK(ORTHO_Allreduce(&one, &result, 1, MPI_INT, op, ring));
            CHECK_EQ(result, op == MPI_SUM ? 2 : 1);
        }
        if (key != "ortho_forward") make_operations(ring, info);
        if (key == "ortho_regions") read_nothing(info);
    }
}

} // namespace

TEST_MAIN()
{
    if (argc > 1 && std::string(argv[1]) == "fatal") {
        grid(MPI_COMM_WORLD, {test::size()}, {1}, {1}, MPI_INFO_NULL); // ends the program
        return;
    }
    test::return_errors(MPI_COMM_NULL);
    if (argc > 1 && std::string(argv[1]) == "by_columns")
        return a_halo_by_columns(argc > 2 ? argv[2] : nullptr);
    if (argc > 1) return a_few_calls(argv[1]);
    for (const auto part :
         {environment_of_rank_0, info_values, a_process_without_edges_on_the_way, a_forwarder_without_a_slot,
          counts_of_ones_own, an_assertion_needs_all, unequal_sizes_in_a_stencil, info_on_one_process})
        part();
}
