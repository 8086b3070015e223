// SPDX-License-Identifier: BSD-3-Clause
// Messages through shared memory: each kind of call, in each form, against what must have come.

#include "shared.hpp"

namespace ortho_shared_test {

namespace {

using test::Layout;

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
        for (int start = 0; start < 2; ++start) CHECK_OK(test::start_and_wait(&request));
        CHECK_OK(ORTHO_Request_free(&request));
        break;
    }
}

/// Blocks of different sizes, some of them empty, with gaps between them.
void alltoallv(const Torus& torus, Form form, int seed, int n)
{
    Ints counts, places;
    int ints = 0;
    for (int i = 0; i < torus.slots(); ++i) {
        counts.push_back((i + seed) % 3 == 0 ? 0 : n / ((i + seed) % 3) + i);
        places.push_back(ints + i);
        ints += counts.back() + i;
    }
    Buffer send = empty(ints), receive = empty(ints), wanted = receive;
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
            const int sizes[] = {n, 3}, part[] = {n, 1}, from[] = {0, 1};
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
    Buffer send = empty(out.ints), receive = empty(in.ints), wanted = receive;
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
    Buffer send = empty(2 * t * n), receive = empty(3 * t * n), wanted = receive;
    std::vector<MPI_Datatype> out, in;
    for (int i = 0; i < t; ++i) {
        const auto absolute = [&](Buffer& buffer, int stride) {
            test::Type vector;
            MPI_Datatype type = MPI_DATATYPE_NULL;
            MPI_Type_vector(n, 1, stride, MPI_INT, &vector);
            MPI_Aint place = 0;
            MPI_Get_address(buffer.address() + i * n * stride, &place);
            MPI_Type_create_hindexed_block(1, 1, &place, vector, &type);
            MPI_Type_commit(&type);
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
    Buffer send = empty(n), receive = empty(torus.slots() * n), wanted = receive;
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
    Ints counts, places;
    std::vector<MPI_Aint> displacements;
    std::vector<Shape> shapes;
    std::vector<MPI_Datatype> types;
    Ints counts_of_shapes;
    Buffer receive = empty(torus.slots() * (n + 1));
    Buffer typed = empty(torus.slots() * 2 * (4 * n + 8));
    Buffer wanted = receive, wanted_typed = typed;
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
    Buffer send = empty(torus.slots() * n), receive = empty(n);
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

} // namespace

void alltoall(const Torus& torus, Form form, int seed, int n)
{
    Buffer send = empty(torus.slots() * n), receive = empty(torus.slots() * n), wanted = receive;
    fill(send, torus, seed, n);
    for (int i = 0; i < torus.slots(); ++i)
        for (int k = 0; k < n; ++k) wanted[i * n + k] = content(seed, torus.source(i), i, k);
    call(form, ORTHO_Alltoall, ORTHO_Ialltoall, ORTHO_Alltoall_init, send.address(), n, MPI_INT,
         receive.address(), n, MPI_INT, torus.comm);
    SAME(receive, wanted, "Alltoall");
}

void rooted(const Everybody& all, Form form, int seed, int n)
{
    const int p = test::size(all.comm), me = test::rank(all.comm), root = seed % p, edges = p - 1;
    Buffer buffer = empty(n);
    for (int k = 0; k < n && me == root; ++k) buffer[k] = content(seed, root, 0, k);
    Buffer wanted = empty(n);
    for (int k = 0; k < n; ++k) wanted[k] = content(seed, root, 0, k);
    call(form, ORTHO_Bcast, ORTHO_Ibcast, ORTHO_Bcast_init, buffer.address(), n, MPI_INT, root, all.comm);
    SAME(buffer, wanted, "Bcast");

    Buffer blocks = empty(edges * n), block = empty(n), wanted_blocks = blocks;
    for (int k = 0; k < n; ++k) block[k] = content(seed, me, 0, k);
    for (int e = 0; e < edges && me == root; ++e)
        for (int k = 0; k < n; ++k) wanted_blocks[e * n + k] = content(seed, all.others[at(e)], 0, k);
    call(form, ORTHO_Gather, ORTHO_Igather, ORTHO_Gather_init, block.address(), n, MPI_INT, blocks.address(),
         n, MPI_INT, root, all.comm);
    SAME(blocks, wanted_blocks, "Gather");

    Buffer received = empty(n), wanted_block = received;
    for (int e = 0; e < edges; ++e)
        for (int k = 0; k < n; ++k) blocks[e * n + k] = content(seed + 1, me, all.others[at(e)], k);
    for (int k = 0; k < n && me != root; ++k) wanted_block[k] = content(seed + 1, root, me, k);
    call(form, ORTHO_Scatter, ORTHO_Iscatter, ORTHO_Scatter_init, blocks.address(), n, MPI_INT,
         received.address(), n, MPI_INT, root, all.comm);
    SAME(received, wanted_block, "Scatter");
}

void halo(const Torus& torus, int seed, int cells)
{
    const auto [rows, columns] = torus.grid();
    const int y0 = torus.me() / columns * cells, x0 = torus.me() % columns * cells, width = cells + 2;
    Buffer field = empty(width * width), wanted = field;
    const auto side = [&](int place) { return place == 0 ? -1 : place > cells ? 1 : 0; };
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x) {
            const bool is_owned = side(y) == 0 && side(x) == 0;
            if (!is_owned && !torus.fills(side(y), side(x))) continue;
            const int global_y = (y0 + y - 1 + rows * cells) % (rows * cells);
            const int global_x = (x0 + x - 1 + columns * cells) % (columns * cells);
            wanted[y * width + x] = content(seed, global_y, global_x % 1000, global_x);
            if (is_owned) field[y * width + x] = wanted[y * width + x];
        }
    void* const fields[] = {field.address()};
    const MPI_Datatype types[] = {MPI_INT};
    const int sizes[] = {width, width}, ones[] = {1, 1};
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Halo_init(1, fields, types, 2, sizes, ones, ones, torus.comm, MPI_INFO_NULL, &request));
    for (int start = 0; start < 3; ++start) CHECK_OK(test::start_and_wait(&request));
    CHECK_OK(ORTHO_Request_free(&request));
    SAME(field, wanted, "Halo");
}

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

} // namespace ortho_shared_test
