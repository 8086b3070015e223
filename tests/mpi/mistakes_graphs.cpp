// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 gives another graph than the others, or starts in another order; processes of two groups.

#include "mistakes.hpp"

namespace test {

namespace {

void add_orders(Mistakes& all)
{
    add(all, "persistent requests started in another order", "two Alltoall_init", nothing, nothing,
        [](Stage& s, bool odd) {
            ORTHO_Request requests[] = {ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
            for (const int i : {0, 1})
                CHECK_OK(ORTHO_Alltoall_init(s.sent, 1, MPI_INT, s.got + 2 * i, 1, MPI_INT, s.ring,
                                             MPI_INFO_NULL, &requests[i]));
            for (const int i : {0, 1}) CHECK_OK(ORTHO_Start(&requests[odd ? 1 - i : i]));
            const int code = ORTHO_Waitall(2, requests, MPI_STATUSES_IGNORE);
            for (const int i : {1, 3}) CHECK_EQ(s.to[static_cast<std::size_t>(i)], s.left);
            for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
            return code;
        });
    add(all, "a communicator that is none, or of another topology", "a grid between two groups", MPI_ERR_COMM,
        "inter-communicator", [](Stage& s) {
            test::Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
            MPI_Comm_split(s.full, s.me == 0 ? 0 : 1, s.me, &half);
            MPI_Intercomm_create(half, 0, s.full, s.me == 0 ? 1 : 0, 0, &inter);
            MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
            const int one = 1;
            int size = 0;
            const int code = ORTHO_Cart_name(inter, 1, ORTHO_ROWMAJOR, &one, &one, &size);
            MPI_Comm_free(&inter);
            return code;
        });
}

/// Creates a graph in which rank 0 lists something else than the others, and uses it.
int create(Stage& s, int indegree, int outdegree, int weight)
{
    const int sources[] = {s.left, s.left}, targets[] = {s.right, s.right}, in[] = {weight, weight};
    const int out[] = {1, 1};
    MPI_Comm comm = MPI_COMM_NULL;
    const int code = ORTHO_Dist_graph_create_adjacent(s.full, indegree, sources, in, outdegree, targets, out,
                                                      MPI_INFO_NULL, 0, &comm);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    return code;
}

void add_lists(Mistakes& all)
{
    const char* kind = "an edge that is in the list of one end alone";
    ODD("listed twice", create(s, 1, odd ? 2 : 1, 1), nothing, mismatch("as a destination 2 times"));
    ODD("not listed", create(s, 1, odd ? 0 : 1, 1), nothing, mismatch("as a "));
    kind = "an edge whose ends have other weights";
    ODD("weights", create(s, 1, 1, odd ? 7 : 1), nothing, mismatch("at its source and 7 at its destination"));
    kind = "another grid, or list of offsets";
    add(all, kind, "offsets", mismatch("targetrelative"), mismatch("targetrelative"), [](Stage& s, bool odd) {
        const int periodic = 1, offsets[] = {odd ? 2 : 1};
        MPI_Comm comm = MPI_COMM_NULL;
        return ORTHO_Cart_neighborhood_create(s.full, 1, &s.p, &periodic, 1, offsets, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &comm);
    });
    add(all, kind, "number of offsets", mismatch(": t is not the same on all processes: "),
        mismatch(": t is not the same on all processes: "), [](Stage& s, bool odd) {
            const int periodic = 1, offsets[] = {1, 2};
            MPI_Comm comm = MPI_COMM_NULL;
            return ORTHO_Cart_neighborhood_create(s.full, 1, &s.p, &periodic, odd ? 2 : 1, offsets,
                                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
        });
    add(all, kind, "number of dimensions", mismatch(": d is not the same on all processes: "),
        mismatch(": d is not the same on all processes: "), [](Stage& s, bool odd) {
            const int sizes[] = {s.p, 1}, periods[] = {1, 1};
            MPI_Comm comm = MPI_COMM_NULL;
            return ORTHO_Nodecart_create(s.full, odd ? 2 : 1, sizes, periods, 0, &comm);
        });
    add(all, kind, "names", nothing, mismatch("a grid of"), [](Stage& s, bool odd) {
        const int sizes[] = {s.p, 1}, periods[] = {odd ? 0 : 1, 1};
        int size = 0;
        test::Comm named = test::duplicate(s.full);
        CHECK_OK(ORTHO_Cart_name(named, 2, ORTHO_ROWMAJOR, sizes, periods, &size));
        MPI_Comm comm = MPI_COMM_NULL;
        const int code = ORTHO_Dist_graph_create_adjacent(named, 1, &s.left, MPI_UNWEIGHTED, 1, &s.right,
                                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
        if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
        return code;
    });
}

} // namespace

void add_graphs(Mistakes& all)
{
    add_orders(all);
    add_lists(all);
}

} // namespace test
