#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: xugrid 0.15.3 with numba-celltree 0.4.2, xarray 2026.9.0 and NumPy 2.4.6.
# Expected: to_periodic() joins the nodes at the right end to those at the left end. Areas, centers and
# regridding of the cells stay what they were.
# Seen: cells before the right end become polygons back to the left end: of 4 x 1 squares the last one has the
# area 3, its center at 1.5, and lies on the three others. OverlapRegridder onto the plane grid gives 4.5, the
# mean of 0 and 9, in place of 0, and nothing at the end.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile xugrid==0.15.3 numba-celltree==0.4.2 xarray==2026.9.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import xarray
import xugrid

x, y = np.tile(np.arange(5.0), 2), np.repeat([0.0, 1.0], 5)
grid = xugrid.Ugrid2d(x, y, -1, np.array([[i, i + 1, i + 6, i + 5] for i in range(4)]))
ring = grid.to_periodic()
print("nodes", grid.n_node, ring.n_node, " edges", grid.n_edge, ring.n_edge)
print("areas", grid.area, ring.area, " centers", grid.face_x, ring.face_x)
for name, source in ("plane", grid), ("periodic", ring):
    u = xarray.DataArray([0.0, 0, 0, 9], dims=source.face_dimension)
    regridder = xugrid.OverlapRegridder(xugrid.UgridDataArray(u, source), grid)
    print(f"0 0 0 9 on the {name} grid becomes", regridder.regrid(xugrid.UgridDataArray(u, source)).values)
END
timeout 200 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
nodes 10 8  edges 13 12
areas [1. 1. 1. 1.] [1. 1. 1. 3.]  centers [0.5 1.5 2.5 3.5] [0.5 1.5 2.5 1.5]
0 0 0 9 on the plane grid becomes [0. 0. 0. 9.]
0 0 0 9 on the periodic grid becomes [4.5 4.5 4.5 nan]
END
cmp -s expected seen
