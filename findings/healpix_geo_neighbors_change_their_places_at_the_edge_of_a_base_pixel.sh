#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: healpix-geo 0.4.1 with astropy-healpix 2.0.1 and NumPy 2.4.6.
# Expected: kth_neighbourhood(cell, depth, 1) tells the cell and its eight neighbors by directions, -1 where
# there is none: S, SW, W, NW, N, NE, E, SE, as it does within a base pixel. "The 5th element" is the cell.
# Seen: the cell is the first one. At the edges of the twelve base pixels neighbors stand in groups by base
# pixel, and -1 is the last one: in 548 of 3072 rows at depth 4. Astropy-healpix keeps to directions.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile healpix-geo==0.4.1 astropy-healpix==2.0.1 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import astropy_healpix
import numpy as np
from healpix_geo.nested import kth_neighbourhood

names = np.array(["SW", "W", "NW", "N", "NE", "E", "SE", "S"])
depth = 4
cells = np.arange(12 * 4**depth)
directions = astropy_healpix.neighbours(cells, 2**depth, order="nested").T
rows = kth_neighbourhood(cells.astype(np.uint64), depth, 1)
for cell in 3, 0, 85:
    told = [names[list(directions[cell]).index(n)] if n >= 0 else "-" for n in rows[cell, 1:]]
    missing = names[directions[cell] < 0]
    print(f"cell {cell}: first {rows[cell, 0]}, then", *told, " there is none in", *missing)
there = np.roll(directions, 1, axis=1)  # S, SW, W ...
same = sum(set(a) == set(b) for a, b in zip(there.tolist(), rows[:, 1:].tolist()))
print("the same neighbors:", same, " at the same places:", np.sum(np.all(there == rows[:, 1:], axis=1)))
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
cell 3: first 3, then S SW W NW N NE E SE  there is none in
cell 0: first 0, then S SW W E SE NW N NE  there is none in
cell 85: first 85, then N NE S SE SW W NW -  there is none in E
the same neighbors: 3072  at the same places: 2524
END
cmp -s expected seen
