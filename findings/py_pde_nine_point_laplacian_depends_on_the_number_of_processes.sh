#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: py-pde 0.59.0 with numba-mpi 1.3.1, mpi4py 4.1.2 and MPICH 5.0.2.
# Expected: a step of DiffusionPDE is the same on one process and on two, whatever the stencil: corners of
# ghosts between two blocks come from the neighbor.
# Seen: corners are never received. The nine-point Laplacian fills them by the mean of the two ghosts beside
# them. Where blocks meet that is another number: of u = x^2 y^2 two cells beside the cut are wrong by 3.75.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile py-pde==0.59.0 numba==0.68.1 numba-mpi==1.3.1 numpy==2.4.6 mpi4py==4.1.2 \
    mpich==5.0.2 || exit 2
cat >t.py <<'END'
import numpy as np
import pde
from mpi4py import MPI

w = 1 / 3  # weight of the corners
pde.config["operators.cartesian.laplacian_2d_corner_weight"] = w
grid = pde.UnitGrid([6, 4])
x, y = np.meshgrid(np.arange(6.0), np.arange(4.0), indexing="ij")
u = x**2 * y**2
size = MPI.COMM_WORLD.size
how = {"solver": "explicit"} if size == 1 else {"solver": "explicit_mpi", "decomposition": [size, 1]}
equation = pde.DiffusionPDE(1, bc={"derivative": 0})
result = equation.solve(pde.ScalarField(grid, u), t_range=1, dt=1, adaptive=False, tracker=None, **how)
if MPI.COMM_WORLD.rank == 0:
    stencil = [[w / 2, 1 - w, w / 2], [1 - w, 2 * (w - 2), 1 - w], [w / 2, 1 - w, w / 2]]
    ghosts = np.pad(u, 1, mode="edge")  # a derivative of 0
    right = u + sum(stencil[i][j] * ghosts[i : i + 6, j : j + 4] for i in range(3) for j in range(3))
    wrong = [(i, j, round(float(e), 6)) for (i, j), e in np.ndenumerate(result.data - right) if abs(e) > 1e-9]
    print(size, "processes: wrong by", wrong)
END
for processes in 1 2; do
    NUMBA_OPT=0 timeout 150 mpiexec -n $processes python -W ignore t.py >>seen || exit 2
done
cat seen
printf '%s\n' '1 processes: wrong by []' '2 processes: wrong by [(2, 3, -3.75), (3, 3, 3.75)]' | cmp -s - seen
