# SPDX-License-Identifier: BSD-3-Clause
"""your_code.py PROGRAM: the program has a halo of parts of arrays of one shape, on a periodic grid.  Each
element gets its number in all arrays, and each ghost must get that of its element."""

import runpy
import sys

import numpy as np

has = runpy.run_path(sys.argv[1])
grid, halo, shape, ghosts = has["grid"], has["halo"], has["shape"], has["ghosts"]
block = grid.block(shape)
at = np.indices([part.stop - part.start + 2 * ghosts for part in block]) - ghosts
at += np.reshape([part.start for part in block], (-1,) + (1,) * len(shape))
number = np.ravel_multi_index(tuple(at), shape, mode="wrap") + 1.0
for i, u in enumerate(halo.arrays):
    u[...] = -1
    halo.owned(i)[...] = number[halo.region([0] * len(shape), i)] + i * np.prod(shape)
halo.run()
assert len(halo.arrays) == 2
for i, u in enumerate(halo.arrays):
    assert (u == number + i * np.prod(shape)).all(), f"array {i} on rank {grid.rank}"
print("right", flush=True)
