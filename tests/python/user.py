# SPDX-License-Identifier: BSD-3-Clause
"""A program of a user's, for mypy --strict, which is run as well."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

import mpiortho


def relax(g: mpiortho.Grid, u: npt.NDArray[np.float64], steps: int) -> float:
    halo: mpiortho.Halo = g.halo(u, ghosts=1)
    other = u.copy()
    arrays = [u, other]
    for step in range(steps):
        now, then = arrays[step % 2], arrays[1 - step % 2]
        with_ghosts: list[tuple[int, ...]] = halo.unfilled()
        halo.start(now)
        halo.wait()
        for direction in with_ghosts:
            now[halo.region(direction)] = 0
        then[1:-1, 1:-1] = (now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]) / 4
    with halo as active:
        assert active.active
    return float(np.abs(halo.owned()).sum())


def main() -> None:
    g = mpiortho.grid(MPI.COMM_WORLD, (0, 0), periodic=(True, False), stencil="neumann")
    u = g.zeros((8, 8), ghosts=1)
    u[1:-1, 1:-1] = 1
    mine = relax(g, u, 10)
    total = float(mpiortho.Communicator(MPI.COMM_WORLD).allreduce(mine))
    request: mpiortho.Request = g.ibarrier()
    request.wait()
    try:
        mpiortho.name(MPI.COMM_SELF, (2,))
    except mpiortho.Error as error:
        code: int = error.error_class
        assert code == MPI.ERR_DIMS, str(error)
    if g.rank == 0:
        assert 0 < total < 64 * g.size
        print(f"{g.dims[0]} x {g.dims[1]} processes, {total:.6f}")


main()
