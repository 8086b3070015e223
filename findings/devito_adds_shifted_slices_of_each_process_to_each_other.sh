#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Devito 4.8.23 with mpi4py 4.1.2, MPICH 5.0.2 and NumPy 2.4.3, on two processes.
# Expected: f.data is indexed by global places, whatever the number of processes: h.data[:] = f.data[::-1]
# turns the row round, and h.data[2:6] = f.data[1:5] + f.data[3:7] adds the neighbors on both sides.
# Seen: the first is so, and so is 2 * f.data[::-1]. A sum adds what each process has of its two slices, in
# its order: 4 5 6 8 in place of 4 6 8 10. += of a row turned round turns each part. Nothing is said.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile devito==4.8.23 mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.3 || exit 2
cat >t.py <<'END'
from mpi4py import MPI
import numpy as np
from devito import Function, Grid, configuration

configuration["log-level"] = "ERROR"
comm = MPI.COMM_WORLD
if comm.size > 1:
    configuration["mpi"] = "basic"
grid = Grid(shape=(8,))
f, h = (Function(name=name, grid=grid, space_order=2) for name in "fh")
f.data[:] = np.arange(8)


def show(what):
    parts = comm.gather(np.array(h.data).astype(int))
    if comm.rank == 0:
        print(f"{what}:", *np.concatenate(parts), flush=True)
    h.data[:] = 0


h.data[:] = 2 * f.data[::-1]
show("twice the row, turned")
h.data[2:6] = 2 * f.data[1:5]
show("twice the left neighbor")
h.data[2:6] = f.data[1:5] + f.data[3:7]
show("both neighbors")
h.data[:] = f.data + f.data[::-1]
show("the row and itself turned")
h.data[:] += f.data[::-1]
show("0 and the row, turned")
END
export TMPDIR="$work"
timeout 100 mpiexec -n 1 python -W ignore t.py >one || exit 2
timeout 100 mpiexec -n 2 python -W ignore t.py >two || exit 2
echo "1 process"; cat one; echo "2 processes"; cat two
[ "$(sed -n 1,2p one)" = "$(sed -n 1,2p two)" ] &&
    [ "$(sed -n 3,5p one | cut -d: -f2)" = " 0 0 4 6 8 10 0 0
 7 7 7 7 7 7 7 7
 7 6 5 4 3 2 1 0" ] && [ "$(sed -n 3,5p two | cut -d: -f2)" = " 0 0 4 5 6 8 0 0
 3 3 3 3 11 11 11 11
 3 2 1 0 7 6 5 4" ]
