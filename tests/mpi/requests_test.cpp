// SPDX-License-Identifier: BSD-3-Clause
// Requests: what completes when, in which order, whatever is freed meanwhile; what is wrong with them.

#include "calls.hpp"

using test::advance_until;
using test::blocks;
using test::expected;
using test::foreign_ring;
using test::handler_calls;
using test::left;
using test::right;
using test::ring;

namespace {

std::string text_of(ORTHO_Request request)
{
    int length = 0;
    CHECK_OK(ORTHO_Explain(request, nullptr, 0, &length));
    std::string text(static_cast<std::size_t>(length) + 1, '?');
    CHECK_OK(ORTHO_Explain(request, text.data(), length + 1, nullptr));
    CHECK(text.back() == '\0');
    text.pop_back();
    char cut[8];
    CHECK_OK(ORTHO_Explain(request, cut, sizeof cut, &length));
    CHECK_EQ(std::string(cut), text.substr(0, 7));
    return text;
}

/// An operation is explained in these words, among others, and ends.
template <class Make, class... A>
void check_explained(const std::vector<std::string>& wanted, Make make, const A&... arguments)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(make(arguments..., &request));
    const std::string text = text_of(request);
    for (const std::string& words : wanted)
        if (text.find(words) == std::string::npos)
            test::fail(__FILE__, __LINE__, "no '" + words + "' in\n" + text);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    if (request != ORTHO_REQUEST_NULL) CHECK_OK(ORTHO_Request_free(&request));
}

/// A bound operation serves any operator; its explanation names the call's own.
void explanations_name_the_operator()
{
    test::Comm comm = ring();
    const double value = 2;
    double result = 0;
    for (const auto& [op, name] : {std::pair(MPI_SUM, "MPI_SUM"), std::pair(MPI_MAX, "MPI_MAX")})
        check_explained({"; reduces with " + std::string(name) + "\n"}, ORTHO_Iallreduce, &value, &result, 1,
                        MPI_DOUBLE, op, comm);
}

/// Processes start persistent operations in whatever order they like: on graphs, and elsewhere.
void persistent_operations_start_in_any_order()
{
    for (const bool over_all : {false, true}) {
        MPI_Comm comm = over_all ? MPI_COMM_NULL : ring();
        if (over_all) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        std::array<int, 2> from{1, 100};
        std::array<int, 2> to{};
        std::array<ORTHO_Request, 2> requests{};
        for (std::size_t i = 0; i < 2; ++i)
            CHECK_OK(ORTHO_Allreduce_init(&from[i], &to[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                          &requests[i]));
        MPI_Comm_free(&comm); // a request outlives it
        for (int repeat = 0; repeat < 3; ++repeat) {
            to.fill(-1);
            const std::size_t first = static_cast<std::size_t>(test::rank() + repeat) % 2;
            CHECK_OK(ORTHO_Start(&requests[first]));
            CHECK_OK(ORTHO_Start(&requests[1 - first]));
            CHECK_OK(ORTHO_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
            const int addends = over_all ? test::size() : 3;
            CHECK_EQ(to[0], addends);
            CHECK_EQ(to[1], 100 * addends);
            // One is run while the other is under way, or before that.
            to.fill(-1);
            if (first == 0) CHECK_OK(ORTHO_Start(&requests[1]));
            CHECK_OK(ORTHO_Run(&requests[0], MPI_STATUS_IGNORE));
            if (first == 1) CHECK_OK(ORTHO_Start(&requests[1]));
            CHECK_OK(ORTHO_Wait(&requests[1], MPI_STATUS_IGNORE));
            CHECK_EQ(to[0], addends);
            CHECK_EQ(to[1], 100 * addends);
        }
        for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
    }
}

/// Requests, communicators and datatypes that are freed early change nothing.
void what_is_under_way_ends()
{
    for (const bool persistent : {false, true})
        for (const bool foreign : {false, true}) {
            MPI_Comm comm = foreign ? foreign_ring() : ring();
            MPI_Datatype type = test::committed(MPI_Type_contiguous, 1, MPI_INT);
            const Ints from = blocks(7);
            Ints to(3, -1);
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            {
                const Ints ones{1, 1, 1};
                const std::vector<MPI_Aint> places{0, 4, 8};
                const std::vector<MPI_Datatype> types(3, type);
                CHECK_OK(begin(persistent ? test::Form::persistent : test::Form::nonblocking,
                               SMALL_FORMS(Alltoallw, Ialltoallw), &request, from.data(), ones, places,
                               types.data(), to.data(), ones, places, types.data(), comm));
            }
            MPI_Type_free(&type);
            if (persistent) CHECK_OK(ORTHO_Start(&request));
            MPI_Comm_free(&comm);
            CHECK_OK(ORTHO_Request_free(&request));
            CHECK(request == ORTHO_REQUEST_NULL);
            CHECK(advance_until([&] { return to == expected(7); }));
        }
    // And those that nobody asks after end in MPI_Finalize: this one's buffers live until then.
    static Ints from, to(3, -1);
    from = blocks(8);
    test::Comm comm = ring();
    test::Request request;
    CHECK_OK(ORTHO_Ialltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, &request));
}

/// ORTHO_Run and ORTHO_Start of one request in turn, between blocking calls; several at once; after the
/// communicator has gone.
void operations_are_run()
{
    for (const char* algorithm : {"auto", "alltoall_direct", "alltoall_combining"}) {
        MPI_Comm comm = ring(true, "ortho_algorithm", algorithm);
        constexpr std::size_t number = 4;
        std::array<Ints, number> from;
        std::array<Ints, number> to;
        std::array<ORTHO_Request, number> requests{};
        for (std::size_t i = 0; i < number; ++i) {
            from[i].resize(3);
            to[i].resize(3);
            requests[i] = test::alltoall_init(from[i].data(), to[i].data(), comm);
        }
        const auto fill = [&](int lap) {
            for (std::size_t i = 0; i < number; ++i) {
                std::ranges::copy(blocks(10 * lap + static_cast<int>(i)), from[i].begin());
                std::ranges::fill(to[i], -1);
            }
        };
        const auto check = [&](int lap, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                CHECK(to[i] == expected(10 * lap + static_cast<int>(i)));
        };
        for (int lap = 0; lap < 12; ++lap) {
            fill(lap);
            if (lap == 8) MPI_Comm_free(&comm);
            if (lap % 3 == 0) {
                for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
            } else if (lap % 3 == 1) {
                MPI_Status statuses[number];
                for (MPI_Status& status : statuses) status.MPI_ERROR = MPI_ERR_OTHER;
                CHECK_OK(ORTHO_Runall(static_cast<int>(number), requests.data(), statuses));
                for (const MPI_Status& status : statuses) CHECK_EQ(status.MPI_ERROR, MPI_SUCCESS);
            } else {
                // One is under way while others are run.
                CHECK_OK(ORTHO_Start(&requests[3]));
                CHECK_OK(ORTHO_Runall(3, requests.data(), MPI_STATUSES_IGNORE));
                check(lap, 0, 3);
                CHECK_OK(ORTHO_Wait(&requests[3], MPI_STATUS_IGNORE));
            }
            check(lap, 0, number);
            if (comm != MPI_COMM_NULL) {
                std::ranges::fill(to[0], -1);
                CHECK_OK(ORTHO_Alltoall(from[0].data(), 1, MPI_INT, to[0].data(), 1, MPI_INT, comm));
                check(lap, 0, 1);
            }
        }
        for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
    }
    // On a full communicator it is started and waited for.
    const int mine = test::rank();
    int sum = -1;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int lap = 0; lap < 3; ++lap) {
        sum = -1;
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(sum, test::size() * (test::size() - 1) / 2);
    }
    CHECK_OK(ORTHO_Request_free(&request));
    CHECK_OK(ORTHO_Runall(0, nullptr, MPI_STATUSES_IGNORE));
}

/// Operations are run for the first time when what they were made with is gone, by each process in an order of
/// its own, and by none when they are explained.
void first_runs()
{
    constexpr std::size_t number = 4;
    MPI_Comm comm = test::ring();
    MPI_Datatype type = test::committed(MPI_Type_contiguous, 1, MPI_INT);
    std::vector<Ints> from, to(number, Ints(3, -1));
    for (std::size_t i = 0; i < number; ++i) from.push_back(blocks(static_cast<int>(i)));
    std::vector<ORTHO_Request> requests(number, ORTHO_REQUEST_NULL);
    for (std::size_t i = 0; i < number; ++i)
        CHECK_OK(ORTHO_Alltoall_init(from[i].data(), 1, type, to[i].data(), 1, type, comm, MPI_INFO_NULL,
                                     &requests[i]));
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    if (test::rank() == 0) {
        char text[4000];
        int length = 0;
        CHECK_OK(ORTHO_Explain(requests[0], text, sizeof text, &length));
    }
    Ints rebound(3, -1);
    CHECK_OK(ORTHO_Request_rebind(requests[1], from[1].data(), rebound.data()));
    std::ranges::rotate(requests, requests.begin() + test::rank() % 4);
    for (int lap = 0; lap < 2; ++lap) {
        CHECK_OK(ORTHO_Runall(4, requests.data(), MPI_STATUSES_IGNORE));
        std::swap(rebound, to[1]); // it is delivered where it was rebound to
        for (std::size_t i = 0; i < number; ++i) CHECK(to[i] == expected(static_cast<int>(i)));
        std::swap(rebound, to[1]);
        for (Ints& received : to) std::ranges::fill(received, -1);
        std::ranges::fill(rebound, -1);
    }
    for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
}

/// More operations than there are tags: the oldest is waited for, none is lost.
void very_many_at_once()
{
    constexpr int number = 20'000;
    test::Comm comm = ring();
    Ints from(number), to(3 * number, -1);
    std::vector<ORTHO_Request> requests(number, ORTHO_REQUEST_NULL);
    for (std::size_t i = 0; i < number; ++i) {
        from[i] = 100'000 * test::rank() + static_cast<int>(i);
        CHECK_OK(ORTHO_Iallgather(&from[i], 1, MPI_INT, &to[3 * i], 1, MPI_INT, comm, &requests[i]));
    }
    CHECK_OK(ORTHO_Waitall(number, requests.data(), MPI_STATUSES_IGNORE));
    int wrong = 0;
    for (std::size_t i = 0; i < number; ++i) {
        const int n = static_cast<int>(i);
        if (to[3 * i] != 100'000 * left() + n || to[3 * i + 1] != 100'000 * test::rank() + n ||
            to[3 * i + 2] != 100'000 * right() + n || requests[i] != ORTHO_REQUEST_NULL)
            ++wrong;
    }
    CHECK_EQ(wrong, 0);
}

/// On full communicators, where MPI does the work.  counts_test has all calls there.
void operations_over_all()
{
    int sum = -1;
    const int mine = test::rank() + 1;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    int flag = 0;
    // No process waits: ORTHO_Progress is all that drives it.
    CHECK(advance_until([&] {
        CHECK_OK(ORTHO_Parrived(request, 0, &flag));
        return flag != 0;
    }));
    CHECK_EQ(sum, test::size() * (test::size() + 1) / 2);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request == ORTHO_REQUEST_NULL);
    CHECK_OK(ORTHO_Ibarrier(MPI_COMM_WORLD, &request));
    CHECK_OK(ORTHO_Request_free(&request)); // and ends by itself
}

/// Null and inactive requests are over, with an empty status; indices and counts as MPI has them.
void lists_of_requests()
{
    test::Comm comm = ring();
    const auto is_empty = [](const MPI_Status& status) {
        int count = -1;
        MPI_Get_count(&status, MPI_BYTE, &count);
        return status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0 &&
               status.MPI_ERROR == MPI_SUCCESS;
    };
    const auto is_set = [&](MPI_Status& status) {
        return is_empty(status) && (status.MPI_ERROR = MPI_ERR_OTHER) == MPI_ERR_OTHER;
    };
    std::array<ORTHO_Request, 4> requests{};
    std::array<MPI_Status, 4> statuses{};
    std::array<int, 4> indices{};
    int index = 0, flag = 0;
    MPI_Status status{};
    status.MPI_ERROR = MPI_ERR_OTHER;
    const Ints from = blocks(1);
    Ints to(3, -1);
    requests[2] = test::alltoall_init(from.data(), to.data(), comm);
    // One is inactive, the others are null.
    CHECK_OK(ORTHO_Wait(&requests[0], &status));
    CHECK(is_set(status));
    CHECK_OK(ORTHO_Test(&requests[2], &flag, &status));
    CHECK(flag == 1 && is_set(status));
    CHECK_OK(ORTHO_Waitall(4, requests.data(), statuses.data()));
    for (const MPI_Status& each : statuses) CHECK(is_empty(each));
    CHECK_OK(ORTHO_Testall(4, requests.data(), &flag, statuses.data()));
    CHECK_EQ(flag, 1);
    CHECK_OK(ORTHO_Waitany(4, requests.data(), &index, &status));
    CHECK(index == MPI_UNDEFINED && is_set(status));
    CHECK_OK(ORTHO_Testany(4, requests.data(), &index, &flag, &status));
    CHECK(index == MPI_UNDEFINED && flag == 1 && is_set(status));
    CHECK_OK(ORTHO_Waitsome(4, requests.data(), &index, indices.data(), statuses.data()));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_OK(ORTHO_Testsome(4, requests.data(), &index, indices.data(), statuses.data()));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_OK(ORTHO_Waitall(0, nullptr, MPI_STATUSES_IGNORE));
    CHECK_OK(ORTHO_Startall(0, nullptr));
    // Now some are active.
    CHECK_OK(ORTHO_Startall(1, &requests[2]));
    CHECK_OK(ORTHO_Ibarrier(comm, &requests[1]));
    CHECK_OK(ORTHO_Waitany(4, requests.data(), &index, &status));
    CHECK((index == 1 || index == 2) && is_set(status));
    CHECK((requests[1] == ORTHO_REQUEST_NULL) == (index == 1));
    const int other = 3 - index;
    CHECK_OK(ORTHO_Waitsome(4, requests.data(), &index, indices.data(), statuses.data()));
    CHECK_EQ(index, 1);
    CHECK_EQ(indices[0], other);
    CHECK(requests[1] == ORTHO_REQUEST_NULL && requests[2] != ORTHO_REQUEST_NULL);
    CHECK(to == expected(1));
    CHECK_OK(ORTHO_Start(&requests[2]));
    do CHECK_OK(ORTHO_Testany(4, requests.data(), &index, &flag, &status));
    while (flag == 0);
    CHECK(index == 2 && is_set(status));
    CHECK_OK(ORTHO_Run(&requests[2], &status));
    CHECK(is_set(status));
    CHECK_OK(ORTHO_Start(&requests[2]));
    CHECK_OK(ORTHO_Wait(&requests[2], &status));
    CHECK(is_set(status));
    CHECK_OK(ORTHO_Start(&requests[2]));
    do CHECK_OK(ORTHO_Test(&requests[2], &flag, &status));
    while (flag == 0);
    CHECK(is_set(status));
    CHECK_OK(ORTHO_Start(&requests[2]));
    do CHECK_OK(ORTHO_Testsome(4, requests.data(), &index, indices.data(), statuses.data()));
    while (index == 0);
    CHECK_EQ(index, 1);
    CHECK_EQ(indices[0], 2);
    CHECK_OK(ORTHO_Start(&requests[2]));
    do CHECK_OK(ORTHO_Testall(4, requests.data(), &flag, statuses.data()));
    while (flag == 0);
    CHECK_OK(ORTHO_Request_free(&requests[2]));
}

void explanations()
{
    if (test::size() < 3) return;
    const Ints from = blocks(1);
    Ints to(3);
    const auto explained = [&](const std::vector<std::string>& wanted, MPI_Comm comm, auto make,
                               auto... last) {
        check_explained(wanted, make, from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, last...);
    };
    const test::Comm plain = ring(), combining = ring(true, "ortho_algorithm", "alltoall_combining");
    explained({"topology: 3 in-edges and 3 out-edges;",
               "on torus " + std::to_string(test::size()) + ": 3 offsets (",
               "chosen alltoall_direct: predicted",
               "not    alltoall_combining: it combines what is on its way across several dimensions",
               "sends 2 messages",
               " with 2 blocks, 8 bytes in all, in 1 phase; receives 2 messages; "
               "copies 1 block in its own memory;"},
              plain, ORTHO_Ialltoall);
    explained({"chosen alltoall_combining"}, combining, ORTHO_Alltoall_init, MPI_INFO_NULL);
    // Info of an _init counts for that call, and wins.
    const test::Info direct{{"ortho_algorithm", "alltoall_direct"}};
    explained({"chosen alltoall_direct"}, combining, ORTHO_Alltoall_init, MPI_Info{direct});
    check_explained(
        {"mpiortho: ORTHO_Ibarrier on rank " + std::to_string(test::rank()) + " of 'MPI_COMM_WORLD'\n",
         "MPI's own"},
        ORTHO_Ibarrier, MPI_COMM_WORLD);
}

/// A neighborhood on a ring of all processes, with a name.
MPI_Comm named_ring(const Ints& offsets)
{
    MPI_Comm comm = test::neighborhood({test::size()}, {1}, offsets);
    MPI_Comm_set_name(comm, "pressure");
    return comm;
}

/// Explanations use the user's names.
void explanations_in_the_users_words()
{
    const std::string of = " on rank " + std::to_string(test::rank()) + " of 'pressure'\n";
    Ints from(20, test::rank()), to(20);
    {
        // Neither sorted nor within the grid: as they were given.
        const test::Comm comm = named_ring({7, -1, 0, -12});
        check_explained(
            {"mpiortho: alltoall_direct" + of,
             "  call: ORTHO_Alltoall_init sends and receives 4 blocks of 5 MPI_INT (20 bytes each)\n",
             ": 4 offsets (7) (-1) (0) (-12)\n"},
            ORTHO_Alltoall_init, from.data(), 5, MPI_INT, to.data(), 5, MPI_INT, comm, MPI_INFO_NULL);
        // A type without a name, and one with; counts that differ.
        const test::Type pair = test::committed(MPI_Type_contiguous, 2, MPI_INT);
        const std::string unnamed =
            "sends and receives 4 blocks of 8 bytes each (1 element of a datatype without a name)\n";
        check_explained({unnamed}, ORTHO_Ialltoall, from.data(), 1, pair, to.data(), 1, pair, comm);
        check_explained({unnamed}, ORTHO_Alltoall_init, from.data(), 1, pair, to.data(), 1, pair, comm,
                        MPI_INFO_NULL);
        MPI_Type_set_name(pair, "velocity");
        const Ints counts{1, 2, 0, 1}, displacements{0, 1, 3, 3};
        check_explained(
            {"ORTHO_Alltoallv_init sends and receives 4 blocks of 0 to 2 velocity (0 to 16 bytes each)\n"},
            ORTHO_Alltoallv_init, from.data(), counts.data(), displacements.data(), pair, to.data(),
            counts.data(), displacements.data(), pair, comm, MPI_INFO_NULL);
        double x = 1, sum = 0;
        check_explained({"ORTHO_Iallreduce sends and receives 1 block of 1 MPI_DOUBLE (8 bytes); reduces "
                         "with MPI_SUM\n"},
                        ORTHO_Iallreduce, &x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
        check_explained({test::rank() == 0 ? "ORTHO_Ibcast sends 1 block of 3 MPI_INT (12 bytes), receives "
                                             "nothing; the root is rank 0\n"
                                           : "; the root is rank 0\n"},
                        ORTHO_Ibcast, from.data(), 3, MPI_INT, 0, comm);
    }
    // One of a kind.
    const test::Comm single = named_ring({1});
    check_explained({"ORTHO_Ialltoall sends and receives 1 block of 1 MPI_CHAR (1 byte)\n",
                     "topology: 1 in-edge and 1 out-edge; ", ": 1 offset (1)\n",
                     test::size() == 1 ? "copies 1 block in its own memory; needs 0 bytes"
                                       : "with 1 block, 1 byte in all, in 1 phase; receives 1 message; "
                                         "copies 0 blocks in its own memory; needs 0 bytes"},
                    ORTHO_Ialltoall, from.data(), 1, MPI_CHAR, to.data(), 1, MPI_CHAR, single);

    // Lists, on a grid, in their order.
    if (test::size() < 3) return;
    const test::Comm grid = test::cart({test::size()}, {1});
    const Ints targets{right(), test::rank(), left()};
    const test::Comm listed = test::adjacent(targets, targets, grid);
    MPI_Comm_set_name(listed, "pressure");
    check_explained(
        {"mpiortho: barrier_direct" + of, "  call: ORTHO_Ibarrier\n", ": 3 offsets (1) (0) (-1)\n"},
        ORTHO_Ibarrier, listed);
}

/// Requests given up at once end, and give back all that they had: tags, too.
void very_many_given_up()
{
    test::Comm comm = ring();
    // Nobody is told when they are over.
    static const Ints from = blocks(1);
    static Ints to(3);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const int laps = !test::few_will_do() && test::size() <= 2 ? 40'000 : 2'000;
    for (int i = 0; i < laps; ++i) {
        if (i % 2 == 0) {
            request = test::alltoall_init(from.data(), to.data(), comm);
            CHECK_OK(ORTHO_Start(&request));
        } else {
            CHECK_OK(ORTHO_Ibarrier(comm, &request));
        }
        CHECK_OK(ORTHO_Request_free(&request));
        if (test::failures > 0) break;
    }
    CHECK_OK(ORTHO_Barrier(comm));
}

/// An operation of a communicator that is freed meanwhile fails through the handler that it had, once.
void errors_after_the_communicator()
{
    if (test::size() < 2) return;
    for (const bool foreign : {false, true}) {
        // MPICH 4.0 says nothing of blocks too large in MPI_Ialltoallw.
        if (foreign && test::is_mpich()) continue;
        const Ints two{left(), right()};
        MPI_Comm comm = foreign ? test::adjacent_by_mpi({two, {}, two, {}}, false) : test::adjacent(two, two);
        test::count_errors(comm);
        const Ints twice(4, test::rank());
        Ints to(4);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        const int started = ORTHO_Ialltoall(twice.data(), 2, MPI_INT, to.data(), 1, MPI_INT, comm, &request);
        MPI_Comm_free(&comm);
        // Open MPI 5 notices in MPI_Ialltoallw what is there already.
        CHECK_EQ(error_class(started != MPI_SUCCESS && foreign ? started
                                                               : ORTHO_Wait(&request, MPI_STATUS_IGNORE)),
                 MPI_ERR_TRUNCATE);
        // An operation on the user's own communicator may be told of by Open MPI 5 itself, too.
        CHECK(handler_calls == 1 || (foreign && handler_calls == 2));
    }
}

/// Errors go through the handler that the communicator has then, or had when it was freed.
void handlers_that_change()
{
    const int a = 1;
    int b = 0;
    for (const char* const rebinds : {"false", "true", ""}) {
        const bool persists = *rebinds != '\0';
        MPI_Comm comm = test::duplicate();
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        const auto refuses = [&](int calls) {
            if (persists) CHECK_OK(ORTHO_Start(&request));
            FAILS(ORTHO_Start(&request), MPI_ERR_REQUEST);
            CHECK_EQ(handler_calls, calls);
            if (persists) CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        };
        if (persists)
            CHECK_OK(ORTHO_Allreduce_init(&a, &b, 1, MPI_INT, MPI_SUM, comm,
                                          test::Info{{"ortho_rebind", rebinds}}, &request));
        else
            CHECK_OK(ORTHO_Iallreduce(&a, &b, 1, MPI_INT, MPI_SUM, comm, &request));
        test::count_errors(comm);
        refuses(1);
        // Open MPI does not take it while the operation is under way.
        int is_over = 0;
        while (is_over == 0) CHECK_OK(ORTHO_Parrived(request, 0, &is_over));
        MPI_Comm_free(&comm);
        // It may get the handle of the one that was freed.
        const test::Comm another = test::duplicate();
        MPI_Comm_set_errhandler(another, MPI_ERRORS_RETURN);
        refuses(2);
        CHECK_OK(persists ? ORTHO_Request_free(&request) : ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(b, test::size());
    }
    // A grid of one process; the others are not on it.
    const test::Comm named = test::duplicate();
    const int one = 1, periodic = 1;
    int cells[3]{}, points = 0;
    CHECK_OK(ORTHO_Cart_name(named, 1, ORTHO_ROWMAJOR, &one, &periodic, &points));
    const test::Request halo = test::row_halo(cells, 3, named);
    test::count_errors(named);
    FAILS(ORTHO_Request_rebind(halo, cells, cells), MPI_ERR_REQUEST);
    CHECK_EQ(handler_calls, 1);
}

void wrong_requests()
{
    test::return_errors(MPI_COMM_NULL);
    test::Comm comm = ring();
    test::count_errors(comm);
    ORTHO_Request null = ORTHO_REQUEST_NULL, request = ORTHO_REQUEST_NULL;
    int n = 0, flag = 0, indices[2];
    const Ints from = blocks(1);
    Ints to(3);
    FAILS(ORTHO_Start(nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Start(&null), MPI_ERR_REQUEST);
    FAILS(ORTHO_Startall(-1, &null), MPI_ERR_COUNT);
    FAILS(ORTHO_Startall(1, nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Startall(1, &null), MPI_ERR_REQUEST);
    FAILS(ORTHO_Run(nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Run(&null, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    FAILS(ORTHO_Runall(-1, &null, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
    FAILS(ORTHO_Runall(1, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Wait(nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Test(nullptr, &flag, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Test(&null, nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Waitall(-1, &null, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
    FAILS(ORTHO_Waitall(2, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Testall(1, &null, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Waitany(1, &null, nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Testany(1, &null, nullptr, &flag, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Testany(1, &null, &n, nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Waitsome(1, &null, nullptr, indices, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Waitsome(1, &null, &n, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    FAILS(ORTHO_Testsome(-3, &null, &n, indices, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
    FAILS(ORTHO_Request_free(nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Request_free(&null), MPI_ERR_REQUEST);
    FAILS(ORTHO_Explain(null, nullptr, 0, &n), MPI_ERR_REQUEST);
    FAILS(ORTHO_Parrived(null, 0, nullptr), MPI_ERR_ARG);
    CHECK_OK(ORTHO_Parrived(null, 12, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(handler_calls, 0);

    // Errors of an operation go through its communicator's handler, once.
    FAILS(ORTHO_Ialltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Ialltoall(from.data(), -1, MPI_INT, to.data(), 1, MPI_INT, comm, &request), MPI_ERR_COUNT);
    FAILS(ORTHO_Alltoall_init(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, MPI_INFO_NULL,
                              test::rank() == 0 ? nullptr : &request),
          MPI_ERR_ARG); // wrong on one process, an error on all
    FAILS(ORTHO_Iscan(from.data(), to.data(), 1, MPI_INT, MPI_SUM, comm, &request), ORTHO_ERR_UNDEFINED);
    CHECK_EQ(handler_calls, 4);
    CHECK(request == ORTHO_REQUEST_NULL);
    CHECK_OK(ORTHO_Ialltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, &request));
    FAILS(ORTHO_Start(&request), MPI_ERR_REQUEST); // not persistent
    FAILS(ORTHO_Run(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    FAILS(ORTHO_Parrived(request, 3, &flag), MPI_ERR_ARG);
    FAILS(ORTHO_Parrived(request, -1, &flag), MPI_ERR_ARG);
    FAILS(ORTHO_Explain(request, nullptr, 5, nullptr), MPI_ERR_ARG);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    request = test::alltoall_init(from.data(), to.data(), comm);
    CHECK_OK(ORTHO_Start(&request));
    FAILS(ORTHO_Start(&request), MPI_ERR_REQUEST); // active already
    FAILS(ORTHO_Run(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    ORTHO_Request twice_the_same[] = {request, request};
    FAILS(ORTHO_Runall(2, twice_the_same, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE)); // it was not started
    CHECK_EQ(handler_calls, 12);
    CHECK_OK(ORTHO_Request_free(&request));

    MPI_Comm_free(&comm);

    // Blocks that are too large for their slots: the operation is over, and failed.
    const Ints two{left(), right()};
    comm = test::adjacent(two, two);
    test::count_errors(comm);
    for (int several = 0; several < 2 && test::size() > 1; ++several) { // a block to oneself fails at once
        handler_calls = 0;
        const Ints twice(4, test::rank());
        CHECK_OK(ORTHO_Ialltoall(twice.data(), 2, MPI_INT, to.data(), 1, MPI_INT, comm, &request));
        MPI_Status status{};
        if (several == 1) {
            FAILS(ORTHO_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
        } else {
            FAILS(ORTHO_Wait(&request, &status), MPI_ERR_TRUNCATE);
        }
        CHECK_EQ(error_class(status.MPI_ERROR), MPI_ERR_TRUNCATE);
        CHECK_EQ(handler_calls, 1);
        CHECK(request == ORTHO_REQUEST_NULL);
        CHECK_OK(ORTHO_Barrier(comm)); // and the next one is well
    }
}

} // namespace

TEST_MAIN()
{
    for (const auto part :
         {explanations_name_the_operator, persistent_operations_start_in_any_order, what_is_under_way_ends,
          operations_are_run, first_runs, very_many_at_once, operations_over_all, lists_of_requests,
          explanations, explanations_in_the_users_words, very_many_given_up, errors_after_the_communicator,
          handlers_that_change, wrong_requests})
        part();
}
