// SPDX-License-Identifier: BSD-3-Clause
// Mistakes that programs make, each without ORTHO_VERIFY and with it: who is told, which class of error, in
// which words; nobody waits for ever, and the communicators are as good as before.  With "kinds" it lists the
// kinds of mistakes, for tests/scripts/mistakes.sh; with a name it makes one mistake that ends the program.

#include "mistakes.hpp"

namespace {

using test::Mistake;
using test::Said;
using test::Stage;
using test::Who;

Stage make_stage()
{
    Stage s{.p = test::size(), .me = test::rank()};
    s.left = test::left();
    s.right = test::right();
    MPI_Comm_dup(MPI_COMM_WORLD, &s.full);
    MPI_Comm_set_name(s.full, "all");
    s.ring = test::adjacent({s.me, s.left}, {s.me, s.right}, s.full);
    s.grid = test::neighborhood({s.p}, {1}, {-1, 1}, s.full);
    for (MPI_Comm comm : {s.full, s.ring, s.grid}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_name(s.ring, "ring");
    MPI_Comm_set_name(s.grid, "grid");
    return s;
}

void free_stage(Stage& s)
{
    for (MPI_Comm* comm : {&s.ring, &s.grid, &s.full}) MPI_Comm_free(comm);
}

void set_data(Stage& s)
{
    s.from.assign(64, s.me);
    s.to.assign(64, -1);
    s.sent = s.from.data();
    s.got = s.to.data();
    s.request = ORTHO_REQUEST_NULL;
}

bool is_told(Who who, int me, int p)
{
    switch (who) {
    case Who::all: return true;
    case Who::first: return me == 0;
    case Who::next: return me == 1;
    case Who::ends: return me <= 1;
    case Who::near: return me <= 1 || me == p - 1;
    default: return false;
    }
}

/// Right calls, blocking and not, deliver what they should.
void check_usable(Stage& s, const std::string& after)
{
    for (MPI_Comm comm : {s.ring, s.grid}) {
        set_data(s);
        const int code = ORTHO_Alltoall(s.from.data(), 1, MPI_INT, s.to.data(), 1, MPI_INT, comm);
        const int first = comm == s.ring ? s.me : s.right, second = s.left;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        const int begun = ORTHO_Iallgather(s.from.data(), 1, MPI_INT, s.to.data() + 2, 1, MPI_INT, comm,
                                           &request);
        const int ended = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || begun != MPI_SUCCESS || ended != MPI_SUCCESS ||
            Ints(s.to.begin(), s.to.begin() + 5) != Ints{first, second, first, second, -1})
            test::fail(__FILE__, __LINE__, "after '" + after + "' right calls fail: " + test::message());
    }
}

/// False if it is not made.  `verify`: after non-blocking calls that do not fit, communicators can only be
/// freed.
bool run(Stage& s, const Mistake& mistake, const Said& said, bool verify)
{
    if (said.who == Who::waits) return false;
    set_data(s);
    const int code = mistake.make(s, s.me == 0);
    const bool told = is_told(said.who, s.me, s.p);
    const int wanted = told ? said.error_class : MPI_SUCCESS;
    const int got = code == MPI_SUCCESS ? MPI_SUCCESS : test::error_class(code);
    const std::string& words = s.me == 0 || said.others.empty() ? said.words : said.others;
    const std::string message = code == MPI_SUCCESS ? "" : test::message();
    const bool is_nonblocking = mistake.name.starts_with("ORTHO_I") || mistake.name.starts_with("I") ||
                                said.who == Who::ends || said.who == Who::near;
    // Neither wrong arguments nor blocking calls that do not fit write anything.
    const bool is_refused = verify && told && wanted == ORTHO_ERR_MISMATCH && !is_nonblocking;
    const bool has_changed = (mistake.function != "" || is_refused) &&
                             std::ranges::any_of(s.to, [](int x) { return x != -1; });
    if (got != wanted || (told && message.find(words) == std::string::npos) ||
        message.find(mistake.function) != 0 || has_changed)
        test::fail(__FILE__, __LINE__,
                   mistake.kind + ", '" + mistake.name + "': class " + std::to_string(got) + " for " +
                       std::to_string(wanted) + ", '" + message + "' for '" + words + "'" +
                       (has_changed ? ", and writes" : ""));
    if (verify && is_nonblocking) {
        free_stage(s);
        s = make_stage();
    }
    check_usable(s, mistake.name);
    return true;
}

/// Mistakes that end the program, or would not end by themselves: rank 0 makes them, or does not come.
void alone(const std::string& name)
{
    Stage s = make_stage();
    set_data(s);
    if (name == "leaves") {
        if (s.me != 0) ORTHO_Alltoall(s.from.data(), 1, MPI_INT, s.to.data(), 1, MPI_INT, s.ring);
    } else if (name == "waits") {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if (s.me != 0) {
            ORTHO_Ialltoall(s.from.data(), 1, MPI_INT, s.to.data(), 1, MPI_INT, s.ring, &request);
            ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (name == "orders") {
        MPI_Comm const order[] = {s.ring, s.grid};
        for (const int i : {0, 1}) ORTHO_Barrier(order[s.me == 0 ? 1 - i : i]);
    } else if (name == "gathers") {
        ORTHO_Request halos[] = {ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
        int array[] = {0, 0, 0};
        MPI_Count none = 0, all = s.p;
        for (ORTHO_Request& halo : halos) halo = test::row_halo(array, 3, s.grid);
        ORTHO_Field whole = ORTHO_FIELD_INIT;
        whole.base = s.got, whole.element = MPI_INT, whole.sizes = &all, whole.lower = whole.upper = &none;
        if (s.me != 0) ORTHO_Halo_gather(halos[1], 0, &whole, 0);
    } else if (name == "fences") {
        MPI_Win win = MPI_WIN_NULL;
        CHECK_OK(ORTHO_Win_create(s.got, sizeof(int), 1, MPI_INFO_NULL, s.ring, &win));
        if (s.me != 0) ORTHO_Win_fence(0, win);
    } else if (name == "fatal") {
        MPI_Comm_set_errhandler(s.ring, MPI_ERRORS_ARE_FATAL);
        ORTHO_Alltoall(s.from.data(), s.me == 0 ? 2 : 1, MPI_INT, s.to.data(), 1, MPI_INT, s.ring);
    }
    free_stage(s);
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    CHECK_EQ(test::error_class(ORTHO_Barrier(MPI_COMM_NULL)),
             MPI_ERR_COMM); // makes the library's own classes
    const std::string argument = argc > 1 ? argv[1] : "";
    if (argument != "" && argument != "kinds") return alone(argument);
    test::Mistakes all;
    test::add_arguments(all);
    if (test::size() > 1 || argument == "kinds") test::add_odd(all);
    if (argument == "kinds") {
        std::set<std::string> kinds;
        for (const Mistake& mistake : all) kinds.insert(mistake.kind);
        for (const std::string& kind : kinds) std::puts(kind.c_str());
        return;
    }
    for (const bool verify : {false, true}) {
        setenv("ORTHO_VERIFY", verify ? "1" : "0", 1);
        Stage s = make_stage();
        std::size_t made = 0;
        for (const Mistake& mistake : all)
            made += run(s, mistake, verify ? mistake.verified : mistake.plain, verify) ? 1U : 0U;
        if (s.me == 0) std::printf("%zu of %zu mistakes made\n", made, all.size());
        // Some may not be made unverified; Open MPI, and windows in loopback, leave out a few more.
        const std::size_t left_out = (test::aborts_anyway() ? 2U : 0U) + (test::is_played() ? 5U : 0U);
        CHECK(made + left_out >= (test::size() == 1 ? 144U : verify ? 200U : 189U));
        free_stage(s);
    }
}
