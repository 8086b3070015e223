#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: xgcm 0.10.1 with xarray 2026.9.0 and NumPy 2.4.6.
# Expected: ghosts from a face that is turned by 90 degrees are where they belong, of what stands on "left"
# edges along the seam, too, such as the tangential component of a velocity: of v = y they are y, as of cells.
# Seen: they are off by one place: at y = 1 and 2 stand 2 and 3. The other face counts against y, so its left
# edge is the right one here, and pad reverses the row without that shift. The fold of a tripolar grid, new in
# this version, has it. The component across the seam, and cells, are right.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile xgcm==0.10.1 xarray==2026.9.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import xarray
import xgcm
from xgcm.padding import pad

# Face 0 has x = 0 ... 3 and y = 0 ... 3. Face 1 stands right of it: its axis Y is x - 3, its axis X is 3 - y.
n = 3
cell, edge = np.arange(n) + 0.5, np.arange(n)  # centers and left edges along either axis of a face
names = {"X": {"center": "x", "left": "xl"}, "Y": {"center": "y", "left": "yl"}}
coordinates = {"x": cell, "y": cell, "xl": edge, "yl": edge, "face": [0, 1]}
seam = {"face": {0: {"X": (None, (1, "Y", False))}, 1: {"Y": ((0, "X", False), None)}}}
grid = xgcm.Grid(
    xarray.Dataset(coords=coordinates), coords=names, face_connections=seam, padding="fill",
    autoparse_metadata=False,
)  # fmt: skip


def field(face0, face1, *dims):  # each is a function of the axes (Y, X) of its face
    y, x = (cell if dim in "xy" else edge for dim in dims)
    there = [function(*np.meshgrid(y, x, indexing="ij")) for function in (face0, face1)]
    return xarray.DataArray(np.array(there), dims=("face", *dims))


def beyond(array, dim, **other):
    ghosts = pad(array, grid, {"X": (0, 1), "Y": (0, 0)}, **other)
    return ghosts.isel({"face": 0, dim: -1}).values


height = field(lambda y, x: y, lambda y, x: 3 - x, "y", "x")
print("y of cells:", *beyond(height, "x"))
u = field(lambda y, x: 10 + y, lambda y, x: -(3 - x), "y", "xl")  # (u, v) = (10 + y, y); face 1 has (-v, u)
v = field(lambda y, x: y, lambda y, x: 10 + 3 - x, "yl", "x")
print("u at y = 0.5, 1.5, 2.5:", *beyond({"X": u}, "xl", other_component={"Y": v}))
print("v at y = 0, 1, 2:", *beyond({"Y": v}, "x", other_component={"X": u}))
corner = field(lambda y, x: y, lambda y, x: 3 - x, "yl", "xl")
print("y of corners at y = 0, 1, 2:", *beyond(corner, "xl"))
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
y of cells: 0.5 1.5 2.5
u at y = 0.5, 1.5, 2.5: 10.5 11.5 12.5
v at y = 0, 1, 2: 1.0 2.0 3.0
y of corners at y = 0, 1, 2: 1 2 3
END
cmp -s expected seen
