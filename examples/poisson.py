# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation on the unit square, by conjugate gradients: mpiexec -n 4 python poisson.py [N].

The operator is SciPy's LinearOperator.  A halo brings what neighbors own, and dot products are over all.
The solution is x (1 - x) sin(pi y); the error falls with 1 / N^2.
"""

import sys

import numpy as np
from mpi4py import MPI
from scipy.sparse.linalg import LinearOperator

import mpiortho

n = int(sys.argv[1]) if len(sys.argv) > 1 else 64
g = mpiortho.grid(MPI.COMM_WORLD, (0, 0), stencil="neumann")
everybody = mpiortho.Communicator(MPI.COMM_WORLD)
rows, columns = g.block((n, n))
shape = (rows.stop - rows.start, columns.stop - columns.start)
u = g.zeros(shape, ghosts=1)  # ghosts at the border stay 0
halo = g.halo(u, ghosts=1)


def apply(x):
    u[1:-1, 1:-1] = x.reshape(shape)
    halo.run()
    return (
        (4 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]) * (n + 1) ** 2
    ).ravel()


def dot(a, b):
    return float(everybody.allreduce(a @ b))


A = LinearOperator((shape[0] * shape[1],) * 2, matvec=apply, rmatvec=apply, dtype=float)
x, y = np.meshgrid(*(np.arange(s.start + 1, s.stop + 1) / (n + 1) for s in (rows, columns)), indexing="ij")
exact = (x * (1 - x) * np.sin(np.pi * y)).ravel()
b = ((2 + np.pi**2 * x * (1 - x)) * np.sin(np.pi * y)).ravel()
solution, residual = np.zeros_like(b), b.copy()
direction, norm, steps = residual.copy(), dot(residual, residual), 0
while norm > 1e-20 * dot(b, b):
    moved = A @ direction
    alpha = norm / dot(direction, moved)
    solution += alpha * direction
    residual -= alpha * moved
    norm, before, steps = dot(residual, residual), norm, steps + 1
    direction = residual + norm / before * direction
error = float(everybody.allreduce(np.abs(solution - exact).max(initial=0), op=MPI.MAX))
if g.rank == 0:
    print(f"{n} x {n} on {g.dims[0]} x {g.dims[1]} processes: {steps} steps, error {error:.2e}")
