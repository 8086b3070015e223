// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: what main() of cpp_test calls, and what several of its files need.
#pragma once

#include <mpiortho.hpp>

#include <source_location>

namespace ortho_cpp_test {

struct particle {
    double x;
    int n;
};

} // namespace ortho_cpp_test

template <>
inline constexpr bool mpiortho::travels_as_bytes<ortho_cpp_test::particle> = true;

namespace ortho_cpp_test {

using namespace mpiortho;

inline Ints numbered(int n, int first)
{
    Ints list(at(n));
    std::iota(list.begin(), list.end(), first);
    return list;
}

/// Make a call in its three forms, the persistent one twice and in both ways, and check what it gives.
template <class Now, class Start, class Prepare, class Reset, class Check>
void in_three_forms(Now now, Start start, Prepare prepare, Reset reset, Check check)
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

#define IN_THREE_FORMS(call, arguments, reset, check)                                                        \
    in_three_forms([&] { call arguments; }, [&] { return i##call arguments; },                               \
                   [&] { return call##_init arguments; }, reset, check)

/// On the ring every process has offsets +1 and -1: block 0 comes from the left, block 1 from the right.
struct ring {
    grid<1> g;
    int p = test::size(), r = test::rank(), left = (r + p - 1) % p, right = (r + 1) % p;
    explicit ring()
        : g(MPI_COMM_WORLD, {.sizes = {test::size()}, .periodic = {true}, .stencil = stencil<1>{{1}, {-1}}})
    {}
};

constexpr int any_class = -1;

/// The call throws an error of this class, which has these words.
template <class F>
void throws(int wanted, const std::string& words, F&& call,
            const std::source_location& where = std::source_location::current())
{
    const auto line = static_cast<int>(where.line());
    try {
        static_cast<void>(call());
        test::expect_equal(int{MPI_SUCCESS}, wanted, "the class of the error", where.file_name(), line);
    } catch (const error& e) {
        if (wanted != any_class)
            test::expect_equal(e.error_class(), wanted, "the class of the error", where.file_name(), line);
        const std::string said = e.what();
        if (said.find(words) == std::string::npos)
            test::fail(where.file_name(), line, "no \"" + words + "\" in: " + said);
    }
}

/// Gives the owned elements of a field a value, or each what a function says of its place.
template <class T, std::size_t D, class Value>
void set_owned(field<T, D>& f, const Value& value)
{
    for (auto row : f.owned())
        for (auto cell : row)
            if constexpr (std::is_invocable_v<Value, const point<D>&>)
                f[cell] = static_cast<T>(value(cell));
            else
                f[cell] = static_cast<T>(value);
}

/// Shaped like std::mdspan, with any strides.
template <class T, std::size_t D>
struct strided_view {
    using reference = T&;

    T* first = nullptr;
    std::array<std::size_t, D> extents{};
    std::array<std::size_t, D> strides{};

    static constexpr std::size_t rank() { return D; }
    std::size_t extent(std::size_t k) const { return extents[k]; }
    std::size_t stride(std::size_t k) const { return strides[k]; }
    T* data_handle() const { return first; }
    T& operator()(std::size_t i, std::size_t j) const { return first[i * strides[0] + j * strides[1]]; }
};

/// A list has these numbers.
#define HAS(list, ...) CHECK(((list) == Ints{__VA_ARGS__}))

// main() calls these.

void between_groups();
void blocks_of_grids();
void buffers();
void collectives();
void communicators();
void errors();
void fields_and_halos();
void index_maps();
void migration();
void mosaics();
void names();
void shared();
void sparse_exchanges();
void types();
void values();
void windows();

} // namespace ortho_cpp_test
