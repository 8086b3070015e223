#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: DUNE 2.9.0 (Debian's libdune-grid-dev 2.9.0-2), YaspGrid on one process.
# Expected: the corners of a cell are where its vertices are, in the overlap across a periodic boundary, too.
# Seen: on a ring of length 4 the overlap cell before 0 has corners 3 and 4, and its vertices are at -1 and 0.
# The other one has corners 0 and 1, and vertices at 4 and 5. It is so with an offset, and on refined grids.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && apt-get download libdune-common-dev=2.9.0-2 libdune-geometry-dev=2.9.0-2 \
    libdune-grid-dev=2.9.0-2 libatlas3-base=3.10.3-13 >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.cpp <<'END_OF_CPP'
#include <cstdio>
#include <dune/common/parallel/mpihelper.hh>
#include <dune/grid/yaspgrid.hh>
template <class Grid> void print(const char* name, const Grid& grid)
{
    for (const auto& cell : elements(grid.leafGridView())) {
        const auto corner = [&](int i) { return cell.geometry().corner(i)[0]; };
        const auto vertex = [&](int i) { return cell.template subEntity<1>(i).geometry().corner(0)[0]; };
        const char* kind = cell.partitionType() == Dune::InteriorEntity ? "interior" : "overlap";
        std::printf("%s, %s: corners %g %g, ", name, kind, corner(0), corner(1));
        std::printf("vertices %g %g\n", vertex(0), vertex(1));
    }
}
int main(int argc, char** argv)
{
    Dune::MPIHelper::instance(argc, argv);
    using Coordinates = Dune::EquidistantOffsetCoordinates<double, 1>;
    Dune::YaspGrid<1> ring({4.0}, {4}, std::bitset<1>("1"), 1 /* layer of overlap */);
    print("ring", ring);
    print("offset", Dune::YaspGrid<1, Coordinates>({10.0}, {14.0}, {4}, std::bitset<1>("1"), 1));
}
END_OF_CPP
lib=usr/lib/x86_64-linux-gnu
g++ -std=c++17 -w -Iusr/include t.cpp -o t -L$lib -ldunecommon -Wl,-rpath-link,$lib:$lib/atlas || exit 2
LD_LIBRARY_PATH=$lib:$lib/atlas timeout 20 ./t >seen || exit 2
cat seen
grep -q '^ring, overlap: corners 3 4, vertices -1 0$' seen &&
    grep -q '^ring, overlap: corners 0 1, vertices 4 5$' seen &&
    grep -q '^ring, interior: corners 3 4, vertices 3 4$' seen &&
    grep -q '^offset, overlap: corners 13 14, vertices 9 10$' seen
