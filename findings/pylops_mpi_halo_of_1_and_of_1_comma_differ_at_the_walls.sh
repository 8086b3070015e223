#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: pylops-mpi 0.8.0 with mpi4py 4.1.2 and MPICH 5.0.2.
# Expected: in one dimension MPIHalo(dims, 1), MPIHalo(dims, (1,)) and MPIHalo(dims, (1, 1)) are the same, and
# ghosts at the walls are 0 by default, as its manual says.
# Seen: with a number there are no ghosts at the walls, with a tuple there are. Of 6 values on two processes
# each process gets 4 or 5, and on the first one all values stand one place further on.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile pylops-mpi==0.8.0 mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
from mpi4py import MPI
from pylops_mpi import DistributedArray
from pylops_mpi.basicoperators import MPIHalo

comm = MPI.COMM_WORLD
u = DistributedArray(global_shape=6, dtype=float)
u[:] = np.arange(3.0) + 3 * comm.rank + 1
for halo in 1, (1,), (1, 1):
    lines = comm.gather((MPIHalo((6,), halo) @ u).local_array.astype(int).tolist())
    if comm.rank == 0:
        print(f"{halo}:", *lines, flush=True)
END
timeout 100 mpiexec -n 2 python -W ignore t.py >seen || exit 2
cat seen
grep -qx '1: \[1, 2, 3, 4\] \[3, 4, 5, 6\]' seen &&
    grep -qx '(1,): \[0, 1, 2, 3, 4\] \[3, 4, 5, 6, 0\]' seen &&
    grep -qx '(1, 1): \[0, 1, 2, 3, 4\] \[3, 4, 5, 6, 0\]' seen
