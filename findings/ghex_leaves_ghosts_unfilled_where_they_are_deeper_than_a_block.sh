#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: GHEX 0.9.0 in C++, compiled here with MPICH 5.0.2, g++ and Boost's headers.
# Expected: ghosts deeper than a neighbor's block come from the block behind it; or make_pattern refuses them.
# Seen: nothing is refused, and ghosts keep what they had. Of 8 cells on a ring in two blocks 3 and 4 layers
# are all filled, and 5 are not.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install mpich==5.0.2 cmake==4.1.2 && pip -q download --no-deps --no-binary ghex ghex==0.9.0 || exit 2
tar -xzf ghex-0.9.0.tar.gz && cmake -S ghex-0.9.0 -B b -DGHEX_USE_BUNDLED_LIBS=ON -DCMAKE_INSTALL_PREFIX=g \
    -DCMAKE_INSTALL_LIBDIR=lib -DMPI_CXX_COMPILER="$work/v/bin/mpicc" -DMPI_CXX_SKIP_MPICXX=ON >log 2>&1 &&
    timeout 1000 cmake --build b -j 2 --target install >log 2>&1 || { tail log; exit 2; }
cat >t.cpp <<'END_OF_CPP'
#include <ghex/communication_object.hpp>
#include <ghex/context.hpp>
#include <ghex/structured/pattern.hpp>
#include <ghex/structured/regular/domain_descriptor.hpp>
#include <ghex/structured/regular/field_descriptor.hpp>
#include <ghex/structured/regular/halo_generator.hpp>
#include <cstdio>
using namespace ghex::structured;
using One = std::integral_constant<int, 1>;
using Place = std::array<int, 1>;
int main()
{
    MPI_Init(nullptr, nullptr);
    for (int depth = 3; depth <= 5; depth++) {
        ghex::context context(MPI_COMM_WORLD, false);
        const int n = 4, wide = n + 2 * depth; // 8 cells on a ring, in two blocks
        std::vector<regular::domain_descriptor<int, One>> blocks;
        for (int b = 0; b < 2; b++) blocks.emplace_back(b, Place{b * n}, Place{b * n + n - 1});
        regular::halo_generator<int, One> all(Place{0}, Place{7}, std::array{depth, depth}, std::array{true});
        auto pattern = ghex::make_pattern<grid>(context, all, blocks);
        auto communication = ghex::make_communication_object<decltype(pattern)>(context);
        std::vector<std::vector<double>> u(2, std::vector<double>(wide, -1));
        const auto field = [&](int b) {
            for (int i = 0; i < n; i++) u[b][depth + i] = b * n + i;
            return ghex::wrap_field<ghex::cpu, gridtools::layout_map<0>>(blocks[b], u[b].data(), Place{depth},
                                                                         Place{wide});
        };
        auto low = field(0), high = field(1);
        communication.exchange(pattern(low), pattern(high)).wait();
        int unfilled = 0, wrong = 0;
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < wide; i++) {
                unfilled += u[b][i] == -1;
                wrong += u[b][i] != -1 && u[b][i] != (b * n + i - depth + 4 * n) % (2 * n);
            }
        std::printf("%d ghosts around %d cells: %d unfilled, %d wrong\n", depth, n, unfilled, wrong);
    }
    MPI_Finalize();
}
END_OF_CPP
MPICH_CC=g++ mpicc -std=c++17 -w t.cpp -o t -Ig/include -Ighex-0.9.0/ext/gridtools/include -Lg/lib -lghex \
    -loomph_mpi -loomph_common -lhwmalloc -Wl,-rpath,"$work/g/lib" || exit 2
timeout 60 mpiexec -n 1 ./t >seen || exit 2
cat seen
grep -q '^3 .*: 0 unfilled, 0 wrong$' seen && grep -q '^4 .*: 0 unfilled, 0 wrong$' seen &&
    grep -q '^5 .*: [1-9][0-9]* unfilled, 0 wrong$' seen
