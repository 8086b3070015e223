// SPDX-License-Identifier: BSD-3-Clause
// Blocks too large for their room and calls that are wrong, where messages go through shared memory.
#include "shared.hpp"

namespace ortho_shared_test {

namespace {

int handler_calls = 0;
void count_calls(MPI_Comm*, int*, ...) { ++handler_calls; }

/// Graphs that nothing is known of: blocks go from process to process.
MPI_Comm plain_ring()
{
    const int p = test::size();
    const Ints sources{(test::rank() + p - 1) % p, test::rank()};
    const Ints targets{(test::rank() + 1) % p, test::rank()};
    MPI_Comm comm = test::adjacent(sources, targets);
    test::return_errors(comm);
    return comm;
}

} // namespace

/// Blocks too large for some receivers, or for all: an error there, and there alone, and nothing but the
/// block's room is written.
void blocks_too_large()
{
    test::Comm comm = plain_ring();
    test::Errhandler counting;
    MPI_Comm_create_errhandler(count_calls, &counting);
    MPI_Comm_set_errhandler(comm, counting);
    const int left = (test::rank() + test::size() - 1) % test::size();
    int seed = 0;
    for (const int n : {2, 1000, 140'000, 700'000})
        for (const bool everybody : {true, false})
            for (const bool vector : {false, true})
                for (const Form form : {Form::blocking, Form::persistent, Form::blocking}) {
                    ++seed;
                    const bool short_of_room = everybody || test::rank() == test::size() - 1;
                    const int room = short_of_room ? n / 2 : n, stride = vector ? 2 : 1;
                    MPI_Datatype type = MPI_INT;
                    if (vector) {
                        test::Type one = MPI_INT;
                        MPI_Type_vector(1, 1, 1, MPI_INT, &one);
                        MPI_Type_create_resized(one, 0, 8, &type);
                        MPI_Type_commit(&type);
                    }
                    Buffer send = empty(2 * n);
                    // Room for the whole behind, so that it would be seen what is written there.
                    Buffer receive = empty(4 * n * stride);
                    for (int i = 0; i < 2; ++i)
                        for (int k = 0; k < n; ++k) send[i * n + k] = content(seed, test::rank(), i, k);
                    const Ints counts{n, n}, rooms{room, room}, send_places{0, n};
                    const Ints places{0, 2 * n}; // of the type's extents
                    handler_calls = 0;
                    int code = MPI_SUCCESS;
                    if (form == Form::blocking) {
                        code = ORTHO_Alltoallv(send.address(), counts.data(), send_places.data(), MPI_INT,
                                               receive.address(), rooms.data(), places.data(), type, comm);
                    } else {
                        // Neighbors compare sizes: all processes fail together.
                        ORTHO_Request request = ORTHO_REQUEST_NULL;
                        code = ORTHO_Alltoallv_init(send.address(), counts.data(), send_places.data(),
                                                    MPI_INT, receive.address(), rooms.data(), places.data(),
                                                    type, comm, MPI_INFO_NULL, &request);
                        CHECK(request == ORTHO_REQUEST_NULL);
                    }
                    if (vector) MPI_Type_free(&type);
                    const bool fails = short_of_room || form == Form::persistent;
                    CHECK_EQ(error_class(code), fails ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
                    CHECK_EQ(handler_calls, fails ? 1 : 0);
                    if (form == Form::persistent) continue;
                    Buffer wanted = empty(4 * n * stride);
                    for (int i = 0; i < 2; ++i)
                        for (int k = 0; k < room; ++k) {
                            const int position = (2 * n * i + k) * stride;
                            // Where a block was too large it is open what its room holds.
                            wanted[position] = short_of_room
                                                   ? receive[position]
                                                   : content(seed, i == 0 ? left : test::rank(), i, k);
                        }
                    SAME(receive, wanted, "a block too large");
                    // The next blocks are right.
                    int from[2] = {seed, -seed}, to[2] = {-1, -1};
                    CHECK_OK(ORTHO_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm));
                    CHECK(to[0] == seed && to[1] == -seed);
                }
    // Wrong for all, and then right.
    int from[2] = {1, 2}, to[2] = {-1, -1};
    for (int i = 0; i < 100; ++i) {
        CHECK_EQ(error_class(ORTHO_Alltoall(from, -1, MPI_INT, to, 1, MPI_INT, comm)), MPI_ERR_COUNT);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_EQ(error_class(ORTHO_Alltoall_init(from, 1, MPI_DATATYPE_NULL, to, 1, MPI_INT, comm,
                                                 MPI_INFO_NULL, &request)),
                 MPI_ERR_TYPE);
        from[0] = i;
        CHECK_OK(ORTHO_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm));
        CHECK(to[0] == i && to[1] == 2);
    }
}

} // namespace ortho_shared_test
