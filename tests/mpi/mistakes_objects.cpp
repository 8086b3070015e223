// SPDX-License-Identifier: BSD-3-Clause
// Mistakes with names, graphs, requests, windows and infos.

#include "mistakes.hpp"

namespace test {

namespace {

ORTHO_Request make_request(Stage& s)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Alltoall_init(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, s.ring, MPI_INFO_NULL, &request));
    return request;
}

/// A mistake with a persistent request, which is freed afterwards, if it is still there.
void add_with_request(Mistakes& all, const char* kind, const char* name, int error_class, const char* words,
                      std::function<int(ORTHO_Request&)> make)
{
    add(all, kind, name, error_class, words, [make = std::move(make)](Stage& s) {
        ORTHO_Request request = make_request(s);
        const int code = make(request);
        if (request != ORTHO_REQUEST_NULL) CHECK_OK(ORTHO_Request_free(&request));
        return code;
    });
}

void add_requests(Mistakes& all)
{
    const char* kind = "a request that was never set, or was freed";
    const auto not_set = [] {
        static std::array<char, 512> memory;
        return reinterpret_cast<ORTHO_Request>(memory.data()); // whatever lies in a variable
    };
    add(all, kind, "Wait, never set", MPI_ERR_REQUEST,
        "request is no request: it was never set, or its request was freed", [=](Stage&) {
            ORTHO_Request request = not_set();
            return ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        });
    add(all, kind, "Start, an address of nothing", MPI_ERR_REQUEST, "request is no request", [](Stage&) {
        auto request = reinterpret_cast<ORTHO_Request>(std::uintptr_t{24});
        return ORTHO_Start(&request);
    });
    add(all, kind, "Waitall, one of several", MPI_ERR_REQUEST, "requests[1] is no request", [=](Stage&) {
        ORTHO_Request requests[] = {ORTHO_REQUEST_NULL, not_set()};
        return ORTHO_Waitall(2, requests, MPI_STATUSES_IGNORE);
    });
    struct Row {
        const char* name;
        int (*call)(ORTHO_Request*);
    };
    static int flag = 0; // nobody reads it
    for (const Row& row : {
             Row{"Start, freed", [](ORTHO_Request* r) { return ORTHO_Start(r); }},
             Row{"Wait, freed", [](ORTHO_Request* r) { return ORTHO_Wait(r, MPI_STATUS_IGNORE); }},
             Row{"Run, freed", [](ORTHO_Request* r) { return ORTHO_Run(r, MPI_STATUS_IGNORE); }},
             Row{"Request_free, freed", [](ORTHO_Request* r) { return ORTHO_Request_free(r); }},
             Row{"Explain, freed", [](ORTHO_Request* r) { return ORTHO_Explain(*r, nullptr, 0, nullptr); }},
             Row{"Parrived, freed", [](ORTHO_Request* r) { return ORTHO_Parrived(*r, 0, &flag); }},
             Row{"Test, freed", [](ORTHO_Request* r) { return ORTHO_Test(r, &flag, MPI_STATUS_IGNORE); }},
         })
        add(all, kind, row.name, MPI_ERR_REQUEST, "request is no request", [call = row.call](Stage& s) {
            ORTHO_Request request = make_request(s), copy = request;
            CHECK_OK(ORTHO_Request_free(&request));
            return call(&copy);
        });
    add(all, kind, "Wait, over", MPI_ERR_REQUEST, "request is no request", [](Stage& s) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ibarrier(s.ring, &request));
        ORTHO_Request copy = request;
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        return ORTHO_Wait(&copy, MPI_STATUS_IGNORE);
    });

    kind = "a request in the wrong state";
    add_with_request(all, kind, "started twice", MPI_ERR_REQUEST, "request is active already",
                     [](ORTHO_Request& request) {
                         CHECK_OK(ORTHO_Start(&request));
                         const int code = ORTHO_Start(&request);
                         CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
                         return code;
                     });
    add_with_request(all, kind, "run twice in a list", MPI_ERR_REQUEST, "requests[1] is active already",
                     [](ORTHO_Request& request) {
                         ORTHO_Request twice[] = {request, request};
                         return ORTHO_Runall(2, twice, MPI_STATUSES_IGNORE);
                     });
    add(all, kind, "started, and not persistent", MPI_ERR_REQUEST, "request is not persistent", [](Stage& s) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ibarrier(s.ring, &request));
        const int code = ORTHO_Start(&request);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        return code;
    });
    ALWAYS("started, and null", ORTHO_Start(&s.request), MPI_ERR_REQUEST, "request is ORTHO_REQUEST_NULL");

    kind = "a request waited for before it starts, or freed while active";
    add_with_request(all, kind, "not started", MPI_SUCCESS, "",
                     [](ORTHO_Request& request) { return ORTHO_Wait(&request, MPI_STATUS_IGNORE); });
    add_with_request(all, kind, "freed while active", MPI_SUCCESS, "", [](ORTHO_Request& request) {
        CHECK_OK(ORTHO_Start(&request));
        return ORTHO_Request_free(&request);
    });
}

void add_names(Mistakes& all)
{
    const char* kind = "a grid that is none";
    const auto name = [](MPI_Comm comm, int d, int order, int size) {
        const int sizes[] = {size, 1}, periods[] = {1, 1};
        int all_of_it = 0;
        return ORTHO_Cart_name(comm, d, order, sizes, periods, &all_of_it);
    };
    ALWAYS("larger than the communicator", name(s.full, 2, ORTHO_ROWMAJOR, s.p + 1), MPI_ERR_DIMS,
           "order gives a grid of ");
    ALWAYS("a negative size", name(s.full, 2, ORTHO_ROWMAJOR, -2), MPI_ERR_DIMS, "order[0] = -2");
    ALWAYS("more dimensions than there are", name(s.full, 50000000, ORTHO_ROWMAJOR, s.p), MPI_ERR_DIMS,
           "d = 50000000 is not a number of dimensions from 1 to 4096");
    ALWAYS("more dimensions of Dims_create", ORTHO_Dims_create(s.full, 50000000, s.answers), MPI_ERR_DIMS,
           "d = 50000000 is not a number of dimensions from 1 to 4096");
    ALWAYS("an order that is none", name(s.full, 1, 12345, s.p), MPI_ERR_ARG, "dimorder = 12345 is neither ");
    add(all, kind, "a neighborhood's", MPI_ERR_DIMS, "dims gives a grid of ", [](Stage& s) {
        const int sizes = s.p + 1, offset = 1, period = 1;
        return ORTHO_Cart_neighborhood_create(s.full, 1, &sizes, &period, 1, &offset, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &s.made);
    });
    ALWAYS("a stencil's metric", ORTHO_Stencil_count(2, 99, 1, s.answers), MPI_ERR_ARG, "metric = 99");
    kind = "a name that is not there";
    ALWAYS("Cart_rank", ORTHO_Cart_rank(s.full, s.answers, s.answers), ORTHO_ERR_NAME,
           "cart has no Cartesian name");
    ALWAYS("Cart_unname", ORTHO_Cart_unname(s.full), ORTHO_ERR_NAME, "comm has no Cartesian name");
    kind = "a rank that is none";
    add(all, kind, "an edge's", MPI_ERR_RANK, "sources[0] = ", [](Stage& s) {
        return ORTHO_Dist_graph_create_adjacent(s.full, 1, &s.p, MPI_UNWEIGHTED, 1, &s.p, MPI_UNWEIGHTED,
                                                MPI_INFO_NULL, 0, &s.made);
    });
    ALWAYS("of a neighbor", ORTHO_Dist_graph_find(s.ring, -5, 0, nullptr, s.answers, nullptr, s.answers),
           MPI_ERR_RANK, "rank = -5");
    kind = "arguments of a subgraph";
    ALWAYS("a negative color", ORTHO_Comm_split(s.ring, -5, 0, &s.made), MPI_ERR_ARG, "color = -5");
    ALWAYS("no group", ORTHO_Comm_create(s.ring, MPI_GROUP_NULL, &s.made), MPI_ERR_GROUP,
           "group is MPI_GROUP_NULL");
    ALWAYS("of a communicator without a graph", ORTHO_Comm_subgraph(s.full, s.ring, &s.made),
           MPI_ERR_TOPOLOGY, "graph carries no graph");
}

void add_infos(Mistakes& all)
{
    const char* const kind = "a value of an info key that means nothing";
    ALWAYS("an algorithm that is none", test::try_graph(test::Info{{"ortho_algorithm", "alltoall_dirct"}}),
           ORTHO_ERR_ALGORITHM, "did you mean alltoall_direct?");
    ALWAYS("a truth value that is none", test::try_graph(test::Info{{"ortho_forward", "perhaps"}}),
           MPI_ERR_INFO_VALUE, "ortho_forward = 'perhaps' is neither true nor false");
}

void add_windows(Mistakes& all)
{
    const char* const kind = "a call on a window";
    using Use = std::function<int(Stage&, MPI_Win)>;
    const auto with_window = [&](const char* name, int error_class, const char* words, Use use) {
        add(all, kind, name, error_class, words, [use = std::move(use)](Stage& s) {
            MPI_Win win = MPI_WIN_NULL;
            CHECK_OK(ORTHO_Win_create(s.got, 64, sizeof(int), MPI_INFO_NULL, s.ring, &win));
            MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
            const int code = use(s, win);
            CHECK_OK(ORTHO_Win_free(&win));
            return code;
        });
    };
    with_window(
        "no epoch", MPI_ERR_RMA_SYNC, " cannot be accessed: there was no fence that opens an epoch",
        [](Stage& s, MPI_Win win) { return ORTHO_Put(s.sent, 1, MPI_INT, s.right, 0, 1, MPI_INT, win); });
    with_window("a rank that is none", MPI_ERR_RANK, " is no rank of a window of ",
                [](Stage& s, MPI_Win win) { return ORTHO_Get(s.sent, 1, MPI_INT, s.p, 0, 1, MPI_INT, win); });
    with_window("whose message has the rank and the name of the window", MPI_ERR_RANK, " of 'there']",
                [](Stage& s, MPI_Win win) {
                    MPI_Win_set_name(win, "there");
                    return ORTHO_Put(s.sent, 1, MPI_INT, s.p, 0, 1, MPI_INT, win);
                });
    with_window("an unlock without a lock", MPI_ERR_RMA_SYNC, " is not locked",
                [](Stage& s, MPI_Win win) { return ORTHO_Win_unlock(s.right, win); });
    with_window("MPI_WIN_NULL", MPI_ERR_WIN, "win is MPI_WIN_NULL",
                [](Stage&, MPI_Win) { return ORTHO_Win_fence(0, MPI_WIN_NULL); });
}

} // namespace

void add_objects(Mistakes& all)
{
    add_requests(all);
    add_names(all);
    add_infos(all);
    if (!is_played()) add_windows(all);
}

} // namespace test
