// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: datatypes of elements, values and operators, and what may be a buffer.
#include <complex>

#include "cpp.hpp"

namespace ortho_cpp_test {

namespace {

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

} // namespace

} // namespace ortho_cpp_test

template <>
inline constexpr bool mpiortho::travels_as_bytes<ortho_cpp_test::pair> = true;
template <>
struct mpiortho::buffer_traits<ortho_cpp_test::foreign> {
    static int* data(ortho_cpp_test::foreign& f) { return &f.first; }
    static int count(const ortho_cpp_test::foreign&) { return 2; }
    static MPI_Datatype type(const ortho_cpp_test::foreign&) { return MPI_INT; }
};

namespace ortho_cpp_test {

namespace {

int size_of(MPI_Datatype type)
{
    int size = 0;
    MPI_Type_size(type, &size);
    return size;
}

} // namespace

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

void values()
{
    const comm_ref world(MPI_COMM_WORLD);
    const int p = world.size(), r = world.rank();
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
    const int p = world.size(), r = world.rank();
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
    test::Type strided = test::committed(MPI_Type_vector, 2, 1, 2, MPI_INT);
    part = {r + 1, r + 1, r + 1};
    bcast(typed{part.data(), 1, strided}, 0, world);
    CHECK(part == Ints({1, r + 1, 1}));
}

} // namespace ortho_cpp_test
