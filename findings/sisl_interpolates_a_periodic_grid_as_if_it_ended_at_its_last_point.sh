#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: sisl 0.20.0 with SciPy 1.17.1 and NumPy 2.4.6.
# Expected: Grid.interp to twice as many points of the same periodic cell, where mode="wrap" "accounts for
# periodic conditions", tells values at each half step: of 0 1 2 1 come 0 0.5 1 1.5 2 1.5 1 0.5.
# Seen: the last new point gets the value of the last old one, 1, a half step too far, and all others are
# stretched between. A cosine on 16 points is wrong by 0.16 on 32. The mode makes no difference here.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile sisl==0.20.0 scipy==1.17.1 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import sisl


def on_twice(values, **how):
    cell = sisl.Lattice([1, 1, 1], boundary_condition="periodic")
    grid = sisl.Grid([len(values), 1, 1], lattice=cell)
    grid.grid[:, 0, 0] = values
    finer = grid.interp([2 * len(values), 1, 1], **how)
    assert np.array_equal(finer.cell, grid.cell) and all(finer.pbc)
    return finer.grid[:, 0, 0]


for mode in "wrap", "constant":
    print(f"0 1 2 1, {mode}:", *on_twice([0.0, 1, 2, 1], mode=mode).round(2))
for points in 16, 64:
    old, new = (np.cos(2 * np.pi * np.arange(n) / n) for n in (points, 2 * points))
    print(f"a cosine on {points} points: wrong by {abs(on_twice(old, order=3) - new).max():.3f}")
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
0 1 2 1, wrap: 0.0 0.43 0.86 1.29 1.71 1.86 1.43 1.0
0 1 2 1, constant: 0.0 0.43 0.86 1.29 1.71 1.86 1.43 1.0
a cosine on 16 points: wrong by 0.157
a cosine on 64 points: wrong by 0.038
END
cmp -s expected seen
