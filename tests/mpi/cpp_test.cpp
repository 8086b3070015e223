// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: each collective in its three forms on full communicators and on graphs, values, types,
// operators, errors, requests, grids, naming, subgraphs, windows.  Expected values come from arithmetic.
#include <mpiortho.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace ortho_cpp_test {

/// Shaped like std::mdspan, with any strides.
template <class T, std::size_t D>
struct strided_view {
    T* first = nullptr;
    std::array<std::size_t, D> extents{};
    std::array<std::size_t, D> strides{};

    static constexpr std::size_t rank() { return D; }
    std::size_t extent(std::size_t k) const { return extents[k]; }
    std::size_t stride(std::size_t k) const { return strides[k]; }
    T* data_handle() const { return first; }
};
/// Shaped like Kokkos::View, which owns its elements.
struct owning_view {
    std::vector<float> elements = std::vector<float>(25);
    enum { Rank = 2 };
    std::size_t extent(std::size_t) const { return 5; }
    std::size_t stride(std::size_t k) const { return k == 0 ? 1 : 5; } // column-major
    float* data() { return elements.data(); }
    float& operator()(int i, int j) { return elements[static_cast<std::size_t>(i + 5 * j)]; }
};

struct particle {
    double x;
    int n;
};
struct pair {
    int low, high;
    friend pair operator+(const pair& a, const pair& b) { return {a.low + b.low, a.high + b.high}; }
};
enum class color : std::uint16_t { red, green };

/// A buffer of somebody else's, known by members, and one known by traits.
struct with_members {
    std::vector<int> values;
    int* mpi_data() { return values.data(); }
    std::size_t mpi_count() const { return values.size(); }
    MPI_Datatype mpi_type() const { return MPI_INT; }
};
struct foreign {
    int first, second;
};

} // namespace ortho_cpp_test

using namespace ortho_cpp_test;

template <>
inline constexpr bool mpiortho::travels_as_bytes<particle> = true;
template <>
inline constexpr bool mpiortho::travels_as_bytes<ortho_cpp_test::pair> = true;
template <>
struct mpiortho::buffer_traits<foreign> {
    static int* data(foreign& f) { return &f.first; }
    static int count(const foreign&) { return 2; }
    static MPI_Datatype type(const foreign&) { return MPI_INT; }
};

namespace {

using namespace mpiortho;
using Ints = std::vector<int>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }
Ints numbered(int n, int first)
{
    Ints list(at(n));
    std::iota(list.begin(), list.end(), first);
    return list;
}

/// Make a call in its three forms, the persistent one twice and in both ways, and check what it gives.
template <class Now, class Start, class Prepare, class Check, class Reset>
void in_three_forms(Now now, Start start, Prepare prepare, Check check, Reset reset)
{
    reset();
    now();
    check();
    reset();
    pending p = start();
    p.wait();
    check();
    CHECK(!p);
    operation o = prepare();
    reset();
    o.run();
    check();
    reset();
    {
        pending q = o.start();
        while (!q.test()) {}
    }
    check();
}

int size_of(MPI_Datatype type)
{
    int size = 0;
    MPI_Type_size(type, &size);
    return size;
}

void types()
{
    CHECK(datatype<double>() == MPI_DOUBLE);
    CHECK(datatype<const int>() == MPI_INT);
    CHECK(datatype<unsigned long>() == MPI_UNSIGNED_LONG);
    CHECK(datatype<bool>() == MPI_C_BOOL);
    CHECK(datatype<std::byte>() == MPI_BYTE);
    CHECK(datatype<std::complex<float>>() == MPI_C_FLOAT_COMPLEX);
    CHECK(datatype<std::complex<double>>() == MPI_C_DOUBLE_COMPLEX);
    CHECK(datatype<color>() == MPI_UNSIGNED_SHORT);
    CHECK_EQ(size_of(datatype<char8_t>()), 1);
    CHECK_EQ(size_of(datatype<char16_t>()), 2);
    CHECK_EQ(size_of(datatype<char32_t>()), 4);
    CHECK_EQ(size_of(datatype<long double>()), int{sizeof(long double)});
    CHECK_EQ(size_of(datatype<particle>()), int{sizeof(particle)});
    const MPI_Datatype three = datatype<std::array<double, 3>>();
    CHECK_EQ(size_of(three), 24);
    CHECK((three == datatype<std::array<double, 3>>()));
    CHECK_EQ(size_of(datatype<std::array<std::array<particle, 2>, 2>>()), 4 * int{sizeof(particle)});
    CHECK_EQ(size_of(datatype<float[5]>()), 20);
    static_assert(element<int> && element<color> && element<std::complex<long double>> && element<particle>);
    static_assert(!element<int*> && !element<std::string> && !element<foreign>);
}

/// On the ring every process has offsets +1 and -1: block 0 comes from the left, block 1 from the right.
struct ring {
    grid<1> g;
    int p = test::size();
    int r = test::rank();
    int left = (r + p - 1) % p;
    int right = (r + 1) % p;
    explicit ring()
        : g(MPI_COMM_WORLD, {.sizes = {test::size()}, .periodic = {true}, .stencil = stencil<1>{{1}, {-1}}})
    {}
};

template <class C>
void full(const C& comm)
{
    const int p = test::size();
    const int r = test::rank();
    Ints recv;
    // Block i of process r has two elements: 100 r + 2 i and the next.
    const Ints send = numbered(2 * p, 100 * r);
    in_three_forms([&] { alltoall(send, recv, comm); }, [&] { return ialltoall(send, recv, comm); },
                   [&] { return alltoall_init(send, recv, comm); },
                   [&] {
                       for (int i = 0; i < p; ++i) {
                           CHECK_EQ(recv[at(2 * i)], 100 * i + 2 * r);
                           CHECK_EQ(recv[at(2 * i + 1)], 100 * i + 2 * r + 1);
                       }
                   },
                   [&] { recv.assign(at(2 * p), -1); });
    const auto has_all = [&] {
        for (int i = 0; i < p; ++i) CHECK_EQ(recv[at(i)], 7 * i);
    };
    const int mine = 7 * r;
    in_three_forms([&] { allgather(mine, recv, comm); }, [&] { return iallgather(mine, recv, comm); },
                   [&] { return allgather_init(mine, recv, comm); }, has_all,
                   [&] { recv.assign(at(p), -1); });
    const int root = p - 1;
    const auto root_has_all = [&] {
        if (r == root) has_all();
    };
    in_three_forms([&] { gather(mine, recv, root, comm); }, [&] { return igather(mine, recv, root, comm); },
                   [&] { return gather_init(mine, recv, root, comm); }, root_has_all,
                   [&] { recv.assign(r == root ? at(p) : 0, -1); });
    int one = -1;
    const Ints all = r == root ? numbered(p, 50) : Ints();
    in_three_forms([&] { scatter(all, one, root, comm); }, [&] { return iscatter(all, one, root, comm); },
                   [&] { return scatter_init(all, one, root, comm); }, [&] { CHECK_EQ(one, 50 + r); },
                   [&] { one = -1; });
    in_three_forms([&] { bcast(one, root, comm); }, [&] { return ibcast(one, root, comm); },
                   [&] { return bcast_init(one, root, comm); }, [&] { CHECK_EQ(one, 99); },
                   [&] { one = r == root ? 99 : -1; });
    in_three_forms([&] { barrier(comm); }, [&] { return ibarrier(comm); }, [&] { return barrier_init(comm); },
                   [] {}, [] {});
    const Ints two = {r, 1};
    Ints sums(2);
    const int total = p * (p - 1) / 2;
    in_three_forms([&] { allreduce(two, sums, std::plus<>{}, comm); },
                   [&] { return iallreduce(two, sums, std::plus<>{}, comm); },
                   [&] { return allreduce_init(two, sums, std::plus<>{}, comm); },
                   [&] {
                       CHECK(sums == Ints({total, p}));
                   },
                   [&] { sums.assign(2, -1); });
    in_three_forms([&] { reduce(two, sums, MPI_SUM, root, comm); },
                   [&] { return ireduce(two, sums, MPI_SUM, root, comm); },
                   [&] { return reduce_init(two, sums, MPI_SUM, root, comm); },
                   [&] {
                       CHECK(r != root || sums == Ints({total, p}));
                   },
                   [&] { sums.assign(2, -1); });
    in_three_forms([&] { scan(two, sums, std::plus<>{}, comm); },
                   [&] { return iscan(two, sums, std::plus<>{}, comm); },
                   [&] { return scan_init(two, sums, std::plus<>{}, comm); },
                   [&] {
                       CHECK(sums == Ints({r * (r + 1) / 2, r + 1}));
                   },
                   [&] { sums.assign(2, -1); });
    in_three_forms([&] { exscan(two, sums, std::plus<>{}, comm); },
                   [&] { return iexscan(two, sums, std::plus<>{}, comm); },
                   [&] { return exscan_init(two, sums, std::plus<>{}, comm); },
                   [&] {
                       CHECK(r == 0 || sums == Ints({r * (r - 1) / 2, r}));
                   },
                   [&] { sums.assign(2, -1); });
    in_three_forms([&] { reduce_scatter(send, sums, std::plus<>{}, comm); },
                   [&] { return ireduce_scatter(send, sums, std::plus<>{}, comm); },
                   [&] { return reduce_scatter_init(send, sums, std::plus<>{}, comm); },
                   [&] {
                       CHECK(sums == Ints({100 * total + p * 2 * r, 100 * total + p * (2 * r + 1)}));
                   },
                   [&] { sums.assign(2, -1); });
    // Of the blocks in the receive buffer the own one comes to its beginning.
    Ints blocks_here = send;
    reduce_scatter(in_place, blocks_here, std::plus<>{}, comm);
    CHECK_EQ(blocks_here[0], 100 * total + p * 2 * r);
    CHECK_EQ(blocks_here[1], 100 * total + p * (2 * r + 1));
    if constexpr (!std::is_same_v<C, large>) {
        // Block i has i + 1 elements: all of them r.
        Ints counts = numbered(p, 1);
        Ints equal(at(p), r + 1);
        Ints places(at(p));
        for (int i = 0; i < p; ++i) places[at(i)] = i * (r + 1);
        const Ints blocks(at(p * (p + 1) / 2), r);
        const auto sent_each = [&] {
            for (int i = 0; i < p * (r + 1); ++i) CHECK_EQ(recv[at(i)], i / (r + 1));
        };
        const auto room = [&] { recv.assign(at(p * (r + 1)), -1); };
        in_three_forms([&] { alltoall(blocks, counts, recv, equal, comm); },
                       [&] { return ialltoall(blocks, counts, recv, equal, comm); },
                       [&] { return alltoall_init(blocks, counts, recv, equal, comm); }, sent_each, room);
        Ints send_places(at(p));
        for (int i = 0; i < p; ++i) send_places[at(i)] = i * (i + 1) / 2;
        in_three_forms([&] { alltoall(blocks, counts, send_places, recv, equal, places, comm); },
                       [&] { return ialltoall(blocks, counts, send_places, recv, equal, places, comm); },
                       [&] { return alltoall_init(blocks, counts, send_places, recv, equal, places, comm); },
                       sent_each, room);
        const Ints some(at(r + 1), r); // r + 1 elements from process r
        const auto triangle = [&] {
            for (int i = 0, k = 0; i < p; ++i)
                for (int j = 0; j <= i; ++j) CHECK_EQ(recv[at(k++)], i);
        };
        const auto triangle_room = [&] { recv.assign(at(p * (p + 1) / 2), -1); };
        in_three_forms([&] { allgather(some, recv, counts, comm); },
                       [&] { return iallgather(some, recv, counts, comm); },
                       [&] { return allgather_init(some, recv, counts, comm); }, triangle, triangle_room);
        in_three_forms([&] { allgather(some, recv, counts, send_places, comm); },
                       [&] { return iallgather(some, recv, counts, send_places, comm); },
                       [&] { return allgather_init(some, recv, counts, send_places, comm); }, triangle,
                       triangle_room);
        const auto at_root = [&] {
            if (r == root) triangle();
        };
        in_three_forms([&] { gather(some, recv, counts, root, comm); },
                       [&] { return igather(some, recv, counts, root, comm); },
                       [&] { return gather_init(some, recv, counts, root, comm); }, at_root, triangle_room);
        in_three_forms([&] { gather(some, recv, counts, send_places, root, comm); },
                       [&] { return igather(some, recv, counts, send_places, root, comm); },
                       [&] { return gather_init(some, recv, counts, send_places, root, comm); }, at_root,
                       triangle_room);
        const auto mine_only = [&] {
            for (int i = 0; i <= r; ++i) CHECK_EQ(recv[at(i)], root);
        };
        const auto my_room = [&] { recv.assign(at(r + 1), -1); };
        in_three_forms([&] { scatter(blocks, counts, recv, root, comm); },
                       [&] { return iscatter(blocks, counts, recv, root, comm); },
                       [&] { return scatter_init(blocks, counts, recv, root, comm); }, mine_only, my_room);
        in_three_forms([&] { scatter(blocks, counts, send_places, recv, root, comm); },
                       [&] { return iscatter(blocks, counts, send_places, recv, root, comm); },
                       [&] { return scatter_init(blocks, counts, send_places, recv, root, comm); }, mine_only,
                       my_room);
        // Elsewhere than at the root the lists are not looked at.
        Ints nothing;
        const auto at_root_alone = [&](Ints& list) -> Ints& { return r == root ? list : nothing; };
        triangle_room();
        gather(some, at_root_alone(recv), at_root_alone(counts), root, comm);
        at_root();
        triangle_room();
        gather(some, at_root_alone(recv), counts, root, comm);
        at_root();
        triangle_room();
        gather(some, at_root_alone(recv), at_root_alone(counts), at_root_alone(send_places), root, comm);
        at_root();
        my_room();
        scatter(r == root ? blocks : nothing, at_root_alone(counts), recv, root, comm);
        mine_only();
        my_room();
        scatter(r == root ? blocks : nothing, counts, recv, root, comm);
        mine_only();
        my_room();
        scatter(blocks, at_root_alone(counts), at_root_alone(send_places), recv, root, comm);
        mine_only();
        const auto reduced = [&] {
            for (int i = 0; i <= r; ++i) CHECK_EQ(recv[at(i)], total);
        };
        in_three_forms([&] { reduce_scatter(blocks, counts, recv, std::plus<>{}, comm); },
                       [&] { return ireduce_scatter(blocks, counts, recv, std::plus<>{}, comm); },
                       [&] { return reduce_scatter_init(blocks, counts, recv, std::plus<>{}, comm); },
                       reduced, my_room);
        in_three_forms(
            [&] { reduce_scatter(blocks, counts, send_places, recv, std::plus<>{}, comm); },
            [&] { return ireduce_scatter(blocks, counts, send_places, recv, std::plus<>{}, comm); },
            [&] { return reduce_scatter_init(blocks, counts, send_places, recv, std::plus<>{}, comm); },
            reduced, my_room);
        Ints reduced_here = blocks;
        reduce_scatter(in_place, counts, reduced_here, std::plus<>{}, comm);
        for (int i = 0; i <= r; ++i) CHECK_EQ(reduced_here[at(i)], total);
        std::vector<MPI_Aint> bytes(at(p));
        std::vector<MPI_Aint> send_bytes(at(p));
        for (int i = 0; i < p; ++i) {
            bytes[at(i)] = 4 * places[at(i)];
            send_bytes[at(i)] = 4 * send_places[at(i)];
        }
        const std::vector<MPI_Datatype> ints(at(p), MPI_INT);
        in_three_forms(
            [&] { alltoall(blocks.data(), counts, send_bytes, ints, recv.data(), equal, bytes, ints, comm); },
            [&] {
                return ialltoall(blocks.data(), counts, send_bytes, ints, recv.data(), equal, bytes, ints,
                                 comm);
            },
            [&] {
                recv.reserve(at(p * (r + 1)));
                return alltoall_init(blocks.data(), counts, send_bytes, ints, recv.data(), equal, bytes, ints,
                                     comm);
            },
            sent_each, room);
        in_three_forms([&] { allgather(some, recv.data(), counts, send_bytes, ints, comm); },
                       [&] { return iallgather(some, recv.data(), counts, send_bytes, ints, comm); },
                       [&] { return allgather_init(some, recv.data(), counts, send_bytes, ints, comm); },
                       triangle, triangle_room);
        // In place.
        Ints here = numbered(p, 10 * r);
        alltoall(in_place, here, comm);
        for (int i = 0; i < p; ++i) CHECK_EQ(here[at(i)], 10 * i + r);
        int sum = r;
        allreduce(in_place, sum, std::plus<>{}, comm);
        CHECK_EQ(sum, total);
    } else {
        const std::vector<MPI_Count> counts(at(p), 2);
        recv.assign(at(2 * p), -1);
        alltoall(send, counts, recv, counts, comm);
        for (int i = 0; i < p; ++i) CHECK_EQ(recv[at(2 * i)], 100 * i + 2 * r);
    }
}

void on_ring()
{
    const ring o;
    const auto& g = o.g;
    CHECK_EQ(g.in_blocks(), 2);
    CHECK_EQ(g.out_blocks(), 2);
    CHECK(g.topology() == topology::graph);
    CHECK(g.sources() == Ints({o.left, o.right}));
    CHECK(g.destinations() == Ints({o.right, o.left}));
    CHECK_EQ(g.find({1}).in, 0);
    CHECK_EQ(g.neighbor({1}), o.right);
    CHECK_EQ(g.rank(), g.name().rank(g.coordinates()));
    CHECK(static_cast<bool>(g.isomorphic()));
    Ints recv(4);
    const Ints send = {10 * o.r, 10 * o.r + 1, 10 * o.r + 2, 10 * o.r + 3};
    in_three_forms(
        [&] { alltoall(send, recv, g); }, [&] { return ialltoall(send, recv, g); },
        [&] { return alltoall_init(send, recv, g); },
        [&] {
            CHECK(recv == Ints({10 * o.left, 10 * o.left + 1, 10 * o.right + 2, 10 * o.right + 3}));
        },
        [&] { recv.assign(4, -1); });
    Ints two(2);
    in_three_forms([&] { allgather(o.r, two, g); }, [&] { return iallgather(o.r, two, g); },
                   [&] { return allgather_init(o.r, two, g); },
                   [&] {
                       CHECK(two == Ints({o.left, o.right}));
                   },
                   [&] { two.assign(2, -1); });
    CHECK_EQ(g.sum(o.r), o.left + o.right);
    CHECK_EQ(g.max(o.r), std::max(o.left, o.right));
    CHECK_EQ(g.min(o.r), std::min(o.left, o.right));
    CHECK_EQ(g.all().sum(o.r), o.p * (o.p - 1) / 2);
    const Ints counts = {1, 3};
    Ints sums(1);
    // A plain handle means the same, and so does a duplicate.
    const MPI_Comm plain = g;
    CHECK_EQ(allreduce(o.r, std::plus<>{}, plain), o.left + o.right);
    const communicator other = g.dup();
    CHECK_EQ(other.sum(o.r), o.left + o.right);
    CHECK_EQ(large(g).sum(o.r), o.left + o.right);
    alltoall(send, counts, recv, counts, plain);
    CHECK(recv == Ints({10 * o.left, 10 * o.right + 1, 10 * o.right + 2, 10 * o.right + 3}));
    const Ints ones = {1, 1};
    reduce_scatter(Ints{o.r, o.r + 100}, ones, sums, std::plus<>{}, g);
    CHECK_EQ(sums[0], o.left + o.right + 100);
    reduce_scatter(Ints{o.r, o.r + 100}, sums, std::plus<>{}, g);
    CHECK_EQ(sums[0], o.left + o.right + 100);
    reduce_scatter(Ints{o.r, o.r + 100}, ones, Ints{1, 0}, sums, std::plus<>{}, g);
    CHECK_EQ(sums[0], o.left + 100 + o.right);
    barrier(g);
    // On a graph scan has no meaning: the class is mpiortho's own.
    try {
        scan(o.r, std::plus<>{}, g);
        CHECK(false);
    } catch (const error& e) {
        CHECK_EQ(e.error_class(), ORTHO_ERR_UNDEFINED);
        CHECK_EQ(e.rank(), o.r);
    }
}

void values()
{
    const comm_ref world(MPI_COMM_WORLD);
    const int p = world.size();
    const int r = world.rank();
    CHECK_EQ(allreduce(r, std::plus<>{}, world), p * (p - 1) / 2);
    CHECK_EQ(allreduce(2.0, std::multiplies<>{}, world), static_cast<double>(1 << p));
    CHECK_EQ(allreduce(r, maximum{}, world), p - 1);
    CHECK_EQ(allreduce(static_cast<signed char>(r), minimum{}, world), 0);
    CHECK_EQ(allreduce('\1', std::plus<>{}, world), static_cast<char>(p));
    CHECK_EQ(allreduce(1U << r, std::bit_or<>{}, world), (1U << p) - 1);
    CHECK_EQ(allreduce(true, std::logical_and<>{}, world), true);
    CHECK_EQ(allreduce(r, MPI_MAX, world), p - 1);
    CHECK((allreduce(std::complex<double>(1, r), std::plus<>{}, world) ==
           std::complex<double>(p, p * (p - 1) / 2.0)));
    CHECK((allreduce(std::array<int, 3>{1, r, 2}, std::plus<>{}, world) ==
           std::array<int, 3>{p, p * (p - 1) / 2, 2 * p}));
    // Operators of the user's, on types of the user's.
    const auto sum = allreduce(ortho_cpp_test::pair{1, r}, std::plus<>{}, world);
    CHECK_EQ(sum.low, p);
    CHECK_EQ(sum.high, p * (p - 1) / 2);
    const auto longest = [](const particle& a, const particle& b) { return a.x < b.x ? b : a; };
    const particle most = allreduce(particle{static_cast<double>(r), 5 * r}, commutative{longest}, world);
    CHECK_EQ(most.n, 5 * (p - 1));
    // One that does not commute is applied in order: the first digit stays first.
    const auto append = [](long a, long b) {
        long shift = 10;
        while (shift <= b) shift *= 10;
        return a * shift + b;
    };
    long digits = 0;
    for (int i = 1; i <= p; ++i) digits = 10 * digits + i % 10;
    if (p < 10) CHECK_EQ(allreduce(static_cast<long>(r + 1), append, world), digits);
    CHECK_EQ(reduce(r, std::plus<>{}, 0, world), r == 0 ? p * (p - 1) / 2 : 0);
    CHECK_EQ(scan(1, std::plus<>{}, world), r + 1);
    CHECK_EQ(exscan(1, std::plus<>{}, world), r);
    auto a = iallreduce(r, std::plus<>{}, world);
    auto b = iscan(1.5, std::plus<>{}, world);
    auto c = iexscan(1, std::plus<>{}, world);
    auto d = ireduce(1, std::plus<>{}, p - 1, world);
    CHECK_EQ(a.get(), p * (p - 1) / 2);
    b.poll();
    CHECK_EQ(b.get(), 1.5 * (r + 1));
    CHECK_EQ(c.get(), r);
    CHECK_EQ(d.get(), r == p - 1 ? p : 0);
    {
        const auto forgotten = iallreduce(1, std::plus<>{}, world);
    } // its destructor waits
}

void buffers()
{
    const comm_ref world(MPI_COMM_WORLD);
    const int p = world.size();
    const int r = world.rank();
    std::vector<particle> all(at(p));
    allgather(particle{0.5 * r, r}, all, world);
    for (int i = 0; i < p; ++i) CHECK_EQ(all[at(i)].n, i);
    std::array<int, 2> values = {r, r};
    bcast(values, 0, world);
    CHECK_EQ(values[1], 0);
    int plain[2] = {r, r};
    bcast(plain, 0, world);
    CHECK_EQ(plain[1], 0);
    with_members m{{r, r}};
    bcast(m, 0, world);
    CHECK_EQ(m.values[1], 0);
    foreign f{r, r};
    bcast(f, 0, world);
    CHECK_EQ(f.second, 0);
    int x = r;
    bcast(typed{&x, 1, MPI_INT}, 0, world);
    CHECK_EQ(x, 0);
    std::string text = r == 0 ? "root" : "    ";
    bcast(text, 0, world);
    CHECK_EQ(text, "root");
    Ints part = {r, r, r};
    bcast(std::span(part).subspan(1, 1), 0, world);
    CHECK(part == Ints({r, 0, r}));
    // Every second element, by a datatype of the user's.
    MPI_Datatype strided = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    part = {r + 1, r + 1, r + 1};
    bcast(typed{part.data(), 1, strided}, 0, world);
    CHECK(part == Ints({1, r + 1, 1}));
    MPI_Type_free(&strided);
}

/// Every cell of a box is met once, in the interior or on the boundary.
template <std::size_t D>
void cells(const point<D>& extents, const ghost_widths<D>& ghosts)
{
    field<int, D> f(extents, ghosts);
    std::size_t n = 0;
    for (auto row : f.interior())
        for (auto cell : row) {
            ++f[cell];
            for (std::size_t k = 0; k < D; ++k)
                CHECK(cell[k] >= ghosts.lower[k] && cell[k] < extents[k] - ghosts.upper[k]);
        }
    for (auto cell : f.boundary()) ++f[cell];
    for (auto row : f.boundary_rows()) n += row.size();
    CHECK_EQ(n, f.boundary().cells());
    CHECK_EQ(f.interior().cells() + f.boundary().cells(), f.owned().cells());
    for (auto row : f.owned())
        for (int x : f[row]) CHECK_EQ(x, 1);
    // Ghosts are untouched: the owned cells are all that was counted.
    std::size_t sum = 0;
    for (std::size_t i = 0; i < (field<int, D>::elements(extents, ghosts)); ++i)
        sum += static_cast<std::size_t>(f.data()[i]);
    CHECK_EQ(sum, f.owned().cells());
}

void fields()
{
    cells<1>({5}, 1);
    cells<2>({3, 4}, 1);
    cells<2>({3, 4}, {{1, 0}, {0, 2}});
    cells<2>({1, 7}, 2);
    cells<2>({0, 7}, 1);
    cells<3>({4, 5, 6}, 1);
    cells<3>({4, 5, 6}, 0);
    cells<3>({2, 5, 1}, {{1, 2, 0}, {0, 1, 1}});
    field<double, 2> a({2, 3}, 1);
    a(0, 0) = 1;
    field<double, 2> b = std::move(a);
    CHECK_EQ(b(0, 0), 1.0);
    CHECK((b.strides() == std::array<std::ptrdiff_t, 2>{5, 1}));
    CHECK_EQ(&b(0, 0) - b.data(), 6);
    std::vector<double> memory(field<double, 2>::elements({2, 3}, 1));
    field<double, 2> c(memory.data(), {2, 3}, 1);
    c[{1, 2}] = 4;
    CHECK_EQ(memory[13], 4.0);
    swap(b, c);
    CHECK_EQ(c(0, 0), 1.0);
}

/// The class of the error that a call throws, or MPI_SUCCESS.
template <class F>
int thrown(F&& call, const char* word)
{
    try {
        call();
    } catch (const error& e) {
        if (std::string(e.what()).find(word) == std::string::npos)
            std::fprintf(stderr, "no %s in: %s\n", word, e.what());
        CHECK(std::string(e.what()).find(word) != std::string::npos);
        return e.error_class();
    }
    return MPI_SUCCESS;
}

int handler_calls = 0;
void count_call(MPI_Comm*, int*, ...) { ++handler_calls; }

void errors()
{
    const ring o;
    MPI_Comm_set_name(o.g, "ring");
    Ints send(3);
    Ints recv(2);
    Ints counts = {1, 1};
    CHECK_EQ(thrown([&] { alltoall(send, recv, o.g); }, "no multiple of the 2 blocks"), MPI_ERR_COUNT);
    CHECK_EQ(thrown([&] { alltoall(send, Ints{1}, recv, counts, o.g); }, "1 entries for 2 blocks"),
             MPI_ERR_COUNT);
    CHECK_EQ(thrown(
                 [&] {
                     alltoall(send, Ints{2, 2}, recv, counts, o.g);
                 },
                 "has 3 elements"),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(thrown([&] { allreduce(send, recv, std::plus<>{}, o.g); }, "3 elements, the receive buffer 2"),
             MPI_ERR_COUNT);
    // Lists that are too short, buffers that are too small: where this process is the root.
    const comm_ref world(MPI_COMM_WORLD);
    const Ints few(at(o.p - 1), 1);
    const Ints twos(at(o.p), 2);
    const Ints no_places(at(o.p), 0);
    Ints room(at(o.p));
    const std::string entries = std::to_string(o.p - 1) + " entries for " + std::to_string(o.p) + " blocks";
    const std::string elements = "has " + std::to_string(o.p) + " elements, and its blocks have " +
                                 std::to_string(2 * o.p);
    const auto short_list = [&](auto&& call) { CHECK_EQ(thrown(call, entries.c_str()), MPI_ERR_COUNT); };
    const auto small_buffer = [&](auto&& call) {
        CHECK_EQ(thrown(call, elements.c_str()), MPI_ERR_TRUNCATE);
    };
    short_list([&] { gather(o.r, room, few, o.r, world); });
    short_list([&] { gather(o.r, room, few, no_places, o.r, world); });
    short_list([&] { gather(o.r, room, twos, few, o.r, world); });
    short_list([&] { scatter(room, few, recv, o.r, world); });
    short_list([&] { scatter(room, few, no_places, recv, o.r, world); });
    short_list([&] { scatter(room, twos, few, recv, o.r, world); });
    short_list([&] { reduce_scatter(room, few, recv, std::plus<>{}, world); });
    small_buffer([&] { gather(recv, room, twos, o.r, world); });
    small_buffer([&] { scatter(room, twos, recv, o.r, world); });
    small_buffer([&] { reduce_scatter(room, twos, recv, std::plus<>{}, world); });
    small_buffer([&] { reduce_scatter(in_place, twos, room, std::plus<>{}, world); });
    int one = 0;
    CHECK_EQ(thrown([&] { reduce_scatter(Ints(at(2 * o.p)), twos, one, std::plus<>{}, world); },
                    "receive buffer has 1 elements, and its blocks have 2"),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(thrown([&] { gather(o.r, room, Ints{1}, o.r, o.g); }, "1 entries for 2 blocks"), MPI_ERR_COUNT);
    // Graphs whose lists do not fit.
    const Ints both = {o.left, o.right};
    const auto no_graph = [&](auto&& call, const char* word) { CHECK_EQ(thrown(call, word), MPI_ERR_ARG); };
    const auto graph = [&](const graph_options& options) {
        neighborhood g(MPI_COMM_WORLD, both, both, options);
    };
    const auto edges = [&](const Ints& degrees, const graph_options& options = {}) {
        neighborhood::from_edges(MPI_COMM_WORLD, Ints{o.r}, degrees, both, options);
    };
    no_graph([&] { graph({.source_weights = Ints{1}, .destination_weights = both}); },
             "1 weights for 2 sources");
    no_graph([&] { graph({.source_weights = both}); }, "0 weights for 2 destinations");
    no_graph([&] { edges({2, 1}); }, "2 degrees for 1 sources");
    no_graph([&] { edges({1}); }, "2 destinations for degrees of 1 in all");
    no_graph([&] { edges({2}, {.destination_weights = Ints{1}}); }, "1 weights for 2 destinations");
    no_graph([&] { edges({2}, {.source_weights = both}); }, "destination_weights alone");
    CHECK_EQ(thrown([&] { bcast(recv, o.p + 3, o.g); }, "ORTHO_Bcast"), MPI_ERR_ROOT);
    try {
        bcast(recv, -7, o.g);
        CHECK(false);
    } catch (const error& e) {
        CHECK_EQ(e.rank(), o.r);
        CHECK_EQ(std::string(e.comm_name()), "ring");
        CHECK(std::string(e.what()).find("of 'ring'") != std::string::npos);
        CHECK(e.code() != MPI_SUCCESS);
    }
    CHECK_EQ(thrown([&] { cart_name<2> none(MPI_COMM_WORLD); }, "ORTHO_Cart_get"), ORTHO_ERR_NAME);
    CHECK_EQ(thrown([&] { cart_name<2> other(o.g); }, "1 dimensions, not 2"), MPI_ERR_DIMS);
    CHECK_EQ(thrown([&] { cart_name<2> none(MPI_COMM_WORLD, {-1, 1}); }, "ORTHO_Cart_name"), MPI_ERR_DIMS);
    CHECK_EQ(thrown(
                 [&] {
                     operation none;
                     none.run();
                 },
                 "ORTHO_Run"),
             MPI_ERR_REQUEST);
    // A handler of the user's is called once, and then there is an exception.
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_call, &handler);
    MPI_Comm_set_errhandler(o.g, handler);
    CHECK_EQ(thrown([&] { alltoall(send, recv, o.g); }, "no multiple"), MPI_ERR_COUNT);
    CHECK_EQ(handler_calls, 1);
    CHECK_EQ(thrown([&] { bcast(recv, -7, o.g); }, "root"), MPI_ERR_ROOT);
    CHECK_EQ(handler_calls, 2);
    MPI_Errhandler_free(&handler);
}

void requests()
{
    const ring o;
    Ints a(2);
    Ints b(2);
    Ints sent = {o.r, o.r};
    {
        pending p = ialltoall(sent, a, o.g);
        pending q = ialltoall(sent, b, o.g);
        wait_all(p, q);
        CHECK(!p && !q);
        CHECK(a == Ints({o.left, o.right}) && a == b);
    }
    {
        std::array<pending, 3> three = {ialltoall(sent, a, o.g), pending(), iallgather(o.r, b, o.g)};
        int over = 0;
        for (int i = wait_any(three); i != -1; i = wait_any(three)) {
            CHECK(i == 0 || i == 2);
            ++over;
        }
        CHECK_EQ(over, 2);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        std::array<int, 2> indices{};
        int over = 0;
        for (int n = wait_some(two, indices); n > 0; n = wait_some(two, indices)) over += n;
        CHECK_EQ(over, 2);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        while (!test_all(two)) progress();
        CHECK(!two[0] && !two[1]);
    }
    {
        std::array<pending, 2> two = {ialltoall(sent, a, o.g), iallgather(o.r, b, o.g)};
        int first = -1;
        while (first == -1) first = test_any(two);
        CHECK(!two[at(first)] && two[at(1 - first)]);
        std::array<int, 2> indices{};
        while (test_some(two, indices) == 0) {}
        CHECK_EQ(indices[0], 1 - first);
    }
    {
        operation x = alltoall_init(sent, a, o.g);
        operation y = allgather_init(o.r, b, o.g);
        run_all(x, y);
        auto both = start_all(x, y);
        wait_all(both);
        auto [p, q] = start_all(x, y);
        while (!p.arrived(0)) progress();
        CHECK_EQ(a[0], o.left);
        wait_all(p, q);
        const std::string why = x.explain();
        CHECK(why.find("alltoall") != std::string::npos);
        std::ostringstream out;
        out << y.explain();
        CHECK(out.str().find("allgather") != std::string::npos);
        // A moved operation goes on; what is overwritten ends.
        operation z = std::move(x);
        pending r = z.start();
        r = z.get() == nullptr ? pending() : std::move(r);
        r.wait();
        y = std::move(z);
        y.run();
    }
    {
        pending p = ialltoall(sent, a, o.g);
        p = ialltoall(sent, b, o.g); // waits for the first
        CHECK(a == Ints({o.left, o.right}));
    } // waits for the second
    CHECK(b == Ints({o.left, o.right}));
}

void names()
{
    const communicator comm = comm_ref(MPI_COMM_WORLD).dup();
    const int p = comm.size();
    CHECK(!cart_name<2>::exists(comm));
    cart_name<2> name(comm, {1, p}, {false, true});
    CHECK(cart_name<2>::exists(comm));
    CHECK(name.is_same_everywhere());
    CHECK_EQ(name.size(), p);
    CHECK((name.sizes() == point<2>{1, p}));
    CHECK((name.periodic() == std::array<bool, 2>{false, true}));
    CHECK_EQ(name.rank({0, p}), 0);
    CHECK_EQ(name.rank({1, 0}), MPI_PROC_NULL);
    CHECK((name.coordinates(p - 1) == point<2>{0, p - 1}));
    CHECK_EQ(name.rank(0, {0, -1}), p - 1);
    CHECK((name.relative(0, p - 1) == point<2>{0, p > 2 ? -1 : p - 1}));
    CHECK_EQ(name.shift(0, {0, 1}).in, p - 1);
    CHECK_EQ(name.shift(0, {0, 1}).out, 1 % p);
    const std::array<point<2>, 2> points = {{{0, 0}, {0, 1}}};
    CHECK(name.ranks(points) == Ints({0, 1 % p}));
    CHECK(name.ranks(p - 1, points) == Ints({p - 1, 0}));
    CHECK((name.neighbors(0, metric::manhattan, 1, 1) == std::vector<point<2>>{{0, -1}, {0, 1}}));
    const auto ball = name.stencil(metric::manhattan, 1);
    CHECK_EQ(ball.size(), std::size_t{5});
    CHECK((name.difference(ball, points) == std::vector<point<2>>{{-1, 0}, {0, -1}, {1, 0}}));
    const communicator row = name.sub({true, false});
    CHECK_EQ(row.size(), p);
    name.remove();
    CHECK(!cart_name<2>::exists(comm));
}

void communicators()
{
    const comm_ref world(MPI_COMM_WORLD);
    const int p = world.size();
    const int r = world.rank();
    CHECK(world.topology() == topology::full);
    const communicator halves = world.split(r % 2, -r);
    CHECK_EQ(halves.size(), (p + 1 - r % 2) / 2);
    CHECK_EQ(world.split_type(MPI_COMM_TYPE_SHARED).in_blocks() > 0, true);
    const ring o;
    const communicator base = o.g.base();
    CHECK(base.topology() == topology::full);
    CHECK_EQ(base.sum(1), p);
    // Of the ring without its last process there is a chain.
    communicator chain = o.g.split(r < p - 1 ? 0 : MPI_UNDEFINED, r);
    CHECK_EQ(static_cast<bool>(chain), r < p - 1);
    if (chain && p > 3) CHECK_EQ(chain.in_blocks(), r == 0 || r == p - 2 ? 1 : 2);
    const communicator same = o.g.subgraph(base);
    CHECK_EQ(same.sum(r), o.left + o.right);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(base, &group);
    CHECK_EQ(o.g.create(group).sum(r), o.left + o.right);
    CHECK_EQ(o.g.create_group(group).sum(r), o.left + o.right);
    MPI_Group_free(&group);
    MPI_Comm released = chain.release();
    CHECK(!chain);
    if (released != MPI_COMM_NULL) MPI_Comm_free(&released);
    // Any graph: everybody sends to process 0, which has a gap in its list, too.
    Ints sources = r == 0 ? numbered(p, 0) : Ints();
    if (r == 0) sources.push_back(MPI_PROC_NULL);
    const Ints destinations = {0};
    const neighborhood star(MPI_COMM_WORLD, sources, destinations);
    CHECK_EQ(star.in_blocks(), r == 0 ? p + 1 : 0);
    CHECK_EQ(star.sum(1), r == 0 ? p : 0);
    CHECK_EQ(star.all().sum(1), p);
    CHECK(star.sources() == sources);
    CHECK(star.out_slots(0) == Ints({0}));
    const Ints weights = {3};
    const Ints from = {r};
    const Ints to = {o.right};
    const Ints one = {1};
    const neighborhood edges = neighborhood::from_edges(MPI_COMM_WORLD, from, one, to,
                                                        {.destination_weights = weights});
    CHECK_EQ(edges.sum(r), o.left);
    CHECK(edges.destination_weights() == weights);
    CHECK(edges.source_weights() == weights);
    CHECK(star.source_weights().empty());
    const auto offsets = stencil_of<1>(o.g);
    CHECK(offsets.size() == 2 && offsets[0] == point<1>{1} && offsets[1] == point<1>{-1});
    CHECK(version().major + version().minor > 0);
    const neighborhood both(MPI_COMM_WORLD, Ints{o.left, o.right});
    CHECK_EQ(both.sum(r), o.left + o.right);
    // Grids: sizes are chosen, and who is outside has none.
    const grid<2> chosen(MPI_COMM_WORLD);
    CHECK_EQ(chosen.sizes()[0] * chosen.sizes()[1], p);
    CHECK_EQ(chosen.stencil().size(), std::size_t{8});
    const grid<2> small(MPI_COMM_WORLD, {.sizes = {1, 1}, .stencil = neumann<2>().with_centre()});
    CHECK_EQ(static_cast<bool>(small), r == 0);
    if (small) CHECK_EQ(small.sum(5), 5);
    const communicator cart = nodecart<1>(MPI_COMM_WORLD, {p}, {true});
    CHECK_EQ(cart_name<1>(cart).size(), p);
    CHECK_EQ((dims_create<2>(MPI_COMM_WORLD, {1, 0})[1]), p);
    CHECK_EQ(moore<3>().size(), std::size_t{26});
    CHECK_EQ(neumann<2>(2).size(), std::size_t{12});
    const info promise{{"ortho_forward", "true"}};
    const grid<1> forwards(MPI_COMM_WORLD, {.periodic = {true}, .info = promise.get()});
    Ints b(2);
    operation with_info = allgather_init(r, b, forwards, promise);
    with_info.run();
}

/// Between two groups, the even and the odd ranks, blocks come from the others.
void between_groups()
{
    const int p = test::size();
    const int r = test::rank();
    if (p < 2) return;
    const communicator half = comm_ref(MPI_COMM_WORLD).split(r % 2, r);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - r % 2, 5, &made);
    const communicator inter(made);
    const int others = (p + r % 2) / 2;
    CHECK(inter.topology() == topology::inter);
    CHECK_EQ(inter.in_blocks(), others);
    CHECK_EQ(inter.out_blocks(), others);
    Ints recv(at(others), -1);
    in_three_forms([&] { allgather(r, recv, inter); }, [&] { return iallgather(r, recv, inter); },
                   [&] { return allgather_init(r, recv, inter); },
                   [&] {
                       for (int i = 0; i < others; ++i) CHECK_EQ(recv[at(i)], 2 * i + 1 - r % 2);
                   },
                   [&] { recv.assign(at(others), -1); });
    const MPI_Comm plain = inter;
    CHECK_EQ(allreduce(1, std::plus<>{}, plain), others);
    // The first even process is the root: it alone has lists.
    const int root = r == 0 ? MPI_ROOT : r % 2 == 0 ? MPI_PROC_NULL : 0;
    recv.assign(at(others), -1);
    gather(r, recv, r == 0 ? Ints(at(others), 1) : Ints(), root, inter);
    for (int i = 0; i < others && r == 0; ++i) CHECK_EQ(recv[at(i)], 2 * i + 1);
    CHECK_EQ(inter.sum(1), others);
    CHECK_EQ(inter.base().sum(1), half.size());
    if (test::is_played()) return; // loopback has no such reduce_scatter
    // Lengths are those of the own group.
    const int own = half.size();
    const Ints ones(at(own * others), 1);
    recv.assign(at(others), -1);
    reduce_scatter(ones, Ints(at(own), others), recv, std::plus<>{}, inter);
    CHECK(recv == Ints(at(others), others));
    recv.assign(at(others), -1);
    reduce_scatter(ones, recv, std::plus<>{}, inter);
    CHECK(recv == Ints(at(others), others));
}

void halos()
{
    // A torus; every element of process r is r; then every ghost is its owner's rank.
    const grid<2> g{MPI_COMM_WORLD, {.periodic = {true, true}}};
    const int r = g.rank();
    field<double, 2> f({3, 4}, 1);
    field<double, 2> second({3, 4}, 1);
    const auto owner = [&](int i, int j) {
        return g.name().rank(r, {i < 0 ? -1 : i >= 3 ? 1 : 0, j < 0 ? -1 : j >= 4 ? 1 : 0});
    };
    const auto set = [&](field<double, 2>& it, double value) {
        for (int i = -1; i <= 3; ++i)
            for (int j = -1; j <= 4; ++j) it(i, j) = -1;
        for (auto row : it.owned())
            for (double& x : it[row]) x = value;
    };
    const auto check = [&](const field<double, 2>& it, double factor) {
        for (int i = -1; i <= 3; ++i)
            for (int j = -1; j <= 4; ++j) CHECK_EQ(it(i, j), factor * owner(i, j));
    };
    auto halo = mpiortho::halo(g, f);
    set(f, r);
    halo.run();
    check(f, 1);
    set(f, 2 * r);
    {
        auto pending = halo.start();
        for ([[maybe_unused]] auto row : f.interior()) pending.poll();
        pending.wait();
    }
    check(f, 2);
    // Several fields in one message.
    field<double, 2> both[2] = {field<double, 2>({3, 4}, 1), field<double, 2>({3, 4}, 1)};
    auto two = mpiortho::halo(g, both);
    set(both[0], r);
    set(both[1], 3 * r);
    two.run();
    check(both[0], 1);
    check(both[1], 3);
    run_all(halo, two);
    // The reverse: each owned element gets what the ghosts of it have.
    field<int, 2> sums({3, 4}, 1);
    for (int i = -1; i <= 3; ++i)
        for (int j = -1; j <= 4; ++j) sums(i, j) = 1;
    auto back = halo_reduce(g, sums, std::plus<>{});
    back.run();
    CHECK_EQ(sums(1, 1), 1); // no ghost of it
    CHECK_EQ(sums(0, 1), 2); // one above
    CHECK_EQ(sums(0, 0), 4); // above, beside, at the corner
    CHECK_EQ(sums(-1, -1), 1);
    // The same where MPI has made the grid, whose border has no neighbors.
    MPI_Comm cart = MPI_COMM_NULL;
    const int sizes[2] = {mpiortho::comm_ref(MPI_COMM_WORLD).size(), 1};
    const int periods[2] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart);
    for (int i = -1; i <= 3; ++i)
        for (int j = -1; j <= 4; ++j) sums(i, j) = 1;
    halo_reduce(cart, sums, std::plus<>{}).run();
    CHECK_EQ(sums(1, 1), 1);
    CHECK_EQ(sums(0, 1), 2); // one above
    CHECK_EQ(sums(1, 0), 1); // none beside
    CHECK_EQ(sums(0, 0), 2);
    MPI_Comm_free(&cart);
    const std::string why = halo.explain();
    CHECK(why.find("halo") != std::string::npos);
}

/// Field q crosses the side that it moves to.
bool crosses_one_side(int q, const point<2>& side) { return side == point<2>{q == 0 ? 1 : -1, 0}; }

/// Views with strides, element types and widths that differ, some directions, other buffers, borders.
void shapes()
{
    const grid<2> g{MPI_COMM_WORLD, {.periodic = {true, false}}};
    const int r = g.rank();
    const auto from = [&](int di, int dj) { return g.name().rank(r, {di, dj}); };
    // 3 x 3 owned elements of 5 x 5, in a larger array, transposed; and a column-major one that owns.
    std::vector<std::int64_t> memory(400, -1);
    const strided_view<std::int64_t, 2> v{memory.data() + 7, {5, 5}, {2, 20}};
    const auto at_v = [&](int i, int j) -> std::int64_t& { return memory[at(7 + 2 * i + 20 * j)]; };
    owning_view w;
    field<ortho_cpp_test::particle, 2> f({3, 3}, {{0, 2}, {1, 0}}); // one ghost layer above, two below
    const std::array fields = {any_field(v), any_field(w), any_field(f)};
    static_assert(view<const strided_view<std::int64_t, 2>> && view<owning_view> && !view<field<int, 2>>);
    auto all = mpiortho::halo(g, fields, {.ghosts = 1});
    for (auto row : owned_cells_of(v, ghost_widths<2>(1)).owned())
        for (auto [i, j] : row) {
            at_v(i, j) = 100 * r + 10 * i + j;
            w(i, j) = static_cast<float>(r);
        }
    for (auto row : f.owned())
        for (particle& x : f[row]) x = {0.5 * r, r};
    all.run();
    const auto comes = [&](int di, int dj) { return from(di, dj) != MPI_PROC_NULL; };
    for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) {
            const int i = di < 0 ? 0 : di > 0 ? 4 : 2;
            const int j = dj < 0 ? 0 : dj > 0 ? 4 : 2;
            const int si = di < 0 ? 3 : di > 0 ? 1 : 2; // where it lies at its owner
            const int sj = dj < 0 ? 3 : dj > 0 ? 1 : 2;
            CHECK_EQ(at_v(i, j), comes(di, dj) ? 100 * from(di, dj) + 10 * si + sj : -1);
            CHECK_EQ(w(i, j), comes(di, dj) ? static_cast<float>(from(di, dj)) : 0.0F);
        }
    // Views do not know their ghosts, fields do.
    CHECK_EQ(thrown([&] { mpiortho::halo(g, v); }, "pass {.ghosts = 1}"), MPI_ERR_ARG);
    CHECK_EQ(thrown([&] { mpiortho::halo(g, fields); }, "pass {.ghosts = 1}"), MPI_ERR_ARG);
    CHECK_EQ(thrown([&] { mpiortho::halo(g, f, {.ghosts = 1}); }, "are not those that the fields have"),
             MPI_ERR_ARG);
    field<double, 2> no_ghosts({3, 3}, 0);
    mpiortho::halo(g, no_ghosts).run();
    mpiortho::halo(g, f, {.ghosts = f.ghosts()}).run();
    mpiortho::halo(g, w, {.ghosts = point<2>{1, 0}}).run();
    CHECK_EQ(memory[6], -1); // nothing between the elements is touched
    CHECK_EQ(memory[8], -1);
    if (comes(0, -1)) CHECK_EQ(f(1, -2).n, from(0, -1));
    CHECK_EQ(f(3, 1).n, from(1, 0));
    // Borders: nothing fills what lies beyond them.
    std::size_t beyond = 0;
    for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) beyond += comes(di, dj) ? 0U : 1U;
    CHECK_EQ(all.unfilled(0).size(), beyond);
    for (const auto& side : all.unfilled(1)) CHECK(!comes(side[0], side[1]));
    // Some regions.
    field<double, 2> q[2] = {field<double, 2>({3, 3}), field<double, 2>({3, 3})};
    for (auto& each : q)
        for (auto row : each.owned())
            for (double& x : each[row]) x = r + 1;
    const auto expect_some = [&](auto&& crosses) {
        for (auto& each : q) each(3, 1) = each(-1, 1) = each(-1, -1) = 0;
        mpiortho::halo_options<2> options;
        options.crosses = crosses;
        mpiortho::halo(g, q, options).run();
        CHECK_EQ(q[0](3, 1), from(1, 0) + 1.0);
        CHECK_EQ(q[0](-1, 1), 0.0);
        CHECK_EQ(q[1](-1, 1), from(-1, 0) + 1.0);
        CHECK_EQ(q[1](3, 1), 0.0);
        CHECK_EQ(q[1](-1, -1), 0.0);
    };
    int asked = 0;
    expect_some([&asked](int i, auto side) mutable { return ++asked, crosses_one_side(i, side); });
    CHECK_EQ(asked, 2 * 8);
    expect_some(crosses_one_side);
    expect_some(&crosses_one_side);
    // Other arrays of the same shapes.
    field<double, 2> a({3, 3});
    field<double, 2> b({3, 3});
    for (auto row : a.owned())
        for (auto cell : row) {
            a[cell] = r;
            b[cell] = 10 * r;
        }
    auto turns = mpiortho::halo(g, a);
    turns.run();
    turns.rebind(b);
    {
        pending p = turns.start();
        p.wait();
    }
    CHECK_EQ(a(3, 0), static_cast<double>(from(1, 0)));
    CHECK_EQ(b(3, 0), 10.0 * from(1, 0));
    // On MPI's Cartesian communicators, and with dimensions that change places.
    const communicator cart = nodecart<2>(MPI_COMM_WORLD, g.sizes(), {true, false}, false);
    field<int, 2> c({2, 4});
    for (auto row : c.owned())
        for (int& x : c[row]) x = r;
    auto faces = mpiortho::halo(cart, c, {.dimension = {1, 0}});
    faces.run();
    CHECK_EQ(c(0, 4), from(1, 0)); // array dimension 1 runs along grid dimension 0
    if (comes(0, 1)) CHECK_EQ(c(2, 0), from(0, 1));
    // Other buffers of a collective.
    const ring o;
    Ints first(2, -1);
    Ints second(2, -1);
    const Ints sent = {o.r, o.r};
    const Ints others = {o.r + 50, o.r + 50};
    operation x = alltoall_init(sent, first, o.g);
    x.run();
    x.rebind(others, second);
    x.run();
    CHECK(first == Ints({o.left, o.right}));
    CHECK(second == Ints({o.left + 50, o.right + 50}));
    int one = o.r;
    int two = o.r + 7;
    operation y = bcast_init(one, 0, MPI_COMM_WORLD, info{{"ortho_rebind", "true"}});
    y.rebind(two);
    y.run();
    CHECK_EQ(one, o.r);
    CHECK_EQ(two, 7);
}

/// Memory that the processes of a node share, as buffer and as field.
void shared()
{
    const ring o;
    shared_memory<int> send(o.g, 2);
    shared_memory<int> recv(o.g, 2);
    send[0] = send[1] = o.r;
    alltoall(send, recv, o.g);
    CHECK_EQ(recv[0], o.left);
    CHECK_EQ(recv[1], o.right);
    shared_memory<double> memory(o.g, field<double, 1>::elements({4}, 1));
    field<double, 1> f(memory.data(), {4}, 1);
    for (int i = -1; i <= 4; ++i) f(i) = o.r;
    auto halo = mpiortho::halo(o.g, f);
    halo.run();
    CHECK_EQ(f(-1), static_cast<double>(o.left));
    CHECK_EQ(f(4), static_cast<double>(o.right));
    const shared_memory<double> none(o.g, 0);
    CHECK(none.data() == nullptr);
}

void windows()
{
    if (test::is_played()) return; // loopback has none
    const ring o;
    Ints memory = {o.r, -1, 0, 0};
    window<int> w(o.g, memory);
    w.return_errors();
    Ints got(1, -1);
    w.fence();
    w.put(o.r, o.right, 1);
    w.get(got, o.left, 0);
    const Ints ones = {1, 1};
    w.accumulate(ones, o.left, 2, std::plus<>{});
    w.fence(MPI_MODE_NOSUCCEED);
    CHECK_EQ(memory[1], o.left);
    CHECK_EQ(got[0], o.left);
    CHECK_EQ(memory[2], 1);
    window<double> own(o.g, 2);
    own.local()[0] = own.local()[1] = 0;
    barrier(o.g.all());
    {
        auto lock = own.lock(o.right, true);
        double before = -1;
        own.fetch_and_op(1.5, before, o.right, 0, std::plus<>{});
        own.flush(o.right);
        CHECK_EQ(before, 0.0);
        lock.unlock();
    }
    {
        const auto lock = own.lock_all();
        const double value = 2.5;
        double before = -1;
        MPI_Request requests[] = {own.rput(value, o.right, 1)};
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
        own.flush_all();
        own.get(before, o.right, 1);
        own.flush_local_all();
        CHECK_EQ(before, 2.5);
    }
    window<int> counters(o.g, 1);
    counters.local()[0] = 5;
    barrier(o.g.all());
    {
        const auto lock = counters.lock(o.right);
        int before = -1;
        counters.compare_and_swap(6, 5, before, o.right, 0);
        counters.flush(o.right);
        CHECK_EQ(before, 5);
        const int add = 10;
        counters.get_accumulate(add, before, o.right, 0, std::plus<>{});
        counters.flush(o.right);
        CHECK_EQ(before, 6);
    }
    barrier(o.g.all());
    CHECK_EQ(counters.local()[0], 16);
    // A lock holds when its window is moved.  It is given back once.
    {
        auto lock = counters.lock(o.right);
        window<int> moved = std::move(counters);
        int there = -1;
        moved.get(there, o.right, 0);
        lock.unlock();
        lock.unlock();
        CHECK_EQ(there, 16);
        counters = std::move(moved);
    }
    // An array of fixed size is one element, whose numbers are all added.
    using three = std::array<double, 3>;
    window<three> arrays(o.g, 2);
    arrays.local()[0] = arrays.local()[1] = {1, 2, 3};
    barrier(o.g.all());
    {
        const auto lock = arrays.lock(o.right);
        const three add = {10, 20, 30};
        three before = {};
        arrays.fetch_and_op(add, before, o.right, 0, std::plus<>{});
        arrays.flush(o.right);
        CHECK((before == three{1, 2, 3}));
        arrays.accumulate(add, o.right, 0, std::plus<>{});
        arrays.put(add, o.right, 1);
        arrays.flush(o.right);
        const std::vector<three> list = {{1, 1, 1}, {2, 2, 2}};
        arrays.accumulate(list, o.right, 0, std::plus<>{});
    }
    barrier(o.g.all());
    CHECK((arrays.local()[0] == three{22, 43, 64}));
    CHECK((arrays.local()[1] == three{12, 22, 32}));
    // Who is no neighbor is refused.
    if (o.p > 3) {
        window<int> far(o.g, 1);
        far.return_errors();
        far.fence();
        const int x = 1;
        CHECK_EQ(thrown([&] { far.put(x, (o.r + 2) % o.p, 0); }, "ORTHO_Put"), ORTHO_ERR_NEIGHBOR);
        far.fence(MPI_MODE_NOSUCCEED);
    }
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    test::return_errors(MPI_COMM_NULL);
    types();
    full(MPI_COMM_WORLD);
    full(comm_ref(MPI_COMM_WORLD));
    full(large(MPI_COMM_WORLD));
    on_ring();
    values();
    buffers();
    errors();
    requests();
    names();
    fields();
    communicators();
    between_groups();
    halos();
    shapes();
    shared();
    windows();
    return test::finish();
}
