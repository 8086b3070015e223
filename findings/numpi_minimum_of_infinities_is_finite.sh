#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: NuMPI 0.18.1 with mpi4py 4.1.2, MPICH 5.0.2 and NumPy 2.4.6.
# Expected: min of Reduction is numpy.min over all processes: where no process knows a limit of the time step,
# all have inf, and the minimum is inf. So it is for numpy.min, and for MPI_MIN.
# Seen: it is 1.798e308, the largest finite number, and the maximum of -inf is -1.798e308: each process begins
# with that for the sake of empty arrays. So isinf() and isfinite() of the result tell the opposite, on one
# process, too. Infinite sums stay infinite.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile numpi==0.18.1 mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
from mpi4py import MPI
from NuMPI.Tools import Reduction

comm = MPI.COMM_WORLD
for where, of in ("all processes", Reduction(comm)), ("one process", Reduction()), ("numpy", np):
    steps = np.full(3, np.inf)
    found = [float(of.min(steps)), float(of.max(-steps)), float(of.sum(steps))]
    if comm.rank == 0:
        print(f"{where}: min of inf {found[0]:.4g}, max of -inf {found[1]:.4g}, sum of inf {found[2]}")
least = comm.allreduce(np.inf, op=MPI.MIN)
if comm.rank == 0:
    print("MPI_MIN of inf:", least)
END
timeout 100 mpiexec -n 2 python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
all processes: min of inf 1.798e+308, max of -inf -1.798e+308, sum of inf inf
one process: min of inf 1.798e+308, max of -inf -1.798e+308, sum of inf inf
numpy: min of inf inf, max of -inf -inf, sum of inf inf
MPI_MIN of inf: inf
END
cmp -s expected seen
