// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives on full communicators that get other buffers on some processes and not on others,
// against arithmetic; what is wrong with that.  random_test does so with all collectives on random graphs
// (calls.hpp).

namespace {

constexpr int t = 3; // in- and out-neighbors
constexpr int most = 5;

/// Element e of block b of a process.
int value(int process, int b, int e, int step) { return ((step * 97 + process) * 16 + b) * 16 + e; }

struct Buffers {
    Ints send = Ints(t * most + 64, -1), receive = Ints(t * most + 64, -2);
};

/// A persistent collective, and what it does.
struct Case {
    std::string name;
    std::function<int(Buffers&, MPI_Comm, MPI_Info, ORTHO_Request*)> init;
    /// The receive buffer that a step leaves: sentinels where nothing comes.
    std::function<void(Ints& receive, int step)> expect;
    bool in_place = false, one_buffer = false;
};

void fill(Buffers& buffers, int me, int step)
{
    for (int b = 0; b < t; ++b)
        for (int e = 0; e < most; ++e) buffers.send[at(b * most + e)] = value(me, b, e, step);
    std::ranges::fill(buffers.receive, -2);
}

/// Starts or runs it again and again, with other buffers now and then on this process.
void play(std::mt19937& random, const Case& what)
{
    constexpr int steps = 9;
    std::array<Buffers, 4> all;
    test::Request request;
    CHECK_OK(what.init(all[0], MPI_COMM_WORLD, test::Info{{"ortho_rebind", "true"}}, &request));
    std::size_t which = 0;
    for (int step = 0; step < steps; ++step) {
        if (random() % 2 == 0) {
            which = random() % all.size();
            Buffers& next = all[which];
            const void* const send = what.in_place ? MPI_IN_PLACE : next.send.data();
            CHECK_OK(ORTHO_Request_rebind(request, what.one_buffer ? nullptr : send, next.receive.data()));
        }
        Buffers& now = all[which];
        fill(now, test::rank(), step);
        if (what.in_place) std::ranges::copy(now.send, now.receive.begin());
        if (what.one_buffer && test::rank() == 0)
            for (int e = 0; e < most; ++e) now.receive[at(e)] = value(0, 9, e, step);
        Ints expected = now.receive;
        what.expect(expected, step);
        CHECK_OK(test::execute(&request, step % 2 == 0));
        if (now.receive != expected)
            test::fail(__FILE__, __LINE__, what.name + " in step " + std::to_string(step));
    }
}

MPI_Comm ring() { return test::neighborhood({test::size()}, {1}, {-1, 0, 1}); }

std::vector<Case> cases_on_full()
{
    const int p = test::size(), r = test::rank();
    Ints ones(at(p), 1), places(at(p));
    std::iota(places.begin(), places.end(), 0);
    const auto blocks = [=](Ints& out, int step) {
        for (int q = 0; q < p; ++q) out[at(q)] = value(q, r / most, r % most, step);
    };
    const auto sums = [=](Ints& out, int step) {
        for (int e = 0; e < most; ++e) {
            out[at(e)] = 0;
            for (int q = 0; q < p; ++q) out[at(e)] += value(q, 0, e, step);
        }
    };
    return {
        {"alltoall",
         [](Buffers& b, auto... rest) {
             return ORTHO_Alltoall_init(b.send.data(), 1, MPI_INT, b.receive.data(), 1, MPI_INT, rest...);
         },
         blocks},
        {"alltoallw",
         [=](Buffers& b, auto... rest) {
             Ints counts = ones;
             std::vector<MPI_Aint> bytes;
             for (const int q : places) bytes.push_back(static_cast<MPI_Aint>(sizeof(int)) * q);
             const std::vector<MPI_Datatype> types(at(p), MPI_INT);
             const int code = ORTHO_Alltoallw_init(b.send.data(), counts.data(), bytes.data(), types.data(),
                                                   b.receive.data(), counts.data(), bytes.data(),
                                                   types.data(), rest...);
             std::ranges::fill(counts, -1);
             return code;
         },
         blocks},
        {"allreduce",
         [](Buffers& b, auto... rest) {
             return ORTHO_Allreduce_init(b.send.data(), b.receive.data(), most, MPI_INT, MPI_SUM, rest...);
         },
         sums},
        {"allreduce in place",
         [](Buffers& b, auto... rest) {
             return ORTHO_Allreduce_init(MPI_IN_PLACE, b.receive.data(), most, MPI_INT, MPI_SUM, rest...);
         },
         sums, true},
        {"bcast",
         [](Buffers& b, auto... rest) {
             return ORTHO_Bcast_init(b.receive.data(), most, MPI_INT, 0, rest...);
         },
         [](Ints& out, int step) {
             for (int e = 0; e < most; ++e) out[at(e)] = value(0, 9, e, step);
         },
         false, true},
        {"reduce_scatterv",
         [=](Buffers& b, auto... rest) {
             return ORTHO_Reduce_scatterv_init(b.send.data(), ones.data(), places.data(), b.receive.data(), 1,
                                               MPI_INT, MPI_SUM, rest...);
         },
         [=](Ints& out, int step) {
             Ints all(at(p));
             blocks(all, step);
             out[0] = std::accumulate(all.begin(), all.end(), 0);
         }},
    };
}

/// One array may be both buffers where its blocks lie apart.
void in_one_array()
{
    test::Comm comm = ring();
    const Ints ones(t, 1);
    const MPI_Aint from[] = {0, 4, 8}, to[] = {12, 16, 20};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
    Ints first(6), second(6);
    test::Request request;
    CHECK_OK(ORTHO_Alltoallw_init(first.data(), ones.data(), from, types, first.data(), ones.data(), to,
                                  types, comm, MPI_INFO_NULL, &request));
    for (Ints* const array : {&first, &second, &first}) {
        *array = {10 * test::rank(), 10 * test::rank() + 1, 10 * test::rank() + 2, -1, -1, -1};
        CHECK_OK(ORTHO_Request_rebind(request, array->data(), array->data()));
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_EQ((*array)[3], 10 * test::right());
        CHECK_EQ((*array)[4], 10 * test::rank() + 1);
        CHECK_EQ((*array)[5], 10 * test::left() + 2);
    }
}

void errors()
{
    Buffers b;
    int* const send = b.send.data();
    int* const receive = b.receive.data();
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    refused(ORTHO_Request_rebind(request, send, receive), MPI_ERR_REQUEST, "NULL");

    const auto rebind = [&](const void* from, void* to) { return ORTHO_Request_rebind(request, from, to); };
    const auto init_allreduce = [&](MPI_Comm comm, MPI_Info info) {
        return ORTHO_Allreduce_init(send, receive, 1, MPI_INT, MPI_SUM, comm, info, &request);
    };
    // MPI's own, unless all processes say otherwise.
    test::Info info{{"ortho_rebind", test::rank() == 0 ? "true" : nullptr}};
    if (test::size() > 1) {
        CHECK_OK(init_allreduce(MPI_COMM_WORLD, info));
        refused(rebind(send, receive), MPI_ERR_REQUEST, "ortho_rebind");
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_OK(ORTHO_Request_free(&request));
    }
    info.set("ortho_rebind", "true");
    CHECK_OK(init_allreduce(MPI_COMM_WORLD, info));
    refused(rebind(MPI_IN_PLACE, receive), MPI_ERR_BUFFER, "sendbuf");
    refused(rebind(send, nullptr), MPI_ERR_BUFFER, "recvbuf");
    CHECK_OK(ORTHO_Request_free(&request));

    // Buffers that do not count here may be null pointers.
    const bool is_root = test::rank() == 0;
    Ints given(at(test::size()), 7), got(at(test::size()), -1);
    for (const bool scatters : {false, true}) {
        CHECK_OK(scatters ? ORTHO_Scatter_init(send, 1, MPI_INT, receive, 1, MPI_INT, 0, MPI_COMM_WORLD, info,
                                               &request)
                          : ORTHO_Gather_init(send, 1, MPI_INT, receive, 1, MPI_INT, 0, MPI_COMM_WORLD, info,
                                              &request));
        CHECK_OK(rebind(scatters && !is_root ? nullptr : given.data(),
                        scatters || is_root ? got.data() : nullptr));
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(got[0], scatters || is_root ? 7 : -1);
        got[0] = -1;
        if (scatters || is_root) refused(rebind(given.data(), nullptr), MPI_ERR_BUFFER, "recvbuf");
        CHECK_OK(ORTHO_Request_free(&request));
    }

    // A wrong value on one process is all processes' error.
    test::Comm world = test::duplicate();
    test::return_errors(world);
    const bool last = test::rank() == test::size() - 1;
    info.set("ortho_rebind", last ? "maybe" : "true");
    refused(init_allreduce(world, info), MPI_ERR_INFO_VALUE, last ? "maybe" : "another process");

    test::Comm comm = ring();
    test::return_errors(comm);
    CHECK_OK(ORTHO_Allgather_init(send, 1, MPI_INT, receive, 1, MPI_INT, comm, MPI_INFO_NULL, &request));
    refused(rebind(MPI_IN_PLACE, receive), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    refused(rebind(nullptr, receive), MPI_ERR_BUFFER, "sendbuf is a null");
    refused(rebind(send, nullptr), MPI_ERR_BUFFER, "recvbuf is a null");
    CHECK_OK(ORTHO_Start(&request));
    refused(rebind(send, receive), MPI_ERR_REQUEST,
            "request is under way, and can get other buffers when it is over");
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(ORTHO_Request_free(&request));
    CHECK_OK(ORTHO_Iallgather(send, 1, MPI_INT, receive, 1, MPI_INT, comm, &request));
    refused(rebind(send, receive), MPI_ERR_REQUEST, "not persistent");
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
}

} // namespace

TEST_MAIN()
{
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::times(test::size() <= 3 ? 5 : 2));
    const auto seed = static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 1357));
    std::mt19937 random(seed * 64 + static_cast<unsigned>(test::rank())); // another one on each process
    for (int repeat = 0; repeat < repeats; ++repeat) {
        for (const Case& what : cases_on_full()) play(random, what);
    }
    in_one_array();
    test::return_errors(MPI_COMM_NULL);
    errors();
}
