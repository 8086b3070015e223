# SPDX-License-Identifier: BSD-3-Clause
"""Operations that were started, or can be."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Iterable, Optional, Sequence

import numpy as np
from mpi4py import MPI

from . import _core
from ._arrays import Array, address_of, as_array, layout_of, room
from ._library import IN_PLACE, Error, c_handle, check, family, got_int, integer, library, sweep, text


class Request(_core.Request):
    """A collective that was started, or that can be started again and again.

    It keeps its arrays alive.  ``with request:`` starts a persistent one, and waits at the end, after an
    exception too.
    >>> x, y = np.ones(2), np.zeros(2)
    >>> sums = ring.neighbors.allreduce_init(x, y)      # [2] and [2] elements
    >>> with sums:
    ...     x.sum()                           # do something else meanwhile
    np.float64(2.0)
    >>> y                                     # from two neighbors
    array([2., 2.])
    """

    #: The array that the operation writes.
    result: Any = None
    #: Of each array: the bytes that are needed, from its first element; is it written?; and a view of it, or
    #: what it is else.
    _needs: Sequence[tuple[tuple[int, int], bool, Any]] = ()

    def explain(self) -> str:
        """What was chosen for the operation, what else was considered, and the predicted times.
        >>> "barrier" in ring.barrier_init().explain()
        True
        """
        if self._empty:
            return "This process has no part in the operation.\n"
        return text(library.ORTHO_Explain, ctypes.c_void_p(self.handle))

    def parrived(self, neighbor: int) -> bool:
        """Has the block of this in-neighbor (a slot, from 0) arrived, although all may not be over?
        >>> ring.barrier_init().parrived(0)   # inactive
        True
        """
        slot = integer(neighbor, "neighbor")
        return bool(got_int(library.ORTHO_Parrived, ctypes.c_void_p(self.handle), slot))

    def _rebind(self, arrays: tuple[Any, ...], _facts: Optional[bytes]) -> None:
        """Takes other arrays; start() and run() call it."""
        n = len(self._needs)
        if len(arrays) != n:
            raise ValueError(f"mpiortho: {len(arrays)} arrays are given, but the operation has {n}")
        places: list[Any] = [None, None]
        taken = []
        for i, (new, ((low, high), is_written, old)) in enumerate(zip(arrays, self._needs)):
            is_last = i == n - 1
            if old is None or old is MPI.IN_PLACE:
                if new is not old:
                    raise ValueError(f"mpiortho: argument {i} was {old!r}, and has to stay so")
                places[int(is_last)] = IN_PLACE if old is MPI.IN_PLACE else None
                taken.append(old)
                continue
            what = f"argument {i}"
            array = as_array(new, what, is_written)
            in_rows = array.flags.c_contiguous and old.flags.c_contiguous and array.size >= old.size
            first, last = room(array)
            fits = first <= low and high <= last and (in_rows or layout_of(array) == layout_of(old))
            if array.dtype != old.dtype or not fits:
                raise ValueError(
                    f"mpiortho: {what} has shape {array.shape} of {array.dtype}, but the operation was made "
                    f"for {old.shape} of {old.dtype}"
                )
            places[int(is_last)] = ctypes.c_void_p(address_of(array))
            taken.append(array)
        both = [array for array in taken if isinstance(array, np.ndarray)]
        if len(both) == 2 and np.shares_memory(both[0], both[1]):
            raise ValueError("mpiortho: argument 0 and argument 1 share memory: see MPI.IN_PLACE")
        check(library.ORTHO_Request_rebind(ctypes.c_void_p(self.handle), *places))
        self.arrays = tuple(taken)

    def _done(self) -> None:
        """Called when the operation is over, if it was made so."""

    def _give_up(self) -> None:
        """Called by free(): lets all arrays go."""
        self.result, self._needs = None, ()


def made(
    request: Request,
    raw: ctypes.c_void_p,
    arrays: tuple[Any, ...],
    kept: Any,
    persistent: bool,
    tells: bool = False,
) -> None:
    sweep()
    request._set(raw.value or 0, arrays, kept, persistent, tells)


# --- Several ---------------------------------------------------------------------------------------------

STATUSES_IGNORE = ctypes.c_void_p(1 if family == "mpich" else 0)


def _several(
    name: str, requests: Sequence[Request], *more: Any, over: Callable[[], Iterable[int]] = tuple
) -> None:
    """Calls a function of several requests, and tells all of them what it has left, before an error of one
    is raised.  `over`: the indices of those that are over then."""
    for i, request in enumerate(requests):
        if not isinstance(request, Request):
            kind = type(request).__name__
            raise TypeError(f"mpiortho: requests[{i}]={request!r} is a {kind}, not an mpiortho.Request")
    if name in ("Startall", "Runall"):
        requests = [request for request in requests if not request._empty]
    n = len(requests)
    raw = (ctypes.c_void_p * max(n, 1))(*(request.handle for request in requests))
    problems: list[Exception] = []
    try:
        check(getattr(library, "ORTHO_" + name)(n, raw, *more))
    except Error as problem:
        problems.append(problem)
    starts, ended = name == "Startall" or (name == "Runall" and not problems), set(over())
    for i, (request, handle) in enumerate(zip(requests, raw)):
        try:
            request._state(handle or 0, handle is not None and (starts or request.active))
            if i in ended:
                request._state(handle or 0, False)
        except Exception as problem:
            problems.append(problem)
    if problems:
        raise problems[0]


def startall(requests: Iterable[Request]) -> None:
    """Start several persistent operations.
    >>> several = [ring.barrier_init(), ring.barrier_init()]
    >>> mpiortho.startall(several); mpiortho.waitall(several)
    """
    _several("Startall", list(requests))


def waitall(requests: Iterable[Request]) -> None:
    """Wait until several operations are over.
    >>> mpiortho.waitall([ring.ibarrier(), ring.ibarrier()])
    """
    listed = list(requests)
    _several("Waitall", listed, STATUSES_IGNORE, over=lambda: range(len(listed)))


def runall(requests: Iterable[Request]) -> None:
    """Start and wait for several persistent operations in one, which overlap.
    >>> mpiortho.runall([ring.barrier_init(), ring.barrier_init()])
    """
    listed = list(requests)
    _several("Runall", listed, STATUSES_IGNORE, over=lambda: range(len(listed)))


def testall(requests: Iterable[Request]) -> bool:
    """Are all of them over?
    >>> mpiortho.testall([])
    True
    """
    listed, flag = list(requests), ctypes.c_int()
    of_all = (ctypes.byref(flag), STATUSES_IGNORE)
    _several("Testall", listed, *of_all, over=lambda: range(len(listed) if flag.value else 0))
    return bool(flag.value)


def _indexed(name: str, requests: Iterable[Request], *more: Any) -> Optional[int]:
    index = ctypes.c_int(MPI.UNDEFINED)
    _several(
        name, list(requests), ctypes.byref(index), *more, STATUSES_IGNORE, over=lambda: [index.value]
    )
    return None if index.value == MPI.UNDEFINED else index.value


def waitany(requests: Iterable[Request]) -> Optional[int]:
    """Wait until one is over, and return its index; None if none is active.
    >>> mpiortho.waitany([ring.ibarrier()])
    0
    """
    return _indexed("Waitany", requests)


def testany(requests: Iterable[Request]) -> Optional[int]:
    """The index of one that is over, or None.
    >>> mpiortho.testany([]) is None
    True
    """
    return _indexed("Testany", requests, ctypes.byref(ctypes.c_int()))


def _some(name: str, requests: Iterable[Request]) -> list[int]:
    listed = list(requests)
    count, indices = ctypes.c_int(), (ctypes.c_int * max(len(listed), 1))()

    def over() -> list[int]:
        return indices[: max(count.value, 0)]  # MPI_UNDEFINED is negative

    _several(name, listed, ctypes.byref(count), indices, STATUSES_IGNORE, over=over)
    return over()


def waitsome(requests: Iterable[Request]) -> list[int]:
    """Wait until at least one is over, and return the indices of those that are; [] if none is active.
    >>> mpiortho.waitsome([ring.ibarrier()])
    [0]
    """
    return _some("Waitsome", requests)


def testsome(requests: Iterable[Request]) -> list[int]:
    """The indices of those that are over now.
    >>> mpiortho.testsome([])
    []
    """
    return _some("Testsome", requests)


__all__ = ["Array", "Error", "Request", "c_handle", "made"]
