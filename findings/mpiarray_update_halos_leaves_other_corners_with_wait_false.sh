#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: mpiarray 0.2.1 with cunumpy 0.7.1, mpi4py 4.1.2 and MPICH 5.0.2.
# Expected: update_halos(wait=False) and wait() leave what update_halos() leaves. "The result is the same as
# with wait=True, corners included", says its manual, and "at walls the halo cells are left unchanged".
# Seen: ghosts behind a wall and beside another block come from that block with wait=True, and stay what they
# were with wait=False. A program that fills the ghosts at walls itself has two old corners on each process.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile mpiarray==0.2.1 cunumpy==0.7.1 maybempi==0.1.2 mpi4py==4.1.2 numpy==2.4.6 \
    mpich==5.0.2 || exit 2
cat >t.py <<'END'
import mpiarray
from mpi4py import MPI

comm = MPI.COMM_WORLD
for wait in True, False:
    u = mpiarray.fromfunction(lambda i, j: 10.0 * i + j + 11, (3, 4), halo=1, split=1)
    mine = u.local_with_halos  # columns 1 and 2 on rank 0, 3 and 4 on rank 1
    mine[0, 1:-1] = -mine[1, 1:-1]  # the wall in front: u = 0 between the ghost and the cell
    handle = u.update_halos(wait=wait)
    if handle:
        handle.wait()
    lines = comm.gather(mine[:2].astype(int).tolist())
    if comm.rank == 0:
        for rank, (ghosts, cells) in enumerate(lines):
            print(f"wait={wait} rank {rank}: cells", *cells, " ghosts at the wall", *ghosts, flush=True)
END
timeout 100 mpiexec -n 2 python t.py >seen || exit 2
cat seen
cat >expected <<'END'
wait=True rank 0: cells 0 11 12 13  ghosts at the wall 0 -11 -12 -13
wait=True rank 1: cells 12 13 14 0  ghosts at the wall -12 -13 -14 0
wait=False rank 0: cells 0 11 12 13  ghosts at the wall 0 -11 -12 0
wait=False rank 1: cells 12 13 14 0  ghosts at the wall 0 -13 -14 0
END
cmp -s expected seen
