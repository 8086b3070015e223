#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: yt 4.4.3 with NumPy 2.4.6.
# Expected: a grid that reaches beyond a periodic domain has copies of the other end there: of cells 10 ... 17
# from 0 to 8, arbitrary_grid from -1 to 9 has 17 and 10 as ghosts, as covering_grid of the same cells has.
# Seen: an arbitrary grid as long as the period, or shorter, is right wherever it starts. Of a longer one each
# cell of the domain is used once: ghosts are 0, and half of a ghost is half of its density. A covering grid
# is right at any length, but 0 farther away than one period. Nothing is said.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile yt==4.4.3 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import yt

yt.set_log_level(50)
field = ("gas", "density")
values = (10.0 + np.arange(8))[:, None, None] * np.ones((8, 2, 2))
box = np.array([[0.0, 8], [0, 2], [0, 2]])
data = yt.load_uniform_grid({field: values}, values.shape, bbox=box, periodicity=(True,) * 3)
for first, last in (0, 8), (-2, 6), (-1, 9), (-0.5, 8.5), (-10, -2):
    cells = int(last - first)
    grids = {"arbitrary": data.arbitrary_grid([first, 0, 0], [last, 2, 2], dims=[cells, 2, 2])}
    if first == int(first):
        grids["covering"] = data.covering_grid(0, [first, 0, 0], [cells, 2, 2])
    for kind, grid in grids.items():
        print(f"{first} ... {last}, {kind}:", *(f"{value:g}" for value in grid[field][:, 0, 0].d))
END
HOME=$work timeout 200 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
0 ... 8, arbitrary: 10 11 12 13 14 15 16 17
0 ... 8, covering: 10 11 12 13 14 15 16 17
-2 ... 6, arbitrary: 16 17 10 11 12 13 14 15
-2 ... 6, covering: 16 17 10 11 12 13 14 15
-1 ... 9, arbitrary: 0 10 11 12 13 14 15 16 17 0
-1 ... 9, covering: 17 10 11 12 13 14 15 16 17 10
-0.5 ... 8.5, arbitrary: 5 10.5 11.5 12.5 13.5 14.5 15.5 16.5 8.5
-10 ... -2, arbitrary: 0 0 10 11 12 13 14 15
-10 ... -2, covering: 0 0 10 11 12 13 14 15
END
cmp -s expected seen
