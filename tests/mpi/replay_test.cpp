// SPDX-License-Identifier: BSD-3-Clause
// Calls that come again: with the same arguments, with what looks like the same arguments, and with other
// buffers and sizes each time, so that an earlier call's operation does it.

#include "grid/grid.hpp"
#include "random_graphs.hpp"

namespace {

using test::Form;
using test::in;

/// Each process sends to the one behind it; `both`: and to the one before it.
MPI_Comm make_ring(bool both = true)
{
    MPI_Comm ring = both ? test::adjacent({test::left(), test::right()}, {test::right(), test::left()})
                         : test::adjacent({test::left()}, {test::right()});
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    return ring;
}

constexpr int most = 8; // ints of a block

struct Buffers {
    std::array<int, 2 * most> sent{};
    std::array<int, 2 * most> received{};
    int counts[2] = {1, 1}, displacements[2] = {0, most}, blocks = 2;

    /// Numbers that say who sent what, when.
    void fill(int time)
    {
        for (int i = 0; i < 2 * most; ++i)
            sent[static_cast<std::size_t>(i)] = 10000 * test::rank() + 100 * time + i;
        received.fill(-1);
    }
    /// `elements` of block b have come, `step` apart.
    void check(int time, int block, int elements, int step = 1) const
    {
        const int source = block == 0 ? test::left() : test::right();
        for (int i = 0; i < most; ++i) {
            const bool has_come = i % step == 0 && i / step < elements;
            CHECK_EQ(received[static_cast<std::size_t>(block * most + i)],
                     has_come ? 10000 * source + 100 * time + block * most + i : -1);
        }
    }
    /// Makes the call, and checks what has come.
    void exchange(Form form, int time, MPI_Comm comm)
    {
        fill(time);
        CHECK_OK(alltoallv(form, MPI_INT, comm));
        for (int block = 0; block < blocks; ++block) check(time, block, counts[block]);
    }
    int alltoallv(Form form, MPI_Datatype type, MPI_Comm comm)
    {
        return in(form, SMALL_FORMS(Alltoallv, Ialltoallv), sent.data(), counts, displacements, type,
                  received.data(), counts, displacements, type, comm);
    }
};

/// The arrays are the same, what is in them changes.
void counts_change(Form form)
{
    test::Comm ring = make_ring();
    Buffers b;
    for (int time = 0; time < 40; ++time) {
        b.counts[0] = time / 4 % (most + 1);
        b.counts[1] = time / 8 % (most + 1);
        b.exchange(form, time, ring);
    }
}

/// The handle of a datatype is another one's soon; types of MPI's own, one of them with a gap, come between.
void types_change(Form form)
{
    test::Comm ring = make_ring();
    Buffers b;
    const auto call_twice = [&](int time, MPI_Datatype type, int types_a_block, int ints, int step) {
        b.displacements[1] = types_a_block; // in extents of the type
        for (int again = 0; again < 2; ++again) {
            b.fill(time);
            CHECK_EQ(b.alltoallv(form, type, ring), MPI_SUCCESS);
            for (int block = 0; block < 2; ++block) b.check(time, block, ints, step);
        }
    };
    for (int time = 0; time < 30; ++time) {
        const int step = 1 + time % 3;
        test::Type type = test::strided_ints(2, 1, step, most);
        call_twice(time, type, 1, 2, step);
        if (time % 5 == 0) call_twice(time, MPI_DOUBLE, 4, 2, 1);
        if (time % 7 == 0) call_twice(time, MPI_DOUBLE_INT, 2, 3, 1);
    }
}

/// The handle of a communicator is another one's soon: of a ring the other way round.
void communicators_change(Form form)
{
    Buffers b;
    for (int time = 0; time < 20; ++time) {
        MPI_Comm ring = make_ring(), copy = MPI_COMM_NULL;
        if (time % 2 != 0) MPI_Comm_dup(ring, &copy);
        b.counts[0] = 1 + time % 3;
        for (int again = 0; again < 3; ++again)
            // On a duplicate, the first non-blocking call comes before it is attached.
            b.exchange(form, time, copy != MPI_COMM_NULL ? copy : ring);
        MPI_Comm_free(&ring);
        if (time % 4 == 1) b.exchange(form, time, copy);
        if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
    }
}

/// A call that is wrong, after and before the same one that was right, and like ones.
void mistakes_between(Form form)
{
    test::Comm ring = make_ring();
    std::vector<Buffers> all(20);
    for (int time = 0; time < 40; ++time) {
        Buffers& b = all[at(time / 2)];
        b.exchange(form, time, ring);
        b.fill(time);
        CHECK(b.alltoallv(form, MPI_DATATYPE_NULL, ring) != MPI_SUCCESS);
        b.counts[1] = -1;
        CHECK(b.alltoallv(form, MPI_INT, ring) != MPI_SUCCESS);
        b.counts[1] = 1;
        const auto call = [&](const int* from, const int* counts) {
            return ORTHO_Alltoallv(from, counts, b.displacements, MPI_INT, b.received.data(), b.counts,
                                   b.displacements, MPI_INT, ring);
        };
        CHECK(call(b.sent.data(), nullptr) != MPI_SUCCESS);
        CHECK(call(nullptr, b.counts) != MPI_SUCCESS);
        // On several devices each side has a buffer of its own.
        if (std::getenv("ORTHO_TEST_PRETEND") == nullptr)
            CHECK(ORTHO_Alltoall(b.sent.data(), 1, MPI_INT, b.sent.data(), 1, MPI_INT, ring) != MPI_SUCCESS);
        for (int block = 0; block < 2; ++block) b.check(-1, block, 0); // nothing has come
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/// MPI's operators take the kinds that a Fortran program asks for by their precision.
void kinds_of_fortran()
{
    MPI_Datatype kind = MPI_DATATYPE_NULL;
    const int code = MPI_Type_create_f90_real(15, 307, &kind);
    if (code != MPI_SUCCESS || kind == MPI_DATATYPE_NULL) return; // an MPI without Fortran
    test::Comm comm = make_ring();
    const double x = test::rank();
    for (int time = 0; time < 2; ++time) {
        double sum = -1;
        CHECK_EQ(ORTHO_Allreduce(&x, &sum, 1, kind, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(sum, test::right() + test::left());
    }
}

/// Only the operator changes.  A new one may have the handle of one that is gone.
void operators_change()
{
    test::Comm comm = make_ring();
    const int mine = test::rank() + 1;
    const int other[] = {test::right() + 1, test::left() + 1};
    int result = -1;
    using Function = MPI_User_function*;
    const Function functions[] = {
        [](void* its, void* inout, int*, MPI_Datatype*) {
            *static_cast<int*>(inout) += 10 * *static_cast<int*>(its);
        },
        [](void* its, void* inout, int*, MPI_Datatype*) {
            *static_cast<int*>(inout) += *static_cast<int*>(its);
        },
    };
    for (int time = 0; time < 6; ++time) {
        CHECK_EQ(ORTHO_Allreduce(&mine, &result, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(result, other[0] + other[1]);
        CHECK_EQ(ORTHO_Allreduce(&mine, &result, 1, MPI_INT, MPI_MAX, comm), MPI_SUCCESS);
        CHECK_EQ(result, std::max(other[0], other[1]));
        test::Op op;
        const int commutes = time % 2;
        MPI_Op_create(functions[commutes], commutes, &op);
        CHECK_EQ(ORTHO_Allreduce(&mine, &result, 1, MPI_INT, op, comm), MPI_SUCCESS);
        // In the order of the sources without commuting.
        CHECK_EQ(result, commutes != 0 ? other[0] + other[1] : 10 * other[1] + other[0]);
    }
}

/// Only the root changes, and with it on which processes the other arguments count.
void roots_change(Form form)
{
    test::Comm comm = make_ring();
    const int p = test::size(), behind = test::left(), ahead = test::right();
    const auto is_next_to = [&](int root) { return root == behind || root == ahead; };
    for (int time = 0; time < 3 * p; ++time) {
        const int root = time % p;
        const bool is_root = test::rank() == root;
        MPI_Datatype const at_root = is_root ? MPI_INT : MPI_DATATYPE_NULL;
        MPI_Datatype const next_to_it = is_next_to(root) ? MPI_INT : MPI_DATATYPE_NULL;
        const int mine = 100 * time + test::rank();
        int all[2] = {-1, -1}, sent = mine;
        CHECK_OK(
            in(form, SMALL_FORMS(Gather, Igather), &mine, 1, next_to_it, &all[0], 1, at_root, root, comm));
        CHECK_OK(in(form, SMALL_FORMS(Bcast, Ibcast), &sent, 1, MPI_INT, root, comm));
        CHECK_EQ(all[0], is_root ? 100 * time + behind : -1);
        CHECK_EQ(all[1], is_root ? 100 * time + ahead : -1);
        CHECK_EQ(sent, is_next_to(root) && !is_root ? 100 * time + root : mine);
    }
}

/// Nothing is read of the blocks that no neighbor has, and the same call comes again whatever is there.
/// `moves`: other buffers each time, so that a call becomes another one.
void gaps_between(Form form, bool moves)
{
    constexpr int times = 80;
    test::Comm row = test::ring(false);
    const int p = test::size();
    const int sources[] = {test::rank() - 1, test::rank(), test::rank() + 1 < p ? test::rank() + 1 : -1};
    const bool sends_to[] = {test::rank() + 1 < p, true, test::rank() > 0};
    static int all_sent[times][3];
    static int all_received[times][3];
    for (int time = 0; time < times; ++time) {
        int* const sent = all_sent[moves ? time : 0];
        int* const received = all_received[moves ? time : 0];
        int counts[2][3];
        int places[2][3];
        MPI_Aint bytes[2][3];
        MPI_Datatype types[2][3];
        for (int i = 0; i < 3; ++i) {
            sent[i] = 100 * time + 10 * test::rank() + i;
            received[i] = -1;
            const bool has[] = {sends_to[i], sources[i] >= 0};
            for (int side = 0; side < 2; ++side) {
                counts[side][i] = has[side] ? 1 : -1 - time;
                places[side][i] = has[side] ? i : -7;
                bytes[side][i] = has[side] ? i * MPI_Aint{sizeof(int)} : -7;
                types[side][i] = has[side] ? MPI_INT : MPI_DATATYPE_NULL;
            }
        }
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        if (form == Form::blocking && time % 2 == 0) {
            CHECK_OK(ORTHO_Alltoallv(sent, counts[0], places[0], MPI_INT, received, counts[1], places[1],
                                     MPI_INT, row));
        } else if (form == Form::blocking) {
            CHECK_OK(ORTHO_Alltoallw(sent, counts[0], bytes[0], types[0], received, counts[1], bytes[1],
                                     types[1], row));
        } else {
            CHECK_OK(time % 2 == 0 ? ORTHO_Ialltoallv(sent, counts[0], places[0], MPI_INT, received,
                                                      counts[1], places[1], MPI_INT, row, &request)
                                   : ORTHO_Ialltoallw(sent, counts[0], bytes[0], types[0], received,
                                                      counts[1], bytes[1], types[1], row, &request));
            // For a gap the explanation would tell a negative number.
            CHECK(test::explanation(request).find(" to 1 MPI_INT") == std::string::npos);
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        }
        for (int i = 0; i < 3; ++i)
            CHECK_EQ(received[i], sources[i] < 0 ? -1 : 100 * time + 10 * sources[i] + i);
    }
}

/// Element i of block `slot` that process `from` sends at that time.
int code(int from, int slot, int time, int i)
{
    return ((from * 31 + slot) * 61 + time % 61) * 4096 + i % 4096;
}

/// Mostly small blocks, and now and then one that goes another way.
int any_size(Random& random, int most_ints)
{
    switch (uniform(random, 0, 9)) {
    case 0: return 0;
    case 1: return uniform(random, 300, 900);
    case 2: return uniform(random, 3000, 6000);
    case 3: return uniform(random, 0, 4) == 0 ? uniform(random, most_ints / 2, most_ints) : 1;
    default: return uniform(random, 1, 9);
    }
}

/// Each block has a size of its own, or some times the one that is asserted.
test::Sizes any_sizes(Random& random, const test::Made& made, int most_ints)
{
    if (made.sizes)
        return [factor = any_size(random, 6000), &made](int from, int edge) {
            return factor * made.sizes(from, edge);
        };
    std::vector<Ints> all;
    for (const auto& process : made.graph.processes) {
        Ints& sizes = all.emplace_back(process.targets.size());
        for (int& size : sizes) size = any_size(random, most_ints);
    }
    return [all](int from, int edge) { // a gap among the sources has no edge
        return edge < std::ssize(all[at(from)]) ? all[at(from)][at(edge)] : 0;
    };
}

/// Any graph, a stencil, or one on a torus, where blocks go by way of others.
test::Made make_graph(Random& random, int which)
{
    for (;;) {
        test::Comm base = test::duplicate();
        test::Wishes wishes;
        if (which == 2) wishes.algorithms = "alltoall_combining,allgather_combining";
        test::Made made = which == 0 ? test::random_multigraph(random, base)
                                     : test::random_stencil_graph(random, base, wishes);
        if (which != 2 || made.combines) return made;
        MPI_Comm_free(&made.comm);
    }
}

/// All functions in turn, in both forms: each has to find its own earlier ones.  The datatypes are of one
/// kind, and the buffers lie anywhere.
void mixed(const test::Made& made, int layout, int seed)
{
    Random random(static_cast<unsigned>(seed));
    Random local(static_cast<unsigned>(1000 * seed + test::rank()));
    const test::Dice dice{random, local};
    Form form = Form::blocking;
    test::Session session([&] { return form; });
    const int last = test::times(60); // blocking calls are made twice
    for (int time = 0; time < last; ++time) {
        form = uniform(random, 0, 1) != 0 ? Form::blocking : Form::nonblocking;
        // Where the plan depends on sizes, an operation takes other buffers alone.
        const int most_ints = layout == 0 ? 60000 : 6000;
        const int size = made.combines ? uniform(random, 3, 4) : any_size(random, most_ints);
        const test::Case c{made.graph, made.comm, test::rank(made.comm), size, layout, time};
        // For long one and the same, then any.
        switch (time < last / 2 ? seed % 4 : uniform(random, 0, 3)) {
        case 0: test::alltoallv(session, c, dice, any_sizes(random, made, most_ints)); break;
        case 1: test::alltoall(session, c, dice); break;
        case 2: test::allgather(session, c, dice); break;
        default: test::allgatherv(session, c, dice, true); break;
        }
        session.complete();
    }
}

void random_graphs()
{
    const test::Type kept = test::committed(MPI_Type_create_resized, MPI_INT, 0, 2 * MPI_Aint{sizeof(int)});
    test::Layout::kept = kept;
    Random random(5);
    // Where all are played, each combination once: they are played again and again.
    for (int seed = 0; seed < (test::is_played() ? 12 : test::times(24)); ++seed) {
        test::Made made = make_graph(random, seed % 3);
        mixed(made, std::array{0, 9, 2, 3}.at(at(seed / 3 % 4)), seed);
        MPI_Comm_free(&made.comm);
    }
}

/// Blocks that go by way of others, and wait there in space of their size.  `uniform`: whose sizes are the
/// same everywhere because the program says so.
void forwarded(const std::vector<int>& stencil, bool uniform)
{
    int dims[2] = {0, 0};
    MPI_Dims_create(test::size(), 2, dims);
    const ortho::grid::Grid torus({dims[0], dims[1]}, {1, 1});
    const int t = static_cast<int>(stencil.size()) / 2;
    test::Comm comm = test::neighborhood(dims, {1, 1}, stencil, MPI_COMM_WORLD,
                                         test::Info{{"ortho_algorithm", "alltoall_combining"},
                                                    {"ortho_assert_uniform", uniform ? "true" : "false"}});
    for (int time = 0; time < 100; ++time) {
        const int n = 1 + time / 3 % 5, place = time % 7;
        std::vector<int> out(at(place + t * n));
        for (int b = 0; b < t; ++b)
            for (int i = 0; i < n; ++i) out[at(place + b * n + i)] = code(test::rank(), b, time, i);
        std::vector<int> received(at(place + t * n), -1);
        CHECK_OK(ORTHO_Alltoall(&out[at(place)], n, MPI_INT, &received[at(place)], n, MPI_INT, comm));
        for (int b = 0; b < t; ++b) {
            const int source = torus.neighbor_against(test::rank(), std::span(stencil).subspan(2 * at(b), 2));
            for (int i = 0; i < n; ++i) CHECK_EQ(received[at(place + b * n + i)], code(source, b, time, i));
        }
    }
}

/// Nothing is asked of the datatype of no elements: it may be gone.
void no_elements()
{
    test::Comm comm = make_ring(false);
    MPI_Datatype gone = test::committed(MPI_Type_contiguous, 3, MPI_INT);
    MPI_Datatype const handle = gone;
    MPI_Type_free(&gone);
    std::vector<char> out(100), received(100);
    for (int time = 0; time < 40; ++time)
        CHECK_OK(ORTHO_Alltoall(&out[at(time)], 0, handle, &received[at(time)], 0, MPI_BYTE, comm));
}

/// Requests are explained as the calls that they are of.
void explained()
{
    test::Comm comm = make_ring(false);
    std::vector<double> out(100), received(100);
    for (int n = 2; n < 60; ++n) {
        const int place = n % 3;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoallv(out.data(), &n, &place, MPI_DOUBLE, received.data(), &n, &place, MPI_DOUBLE,
                                  comm, &request));
        const std::string text = test::explanation(request);
        const std::string number = std::to_string(n), bytes = std::to_string(8 * n);
        CHECK(text.find("sends and receives 1 block of " + number + " MPI_DOUBLE (" + bytes + " bytes)") !=
              std::string::npos);
        if (test::size() > 1) CHECK(text.find(", " + bytes + " bytes in all") != std::string::npos);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    }
}

/// Blocks in rows of 50, of which each call moves one: every other row by its address.
class Rows {
public:
    explicit Rows(MPI_Comm comm) : comm_(comm) {}

    void start(int row, int count, int time)
    {
        const int place = row * width, from = row % 2 == 0 ? place : 0;
        for (int i = 0; i < count; ++i) out_[at(place + i)] = code(test::rank(), row, time, i);
        for (int i = 0; i < width; ++i) received_[at(place + i)] = -1;
        CHECK_OK(ORTHO_Ialltoallv(&out_[at(place - from)], &count, &from, MPI_INT,
                                  &received_[at(place - from)], &count, &from, MPI_INT, comm_,
                                  &requests_[at(row)]));
    }
    void wait(int row) { CHECK_OK(ORTHO_Wait(&requests_[at(row)], MPI_STATUS_IGNORE)); }
    void check(int row, int count, int time)
    {
        for (int i = 0; i < width; ++i)
            CHECK_EQ(received_[at(row * width + i)], i < count ? code(test::left(), row, time, i) : -1);
    }

    static constexpr int rows = 50, width = 50;

private:
    MPI_Comm comm_;
    std::vector<int> out_ = std::vector<int>(rows * width);
    std::vector<int> received_ = std::vector<int>(rows * width, -1);
    std::vector<ORTHO_Request> requests_ = std::vector<ORTHO_Request>(rows, ORTHO_REQUEST_NULL);
};

/// Many at once, which must not get one another's operations, alike but for where they lie or of other sizes;
/// ended in another order, and blocking calls between.
void many_under_way()
{
    test::Comm comm = make_ring(false);
    Rows rows(comm);
    Buffers between;
    between.blocks = 1;
    for (int time = 0; time < 8; ++time) {
        const auto count = [&](int row) { return time % 2 == 0 ? 1 : (row + time) % Rows::width; };
        for (int row = 0; row < Rows::rows; ++row) {
            rows.start(row, count(row), time);
            if (row % 8 == 0) between.exchange(Form::blocking, row, comm);
        }
        for (int row = Rows::rows; row-- > 0;) rows.wait(row);
        for (int row = 0; row < Rows::rows; ++row) rows.check(row, count(row), time);
    }
}

/// Calls whose operations do the work of others by now come again while those are under way.
void first_ones_again()
{
    test::Comm comm = make_ring(false);
    Rows rows(comm);
    constexpr int one_by_one = 32;
    for (int row = 0; row < one_by_one; ++row) {
        rows.start(row, 1 + row, 0);
        rows.wait(row);
        rows.check(row, 1 + row, 0);
    }
    std::vector<int> again;
    for (int row = one_by_one; row < Rows::rows; ++row) again.push_back(row);
    for (int row = 0; row < one_by_one; ++row) again.push_back(row);
    for (const int row : again) rows.start(row, row % one_by_one + 1, 1);
    for (const int row : again) rows.wait(row);
    for (const int row : again) rows.check(row, row % one_by_one + 1, 1);
}

/// One process sends the same data twice at once, which is one call to it, and then other data.
void sent_twice()
{
    if (test::size() == 1) return;
    const bool sends = test::rank() % 2 == 0 && test::rank() + 1 < test::size();
    const bool receives = test::rank() % 2 == 1;
    test::Comm comm = test::adjacent(Ints(receives ? 1 : 0, test::rank() - 1),
                                     Ints(sends ? 1 : 0, test::rank() + 1));
    std::vector<int> out(100);
    for (int i = 0; i < 100; ++i) out[at(i)] = code(test::rank(), 0, 0, i);
    std::vector<int> received(200);
    const int one = 1;
    const auto start = [&](int from, int to, ORTHO_Request& request) {
        CHECK_OK(ORTHO_Ialltoallv(out.data(), &one, &from, MPI_INT, received.data(), &one, &to, MPI_INT, comm,
                                  &request));
    };
    const auto check = [&](int from, int to) {
        if (receives) CHECK_EQ(received[at(to)], code(test::rank() - 1, 0, 0, from));
        received[at(to)] = -1;
    };
    for (int time = 0; time < 30; ++time) {
        ORTHO_Request requests[2];
        for (const int k : {0, 1}) start(5, 100 * k, requests[k]);
        CHECK_OK(ORTHO_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (const int k : {0, 1}) check(5, 100 * k);
        // So many that one of the two does another one's work.
        const int last = 6 + 14 + time % 3;
        for (int from = 6; from <= last + 1; ++from) {
            start(std::min(from, last), from, requests[0]); // the last one again, which is found
            CHECK_OK(ORTHO_Wait(&requests[0], MPI_STATUS_IGNORE));
            check(std::min(from, last), from);
        }
    }
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    for (const Form form : {Form::blocking, Form::nonblocking}) {
        for (const auto kind :
             {counts_change, types_change, communicators_change, mistakes_between, roots_change})
            kind(form);
        for (const bool moves : {false, true}) gaps_between(form, moves);
    }
    for (const auto kind : {operators_change, many_under_way, kinds_of_fortran, no_elements, explained,
                            first_ones_again, sent_twice, random_graphs})
        kind();
    forwarded({-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1}, false);
    forwarded({1, 1}, true);
    forwarded({1, 1, 1, -1, -1, 1, -1, -1}, true);
}
