# SPDX-License-Identifier: BSD-3-Clause
"""Ghosts of unstructured meshes and sparse matrices, and exchanges of which receivers know nothing before."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from ._arrays import (
    Array, address_of, as_array, check_elements, check_memory, check_row, datatype, differs, layout_of, reach,
    steps, strided_type,
)  # fmt: skip
from ._exchange import Exchange, Info, check_apart, flat
from ._grid import Communicator
from ._library import (
    LONG, all_numbers, check, comm_handle, give_up, got_comm, handle, handle_of, handles, info_handle,
    integer, ints, library, longs, settings_of,
)  # fmt: skip
from ._request import Request, made

AnyComm = Union[MPI.Comm, Communicator]
Blocks = Union[Mapping[int, Any], Iterable[tuple[int, Any]]]


# --- Index maps ---------------------------------------------------------------------------------------------


def _integers(values: Any, what: str) -> Array:
    array = all_numbers(values, f"{what} of an index map")
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"mpiortho: {what} of an index map are no list of integers (dtype {array.dtype})")
    return array.astype(np.int64, casting="same_kind" if array.size else "unsafe")


class IndexMap:
    """Which elements of a distributed array each process owns, and of which it has copies, ghosts.
    ``index_map`` makes it.

    ``owned`` and ``n_ghosts`` are their numbers on this process.
    >>> m = mpiortho.index_map(MPI.COMM_SELF, 3, [2]); m.owned, m.n_ghosts
    (3, 1)
    """

    def __init__(
        self,
        comm: AnyComm,
        owned: int,
        numbers: Any = None,
        owners: Any = None,
        indices: Any = None,
        info: Info = None,
        ids: Any = None,
    ) -> None:
        if ids is not None and owners is not None:
            raise TypeError("mpiortho: an index map is given ids, or owners and indices")
        if (numbers is None) == (owners is None) or (owners is None) != (indices is None):
            raise TypeError("mpiortho: an index map is given either numbers, or owners and indices")
        self.owned = integer(owned, "owned", LONG)
        lists = [
            _integers(values, what)
            for values, what in ((owners, "owners"), (indices, "indices"), (numbers, "numbers"))
            if values is not None
        ]
        self.n_ghosts = len(lists[0])
        if any(len(values) != self.n_ghosts for values in lists):
            raise ValueError(f"mpiortho: {self.n_ghosts} owners of {len(lists[1])} indices")
        self._raw = ctypes.c_void_p()
        create = library.ORTHO_Index_map_create_global if owners is None else library.ORTHO_Index_map_create
        sizes = ctypes.c_longlong(self.owned), ctypes.c_longlong(self.n_ghosts)
        arguments = [*sizes, *(ctypes.c_void_p(address_of(values)) for values in lists)]
        if owners is not None:
            arguments[2] = ints(owners)
        if ids is not None:
            of_owned = _integers(ids, "ids")
            if len(of_owned) != self.owned:
                raise ValueError(f"mpiortho: {len(of_owned)} ids of {self.owned} owned elements")
            create = library.ORTHO_Index_map_create_ids
            arguments.insert(1, ctypes.c_void_p(address_of(of_owned)))
        given = info_handle(info)
        check(create(*arguments, comm_handle(comm), given, ctypes.byref(self._raw)))
        weakref.finalize(self, give_up, "Index_map_free", self._raw).atexit = False

    def graph(self) -> Communicator:
        """The graph of the map: edges lead from owners to those who have copies, by rising rank.
        >>> m = mpiortho.index_map(MPI.COMM_SELF, 2, [0]); m.graph().neighbors()
        ([0], [0])
        """
        result = Communicator(got_comm(library.ORTHO_Index_map_graph, self._raw))
        result._kept = self  # whose it is
        return result

    def holders(self, element: int) -> list[tuple[int, int]]:
        """Who has copies of an owned element: (rank, ghost), ghost by rising rank and number.
        >>> m = mpiortho.index_map(MPI.COMM_SELF, 2, [1, 0, 1]); m.holders(1)
        [(0, 0), (0, 2)]
        """
        which, n = ctypes.c_longlong(integer(element, "element", LONG)), ctypes.c_int()
        check(library.ORTHO_Index_map_holders(self._raw, which, 0, None, None, ctypes.byref(n)))
        ranks, ghosts = ints([0] * n.value), longs([0] * n.value)
        check(library.ORTHO_Index_map_holders(self._raw, which, n.value, ranks, ghosts, ctypes.byref(n)))
        return list(zip(ranks[: n.value], ghosts[: n.value]))

    def zeros(self, shape: Union[int, Sequence[int]] = (), dtype: Any = np.float64) -> Array:
        """An array of zeros: owned elements, and ghosts behind them.  ``shape`` is that of an element.
        >>> mpiortho.index_map(MPI.COMM_SELF, 4, [0, 1]).zeros(3).shape
        (6, 3)
        """
        inner = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        return np.zeros((self.owned + self.n_ghosts, *inner), dtype)

    def ghosts(self, *fields: Any, info: Info = None) -> Ghosts:
        """Prepares an exchange: each ghost gets the value of its element.  Collective.

        A field is an array of (owned + ghosts, ...) elements, or a pair of arrays (owned, ...) and
        (ghosts, ...).  All that an element has travels, with all fields in one message a partner.
        >>> p, r = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank      # a ring of elements, 4 on each process
        >>> m = mpiortho.index_map(MPI.COMM_WORLD, 4, [4 * ((r + 1) % p)])
        >>> u = m.zeros(); u[:4] = 5; m.ghosts(u).run(); u
        array([5., 5., 5., 5., 5.])
        """
        return Ghosts(self, fields, None, info)

    def ghosts_reduce(self, *fields: Any, op: MPI.Op = MPI.SUM, info: Info = None) -> Ghosts:
        """The reverse: each ghost is reduced into its element, always in the same order, and stays as it is.
        Collective.

        An operator of ``MPI.Op.Create`` gets whole elements, whose datatype is a row of numbers.
        >>> p, r = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank
        >>> m = mpiortho.index_map(MPI.COMM_WORLD, 4, [4 * ((r + 1) % p)])
        >>> degree = m.zeros(); degree[:4] += 1; degree[1:] += 1     # of nodes, by the 4 edges between them
        >>> m.ghosts_reduce(degree).run(); degree[:4]
        array([2., 2., 2., 2.])
        """
        return Ghosts(self, fields, op, info)

    def free(self) -> None:
        """Gives the map up; what was made on it lives on.  Local.
        >>> mpiortho.index_map(MPI.COMM_SELF, 1, []).free()
        """
        check(library.ORTHO_Index_map_free(ctypes.byref(self._raw)))


def index_map(
    comm: AnyComm,
    owned: int,
    numbers: Any = None,
    *,
    owners: Any = None,
    indices: Any = None,
    ids: Any = None,
    info: Info = None,
) -> IndexMap:
    """A map of elements to processes.  Collective.

    This process owns ``owned`` elements of a distributed array, and has ghosts, copies of elements that
    others own, or itself.  All elements are numbered from 0 on, those of a process behind those of the one
    before it, and ``numbers`` are those of the ghosts.  Or ghost g is element ``indices[g]`` of process
    ``owners[g]``.  Nobody need know who has copies of its elements.
    >>> p, r = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank
    >>> m = mpiortho.index_map(MPI.COMM_WORLD, 2, [2 * ((r + 1) % p)])
    >>> same = mpiortho.index_map(MPI.COMM_WORLD, 2, owners=[(r + 1) % p], indices=[0])
    >>> m.holders(0) == same.holders(0) == [((r - 1) % p, 0)], m.holders(1)
    (True, [])

    ``ids``: numbers as a mesh generator or a partitioner leaves them, in any order and with gaps.  Element i
    of this process has the number ``ids[i]``, and ``numbers`` are those of the ghosts, whoever owns them.
    >>> m = mpiortho.index_map(MPI.COMM_WORLD, 2, [70 + (r + 1) % p], ids=[900 + r, 70 + r])
    >>> m.holders(1) == [((r - 1) % p, 0)]
    True
    """
    return IndexMap(comm, owned, numbers, owners, indices, info, ids)


AS_PAIR = ". A list or tuple is a pair of these. Several fields are arguments of their own"


class _Field:
    """A field of an index map: one array, or two."""

    def __init__(self, field: Any, number: int, owner: IndexMap, reduces: bool) -> None:
        self.what, self.owner, self.reduces = f"field {number}", owner, reduces
        #: Their layouts, once the exchange is made.
        self.parts: dict[str, Any] = self.parts_of(field)
        arrays = list(self.parts.values())
        like = max(arrays, key=len)
        one = like[0, ...] if len(like) else np.empty(like.shape[1:], like.dtype)
        low, high = reach(one)
        self.stride = like.strides[0] if len(like) > 1 else high - low
        for array in arrays:
            if array.shape[1:] != one.shape or array.dtype != one.dtype or steps(array) - steps(like):
                raise ValueError(
                    f"mpiortho: ghosts of {self.what} are not laid out as its owned elements are"
                )
        if self.stride < 0:
            raise ValueError(f"mpiortho: elements of {self.what} lie backwards")
        kind = datatype(one.dtype, self.what, reduces)
        if not reduces:
            whole = strided_type(one, self.what)
            self.element = whole.Create_resized(0, self.stride).Commit()
            whole.Free()
            return
        if not one.flags.c_contiguous or (len(like) > 1 and self.stride != one.nbytes):
            raise ValueError(
                f"mpiortho: numbers of {self.what} do not lie one behind the other, as MPI reduces them"
            )
        self.element = kind.Create_contiguous(one.size).Commit()

    def parts_of(self, field: Any) -> dict[str, Array]:
        """Its arrays, by what errors call them."""
        n, more = self.owner.owned, self.owner.n_ghosts
        parts = [(field, n + more, self.what, True)]
        if isinstance(field, (tuple, list)):
            if len(field) != 2:
                raise TypeError(
                    f"mpiortho: {self.what} is neither an array nor a pair of owned elements and ghosts, but "
                    f"a {type(field).__name__} of {len(field)}. Several fields are arguments of their own"
                )
            parts = [
                (field[0], n, f"owned elements of {self.what}", self.reduces),
                (field[1], more, f"ghosts of {self.what}", not self.reduces),
            ]
        result = {}
        for thing, wanted, what, writable in parts:
            array = result[what] = as_array(thing, what, writable)
            check_memory(array, what)
            if array.ndim == 0 or array.shape[0] != wanted:
                raise ValueError(
                    f"mpiortho: {what} has shape {array.shape}, but there are {n} owned elements and {more} "
                    f"ghosts{'' if len(parts) == 1 else AS_PAIR}"
                )
        return result

    def places(self, arrays: Sequence[Array]) -> tuple[int, int]:
        """Where element 0 is, and ghost 0."""
        first, last = address_of(arrays[0]), address_of(arrays[-1])
        return first, last if len(arrays) > 1 else first + self.owner.owned * self.stride


class Ghosts(Exchange):
    """Ghosts of fields, filled again and again; or reduced into their elements.  ``IndexMap.ghosts`` and
    ``IndexMap.ghosts_reduce`` make it.

    It keeps the arrays.  ``start`` and ``run`` may be given others of the same shapes, strides and types,
    which are kept then.
    >>> p, r = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank
    >>> m = mpiortho.index_map(MPI.COMM_WORLD, 4, [4 * ((r + 1) % p)])
    >>> u, v = m.zeros(), m.zeros()
    >>> h = m.ghosts(u)
    >>> u[:4] = 7
    >>> with h:                            # start ... wait
    ...     u[:4].sum()
    np.float64(28.0)
    >>> u[4], v[4]
    (np.float64(7.0), np.float64(0.0))
    >>> h.run(v)                           # start and wait in one, for another array
    """

    def __init__(self, owner: IndexMap, fields: Sequence[Any], op: Optional[MPI.Op], info: Info) -> None:
        self.map, self.op, self._info, self._rows = owner, op, settings_of(info), {}
        kind = None if op is None else handle_of(MPI.Op, op, "op")
        if not fields:
            raise TypeError("mpiortho: there is no field")
        self._fields = [_Field(field, i, owner, op is not None) for i, field in enumerate(fields)]
        check_apart({what: array for field in self._fields for what, array in field.parts.items()})
        arrays = tuple(_one_or_two(field.parts.values()) for field in self._fields)
        n, (owned, ghosts) = len(self._fields), self._places(arrays)
        elements = handles(field.element for field in self._fields)
        raw = ctypes.c_void_p()
        more = info_handle(info), ctypes.byref(raw)
        if op is None:
            code = library.ORTHO_Ghosts_init(n, owned, ghosts, elements, owner._raw, *more)
        else:
            code = library.ORTHO_Ghosts_reduce_init(n, ghosts, owned, elements, kind, owner._raw, *more)
        for field in self._fields:
            field.element.Free()
        check(code)
        made(self, raw, arrays, (op, owner), persistent=True)
        for field in self._fields:
            field.parts = {what: layout_of(array) for what, array in field.parts.items()}

    def _places(self, arrays: Sequence[Any]) -> tuple[Any, Any]:
        owned, ghosts = zip(*(field.places(flat([one])) for field, one in zip(self._fields, arrays)))
        pointers = ctypes.c_void_p * len(owned)
        return pointers(*owned), pointers(*ghosts)

    def _checked(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(arrays) != len(self._fields):
            raise ValueError(f"mpiortho: {len(arrays)} fields are given, but there are {len(self._fields)}")
        taken: dict[str, Array] = {}
        result = []
        for field, given in zip(self._fields, arrays):
            parts = field.parts_of(given)
            for what, old in field.parts.items():
                if what not in parts or layout_of(parts[what]) != old:
                    raise ValueError(f"mpiortho: {what} {differs(parts.get(what), old)}")
            taken.update(parts)
            result.append(_one_or_two(parts.values()))
        check_apart(taken)
        return tuple(result)

    def _rebind_to(self, places: Any) -> None:
        check(library.ORTHO_Ghosts_rebind(ctypes.c_void_p(self.handle), len(self._fields), *places))

    def _reverse(self) -> tuple[Ghosts, list[list[Any]]]:
        clears: list[list[Any]] = []
        for field in self._fields:
            clears += [[slice(self.map.owned, None)]] if len(field.parts) == 1 else [[], [Ellipsis]]
        return Ghosts(self.map, self.arrays, MPI.SUM, self._info), clears


def _one_or_two(arrays: Iterable[Array]) -> Any:
    listed = tuple(arrays)
    return listed if len(listed) > 1 else listed[0]


# --- Sparse exchanges ---------------------------------------------------------------------------------------


class _Sparse:
    """What has come, or comes, and was not received yet."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        check_elements(dtype, "dtype")
        self.dtype, self.raw = dtype, ctypes.c_void_p()
        weakref.finalize(self, give_up, "Sparse_free", self.raw).atexit = False

    def receive(self) -> list[tuple[int, Array]]:
        n, total, size = ctypes.c_int(), ctypes.c_longlong(), max(self.dtype.itemsize, 1)
        check(library.ORTHO_Sparse_count(self.raw, ctypes.byref(n), ctypes.byref(total)))
        sources, counts = ints([0] * n.value), longs([0] * n.value)
        everything = np.empty(-(-total.value // size), self.dtype)
        address = ctypes.c_void_p(address_of(everything))
        check(
            library.ORTHO_Sparse_receive_at_most(
                ctypes.byref(self.raw), address, ctypes.c_longlong(everything.nbytes), handle(MPI.BYTE),
                n.value, sources, counts, None,
            )  # fmt: skip
        )
        blocks, first = [], 0
        for source, count in zip(sources[: n.value], counts):
            if count % size:
                raise ValueError(
                    f"mpiortho: {count} bytes have come from rank {source}: no elements of {self.dtype}"
                )
            blocks.append((source, everything[first : first + count // size]))
            first += count // size
        return blocks


class _Coming(Request):
    def __init__(self, sparse: _Sparse) -> None:
        self._sparse = sparse

    def _done(self) -> None:
        self.result = self._sparse.receive()


def _pairs(blocks: Any) -> list[tuple[int, Any]]:
    """Targets with their blocks."""
    pairs = list(blocks.items() if isinstance(blocks, Mapping) else blocks)
    for i, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(
                f"mpiortho: blocks[{i}] is a {type(pair).__name__}, not (target, array): blocks are "
                "{target: array} or a list of such pairs"
            )
    return [(integer(target, "target of blocks"), block) for target, block in pairs]


def _sent(comm: AnyComm, blocks: Blocks, dtype: np.dtype[Any], info: Info) -> tuple[list[Any], list[Array]]:
    """The arguments of C.  Blocks lie anywhere, so displacements and counts are bytes."""
    targets, arrays = [], []
    for target, block in _pairs(blocks):
        what = f"the block for rank {target}"
        array = as_array(block, what)
        if array.dtype != dtype.base or array.ndim == 0 or array.shape[1:] != dtype.shape:
            raise TypeError(
                f"mpiortho: {what} has shape {array.shape} and dtype {array.dtype}, but elements are "
                f"{dtype}: see dtype="
            )
        check_row(array, what)
        targets.append(target)
        arrays.append(array)
    places = [address_of(array) if array.size else 0 for array in arrays]
    base = min(filter(None, places), default=0)
    arguments = [
        ctypes.c_void_p(base), len(targets), ints(targets), longs(array.nbytes for array in arrays),
        longs(place - base if place else 0 for place in places), handle(MPI.BYTE), comm_handle(comm),
        info_handle(info),
    ]  # fmt: skip
    return arguments, arrays


def sparse_alltoallv(
    comm: AnyComm, blocks: Blocks, dtype: Any = np.float64, info: Info = None
) -> list[tuple[int, Array]]:
    """Sends arrays to processes that do not know of it, and returns what has come.  Collective.

    ``blocks`` are ``{target: array}`` or ``[(target, array), ...]``.  A target may be there several times,
    and may be the process itself; arrays may be empty.  Returned are ``[(source, array), ...]``, by rising
    source.
    These arrays are parts of one, one behind the other.  All have ``dtype``, the same on all processes;
    ``(np.float64, 3)``: arrays of (n, 3) elements.
    >>> everybody = MPI.COMM_WORLD
    >>> right = (everybody.rank + 1) % everybody.size
    >>> [(source, block)] = mpiortho.sparse_alltoallv(everybody, {right: np.full(2, 5.0)})
    >>> source == (everybody.rank - 1) % everybody.size, block
    (True, array([5., 5.]))

    Particles go to their owners, and those that stay are among them:
    >>> particles, owner = np.arange(6.0), np.arange(6) % everybody.size
    >>> came = mpiortho.sparse_alltoallv(everybody, {to: particles[owner == to] for to in set(owner)})
    >>> particles = np.concatenate([particles[:0], *(rows for _, rows in came)])
    >>> set(particles) == {i for i in range(6) if i % everybody.size == everybody.rank}
    True
    """
    sparse = _Sparse(np.dtype(dtype))
    arguments, _arrays = _sent(comm, blocks, sparse.dtype, info)
    check(library.ORTHO_Sparse_alltoallv(*arguments, ctypes.byref(sparse.raw)))
    return sparse.receive()


def isparse_alltoallv(comm: AnyComm, blocks: Blocks, dtype: Any = np.float64, info: Info = None) -> Request:
    """Starts ``sparse_alltoallv``, which see.  When the request is over, its ``result`` is what has come.
    ``blocks`` may be changed at once.
    >>> r = mpiortho.isparse_alltoallv(MPI.COMM_WORLD, [(0, np.ones((1, 3)))], dtype=(float, 3))
    >>> r.wait(); len(r.result) == (MPI.COMM_WORLD.size if MPI.COMM_WORLD.rank == 0 else 0)
    True
    """
    request = _Coming(_Sparse(np.dtype(dtype)))
    sparse, raw = request._sparse, ctypes.c_void_p()
    arguments, _arrays = _sent(comm, blocks, sparse.dtype, info)
    check(library.ORTHO_Isparse_alltoallv(*arguments, ctypes.byref(sparse.raw), ctypes.byref(raw)))
    made(request, raw, (), sparse, persistent=False, tells=True)
    return request
