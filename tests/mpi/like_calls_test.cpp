// SPDX-License-Identifier: BSD-3-Clause
// Programs that give other buffers and sizes in each call: an earlier call's operation does it then.
#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "grid/grid.hpp"
#include "random_cases.hpp"
#include "random_graphs.hpp"

namespace {

using cases::Random;
using cases::uniform;
using ortho::at;

enum class Form { blocking, nonblocking };

/// Elements that calls move: `make(i)` is no other number's.
template <class Element>
struct Kind {
    MPI_Datatype type;
    Element (*make)(int i);
};

/// Element i of block `slot` that process `from` sends at that time.
int code(int from, int slot, int time, int i)
{
    return ((from * 31 + slot) * 61 + time % 61) * 4096 + i % 4096;
}

/// The blocks of one side, anywhere in a buffer, in any order, with room between.
template <class Element>
struct Side {
    Side(Random& random, const std::vector<int>& sizes, const Element& filling) : counts(sizes)
    {
        std::size_t end = at(uniform(random, 0, 5));
        places.resize(sizes.size());
        const bool backwards = uniform(random, 0, 1) != 0;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            const std::size_t i = backwards ? sizes.size() - 1 - k : k;
            places[i] = static_cast<int>(end);
            end += at(sizes[i]) + at(uniform(random, 0, 2));
        }
        begin = at(uniform(random, 1, 3));
        buffer.assign(begin + end + 1, filling);
    }
    /// Never one that an MPI might take for no buffer.
    Element* data() { return buffer.data() + begin; }
    Element& operator()(std::size_t block, int i) { return data()[places[block] + i]; }

    std::vector<int> counts;
    std::vector<int> places; ///< in elements, from data()
    std::vector<Element> buffer;
    std::size_t begin = 0;
};

/// Mostly small blocks, and now and then one that goes another way.
int any_size(Random& random)
{
    switch (uniform(random, 0, 9)) {
    case 0: return 0;
    case 1: return uniform(random, 300, 900);
    case 2: return uniform(random, 3000, 6000);
    case 3: return uniform(random, 0, 4) == 0 ? uniform(random, 30000, 60000) : 1;
    default: return uniform(random, 1, 9);
    }
}

/// Starts it and waits for it, or makes it.
template <class Start, class Call>
void in(Form form, Start start, Call call)
{
    if (form == Form::blocking) {
        CHECK_OK(call());
        return;
    }
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(start(&request));
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
}

/// Calls on one graph.  `random` is the same on all processes but for where blocks lie.
template <class Element>
class Calls {
public:
    Calls(const test::Made& made, const Kind<Element>& kind, int seed)
        : made_(made),
          kind_(kind),
          me_(test::rank(made.comm)),
          mine_(made.graph.processes[at(me_)]),
          here_(static_cast<unsigned>(1000 * seed + me_))
    {
        for (const auto& pair : made.graph.pairs)
            if (pair.to == me_) origin_[pair.in_edge] = {pair.from, pair.out_edge};
    }

    /// Each block has a size of its own.
    void alltoallv(Random& random, Form form, int time)
    {
        const auto sizes = sizes_of_all(random);
        Side<Element> out(here_, sizes[at(me_)], kind_.make(-1));
        for (std::size_t b = 0; b < out.counts.size(); ++b)
            for (int i = 0; i < out.counts[b]; ++i)
                out(b, i) = kind_.make(code(me_, static_cast<int>(b), time, i));
        Side<Element> in_side(here_, received(sizes), kind_.make(-2));
        in(
            form,
            [&](ORTHO_Request* request) {
                return ORTHO_Ialltoallv(out.data(), out.counts.data(), out.places.data(), kind_.type,
                                        in_side.data(), in_side.counts.data(), in_side.places.data(),
                                        kind_.type, made_.comm, request);
            },
            [&] {
                return ORTHO_Alltoallv(out.data(), out.counts.data(), out.places.data(), kind_.type,
                                       in_side.data(), in_side.counts.data(), in_side.places.data(),
                                       kind_.type, made_.comm);
            });
        check(in_side, [&](std::size_t b, int i) {
            const auto [source, block] = origin_.at(static_cast<int>(b));
            return code(source, block, time, i);
        });
    }

    /// All blocks have one size, `n`.
    void alltoall(Form form, int n, int time)
    {
        Side<Element> out = one_behind_the_other(mine_.targets.size(), n, -1);
        for (std::size_t b = 0; b < out.counts.size(); ++b)
            for (int i = 0; i < n; ++i) out(b, i) = kind_.make(code(me_, static_cast<int>(b), time, i));
        Side<Element> in_side = one_behind_the_other(mine_.sources.size(), n, -2);
        in(
            form,
            [&](ORTHO_Request* request) {
                return ORTHO_Ialltoall(out.data(), n, kind_.type, in_side.data(), n, kind_.type, made_.comm,
                                       request);
            },
            [&] {
                return ORTHO_Alltoall(out.data(), n, kind_.type, in_side.data(), n, kind_.type, made_.comm);
            });
        check(in_side, [&](std::size_t b, int i) {
            const auto [source, block] = origin_.at(static_cast<int>(b));
            return code(source, block, time, i);
        });
    }

    void allgather(Form form, int n, int time)
    {
        Side<Element> out = own_block(n, time);
        Side<Element> in_side = one_behind_the_other(mine_.sources.size(), n, -2);
        in(
            form,
            [&](ORTHO_Request* request) {
                return ORTHO_Iallgather(out.data(), n, kind_.type, in_side.data(), n, kind_.type, made_.comm,
                                        request);
            },
            [&] {
                return ORTHO_Allgather(out.data(), n, kind_.type, in_side.data(), n, kind_.type, made_.comm);
            });
        check(in_side, [&](std::size_t b, int i) { return code(mine_.sources[b], 0, time, i); });
    }

    /// Received anywhere.
    void allgatherv(Form form, int n, int time)
    {
        Side<Element> out = own_block(n, time);
        Side<Element> in_side(here_, std::vector<int>(mine_.sources.size(), n), kind_.make(-2));
        in(
            form,
            [&](ORTHO_Request* request) {
                return ORTHO_Iallgatherv(out.data(), n, kind_.type, in_side.data(), in_side.counts.data(),
                                         in_side.places.data(), kind_.type, made_.comm, request);
            },
            [&] {
                return ORTHO_Allgatherv(out.data(), n, kind_.type, in_side.data(), in_side.counts.data(),
                                        in_side.places.data(), kind_.type, made_.comm);
            });
        check(in_side, [&](std::size_t b, int i) { return code(mine_.sources[b], 0, time, i); });
    }

private:
    struct Origin {
        int source;
        int block;
    };

    std::vector<std::vector<int>> sizes_of_all(Random& random) const
    {
        std::vector<std::vector<int>> result;
        const int factor = any_size(random);
        for (const auto& process : made_.graph.processes) {
            std::vector<int>& sizes = result.emplace_back();
            for (std::size_t b = 0; b < process.targets.size(); ++b)
                sizes.push_back(made_.sizes ? factor * made_.sizes(process.rank, static_cast<int>(b))
                                            : any_size(random));
        }
        return result;
    }
    std::vector<int> received(const std::vector<std::vector<int>>& sizes) const
    {
        std::vector<int> result;
        for (std::size_t b = 0; b < mine_.sources.size(); ++b) {
            const auto found = origin_.find(static_cast<int>(b));
            result.push_back(
                found == origin_.end() ? 0 : sizes[at(found->second.source)][at(found->second.block)]);
        }
        return result;
    }
    Side<Element> one_behind_the_other(std::size_t blocks, int n, int filling)
    {
        Side<Element> side(here_, {n * static_cast<int>(blocks)}, kind_.make(filling));
        side.places[0] = 0;
        side.counts.assign(blocks, n);
        for (std::size_t b = 1; b < blocks; ++b) side.places.push_back(n * static_cast<int>(b));
        return side;
    }
    Side<Element> own_block(int n, int time)
    {
        Side<Element> out = one_behind_the_other(1, n, -1);
        for (int i = 0; i < n; ++i) out(0, i) = kind_.make(code(me_, 0, time, i));
        return out;
    }
    /// Checks that the right data has come, and that nothing was written between.
    template <class Expected>
    void check(Side<Element>& side, Expected expected)
    {
        std::vector<Element> wanted(side.buffer.size(), kind_.make(-2));
        for (std::size_t b = 0; b < mine_.sources.size(); ++b)
            for (int i = 0; mine_.sources[b] != ortho::grid::gap && i < side.counts[b]; ++i)
                wanted[side.begin + at(side.places[b] + i)] = kind_.make(expected(b, i));
        CHECK(side.buffer == wanted);
    }

    const test::Made& made_;
    Kind<Element> kind_;
    int me_;
    const ortho::grid::LocalGraph& mine_;
    Random here_;                  // of this process
    std::map<int, Origin> origin_; // of what comes into a block
};

/// All functions in turn, in both forms: each has to find its own earlier ones.
template <class Element>
void mixed(const test::Made& made, const Kind<Element>& kind, int seed)
{
    Random random(static_cast<unsigned>(seed));
    Calls<Element> calls(made, kind, seed);
    const int last = test::times(120);
    for (int time = 0; time < last; ++time) {
        const Form form = uniform(random, 0, 1) != 0 ? Form::blocking : Form::nonblocking;
        // Where the plan depends on sizes, an operation takes other buffers alone.
        const auto size = [&] { return made.combines ? uniform(random, 3, 4) : any_size(random); };
        // For long one and the same, then any.
        switch (time < last / 2 ? seed % 4 : uniform(random, 0, 3)) {
        case 0: calls.alltoallv(random, form, time); break;
        case 1: calls.alltoall(form, size(), time); break;
        case 2: calls.allgather(form, size(), time); break;
        default: calls.allgatherv(form, size(), time); break;
        }
    }
}

int as_int(int i) { return i; }
double as_double(int i) { return i + 0.25; }
/// The elements of this type do not lie in a row.
struct Pair {
    double value;
    int index;
    int unused = 7;
    bool operator==(const Pair&) const = default;
};
Pair as_pair(int i) { return {i + 0.5, i}; }

/// Any graph, a stencil, or one on a torus, where blocks go by way of others.
test::Made make_graph(Random& random, int which)
{
    for (;;) {
        MPI_Comm base = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &base);
        test::Wishes wishes;
        if (which == 2) wishes.algorithms = "alltoall_combining,allgather_combining";
        test::Made made = which == 0 ? test::random_multigraph(random, base)
                                     : test::random_stencil_graph(random, base, wishes);
        MPI_Comm_free(&base);
        if (which != 2 || made.combines) return made;
        MPI_Comm_free(&made.comm);
    }
}

void random_graphs()
{
    MPI_Datatype own_type = MPI_DATATYPE_NULL; // of a program's own
    MPI_Type_contiguous(1, MPI_INT, &own_type);
    MPI_Type_commit(&own_type);
    Random random(5);
    for (int seed = 0; seed < test::times(24); ++seed) {
        test::Made made = make_graph(random, seed % 3);
        switch (seed / 3 % 4) {
        case 0: mixed<int>(made, {MPI_INT, as_int}, seed); break;
        case 1: mixed<double>(made, {MPI_DOUBLE, as_double}, seed); break;
        case 2: mixed<int>(made, {own_type, as_int}, seed); break;
        default: mixed<Pair>(made, {MPI_DOUBLE_INT, as_pair}, seed); break;
        }
        MPI_Comm_free(&made.comm);
    }
    MPI_Type_free(&own_type);
}

/// Blocks that go by way of others, and wait there in space of their size.  `uniform`: whose sizes are the
/// same everywhere because the program says so.
void forwarded(const std::vector<int>& stencil, bool uniform)
{
    int dims[2] = {0, 0};
    MPI_Dims_create(test::size(), 2, dims);
    const ortho::grid::Grid torus({dims[0], dims[1]}, {1, 1});
    const int periods[2] = {1, 1};
    const int t = static_cast<int>(stencil.size()) / 2;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_algorithm", "alltoall_combining");
    MPI_Info_set(info, "ortho_assert_uniform", uniform ? "true" : "false");
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 2, dims, periods, t, stencil.data(),
                                            MPI_UNWEIGHTED, info, 0, &comm));
    MPI_Info_free(&info);
    for (int time = 0; time < 100; ++time) {
        const int n = 1 + time / 3 % 5;
        const int place = time % 7;
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
    MPI_Comm_free(&comm);
}

/// A ring in one direction.
MPI_Comm make_ring()
{
    const int p = test::size();
    const int source = (test::rank() + p - 1) % p;
    const int target = (test::rank() + 1) % p;
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, MPI_UNWEIGHTED, 1, &target,
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/// A block that does not fit is found, and the next blocks are right.
void truncated(Form form)
{
    MPI_Comm comm = make_ring();
    const int before = (test::rank() + test::size() - 1) % test::size();
    std::vector<int> out(200);
    for (int time = 0; time < 80; ++time) {
        std::vector<int> received(200, -1);
        const int sent = 1 + time % 7;
        const bool is_wrong = time % 9 == 8;
        const int room = is_wrong ? sent - 1 : sent;
        const int place = time;
        for (int i = 0; i < sent; ++i) out[at(place + i)] = code(test::rank(), 0, time, i);
        int result = MPI_SUCCESS;
        if (form == Form::blocking) {
            result = ORTHO_Alltoallv(out.data(), &sent, &place, MPI_INT, received.data(), &room, &place,
                                     MPI_INT, comm);
        } else {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            CHECK_OK(ORTHO_Ialltoallv(out.data(), &sent, &place, MPI_INT, received.data(), &room, &place,
                                      MPI_INT, comm, &request));
            result = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        }
        CHECK((result != MPI_SUCCESS) == is_wrong);
        for (int i = 0; i < 200; ++i) {
            const bool has_come = i >= place && i < place + room;
            if (!is_wrong || !has_come)
                CHECK_EQ(received[at(i)], has_come ? code(before, 0, time, i - place) : -1);
        }
    }
    MPI_Comm_free(&comm);
}

/// Arguments that are wrong are found as in a first call.
void mistakes()
{
    MPI_Comm comm = make_ring();
    std::vector<int> out(100);
    std::vector<int> received(100);
    const auto call = [&](const int* from, int n, int place) {
        return ORTHO_Alltoallv(from, &n, &place, MPI_INT, received.data(), &n, &place, MPI_INT, comm);
    };
    for (int time = 0; time < 40; ++time) {
        CHECK_OK(call(out.data(), 1, time));
        CHECK(call(out.data(), -1, time) != MPI_SUCCESS);
        CHECK(call(nullptr, 1, 0) != MPI_SUCCESS);
        CHECK(ORTHO_Alltoallv(out.data(), nullptr, &time, MPI_INT, received.data(), &time, &time, MPI_INT,
                              comm) != MPI_SUCCESS);
        CHECK(ORTHO_Alltoall(out.data(), 1, MPI_INT, out.data(), 1, MPI_INT, comm) != MPI_SUCCESS);
    }
    MPI_Comm_free(&comm);
}

/// Nothing is asked of the datatype of no elements: it may be gone.
void no_elements()
{
    MPI_Comm comm = make_ring();
    MPI_Datatype gone = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &gone);
    MPI_Type_commit(&gone);
    MPI_Datatype const handle = gone;
    MPI_Type_free(&gone);
    std::vector<char> out(100);
    std::vector<char> received(100);
    for (int time = 0; time < 40; ++time)
        CHECK_OK(ORTHO_Alltoall(&out[at(time)], 0, handle, &received[at(time)], 0, MPI_BYTE, comm));
    MPI_Comm_free(&comm);
}

/// Requests are explained as the calls that they are of.
void explained()
{
    MPI_Comm comm = make_ring();
    std::vector<double> out(100);
    std::vector<double> received(100);
    for (int n = 2; n < 60; ++n) {
        const int place = n % 3;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoallv(out.data(), &n, &place, MPI_DOUBLE, received.data(), &n, &place, MPI_DOUBLE,
                                  comm, &request));
        const std::string text = test::explanation(request);
        const std::string number = std::to_string(n);
        const std::string bytes = std::to_string(8 * n);
        CHECK(text.find("sends and receives 1 block of " + number + " MPI_DOUBLE (" + bytes + " bytes)") !=
              std::string::npos);
        if (test::size() > 1) CHECK(text.find(", " + bytes + " bytes in all") != std::string::npos);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    }
    MPI_Comm_free(&comm);
}

/// Blocks in rows of 50, of which each call moves one.
class Rows {
public:
    explicit Rows(MPI_Comm comm) : comm_(comm) {}

    void start(int row, int count, int time)
    {
        const int place = row * width;
        for (int i = 0; i < count; ++i) out_[at(place + i)] = code(test::rank(), row, time, i);
        for (int i = 0; i < width; ++i) received_[at(place + i)] = -1;
        CHECK_OK(ORTHO_Ialltoallv(out_.data(), &count, &place, MPI_INT, received_.data(), &count, &place,
                                  MPI_INT, comm_, &requests_[at(row)]));
    }
    void wait(int row) { CHECK_OK(ORTHO_Wait(&requests_[at(row)], MPI_STATUS_IGNORE)); }
    void check(int row, int count, int time)
    {
        const int before = (test::rank() + test::size() - 1) % test::size();
        for (int i = 0; i < width; ++i)
            CHECK_EQ(received_[at(row * width + i)], i < count ? code(before, row, time, i) : -1);
    }

    static constexpr int rows = 50;
    static constexpr int width = 50;

private:
    MPI_Comm comm_;
    std::vector<int> out_ = std::vector<int>(rows * width);
    std::vector<int> received_ = std::vector<int>(rows * width, -1);
    std::vector<ORTHO_Request> requests_ = std::vector<ORTHO_Request>(rows, ORTHO_REQUEST_NULL);
};

/// Many at once, which must not get one another's operations.
void many_under_way()
{
    MPI_Comm comm = make_ring();
    Rows rows(comm);
    for (int time = 0; time < 5; ++time) {
        const auto count = [&](int row) { return (row + time) % Rows::width; };
        for (int row = 0; row < Rows::rows; ++row) rows.start(row, count(row), time);
        for (int row = Rows::rows; row-- > 0;) rows.wait(row);
        for (int row = 0; row < Rows::rows; ++row) rows.check(row, count(row), time);
    }
    MPI_Comm_free(&comm);
}

/// Calls whose operations do the work of others by now come again while those are under way.
void first_ones_again()
{
    MPI_Comm comm = make_ring();
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
    MPI_Comm_free(&comm);
}

/// One process sends the same data twice at once, which is one call to it, and then other data.
void sent_twice()
{
    if (test::size() == 1) return;
    const bool sends = test::rank() % 2 == 0 && test::rank() + 1 < test::size();
    const bool receives = test::rank() % 2 == 1;
    const int source = test::rank() - 1;
    const int target = test::rank() + 1;
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, receives ? 1 : 0, &source, MPI_UNWEIGHTED,
                                              sends ? 1 : 0, &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                              &comm));
    std::vector<int> out(100);
    for (int i = 0; i < 100; ++i) out[at(i)] = code(test::rank(), 0, 0, i);
    std::vector<int> received(200);
    const int one = 1;
    const auto start = [&](int from, int to, ORTHO_Request& request) {
        CHECK_OK(ORTHO_Ialltoallv(out.data(), &one, &from, MPI_INT, received.data(), &one, &to, MPI_INT, comm,
                                  &request));
    };
    const auto check = [&](int from, int to) {
        if (receives) CHECK_EQ(received[at(to)], code(source, 0, 0, from));
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
    MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    test::return_errors(MPI_COMM_NULL);
    random_graphs();
    forwarded({-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1}, false);
    forwarded({1, 1}, true);
    forwarded({1, 1, 1, -1, -1, 1, -1, -1}, true);
    for (const Form form : {Form::blocking, Form::nonblocking}) truncated(form);
    mistakes();
    no_elements();
    explained();
    many_under_way();
    first_ones_again();
    sent_twice();
    return test::finish();
}
