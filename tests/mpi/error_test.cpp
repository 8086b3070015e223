// SPDX-License-Identifier: BSD-3-Clause
// Wrong arguments to the collectives on graphs: an error through the communicator's handler that
// names function, argument and value; nothing is written, nobody waits.
#include <climits>
#include <string>
#include <vector>

#include "check.hpp"
#include "error_checks.hpp"
#include "mpiortho.h"

using test::error_class;
using test::message;

namespace {

using Ints = std::vector<int>;

void expect(int code, int wanted, const char* function, const char* what, int line)
{
    test::expect_equal(error_class(code), wanted, function, __FILE__, line);
    const std::string said = message();
    if (said.find(function) != 0 || said.find(what) == std::string::npos)
        test::fail(__FILE__, line, "message '" + said + "' without '" + function + "' or '" + what + "'");
}
#define EXPECT(call, wanted, function, what) expect((call), (wanted), function, what, __LINE__)

int handler_calls = 0;
void count_calls(MPI_Comm*, int*, ...) { ++handler_calls; }

MPI_Comm ring(bool neighbors)
{
    const int p = test::size();
    const int sources[] = {(test::rank() + p - 1) % p, test::rank()};
    const int targets[] = {(test::rank() + 1) % p, test::rank()};
    MPI_Comm comm = MPI_COMM_NULL;
    const int degree = neighbors ? 2 : 0;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, sources, MPI_UNWEIGHTED, degree,
                                              targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    return comm;
}

void arguments(MPI_Comm comm)
{
    const int p = test::size();
    int a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int b[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const int counts[] = {1, 1};
    const int minus[] = {1, -4};
    const int displs[] = {0, 1};
    const MPI_Aint aints[] = {0, 4};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    const MPI_Datatype nulls[] = {MPI_INT, MPI_DATATYPE_NULL};
    const MPI_Datatype none = MPI_DATATYPE_NULL;

    // The message names the process, and the communicator.
    const std::string me = "rank " + std::to_string(test::rank());
    EXPECT(ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT, "ORTHO_Alltoall",
           (" [" + me + " of " + std::to_string(p) + "]").c_str());
    MPI_Comm_set_name(comm, "halo of the pressure");
    EXPECT(ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT, "ORTHO_Alltoall",
           (" [" + me + " of 'halo of the pressure']").c_str());
    MPI_Comm_set_name(comm, "");
    EXPECT(ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT, "ORTHO_Alltoall",
           "sendcount = -1");
    EXPECT(ORTHO_Alltoall(a, 1, MPI_INT, b, -2, MPI_INT, comm), MPI_ERR_COUNT, "ORTHO_Alltoall",
           "recvcount = -2");
    EXPECT(ORTHO_Alltoall(a, 1, none, b, 1, MPI_INT, comm), MPI_ERR_TYPE, "ORTHO_Alltoall", "sendtype");
    EXPECT(ORTHO_Alltoall(a, 1, MPI_INT, b, 1, none, comm), MPI_ERR_TYPE, "ORTHO_Alltoall", "recvtype");
    EXPECT(ORTHO_Alltoall(nullptr, 1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_BUFFER, "ORTHO_Alltoall",
           "sendbuf");
    EXPECT(ORTHO_Alltoall(a, 1, MPI_INT, nullptr, 1, MPI_INT, comm), MPI_ERR_BUFFER, "ORTHO_Alltoall",
           "recvbuf");
    EXPECT(ORTHO_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, comm), MPI_ERR_BUFFER, "ORTHO_Alltoall", "recvbuf");
    EXPECT(ORTHO_Alltoall(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_BUFFER, "ORTHO_Alltoall",
           "MPI_IN_PLACE");
    EXPECT(ORTHO_Alltoallv(a, minus, displs, MPI_INT, b, counts, displs, MPI_INT, comm), MPI_ERR_COUNT,
           "ORTHO_Alltoallv", "sendcounts[1] = -4");
    EXPECT(ORTHO_Alltoallv(a, counts, displs, MPI_INT, b, minus, displs, MPI_INT, comm), MPI_ERR_COUNT,
           "ORTHO_Alltoallv", "recvcounts[1] = -4");
    EXPECT(ORTHO_Alltoallv(a, nullptr, displs, MPI_INT, b, counts, displs, MPI_INT, comm), MPI_ERR_ARG,
           "ORTHO_Alltoallv", "sendcounts");
    EXPECT(ORTHO_Alltoallv(a, counts, nullptr, MPI_INT, b, counts, displs, MPI_INT, comm), MPI_ERR_ARG,
           "ORTHO_Alltoallv", "sdispls");
    EXPECT(ORTHO_Alltoallv(a, counts, displs, MPI_INT, b, counts, nullptr, MPI_INT, comm), MPI_ERR_ARG,
           "ORTHO_Alltoallv", "rdispls");
    EXPECT(ORTHO_Alltoallv(MPI_IN_PLACE, counts, displs, MPI_INT, b, counts, displs, MPI_INT, comm),
           MPI_ERR_BUFFER, "ORTHO_Alltoallv", "MPI_IN_PLACE");
    EXPECT(ORTHO_Alltoallw(a, counts, aints, nulls, b, counts, aints, types, comm), MPI_ERR_TYPE,
           "ORTHO_Alltoallw", "sendtype");
    EXPECT(ORTHO_Alltoallw(a, counts, aints, types, b, counts, aints, nullptr, comm), MPI_ERR_ARG,
           "ORTHO_Alltoallw", "recvtypes");
    EXPECT(ORTHO_Alltoallw(nullptr, counts, aints, types, b, counts, aints, types, comm), MPI_ERR_BUFFER,
           "ORTHO_Alltoallw", "sendbuf");
    EXPECT(ORTHO_Alltoallw(a, counts, aints, types, b, minus, aints, types, comm), MPI_ERR_COUNT,
           "ORTHO_Alltoallw", "recvcounts[1]");
    EXPECT(ORTHO_Allgather(a, -3, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT, "ORTHO_Allgather",
           "sendcount = -3");
    EXPECT(ORTHO_Allgather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_BUFFER, "ORTHO_Allgather",
           "MPI_IN_PLACE");
    EXPECT(ORTHO_Allgatherv(a, 1, MPI_INT, b, minus, displs, MPI_INT, comm), MPI_ERR_COUNT,
           "ORTHO_Allgatherv", "recvcounts[1] = -4");
    EXPECT(ORTHO_Allgatherv(a, 1, MPI_INT, b, counts, nullptr, MPI_INT, comm), MPI_ERR_ARG,
           "ORTHO_Allgatherv", "displs");
    EXPECT(ORTHO_Allgatherw(a, 1, MPI_INT, b, counts, aints, nulls, comm), MPI_ERR_TYPE, "ORTHO_Allgatherw",
           "recvtype");
    EXPECT(ORTHO_Allgatherw(a, 1, MPI_INT, b, counts, nullptr, types, comm), MPI_ERR_ARG, "ORTHO_Allgatherw",
           "rdispls");
    EXPECT(ORTHO_Bcast(a, 1, MPI_INT, p, comm), MPI_ERR_ROOT, "ORTHO_Bcast", "root = ");
    EXPECT(ORTHO_Bcast(a, 1, MPI_INT, -1, comm), MPI_ERR_ROOT, "ORTHO_Bcast", "root = -1");
    EXPECT(ORTHO_Gather(a, 1, MPI_INT, b, 1, MPI_INT, p + 5, comm), MPI_ERR_ROOT, "ORTHO_Gather",
           "root = "); // O21
    EXPECT(ORTHO_Gatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, -1, comm), MPI_ERR_ROOT, "ORTHO_Gatherv",
           "root");
    EXPECT(ORTHO_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, p, comm), MPI_ERR_ROOT, "ORTHO_Scatter", "root");
    EXPECT(ORTHO_Scatterv(a, counts, displs, MPI_INT, b, 1, MPI_INT, INT_MAX, comm), MPI_ERR_ROOT,
           "ORTHO_Scatterv", "root");
    EXPECT(ORTHO_Reduce(a, b, 1, MPI_INT, MPI_SUM, p, comm), MPI_ERR_ROOT, "ORTHO_Reduce", "root");
    EXPECT(ORTHO_Allreduce(a, b, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT, "ORTHO_Allreduce", "count = -1");
    EXPECT(ORTHO_Allreduce(a, b, 1, none, MPI_SUM, comm), MPI_ERR_TYPE, "ORTHO_Allreduce", "datatype");
    EXPECT(ORTHO_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "ORTHO_Allreduce", "op");
    EXPECT(ORTHO_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP, "ORTHO_Allreduce", "op");
    EXPECT(ORTHO_Allreduce(a, b, 1, MPI_INT, MPI_MINLOC, comm), MPI_ERR_OP, "ORTHO_Allreduce", "op");
    EXPECT(ORTHO_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, comm), MPI_ERR_OP, "ORTHO_Allreduce", "op");
    EXPECT(ORTHO_Allreduce(a, a, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "ORTHO_Allreduce", "recvbuf");
    EXPECT(ORTHO_Allreduce(nullptr, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "ORTHO_Allreduce",
           "sendbuf");
    EXPECT(ORTHO_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER, "ORTHO_Allreduce",
           "recvbuf");
    EXPECT(ORTHO_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, comm), MPI_ERR_OP, "ORTHO_Reduce", "op");
    EXPECT(ORTHO_Reduce_scatter_block(a, b, -9, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT,
           "ORTHO_Reduce_scatter_block", "-9");
    EXPECT(ORTHO_Reduce_scatter_block(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER,
           "ORTHO_Reduce_scatter_block", "MPI_IN_PLACE");
    EXPECT(ORTHO_Reduce_scatterv(a, minus, displs, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT,
           "ORTHO_Reduce_scatterv", "sendcounts[1] = -4");
    EXPECT(ORTHO_Reduce_scatterv(a, counts, nullptr, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_ARG,
           "ORTHO_Reduce_scatterv", "senddispls");
    EXPECT(ORTHO_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, comm), ORTHO_ERR_UNDEFINED,
           "ORTHO_Reduce_scatter", "graph");
    EXPECT(ORTHO_Scan(a, b, 1, MPI_INT, MPI_SUM, comm), ORTHO_ERR_UNDEFINED, "ORTHO_Scan", "full");
    EXPECT(ORTHO_Exscan(a, b, 1, MPI_INT, MPI_SUM, comm), ORTHO_ERR_UNDEFINED, "ORTHO_Exscan", "full");
    for (const int x : b) CHECK_EQ(x, -1);

    // Right calls still work.
    CHECK_OK(ORTHO_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm));
    CHECK_EQ(b[1], 1);
    CHECK_OK(ORTHO_Alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm)); // zero counts, no buffers
    const int zeros[] = {0, 0};
    CHECK_OK(ORTHO_Alltoallw(nullptr, zeros, aints, nulls, nullptr, zeros, aints, nulls, comm));
    CHECK_OK(ORTHO_Allreduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, comm));
}

void no_communicator()
{
    int a[2] = {0, 1};
    int b[2];
    const int n[] = {1, 1};
    const MPI_Aint d[] = {0, 4};
    const MPI_Datatype t[] = {MPI_INT, MPI_INT};
    const MPI_Comm comm = MPI_COMM_NULL;
    EXPECT(ORTHO_Barrier(comm), MPI_ERR_COMM, "ORTHO_Barrier", "MPI_COMM_NULL");
    EXPECT(ORTHO_Bcast(a, 1, MPI_INT, 0, comm), MPI_ERR_COMM, "ORTHO_Bcast", "MPI_COMM_NULL");
    EXPECT(ORTHO_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 0, comm), MPI_ERR_COMM, "ORTHO_Gather", "comm");
    EXPECT(ORTHO_Gatherv(a, 1, MPI_INT, b, n, n, MPI_INT, 0, comm), MPI_ERR_COMM, "ORTHO_Gatherv", "comm");
    EXPECT(ORTHO_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, 0, comm), MPI_ERR_COMM, "ORTHO_Scatter", "comm");
    EXPECT(ORTHO_Scatterv(a, n, n, MPI_INT, b, 1, MPI_INT, 0, comm), MPI_ERR_COMM, "ORTHO_Scatterv", "comm");
    EXPECT(ORTHO_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COMM, "ORTHO_Allgather", "comm");
    EXPECT(ORTHO_Allgatherv(a, 1, MPI_INT, b, n, n, MPI_INT, comm), MPI_ERR_COMM, "ORTHO_Allgatherv", "comm");
    EXPECT(ORTHO_Allgatherw(a, 1, MPI_INT, b, n, d, t, comm), MPI_ERR_COMM, "ORTHO_Allgatherw", "comm");
    EXPECT(ORTHO_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COMM, "ORTHO_Alltoall", "comm");
    EXPECT(ORTHO_Alltoallv(a, n, n, MPI_INT, b, n, n, MPI_INT, comm), MPI_ERR_COMM, "ORTHO_Alltoallv",
           "comm");
    EXPECT(ORTHO_Alltoallw(a, n, d, t, b, n, d, t, comm), MPI_ERR_COMM, "ORTHO_Alltoallw", "comm");
    EXPECT(ORTHO_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, comm), MPI_ERR_COMM, "ORTHO_Reduce", "comm");
    EXPECT(ORTHO_Allreduce(a, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, "ORTHO_Allreduce", "comm");
    EXPECT(ORTHO_Reduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM,
           "ORTHO_Reduce_scatter_block", "comm");
    EXPECT(ORTHO_Reduce_scatter(a, b, n, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, "ORTHO_Reduce_scatter",
           "comm");
    EXPECT(ORTHO_Reduce_scatterv(a, n, n, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM,
           "ORTHO_Reduce_scatterv", "comm");
    EXPECT(ORTHO_Scan(a, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, "ORTHO_Scan", "comm");
    EXPECT(ORTHO_Exscan(a, b, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, "ORTHO_Exscan", "comm");
}

/// Peers' T20, N10: more data than room is an error at the receiver, and the call is over.
void truncation(MPI_Comm comm)
{
    int a[16] = {};
    int b[16] = {};
    EXPECT(ORTHO_Alltoall(a, 4, MPI_INT, b, 2, MPI_INT, comm), MPI_ERR_TRUNCATE, "ORTHO_Alltoall", "");
    const int four[] = {4, 4};
    const int two[] = {2, 2};
    const int displs[] = {0, 4};
    EXPECT(ORTHO_Alltoallv(a, four, displs, MPI_INT, b, two, displs, MPI_INT, comm), MPI_ERR_TRUNCATE,
           "ORTHO_Alltoallv", "");
    EXPECT(ORTHO_Allgather(a, 4, MPI_INT, b, 2, MPI_INT, comm), MPI_ERR_TRUNCATE, "ORTHO_Allgather", "");
    int ok[2] = {-1, -1};
    a[0] = 5;
    a[1] = 6;
    CHECK_OK(ORTHO_Alltoall(a, 1, MPI_INT, ok, 1, MPI_INT, comm)); // nothing is left over
    CHECK(ok[0] == 5 && ok[1] == 6);
}

/// Large blocks, which MPI sends by rendezvous, too.
void truncation_of_large_blocks(MPI_Comm comm)
{
    const int n = 100'000;
    Ints a(2 * n, 1);
    Ints b(2 * n, 0);
    CHECK_EQ(error_class(ORTHO_Alltoall(a.data(), n, MPI_INT, b.data(), n / 2, MPI_INT, comm)),
             MPI_ERR_TRUNCATE);
    CHECK_OK(ORTHO_Alltoall(a.data(), n, MPI_INT, b.data(), n, MPI_INT, comm));
}

/// The handler that is called is the communicator's.
void handlers(MPI_Comm comm)
{
    MPI_Errhandler counting = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_calls, &counting);
    MPI_Comm_set_errhandler(comm, counting);
    handler_calls = 0;
    int a[8] = {};
    int b[8] = {};
    CHECK_EQ(error_class(ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm)), MPI_ERR_COUNT);
    CHECK_EQ(handler_calls, 1);
    CHECK_EQ(error_class(ORTHO_Alltoall(a, 4, MPI_INT, b, 2, MPI_INT, comm)), MPI_ERR_TRUNCATE);
    CHECK_EQ(handler_calls, 2);
    // A communicator made from it inherits the handler.
    MPI_Comm base = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Comm_base(comm, &base));
    int x = 0;
    CHECK_EQ(error_class(ORTHO_Cart_rank(base, &x, &x)), ORTHO_ERR_NAME);
    CHECK_EQ(handler_calls, 3);
    MPI_Comm_free(&base);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&counting);
}

/// Codes are few: one a function and argument, whatever the value.
void codes(MPI_Comm comm)
{
    int a[2] = {};
    const int first = ORTHO_Bcast(a, 1, MPI_INT, -1, comm);
    for (int i = 2; i < 5000; ++i) CHECK_EQ(ORTHO_Bcast(a, 1, MPI_INT, -i, comm), first);
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(first, text, &length);
    // MPICH knows no strings of codes that are added to its own classes.
    CHECK(test::is_mpich() || (std::string(text).find("ORTHO_Bcast") == 0 &&
                               std::string(text).find("root") != std::string::npos));
    MPI_Error_string(ORTHO_Cart_rank(comm, a, a), text, &length);
    CHECK(std::string(text).find("ORTHO_Cart_rank") == 0 &&
          std::string(text).find("cart") != std::string::npos);
    MPI_Error_string(ORTHO_ERR_NAME, text, &length);
    CHECK(std::string(text).find("ORTHO_ERR_NAME") == 0);
    int error_class_of_success = -1;
    CHECK_OK(ORTHO_Error_class(MPI_SUCCESS, &error_class_of_success));
    CHECK_EQ(error_class_of_success, MPI_SUCCESS);
    CHECK_EQ(error_class(ORTHO_Error_class(MPI_SUCCESS, nullptr)), MPI_ERR_ARG);
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
    EXPECT(ORTHO_Bcast(&b, 1, MPI_INT, test::size(), comm), MPI_ERR_ROOT, "ORTHO_Bcast", "root");
    EXPECT(ORTHO_Allreduce(&b, &b, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "ORTHO_Allreduce", "op");
}

/// On a full communicator, where MPI's calls are not enough.
void reduce_scatterv_over_all()
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test::return_errors(comm);
    const Ints ones(static_cast<std::size_t>(test::size()), 1);
    const Ints zeros(ones.size(), 0);
    const int from = 1;
    EXPECT(ORTHO_Reduce_scatterv(&from, ones.data(), zeros.data(), MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm),
           MPI_ERR_BUFFER, "ORTHO_Reduce_scatterv", "recvbuf is MPI_IN_PLACE");
    EXPECT(ORTHO_Reduce_scatterv(&from, ones.data(), zeros.data(), nullptr, 1, MPI_INT, MPI_SUM, comm),
           MPI_ERR_BUFFER, "ORTHO_Reduce_scatterv", "recvbuf is a null pointer");
    MPI_Comm_free(&comm);
}

/// A datatype that is not committed, on all processes: all get an error, and nobody waits.
void types_that_are_not_committed()
{
    MPI_Comm comm = ring(true);
    test::return_errors(comm);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, MPI_INT, &type);
    const Ints from(2, 1);
    Ints to(2, -1);
    CHECK_EQ(error_class(ORTHO_Alltoall(from.data(), 1, type, to.data(), 1, MPI_INT, comm)), MPI_ERR_TYPE);
    CHECK_EQ(error_class(ORTHO_Allgather(from.data(), 1, MPI_INT, to.data(), 1, type, comm)), MPI_ERR_TYPE);
    MPI_Type_commit(&type);
    CHECK_OK(ORTHO_Alltoall(from.data(), 1, type, to.data(), 1, MPI_INT, comm));
    CHECK((to == Ints{1, 1}));
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
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
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_OK(MPI_Comm_create_errhandler(throw_it, &handler));
    MPI_Comm_set_errhandler(comm, handler);
    int a[2] = {1, 2};
    int b[4] = {-1, -1, -1, -1};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK(throws([&] { ORTHO_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm); }));
    CHECK(throws([&] { ORTHO_Ialltoall(a, -1, MPI_INT, b, 1, MPI_INT, comm, &request); }));
    CHECK(request == ORTHO_REQUEST_NULL);
    CHECK(throws([&] { ORTHO_Cart_rank(comm, a, b); }));

    MPI_Op op = MPI_OP_NULL;
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
    EXPECT(ORTHO_Wait(&all[2], MPI_STATUS_IGNORE), MPI_ERR_OP, "ORTHO_Wait", "");
    CHECK_OK(ORTHO_Request_free(&all[2]));
    EXPECT(ORTHO_Allreduce(a, b, 1, MPI_INT, op, comm), MPI_ERR_OP, "ORTHO_Allreduce", "");
    MPI_Op_free(&op);
    MPI_Errhandler_free(&handler);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm comm = ring(true);
    MPI_Comm lonely = ring(false);
    test::return_errors(comm);
    MPI_Comm_set_errhandler(lonely, MPI_ERRORS_RETURN);
    arguments(comm);
    no_communicator();
    truncation(comm);
    truncation_of_large_blocks(comm);
    handlers(comm);
    exceptions(comm);
    codes(comm);
    isolated(lonely);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&lonely);
    reduce_scatterv_over_all();
    types_that_are_not_committed();
    return test::finish();
}
