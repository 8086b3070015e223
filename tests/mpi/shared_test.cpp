// SPDX-License-Identifier: BSD-3-Clause
// Messages between processes of a node, which go through shared memory: of any size, in any order, in parts,
// by processes that come late, run ahead, are wrong, or give up what they have begun.
//
// shared_test             all of it
// shared_test short       a little of everything; rank 0 says which way messages went
// shared_test closed      the last process lets nobody read its memory, once others have begun to
// shared_test loop RANK   exchanges until somebody ends it; this rank kills itself on the way

#include <sys/prctl.h>
#include <sys/stat.h>

#include <csignal>
#include <list>

#include "random_graphs.hpp"

namespace {

using test::Buffer;
using test::Form;

/// Element k of what a process sends in a slot; never what untouched buffers hold.
int content(int seed, int from, int slot, int k)
{
    const unsigned mixed = static_cast<unsigned>(seed) * 2654435761U + static_cast<unsigned>(from) * 40503U +
                           static_cast<unsigned>(slot) * 2971U + static_cast<unsigned>(k) * 31U;
    return static_cast<int>((mixed ^ (mixed >> 15U)) & 0xFFFFFU);
}

/// A torus of two dimensions, or a ring, on all processes of a communicator; block i goes to slot i.
class Torus {
public:
    Torus(MPI_Comm base, const Ints& grid, const Ints& offsets)
        : comm(test::neighborhood(grid, Ints{1, 1}, offsets, base)),
          graph(test::neighborhood_graph({grid, {1, 1}}, {2, offsets})),
          me_(test::rank(comm))
    {
        test::return_errors(comm);
    }
    ~Torus()
    {
        if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
    Torus(const Torus&) = delete;
    Torus& operator=(const Torus&) = delete;

    /// Offsets +1, 0, -1.
    static Torus ring(MPI_Comm base) { return {base, {1, test::size(base)}, {0, 1, 0, 0, 0, -1}}; }
    /// All eight around, some of them twice the same process on short sides.
    static Torus around(MPI_Comm base)
    {
        const int p = test::size(base);
        return {base,
                {p % 2 == 0 ? 2 : 1, p % 2 == 0 ? p / 2 : p},
                {-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1}};
    }

    int slots() const { return static_cast<int>(graph.processes[at(me_)].sources.size()); }
    int me() const { return me_; }
    int source(int slot) const { return graph.processes[at(me_)].sources[at(slot)]; }

    MPI_Comm comm = MPI_COMM_NULL;
    const cases::Multigraph graph;

private:
    int me_;
};

constexpr int margin = 16; // ints around each buffer

Buffer empty(int ints) { return {margin, ints + margin}; }

/// Fails once, not for each element.
void same(const Buffer& got, const Buffer& wanted, const char* what, const char* file, int line)
{
    if (got == wanted) return;
    test::fail(file, line, std::string(what) + " " + got.difference(wanted));
}
#define SAME(got, wanted, what) same((got), (wanted), (what), __FILE__, __LINE__)

void fill(Buffer& send, const Torus& torus, int seed, int n)
{
    for (int i = 0; i < torus.slots(); ++i)
        for (int k = 0; k < n; ++k) send[i * n + k] = content(seed, torus.me(), i, k);
}

/// An operation of its own, with its buffers.
struct Pending {
    Pending(const Torus& torus_, int seed_, int n_)
        : torus(torus_),
          seed(seed_),
          n(n_),
          send(empty(torus.slots() * n)),
          receive(empty(torus.slots() * n))
    {}
    void init() { request = test::alltoall_init(send.address(), receive.address(), torus.comm, n); }
    void prepare(int round)
    {
        seed += round;
        fill(send, torus, seed, n);
    }
    void start(int round)
    {
        prepare(round);
        CHECK_OK(ORTHO_Start(&request));
    }
    void wait()
    {
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        verify();
    }
    Buffer wanted() const
    {
        Buffer result = empty(torus.slots() * n);
        for (int i = 0; i < torus.slots(); ++i)
            for (int k = 0; k < n; ++k) result[i * n + k] = content(seed, torus.source(i), i, k);
        return result;
    }
    void verify() { SAME(receive, wanted(), "an operation of its own"); }

    const Torus& torus;
    int seed, n;
    Buffer send, receive;
    test::Request request;
};

/// Do messages of the operation?
bool goes_through_memory(ORTHO_Request request)
{
    return test::explanation(request).find("through shared memory") != std::string::npos;
}

/// n ints with a stride at an address.
MPI_Datatype absolute(const int* address, int n, int stride)
{
    test::Type vector;
    MPI_Type_vector(n, 1, stride, MPI_INT, &vector);
    MPI_Aint place = 0;
    MPI_Get_address(address, &place);
    return test::committed(MPI_Type_create_hindexed_block, 1, 1, &place, MPI_Datatype(vector));
}

void at_the_bottom(test::Session& session, const Torus& torus, int seed, int n)
{
    const int t = torus.slots();
    auto buffers = std::make_shared<test::Buffers>(empty(2 * t * n), empty(3 * t * n), empty(3 * t * n),
                                                   "Alltoallw at MPI_BOTTOM");
    buffers->rebind = test::Buffers::Rebind::never;
    std::vector<MPI_Datatype> out, in;
    for (int i = 0; i < t; ++i) {
        out.push_back(absolute(buffers->send.address() + i * n * 2, n, 2));
        in.push_back(absolute(buffers->receive.address() + i * n * 3, n, 3));
        for (int k = 0; k < n; ++k) {
            buffers->send[(i * n + k) * 2] = content(seed, torus.me(), i, k);
            buffers->expected[(i * n + k) * 3] = content(seed, torus.source(i), i, k);
        }
    }
    const Ints ones(at(t), 1);
    const std::vector<MPI_Aint> zeros(at(t), 0);
    session.call(SMALL_FORMS(Alltoallw, Ialltoallw), buffers, MPI_BOTTOM, ones, zeros, out.data(), MPI_BOTTOM,
                 ones, zeros, in.data(), torus.comm);
    for (auto* const types : {&out, &in})
        for (MPI_Datatype& type : *types) MPI_Type_free(&type);
}

/// Blocks are plain ints.
void alltoall(const Torus& torus, Form form, int seed, int n)
{
    Random unused;
    test::Session session([=] { return form; }, true);
    test::alltoall(session, {torus.graph, torus.comm, torus.me(), n, 0, seed}, {unused, unused});
    session.complete();
}

/// All that calls.hpp has, and one with all addresses in the types.
constexpr int kinds_of_calls = test::kinds_of_calls + 1;

void any_call(const Torus& torus, int kind, Form form, int seed, int n, Random& local)
{
    Random random(at(seed));
    const test::Reductions reductions;
    test::Session session([=] { return form; }, seed % 2 == 0);
    if (kind == test::kinds_of_calls)
        at_the_bottom(session, torus, seed, std::max(1, n));
    else
        test::any_call(session, {torus.graph, torus.comm, torus.me(), n}, {random, local}, kind, reductions,
                       {});
    session.complete();
}

/// Rings grow with their messages, messages go in parts, and small ones come after them.
void sizes_change()
{
    Random local(static_cast<unsigned>(test::rank()));
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    const Torus around = Torus::around(MPI_COMM_WORLD);
    const int scale = test::watched ? 16 : test::few_will_do() || test::size() > 4 ? 4 : 1;
    int seed = 0;
    for (const int n :
         {1, 0, 100, 5, 16'000, 0, 3, 100'000 / scale, 2, 520'000 / scale, 1, 131'068, 131'069, 64, 0, 7}) {
        for (int kind = 0; kind < kinds_of_calls; ++kind) {
            // Large blocks not in every way.
            if (n > 20'000 || (n > 1'000 && kind != n % kinds_of_calls)) continue;
            const auto form = static_cast<Form>((seed + kind) % 4 % 3);
            any_call(ring, kind, form, ++seed, n, local);
            any_call(around, kind, form, ++seed, n > 50'000 ? n / 8 : n, local);
        }
        alltoall(ring, static_cast<Form>(n % 3), ++seed, n);
    }
    if (test::size() == 2) {
        const Torus both(MPI_COMM_WORLD, {1, 2}, {0, 1, 0, -1});
        const int many = (4 << 20) / scale; // 64 MiB in all
        alltoall(both, Form::blocking, 1, many);
        alltoall(both, Form::persistent, 2, many);
        alltoall(both, Form::blocking, 3, 1);
    }
}

/// Messages so large that they go MPI's way all the same, and with others among them that do not.
void large_persistent(int rounds)
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    std::vector<std::unique_ptr<Pending>> operations;
    for (const int n : {524'000, 525'000, 3}) operations.push_back(std::make_unique<Pending>(ring, n, n));
    for (const auto& operation : operations) operation->init();
    for (int round = 0; round < rounds; ++round) {
        for (const auto& operation : operations) operation->start(round);
        for (const auto& operation : operations) operation->wait();
    }
}

/// Started and completed in an order of each process's own, hundreds of times.
void persistent_in_any_order()
{
    Random local(static_cast<unsigned>(7 + test::rank()));
    Torus ring = Torus::ring(MPI_COMM_WORLD);
    Torus around = Torus::around(MPI_COMM_WORLD);
    std::vector<std::unique_ptr<Pending>> operations;
    int seed = 100;
    for (const int n : {1, 0, 500, 33, 4000, 2})
        for (const Torus* torus : {&ring, &around})
            operations.push_back(std::make_unique<Pending>(*torus, ++seed, n));
    for (const auto& operation : operations) operation->init();
    const int rounds = test::few_will_do() || test::size() > 4 ? 60 : 300;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Pending*> order;
        for (const auto& operation : operations) order.push_back(operation.get());
        std::ranges::shuffle(order, local);
        for (Pending* operation : order) operation->start(round);
        if (uniform(local, 0, 30) == 0) usleep(static_cast<unsigned>(uniform(local, 0, 3000)));
        std::ranges::shuffle(order, local);
        for (Pending* operation : order) operation->wait();
    }
    // Freed while they are under way, and their communicator, too: what was sent arrives.
    for (const auto& operation : operations) operation->start(rounds);
    MPI_Comm_free(&ring.comm);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if ((i + at(test::rank())) % 2 == 0) operations[i]->wait();
        CHECK_OK(ORTHO_Request_free(&operations[i]->request));
    }
    for (const auto& operation : operations) {
        const Buffer wanted = operation->wanted();
        CHECK(test::advance_until([&] { return operation->receive == wanted; }));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// One waits for its operation while the others, who have started theirs, are in MPI.
void partners_are_away()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    for (const int n : {1, 300'000}) {
        Pending operation(ring, n, n);
        operation.init();
        for (int round = 0; round < 20; ++round) {
            operation.start(round);
            MPI_Barrier(MPI_COMM_WORLD);
            test::others_are_away(round % test::size(), [&] { operation.wait(); });
        }
    }
}

/// Every other int: as MPI would copy it twice, too, it goes through memory, however large.  Partners may be
/// away.
void strided_persistent()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    const int slots = ring.slots();
    bool small_ones = false;
    for (const int n : {100, 20'000, 200'000}) {
        test::Type type = test::strided_ints(n, 1, 2, 2 * n);
        Buffer send = empty(slots * 2 * n), receive = empty(slots * 2 * n), wanted = receive;
        const auto clear = [&] {
            for (int k = 0; k < slots * n; ++k) receive[2 * k] = -1;
        };
        test::Request request;
        CHECK_OK(ORTHO_Alltoall_init(send.address(), 1, type, receive.address(), 1, type, ring.comm,
                                     MPI_INFO_NULL, &request));
        if (n == 100) small_ones = goes_through_memory(request);
        CHECK_EQ(goes_through_memory(request), small_ones);
        for (int round = 0; round < 4; ++round) {
            for (int i = 0; i < slots; ++i)
                for (int k = 0; k < n; ++k) {
                    send[(i * n + k) * 2] = content(round, ring.me(), i, k);
                    wanted[(i * n + k) * 2] = content(round, ring.source(i), i, k);
                }
            CHECK_OK(ORTHO_Start(&request));
            test::others_are_away(round % test::size(),
                                  [&] { CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE)); });
            SAME(receive, wanted, "every other int");
            clear();
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE)); // large ones go in parts
            SAME(receive, wanted, "every other int, run");
            Buffer row = empty(slots * n), wanted_row = row;
            for (int i = 0; i < slots; ++i)
                for (int k = 0; k < n; ++k) wanted_row[i * n + k] = content(round, ring.source(i), i, k);
            CHECK_OK(ORTHO_Alltoall(send.address(), 1, type, row.address(), n, MPI_INT, ring.comm));
            SAME(row, wanted_row, "every other int into a row");
            clear();
            for (int k = 0; k < slots * n; ++k) row[k] = send[2 * k];
            CHECK_OK(ORTHO_Alltoall(row.address(), n, MPI_INT, receive.address(), 1, type, ring.comm));
            SAME(receive, wanted, "a row into every other int");
        }
    }
}

/// Edges from each process to the next, none back.
MPI_Comm chain()
{
    const int rank = test::rank();
    MPI_Comm comm = test::adjacent(rank > 0 ? Ints{rank - 1} : Ints{},
                                   rank + 1 < test::size() ? Ints{rank + 1} : Ints{});
    test::return_errors(comm);
    return comm;
}

/// Processes that only send are ahead of those that receive, by more operations than there are tags.
void senders_run_ahead()
{
    test::Comm comm = chain();
    const int p = test::size();
    const auto one = [&](int seed, int n) {
        Buffer send = empty(n), receive = empty(n), wanted = receive;
        for (int k = 0; k < n; ++k) send[k] = content(seed, test::rank(), 0, k);
        if (test::rank() > 0)
            for (int k = 0; k < n; ++k) wanted[k] = content(seed, test::rank() - 1, 0, k);
        CHECK_OK(ORTHO_Alltoall(send.address(), n, MPI_INT, receive.address(), n, MPI_INT, comm));
        SAME(receive, wanted, "Alltoall on a chain");
    };
    one(0, 120'000); // a large ring, which holds many small messages
    MPI_Barrier(MPI_COMM_WORLD);
    if (test::rank() == p - 1) usleep(200'000);
    const int many = test::few_will_do() ? 17'000 : 40'000;
    for (int i = 1; i <= many; ++i) one(i, i % 1000 == 0 ? 2000 : i % 2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (test::rank() == p - 1) usleep(100'000);
    for (int i = 0; i < 20; ++i) one(i, i % 3 == 2 ? 400'000 : i);
    // The sender is through with its communicator before the receivers have begun.
    if (test::rank() == p - 1) usleep(100'000);
    one(5, 17);
    comm = chain();
    one(6, 18);
}

/// All forms on communicators that have processes in common; everybody is late now and then.
void mixes()
{
    Random shared(4711);
    Random local(static_cast<unsigned>(99 + test::rank()));
    test::Comm half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, test::rank() % 2, test::rank(), &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    std::list<Torus> worlds;
    worlds.emplace_back(MPI_COMM_WORLD, Ints{1, test::size()}, Ints{0, 1, 0, 0, 0, -1});
    worlds.emplace_back(copy, Ints{test::size(), 1}, Ints{1, 0, 1, 0, 2, 0});
    worlds.emplace_back(half, Ints{1, test::size(half)}, Ints{0, 1, 0, -1, 0, 3});
    std::vector<std::unique_ptr<Pending>> persistent;
    for (const Torus& torus : worlds)
        for (const int n : {3, 20'000}) {
            persistent.push_back(std::make_unique<Pending>(torus, n, n));
            persistent.back()->init();
        }
    std::vector<char> active(persistent.size(), 0);
    std::list<Pending> pending;
    const int steps = test::watched ? 60 : test::few_will_do() || test::size() > 4 ? 150 : 400;
    for (int step = 0; step < steps; ++step) {
        if (uniform(local, 0, steps / 2) == 0) usleep(static_cast<unsigned>(uniform(local, 0, 200'000)));
        const int which = uniform(shared, 0, 2);
        const Torus& torus = *std::next(worlds.begin(), which);
        const int n = uniform(shared, 0, 9) == 0 ? uniform(shared, 0, 150'000) : uniform(shared, 0, 300);
        const int kind = uniform(shared, 0, 9);
        if (kind < 4) {
            any_call(torus, uniform(shared, 0, kinds_of_calls - 1), Form::blocking, step, n, local);
        } else if (kind < 7) {
            Pending& operation = pending.emplace_back(torus, step, n);
            operation.prepare(0);
            CHECK_OK(ORTHO_Ialltoall(operation.send.address(), n, MPI_INT, operation.receive.address(), n,
                                     MPI_INT, torus.comm, &operation.request));
        } else {
            const auto i = at(uniform(shared, 0, static_cast<int>(persistent.size()) - 1));
            if (active[i] != 0) persistent[i]->wait();
            active[i] = 1;
            persistent[i]->start(step);
        }
        if (!pending.empty() && uniform(local, 0, 2) == 0) {
            const auto some = std::next(pending.begin(),
                                        uniform(local, 0, static_cast<int>(pending.size()) - 1));
            some->wait();
            pending.erase(some);
        }
        const auto i = at(uniform(local, 0, static_cast<int>(persistent.size()) - 1));
        if (active[i] != 0 && uniform(local, 0, 3) == 0) {
            persistent[i]->wait();
            active[i] = 0;
        }
    }
    for (Torus& torus : worlds) MPI_Comm_free(&torus.comm);
    for (Pending& operation : pending) operation.wait();
    for (std::size_t i = 0; i < persistent.size(); ++i)
        if (active[i] != 0) persistent[i]->wait();
}

/// Blocks too large for some receivers, or for all: an error there, and there alone, and nothing but the
/// block's room is written.
void blocks_too_large()
{
    // Nothing is known of this graph: blocks go from process to process.
    const test::Comm comm = test::adjacent({test::left(), test::rank()}, {test::right(), test::rank()});
    test::return_errors(comm);
    test::count_errors(comm);
    int seed = 0;
    for (const int n : {2, 1000, 140'000, 700'000})
        for (const bool everybody : {true, false})
            for (const bool vector : {false, true})
                for (const Form form : {Form::blocking, Form::persistent, Form::blocking}) {
                    ++seed;
                    const bool short_of_room = everybody || test::rank() == test::size() - 1;
                    const int room = short_of_room ? n / 2 : n, stride = vector ? 2 : 1;
                    const test::Type apart = test::strided_ints(1, 1, 1, 2);
                    const MPI_Datatype type = vector ? MPI_Datatype{apart} : MPI_INT;
                    Buffer send = empty(2 * n);
                    // Room for the whole behind, so that it would be seen what is written there.
                    Buffer receive = empty(4 * n * stride);
                    for (int i = 0; i < 2; ++i)
                        for (int k = 0; k < n; ++k) send[i * n + k] = content(seed, test::rank(), i, k);
                    const Ints counts{n, n}, rooms{room, room}, send_places{0, n};
                    const Ints places{0, 2 * n}; // of the type's extents
                    test::handler_calls = 0;
                    // Before a persistent one neighbors compare sizes: all processes fail together.
                    const int code = test::in(form, SMALL_FORMS(Alltoallv, Ialltoallv), send.address(),
                                              counts, send_places, MPI_INT, receive.address(), rooms, places,
                                              type, comm);
                    const bool fails = short_of_room || form == Form::persistent;
                    CHECK_EQ(error_class(code), fails ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
                    CHECK_EQ(test::handler_calls, fails ? 1 : 0);
                    if (form == Form::persistent) continue;
                    Buffer wanted = empty(4 * n * stride);
                    for (int i = 0; i < 2; ++i)
                        for (int k = 0; k < room; ++k) {
                            const int position = (2 * n * i + k) * stride;
                            // Where a block was too large it is open what its room holds.
                            wanted[position] = short_of_room
                                                   ? receive[position]
                                                   : content(seed, i == 0 ? test::left() : test::rank(), i,
                                                             k);
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
        FAILS(ORTHO_Alltoall(from, -1, MPI_INT, to, 1, MPI_INT, comm), MPI_ERR_COUNT);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        FAILS(ORTHO_Alltoall_init(from, 1, MPI_DATATYPE_NULL, to, 1, MPI_INT, comm, MPI_INFO_NULL, &request),
              MPI_ERR_TYPE);
        from[0] = i;
        CHECK_OK(ORTHO_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm));
        CHECK(to[0] == i && to[1] == 2);
    }
}

/// Bytes of this process's arena, whose descriptor bears our name; 0 if there is none.
long long shared_bytes()
{
    for (int file = 0; file < 1024; ++file) {
        char target[64] = "";
        const std::string path = "/proc/self/fd/" + std::to_string(file);
        if (readlink(path.c_str(), target, sizeof target - 1) < 0) continue;
        struct stat status {};
        if (std::strstr(target, "memfd:mpiortho") != nullptr && fstat(file, &status) == 0)
            return 512LL * status.st_blocks;
    }
    return 0;
}

long long resident_kilobytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::atoll(line.c_str() + 6);
    return 0;
}

/// Nothing stays of communicators, of their lines, nor of persistent operations.
void communicators_come_and_go()
{
    const int rounds = 10;
    // MPICH spins where there are more processes than cores, and makes few communicators a second there.
    const int each = test::size() <= 2 && !test::watched ? 50 : 5;
    long long shared = 0;
    long long resident = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < each; ++i) {
            Torus ring = Torus::ring(MPI_COMM_WORLD);
            alltoall(ring, Form::blocking, i, 1);
            alltoall(ring, Form::blocking, i, i % 10 == 0 ? 200'000 : 3000);
            alltoall(ring, Form::blocking, i, 0);
            Pending operation(ring, i, i % 10 == 1 ? 200'000 : 20);
            operation.init();
            operation.start(1);
            if (i % 3 == 0) MPI_Comm_free(&ring.comm);
            operation.wait();
        }
        MPI_Barrier(MPI_COMM_WORLD);
        // The first rounds find what is needed.
        if (round == 2) {
            shared = shared_bytes();
            resident = resident_kilobytes();
        }
    }
    const long long grown = shared_bytes() - shared;
    if (grown > 512 << 10) CHECK_EQ(grown, 0);
    const long long more = resident_kilobytes() - resident;
    if (!test::watched && more > 20'000) CHECK_EQ(more, 0);
}

/// Rank 0 says which way messages go.
void say_which_way()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    Pending operation(ring, 1, 1);
    operation.init();
    if (test::rank() == 0) std::puts(goes_through_memory(operation.request) ? "shared memory" : "messages");
    operation.start(0);
    operation.wait();
}

/// One persistent operation, whose data the system lets others read, at first on all processes, then perhaps
/// not on those that close; and which then lies in memory that all see, and is copied once in any case.
void rebound(bool closes)
{
    const int size = test::size(), rank = test::rank();
    constexpr int n = 20'000;
    test::Comm ring = test::neighborhood({size}, {1}, {1}, MPI_COMM_WORLD,
                                         test::Info{{"ortho_forward", "true"}});
    Ints own[2] = {Ints(n), Ints(n)};
    int* common[2] = {};
    for (int*& one : common) CHECK_OK(ORTHO_Alloc_mem(n * sizeof(int), MPI_INFO_NULL, ring, &one));
    test::Request request = test::alltoall_init(own[0].data(), own[1].data(), ring, n);
    const auto exchange = [&](int seed, int* send, const int* receive) {
        for (int k = 0; k < n; ++k) send[k] = content(seed, rank, 0, k);
        CHECK_OK(test::start_and_wait(&request));
        for (int k = 0; k < n; ++k) CHECK_EQ(receive[k], content(seed, test::left(), 0, k));
    };
    exchange(1, own[0].data(), own[1].data());
    MPI_Barrier(MPI_COMM_WORLD);
    if (closes) CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange(2, own[0].data(), own[1].data());
    CHECK_OK(ORTHO_Request_rebind(request, common[0], common[1]));
    for (int seed = 3; seed < 7; ++seed) exchange(seed, common[0], common[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (closes) CHECK(prctl(PR_SET_DUMPABLE, 1) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(ORTHO_Request_free(&request));
    for (int* const one : common) CHECK_OK(ORTHO_Free_mem(one, ring));
}

void a_little_of_everything()
{
    Random local(static_cast<unsigned>(test::rank()));
    say_which_way();
    const Torus around = Torus::around(MPI_COMM_WORLD);
    int seed = 0;
    for (const int n : {1, 0, 300, 20'000, 150'000, 2}) {
        for (int kind = 0; kind < kinds_of_calls; ++kind)
            if (n < 1'000) any_call(around, kind, static_cast<Form>(kind % 3), ++seed, n, local);
        ++seed;
        alltoall(around, static_cast<Form>(seed % 3), seed, n);
    }
    large_persistent(1);
    rebound(false);
}

void closed()
{
    Random local(static_cast<unsigned>(test::rank()));
    say_which_way();
    rebound(test::rank() == test::size() - 1);
    const Torus around = Torus::around(MPI_COMM_WORLD);
    int seed = 0;
    for (int turn = 0; turn < 4; ++turn) {
        for (const int n : {1, 20'000, 300})
            for (int kind = 0; kind < kinds_of_calls; ++kind)
                any_call(around, kind, Form::blocking, ++seed, n, local);
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == 0 && test::rank() == test::size() - 1) CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    }
}

/// Until somebody ends it: the victim does so when all is going on.
void loop(int victim)
{
    const Torus around = Torus::around(MPI_COMM_WORLD);
    Pending operation(around, 1, 2000);
    operation.init();
    for (int i = 0;; ++i) {
        operation.start(i);
        alltoall(around, Form::blocking, i, i % 100 == 0 ? 200'000 : 30);
        if (i == 300 && test::rank() == victim) std::raise(SIGKILL);
        operation.wait();
    }
}

} // namespace

TEST_MAIN()
{
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "short") return a_little_of_everything();
    if (mode == "closed") return closed();
    if (mode == "loop") loop(argc > 2 ? std::atoi(argv[2]) : 0);
    const std::pair<const char*, void (*)()> parts[] = {
        {"sizes_change", sizes_change},
        {"persistent_in_any_order", persistent_in_any_order},
        {"large_persistent", [] { large_persistent(3); }},
        {"partners_are_away", partners_are_away},
        {"strided_persistent", strided_persistent},
        {"senders_run_ahead", senders_run_ahead},
        {"mixes", mixes},
        {"blocks_too_large", blocks_too_large},
        {"communicators_come_and_go", communicators_come_and_go},
    };
    for (const auto& [name, part] : parts) {
        if (!mode.empty() && mode != name) continue;
        const double begin = MPI_Wtime();
        part();
        MPI_Barrier(MPI_COMM_WORLD);
        if (std::getenv("ORTHO_TEST_TIMES") != nullptr && test::rank() == 0)
            std::printf("%s %.1f s\n", name, MPI_Wtime() - begin);
    }
}
