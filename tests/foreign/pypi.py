# SPDX-License-Identifier: BSD-3-Clause
"""Packages of others at work: each process prints a digest of all arrays that it gets."""

import hashlib
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
digest = hashlib.sha256()


def got(*arrays):
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())


def particles():
    """mpipartition: particles go to the owners of their boxes, then copies of them to neighbors."""
    import mpipartition

    axes = "xy" if size == 4 else "x"  # no dimension may be one process wide
    partition = mpipartition.Partition(len(axes), create_neighbor_topo=True)
    random = np.random.default_rng(7 + rank)
    for n in (40, 3000, 41):
        data = {axis: random.random(n) for axis in axes}
        data["number"] = np.arange(n) + 100000 * rank
        home = mpipartition.distribute(partition, 1.0, data, list(axes))
        around = mpipartition.overload(partition, 1.0, home, 0.05, list(axes))
        for found in (home, around):
            got(*(found[key] for key in sorted(found)))


def arrays():
    """mpiarray: arrays that are divided otherwise, and their halos."""
    import mpiarray

    for shape in ((8, 6, 5), (48, 31, 20)):
        whole = np.arange(np.prod(shape), dtype=float).reshape(shape)
        first = mpiarray.array(whole, split=0, halo=1, periodic=True)
        for _ in range(3):
            other = first.redistribute(mpiarray.Layout(shape, split=1))
            back = other.redistribute(first.layout)
            back.update_halos()
            got(other.local, back.local_with_halos, back.sum(axis=0).gather())


def stencils():
    """pylops-mpi: the Laplace operator, its adjoint, and halos on a grid of processes."""
    import pylops_mpi

    dims = (24, 12 * size)
    laplace = pylops_mpi.MPILaplacian(dims=dims, axes=(0, 1))
    x = pylops_mpi.DistributedArray(global_shape=int(np.prod(dims)))
    x[:] = np.sin(np.arange(x.local_shape[0]) + rank)
    y = laplace @ x
    halo = pylops_mpi.MPIHalo(dims=dims, halo=1, proc_grid_shape=(1, size), comm=world)
    got(y.local_array, (laplace.H @ y).local_array, (halo @ x).local_array)


{"particles": particles, "arrays": arrays, "stencils": stencils}[sys.argv[1]]()
print(rank, digest.hexdigest())
