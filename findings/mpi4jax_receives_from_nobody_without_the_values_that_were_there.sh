#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: mpi4jax 0.9.1 with JAX 0.10.2, mpi4py 4.1.2 and MPICH 5.0.2.
# Expected: sendrecv and recv from MPI_PROC_NULL, at the end of a line, return what the array that stands for
# the receive buffer holds, as MPI leaves a buffer: so walls keep their ghosts.
# Seen: what is returned has neither these values nor always zeros. The array tells shape and type alone.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install mpich==5.0.2 mpi4py==4.1.2 jax==0.10.2 numpy==2.4.6 setuptools==80.9.0 wheel==0.45.1 \
    cython==3.2.0 nanobind==2.9.2 scikit-build-core==0.11.6 cmake==4.1.2 ninja==1.13.0 || exit 2
MPI4JAX_BUILD_MPICC="$work/v/bin/mpicc" pip -q install --no-build-isolation mpi4jax==0.9.1 || exit 2
cat >t.py <<'END'
import jax
import jax.numpy as jnp
import mpi4jax
from mpi4py import MPI

comm = MPI.COMM_WORLD
left = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
right = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL


def from_the_left(u, ghosts):
    return mpi4jax.sendrecv(u, ghosts, source=left, dest=right, comm=comm)


u, ghosts = jnp.full(4, comm.rank + 1.0), jnp.full(4, -7.0)
for how, exchange in ("eager", from_the_left), ("jit", jax.jit(from_the_left)):
    got = exchange(u, ghosts)
    kept = bool((got == ghosts).all())
    line = "kept" if kept else "neighbor's" if comm.rank and (got == comm.rank).all() else "others"
    lines = comm.gather(f"{how} {'inside' if comm.rank else 'wall'} {line}\n")
    if comm.rank == 0:
        print(*lines, sep="", end="", flush=True)
END
JAX_PLATFORMS=cpu timeout 100 mpiexec -n 2 python t.py >seen || exit 2
cat seen
[ "$(grep -c "inside neighbor's" seen)" = 2 ] && [ "$(grep -c 'wall others' seen)" = 2 ]
