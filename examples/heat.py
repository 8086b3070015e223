# SPDX-License-Identifier: BSD-3-Clause
"""Heat on a ring-shaped plate: mpiexec -n 4 python heat.py [N] [STEPS].

One side is kept at 100 degrees, the other at 0.  Two arrays take turns.  What needs no ghosts is computed
while they travel.  At the end rank 0 computes all by itself, and compares.
"""

import sys

import numpy as np
from mpi4py import MPI

import mpiortho


def relax(new, old, rows, columns):
    """Elements of `new` in slices that lie inside the ghosts."""
    above, below = slice(rows.start - 1, rows.stop - 1), slice(rows.start + 1, rows.stop + 1)
    left, right = slice(columns.start - 1, columns.stop - 1), slice(columns.start + 1, columns.stop + 1)
    new[rows, columns] = old[rows, columns] + 0.2 * (
        old[above, columns]
        + old[below, columns]
        + old[rows, left]
        + old[rows, right]
        - 4 * old[rows, columns]
    )


def begin(array, mine):
    i, j = np.meshgrid(
        np.arange(mine[0].start, mine[0].stop), np.arange(mine[1].start, mine[1].stop), indexing="ij"
    )
    array[1:-1, 1:-1] = (i * i + 3 * j) % 17


n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
g = mpiortho.grid(MPI.COMM_WORLD, (0, 0), periodic=(False, True), stencil="neumann")
mine = g.block((n, n))
p, q = (s.stop - s.start for s in mine)
now, then = g.zeros((p, q), ghosts=1), g.zeros((p, q), ghosts=1)
begin(now, mine)
halo = g.halo(now, ghosts=1)
for direction in halo.unfilled():
    for array in (now, then):
        array[halo.region(direction)] = 100 if direction == (-1, 0) else 0
for _ in range(steps):
    halo.start(now)
    relax(then, now, slice(2, p), slice(2, q))
    halo.wait()
    relax(then, now, slice(1, 2), slice(1, q + 1))
    relax(then, now, slice(p, p + 1), slice(1, q + 1))
    relax(then, now, slice(1, p + 1), slice(1, 2))
    relax(then, now, slice(1, p + 1), slice(q, q + 1))
    now, then = then, now
whole = np.zeros((n, n)) if g.rank == 0 else None
g.field_gather(now, whole, ghosts=1)
if g.rank == 0:
    alone, other = np.zeros((n + 2, n + 2)), np.zeros((n + 2, n + 2))
    begin(alone, (slice(0, n), slice(0, n)))
    for _ in range(steps):
        alone[0], alone[-1] = 100, 0
        alone[:, 0], alone[:, -1] = alone[:, -2], alone[:, 1]
        relax(other, alone, slice(1, n + 1), slice(1, n + 1))
        alone, other = other, alone
    different = int((alone[1:-1, 1:-1] != whole).sum())
    print(f"{n} x {n} on {g.dims[0]} x {g.dims[1]} processes, {steps} steps: {different} values differ")
