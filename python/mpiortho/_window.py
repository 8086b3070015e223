# SPDX-License-Identifier: BSD-3-Clause
"""One-sided communication: the memory of neighbors on graphs, of all on full communicators."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from ._arrays import Array, address_of, as_array, check_elements, check_memory, check_row, datatype
from ._grid import Communicator
from ._library import (
    LONG, c_handle, check, comm_handle, handle, handle_of, info_handle, integer, library, one_or_more,
)  # fmt: skip

Info = Union[MPI.Info, dict[str, str], None]


def at_address(address: Optional[int], shape: Any, dtype: Any) -> Array:
    """An array on memory of the library's."""
    kind = np.dtype(dtype)
    n = int(np.prod(shape)) * kind.itemsize
    if address is None or n == 0:
        return np.zeros(shape, kind)
    memory = (ctypes.c_char * n).from_address(address)
    return np.frombuffer(memory, kind).reshape(shape)


def _bytes(shape: Union[int, Sequence[int]], dtype: Any) -> int:
    """How many bytes an array has."""
    check_elements(np.dtype(dtype), "dtype")
    given = one_or_more(shape, "shape", LONG)
    sizes = (given,) if isinstance(given, int) else given
    if any(n < 0 for n in sizes):
        raise ValueError(f"mpiortho: shape={shape!r} has a negative size")
    return math.prod(sizes) * int(np.dtype(dtype).itemsize)


def alloc_mem(
    comm: Communicator, shape: Union[int, Sequence[int]], dtype: Any = np.float64, info: Info = None
) -> Array:
    """An array in memory that other processes of the node can read, so that messages are copied once.
    Collective.

    It is not set to 0.  It lives until ``free_mem``, which is collective, too.
    >>> u = mpiortho.alloc_mem(ring, (4, 3)); u.shape
    (4, 3)
    >>> mpiortho.free_mem(ring, u)
    """
    n = _bytes(shape, dtype)
    place = ctypes.c_void_p()
    given = info_handle(info)
    code = library.ORTHO_Alloc_mem(ctypes.c_ssize_t(n), given, comm_handle(comm), ctypes.byref(place))
    check(code)
    return at_address(place.value, shape, dtype)


def free_mem(comm: Communicator, array: Array) -> None:
    """Gives back what ``alloc_mem`` has given.  Nothing may use the array after that.  Collective.
    >>> mpiortho.free_mem(ring, mpiortho.alloc_mem(ring, 0))
    """
    check(library.ORTHO_Free_mem(ctypes.c_void_p(address_of(array) if array.size else 0), comm_handle(comm)))


class Transfer:
    """A transfer that was started: ``rput`` and its like return it.
    >>> u = np.zeros(2); w = mpiortho.Window(ring, u)
    >>> source, target = ring.neighbors()[0][0], ring.neighbors()[1][0]
    >>> w.lock(target); w.rput(np.ones(1), target).wait(); w.unlock(target)
    >>> w.free()
    """

    def __init__(self, raw: Any, arrays: tuple[Any, ...], kept: dict[int, Any]) -> None:
        self._request = MPI.Request.fromhandle(raw.value or 0)
        self._arrays, self._kept = arrays, kept
        kept[id(self)] = self

    def wait(self) -> None:
        """Wait until the arrays of this process may be used again."""
        self._request.Wait()
        self._kept.pop(id(self), None)

    def test(self) -> bool:
        """May they be used again?"""
        is_over = bool(self._request.Test())
        if is_over:
            self._kept.pop(id(self), None)
        return is_over


class Window:
    """Memory of each process that its neighbors can read and write.  Making and freeing it is collective.

    ``array`` has any shape, one element behind the other.  Displacements count its elements.
    >>> u = np.zeros(2); w = mpiortho.Window(ring, u)     # 2 elements
    >>> right = ring.neighbor((1,))
    >>> w.fence(); w.put(np.full(1, 7.0), right, 1); w.fence(MPI.MODE_NOSUCCEED)
    >>> w.free(); u
    array([0., 7.])
    """

    def __init__(self, comm: Communicator, array: Any, info: Info = None) -> None:
        self.array: Any = as_array(array, "the array of a window", writable=True, devices=False)
        check_memory(self.array, "the array of a window")
        check_row(self.array, "the array of a window")
        base = [ctypes.c_void_p(address_of(self.array))]
        self._make("create", comm, self.array.nbytes, self.array.itemsize or 1, info, before=base)

    @classmethod
    def allocate(
        cls, comm: Communicator, shape: Union[int, Sequence[int]], dtype: Any = np.float64, info: Info = None
    ) -> Window:
        """A window on memory of MPI's: its ``array`` lives until ``free``.  Collective.
        >>> w = mpiortho.Window.allocate(ring, (2, 2)); w.array.shape
        (2, 2)
        >>> w.free()
        """
        window, place, unit = cls.__new__(cls), ctypes.c_void_p(), np.dtype(dtype).itemsize
        size = _bytes(shape, dtype)
        window._make("allocate", comm, size, max(unit, 1), info, after=[ctypes.byref(place)])
        window.array = at_address(place.value, shape, dtype)
        return window

    def _make(
        self,
        name: str,
        comm: Communicator,
        size: int,
        unit: int,
        info: Info,
        before: Any = (),
        after: Any = (),
    ) -> None:
        given, raw, n = info_handle(info), c_handle(), ctypes.c_ssize_t(size)
        create = getattr(library, "ORTHO_Win_" + name)
        check(create(*before, n, unit, given, comm_handle(comm), *after, ctypes.byref(raw)))
        self.win = MPI.Win.fromhandle(raw.value or 0)
        self.win.Set_errhandler(MPI.ERRORS_RETURN)
        #: By target: what has to live, by its id.
        self._kept: dict[int, dict[int, Any]] = {}

    def free(self) -> None:
        """Frees the window.  Collective."""
        raw = c_handle(MPI._handleof(self.win))
        check(library.ORTHO_Win_free(ctypes.byref(raw)))
        self.win = MPI.WIN_NULL
        self._kept = {}
        self.array = None

    def _call(self, name: str, *arguments: Any) -> None:
        check(getattr(library, "ORTHO_Win_" + name)(*arguments, handle(self.win)))

    def fence(self, assertion: int = 0) -> None:
        """Ends what neighbors do to each other, and lets them begin again.  ``MPI.MODE_NOSUCCEED``: they
        do not."""
        self._call("fence", assertion)
        self._kept = {}

    def lock(self, rank: int, exclusive: bool = False, assertion: int = 0) -> None:
        """Locks the memory of an out-neighbor."""
        kind = MPI.LOCK_EXCLUSIVE if exclusive else MPI.LOCK_SHARED
        self._call("lock", kind, integer(rank, "rank"), assertion)

    def unlock(self, rank: int) -> None:
        """Ends what was done under a lock."""
        self._call("unlock", integer(rank, "rank"))
        self._kept.pop(rank, None)

    def lock_all(self, assertion: int = 0) -> None:
        """Locks all out-neighbors."""
        self._call("lock_all", assertion)

    def unlock_all(self) -> None:
        """Unlocks them."""
        self._call("unlock_all")
        self._kept = {}

    def flush(self, rank: Optional[int] = None, local: bool = False) -> None:
        """Completes what was started under a lock, at one target or all; ``local``: as far as the caller's
        arrays go."""
        name = "flush_local" if local else "flush"
        if rank is None:
            self._call(name + "_all")
            self._kept = {}
        else:
            self._call(name, integer(rank, "rank"))
            self._kept.pop(rank, None)

    def sync(self) -> None:
        """Makes what was written to this window visible, under locks."""
        self._call("sync")

    def _origin(
        self, thing: Any, what: str, writable: bool, one: bool = False
    ) -> tuple[Array, Any, Any, Any]:
        array = as_array(thing, what, writable, devices=False)
        check_row(array, what)
        if one and array.size != 1:
            raise ValueError(f"mpiortho: {what} has {array.size} elements, not 1")
        return (
            array,
            ctypes.c_void_p(address_of(array)),
            integer(array.size, f"size of {what}"),
            handle(datatype(array.dtype, what)),
        )

    def _at(self, target: int, place: int, *arrays: Array) -> tuple[int, Any]:
        """Of a call whose arrays live until it is over."""
        rank, at = integer(target, "target"), ctypes.c_ssize_t(integer(place, "place", LONG))
        self._kept.setdefault(rank, {}).update((id(array), array) for array in arrays)
        return rank, at

    def _move(
        self, name: str, target: int, place: int, array: Any, result: Any = None, op: Optional[MPI.Op] = None
    ) -> Any:
        low = name.lower()
        sent = [] if array is None else [self._origin(array, f"array of {low}", False)]
        what = "result" if sent else "array"
        moved = sent + ([] if result is None else [self._origin(result, f"{what} of {low}", True)])
        arrays = tuple(array for array, *_ in moved)
        if len({(array.size, array.dtype) for array in arrays}) > 1:
            raise ValueError(
                f"mpiortho: {low} has arrays of {' and '.join(f'{a.size} {a.dtype}' for a in arrays)}"
            )
        arguments = [argument for _, *of_one in moved for argument in of_one]
        starts = name.startswith("R")
        at = self._at(target, place, *(() if starts else arrays))
        arguments += [*at, *arguments[1:3]]
        arguments += [] if op is None else [handle_of(MPI.Op, op, f"op of {low}")]
        arguments.append(handle(self.win))
        if not starts:
            check(getattr(library, "ORTHO_" + name)(*arguments))
            return None
        raw = c_handle()
        check(getattr(library, "ORTHO_" + name)(*arguments, ctypes.byref(raw)))
        return Transfer(raw, arrays, self._kept[at[0]])

    def put(self, array: Any, target: int, place: int = 0) -> None:
        """Writes an array to the target, from element ``place`` of its window on."""
        self._move("Put", target, place, array)

    def get(self, array: Any, target: int, place: int = 0) -> None:
        """Reads an array from there."""
        self._move("Get", target, place, None, array)

    def accumulate(self, array: Any, target: int, place: int = 0, op: MPI.Op = MPI.SUM) -> None:
        """Reduces an array into the target's."""
        self._move("Accumulate", target, place, array, op=op)

    def get_accumulate(
        self, array: Any, result: Any, target: int, place: int = 0, op: MPI.Op = MPI.SUM
    ) -> None:
        """The same, and ``result`` gets what was there before."""
        self._move("Get_accumulate", target, place, array, result, op)

    def rput(self, array: Any, target: int, place: int = 0) -> Transfer:
        """As ``put``, with something to wait for; under locks."""
        transfer: Transfer = self._move("Rput", target, place, array)
        return transfer

    def rget(self, array: Any, target: int, place: int = 0) -> Transfer:
        """As ``get``, with something to wait for; under locks."""
        transfer: Transfer = self._move("Rget", target, place, None, array)
        return transfer

    def raccumulate(self, array: Any, target: int, place: int = 0, op: MPI.Op = MPI.SUM) -> Transfer:
        """As ``accumulate``, with something to wait for; under locks."""
        transfer: Transfer = self._move("Raccumulate", target, place, array, op=op)
        return transfer

    def rget_accumulate(
        self, array: Any, result: Any, target: int, place: int = 0, op: MPI.Op = MPI.SUM
    ) -> Transfer:
        """As ``get_accumulate``, with something to wait for; under locks."""
        transfer: Transfer = self._move("Rget_accumulate", target, place, array, result, op)
        return transfer

    def fetch_and_op(
        self, value: Any, result: Any, target: int, place: int = 0, op: MPI.Op = MPI.SUM
    ) -> None:
        """Reduces one element into the target's; ``result`` gets what was there before."""
        array, address, _, kind = self._origin(value, "value of fetch_and_op", False, one=True)
        other, to, _, other_kind = self._origin(result, "result of fetch_and_op", True, one=True)
        self._same(array, other)
        check(
            library.ORTHO_Fetch_and_op(
                address, to, kind, *self._at(target, place, array, other), handle_of(MPI.Op, op, "op"),
                handle(self.win),
            )
        )

    def compare_and_swap(self, value: Any, compare: Any, result: Any, target: int, place: int = 0) -> None:
        """Writes one element to the target if ``compare`` is there; ``result`` gets what was there before."""
        array, address, _, kind = self._origin(value, "value of compare_and_swap", False, one=True)
        against, compared, _, _ = self._origin(compare, "compare of compare_and_swap", False, one=True)
        other, to, _, _ = self._origin(result, "result of compare_and_swap", True, one=True)
        self._same(array, other, against)
        check(
            library.ORTHO_Compare_and_swap(
                address, compared, to, kind, *self._at(target, place, array, against, other),
                handle(self.win),
            )
        )

    @staticmethod
    def _same(*arrays: Array) -> None:
        if len({array.dtype for array in arrays}) > 1:
            raise TypeError(
                f"mpiortho: arrays of different types: {', '.join(str(array.dtype) for array in arrays)}"
            )
