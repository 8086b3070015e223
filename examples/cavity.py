# SPDX-License-Identifier: BSD-3-Clause
"""Flow in a square whose lid moves: mpiexec -n 4 python cavity.py [N] [REYNOLDS].

A two-dimensional lattice-Boltzmann method (D2Q9).  Each of the nine populations needs ghosts from the sides
that it flows in from alone, so that a third of the elements travels.  At the end the velocity in the
middle is
compared with Ghia, Ghia and Shin (1982), Reynolds number 100.
"""

import sys

import numpy as np
from mpi4py import MPI

import mpiortho

# Velocity along x on the vertical line through the middle, by height.
GHIA_Y = [
    0.0547,
    0.0625,
    0.0703,
    0.1016,
    0.1719,
    0.2813,
    0.4531,
    0.5,
    0.6172,
    0.7344,
    0.8516,
    0.9531,
    0.9609,
    0.9688,
    0.9766,
]
GHIA_U = [-0.03717, -0.04192, -0.04775, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641, 0.00332,
          0.23151,
          0.68717, 0.73722, 0.78871, 0.84123]  # fmt: skip
C = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]

n = int(sys.argv[1]) if len(sys.argv) > 1 else 96
reynolds = float(sys.argv[2]) if len(sys.argv) > 2 else 100
lid = 0.1
tau = 0.5 + 3 * lid * n / reynolds
g = mpiortho.grid(MPI.COMM_WORLD, (0, 0))
everybody = mpiortho.Communicator(MPI.COMM_WORLD)
mine = g.block((n, n))
shape = tuple(s.stop - s.start for s in mine)
f = [g.zeros(shape, ghosts=1) for _ in range(9)]
inflow = [
    [s for s in mpiortho.moore(2).tolist() if all(x in (0, -c) for x, c in zip(s, C[q])) and any(s)]
    for q in range(9)
]
halo = g.halo([mpiortho.Field(f[q], ghosts=1, directions=inflow[q]) for q in range(9)])
for q in range(9):
    f[q][1:-1, 1:-1] = W[q]
wall = [[g.neighbor((-1, 0)) < 0, g.neighbor((1, 0)) < 0], [g.neighbor((0, -1)) < 0, g.neighbor((0, 1)) < 0]]
before, u = np.zeros(shape), np.zeros((2, *shape))
for step in range(200000):
    rho = sum(a[1:-1, 1:-1] for a in f)
    u = sum(C[q][:, None, None] * f[q][1:-1, 1:-1] for q in range(9)) / rho
    square = 1.5 * (u * u).sum(0)
    for q in range(9):
        cu = 3 * (C[q][0] * u[0] + C[q][1] * u[1])
        f[q][1:-1, 1:-1] += (W[q] * rho * (1 + cu + 0.5 * cu * cu - square) - f[q][1:-1, 1:-1]) / tau
    halo.run()
    moved = []
    for q in range(9):
        (cx, cy), o = C[q], OPPOSITE[q]
        came = f[q][1 - cx : 1 - cx + shape[0], 1 - cy : 1 - cy + shape[1]].copy()
        bounced = np.zeros(shape, bool)
        if cx and wall[0][int(cx < 0)]:
            bounced[0 if cx > 0 else -1] = True
        if cy and wall[1][int(cy < 0)]:
            bounced[:, 0 if cy > 0 else -1] = True
        came[bounced] = f[o][1:-1, 1:-1][bounced]
        if cy < 0 and wall[1][1]:  # the lid
            came[:, -1] += 6 * W[q] * cx * lid
        moved.append(came)
    for q in range(9):
        f[q][1:-1, 1:-1] = moved[q]
    if step % 500 == 499:
        change = float(everybody.allreduce(np.abs(u[0] - before).max(initial=0), op=MPI.MAX))
        before = u[0].copy()
        if change < 1e-5 * lid:
            break
whole = np.zeros((n, n)) if g.rank == 0 else None
g.field_gather(np.ascontiguousarray(u[0]), whole)
if g.rank == 0:
    middle = (whole[(n - 1) // 2] + whole[n // 2]) / 2 / lid
    heights = (np.arange(n) + 0.5) / n
    error = np.abs(np.interp(GHIA_Y, heights, middle) - GHIA_U).max()
    print(
        f"{n} x {n} on {g.dims[0]} x {g.dims[1]} processes, {step + 1} steps: at most {error:.4f} from Ghia "
        "et al."
    )
