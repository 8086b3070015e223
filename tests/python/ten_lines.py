# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from mpi4py import MPI

import mpiortho

g = mpiortho.grid(MPI.COMM_WORLD, (0, 0), periodic=True)
u = np.full((6, 6), g.rank)
g.halo(u, ghosts=1).run()
assert u[0, 0] == g.neighbor((-1, -1)) and u[0, 1] == g.neighbor((-1, 0)) and u[5, 5] == g.neighbor((1, 1))
print(f"rank {g.rank} of {g.size}: right")
