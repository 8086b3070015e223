// SPDX-License-Identifier: BSD-3-Clause
// The facts that the planner is told, and its choices: ORTHO_TUNE, rounds of messages.

namespace {

std::string file_name() { return "planning_test." + std::to_string(test::size()) + ".tune"; }

/// Sets ORTHO_TUNE on rank 0, which alone must read it, to a file of this content.
void tune(const std::string& content)
{
    if (test::rank() != 0) return;
    std::ofstream(file_name()) << content;
    setenv("ORTHO_TUNE", file_name().c_str(), 1);
}

/// The eight around and the process itself, on a periodic grid of one row.
MPI_Comm ring(const char* algorithm, const char* forward, int* code = nullptr)
{
    const int dims[] = {1, test::size()}, periods[] = {1, 1};
    const int offsets[] = {-1, -1, -1, 0, -1, 1, 0, -1, 0, 0, 0, 1, 1, -1, 1, 0, 1, 1};
    MPI_Comm comm = MPI_COMM_NULL;
    const int result = ORTHO_Cart_neighborhood_create(
        MPI_COMM_WORLD, 2, dims, periods, 9, offsets, MPI_UNWEIGHTED,
        test::Info{{"ortho_algorithm", algorithm}, {"ortho_forward", forward}}, 0, &comm);
    if (code != nullptr)
        *code = result;
    else
        CHECK_OK(result);
    return comm;
}

struct Exchange {
    static constexpr int count = 3;
    std::vector<int> sent, received;
    test::Request request;

    explicit Exchange(MPI_Comm comm) : sent(9 * count), received(9 * count, -1)
    {
        for (int i = 0; i < 9 * count; ++i) sent[at(i)] = 1000 * test::rank() + i;
        request = test::alltoall_init(sent.data(), received.data(), comm, count);
        // Nothing that is tried out may be seen.
        for (const int x : received) CHECK_EQ(x, -1);
    }

    void run()
    {
        const int p = test::size();
        for (int repeat = 0; repeat < 2; ++repeat) {
            CHECK_OK(test::start_and_wait(&request));
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        }
        for (int i = 0; i < 9; ++i) {
            const int source = ((test::rank() - (i % 3 - 1)) % p + p) % p;
            for (int k = 0; k < count; ++k)
                CHECK_EQ(received[at(count * i + k)], 1000 * source + count * i + k);
        }
    }
    std::string explanation() const
    {
        const std::string text = test::explanation(request);
        return text.substr(0, text.find("and by ORTHO_Run")); // what is started
    }
    /// The algorithm that was chosen.
    std::string chosen() const
    {
        const std::string text = explanation();
        const std::size_t begin = text.find("chosen ") + 7;
        return text.substr(begin, text.find_first_of(":\n", begin) - begin);
    }
};

std::string chosen_with(const std::string& content)
{
    tune(content);
    test::Comm comm = ring("auto", "true");
    Exchange exchange(comm);
    exchange.run();
    return exchange.chosen();
}

/// A machine on which blocks cost a fortune, and one on which phases cost nothing and messages do.
void the_machine_decides()
{
    CHECK_EQ(chosen_with("block_ps 1000000000000\n"), std::string("alltoall_direct"));
    const char* const slow_messages =
        "node.send_ps 1000000000\nnode.latency_ps 0\nnetwork.send_ps 1000000000\n"
        "network.latency_ps 0\nblock_ps 0\nnode.switch_ps 0\nshared.switch_ps 0\nnetwork.switch_ps 0\n";
    // Two partners one way or the other on a ring of more than two; then one message in either dimension.
    if (test::size() > 2) CHECK_EQ(chosen_with(slow_messages), std::string("alltoall_direct"));
    if (test::rank() == 0) unsetenv("ORTHO_TUNE");
}

void files_that_are_no_good()
{
    int code = MPI_SUCCESS;
    for (const char* content : {"block_ps ten\n", "no_such_name 1\n", "choose x fast\n"}) {
        tune(content);
        ring("auto", "true", &code);
        refused(code, MPI_ERR_INFO_VALUE, "ORTHO_TUNE");
        CHECK(message().find("line 1 of " + file_name()) != std::string::npos);
    }
    for (const char* name : {"no/such/file", "/"}) {
        if (test::rank() == 0) setenv("ORTHO_TUNE", name, 1);
        ring("auto", "true", &code);
        refused(code, MPI_ERR_INFO_VALUE, name);
        if (test::rank() == 0) unsetenv("ORTHO_TUNE");
    }
    tune("");
    test::Comm comm = ring("auto", "true");
    if (test::rank() == 0) unsetenv("ORTHO_TUNE");
}

/// Every process sends ints to every other one, `ints(from, to)` of them, which are its rank.
struct Everybody {
    Ints others, sent, sent_at{0}, received, received_at{0}, out, in;

    explicit Everybody(int (*ints)(int from, int to))
    {
        const int me = test::rank();
        for (int q = 0; q < test::size(); ++q) {
            if (q == me) continue;
            others.push_back(q);
            sent.push_back(ints(me, q));
            sent_at.push_back(sent_at.back() + sent.back());
            received.push_back(ints(q, me));
            received_at.push_back(received_at.back() + received.back());
        }
        out.assign(at(sent_at.back()) + 1, me);
        in.assign(at(received_at.back()) + 1, -1);
    }
    void make(MPI_Comm comm, ORTHO_Request* request)
    {
        CHECK_OK(ORTHO_Alltoallv_init(out.data(), sent.data(), sent_at.data(), MPI_INT, in.data(),
                                      received.data(), received_at.data(), MPI_INT, comm, MPI_INFO_NULL,
                                      request));
    }
    /// All has come, and is forgotten.
    void check()
    {
        Ints expected;
        for (std::size_t i = 0; i < others.size(); ++i)
            expected.insert(expected.end(), at(received[i]), others[i]);
        expected.push_back(-1);
        CHECK(in == expected);
        in.assign(in.size(), -1);
    }
};

/// Sizes that differ: heavy messages first, whatever the graph.
void messages_in_rounds()
{
    Everybody e([](int from, int to) { return 1000 * (1 + 10 * to + from); });
    Ints neighbors = e.others;
    neighbors.push_back(MPI_PROC_NULL); // a gap, and never a null pointer
    for (auto* list : {&e.sent, &e.received}) list->push_back(0);
    test::Comm comm = test::adjacent(neighbors, neighbors);
    test::Request request;
    e.make(comm, &request);
    // With two processes the two messages are of one weight to each of them: 1 + 10 and 1 + 1.
    if (test::size() > 1)
        CHECK(test::explanation(request).find("chosen alltoall_ordered") != std::string::npos);
    for (int repeat = 0; repeat < 2; ++repeat) {
        CHECK_OK(test::start_and_wait(&request));
        e.check();
    }
}

/// Each process on a node of its own, as rank 0 says: all but the edges to oneself leave it.
void nodes_are_known()
{
    const int p = test::size();
    if (test::rank() == 0) setenv("ORTHO_NODES", "1", 1);
    for (const char* algorithm : {"auto", "alltoall_direct", "alltoall_node_pairs"}) {
        if (p == 1 && std::string(algorithm) == "alltoall_node_pairs") continue; // there are no pairs
        test::Comm comm = ring(algorithm, "true");
        Exchange exchange(comm);
        exchange.run();
        const std::string text = exchange.explanation();
        CHECK_EQ(text.find("\n  nodes: " + std::to_string(p) + ", 67 % of the edges leave theirs\n") !=
                     std::string::npos,
                 p > 1);
        CHECK(text.find("through shared memory") == std::string::npos);
        if (algorithm != std::string("auto")) CHECK_EQ(exchange.chosen(), std::string(algorithm));
    }
    if (test::rank() == 0) unsetenv("ORTHO_NODES");
}

/// Where messages that meet lose much, they go in rounds: in blocking calls, too, if the weights of the graph
/// tell their sizes.  Each process is on a node of its own.
void rounds_where_messages_meet()
{
    const int p = test::size(), me = test::rank();
    if (me == 0) setenv("ORTHO_NODES", "1", 1);
    tune("network.byte_ps 100\nnetwork.copy_ps 0\nmeeting.two_byte_ps 1000\nmeeting.more_byte_ps 1000\n");
    Everybody e([](int from, int to) { return (from + to) % 2 == 0 ? 20000 : 1 + from + to; });
    Ints weights, back;
    for (const int ints : e.sent) weights.push_back(4 * ints);
    for (const int ints : e.received) back.push_back(4 * ints);
    for (const bool by_name : {false, true}) {
        const test::Info info{{"ortho_algorithm", by_name ? "alltoall_rounds" : nullptr},
                              {"ortho_sizes", by_name ? nullptr : "weights"}};
        test::Comm comm;
        CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, p - 1, e.others.data(), back.data(), p - 1,
                                                  e.others.data(), weights.data(), info, 0, &comm));
        for (int repeat = 0; repeat < 3; ++repeat) {
            CHECK_OK(ORTHO_Alltoallv(e.out.data(), e.sent.data(), e.sent_at.data(), MPI_INT, e.in.data(),
                                     e.received.data(), e.received_at.data(), MPI_INT, comm));
            e.check();
        }
        test::Request request;
        e.make(comm, &request);
        const std::string text = test::explanation(request);
        const std::size_t by_run = text.find("and by ORTHO_Run");
        const std::string run = by_run == std::string::npos ? text : text.substr(by_run);
        if (p > 2 || by_name) CHECK(run.find("chosen alltoall_rounds") != std::string::npos);
        for (int repeat = 0; repeat < 2; ++repeat) {
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
            e.check();
            CHECK_OK(test::start_and_wait(&request));
            e.check();
        }
    }
    for (const auto& [key, value] :
         {std::pair("ortho_sizes", "large"), std::pair("ortho_independent", "maybe")})
        CHECK_EQ(error_class(test::try_graph(test::Info{{key, value}})), MPI_ERR_INFO_VALUE);
    if (me == 0) unsetenv("ORTHO_NODES");
    if (me == 0) unsetenv("ORTHO_TUNE");
}

/// Two rings on one communicator.  One of them makes a hundred calls of each kind, the other one none.
void independent_halves(const char* nodes)
{
    const int p = test::size(), me = test::rank();
    if (me == 0 && nodes != nullptr) setenv("ORTHO_NODES", nodes, 1);
    const int half = me % 2, members = (p + 1 - half) / 2;
    const auto member = [&](int i) { return (i % members + members) % members * 2 + half; };
    const int next = member(me / 2 + 1), before = member(me / 2 - 1);
    const test::Info info{{"ortho_independent", "true"}};
    test::Comm comm = test::adjacent({before}, {next}, MPI_COMM_WORLD, info);
    int mine = 0, got = -1;
    test::Request request = test::alltoall_init(&mine, &got, comm);
    for (int call = 0; half == 0 && call < 100; ++call) {
        const int one = 1, zero = 0;
        mine = 1000 * me + call;
        const auto expect = [&](int code) {
            CHECK_OK(code);
            CHECK_EQ(got, 1000 * before + call);
            got = -1;
        };
        expect(ORTHO_Alltoall(&mine, 1, MPI_INT, &got, 1, MPI_INT, comm));
        expect(ORTHO_Alltoallv(&mine, &one, &zero, MPI_INT, &got, &one, &zero, MPI_INT, comm));
        expect(ORTHO_Allgather(&mine, 1, MPI_INT, &got, 1, MPI_INT, comm));
        expect(ORTHO_Allreduce(&mine, &got, 1, MPI_INT, MPI_SUM, comm));
        ORTHO_Request started = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoall(&mine, 1, MPI_INT, &got, 1, MPI_INT, comm, &started));
        expect(ORTHO_Wait(&started, MPI_STATUS_IGNORE));
        expect(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK_OK(ORTHO_Start(&request));
        expect(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(ORTHO_Barrier(comm));
    }
    if (me == 0) unsetenv("ORTHO_NODES");
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    for (const auto part : {the_machine_decides, files_that_are_no_good, messages_in_rounds, nodes_are_known,
                            rounds_where_messages_meet})
        part();
    independent_halves(nullptr);
    independent_halves("1");
    if (test::rank() == 0) std::remove(file_name().c_str());
}
