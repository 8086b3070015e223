# SPDX-License-Identifier: BSD-3-Clause
"""Communicators: any, those that carry a graph, and grids of processes."""

from __future__ import annotations

import ctypes
import functools
import warnings
from typing import Any, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from ._arrays import Array, as_array
from ._collectives import Collectives
from ._exchange import Info
from ._halo import Field, Halo, Widths, _Field, _Shape, widths
from ._library import (
    LONG, Error, check, comm_handle, error_constant, got_comm, got_int, handle, handle_of, info_handle,
    int_array, integer, integers, ints, library, offset_rows, one_or_more, unweighted,
)  # fmt: skip

FULL, INTER, GRAPH = 1, 2, 3
MANHATTAN, CHEBYSHEV = 1, 2
ROWMAJOR, COLMAJOR = MPI.ORDER_C, MPI.ORDER_FORTRAN
Stencil = np.ndarray[Any, np.dtype[np.intc]]


def stencil(d: int, metric: int = CHEBYSHEV, depth: int = 1) -> Stencil:
    """The offsets at most ``depth`` long, (t, d) ints in lexicographic order, the zero offset included.
    >>> mpiortho.stencil(1).tolist()
    [[-1], [0], [1]]
    """
    d, metric, depth = integer(d, "d"), integer(metric, "metric"), integer(depth, "depth")
    n = got_int(library.ORTHO_Stencil_count, d, metric, depth)
    offsets = np.empty((n, d), np.intc)
    check(library.ORTHO_Stencil(d, metric, depth, n, offsets.ctypes))
    return offsets


def _ball(d: int, metric: int, depth: int) -> Stencil:
    offsets = stencil(d, metric, depth)
    return offsets[np.any(offsets != 0, axis=1)]


def moore(d: int, depth: int = 1) -> Stencil:
    """All offsets up to ``depth`` in each dimension, diagonals included, without zero: (3**d - 1, d) ints
    for depth 1.
    >>> len(mpiortho.moore(3))
    26
    """
    return _ball(d, CHEBYSHEV, depth)


def neumann(d: int, depth: int = 1) -> Stencil:
    """All offsets of at most ``depth`` steps, without zero: (2 * d, d) ints for depth 1.
    >>> mpiortho.neumann(2).tolist()
    [[-1, 0], [0, -1], [0, 1], [1, 0]]
    """
    return _ball(d, MANHATTAN, depth)


def blocks_count(n: int, parts: int, part: int) -> tuple[int, int]:
    """``n`` elements are dealt out evenly to ``parts``: the first element of one part, and how many it has.
    >>> [mpiortho.blocks_count(10, 3, part) for part in range(3)]
    [(0, 4), (4, 3), (7, 3)]
    """
    first, count = ctypes.c_longlong(), ctypes.c_longlong()
    parts, part = integer(parts, "parts"), integer(part, "part")
    check(
        library.ORTHO_Blocks_count(
            ctypes.c_longlong(integer(n, "n", LONG)), parts, part, ctypes.byref(first), ctypes.byref(count)
        )
    )
    return first.value, count.value


def blocks_owner(n: int, parts: int, index: int) -> tuple[int, int]:
    """The part that has element ``index``, and which of its elements it is.
    >>> mpiortho.blocks_owner(10, 3, 5)
    (1, 1)
    """
    part, place = ctypes.c_int(), ctypes.c_longlong()
    of, which = (ctypes.c_longlong(integer(x, what, LONG)) for x, what in ((n, "n"), (index, "index")))
    check(
        library.ORTHO_Blocks_owner(
            of, integer(parts, "parts"), which, ctypes.byref(part), ctypes.byref(place)
        )
    )
    return part.value, place.value


class Communicator(Collectives):
    """The library's calls on a communicator of mpi4py's.  What it carries decides what collectives mean.

    On full communicators and inter-communicators they are MPI's.  On graphs they go along edges: block i of
    an array belongs to edge i.
    >>> everybody = mpiortho.Communicator(MPI.COMM_WORLD)
    >>> everybody.allreduce(1) == everybody.size
    np.True_
    """

    rank: int = MPI.PROC_NULL  # where this process is not in it
    size: int = 0
    _kept: Any = None
    _all: Optional[Communicator] = None
    _neighbors: Optional[Neighbors] = None

    def __init__(self, comm: MPI.Comm) -> None:
        comm_handle(comm)
        self.comm = comm = getattr(comm, "comm", comm)
        if not self:
            return
        self.topology = self.topo_test()
        self.rank, self.size = comm.rank, comm.size
        self.n_out = self.n_in = comm.Get_remote_size() if isinstance(comm, MPI.Intercomm) else self.size
        self.n_own = self.size
        if self.topology == GRAPH:
            self.n_in, self.n_out, _ = self._degrees()
            self.n_own = self.n_out
        self._set(MPI._addressof(comm), self.n_out, self.n_in, self.n_own, self.rank, MPI.ROOT)
        if self.topology == GRAPH and type(self) in _saying_not_who:
            self.__class__ = _saying_not_who[type(self)]

    def __bool__(self) -> bool:
        """Is this process in it?
        >>> nothing = mpiortho.Communicator(MPI.COMM_NULL)
        >>> bool(nothing), nothing.rank == MPI.PROC_NULL, nothing.size
        (False, True, 0)
        """
        return self.comm != MPI.COMM_NULL

    def topo_test(self) -> int:
        """``FULL``, ``INTER`` or ``GRAPH``.
        >>> ring.topo_test() == mpiortho.GRAPH
        True
        """
        return got_int(library.ORTHO_Topo_test, handle(self.comm))

    def free(self) -> None:
        """Free the communicator.  Collective.
        >>> mpiortho.Communicator(MPI.COMM_WORLD.Dup()).free()
        """
        if self:
            if self._all is not None:
                self._all.free()
            self.comm.Free()

    @property
    def all(self) -> Communicator:
        """All processes: ``g.all.sum(x)``.  On a communicator with a graph, one without; it is made at the
        first use, which is collective.
        >>> int(ring.all.sum(1)) == ring.size
        True
        """
        if not self or self.topology != GRAPH:
            return self
        if self._all is None:
            self._all = self.base()
        return self._all

    @property
    def neighbors(self) -> Neighbors:
        """The same communicator, in words that cannot be mistaken: ``g.neighbors.sum(x)``.  It is called for
        the ranks that this process receives from, and that it sends to, in the order of the blocks; gaps are
        ``MPI.PROC_NULL``.
        >>> [len(ranks) for ranks in ring.neighbors()], int(ring.neighbors.sum(1))
        ([2, 2], 2)
        """
        if self._neighbors is None:
            self._neighbors = Neighbors(self.comm)
        return self._neighbors

    def sum(self, value: Any) -> Any:
        """The sum of an array or of a number over all processes; over a graph's in-neighbors on a graph.
        >>> int(everybody.sum(1)) == everybody.size
        True
        """
        return self.allreduce(value, op=MPI.SUM)

    def min(self, value: Any) -> Any:
        """As ``sum``: the least.
        >>> int(everybody.min(everybody.rank))
        0
        """
        return self.allreduce(value, op=MPI.MIN)

    def max(self, value: Any) -> Any:
        """As ``sum``: the greatest.
        >>> int(everybody.max(everybody.rank)) == everybody.size - 1
        True
        """
        return self.allreduce(value, op=MPI.MAX)

    def base(self) -> Communicator:
        """A full communicator of the same processes, without topology.  Collective.
        >>> ring.base().topo_test() == mpiortho.FULL
        True
        """
        return Communicator(got_comm(library.ORTHO_Comm_base, handle(self.comm)))

    def dup(self) -> Communicator:
        """A duplicate, with its graph, ready for use at once.  Collective.
        >>> ring.dup().neighbors() == ring.neighbors()
        True
        """
        return Communicator(got_comm(library.ORTHO_Comm_dup, handle(self.comm)))

    def split(self, color: int, key: int = 0) -> Communicator:
        """Those with the same color; of a graph, the part of it.  ``MPI.UNDEFINED``: in none.  Collective.
        >>> ring.split(color=0).size == ring.size
        True
        """
        numbers = integer(color, "color"), integer(key, "key")
        return Communicator(got_comm(library.ORTHO_Comm_split, handle(self.comm), *numbers))

    def split_type(self, split_type: int, key: int = 0, info: Info = None) -> Communicator:
        """As ``split``, by the node.  Collective.
        >>> ring.split_type(MPI.COMM_TYPE_SHARED).size <= ring.size
        True
        """
        given, numbers = info_handle(info), (integer(split_type, "split_type"), integer(key, "key"))
        result = Communicator(got_comm(library.ORTHO_Comm_split_type, handle(self.comm), *numbers, given))
        return result

    def create(self, group: MPI.Group) -> Communicator:
        """Of the processes of a group.  Collective over this communicator.
        >>> ring.create(ring.comm.Get_group()).size == ring.size
        True
        """
        of = handle_of(MPI.Group, group, "group")
        return Communicator(got_comm(library.ORTHO_Comm_create, handle(self.comm), of))

    def create_group(self, group: MPI.Group, tag: int = 0) -> Communicator:
        """Of the processes of a group.  Collective over these alone.
        >>> ring.create_group(ring.comm.Get_group()).size == ring.size
        True
        """
        of, tag = handle_of(MPI.Group, group, "group"), integer(tag, "tag")
        return Communicator(got_comm(library.ORTHO_Comm_create_group, handle(self.comm), of, tag))

    def subgraph(self, part: MPI.Comm) -> Communicator:
        """The graph of some of its processes, in the order of ``part``.  Collective over ``part``.
        >>> ring.subgraph(MPI.COMM_WORLD).n_in
        2
        """
        of = handle_of(MPI.Comm, part, "part")
        return Communicator(got_comm(library.ORTHO_Comm_subgraph, handle(self.comm), of))

    # --- Graphs ---

    def _degrees(self) -> tuple[int, int, bool]:
        found = [ctypes.c_int() for _ in range(3)]
        check(library.ORTHO_Dist_graph_neighbors_count(handle(self.comm), *map(ctypes.byref, found)))
        return found[0].value, found[1].value, bool(found[2].value)

    def weights(self) -> Optional[tuple[list[int], list[int]]]:
        """The weights of the edges in and out, or None.
        >>> ring.weights() is None
        True
        """
        return self._neighbor_lists()[1]

    def _neighbor_lists(self) -> tuple[tuple[list[int], list[int]], Optional[tuple[list[int], list[int]]]]:
        n_in, n_out, weighted = self._degrees()
        found = [ints([0] * n) for n in (n_in, n_in, n_out, n_out)]
        check(
            library.ORTHO_Dist_graph_neighbors(
                handle(self.comm), n_in, found[0], found[1], n_out, found[2], found[3]
            )
        )
        lists = [list(array)[:n] for array, n in zip(found, (n_in, n_in, n_out, n_out))]
        return (lists[0], lists[2]), (lists[1], lists[3]) if weighted else None

    def find(self, rank: int) -> tuple[list[int], list[int]]:
        """The slots of a rank among the neighbors: of blocks received from it, and of blocks sent to it.
        >>> sources, targets = ring.neighbors()
        >>> 0 in ring.find(sources[0])[0]
        True
        """
        n_in, n_out, _ = self._degrees()
        most = max(n_in, n_out)
        slots, counts = (ints([0] * most), ints([0] * most)), (ctypes.c_int(), ctypes.c_int())
        check(
            library.ORTHO_Dist_graph_find(
                handle(self.comm),
                integer(rank, "rank"),
                most,
                slots[0],
                ctypes.byref(counts[0]),
                slots[1],
                ctypes.byref(counts[1]),
            )
        )
        return list(slots[0])[: counts[0].value], list(slots[1])[: counts[1].value]

    def isomorphic(self) -> Optional[int]:
        """If the graph is one stencil on a grid, the number of its offsets, else None.
        >>> ring.isomorphic()
        2
        """
        flag, t = ctypes.c_int(), ctypes.c_int()
        check(library.ORTHO_Comm_isomorphic(handle(self.comm), ctypes.byref(flag), ctypes.byref(t)))
        return t.value if flag.value else None


class Neighbors(Communicator):
    """``g.neighbors``."""

    def __call__(self) -> tuple[list[int], list[int]]:
        return self._neighbor_lists()[0]


class _SaysNotWho(Communicator):
    """A communicator with a graph: who reads ``g.sum(x)`` may take it for a sum over all processes."""


def _warned(name: str) -> None:
    @functools.wraps(getattr(Communicator, name), ("__name__", "__doc__"), ())
    def call(self: Communicator, *given: Any, **more: Any) -> Any:
        warnings.warn(
            f"mpiortho: {name} reduces over the neighbors: say g.neighbors.{name}, or g.all.{name} for all "
            "processes",
            stacklevel=2,
        )
        return getattr(self.neighbors, name)(*given, **more)

    setattr(_SaysNotWho, name, call)


_forms = ("{}", "i{}", "{}_init")
for _name in ("sum", "min", "max", *(form.format(c) for c in ("reduce", "allreduce") for form in _forms)):
    _warned(_name)


def _weights(weights: Optional[Sequence[int]], n: int, what: str = "weights") -> Any:
    """Weights of n edges, as an argument of C."""
    return unweighted() if weights is None else ints(integers(weights, what, n))


def dist_graph_adjacent(
    comm: MPI.Comm,
    sources: Sequence[int],
    targets: Sequence[int],
    source_weights: Optional[Sequence[int]] = None,
    target_weights: Optional[Sequence[int]] = None,
    reorder: bool = False,
    info: Info = None,
) -> Communicator:
    """A graph of which each process gives its edges in and out.  ``MPI.PROC_NULL`` is a gap.  Collective.
    >>> me, p = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    >>> chain = mpiortho.dist_graph_adjacent(MPI.COMM_WORLD, [(me - 1) % p], [(me + 1) % p])
    >>> chain.n_in, chain.n_out
    (1, 1)
    """
    given = info_handle(info)
    sources, targets = integers(sources, "sources"), integers(targets, "targets")
    result = got_comm(
        library.ORTHO_Dist_graph_create_adjacent, comm_handle(comm),
        len(sources), ints(sources), _weights(source_weights, len(sources), "source_weights"),
        len(targets), ints(targets), _weights(target_weights, len(targets), "target_weights"),
        given, int(reorder),
    )  # fmt: skip
    return Communicator(result)


def dist_graph(
    comm: MPI.Comm,
    edges: dict[int, Sequence[int]],
    weights: Optional[dict[int, Sequence[int]]] = None,
    reorder: bool = False,
    info: Info = None,
) -> Communicator:
    """A graph of which each process gives any edges: ``{source: [targets]}``.  Collective.
    >>> me, p = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    >>> mpiortho.dist_graph(MPI.COMM_WORLD, {me: [(me + 1) % p]}).n_in
    1
    """
    given = info_handle(info)
    sources = integers(edges, "sources of edges")
    lists = [integers(edges[source], f"edges[{source}]") for source in edges]
    targets = [target for listed in lists for target in listed]
    heavy = unweighted()
    if weights is not None:
        of = [integers(weights[s], f"weights[{s}]", len(listed)) for s, listed in zip(edges, lists)]
        heavy = ints(weight for listed in of for weight in listed)
    result = got_comm(
        library.ORTHO_Dist_graph_create, comm_handle(comm), len(sources), ints(sources),
        ints(map(len, lists)), ints(targets), heavy, given, int(reorder),
    )  # fmt: skip
    return Communicator(result)


def dist_graph_from_targets(
    comm: MPI.Comm,
    targets: Sequence[int],
    weights: Optional[Sequence[int]] = None,
    reorder: bool = False,
    info: Info = None,
) -> Communicator:
    """A graph of which each process knows its targets alone; edges in come by rising source.  Collective.
    >>> me, p = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    >>> mpiortho.dist_graph_from_targets(MPI.COMM_WORLD, [(me + 1) % p]).neighbors() == ([(me - 1) % p],
    ...                                                                                  [(me + 1) % p])
    True
    """
    given, targets = info_handle(info), integers(targets, "targets")
    result = got_comm(
        library.ORTHO_Dist_graph_create_from_targets, comm_handle(comm), len(targets), ints(targets),
        _weights(weights, len(targets)), given, int(reorder),
    )  # fmt: skip
    return Communicator(result)


def _dims(dims: Any) -> tuple[int, ...]:
    """Sizes of a grid; a number of dimensions is as many zeros."""
    given = one_or_more(dims, "dims")
    return (0,) * given if isinstance(given, int) else given


def dims_create(comm: MPI.Comm, dims: Union[int, Sequence[int]]) -> tuple[int, ...]:
    """Sizes of a grid for all processes, where they are 0.  It knows the nodes.  Collective.
    >>> mpiortho.dims_create(MPI.COMM_WORLD, (0, 1)) == (MPI.COMM_WORLD.size, 1)
    True
    """
    given = _dims(dims)
    chosen = ints(given)
    check(library.ORTHO_Dims_create(comm_handle(comm), len(given), chosen))
    return tuple(chosen)[: len(given)]


def _periods(periodic: Any, d: int) -> tuple[bool, ...]:
    periods = tuple(periodic) if hasattr(periodic, "__iter__") else (periodic,) * d
    if len(periods) != d or not all(isinstance(x, (int, np.bool_, np.integer)) for x in periods):
        raise ValueError(
            f"mpiortho: periodic={periodic!r} is neither a bool nor a list of {d}, one for each dimension"
        )
    return tuple(map(bool, periods))


class Grid(Communicator):
    """A grid of processes, and a communicator.  ``grid``, ``name``, ``cart`` make it.

    A grid of ``grid`` has a stencil: collectives go between neighbors.  Block i goes to the process
    ``stencil[i]`` away, and comes from the one ``-stencil[i]`` away.  Without a stencil collectives are
    MPI's.

    Processes outside the grid have no communicator: ``if g:``.
    >>> g = mpiortho.grid(MPI.COMM_WORLD, (0, 1), periodic=(True, False))
    >>> g.dims == (MPI.COMM_WORLD.size, 1), g.periodic
    (True, (True, False))
    """

    def __init__(
        self, comm: MPI.Comm, dims: Sequence[int], periodic: Sequence[bool], stencil: Optional[Stencil]
    ) -> None:
        super().__init__(comm)
        self.dims, self.periodic, self.stencil = tuple(dims), tuple(periodic), stencil

    def _has_part(self) -> bool:
        """Is this process in the grid?"""
        if not self and hasattr(self, "topology"):  # it was
            raise ValueError("mpiortho: the grid was freed")
        return bool(self)

    @property
    def coords(self) -> tuple[int, ...]:
        """Where this process is.
        >>> mpiortho.grid(MPI.COMM_SELF, (1, 1)).coords
        (0, 0)
        """
        return self.coordinates(self.rank) if self else (MPI.PROC_NULL,) * len(self.dims)

    def coordinates(self, rank: int) -> tuple[int, ...]:
        """Where a rank is; ``MPI.PROC_NULL`` outside the grid.
        >>> ring.coordinates(0)
        (0,)
        """
        result = ints([0] * len(self.dims))
        check(library.ORTHO_Cart_coordinates(handle(self.comm), integer(rank, "rank"), result))
        return tuple(result[: len(self.dims)])

    def rank_of(self, coordinates: Any) -> Any:
        """The rank at (d) coordinates, or the ranks at (n, d); ``MPI.PROC_NULL`` off the grid.
        >>> ring.rank_of((-1,)) == ring.size - 1, ring.rank_of([(0,), (0,)]).tolist()
        (True, [0, 0])
        """
        return self._ranks(coordinates, "coordinates", library.ORTHO_Cart_allranks)

    def neighbor(self, offset: Any, source: Optional[int] = None) -> Any:
        """The rank (d) ``offset`` away from ``source``, or from this process, or the ranks (n, d) offsets
        away.
        >>> ring.neighbor((0,)) == ring.rank
        True
        """
        return self._ranks(
            offset,
            "offset",
            library.ORTHO_Cart_allranks_relative,
            self.rank if source is None else integer(source, "source"),
        )

    def _ranks(self, points: Any, what: str, call: Any, *source: int) -> Any:
        rows = int_array(points, what)
        if rows.ndim == 0 or rows.shape[-1] != len(self.dims):
            raise ValueError(
                f"mpiortho: {what}={points!r} has shape {rows.shape}, but the grid has {len(self.dims)} "
                "dimensions"
            )
        result = np.empty(rows.shape[:-1], np.intc)
        check(call(handle(self.comm), *source, result.size, rows.ctypes, result.ctypes))
        return int(result) if rows.ndim == 1 else result.ravel()

    def _offset(self, offset: Sequence[int]) -> Any:
        return ints(integers(offset, "offset", len(self.dims)))

    def relative(self, dest: int, source: Optional[int] = None) -> tuple[int, ...]:
        """How ``dest`` lies from ``source``, or from this process.
        >>> ring.relative(ring.rank)
        (0,)
        """
        result, dest = ints([0] * len(self.dims)), integer(dest, "dest")
        start = self.rank if source is None else integer(source, "source")
        check(library.ORTHO_Cart_relative_coordinates(handle(self.comm), start, dest, result))
        return tuple(result[: len(self.dims)])

    def shift(self, offset: Sequence[int]) -> tuple[int, int]:
        """The ranks from which this process is ``offset`` away, and that are ``offset`` away from it.
        >>> ring.shift((0,)) == (ring.rank, ring.rank)
        True
        """
        found = (ctypes.c_int(), ctypes.c_int())
        check(
            library.ORTHO_Cart_relative_shift(
                handle(self.comm), self.rank, self._offset(offset), *map(ctypes.byref, found)
            )
        )
        return found[0].value, found[1].value

    def around(self, metric: int = CHEBYSHEV, depth: int = 1, shadow: int = 1) -> Stencil:
        """The offsets from ``shadow`` to ``depth`` long that stay on the grid, seen from this process: (n,
        d) ints.
        >>> ring.around().tolist()
        [[-1], [1]]
        """
        metric, depth, shadow = integers((metric, depth, shadow), "metric, depth, shadow")
        n = got_int(library.ORTHO_Cart_neighbors_count, handle(self.comm), self.rank, metric, shadow, depth)
        offsets = np.empty((n, len(self.dims)), np.intc)
        check(
            library.ORTHO_Cart_neighbors(
                handle(self.comm), self.rank, metric, shadow, depth, n, offsets.ctypes
            )
        )
        return offsets

    def slot(self, offset: Sequence[int]) -> tuple[int, int]:
        """The slots of an offset of the stencil: of the block received from the process that has this one
        ``offset`` away, and of the block sent; -1: none.
        >>> ring.slot((1,))
        (1, 1)
        """
        found = (ctypes.c_int(), ctypes.c_int())
        check(
            library.ORTHO_Cart_neighborhood_find(
                handle(self.comm), self._offset(offset), *map(ctypes.byref, found)
            )
        )
        return found[0].value, found[1].value

    def is_same_everywhere(self) -> bool:
        """Have all processes given the same name?  Collective.
        >>> ring.is_same_everywhere()
        True
        """
        found = [ctypes.c_int() for _ in range(3)]
        check(library.ORTHO_Cart_testall(handle(self.comm), *map(ctypes.byref, found)))
        return bool(found[0].value)

    def sub(self, excluded: Sequence[bool]) -> Communicator:
        """The processes that agree in every dimension that is excluded; a full communicator.  Collective.
        >>> ring.sub([False]).size == ring.size
        True
        """
        listed = list(map(bool, excluded)) if hasattr(excluded, "__iter__") else excluded
        flags = ints(integers(listed, "excluded", len(self.dims)))
        return Communicator(got_comm(library.ORTHO_Cart_create_sub, handle(self.comm), flags))

    def name_part(self, part: MPI.Comm) -> Optional[Grid]:
        """Names a communicator of some of the processes with the grid that they make; None if they make none.
        >>> ring.name_part(MPI.COMM_WORLD.Dup()).dims == ring.dims
        True
        """
        size = got_int(library.ORTHO_Cart_name_part, handle(self.comm), handle_of(MPI.Comm, part, "part"))
        return named(part) if size else None

    def unname(self) -> None:
        """Takes the name away.
        >>> mpiortho.name(MPI.COMM_SELF.Dup(), (1,)).unname()
        """
        check(library.ORTHO_Cart_unname(handle(self.comm)))

    # --- Arrays ---

    def _sizes(self, shape: Any) -> list[int]:
        """The sizes of an array's axes, which are no fewer than the grid's dimensions."""
        given = one_or_more(shape, "shape", LONG)
        sizes = [given] if isinstance(given, int) else list(given)
        if len(sizes) < len(self.dims) or any(n < 0 for n in sizes):
            raise ValueError(
                f"mpiortho: shape={shape!r} is no list of {len(self.dims)} sizes or more, one for each "
                "dimension of the grid first"
            )
        return sizes

    def zeros(
        self, shape: Union[int, Sequence[int]], ghosts: Widths = 0, dtype: Any = np.float64, order: Any = "C"
    ) -> Array:
        """An array of zeros for what this process owns, with ghosts around it.

        ``shape`` are the owned elements.  Dimension k of the grid is axis k; further axes have no ghosts.
        >>> ring.zeros((4, 3), ghosts=1).shape
        (6, 3)
        """
        sizes = self._sizes(shape)
        for k, (lower, upper) in enumerate(widths(ghosts, len(self.dims), "zeros")):
            sizes[k] += lower + upper
        return np.zeros(sizes, dtype, order)

    def block(self, shape: Union[int, Sequence[int]]) -> tuple[slice, ...]:
        """Which elements of a global array this process owns, if it is divided evenly: a slice for each axis.
        >>> mpiortho.grid(MPI.COMM_SELF, (1, 1)).block((10, 20, 3))
        (slice(0, 10, None), slice(0, 20, None), slice(0, 3, None))
        """
        sizes = self._sizes(shape)
        slices = [slice(0, n) for n in sizes]
        for k, at in enumerate(self.coords):
            first, n = blocks_count(sizes[k], self.dims[k], at) if at >= 0 else (0, 0)
            slices[k] = slice(first, first + n)
        return tuple(slices)

    def field(
        self, shape: Union[int, Sequence[int]], ghosts: Widths = 0, dtype: Any = np.float64, order: Any = "C"
    ) -> Array:
        """An array of zeros for what this process owns of a global array of this shape, if it is divided
        evenly, with ghosts around it: ``zeros`` of the sizes of ``block``.
        >>> g = mpiortho.grid(MPI.COMM_SELF, (1, 1))
        >>> g.field((10, 20, 3), ghosts=1).shape
        (12, 22, 3)
        """
        return self.zeros([part.stop - part.start for part in self.block(shape)], ghosts, dtype, order)

    def halo(
        self,
        fields: Any,
        ghosts: Widths = None,
        *,
        axes: Optional[Sequence[int]] = None,
        divided: Optional[Sequence[int]] = None,
        directions: Optional[Sequence[Sequence[int]]] = None,
        info: Info = None,
        boundary: Any = None,
        sign: Any = None,
        value: Any = None,
    ) -> Halo:
        """Makes a halo of an array, or of a list of arrays and ``Field`` objects.  Collective.

        ``ghosts`` are layers: a number, or one for each dimension of the grid, or pairs (lower, upper).
        Arrays include them, at the grid's borders too.  ``axes[k]`` (or ``divided[k]``) is the axis of the
        arrays along dimension k of the grid; None: axis k.  Other axes are not divided.  ``directions``: the
        regions to fill; None: all of the stencil.  ``info``: see ORTHO_Halo_fields_init(3).
        >>> g = mpiortho.grid(MPI.COMM_WORLD, (0, 1), periodic=True)
        >>> w = g.zeros((4, 3, 3), ghosts=1)                    # (6, 5, 3) elements: 3 levels
        >>> h = g.halo(w, ghosts=1)
        >>> h.owned()[...] = 1; h.run(); int(w.sum())
        90

        ``boundary``: what ghosts get where the grid ends, by the names of ``numpy.pad``: "constant", "edge",
        "symmetric" or "reflect"; None: nothing.  One for all sides, or one for each dimension of the grid, or
        pairs (lower, upper), or a dictionary of some dimensions.  ``value`` is a constant's, and ``sign``, 1
        or -1, that of all else; as ``boundary``, they may have one for each side.
        >>> g = mpiortho.grid(MPI.COMM_SELF, (1,))
        >>> u = np.array([0., 0., 1., 2., 3., 0., 0.])
        >>> g.halo(u, ghosts=2, boundary=[("reflect", "edge")], sign={0: (1, -1)}).run(); u
        array([ 3.,  2.,  1.,  2.,  3., -3., -3.])
        """
        return Halo(self, fields, ghosts, axes, divided, directions, None, info, boundary, sign, value)

    def halo_reduce(
        self,
        fields: Any,
        ghosts: Widths = None,
        op: MPI.Op = MPI.SUM,
        *,
        axes: Optional[Sequence[int]] = None,
        divided: Optional[Sequence[int]] = None,
        directions: Optional[Sequence[Sequence[int]]] = None,
        info: Info = None,
    ) -> Halo:
        """The reverse: ghosts are reduced into the elements that they are copies of, and stay as they are.
        Collective.
        >>> g = mpiortho.grid(MPI.COMM_WORLD, (0,), periodic=True)
        >>> u = np.ones(5); g.halo_reduce(u, ghosts=1).run(); u
        array([1., 2., 1., 2., 1.])
        """
        return Halo(self, fields, ghosts, axes, divided, directions, op, info)

    def field_gather(self, field: Any, whole: Any = None, root: int = 0, ghosts: Widths = 0) -> None:
        """Copies what each process owns to its place in ``whole`` at the root.  Collective.
        >>> n, p = 2, MPI.COMM_WORLD.size
        >>> whole = np.zeros(n * p) if ring.rank == 0 else None
        >>> ring.field_gather(np.full(n + 2, 5.0), whole, ghosts=1)
        >>> whole is None or whole.tolist() == [5.0] * n * p
        True
        """
        root = integer(root, "root")
        if not self._has_part():
            return
        parts, arrays = self._two_fields(library.ORTHO_Field_gather, field, whole, root, ghosts, 1)
        code = library.ORTHO_Field_gather(parts[0], parts[1], len(self.dims), root, handle(self.comm))
        _check_ghosts(code, ghosts)

    def field_scatter(self, whole: Any, field: Any, root: int = 0, ghosts: Widths = 0) -> None:
        """Copies each part of ``whole`` at the root into the array of its owner.  Collective.
        >>> n, p = 2, MPI.COMM_WORLD.size
        >>> u = np.zeros(n + 2); ring.field_scatter(np.ones(n * p), u, ghosts=1); u
        array([0., 1., 1., 0.])
        """
        root = integer(root, "root")
        if not self._has_part():
            return
        parts, arrays = self._two_fields(library.ORTHO_Field_scatter, field, whole, root, ghosts, 0)
        code = library.ORTHO_Field_scatter(parts[1], parts[0], len(self.dims), root, handle(self.comm))
        _check_ghosts(code, ghosts)

    def _two_fields(
        self, call: Any, field: Any, whole: Any, root: int, ghosts: Widths, written: int
    ) -> tuple[list[Any], list[_Shape]]:
        """The field and the whole, as arguments of C, and what they point to."""
        parts: list[Any] = [None, None]
        shapes, d = [], len(self.dims)
        given = [(field, ghosts), (whole, 0)]
        try:
            for i, (thing, wide) in enumerate(given if self.rank == root else given[:1]):
                array = as_array(thing, "whole" if i else "the field", devices=False)
                shapes.append(_Shape(Field(array), i, d, wide, range(d), None, False, writable=i == written))
                of_c = _Field()
                shapes[i].fill(of_c)
                parts[i] = ctypes.byref(of_c)
                if array.dtype != shapes[0].array.dtype:
                    own = shapes[0].array.dtype
                    raise TypeError(f"mpiortho: whole is of {array.dtype}, the field of {own}")
        except (TypeError, ValueError):
            call(None, None, d, root, handle(self.comm))  # others are told
            raise
        return parts, shapes


def _check_ghosts(code: int, ghosts: Widths) -> None:
    """The code of a call that has taken arrays with so many ghosts."""
    try:
        check(code)
    except Error as error:
        if ghosts == 0 and error.error_class == error_constant("ERR_MISMATCH"):
            error.message += "; the parts were taken without ghosts: see ghosts="
        raise


class _GridSaysNotWho(_SaysNotWho, Grid):
    """A grid with a stencil."""


_saying_not_who: dict[type, Any] = {Communicator: _SaysNotWho, Grid: _GridSaysNotWho}


def grid(
    comm: MPI.Comm,
    dims: Union[int, Sequence[int]],
    periodic: Union[bool, Sequence[bool]] = False,
    stencil: Any = "moore",
    reorder: bool = False,
    weights: Optional[Sequence[int]] = None,
    info: Info = None,
    name: Optional[str] = None,
) -> Grid:
    """A grid of processes with a stencil.  Collective.

    ``dims``: processes in each dimension; the library chooses where it is 0.  ``periodic``: does a dimension
    lead around?  ``stencil``: "moore" (all around), "neumann" (along the axes), or (t, d) offsets.
    ``reorder``: may processes get other ranks, such that neighbors share nodes?  ``weights``: one for each
    offset.  ``name``: what messages call the grid.
    >>> g = mpiortho.grid(MPI.COMM_WORLD, (0, 0), periodic=(True, False), stencil="neumann")
    >>> g.stencil.tolist()
    [[-1, 0], [0, -1], [0, 1], [1, 0]]
    """
    chosen = _dims(dims)
    d = len(chosen)
    if 0 in chosen:
        chosen = dims_create(comm, chosen)
    periods = _periods(periodic, d)
    if isinstance(stencil, str):
        if stencil not in ("moore", "neumann"):
            raise ValueError(
                f"mpiortho: stencil={stencil!r} is neither 'moore' nor 'neumann', nor a list of offsets"
            )
        stencil = moore(d) if stencil == "moore" else neumann(d)
    offsets = offset_rows(stencil, d, "stencil")
    given = info_handle(info)
    made = got_comm(
        library.ORTHO_Cart_neighborhood_create, comm_handle(comm), d, ints(chosen), ints(periods),
        len(offsets), offsets.ctypes, _weights(weights, len(offsets)), given, int(reorder),
    )  # fmt: skip
    if name is not None and made != MPI.COMM_NULL:
        made.Set_name(name)
    return Grid(made, chosen, periods, offsets)


def name(
    comm: MPI.Comm,
    dims: Sequence[int],
    periodic: Union[bool, Sequence[bool]] = False,
    order: Union[str, Sequence[int]] = "C",
) -> Grid:
    """Names the processes of a communicator with a grid.  Local: nothing is sent.

    The communicator stays what it is.  ``order``: "C": the last coordinate counts first in ranks; "F": the
    first; or all dimensions in any order: the last of them counts first.
    >>> g = mpiortho.name(MPI.COMM_WORLD, (MPI.COMM_WORLD.size, 1), periodic=True)
    >>> g.neighbor((0, 1)) == g.rank
    True
    """
    if isinstance(order, str) and order not in ("C", "F"):
        raise ValueError(f"mpiortho: order={order!r} is neither 'C' nor 'F'")
    dims = integers(dims, "dims")
    periods = _periods(periodic, len(dims))
    own = comm_handle(comm)
    if isinstance(order, str):
        dimorder = ROWMAJOR if order == "C" else COLMAJOR
        got_int(library.ORTHO_Cart_name, own, len(dims), dimorder, ints(dims), ints(periods))
    else:
        order = integers(order, "order")
        if len(order) != len(dims):
            raise ValueError(f"mpiortho: order has {len(order)} dimensions, and dims {len(dims)}")
        got_int(
            library.ORTHO_Cart_name_permuted, own, len(dims), ints(order), ints(dims), ints(periods)
        )  # fmt: skip
    return Grid(comm, dims, periods, None)


def named(comm: MPI.Comm) -> Optional[Grid]:
    """The grid that a communicator is named with, an MPI Cartesian topology too, or None.
    >>> mpiortho.named(MPI.COMM_WORLD.Create_cart([1, 1])) is not None or MPI.COMM_WORLD.rank > 0
    True
    """
    own = comm_handle(comm)
    if comm == MPI.COMM_NULL:
        return None
    flag, d, size, order = (ctypes.c_int() for _ in range(4))
    check(library.ORTHO_Cart_test(own, ctypes.byref(flag), ctypes.byref(d), ctypes.byref(size)))
    if not flag.value:
        return None
    dims, periods = ints([0] * d.value), ints([0] * d.value)
    check(library.ORTHO_Cart_get(own, ctypes.byref(order), d.value, dims, periods))
    offsets: Optional[Stencil] = None
    t = ctypes.c_int()
    if got_int(library.ORTHO_Topo_test, own) == GRAPH and is_neighborhood(comm):
        check(library.ORTHO_Cart_neighborhood_count(own, ctypes.byref(t)))
        offsets = np.empty((t.value, d.value), np.intc)
        check(library.ORTHO_Cart_neighborhood_offsets(own, t.value, offsets.ctypes))
    return Grid(comm, dims[: d.value], [bool(period) for period in periods[: d.value]], offsets)


def is_neighborhood(comm: MPI.Comm) -> bool:
    """Was the communicator made by ``grid``, or is it a duplicate of one?
    >>> mpiortho.is_neighborhood(ring.comm), mpiortho.is_neighborhood(MPI.COMM_WORLD)
    (True, False)
    """
    flag = ctypes.c_int()
    code: int = library.ORTHO_Cart_neighborhood_count(comm_handle(comm), ctypes.byref(flag))
    return code == MPI.SUCCESS


def cart(
    comm: MPI.Comm, dims: Sequence[int], periodic: Union[bool, Sequence[bool]] = False, reorder: bool = True
) -> Grid:
    """MPI's Cartesian communicator, with ranks such that neighbors share nodes.  Collective.
    >>> mpiortho.cart(MPI.COMM_WORLD, (MPI.COMM_WORLD.size,)).dims == (MPI.COMM_WORLD.size,)
    True
    """
    dims = _dims(dims)
    if 0 in dims:
        dims = dims_create(comm, dims)
    periods = _periods(periodic, len(dims))
    made = got_comm(
        library.ORTHO_Nodecart_create, comm_handle(comm), len(dims), ints(dims), ints(periods), int(reorder)
    )
    return Grid(made, dims, periods, None)
