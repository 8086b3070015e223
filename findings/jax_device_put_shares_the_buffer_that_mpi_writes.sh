#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: jax 0.10.2 with NumPy 2.4.6, mpi4py 4.1.2 and MPICH 5.0.2, on CPUs.
# Expected: device_put of a receive buffer copies it, as jnp.asarray does; arrays of JAX never change.
# Seen: it shares the memory if that is aligned to 64 bytes: the next receive changes the array of JAX.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 mpi4py==4.1.2 mpich==5.0.2 || exit 2
cat >t.py <<'END'
import jax
import jax.numpy as jnp
import numpy as np
from mpi4py import MPI

me = MPI.COMM_SELF
for name, take in ("device_put", jax.device_put), ("asarray", jnp.asarray), ("array", jnp.array):
    for offset in 0, 4:  # bytes from an address that 64 divides
        memory = np.zeros(4096, dtype="u1")
        first = -memory.ctypes.data % 64 + offset
        ghosts = memory[first : first + 256].view("f4")
        taken = take(ghosts)
        taken.block_until_ready()
        me.Sendrecv(np.full(64, 7, dtype="f4"), 0, 0, ghosts, 0, 0)  # the next step
        print(f"{name}, offset {offset}:", float(taken[0]))
END
JAX_PLATFORMS=cpu timeout 100 v/bin/mpiexec -n 1 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^device_put, offset 0: 7' seen && grep -q '^device_put, offset 4: 0' seen &&
    grep -q '^array, offset 0: 0' seen
