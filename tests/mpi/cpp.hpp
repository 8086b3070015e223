// SPDX-License-Identifier: BSD-3-Clause
// The C++ interface: what main() of cpp_test calls, and what several of its files need.
#pragma once

#include <mpiortho.hpp>

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
using Ints = std::vector<int>;

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }
inline Ints numbered(int n, int first)
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

/// On the ring every process has offsets +1 and -1: block 0 comes from the left, block 1 from the right.
struct ring {
    grid<1> g;
    int p = test::size(), r = test::rank(), left = (r + p - 1) % p, right = (r + 1) % p;
    explicit ring()
        : g(MPI_COMM_WORLD, {.sizes = {test::size()}, .periodic = {true}, .stencil = stencil<1>{{1}, {-1}}})
    {}
};

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

// main() calls these.

// cpp_collectives.cpp, which has it for MPI_Comm, comm_ref and large.
template <class C>
void full(const C& comm);
void on_ring();
// cpp_blocks.cpp
void divided();
// cpp_communicators.cpp
void names();
void communicators();
void between_groups();
// cpp_errors.cpp
void errors();
// cpp_halos.cpp
void fields();
void halos();
void shapes();
void turns();
void sides();
void halos_of_parts();
void boundaries_of_halos();
void kernels();
void wholes_of_halos();
// cpp_index_maps.cpp
void index_maps();
void sparse_exchanges();
void migration();
// cpp_mosaics.cpp
void mosaics();
// cpp_requests.cpp
void requests();
// cpp_values.cpp
void types();
void values();
void buffers();
// cpp_windows.cpp
void shared();
void windows();

} // namespace ortho_cpp_test
