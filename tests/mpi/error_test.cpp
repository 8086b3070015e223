// SPDX-License-Identifier: BSD-3-Clause
// Errors of collectives on graphs: who is told, by which handler, in which words, with which code; and
// exceptions.  Wrong arguments and blocks that are too long are mistakes_test's and shared_test's.

namespace {

using test::handler_calls;

/// The message names the process, and the communicator.
void names(MPI_Comm comm)
{
    int a[2] = {}, b[2] = {};
    const std::string me = " [rank " + std::to_string(test::rank()) + " of ";
    FAILS(ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT,
          me + std::to_string(test::size()) + "]");
    MPI_Comm_set_name(comm, "halo of the pressure");
    FAILS(ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT, me + "'halo of the pressure']");
    MPI_Comm_set_name(comm, "");
}

/// Where nothing is exchanged, neither buffers nor datatypes need be there.
void nothing_to_exchange(MPI_Comm comm)
{
    const int zeros[] = {0, 0};
    const MPI_Aint places[] = {0, 4};
    const MPI_Datatype nulls[] = {MPI_INT, MPI_DATATYPE_NULL};
    CHECK_OK(ORTHO_Alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm));
    CHECK_OK(ORTHO_Alltoallw(nullptr, zeros, places, nulls, nullptr, zeros, places, nulls, comm));
    CHECK_OK(ORTHO_Allreduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm));
}

/// The handler that is called is the communicator's, also of one that is made from it.
void handlers(MPI_Comm comm)
{
    test::count_errors(comm);
    int a[8] = {}, b[8] = {}, x = 0;
    FAILS(ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT);
    FAILS(ORTHO_Alltoall(a, 4, MPI_INT, b, 2, MPI_INT, comm), MPI_ERR_TRUNCATE);
    test::Comm base;
    CHECK_OK(ORTHO_Comm_base(comm, &base));
    FAILS(ORTHO_Cart_rank(base, &x, &x), ORTHO_ERR_NAME);
    CHECK_EQ(handler_calls, 3);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

/// Codes are few: one a function and argument, whatever the value.
void codes(MPI_Comm comm)
{
    int a[2] = {};
    const int first = ORTHO_Bcast(a, 1, MPI_INT, -1, comm);
    for (int i = 2; i < 5000; ++i) CHECK_EQ(ORTHO_Bcast(a, 1, MPI_INT, -i, comm), first);
    const auto says = [](int code, const char* begin, const char* word) {
        char text[MPI_MAX_ERROR_STRING + 1] = "";
        int length = 0;
        MPI_Error_string(code, text, &length);
        return std::string(text).find(begin) == 0 && std::string(text).find(word) != std::string::npos;
    };
    // MPICH knows no strings of codes that are added to its own classes.
    CHECK(test::is_mpich() || says(first, "ORTHO_Bcast", "root"));
    CHECK(says(ORTHO_Cart_rank(comm, a, a), "ORTHO_Cart_rank", "cart"));
    CHECK(says(ORTHO_ERR_NAME, "ORTHO_ERR_NAME", ""));
    CHECK_EQ(test::error_class(MPI_SUCCESS), MPI_SUCCESS);
    FAILS(ORTHO_Error_class(MPI_SUCCESS, nullptr), MPI_ERR_ARG);
}

/// Where there are no neighbors there is nothing to be wrong about but what counts everywhere.
void isolated(MPI_Comm comm)
{
    int b = -1;
    CHECK_OK(ORTHO_Alltoall(nullptr, 1, MPI_INT, nullptr, 1, MPI_INT, comm));
    CHECK_OK(ORTHO_Barrier(comm));
    CHECK_OK(ORTHO_Gather(nullptr, 1, MPI_INT, nullptr, 1, MPI_INT, 0, comm));
    CHECK_OK(ORTHO_Allreduce(nullptr, &b, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(b, -1); // O22
    FAILS(ORTHO_Bcast(&b, 1, MPI_INT, test::size(), comm), MPI_ERR_ROOT, "root");
    FAILS(ORTHO_Allreduce(&b, &b, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "op");
}

/// A type that was refused before it is committed is as any other afterwards.
void types_that_are_committed_late(MPI_Comm comm)
{
    test::Type type;
    MPI_Type_contiguous(1, MPI_INT, &type);
    const Ints from(2, 1);
    Ints to(2, -1);
    FAILS(ORTHO_Alltoall(from.data(), 1, type, to.data(), 1, MPI_INT, comm), MPI_ERR_TYPE);
    MPI_Type_commit(&type);
    CHECK_OK(ORTHO_Alltoall(from.data(), 1, type, to.data(), 1, MPI_INT, comm));
    CHECK((to == Ints{1, 1}));
}

struct Thrown {};
void throw_it(MPI_Comm*, int*, ...)
{
    ++handler_calls;
    throw Thrown();
}
void throwing_operator(void*, void*, int*, MPI_Datatype*) { throw Thrown(); }

/// Does the handler's exception come out of this call, after one call of the handler?
template <class Call>
bool throws(Call call)
{
    handler_calls = 0;
    try {
        call();
    } catch (const Thrown&) {
        return handler_calls == 1;
    }
    return false;
}

/// An exception of an error handler comes out of the call, which leaves nothing half done.  An exception of an
/// operator is an error of its operation.
void exceptions(MPI_Comm comm)
{
    test::Errhandler handler;
    CHECK_OK(MPI_Comm_create_errhandler(throw_it, &handler));
    MPI_Comm_set_errhandler(comm, handler);
    int a[2] = {1, 2}, b[4] = {-1, -1, -1, -1};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK(throws([&] { ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm); }));
    CHECK(throws([&] { ORTHO_Ialltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm, &request); }));
    CHECK(request == ORTHO_REQUEST_NULL);
    CHECK(throws([&] { ORTHO_Cart_rank(comm, a, b); }));

    test::Op op;
    MPI_Op_create(throwing_operator, 1, &op);
    CHECK(throws([&] { ORTHO_Allreduce(a, b, 1, MPI_INT, op, comm); }));
    ORTHO_Request all[3] = {ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
    CHECK_OK(ORTHO_Iallreduce(a, b, 1, MPI_INT, op, comm, &all[0]));
    CHECK_OK(ORTHO_Ialltoall(a, 1, MPI_INT, b + 2, 1, MPI_INT, comm, &all[1]));
    CHECK_OK(ORTHO_Allreduce_init(a, b, 1, MPI_INT, op, comm, MPI_INFO_NULL, &all[2]));
    CHECK(throws([&] { ORTHO_Waitall(2, all, MPI_STATUSES_IGNORE); }));
    CHECK(all[0] == ORTHO_REQUEST_NULL && all[1] == ORTHO_REQUEST_NULL);
    CHECK(b[2] == 1 && b[3] == 2);
    for (int i = 0; i < 2; ++i) { // it can be started again
        CHECK_OK(ORTHO_Start(&all[2]));
        CHECK(throws([&] { ORTHO_Wait(&all[2], MPI_STATUS_IGNORE); }));
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK_OK(ORTHO_Start(&all[2]));
    FAILS(ORTHO_Wait(&all[2], MPI_STATUS_IGNORE), MPI_ERR_OP);
    CHECK_OK(ORTHO_Request_free(&all[2]));
    FAILS(ORTHO_Allreduce(a, b, 1, MPI_INT, op, comm), MPI_ERR_OP);
}

} // namespace

TEST_MAIN()
{
    const int me = test::rank();
    const test::Comm comm = test::adjacent({test::left(), me}, {test::right(), me});
    const test::Comm lonely = test::adjacent({}, {});
    test::return_errors(comm);
    MPI_Comm_set_errhandler(lonely, MPI_ERRORS_RETURN);
    for (const auto part : {names, nothing_to_exchange, handlers, exceptions, codes}) part(comm);
    isolated(lonely);
    types_that_are_committed_late(comm);
}
