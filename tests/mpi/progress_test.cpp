// SPDX-License-Identifier: BSD-3-Clause
// Operations go on while a process is away, or computes; and blocks are told that have arrived before others.

using test::advance_until;
using test::blocks;
using test::expected;
using test::foreign_ring;
using test::left;
using test::right;
using test::ring;

namespace {

/// A started operation may be left alone: here one process waits for it while the others are in MPI,
/// and come back only when it has done so.  On ORTHO's communicators, and on those it has not seen.
void a_process_may_be_away()
{
    for (int kind = 0; kind < 3; ++kind) {
        MPI_Comm made = kind == 0 ? ring() : foreign_ring(), comm = made;
        if (kind == 2) { // a duplicate by MPI of what ORTHO has made
            MPI_Comm_free(&made);
            made = ring();
            MPI_Comm_dup(made, &comm);
        }
        const Ints from = blocks(kind);
        Ints to(3, -1);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        // Legal: the others' operations begin with rank 0's message at the latest.
        if (test::rank() != 0) MPI_Recv(nullptr, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_OK(ORTHO_Ialltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, &request));
        for (int r = 1; test::rank() == 0 && r < test::size(); ++r)
            MPI_Send(nullptr, 0, MPI_INT, r, 5, MPI_COMM_WORLD);
        test::others_are_away(0, [&] { CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE)); });
        CHECK(to == expected(kind));
        // Blocking calls after non-blocking ones, which attach.
        std::ranges::fill(to, -1);
        CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm));
        CHECK(to == expected(kind));
        if (comm != made) MPI_Comm_free(&comm);
        MPI_Comm_free(&made);
    }
}

std::array<int, 2> grid_of_all()
{
    const int p = test::size();
    return {p % 2 == 0 ? 2 : 1, p % 2 == 0 ? p / 2 : p};
}
/// Down, to the right, and by way of one of these to the process beyond.
constexpr std::array<int, 6> offsets{1, 0, 0, 1, 1, 1};

MPI_Comm forwarding_torus()
{
    return test::neighborhood(
        grid_of_all(), {1, 1}, offsets, MPI_COMM_WORLD,
        test::Info{{"ortho_algorithm", "alltoall_combining"}, {"ortho_forward", "true"}});
}

/// Blocks that travel through a process travel while it makes communicators, and waits for the others to
/// come and make them, too.
void a_process_may_make_communicators()
{
    test::Comm comm = forwarding_torus();
    const std::array<int, 3> from{};
    std::array<int, 3> to{};
    for (int kind = 0; kind < 4; ++kind) {
        MPI_Comm foreign = kind == 2 ? foreign_ring() : MPI_COMM_NULL;
        MPI_Comm named = test::duplicate();
        const int p = test::size(), one = 1;
        int size = 0;
        CHECK_OK(ORTHO_Cart_name(named, 1, ORTHO_ROWMAJOR, &p, &one, &size));
        MPI_Comm made = MPI_COMM_NULL;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, &request));
        if (test::rank() != 0) CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        switch (kind) {
        case 0: CHECK_OK(ORTHO_Comm_dup(comm, &made)); break;
        case 1: CHECK_OK(ORTHO_Comm_base(comm, &made)); break;
        case 2: CHECK_OK(ORTHO_Barrier(foreign)); break; // attaches
        case 3: CHECK_OK(ORTHO_Cart_create_sub(named, &one, &made)); break;
        }
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        for (MPI_Comm* each : {&made, &foreign, &named})
            if (*each != MPI_COMM_NULL) MPI_Comm_free(each);
    }
}

/// Blocks that travel through a process travel while it computes, if it calls ORTHO_Progress now and then.
void a_process_may_compute()
{
    const int p = test::size();
    const std::array<int, 2> grid = grid_of_all();
    const ortho::grid::Grid torus({grid[0], grid[1]}, {1, 1});
    test::Comm comm = forwarding_torus();
    std::array<int, 3> from{}, to{};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    for (int computing = 0; computing < p; ++computing) {
        for (int i = 0; i < 3; ++i) from[at(i)] = 1000 * test::rank() + 10 * computing + i;
        to.fill(-1);
        CHECK_OK(ORTHO_Ialltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, &request));
        double x = 0.5;
        if (test::rank() == computing) {
            // Its own operation is not waited for until all others are through with theirs.
            int through = 0;
            const double begin = MPI_Wtime();
            while (through < p - 1 && MPI_Wtime() - begin < 60) {
                for (int i = 0; i < 1000; ++i) x = 4 * x * (1 - x);
                CHECK_OK(ORTHO_Progress());
                int there = 0;
                MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
                if (there == 0) continue;
                MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                ++through;
            }
            CHECK_EQ(through, p - 1);
        }
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(x >= 0);
        if (test::rank() != computing) MPI_Send(nullptr, 0, MPI_INT, computing, 8, MPI_COMM_WORLD);
        for (int i = 0; i < 3; ++i) {
            const int source = torus.neighbor_against(test::rank(), std::span(offsets).subspan(at(2 * i), 2));
            CHECK_EQ(to[at(i)], 1000 * source + 10 * computing + i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/// A block is there before the operation is over, and its flag says so; never before it is there.
void blocks_arrive_one_by_one()
{
    const int p = test::size();
    test::Comm comm = ring(false);
    const Ints from = blocks(3);
    Ints to(3, -1);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    int flag = -1, token = 0;
    request = test::alltoall_init(from.data(), to.data(), comm);
    CHECK_OK(ORTHO_Parrived(request, 0, &flag));
    CHECK_EQ(flag, 1); // inactive
    // The process beyond starts only when its left neighbor has seen the block of the one before.
    const bool is_last = test::rank() == p - 1 && p >= 3;
    if (is_last) MPI_Recv(&token, 1, MPI_INT, p - 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_OK(ORTHO_Start(&request));
    if (p >= 3 && test::rank() == p - 2) {
        CHECK_OK(ORTHO_Parrived(request, 2, &flag));
        CHECK_EQ(flag, 0);
        CHECK(advance_until([&] {
            CHECK_OK(ORTHO_Parrived(request, 0, &flag));
            return flag != 0;
        }));
        CHECK_EQ(to[0], 10 * (3 + left()));
        CHECK_OK(ORTHO_Parrived(request, 1, &flag));
        CHECK_EQ(flag, 1); // its own
        CHECK_EQ(to[1], 10 * (3 + test::rank()) + 1);
        CHECK_OK(ORTHO_Parrived(request, 2, &flag));
        CHECK_EQ(flag, 0);
        CHECK_EQ(to[2], -1);
        MPI_Send(&token, 1, MPI_INT, p - 1, 7, MPI_COMM_WORLD);
    }
    if (test::rank() == 0) {
        CHECK_OK(ORTHO_Parrived(request, 0, &flag));
        CHECK_EQ(flag, 1); // a gap
    }
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(ORTHO_Request_free(&request));
    MPI_Comm_free(&comm);

    // However blocks travel, what has arrived is there.
    for (const char* algorithms :
         {"alltoall_direct,allgather_direct", "alltoall_combining,allgather_combining"}) {
        comm = ring(true, "ortho_algorithm", algorithms);
        for (int repeat = 0; repeat < 50; ++repeat) {
            const Ints sent = blocks(repeat);
            std::ranges::fill(to, -1);
            const auto start = repeat % 2 == 0 ? ORTHO_Ialltoall : ORTHO_Iallgather;
            CHECK_OK(start(sent.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, &request));
            const Ints wanted = repeat % 2 == 0 ? expected(repeat)
                                                : Ints{10 * (repeat + left()), 10 * (repeat + test::rank()),
                                                       10 * (repeat + right())};
            Ints arrived(3, 0);
            CHECK(advance_until([&] {
                for (int i = 0; i < 3; ++i) {
                    CHECK_OK(ORTHO_Parrived(request, i, &arrived[at(i)]));
                    if (arrived[at(i)] != 0) CHECK_EQ(to[at(i)], wanted[at(i)]);
                }
                return arrived == Ints(3, 1);
            }));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            CHECK(to == wanted);
        }
    }

    // Operations in which in-neighbors have no blocks of their own.
    comm = ring();
    int value = test::rank();
    CHECK_OK(ORTHO_Ibarrier(comm, &request));
    CHECK_OK(ORTHO_Parrived(request, 2, &flag));
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(ORTHO_Ibcast(&value, 1, MPI_INT, 0, comm, &request));
    CHECK(advance_until([&] {
        int all = 1;
        for (int i = 0; i < 3; ++i) {
            CHECK_OK(ORTHO_Parrived(request, i, &flag));
            all &= flag;
        }
        return all != 0;
    }));
    const bool is_near_root = test::rank() == 0 || left() == 0 || right() == 0;
    CHECK_EQ(value, is_near_root ? 0 : test::rank());
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
}

/// Slots without blocks have all at once, although the root comes late.
void rooted_blocks_arrive()
{
    const test::Comm comm = ring();
    const int me = test::rank(), n = 300'000, sources[] = {left(), me, right()};
    Ints from(at(3 * n), me), to(at(3 * n), -1);
    for (int kind = 0; kind < 6; ++kind) {
        const bool is_gather = kind % 3 == 0, is_bcast = kind % 3 == 1, persists = kind >= 3;
        if (me == 0) MPI_Barrier(MPI_COMM_WORLD);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        int flag = -1;
        if (persists) {
            // All processes are in _init calls together.
            if (me != 0) MPI_Barrier(MPI_COMM_WORLD);
            CHECK_OK(is_gather  ? ORTHO_Gather_init(from.data(), n, MPI_INT, to.data(), n, MPI_INT, 0, comm,
                                                    MPI_INFO_NULL, &request)
                     : is_bcast ? ORTHO_Bcast_init(to.data(), n, MPI_INT, 0, comm, MPI_INFO_NULL, &request)
                                : ORTHO_Scatter_init(from.data(), n, MPI_INT, to.data(), n, MPI_INT, 0, comm,
                                                     MPI_INFO_NULL, &request));
            CHECK_OK(ORTHO_Parrived(request, 7, &flag)); // inactive
            CHECK_EQ(flag, 1);
            if (me == 0) MPI_Barrier(MPI_COMM_WORLD);
            CHECK_OK(ORTHO_Start(&request));
        } else {
            CHECK_OK(is_gather
                         ? ORTHO_Igather(from.data(), n, MPI_INT, to.data(), n, MPI_INT, 0, comm, &request)
                     : is_bcast
                         ? ORTHO_Ibcast(to.data(), n, MPI_INT, 0, comm, &request)
                         : ORTHO_Iscatter(from.data(), n, MPI_INT, to.data(), n, MPI_INT, 0, comm, &request));
        }
        for (int i = 0; i < 3; ++i) {
            const bool comes = is_gather ? me == 0 : sources[i] == 0 && !(is_bcast && me == 0);
            if (comes && me == 0) continue;
            CHECK_OK(ORTHO_Parrived(request, i, &flag));
            CHECK_EQ(flag, comes ? 0 : 1);
        }
        if (me != 0) MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        if (persists) CHECK_OK(ORTHO_Request_free(&request));
    }
}

/// MPI's own messages move on while their sender waits in a blocking call for who must receive one first.
void messages_of_mpi_move_on()
{
    test::Comm comm = ring();
    std::vector<char> message(8 << 20, static_cast<char>(1));
    const int last = test::size() - 1;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int round = 0; round < 3 && last > 0; ++round) {
        const auto bytes = static_cast<int>(message.size());
        if (test::rank() == 0) MPI_Isend(message.data(), bytes, MPI_CHAR, last, 9, MPI_COMM_WORLD, &request);
        if (test::rank() == last) {
            std::vector<char> received(message.size());
            MPI_Recv(received.data(), bytes, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(received == message);
        }
        CHECK_OK(ORTHO_Barrier(comm)); // rank 0 is a neighbor of the last
        if (test::rank() == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

} // namespace

TEST_MAIN()
{
    for (const auto part : {a_process_may_be_away, a_process_may_compute, a_process_may_make_communicators,
                            blocks_arrive_one_by_one, rooted_blocks_arrive, messages_of_mpi_move_on})
        part();
}
