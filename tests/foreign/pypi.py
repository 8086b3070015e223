# SPDX-License-Identifier: BSD-3-Clause
"""Packages of others at work: each process prints a digest of all arrays that it gets."""

import contextlib
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


def waves():
    """Devito: the code that it writes for each of its ways to exchange ghosts, a source and receivers
    anywhere.  Ways that compute while they exchange round otherwise than the others.  Arguments are ways, or
    none for all."""
    import devito

    devito.configuration["log-level"] = "ERROR"
    places = np.random.default_rng(5).random((11, 2)) * (39, 29)
    for mode in sys.argv[2:] or ("basic", "diag", "diag2", "overlap", "overlap2", "full"):
        devito.configuration["mpi"] = mode
        grid = devito.Grid(shape=(40, 30), extent=(39, 29))
        u = devito.TimeFunction(name="u", grid=grid, time_order=2, space_order=4)
        sources, receivers = (
            devito.SparseTimeFunction(name=name, grid=grid, npoint=len(at), nt=60, coordinates=at)
            for name, at in (("s", places[:3]), ("r", places))
        )
        sources.data[:] = np.repeat(np.sin(np.arange(60.0))[:, None], 3, axis=1)
        # The mixed derivative needs ghosts at corners.
        wave = devito.Eq(u.forward, 2 * u - u.backward + 0.04 * (u.laplace + 0.5 * u.dx.dy))
        inject, record = sources.inject(field=u.forward, expr=sources), receivers.interpolate(expr=u)
        devito.Operator([wave, inject, record]).apply(time_M=58, dt=1.0)
        got(u.data_with_halo, receivers.data)
        print(rank, mode, digest.hexdigest())


def ocean():
    """Veros: six steps of a channel around the south and a basin, by NumPy."""
    with contextlib.redirect_stdout(sys.stderr):  # it tells times
        from veros import runtime_settings

        runtime_settings.num_proc = (2, 2) if size == 4 else (size, 1)
        runtime_settings.mpi_comm = world
        runtime_settings.linear_solver = "scipy"
        runtime_settings.diskless_mode = True
        from veros.setups.acc_basic.acc_basic import ACCBasicSetup

        model = ACCBasicSetup(override={"runlen": 3 * 86400})
        model.setup()
        model.run()
    has = model.state.variables
    got(has.temp, has.salt, has.u, has.v, has.psi, has.tke)


def spectra():
    """mpi4py-fft: Fourier transforms there and back, in slabs and in pencils."""
    from mpi4py_fft import PFFT, newDistArray

    for shape in (12, 14, 10), (9, 7, 15):
        for slab in True, False:
            transform = PFFT(world, shape, dtype=float, grid=(-1,) if slab else None)
            u = newDistArray(transform, False)
            u[:] = np.random.default_rng(11 + rank).random(u.shape)
            spectrum = transform.forward(u)
            back = transform.backward(spectrum)
            got(spectrum, back)


def rings():
    """mpi4jax: heat on a ring of processes, compiled, and its collectives."""
    import jax
    import jax.numpy as jnp
    import mpi4jax

    left, right = (rank - 1) % size, (rank + 1) % size

    @jax.jit
    def step(u):
        low = mpi4jax.sendrecv(u[-2], u[0], source=left, dest=right, comm=world)
        high = mpi4jax.sendrecv(u[1], u[-1], source=right, dest=left, comm=world)
        u = u.at[0].set(low).at[-1].set(high)
        u = u.at[1:-1].add(0.2 * (u[2:] + u[:-2] - 2 * u[1:-1]))
        return u, mpi4jax.allreduce(u[1:-1].sum(), op=MPI.SUM, comm=world)

    u = jnp.sin(jnp.arange(12.0 * 7).reshape(12, 7) + rank)
    for _ in range(10):
        u, total = step(u)
        got(u, total)
    for n in (2, 5000):
        blocks = jnp.arange(size * n, dtype=jnp.float32).reshape(size, n) + 1000 * rank
        got(mpi4jax.alltoall(blocks, comm=world), mpi4jax.allgather(blocks[0], comm=world))


rows = particles, arrays, stencils, waves, ocean, spectra, rings
{row.__name__: row for row in rows}[sys.argv[1]]()
print(rank, digest.hexdigest())
