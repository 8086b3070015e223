#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Atlas 0.47.0 (packages atlaslib-ecmwf 0.47.0.33 and eckitlib 2.5.0.33 of PyPI), compiled here.
# Expected: a ghost of StructuredColumns has the coordinates of the point that it copies, or these half a turn
# away where it lies behind a pole: on a row that starts at 22.5 every 45 degrees (S8x4), -22.5 and 382.5.
# Seen: it is so in rows of points, and on grids that start at 0. Behind a pole of S8x4 ghosts at both ends of
# the row are at -45 and 405, with the values for -22.5 and 382.5. The ones between are right.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile atlaslib-ecmwf==0.47.0.33 eckitlib==2.5.0.33 || exit 2
cat >t.cc <<'END'
#include <cstdio>
#include "atlas/array.h"
#include "atlas/field.h"
#include "atlas/functionspace/StructuredColumns.h"
#include "atlas/grid.h"
#include "atlas/library.h"
#include "atlas/option.h"
using namespace atlas;
int main(int argc, char **argv)
{
    atlas::initialize(argc, argv);
    for (const char *name : {"L8x5", "S8x4"}) {
        functionspace::StructuredColumns points(Grid(name), option::halo(1));
        Field field = points.createField<double>(option::name("longitude"));
        auto u = array::make_view<double, 1>(field);
        auto xy = array::make_view<double, 2>(points.xy());
        for (idx_t n = 0; n < points.sizeOwned(); n++)
            u(n) = xy(n, 0);
        field.haloExchange();
        for (idx_t j = points.j_begin_halo(); j < points.j_begin_halo() + 2; j++) {
            std::printf("%s, latitude %.4g:", name, xy(points.index(0, j), 1));
            for (idx_t i : {points.i_begin_halo(j), 0, points.i_end_halo(j) - 1}) {
                idx_t n = points.index(i, j);
                std::printf("  at %g from %g", xy(n, 0), u(n));
            }
            std::puts("");
        }
    }
    atlas::finalize();
    return 0;
}
END
at=$(echo "$PWD"/v/lib/python3*/site-packages)
g++ -std=c++17 -I"$at/atlaslib_ecmwf/include" -I"$at/eckitlib/include" t.cc -o t \
    -L"$at/atlaslib_ecmwf/lib64" -L"$at/eckitlib/lib64" -latlas -leckit -Wl,--allow-shlib-undefined || exit 2
export LD_LIBRARY_PATH="$at/atlaslib_ecmwf/lib64:$at/eckitlib/lib64:$at/eckitlib.libs"
timeout 60 ./t >seen || exit 2
cat seen
cat >expected <<'END'
L8x5, latitude 135:  at -45 from 135  at 0 from 180  at 360 from 180
L8x5, latitude 90:  at -45 from 315  at 0 from 0  at 360 from 0
S8x4, latitude 112.5:  at -45 from 157.5  at 22.5 from 202.5  at 405 from 202.5
S8x4, latitude 67.5:  at -22.5 from 337.5  at 22.5 from 22.5  at 382.5 from 22.5
END
cmp -s expected seen
