# SPDX-License-Identifier: BSD-3-Clause
"""python -m mpiortho.bench: halos and neighborhood collectives, ours and mpi4py's own, by turns.

mpiexec -n 4 python -m mpiortho.bench --dims 2x2 --stencil moore --sizes 8,1000,100000

A sample is the time of some calls after a barrier, on the slowest process.  Both sides take their samples by
turns, so that what else the machine does meets both.  The table has medians, and the median of the ratios of
samples that were taken one after the other: above 1 ours is faster.
"""

from __future__ import annotations

import argparse
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np
from mpi4py import MPI

import mpiortho

Call = Callable[[], Any]


def measure(comm: MPI.Comm, theirs: Call, ours: Call, samples: int, calls: int) -> tuple[float, float, float]:
    """Medians in seconds, and the median of ratios."""
    times = np.zeros((2, samples))
    for sample in range(-2, samples):  # two to warm up
        for side, call in enumerate((theirs, ours)):
            comm.Barrier()
            begin = MPI.Wtime()
            for _ in range(calls):
                call()
            if sample >= 0:
                times[side, sample] = (MPI.Wtime() - begin) / calls
    comm.Allreduce(MPI.IN_PLACE, times, MPI.MAX)
    medians = np.median(times, axis=1)
    return float(medians[0]), float(medians[1]), float(np.median(times[0] / times[1]))


def graph_of_mpi(g: mpiortho.Grid) -> Any:
    """The same graph as mpi4py has it."""
    sources, targets = g.neighbors()
    assert isinstance(g.comm, MPI.Intracomm)
    return g.comm.Create_dist_graph_adjacent(sources, targets)


def region(u: Any, offset: Sequence[int], is_ghost: bool) -> MPI.Datatype:
    """What goes along an offset, or the ghosts that come along it."""
    starts, sizes = [], []
    for n, step in zip(u.shape, offset):
        first, last = (0, n - 1) if is_ghost else (1, n - 2)
        side = -step if is_ghost else step
        starts.append(1 if side == 0 else last if side > 0 else first)
        sizes.append(n - 2 if side == 0 else 1)
    return MPI.DOUBLE.Create_subarray(u.shape, sizes, starts).Commit()


def halos(g: mpiortho.Grid, n: int) -> tuple[Call, Call]:
    """Ghosts of an array of n elements in each dimension: MPI_Neighbor_alltoallw, and a halo."""
    assert g.stencil is not None
    u = np.full([n + 2] * len(g.dims), float(g.rank))
    w = u.copy()
    send = [region(w, offset, False) for offset in g.stencil]
    recv = [region(w, offset, True) for offset in g.stencil]
    zeros, ones = [0] * len(send), [1] * len(send)
    graph = graph_of_mpi(g)
    return lambda: graph.Neighbor_alltoallw([w, ones, zeros, send], [w, ones, zeros, recv]), g.halo(u, 1).run


def collectives(g: mpiortho.Grid, n: int) -> Iterator[tuple[str, Call, Call]]:
    """Blocks of n doubles."""
    graph = graph_of_mpi(g)
    one, many, got = np.ones(n), np.ones((g.n_out, n)), np.zeros((g.n_in, n))
    yield "alltoall", lambda: graph.Neighbor_alltoall(many, got), lambda: g.alltoall(many, got)
    yield "alltoall_init", lambda: graph.Neighbor_alltoall(many, got), g.alltoall_init(many, got).run
    yield "allgather", lambda: graph.Neighbor_allgather(one, got), lambda: g.allgather(one, got)
    yield "allgather_init", lambda: graph.Neighbor_allgather(one, got), g.allgather_init(one, got).run


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser("python -m mpiortho.bench", description=__doc__)
    parser.add_argument("--dims", default="0x0", help="of the periodic grid; 0: chosen (%(default)s)")
    parser.add_argument("--stencil", default="moore", help="moore or neumann (%(default)s)")
    parser.add_argument("--sizes", default="1,100,10000", help="of blocks, in doubles (%(default)s)")
    parser.add_argument("--halos", default="10,100", help="elements in each dimension (%(default)s)")
    parser.add_argument("--samples", type=int, default=50, help="(%(default)s)")
    parser.add_argument("--calls", type=int, default=10, help="in a sample (%(default)s)")
    given = parser.parse_args(arguments)
    g = mpiortho.grid(MPI.COMM_WORLD, [int(n) for n in given.dims.split("x")], True, given.stencil)
    if not g:
        return

    def row(name: str, size: str, theirs: Call, ours: Call) -> None:
        a, b, ratio = measure(g.comm, theirs, ours, given.samples, given.calls)
        if g.rank == 0:
            print(f"{name:16}{size:>10} {a * 1e6:>10.2f} {b * 1e6:>10.2f} {ratio:>7.2f}", flush=True)

    if g.rank == 0:
        print(MPI.Get_library_version().splitlines()[0])
        print(f"{' x '.join(map(str, g.dims))} processes, {given.stencil}: {g.n_out} neighbors")
        print(f"{'':16}{'doubles':>10} {'mpi4py us':>10} {'ours us':>10} {'ratio':>7}")
    for n in map(int, given.halos.split(",")):
        row("halo", "x".join([str(n)] * len(g.dims)), *halos(g, n))
    for n in map(int, given.sizes.split(",")):
        for name, theirs, ours in collectives(g, n):
            row(name, str(n), theirs, ours)


if __name__ == "__main__":
    main()
