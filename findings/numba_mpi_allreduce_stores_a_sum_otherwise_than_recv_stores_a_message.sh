#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: numba-mpi 1.3.1 with numba 0.68.1 and MPICH 5.0.2.
# Expected: allreduce(a.T, b.T) makes b the sum of the a, as recv into b.T makes b what a.T sent. Other
# collectives refuse arrays that are not contiguous.
# Seen: allreduce reads in the order of a.T, and stores in the order of the memory of b: the sums end up
# transposed, in Python and in compiled functions.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile numba-mpi==1.3.1 numba==0.68.1 numpy==2.4.6 mpi4py==4.1.2 mpich==5.0.2 || exit 2
cat >t.py <<'END'
import numba
import numba_mpi
import numpy as np


def add(a, b):
    numba_mpi.allreduce(a, b, numba_mpi.Operator.SUM)


def send(a, b):
    if numba_mpi.rank() == 0:
        numba_mpi.send(a, 1, 1)
    else:
        numba_mpi.recv(b, 0, 1)


a = np.array([[1.0, 2], [3, 4]])
for name, function in ("compiled allreduce", numba.njit(add)), ("allreduce", add), ("recv", send):
    b = np.zeros((2, 2))
    function(a.T, b.T)
    if numba_mpi.rank() == 1:
        print(f"{name}: from", *a.T.tolist(), "comes", *b.T.tolist())
END
NUMBA_OPT=0 timeout 150 mpiexec -n 2 python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
compiled allreduce: from [1.0, 3.0] [2.0, 4.0] comes [2.0, 4.0] [6.0, 8.0]
allreduce: from [1.0, 3.0] [2.0, 4.0] comes [2.0, 4.0] [6.0, 8.0]
recv: from [1.0, 3.0] [2.0, 4.0] comes [1.0, 3.0] [2.0, 4.0]
END
cmp -s seen expected
