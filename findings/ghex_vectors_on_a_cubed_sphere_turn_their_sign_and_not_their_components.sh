#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: GHEX 0.9.0 in C++, compiled here with MPICH 5.0.2, g++ and Boost's headers.
# Expected: a vector field on a cubed sphere is turned where the axes of two tiles are: beyond the side -x of
# tile 0 the axes of tile 4 are turned by 90 degrees, so (51, 52) there is (52, -51) here, as in FV3, MITgcm.
# Seen: ghosts get (51, -52): a component changes its sign, and each stays in its place. What runs along the
# side is taken for what crosses it.
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
#include <ghex/structured/cubed_sphere/field_descriptor.hpp>
#include <ghex/structured/cubed_sphere/halo_generator.hpp>
#include <ghex/structured/pattern.hpp>
#include <cstdio>
using namespace ghex::structured::cubed_sphere;
int main()
{
    MPI_Init(nullptr, nullptr);
    {
        ghex::context context(MPI_COMM_WORLD, false);
        const int n = 2, wide = n + 2; // 2 x 2 cells a tile, a ghost around
        std::vector<domain_descriptor> domains;
        for (int tile = 0; tile < 6; tile++) domains.emplace_back(cube{n, 1}, tile, 0, n - 1, 0, n - 1);
        auto pattern = ghex::make_pattern<ghex::structured::grid>(context, halo_generator(1), domains);
        auto communication = ghex::make_communication_object<decltype(pattern)>(context);
        std::vector<std::vector<float>> uv(6, std::vector<float>(2 * wide * wide));
        std::vector<field_descriptor<float, ghex::cpu>> fields;
        for (int tile = 0; tile < 6; tile++) { // x component 11, 21 ...; y component 12, 22 ...
            for (int c = 0; c < 2; c++)
                for (int y = 1; y <= n; y++)
                    for (int x = 1; x <= n; x++) uv[tile][(c * wide + y) * wide + x] = 10 * tile + 11 + c;
            fields.emplace_back(domains[tile], uv[tile].data(), std::array<int, 3>{1, 1, 0},
                                std::array<int, 3>{wide, wide, 1}, 2, true /* a vector */);
        }
        std::vector<decltype(pattern(fields[0]))> each;
        for (auto& field : fields) each.push_back(pattern(field));
        communication.exchange(each.begin(), each.end()).wait();
        const int x[] = {0, wide - 1};
        for (int side = 0; side < 2; side++)
            std::printf("tile 0 beyond %cx, in tile %d: (%g, %g)\n", "-+"[side], tile_lu[0][side],
                        uv[0][wide + x[side]], uv[0][(wide + 1) * wide + x[side]]);
    }
    MPI_Finalize();
}
END_OF_CPP
MPICH_CC=g++ mpicc -std=c++17 -w t.cpp -o t -Ig/include -Ighex-0.9.0/ext/gridtools/include -Lg/lib -lghex \
    -loomph_mpi -loomph_common -lhwmalloc -Wl,-rpath,"$work/g/lib" || exit 2
timeout 60 mpiexec -n 1 ./t >seen || exit 2
cat seen
grep -q 'beyond -x, in tile 4: (51, -52)$' seen && grep -q 'beyond +x, in tile 1: (21, 22)$' seen
