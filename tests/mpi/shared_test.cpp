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
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "error_checks.hpp"
#include "mpiortho.h"
#include "odd_datatypes.hpp"
#include "rings.hpp"

using test::Buffer;
using test::error_class;
using test::Layout;

namespace {

using Ints = std::vector<int>;
using Random = std::mt19937;

using test::watched;

using ortho::at;

int uniform(Random& random, int low, int high)
{
    return std::uniform_int_distribution<int>(low, high)(random);
}

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
    Torus(MPI_Comm base, std::array<int, 2> grid, Ints offsets) : grid_(grid), offsets_(std::move(offsets))
    {
        const std::array<int, 2> periods{1, 1};
        CHECK_OK(ORTHO_Cart_neighborhood_create(base, 2, grid_.data(), periods.data(), slots(),
                                                offsets_.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
        test::return_errors(comm);
        me_ = test::rank(comm);
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

    int slots() const { return static_cast<int>(offsets_.size()) / 2; }
    int me() const { return me_; }
    int source(int slot) const { return step(slot, -1); }
    int target(int slot) const { return step(slot, 1); }
    std::array<int, 2> grid() const { return grid_; }

    MPI_Comm comm = MPI_COMM_NULL;

private:
    int step(int slot, int way) const
    {
        const auto on_ring = [&](int coordinate, int offset, int size) {
            return (coordinate + way * offset % size + size) % size;
        };
        return on_ring(me_ / grid_[1], offsets_[at(2 * slot)], grid_[0]) * grid_[1] +
               on_ring(me_ % grid_[1], offsets_[at(2 * slot + 1)], grid_[1]);
    }

    std::array<int, 2> grid_;
    Ints offsets_;
    int me_ = 0;
};

/// All processes but oneself, each once.
class Everybody {
public:
    explicit Everybody(MPI_Comm base)
    {
        for (int r = 0; r < test::size(base); ++r)
            if (r != test::rank(base)) others.push_back(r);
        const int n = static_cast<int>(others.size());
        CHECK_OK(ORTHO_Dist_graph_create_adjacent(base, n, others.data(), MPI_UNWEIGHTED, n, others.data(),
                                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
        test::return_errors(comm);
    }
    ~Everybody() { MPI_Comm_free(&comm); }
    Everybody(const Everybody&) = delete;
    Everybody& operator=(const Everybody&) = delete;

    MPI_Comm comm = MPI_COMM_NULL;
    Ints others;
};

constexpr int margin = 16; // ints around each buffer

Buffer empty(int ints) { return {margin, ints + margin}; }

/// Fails once, not for each element.
void same(const Buffer& got, const Buffer& wanted, const char* what, int line)
{
    if (got == wanted) return;
    test::fail(__FILE__, line, std::string(what) + " " + got.difference(wanted));
}
#define SAME(got, wanted, what) same((got), (wanted), (what), __LINE__)

enum class Form { blocking, nonblocking, persistent };

/// In the form; a persistent one is started twice.
template <class Blocking, class Nonblocking, class Persistent, class... Arguments>
void call(Form form, Blocking blocking, Nonblocking nonblocking, Persistent persistent,
          Arguments... arguments)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    switch (form) {
    case Form::blocking: CHECK_OK(blocking(arguments...)); break;
    case Form::nonblocking:
        CHECK_OK(nonblocking(arguments..., &request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        break;
    case Form::persistent:
        CHECK_OK(persistent(arguments..., MPI_INFO_NULL, &request));
        for (int start = 0; start < 2; ++start) {
            CHECK_OK(ORTHO_Start(&request));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK_OK(ORTHO_Request_free(&request));
        break;
    }
}

// --- The collectives, n ints a block
// -----------------------------------------------------------------------------

void fill(Buffer& send, const Torus& torus, int seed, int n)
{
    for (int i = 0; i < torus.slots(); ++i)
        for (int k = 0; k < n; ++k) send[i * n + k] = content(seed, torus.me(), i, k);
}

void alltoall(const Torus& torus, Form form, int seed, int n)
{
    Buffer send = empty(torus.slots() * n);
    Buffer receive = empty(torus.slots() * n);
    Buffer wanted = receive;
    fill(send, torus, seed, n);
    for (int i = 0; i < torus.slots(); ++i)
        for (int k = 0; k < n; ++k) wanted[i * n + k] = content(seed, torus.source(i), i, k);
    call(form, ORTHO_Alltoall, ORTHO_Ialltoall, ORTHO_Alltoall_init, send.address(), n, MPI_INT,
         receive.address(), n, MPI_INT, torus.comm);
    SAME(receive, wanted, "Alltoall");
}

/// Blocks of different sizes, some of them empty, with gaps between them.
void alltoallv(const Torus& torus, Form form, int seed, int n)
{
    Ints counts;
    Ints places;
    int ints = 0;
    for (int i = 0; i < torus.slots(); ++i) {
        counts.push_back((i + seed) % 3 == 0 ? 0 : n / ((i + seed) % 3) + i);
        places.push_back(ints + i);
        ints += counts.back() + i;
    }
    Buffer send = empty(ints);
    Buffer receive = empty(ints);
    Buffer wanted = receive;
    for (int i = 0; i < torus.slots(); ++i)
        for (int k = 0; k < counts[at(i)]; ++k) {
            send[places[at(i)] + k] = content(seed, torus.me(), i, k);
            wanted[places[at(i)] + k] = content(seed, torus.source(i), i, k);
        }
    call(form, ORTHO_Alltoallv, ORTHO_Ialltoallv, ORTHO_Alltoallv_init, send.address(), counts.data(),
         places.data(), MPI_INT, receive.address(), counts.data(), places.data(), MPI_INT, torus.comm);
    SAME(receive, wanted, "Alltoallv");
}

/// n ints as a column of a matrix, as a struct with gaps, or as any of the usual layouts; the sides differ.
class Shape {
public:
    static constexpr int kinds = Layout::kinds + 2;
    Shape(int kind, int n) : kind_(n == 0 ? 0 : kind), layout_(kind_ < Layout::kinds ? kind_ : 0, n), n_(n)
    {
        if (kind_ == Layout::kinds) { // column 1 of n rows of 3
            const int sizes[] = {n, 3};
            const int part[] = {n, 1};
            const int from[] = {0, 1};
            MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &type_);
            MPI_Type_commit(&type_);
        } else if (kind_ > Layout::kinds) { // an int; two ints of gap; the others
            const int lengths[] = {1, n - 1};
            const MPI_Aint places[] = {0, 12};
            const MPI_Datatype types[] = {MPI_INT, MPI_INT};
            MPI_Type_create_struct(n > 1 ? 2 : 1, lengths, places, types, &type_);
            MPI_Type_commit(&type_);
        }
    }
    Shape(Shape&& other) noexcept
        : kind_(other.kind_),
          layout_(std::move(other.layout_)),
          n_(other.n_),
          type_(other.type_)
    {
        other.type_ = MPI_DATATYPE_NULL;
    }
    Shape& operator=(Shape&&) = delete;
    ~Shape()
    {
        if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    }
    int count() const { return type_ != MPI_DATATYPE_NULL ? 1 : layout_.count(); }
    MPI_Datatype type() const { return type_ != MPI_DATATYPE_NULL ? type_ : layout_.type(); }
    int position(int k) const
    {
        if (kind_ == Layout::kinds) return 3 * k + 1;
        if (kind_ > Layout::kinds) return k == 0 ? 0 : k + 2;
        return layout_.position(k);
    }
    int reach() const { return 4 * n_ + 8; }

private:
    int kind_;
    Layout layout_;
    int n_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Other types here than there, of equal signatures.
void alltoallw(const Torus& torus, Form form, int seed, int n, Random& local)
{
    const int t = torus.slots();
    struct Side {
        Ints counts, places;
        std::vector<MPI_Aint> displacements;
        std::vector<MPI_Datatype> types;
        std::vector<Shape> shapes;
        int ints = 0;
    } out, in;
    for (Side* side : {&out, &in})
        for (int i = 0; i < t; ++i) {
            const int length = n == 0 ? 0 : std::max(0, n - 7 * i);
            side->shapes.emplace_back(uniform(local, 0, Shape::kinds - 1), length);
            const Shape& shape = side->shapes.back();
            side->counts.push_back(shape.count());
            side->types.push_back(shape.type());
            side->places.push_back(side->ints + shape.reach());
            side->displacements.push_back(4 * MPI_Aint{side->places.back()});
            side->ints += 2 * shape.reach();
        }
    Buffer send = empty(out.ints);
    Buffer receive = empty(in.ints);
    Buffer wanted = receive;
    for (int i = 0; i < t; ++i)
        for (int k = 0; k < (n == 0 ? 0 : std::max(0, n - 7 * i)); ++k) {
            send[out.places[at(i)] + out.shapes[at(i)].position(k)] = content(seed, torus.me(), i, k);
            wanted[in.places[at(i)] + in.shapes[at(i)].position(k)] = content(seed, torus.source(i), i, k);
        }
    call(form, ORTHO_Alltoallw, ORTHO_Ialltoallw, ORTHO_Alltoallw_init, send.address(), out.counts.data(),
         out.displacements.data(), out.types.data(), receive.address(), in.counts.data(),
         in.displacements.data(), in.types.data(), torus.comm);
    SAME(receive, wanted, "Alltoallw");
}

/// All addresses in the types.
void at_the_bottom(const Torus& torus, Form form, int seed, int n)
{
    const int t = torus.slots();
    Buffer send = empty(2 * t * n);
    Buffer receive = empty(3 * t * n);
    Buffer wanted = receive;
    std::vector<MPI_Datatype> out, in;
    for (int i = 0; i < t; ++i) {
        const auto absolute = [&](Buffer& buffer, int stride) {
            MPI_Datatype vector = MPI_DATATYPE_NULL;
            MPI_Datatype type = MPI_DATATYPE_NULL;
            MPI_Type_vector(n, 1, stride, MPI_INT, &vector);
            MPI_Aint place = 0;
            MPI_Get_address(buffer.address() + i * n * stride, &place);
            MPI_Type_create_hindexed_block(1, 1, &place, vector, &type);
            MPI_Type_commit(&type);
            MPI_Type_free(&vector);
            return type;
        };
        out.push_back(absolute(send, 2));
        in.push_back(absolute(receive, 3));
        for (int k = 0; k < n; ++k) {
            send[i * n * 2 + 2 * k] = content(seed, torus.me(), i, k);
            wanted[i * n * 3 + 3 * k] = content(seed, torus.source(i), i, k);
        }
    }
    const Ints ones(at(t), 1);
    const std::vector<MPI_Aint> zeros(at(t), 0);
    call(form, ORTHO_Alltoallw, ORTHO_Ialltoallw, ORTHO_Alltoallw_init, MPI_BOTTOM, ones.data(), zeros.data(),
         out.data(), MPI_BOTTOM, ones.data(), zeros.data(), in.data(), torus.comm);
    SAME(receive, wanted, "Alltoallw at MPI_BOTTOM");
    for (MPI_Datatype& type : out) MPI_Type_free(&type);
    for (MPI_Datatype& type : in) MPI_Type_free(&type);
}

void allgather(const Torus& torus, Form form, int seed, int n)
{
    Buffer send = empty(n);
    Buffer receive = empty(torus.slots() * n);
    Buffer wanted = receive;
    for (int k = 0; k < n; ++k) send[k] = content(seed, torus.me(), 0, k);
    for (int i = 0; i < torus.slots(); ++i)
        for (int k = 0; k < n; ++k) wanted[i * n + k] = content(seed, torus.source(i), 0, k);
    call(form, ORTHO_Allgather, ORTHO_Iallgather, ORTHO_Allgather_init, send.address(), n, MPI_INT,
         receive.address(), n, MPI_INT, torus.comm);
    SAME(receive, wanted, "Allgather");
}

/// Each process has its own size; the blocks are received in types, too.
void allgatherv(const Torus& torus, Form form, int seed, int n)
{
    const auto length = [&](int rank) { return rank % 2 == 0 ? n : n / 2; };
    Buffer send = empty(n);
    for (int k = 0; k < length(torus.me()); ++k) send[k] = content(seed, torus.me(), 0, k);
    Ints counts;
    Ints places;
    std::vector<MPI_Aint> displacements;
    std::vector<Shape> shapes;
    std::vector<MPI_Datatype> types;
    Ints counts_of_shapes;
    Buffer receive = empty(torus.slots() * (n + 1));
    Buffer typed = empty(torus.slots() * 2 * (4 * n + 8));
    Buffer wanted = receive;
    Buffer wanted_typed = typed;
    for (int i = 0; i < torus.slots(); ++i) {
        counts.push_back(length(torus.source(i)));
        places.push_back(i * (n + 1));
        shapes.emplace_back((seed + i) % Shape::kinds, counts.back());
        counts_of_shapes.push_back(shapes.back().count());
        types.push_back(shapes.back().type());
        const int place = (2 * i + 1) * (4 * n + 8);
        displacements.push_back(4 * MPI_Aint{place});
        for (int k = 0; k < counts.back(); ++k) {
            wanted[places.back() + k] = content(seed, torus.source(i), 0, k);
            wanted_typed[place + shapes.back().position(k)] = content(seed, torus.source(i), 0, k);
        }
    }
    const int mine = length(torus.me());
    call(form, ORTHO_Allgatherv, ORTHO_Iallgatherv, ORTHO_Allgatherv_init, send.address(), mine, MPI_INT,
         receive.address(), counts.data(), places.data(), MPI_INT, torus.comm);
    SAME(receive, wanted, "Allgatherv");
    call(form, ORTHO_Allgatherw, ORTHO_Iallgatherw, ORTHO_Allgatherw_init, send.address(), mine, MPI_INT,
         typed.address(), counts_of_shapes.data(), displacements.data(), types.data(), torus.comm);
    SAME(typed, wanted_typed, "Allgatherw");
}

void reductions(const Torus& torus, Form form, int seed, int n)
{
    Buffer send = empty(torus.slots() * n);
    Buffer receive = empty(n);
    fill(send, torus, seed, n);
    Buffer wanted = receive;
    for (int k = 0; k < n; ++k) {
        wanted[k] = 0;
        for (int i = 0; i < torus.slots(); ++i) wanted[k] += content(seed, torus.source(i), 0, k);
    }
    call(form, ORTHO_Allreduce, ORTHO_Iallreduce, ORTHO_Allreduce_init, send.address(), receive.address(), n,
         MPI_INT, MPI_SUM, torus.comm);
    SAME(receive, wanted, "Allreduce");
    for (int k = 0; k < n; ++k) {
        wanted[k] = 0;
        for (int i = 0; i < torus.slots(); ++i) wanted[k] += content(seed, torus.source(i), i, k);
    }
    call(form, ORTHO_Reduce_scatter_block, ORTHO_Ireduce_scatter_block, ORTHO_Reduce_scatter_block_init,
         send.address(), receive.address(), n, MPI_INT, MPI_SUM, torus.comm);
    SAME(receive, wanted, "Reduce_scatter_block");
}

/// Calls in which only some lines are used, and others only next time.
void rooted(const Everybody& all, Form form, int seed, int n)
{
    const int p = test::size(all.comm);
    const int me = test::rank(all.comm);
    const int root = seed % p;
    const int edges = p - 1;
    Buffer buffer = empty(n);
    for (int k = 0; k < n && me == root; ++k) buffer[k] = content(seed, root, 0, k);
    Buffer wanted = empty(n);
    for (int k = 0; k < n; ++k) wanted[k] = content(seed, root, 0, k);
    call(form, ORTHO_Bcast, ORTHO_Ibcast, ORTHO_Bcast_init, buffer.address(), n, MPI_INT, root, all.comm);
    SAME(buffer, wanted, "Bcast");

    Buffer blocks = empty(edges * n);
    Buffer block = empty(n);
    Buffer wanted_blocks = blocks;
    for (int k = 0; k < n; ++k) block[k] = content(seed, me, 0, k);
    for (int e = 0; e < edges && me == root; ++e)
        for (int k = 0; k < n; ++k) wanted_blocks[e * n + k] = content(seed, all.others[at(e)], 0, k);
    call(form, ORTHO_Gather, ORTHO_Igather, ORTHO_Gather_init, block.address(), n, MPI_INT, blocks.address(),
         n, MPI_INT, root, all.comm);
    SAME(blocks, wanted_blocks, "Gather");

    Buffer received = empty(n);
    Buffer wanted_block = received;
    for (int e = 0; e < edges; ++e)
        for (int k = 0; k < n; ++k) blocks[e * n + k] = content(seed + 1, me, all.others[at(e)], k);
    for (int k = 0; k < n && me != root; ++k) wanted_block[k] = content(seed + 1, root, me, k);
    call(form, ORTHO_Scatter, ORTHO_Iscatter, ORTHO_Scatter_init, blocks.address(), n, MPI_INT,
         received.address(), n, MPI_INT, root, all.comm);
    SAME(received, wanted_block, "Scatter");
}

/// Ghosts of a plane of so many cells a process each way, that is closed both ways.
void halo(const Torus& torus, int seed, int cells)
{
    const auto [rows, columns] = torus.grid();
    const int y0 = torus.me() / columns * cells;
    const int x0 = torus.me() % columns * cells;
    const int width = cells + 2;
    Buffer field = empty(width * width);
    Buffer wanted = field;
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x) {
            const int global_y = (y0 + y - 1 + rows * cells) % (rows * cells);
            const int global_x = (x0 + x - 1 + columns * cells) % (columns * cells);
            wanted[y * width + x] = content(seed, global_y, global_x % 1000, global_x);
            if (y > 0 && y <= cells && x > 0 && x <= cells) field[y * width + x] = wanted[y * width + x];
        }
    void* const fields[] = {field.address()};
    const MPI_Datatype types[] = {MPI_INT};
    const int sizes[] = {width, width};
    const int ones[] = {1, 1};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Halo_init(1, fields, types, 2, sizes, ones, ones, torus.comm, MPI_INFO_NULL, &request));
    for (int start = 0; start < 3; ++start) {
        CHECK_OK(ORTHO_Start(&request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_OK(ORTHO_Request_free(&request));
    SAME(field, wanted, "Halo");
}

constexpr int kinds_of_calls = 8;

void any_call(const Torus& torus, int kind, Form form, int seed, int n, Random& local)
{
    switch (kind) {
    case 0: alltoall(torus, form, seed, n); break;
    case 1: alltoallv(torus, form, seed, n); break;
    case 2: alltoallw(torus, form, seed, n, local); break;
    case 3: at_the_bottom(torus, form, seed, std::max(1, n)); break;
    case 4: allgather(torus, form, seed, n); break;
    case 5: allgatherv(torus, form, seed, n); break;
    case 6: reductions(torus, form, seed, n); break;
    default: halo(torus, seed, 1 + n % 30); break;
    }
}

// --- What is tried
// ------------------------------------------------------------------------------------------------

/// Rings grow with their messages, messages go in parts, and small ones come after them.
void sizes_change()
{
    Random local(static_cast<unsigned>(test::rank()));
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    const Torus around = Torus::around(MPI_COMM_WORLD);
    const Everybody all(MPI_COMM_WORLD);
    const int scale = test::few_will_do() || test::size() > 4 ? 4 : 1;
    int seed = 0;
    for (const int n :
         {1, 0, 100, 5, 16'000, 0, 3, 100'000 / scale, 2, 520'000 / scale, 1, 131'068, 131'069, 64, 0, 7}) {
        for (int kind = 0; kind < kinds_of_calls; ++kind) {
            // The largest blocks not in every way.
            if (n > 100'000 && kind > 2 && kind != 4) continue;
            const auto form = static_cast<Form>((seed + kind) % 4 % 3);
            any_call(ring, kind, form, ++seed, n, local);
            any_call(around, kind, form, ++seed, n > 50'000 ? n / 8 : n, local);
        }
        for (int root = 0; root < test::size(); ++root) {
            ++seed;
            rooted(all, static_cast<Form>(seed % 4 % 3), seed, std::min(n, 200'000));
        }
    }
    for (const int cells : {1, 700, 2}) halo(around, cells, cells);
    if (test::size() == 2) {
        const Torus both(MPI_COMM_WORLD, {1, 2}, {0, 1, 0, -1});
        alltoall(both, Form::blocking, 1, 4 << 20); // 64 MiB in all
        alltoall(both, Form::persistent, 2, 4 << 20);
        alltoall(both, Form::blocking, 3, 1);
    }
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
    void init()
    {
        CHECK_OK(ORTHO_Alltoall_init(send.address(), n, MPI_INT, receive.address(), n, MPI_INT, torus.comm,
                                     MPI_INFO_NULL, &request));
    }
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
    int seed;
    int n;
    Buffer send;
    Buffer receive;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
};

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
        Pending& operation = *operations[i];
        if ((i + at(test::rank())) % 2 == 0) {
            operation.wait();
            CHECK_OK(ORTHO_Request_free(&operation.request));
        } else {
            CHECK_OK(ORTHO_Request_free(&operation.request));
        }
    }
    for (const auto& operation : operations) {
        const Buffer wanted = operation->wanted();
        CHECK(test::advance_until([&] { return operation->receive == wanted; }));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Do messages of the operation?
bool goes_through_memory(ORTHO_Request request)
{
    return test::explanation(request).find("through shared memory") != std::string::npos;
}

/// Messages so large that they go MPI's way all the same, and with others among them that do not.
void large_persistent()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    std::vector<std::unique_ptr<Pending>> operations;
    for (const int n : {524'000, 525'000, 3}) operations.push_back(std::make_unique<Pending>(ring, n, n));
    for (const auto& operation : operations) operation->init();
    for (int round = 0; round < 3; ++round) {
        for (const auto& operation : operations) operation->start(round);
        for (const auto& operation : operations) operation->wait();
    }
    for (const auto& operation : operations) CHECK_OK(ORTHO_Request_free(&operation->request));
}

/// One waits for its operation while the others, who have started theirs, are in MPI.
void partners_are_away()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    for (const int n : {1, 300'000}) {
        Pending operation(ring, n, n);
        operation.init();
        int token = 0;
        for (int round = 0; round < 20; ++round) {
            const int waits = round % test::size();
            operation.start(round);
            MPI_Barrier(MPI_COMM_WORLD);
            if (test::rank() == waits) {
                operation.wait();
                for (int r = 0; r < test::size(); ++r)
                    if (r != waits) MPI_Send(&token, 1, MPI_INT, r, 5, MPI_COMM_WORLD);
            } else {
                MPI_Recv(&token, 1, MPI_INT, waits, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                operation.wait();
            }
        }
        CHECK_OK(ORTHO_Request_free(&operation.request));
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
        MPI_Datatype vector = MPI_DATATYPE_NULL;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_vector(n, 1, 2, MPI_INT, &vector);
        MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(2 * sizeof(int)) * n, &type);
        MPI_Type_commit(&type);
        Buffer send = empty(slots * 2 * n);
        Buffer receive = empty(slots * 2 * n);
        Buffer wanted = receive;
        const auto clear = [&] {
            for (int k = 0; k < slots * n; ++k) receive[2 * k] = -1;
        };
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Alltoall_init(send.address(), 1, type, receive.address(), 1, type, ring.comm,
                                     MPI_INFO_NULL, &request));
        MPI_Type_free(&vector);
        if (n == 100) small_ones = goes_through_memory(request);
        CHECK_EQ(goes_through_memory(request), small_ones);
        for (int round = 0; round < 4; ++round) {
            for (int i = 0; i < slots; ++i) {
                for (int k = 0; k < n; ++k) {
                    send[(i * n + k) * 2] = content(round, ring.me(), i, k);
                    wanted[(i * n + k) * 2] = content(round, ring.source(i), i, k);
                }
            }
            CHECK_OK(ORTHO_Start(&request));
            const int waits = round % test::size();
            int token = 0;
            if (test::rank() != waits)
                MPI_Recv(&token, 1, MPI_INT, waits, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            if (test::rank() == waits)
                for (int r = 0; r < test::size(); ++r)
                    if (r != waits) MPI_Send(&token, 1, MPI_INT, r, 5, MPI_COMM_WORLD);
            SAME(receive, wanted, "every other int");
            clear();
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE)); // large ones go in parts
            SAME(receive, wanted, "every other int, run");
            Buffer row = empty(slots * n);
            Buffer wanted_row = row;
            for (int i = 0; i < slots; ++i)
                for (int k = 0; k < n; ++k) wanted_row[i * n + k] = content(round, ring.source(i), i, k);
            CHECK_OK(ORTHO_Alltoall(send.address(), 1, type, row.address(), n, MPI_INT, ring.comm));
            SAME(row, wanted_row, "every other int into a row");
            clear();
            for (int k = 0; k < slots * n; ++k) row[k] = send[2 * k];
            CHECK_OK(ORTHO_Alltoall(row.address(), n, MPI_INT, receive.address(), 1, type, ring.comm));
            SAME(receive, wanted, "a row into every other int");
        }
        MPI_Type_free(&type);
        CHECK_OK(ORTHO_Request_free(&request));
    }
}

/// Edges from each process to the next, none back.
MPI_Comm chain()
{
    const int before = test::rank() - 1;
    const int behind = test::rank() + 1;
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, before >= 0 ? 1 : 0, &before, MPI_UNWEIGHTED,
                                              behind < test::size() ? 1 : 0, &behind, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &comm));
    test::return_errors(comm);
    return comm;
}

/// Who only sends is ahead of who receives, by more operations than there are tags.
void senders_run_ahead()
{
    MPI_Comm comm = chain();
    const int p = test::size();
    const auto one = [&](int seed, int n) {
        Buffer send = empty(n);
        Buffer receive = empty(n);
        Buffer wanted = receive;
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
    MPI_Comm_free(&comm);
    comm = chain();
    one(6, 18);
    MPI_Comm_free(&comm);
}

/// All forms on communicators that have processes in common; everybody is late now and then.
void mixes()
{
    Random shared(4711);
    Random local(static_cast<unsigned>(99 + test::rank()));
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, test::rank() % 2, test::rank(), &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    std::list<Torus> worlds;
    worlds.emplace_back(MPI_COMM_WORLD, std::array<int, 2>{1, test::size()}, Ints{0, 1, 0, 0, 0, -1});
    worlds.emplace_back(copy, std::array<int, 2>{test::size(), 1}, Ints{1, 0, 1, 0, 2, 0});
    worlds.emplace_back(half, std::array<int, 2>{1, test::size(half)}, Ints{0, 1, 0, -1, 0, 3});
    std::vector<std::unique_ptr<Pending>> persistent;
    for (const Torus& torus : worlds)
        for (const int n : {3, 20'000}) {
            persistent.push_back(std::make_unique<Pending>(torus, n, n));
            persistent.back()->init();
        }
    std::vector<char> active(persistent.size(), 0);
    std::list<Pending> pending;
    const int steps = test::few_will_do() || test::size() > 4 ? 150 : 400;
    for (int step = 0; step < steps; ++step) {
        if (uniform(local, 0, steps / 2) == 0) usleep(static_cast<unsigned>(uniform(local, 0, 200'000)));
        const int which = uniform(shared, 0, 2);
        const Torus& torus = *std::next(worlds.begin(), which);
        const int n = uniform(shared, 0, 9) == 0 ? uniform(shared, 0, 150'000) : uniform(shared, 0, 300);
        const int kind = uniform(shared, 0, 9);
        if (kind < 4) {
            any_call(torus, uniform(shared, 0, 6), Form::blocking, step, n, local);
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
    for (std::size_t i = 0; i < persistent.size(); ++i) {
        if (active[i] != 0) persistent[i]->wait();
        CHECK_OK(ORTHO_Request_free(&persistent[i]->request));
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
}

int handler_calls = 0;
void count_calls(MPI_Comm*, int*, ...) { ++handler_calls; }

/// Graphs that nothing is known of: blocks go from process to process.
MPI_Comm plain_ring()
{
    const int p = test::size();
    const Ints sources{(test::rank() + p - 1) % p, test::rank()};
    const Ints targets{(test::rank() + 1) % p, test::rank()};
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources.data(), MPI_UNWEIGHTED, 2,
                                              targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    test::return_errors(comm);
    return comm;
}

/// Blocks too large for some receivers, or for all: an error there, and there alone, and nothing but the
/// block's room is written.
void blocks_too_large()
{
    MPI_Comm comm = plain_ring();
    MPI_Errhandler counting = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_calls, &counting);
    MPI_Comm_set_errhandler(comm, counting);
    const int left = (test::rank() + test::size() - 1) % test::size();
    int seed = 0;
    for (const int n : {2, 1000, 140'000, 700'000})
        for (const bool everybody : {true, false})
            for (const bool vector : {false, true})
                for (const Form form : {Form::blocking, Form::persistent, Form::blocking}) {
                    ++seed;
                    const bool short_of_room = everybody || test::rank() == test::size() - 1;
                    const int room = short_of_room ? n / 2 : n;
                    const int stride = vector ? 2 : 1;
                    MPI_Datatype type = MPI_INT;
                    if (vector) {
                        MPI_Datatype one = MPI_INT;
                        MPI_Type_vector(1, 1, 1, MPI_INT, &one);
                        MPI_Type_create_resized(one, 0, 8, &type);
                        MPI_Type_commit(&type);
                        MPI_Type_free(&one);
                    }
                    Buffer send = empty(2 * n);
                    // Room for the whole behind, so that it would be seen what is written there.
                    Buffer receive = empty(4 * n * stride);
                    for (int i = 0; i < 2; ++i)
                        for (int k = 0; k < n; ++k) send[i * n + k] = content(seed, test::rank(), i, k);
                    const Ints counts{n, n};
                    const Ints rooms{room, room};
                    const Ints send_places{0, n};
                    const Ints places{0, 2 * n}; // of the type's extents
                    handler_calls = 0;
                    int code = MPI_SUCCESS;
                    if (form == Form::blocking) {
                        code = ORTHO_Alltoallv(send.address(), counts.data(), send_places.data(), MPI_INT,
                                               receive.address(), rooms.data(), places.data(), type, comm);
                    } else {
                        ORTHO_Request request = ORTHO_REQUEST_NULL;
                        CHECK_OK(ORTHO_Alltoallv_init(send.address(), counts.data(), send_places.data(),
                                                      MPI_INT, receive.address(), rooms.data(), places.data(),
                                                      type, comm, MPI_INFO_NULL, &request));
                        for (int start = 0; start < 3; ++start) {
                            handler_calls = 0;
                            CHECK_OK(ORTHO_Start(&request));
                            code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
                        }
                        CHECK_OK(ORTHO_Request_free(&request));
                    }
                    if (vector) MPI_Type_free(&type);
                    CHECK_EQ(error_class(code), short_of_room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
                    CHECK_EQ(handler_calls, short_of_room ? 1 : 0);
                    Buffer wanted = empty(4 * n * stride);
                    for (int i = 0; i < 2; ++i)
                        for (int k = 0; k < room; ++k) {
                            const int position = (2 * n * i + k) * stride;
                            // Where a block was too large it is open what its room holds.
                            wanted[position] = short_of_room
                                                   ? receive[position]
                                                   : content(seed, i == 0 ? left : test::rank(), i, k);
                        }
                    SAME(receive, wanted, "a block too large");
                    // What comes next is right.
                    int from[2] = {seed, -seed};
                    int to[2] = {-1, -1};
                    CHECK_OK(ORTHO_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm));
                    CHECK(to[0] == seed && to[1] == -seed);
                }
    // Wrong for all, and then right.
    int from[2] = {1, 2};
    int to[2] = {-1, -1};
    for (int i = 0; i < 100; ++i) {
        CHECK_EQ(error_class(ORTHO_Alltoall(from, -1, MPI_INT, to, 1, MPI_INT, comm)), MPI_ERR_COUNT);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_EQ(error_class(ORTHO_Alltoall_init(from, 1, MPI_DATATYPE_NULL, to, 1, MPI_INT, comm,
                                                 MPI_INFO_NULL, &request)),
                 MPI_ERR_TYPE);
        from[0] = i;
        CHECK_OK(ORTHO_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm));
        CHECK(to[0] == i && to[1] == 2);
    }
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&counting);
}

/// Of this process's arena: what lies behind the descriptor that bears our name; 0 if there is none.
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
    const int each = test::size() <= 2 ? 50 : 5;
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
            CHECK_OK(ORTHO_Request_free(&operation.request));
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
    if (!watched && more > 20'000) CHECK_EQ(more, 0);
}

/// Which way do messages of this communicator go?
bool goes_through_memory()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    Pending operation(ring, 1, 1);
    operation.init();
    const bool result = goes_through_memory(operation.request);
    operation.start(0);
    operation.wait();
    CHECK_OK(ORTHO_Request_free(&operation.request));
    return result;
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

/// One persistent operation, whose data the system lets others read, at first on all processes, then perhaps
/// not on those that close; and which then lies in memory that all see, and is copied once in any case.
void rebound(bool closes)
{
    const int size = test::size();
    const int rank = test::rank();
    const int periods[] = {1};
    const int offsets[] = {1};
    constexpr int n = 20'000;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_forward", "true");
    CHECK_OK(ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &size, periods, 1, offsets, MPI_UNWEIGHTED,
                                            info, 0, &ring));
    MPI_Info_free(&info);
    Ints own[2] = {Ints(n), Ints(n)};
    int* common[2] = {};
    for (int*& one : common) CHECK_OK(ORTHO_Alloc_mem(n * sizeof(int), MPI_INFO_NULL, ring, &one));
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Alltoall_init(own[0].data(), n, MPI_INT, own[1].data(), n, MPI_INT, ring, MPI_INFO_NULL,
                                 &request));
    const auto exchange = [&](int seed, int* send, const int* receive) {
        for (int k = 0; k < n; ++k) send[k] = content(seed, rank, 0, k);
        CHECK_OK(ORTHO_Start(&request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        for (int k = 0; k < n; ++k) CHECK_EQ(receive[k], content(seed, (rank + size - 1) % size, 0, k));
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
    MPI_Comm_free(&ring);
}

void a_little_of_everything()
{
    Random local(static_cast<unsigned>(test::rank()));
    const bool shared = goes_through_memory();
    if (test::rank() == 0) std::printf("%s\n", shared ? "shared memory" : "messages");
    const Torus around = Torus::around(MPI_COMM_WORLD);
    const Everybody all(MPI_COMM_WORLD);
    int seed = 0;
    for (const int n : {1, 0, 300, 20'000, 150'000, 2})
        for (int kind = 0; kind < kinds_of_calls; ++kind)
            any_call(around, kind, static_cast<Form>(kind % 3), ++seed, n, local);
    for (int root = 0; root < test::size(); ++root) rooted(all, Form::blocking, ++seed, 100);
    large_persistent();
    rebound(false);
}

void closed()
{
    Random local(static_cast<unsigned>(test::rank()));
    const bool shared = goes_through_memory();
    if (test::rank() == 0) std::printf("%s\n", shared ? "shared memory" : "messages");
    rebound(test::rank() == test::size() - 1);
    const Torus around = Torus::around(MPI_COMM_WORLD);
    int seed = 0;
    for (int turn = 0; turn < 4; ++turn) {
        for (const int n : {1, 20'000, 150'000, 300})
            for (int kind = 0; kind < kinds_of_calls; ++kind)
                any_call(around, kind, Form::blocking, ++seed, n, local);
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == 0 && test::rank() == test::size() - 1) CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    }
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "short") {
        a_little_of_everything();
        return test::finish();
    }
    if (mode == "closed") {
        closed();
        return test::finish();
    }
    if (mode == "loop") loop(argc > 2 ? std::atoi(argv[2]) : 0);
    const std::pair<const char*, void (*)()> parts[] = {
        {"sizes_change", sizes_change},
        {"persistent_in_any_order", persistent_in_any_order},
        {"large_persistent", large_persistent},
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
    return test::finish();
}
