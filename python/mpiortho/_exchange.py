# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges of fields that are prepared once, and may get other arrays: halos, and ghosts of index maps."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from ._arrays import Array, address_of, reach
from ._request import Request

if TYPE_CHECKING:
    from typing_extensions import Self

Info = Union[MPI.Info, dict[str, str], None]


def flat(fields: Sequence[Any]) -> tuple[Any, ...]:
    """The arrays of fields, some of which have several: what the process owns and ghosts, or those of
    patches."""
    lists = (field if isinstance(field, (list, tuple)) else (field,) for field in fields)
    return tuple(array for arrays in lists for array in arrays)


def check_apart(arrays: dict[str, Array], read: int = 0, cure: str = "") -> None:
    """Refuses arrays that share memory.  The first ones, as many as are only read, may do so."""
    spans = []
    for number, array in enumerate(arrays.values()):
        low, high = reach(array)
        spans.append((address_of(array) + low, number, address_of(array) + high))
    spans.sort()
    names = list(arrays)
    for i, (_, first, end) in enumerate(spans):
        for low, second, _ in itertools.takewhile(lambda span: span[0] < end, spans[i + 1 :]):
            a, b = sorted((first, second))
            if b >= read and np.shares_memory(arrays[names[a]], arrays[names[b]]):
                raise ValueError(f"mpiortho: {names[a]} and {names[b]} share memory{cure}")


class Exchange(Request):
    """``start`` and ``run`` may be given other arrays of the same layouts, and keep them."""

    op: Optional[MPI.Op] = None
    _transposed: Any = None
    #: Of each array: the ghosts that are cleared when the exchange is over.
    _clears: Sequence[Sequence[Any]] = ()

    #: By the facts of arrays that were given: the arrays, and where the library's fields begin.
    _rows: dict[bytes, tuple[tuple[Any, ...], Any]]

    def _rebind(self, arrays: tuple[Any, ...], facts: Optional[bytes]) -> None:
        row = None if facts is None else self._rows.get(facts)
        if row is None:
            taken = self._checked(arrays)
            row = taken, self._places(taken)
            if len(self._rows) == 4:
                self._rows.clear()
            if facts is not None:
                self._rows[facts] = row
        self._have(*row)

    def _have(self, arrays: tuple[Any, ...], places: Any) -> None:
        if self.handle:
            self._rebind_to(places)
        self.arrays = arrays

    def _checked(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        """Fields that are given, as arrays."""
        raise NotImplementedError

    def _places(self, arrays: Sequence[Any]) -> Any:
        """Where the library's fields begin."""
        raise NotImplementedError

    def _rebind_to(self, places: Any) -> None:
        raise NotImplementedError

    def _reverse(self) -> tuple[Self, Sequence[Sequence[Any]]]:
        """The sum of ghosts into their elements, and which ghosts it has to clear."""
        raise NotImplementedError

    @property
    def T(self) -> Self:
        """The adjoint: adds ghosts to the elements that they are copies of, and clears them.  It gets the
        arrays that the exchange has now.  Made at the first use, which is collective.
        >>> g = mpiortho.grid(MPI.COMM_WORLD, (0,), periodic=True)
        >>> u = g.zeros(3, ghosts=1); u[...] = 1
        >>> g.halo(u, ghosts=1).T.run(); u
        array([0., 2., 1., 2., 0.])
        """
        if not self.handle and not self._empty:
            raise ValueError("mpiortho: the exchange was freed")
        if self._transposed is None:
            if self.op is not None:
                raise TypeError(
                    "mpiortho: a reduction leaves ghosts as they are, so that it is no adjoint: use "
                    "halo(...).T, or ghosts(...).T"
                )
            other, clears = self._reverse()
            other._clears = clears
            other._set(other.handle, other.arrays, self, True, True)
            self._transposed, other._transposed = other, self
        result: Self = self._transposed
        if not result.active and [*map(id, flat(result.arrays))] != [*map(id, flat(self.arrays))]:
            result._have(self.arrays, result._places(self.arrays))
        return result

    def _done(self) -> None:
        for array, places in zip(flat(self.arrays), self._clears):
            for place in places:
                array[place] = 0

    def _give_up(self) -> None:
        super()._give_up()
        self._rows, self._transposed = {}, None
