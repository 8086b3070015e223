# SPDX-License-Identifier: BSD-3-Clause
"""Ghost layers of arrays that are divided among the processes of a grid."""

from __future__ import annotations

import ctypes
import itertools
import operator
import warnings
from typing import Any, Iterable, Mapping, Optional, Protocol, Sequence, Union

import numpy as np
from mpi4py import MPI

from ._arrays import Array, address_of, as_array, check_memory, datatype, differs, layout_of
from ._exchange import Exchange, Info, check_apart
from ._library import (
    c_handle, check, handle, handle_of, info_handle, integer, integers, ints, library, longs, offset_rows,
    settings_of,
)  # fmt: skip
from ._request import made

Direction = tuple[int, ...]
Widths = Union[int, Sequence[Union[int, Sequence[int]]], None]


class _Grid(Protocol):
    """A halo needs this of its ``Grid``, whose module needs this one."""

    comm: MPI.Comm
    rank: int
    dims: tuple[int, ...]
    stencil: Optional[np.ndarray[Any, np.dtype[np.intc]]]

    def _has_part(self) -> bool: ...


class _Field(ctypes.Structure):
    """ORTHO_Field."""

    _fields_ = [
        ("base", ctypes.c_void_p),
        ("element", c_handle),
        ("sizes", ctypes.POINTER(ctypes.c_longlong)),
        ("lower", ctypes.POINTER(ctypes.c_longlong)),
        ("upper", ctypes.POINTER(ctypes.c_longlong)),
        ("strides", ctypes.POINTER(ctypes.c_longlong)),
        ("dimension", ctypes.POINTER(ctypes.c_int)),
        ("order", ctypes.c_int),
        ("ndirections", ctypes.c_int),
        ("directions", ctypes.POINTER(ctypes.c_int)),
        ("ndims", ctypes.c_int),
        ("boundary", ctypes.c_void_p),
        ("reserved", ctypes.c_void_p * 2),
    ]


class Boundary(ctypes.Structure):
    """ORTHO_Boundary."""

    _fields_ = [("kind", ctypes.c_int), ("sign", ctypes.c_int), ("value", ctypes.c_void_p)]


UNDIVIDED = -1
_kinds = ["none", "constant", "edge", "symmetric", "reflect"]


def _is_list(thing: Any) -> bool:
    return isinstance(thing, (list, tuple)) or (isinstance(thing, np.ndarray) and thing.ndim > 0)


def _sides(given: Any, usual: Any, d: int, what: str) -> list[tuple[Any, Any]]:
    """(below, above) in each dimension of the grid: from one for all sides, a dictionary of some dimensions,
    or a list of all, of one for both sides or of pairs."""
    if isinstance(given, Mapping):
        known = {k % d for k in given if isinstance(k, (int, np.integer)) and -d <= k < d}
        if len(known) < len(given):
            raise ValueError(
                f"mpiortho: {what}={given!r} has keys that are no dimensions of a grid of {d}, or are one"
            )
        each = [given.get(k, given.get(k - d, usual)) for k in range(d)]
    else:
        each = list(given) if _is_list(given) else [given] * d
    if len(each) != d or any(_is_list(side) and len(side) != 2 for side in each):
        raise ValueError(
            f"mpiortho: {what}={given!r} has not one for each of {d} dimensions of the grid, or a pair "
            "(lower, upper)"
        )
    return [tuple(side) if _is_list(side) else (side, side) for side in each]


def widths(ghosts: Widths, d: int, what: str) -> list[tuple[int, int]]:
    """(below, above) in each dimension of the grid."""
    if ghosts is None:
        raise ValueError(f"mpiortho: no ghosts are given for {what}")
    each: Any = list(ghosts) if isinstance(ghosts, Iterable) else [ghosts] * d
    if len(each) != d:
        pairs = ", ".join(["(lower, upper)"] * d)
        raise ValueError(
            f"mpiortho: ghosts={ghosts!r} of {what} is no number and no list of {d}, one for each dimension: "
            f"({pairs},)"
        )
    result = []
    for width in each:
        try:
            lower, upper = map(operator.index, width if isinstance(width, Iterable) else (width, width))
        except (TypeError, ValueError):
            lower = upper = -1
        if lower < 0 or upper < 0:
            raise ValueError(
                f"mpiortho: ghosts={ghosts!r} of {what}: {width!r} is no number of layers and no pair "
                "(lower, upper)"
            )
        result.append((lower, upper))
    return result


class Field:
    """An array with what is special about it: ghost layers, axes, directions.

    ``array`` includes its ghosts.  ``ghosts`` is a number of layers, or one for each dimension of the grid,
    or pairs (lower, upper).  ``axes[k]`` is the axis of the array along dimension k of the grid; None: axis
    k.  Other axes are not divided among processes.  ``directions`` are the ghost regions to fill, such as
    ``[(1, 0)]``; None: all that the stencil fills.  ``boundary``, ``sign`` and ``value``: see ``Grid.halo``.
    On a mosaic ``array`` may be a list, ``location`` and ``sync`` are there: see ``Mosaic.halo``.
    >>> u, v = np.zeros((5, 4)), np.zeros((4, 5))
    >>> g = mpiortho.grid(MPI.COMM_WORLD, (0, 1), periodic=True)
    >>> staggered = g.halo([mpiortho.Field(u, ghosts=((0, 1), 0), directions=[(1, 0)]),
    ...                     mpiortho.Field(v, ghosts=(0, (0, 1)), directions=[(0, 1)])])
    >>> v[:, :-1] = 3; staggered.run(); v[0]
    array([3., 3., 3., 3., 3.])
    """

    def __init__(
        self,
        array: Any,
        ghosts: Widths = None,
        axes: Optional[Sequence[int]] = None,
        directions: Optional[Sequence[Sequence[int]]] = None,
        boundary: Any = None,
        sign: Any = None,
        value: Any = None,
        location: Any = None,
        sync: Optional[bool] = None,
    ) -> None:
        self.array, self.ghosts, self.axes, self.directions = array, ghosts, axes, directions
        self.boundary, self.sign, self.value = boundary, sign, value
        self.location, self.sync = location, sync


def boundary_of(
    boundary: Any, sign: Any, value: Any, d: int, dtype: Any, what: str
) -> list[tuple[int, int, Any]]:
    """Of both sides of each dimension of the grid: kind, sign, value; nothing if no side has a kind."""
    kinds = _sides(boundary, None, d, f"boundary of {what}")
    signs = _sides(1 if sign is None else sign, 1, d, f"sign of {what}")
    values = _sides(0 if value is None else value, 0, d, f"value of {what}")
    result = []
    for k, i in itertools.product(range(d), range(2)):
        kind = kinds[k][i]
        if kind is not None and kind not in _kinds:
            raise ValueError(f"mpiortho: boundary={kind!r} of {what} is none of {', '.join(_kinds)}")
        if signs[k][i] not in (1, -1):
            raise ValueError(f"mpiortho: sign={signs[k][i]!r} of {what} is neither 1 nor -1")
        of_value = np.array(values[k][i]).astype(dtype) if kind == "constant" else None
        result.append((0 if kind is None else _kinds.index(kind), int(signs[k][i]), of_value))
    return result if any(side[0] for side in result) else []


def refuse_unused(value: Any, fields: Iterable[Any], what: str) -> None:
    """A value is that of a constant boundary."""
    constant = _kinds.index("constant")
    if value is not None and not any(side[0] == constant for field in fields for side in field.boundary):
        raise ValueError(f'mpiortho: value={value!r} of {what} is for boundary="constant", which no side has')


def boundaries(sides: Sequence[tuple[int, int, Any]]) -> Any:
    """Sides as an argument of C, and what it points to."""
    result = (Boundary * len(sides))()
    for side, (kind, sign, value) in zip(result, sides):
        side.kind, side.sign, side.value = kind, sign, None if value is None else value.ctypes.data
    return result, sides


class _Shape:
    """A field of a grid with all that was left out."""

    def __init__(
        self,
        field: Field,
        number: Union[int, str],
        d: int,
        ghosts: Widths,
        axes: Optional[Sequence[int]],
        directions: Any,
        reduces: bool,
        boundary: Any = None,
        sign: Any = None,
        value: Any = None,
        writable: bool = True,
    ) -> None:
        self.what = f"field {number}"
        #: Its layout, once the halo is made.
        self.array: Any = as_array(field.array, self.what, writable)
        check_memory(self.array, self.what)
        self.ghosts = widths(ghosts if field.ghosts is None else field.ghosts, d, self.what)
        self.axes = self._axes(axes if field.axes is None else field.axes, d)
        chosen = directions if field.directions is None else field.directions
        self.directions: Optional[list[Direction]] = None
        if chosen is not None:
            self.directions = list(map(tuple, offset_rows(chosen, d, f"directions of {self.what}").tolist()))
        for k, axis in enumerate(self.axes):
            if self.array.shape[axis] < sum(self.ghosts[k]):
                raise ValueError(
                    f"mpiortho: axis {axis} of {self.what} has {self.array.shape[axis]} layers, ghosts "
                    f"included, but ghosts are {self.ghosts[k]}"
                )
        self.type = datatype(self.array.dtype, self.what, reduces)
        self.boundary = boundary_of(
            boundary if field.boundary is None else field.boundary,
            sign if field.sign is None else field.sign,
            value if field.value is None else field.value,
            d,
            self.array.dtype,
            self.what,
        )
        refuse_unused(field.value, [self], self.what)
        # The dimension of the grid along each axis.
        self.along = [self.axes.index(k) if k in self.axes else UNDIVIDED for k in range(self.array.ndim)]
        self.further = [n for n, k in zip(self.array.shape, self.along) if k == UNDIVIDED]

    def _axes(self, axes: Optional[Sequence[int]], d: int) -> list[int]:
        rank = self.array.ndim
        if axes is None:
            if rank < d:
                raise ValueError(
                    f"mpiortho: {self.what} has {rank} axes on a grid of {d} dimensions: shape "
                    f"{self.array.shape}, but an axis is needed for each dimension of the grid"
                )
            if rank > d > 0 and min(self.array.shape[:d]) < max(self.array.shape[d:]):
                warnings.warn(
                    f"mpiortho: of {self.what}, shape {self.array.shape}, the first {d} axes are divided, and "
                    "longer ones are not: axes= says which are",
                    stacklevel=5,
                )
            return list(range(d))
        listed = integers(axes, f"axes of {self.what}")
        normal = [axis + rank if axis < 0 else axis for axis in listed]
        if len(normal) != d or len(set(normal)) != d or any(not 0 <= axis < rank for axis in normal):
            raise ValueError(
                f"mpiortho: axes={listed!r} of {self.what} are not {d} different axes of an array of {rank}"
            )
        return normal

    def fill(self, field: _Field) -> None:
        lower, upper = zip(*((0, 0) if k == UNDIVIDED else self.ghosts[k] for k in self.along))
        field.base, field.element = address_of(self.array), MPI._handleof(self.type)
        field.ndims, field.dimension, field.order = len(self.along), ints(self.along), MPI.ORDER_C
        field.sizes, field.lower, field.upper = longs(self.array.shape), longs(lower), longs(upper)
        field.strides = longs(stride or 1 for stride in self.array.strides)
        if self.boundary:
            sides = [*self.boundary, (0, 1, None), (0, 1, None)]  # the last two: of axes that are not divided
            self._kept = boundaries([side for k in self.along for side in (sides[2 * k], sides[2 * k + 1])])
            field.boundary = ctypes.addressof(self._kept[0])
        field.ndirections = -1 if self.directions is None else len(self.directions)
        if self.directions is not None:
            field.directions = ints(itertools.chain.from_iterable(self.directions))

    def region(self, direction: Sequence[int], owned: bool = False) -> tuple[slice, ...]:
        """Slices of the array: ghosts in a direction; along 0, or where owned, what the process owns."""
        slices = [slice(None)] * len(self.array.shape)
        for k, axis in enumerate(self.axes):
            n, (lower, upper) = self.array.shape[axis], self.ghosts[k]
            sides = {-1: slice(0, lower), 0: slice(lower, n - upper), 1: slice(n - upper, n)}
            slices[axis] = sides[direction[k]]
        return tuple(slices)


class ArraysExchange(Exchange):
    """An exchange of arrays whose shapes are known."""

    _shapes: list[_Shape]

    def _rebind_to(self, places: Any) -> None:
        check(library.ORTHO_Halo_rebind(ctypes.c_void_p(self.handle), len(places), places))

    def _made(self, raw: ctypes.c_void_p, kept: Any) -> None:
        made(self, raw, tuple(shape.array for shape in self._shapes), kept, persistent=True)
        for shape in self._shapes:
            shape.array = layout_of(shape.array)

    def _checked(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(arrays) != len(self._shapes):
            raise ValueError(
                f"mpiortho: {len(arrays)} arrays are given, but the halo is of {len(self._shapes)}"
            )
        taken = []
        for shape, given in zip(self._shapes, arrays):
            array = as_array(given, shape.what, writable=True)
            if layout_of(array) != shape.array:
                raise ValueError(f"mpiortho: {shape.what} {differs(array, shape.array)}")
            check_memory(array, shape.what)
            taken.append(array)
        check_apart({shape.what: array for shape, array in zip(self._shapes, taken)})
        return tuple(taken)

    def _places(self, arrays: Sequence[Any]) -> Any:
        return (ctypes.c_void_p * len(arrays))(*map(address_of, arrays))


class Halo(ArraysExchange):
    """Fills the ghost layers of arrays, again and again.  ``Grid.halo`` makes it.

    It keeps the arrays, and writes ghosts in them, in place.  ``start`` and ``run`` may be given other arrays
    of the same shapes, strides and types.  The halo keeps these then: ``h.run(v); h.run()`` fills v twice.
    >>> g = mpiortho.grid(MPI.COMM_WORLD, (0, 1), periodic=True)
    >>> u, v = g.zeros((3, 4), ghosts=1), g.zeros((3, 4), ghosts=1)   # (5, 6) elements
    >>> h = g.halo(u, ghosts=1)
    >>> h.owned()[...] = 7
    >>> with h:                           # start ... wait
    ...     h.owned().sum()
    np.float64(84.0)
    >>> int(u.sum()), int(v.sum())
    (210, 0)
    >>> h.run(v)                          # start and wait in one, for another array
    >>> h.arrays[0] is v                  # which it has from now on
    True
    """

    def __init__(
        self,
        grid: _Grid,
        fields: Any,
        ghosts: Widths = None,
        axes: Optional[Sequence[int]] = None,
        divided: Optional[Sequence[int]] = None,
        directions: Optional[Sequence[Sequence[int]]] = None,
        op: Optional[MPI.Op] = None,
        info: Info = None,
        boundary: Any = None,
        sign: Any = None,
        value: Any = None,
    ) -> None:
        if not hasattr(grid, "dims"):
            raise TypeError(
                f"mpiortho: grid={grid!r} is a {type(grid).__name__}, not a Grid: mpiortho.grid(comm, dims) "
                "makes one"
            )
        if op is not None:
            handle_of(MPI.Op, op, "op")
        if axes is not None and divided is not None:
            raise TypeError("mpiortho: axes and divided are one thing: give one of them")
        self.grid, self.op, self._info = grid, op, settings_of(info)
        self._rows = {}
        listed = list(fields) if isinstance(fields, (list, tuple)) else [fields]
        if any(isinstance(f, Field) and (f.location is not None or f.sync is not None) for f in listed):
            raise TypeError("mpiortho: location and sync are for fields of mosaics")
        axes = divided if axes is None else axes
        d = len(grid.dims)
        self._shapes = [
            _Shape(
                f if isinstance(f, Field) else Field(f), i, d, ghosts, axes, directions, op is not None,
                boundary, sign, value,
            )
            for i, f in enumerate(listed)
        ]  # fmt: skip
        refuse_unused(value, self._shapes, "a halo")
        check_apart({shape.what: shape.array for shape in self._shapes})
        self._make(d, info)

    def _make(self, d: int, info: Info) -> None:
        raw = ctypes.c_void_p()
        if self.grid._has_part():
            n = len(self._shapes)
            fields = (_Field * max(n, 1))()
            for field, shape in zip(fields, self._shapes):
                shape.fill(field)
            given = info_handle(info)
            comm = handle(self.grid.comm)
            if self.op is None:
                code = library.ORTHO_Halo_fields_init(n, fields, d, comm, given, ctypes.byref(raw))
            else:
                code = library.ORTHO_Halo_reduce_fields_init(
                    n, fields, d, handle(self.op), comm, given, ctypes.byref(raw)
                )
            check(code)
        self._made(raw, (self.op, self.grid))

    def _shape(self, field: int) -> _Shape:
        if not 0 <= integer(field, "field") < len(self._shapes):
            raise IndexError(f"mpiortho: field {field} of a halo of {len(self._shapes)}")
        return self._shapes[field]

    def unfilled(self, field: int = 0) -> list[Direction]:
        """The ghost regions of a field that no process fills, since the grid ends there: boundary conditions
        are needed.

        Each is a direction, -1, 0 or 1 for each dimension of the grid.
        >>> g = mpiortho.grid(MPI.COMM_SELF, (1,))
        >>> g.halo(np.zeros(5), ghosts=1).unfilled()
        [(-1,), (1,)]
        """
        self._shape(field)
        d = len(self.grid.dims)
        if not self.handle:
            return []
        n = ctypes.c_int()
        request = ctypes.c_void_p(self.handle)
        check(library.ORTHO_Halo_unfilled(request, field, 0, None, ctypes.byref(n)))
        found = (ctypes.c_int * max(n.value * d, 1))()
        check(library.ORTHO_Halo_unfilled(request, field, n.value, found, ctypes.byref(n)))
        return [tuple(found[i * d : (i + 1) * d]) for i in range(n.value)]

    def filled(self, field: int = 0) -> list[Direction]:
        """The ghost regions of a field that the halo fills on this process.
        >>> g = mpiortho.grid(MPI.COMM_SELF, (1, 1), periodic=(True, False))
        >>> g.halo(np.zeros((5, 5)), ghosts=1).filled()
        [(-1, 0), (1, 0)]
        """
        shape, d = self._shape(field), len(self.grid.dims)
        if not self.handle:
            return []
        missing = set(self.unfilled(field))
        wanted = None if shape.directions is None else set(shape.directions)
        offered = (
            None
            if self.grid.stencil is None
            else {tuple(-int(x) for x in offset) for offset in self.grid.stencil}
        )
        if offered is None and (self._info or {}).get("ortho_regions") == "faces":
            offered = {s for s in itertools.product((-1, 0, 1), repeat=d) if sum(map(abs, s)) == 1}
        return [
            s
            for s in itertools.product((-1, 0, 1), repeat=d)
            if any(s) and s not in missing
            and (wanted is None or s in wanted) and (offered is None or s in offered)
            and all(x == 0 or shape.ghosts[k][x > 0] > 0 for k, x in enumerate(s))
        ]  # fmt: skip

    def region(self, direction: Sequence[int], field: int = 0) -> tuple[slice, ...]:
        """Slices of a field's array: its ghosts in a direction.  (0, 0, ...) is what the process owns.
        >>> h = mpiortho.grid(MPI.COMM_SELF, (1, 1)).halo(np.zeros((6, 6)), ghosts=(1, 2))
        >>> h.region((-1, 0))
        (slice(0, 1, None), slice(2, 4, None))
        """
        listed = integers(direction, "direction", len(self.grid.dims))
        if any(abs(side) > 1 for side in listed):
            raise ValueError(f"mpiortho: direction={direction!r} has numbers other than -1, 0 and 1")
        return self._shape(field).region(listed)

    def owned(self, field: int = 0) -> Array:
        """What the process owns of a field: the array that it has now, without ghosts.  A view.
        >>> mpiortho.grid(MPI.COMM_SELF, (1,)).halo(np.zeros(7), ghosts=((1, 2),)).owned().shape
        (4,)
        """
        shape = self._shape(field)
        array: Array = self.arrays[field]
        return array[shape.region([0] * len(self.grid.dims))]

    def gather(self, whole: Any = None, root: int = 0, field: int = 0) -> None:
        """Copies what each process owns of a field, of the array that it has now, to its place in ``whole`` at
        the root.  Ghosts stay behind: the halo knows them.  Collective.
        >>> g = mpiortho.grid(MPI.COMM_WORLD, (0,)); u = np.full(4, 5.0)
        >>> whole = np.zeros(2 * g.size) if g.rank == 0 else None
        >>> g.halo(u, ghosts=1).gather(whole)
        >>> whole is None or whole.tolist() == [5.0] * 2 * g.size
        True
        """
        self._move(library.ORTHO_Halo_gather, whole, root, field, True)

    def scatter(self, whole: Any = None, root: int = 0, field: int = 0) -> None:
        """Copies each part of ``whole`` at the root into the field of its owner.  Collective.
        >>> g = mpiortho.grid(MPI.COMM_WORLD, (0,)); u = np.zeros(4)
        >>> g.halo(u, ghosts=1).scatter(np.ones(2 * g.size)); u
        array([0., 1., 1., 0.])
        """
        self._move(library.ORTHO_Halo_scatter, whole, root, field, False)

    def _move(self, call: Any, whole: Any, root: int, field: int, writes: bool) -> None:
        mine, root = self._shape(field), integer(root, "root")
        if not self.handle:
            return
        request, part = ctypes.c_void_p(self.handle), _Field()
        if self.grid.rank == root:
            try:
                self._whole(whole, mine, writes).fill(part)
            except (TypeError, ValueError):
                call(request, field, None, root)  # others are told
                raise
        check(call(request, field, ctypes.byref(part), root))

    def _whole(self, whole: Any, mine: _Shape, writes: bool) -> _Shape:
        """A whole array, whose axes are those of a field."""
        d = len(self.grid.dims)
        array, own = as_array(whole, "whole"), mine.array
        rest = [n for axis, n in enumerate(array.shape) if axis not in mine.axes]
        if (array.ndim, array.dtype, rest) != (len(own.shape), own.dtype, mine.further):
            raise ValueError(
                f"mpiortho: whole has shape {array.shape} of {array.dtype}, and {mine.what} {own.shape} of "
                f"{own.dtype}: axes {mine.axes} are divided, and all else is the same"
            )
        return _Shape(Field(array), "of whole", d, 0, mine.axes, None, False, writable=writes)

    def _reverse(self) -> tuple[Halo, Sequence[Sequence[tuple[slice, ...]]]]:
        if any(shape.boundary for shape in self._shapes):
            raise ValueError("mpiortho: a halo with a boundary has no reverse")
        fields = [Field(a, s.ghosts, s.axes, s.directions) for a, s in zip(self.arrays, self._shapes)]
        clears = [[shape.region(s) for s in self.filled(i)] for i, shape in enumerate(self._shapes)]
        return Halo(self.grid, fields, op=MPI.SUM, info=self._info), clears
