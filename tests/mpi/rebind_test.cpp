// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives that get other buffers on some processes and not on others: on graphs whether they may
// forward or not, halos in disguise, and on full communicators, against arithmetic; what is wrong with that.
// random_test does so with all collectives on random graphs (calls.hpp).

namespace {

constexpr int t = 3; // in- and out-neighbors
constexpr int most = 5;

/// Element e of block b of a process.
int value(int process, int b, int e, int step) { return ((step * 97 + process) * 16 + b) * 16 + e; }

struct Buffers {
    Ints send = Ints(t * most + 64, -1), receive = Ints(t * most + 64, -2);
};

/// A persistent collective, and what it does.  `partners`: from whom the blocks of the receive side come.
struct Case {
    std::string name;
    std::function<int(Buffers&, MPI_Comm, MPI_Info, ORTHO_Request*)> init;
    /// The receive buffer that a step leaves: sentinels where nothing comes.
    std::function<void(Ints& receive, const Ints& partners, int step)> expect;
    bool in_place = false, one_buffer = false;
};

void fill(Buffers& buffers, int me, int step)
{
    for (int b = 0; b < t; ++b)
        for (int e = 0; e < most; ++e) buffers.send[at(b * most + e)] = value(me, b, e, step);
    std::ranges::fill(buffers.receive, -2);
}

std::vector<Case> cases_on_graphs()
{
    static const auto each = [](const Ints& partners, auto use) {
        for (int i = 0; i < std::ssize(partners); ++i) use(i, partners[at(i)]);
    };
    std::vector<Case> cases;
    cases.push_back({"alltoall",
                     [](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                         return ORTHO_Alltoall_init(b.send.data(), most, MPI_INT, b.receive.data(), most,
                                                    MPI_INT, comm, info, r);
                     },
                     [](Ints& out, const Ints& partners, int step) {
                         each(partners, [&](int i, int from) {
                             for (int e = 0; e < most; ++e) out[at(i * most + e)] = value(from, i, e, step);
                         });
                     }});
    for (const bool in_place : {false, true})
        cases.push_back({in_place ? "allreduce in place" : "allreduce",
                         [in_place](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                             return ORTHO_Allreduce_init(in_place ? MPI_IN_PLACE : b.send.data(),
                                                         b.receive.data(), most, MPI_INT, MPI_SUM, comm, info,
                                                         r);
                         },
                         [](Ints& out, const Ints& partners, int step) {
                             for (int e = 0; e < most; ++e) {
                                 int sum = 0;
                                 each(partners, [&](int, int from) { sum += value(from, 0, e, step); });
                                 out[at(e)] = sum;
                             }
                         },
                         in_place});
    return cases;
}

/// Starts or runs it again and again, with other buffers now and then on this process.
void play(std::mt19937& random, const Case& what, MPI_Comm comm, MPI_Info info, const Ints& partners)
{
    constexpr int steps = 9;
    std::array<Buffers, 4> all;
    test::Request request;
    CHECK_OK(what.init(all[0], comm, info, &request));
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
        what.expect(expected, partners, step);
        if (step % 2 == 0) {
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(test::start_and_wait(&request));
        }
        if (now.receive != expected)
            test::fail(__FILE__, __LINE__, what.name + " in step " + std::to_string(step));
    }
}

MPI_Comm ring()
{
    const int p = test::size(), period = 1;
    const Ints offsets{-1, 0, 1};
    return test::neighborhood({p}, {period}, offsets);
}

void on_graphs(std::mt19937& random)
{
    test::Comm comm = ring();
    const int p = test::size(), me = test::rank();
    const Ints partners{(me + 1) % p, me, (me + p - 1) % p}; // that have this process the offset away
    for (const char* const forward : {"false", "true"})
        for (const Case& what : cases_on_graphs())
            play(random, what, comm, test::Info{{"ortho_forward", forward}}, partners);
}

/// An alltoall that is a halo exchange, which ORTHO_Run does as such: it sends from one array, and fills the
/// ghosts of another one.
void a_halo_in_disguise(std::mt19937& random)
{
    constexpr int n = 6; // with ghosts
    Ints dims{0, 0};
    const Ints periods{1, 1};
    MPI_Dims_create(test::size(), 2, dims.data());
    Ints offsets;
    for (int i = 0; i < 9; ++i)
        if (i != 4) offsets.insert(offsets.end(), {i / 3 - 1, i % 3 - 1});
    test::Comm comm = test::neighborhood(dims, periods, offsets);
    std::vector<MPI_Datatype> send, receive;
    const auto add = [&](std::vector<MPI_Datatype>& list, const std::array<int, 2>& start,
                         const std::array<int, 2>& size) {
        const Ints sizes{n, n};
        MPI_Type_create_subarray(2, sizes.data(), size.data(), start.data(), MPI_ORDER_C, MPI_INT,
                                 &list.emplace_back());
        MPI_Type_commit(&list.back());
    };
    for (int i = 0; i < 8; ++i) {
        std::array<int, 2> from{}, to{}, size{};
        for (std::size_t k = 0; k < 2; ++k) {
            const int step = offsets[at(2 * i) + k];
            size[k] = step == 0 ? n - 2 : 1;
            from[k] = step > 0 ? n - 2 : 1;
            to[k] = step == 0 ? 1 : step > 0 ? 0 : n - 1; // it comes from the other side
        }
        add(send, from, size);
        add(receive, to, size);
    }
    const Ints ones(8, 1);
    const std::vector<MPI_Aint> zeros(8, 0);
    std::array<Ints, 5> arrays;
    for (Ints& array : arrays) array.assign(n * n, -1);
    test::Request request;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    CHECK_OK(ORTHO_Alltoallw_init(arrays[0].data(), ones.data(), zeros.data(), send.data(), arrays[0].data(),
                                  ones.data(), zeros.data(), receive.data(), comm, info, &request));
    MPI_Info_free(&info);
    for (auto* list : {&send, &receive})
        for (MPI_Datatype& type : *list) MPI_Type_free(&type);
    Ints* from = &arrays[0];
    Ints* to = &arrays[0];
    const int me = test::rank();
    for (int step = 0; step < 12; ++step) {
        if (random() % 2 == 0) {
            from = &arrays[random() % arrays.size()];
            to = random() % 2 == 0 ? from : &arrays[random() % arrays.size()];
            CHECK_OK(ORTHO_Request_rebind(request, from->data(), to->data()));
        }
        std::ranges::fill(*to, -5);
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j) (*from)[at(i * n + j)] = value(me, i, j, step);
        Ints expected = *to;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const auto side = [](int k) { return k == 0 ? -1 : k == n - 1 ? 1 : 0; };
                if (side(i) == 0 && side(j) == 0) continue;
                const auto wrap = [](int c, int size) { return (c + size) % size; };
                const int owner = wrap(me / dims[1] + side(i), dims[0]) * dims[1] +
                                  wrap(me % dims[1] + side(j), dims[1]);
                const auto inner = [](int k) { return k == 0 ? n - 2 : k == n - 1 ? 1 : k; };
                expected[at(i * n + j)] = value(owner, inner(i), inner(j), step);
            }
        if (step % 3 == 0) {
            CHECK_OK(test::start_and_wait(&request));
        } else {
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        }
        CHECK(*to == expected);
    }
}

std::vector<Case> cases_on_full()
{
    std::vector<Case> cases;
    const int p = test::size();
    cases.push_back({"alltoall",
                     [](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                         return ORTHO_Alltoall_init(b.send.data(), 1, MPI_INT, b.receive.data(), 1, MPI_INT,
                                                    comm, info, r);
                     },
                     [p](Ints& out, const Ints&, int step) {
                         for (int q = 0; q < p; ++q)
                             out[at(q)] = value(q, test::rank() / most, test::rank() % most, step);
                     }});
    cases.push_back({"alltoallw",
                     [p](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                         Ints counts(at(p), 1);
                         std::vector<MPI_Aint> places;
                         for (int q = 0; q < p; ++q) places.push_back(static_cast<MPI_Aint>(sizeof(int)) * q);
                         const std::vector<MPI_Datatype> types(at(p), MPI_INT);
                         const int code = ORTHO_Alltoallw_init(b.send.data(), counts.data(), places.data(),
                                                               types.data(), b.receive.data(), counts.data(),
                                                               places.data(), types.data(), comm, info, r);
                         std::ranges::fill(counts, -1);
                         return code;
                     },
                     cases[0].expect});
    cases.push_back({"allreduce",
                     [](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                         return ORTHO_Allreduce_init(b.send.data(), b.receive.data(), most, MPI_INT, MPI_SUM,
                                                     comm, info, r);
                     },
                     [p](Ints& out, const Ints&, int step) {
                         for (int e = 0; e < most; ++e) {
                             out[at(e)] = 0;
                             for (int q = 0; q < p; ++q) out[at(e)] += value(q, 0, e, step);
                         }
                     }});
    cases.push_back({"allreduce in place",
                     [](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                         return ORTHO_Allreduce_init(MPI_IN_PLACE, b.receive.data(), most, MPI_INT, MPI_SUM,
                                                     comm, info, r);
                     },
                     cases.back().expect, true});
    cases.push_back({"bcast",
                     [](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                         return ORTHO_Bcast_init(b.receive.data(), most, MPI_INT, 0, comm, info, r);
                     },
                     [](Ints& out, const Ints&, int step) {
                         for (int e = 0; e < most; ++e) out[at(e)] = value(0, 9, e, step);
                     },
                     false, true});
    cases.push_back({"reduce_scatterv",
                     [p](Buffers& b, MPI_Comm comm, MPI_Info info, ORTHO_Request* r) {
                         const Ints counts(at(p), 1);
                         Ints places;
                         for (int q = 0; q < p; ++q) places.push_back(q);
                         return ORTHO_Reduce_scatterv_init(b.send.data(), counts.data(), places.data(),
                                                           b.receive.data(), 1, MPI_INT, MPI_SUM, comm, info,
                                                           r);
                     },
                     [p](Ints& out, const Ints&, int step) {
                         out[0] = 0;
                         for (int q = 0; q < p; ++q)
                             out[0] += value(q, test::rank() / most, test::rank() % most, step);
                     }});
    return cases;
}

void on_full(std::mt19937& random)
{
    for (const Case& what : cases_on_full())
        play(random, what, MPI_COMM_WORLD, test::Info{{"ortho_rebind", "true"}}, {});
}

void errors()
{
    Buffers b;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    refused(ORTHO_Request_rebind(request, b.send.data(), b.receive.data()), MPI_ERR_REQUEST, "NULL");

    // MPI's own, unless all processes say otherwise.
    test::Info info{{"ortho_rebind", test::rank() == 0 ? "true" : nullptr}};
    if (test::size() > 1) {
        CHECK_OK(ORTHO_Allreduce_init(b.send.data(), b.receive.data(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                      info, &request));
        refused(ORTHO_Request_rebind(request, b.send.data(), b.receive.data()), MPI_ERR_REQUEST,
                "ortho_rebind");
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_OK(ORTHO_Request_free(&request));
    }
    info.set("ortho_rebind", "true");
    CHECK_OK(ORTHO_Allreduce_init(b.send.data(), b.receive.data(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, info,
                                  &request));
    refused(ORTHO_Request_rebind(request, MPI_IN_PLACE, b.receive.data()), MPI_ERR_BUFFER, "sendbuf");
    refused(ORTHO_Request_rebind(request, b.send.data(), nullptr), MPI_ERR_BUFFER, "recvbuf");
    CHECK_OK(ORTHO_Request_free(&request));

    // Buffers that do not count here may be null pointers.
    const bool is_root = test::rank() == 0;
    Ints given(at(test::size()), 7), got(at(test::size()), -1);
    for (const bool scatters : {false, true}) {
        CHECK_OK(scatters ? ORTHO_Scatter_init(b.send.data(), 1, MPI_INT, b.receive.data(), 1, MPI_INT, 0,
                                               MPI_COMM_WORLD, info, &request)
                          : ORTHO_Gather_init(b.send.data(), 1, MPI_INT, b.receive.data(), 1, MPI_INT, 0,
                                              MPI_COMM_WORLD, info, &request));
        CHECK_OK(ORTHO_Request_rebind(request, scatters && !is_root ? nullptr : given.data(),
                                      scatters || is_root ? got.data() : nullptr));
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(got[0], scatters || is_root ? 7 : -1);
        got[0] = -1;
        if (scatters || is_root)
            refused(ORTHO_Request_rebind(request, given.data(), nullptr), MPI_ERR_BUFFER, "recvbuf");
        CHECK_OK(ORTHO_Request_free(&request));
    }

    // A wrong value on one process is all processes' error.
    MPI_Comm world = test::duplicate();
    test::return_errors(world);
    const bool last = test::rank() == test::size() - 1;
    info.set("ortho_rebind", last ? "maybe" : "true");
    refused(ORTHO_Allreduce_init(b.send.data(), b.receive.data(), 1, MPI_INT, MPI_SUM, world, info, &request),
            MPI_ERR_INFO_VALUE, last ? "maybe" : "another process");
    MPI_Comm_free(&world);

    test::Comm comm = ring();
    test::return_errors(comm);
    CHECK_OK(ORTHO_Allgather_init(b.send.data(), 1, MPI_INT, b.receive.data(), 1, MPI_INT, comm,
                                  MPI_INFO_NULL, &request));
    refused(ORTHO_Request_rebind(request, MPI_IN_PLACE, b.receive.data()), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    refused(ORTHO_Request_rebind(request, nullptr, b.receive.data()), MPI_ERR_BUFFER, "sendbuf is a null");
    refused(ORTHO_Request_rebind(request, b.send.data(), nullptr), MPI_ERR_BUFFER, "recvbuf is a null");
    CHECK_OK(ORTHO_Start(&request));
    refused(ORTHO_Request_rebind(request, b.send.data(), b.receive.data()), MPI_ERR_REQUEST,
            "request is under way, and can get other buffers when it is over");
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(ORTHO_Request_free(&request));
    CHECK_OK(ORTHO_Iallgather(b.send.data(), 1, MPI_INT, b.receive.data(), 1, MPI_INT, comm, &request));
    refused(ORTHO_Request_rebind(request, b.send.data(), b.receive.data()), MPI_ERR_REQUEST,
            "not persistent");
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
}

} // namespace

TEST_MAIN()
{
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::times(test::size() <= 3 ? 5 : 2));
    const auto seed = static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 1357));
    std::mt19937 random(seed * 64 + static_cast<unsigned>(test::rank())); // another one on each process
    for (int repeat = 0; repeat < repeats; ++repeat) {
        on_graphs(random);
        a_halo_in_disguise(random);
        on_full(random);
    }
    test::return_errors(MPI_COMM_NULL);
    errors();
}
