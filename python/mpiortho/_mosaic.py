# SPDX-License-Identifier: BSD-3-Clause
"""Grids that are not one box: tiles that contacts join, and patches of them that processes own."""

from __future__ import annotations

import ctypes
import itertools
import weakref
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Union

import numpy as np
from mpi4py import MPI

from ._arrays import Array, address_of, datatype
from ._exchange import Info, check_apart, flat
from ._grid import Communicator
from ._halo import (
    UNDIVIDED, ArraysExchange, Boundary, Field, Widths, _Shape, boundaries, boundary_of, refuse_unused,
    widths,
)  # fmt: skip
from ._library import (
    INT, LONG, c_handle, check, comm_handle, give_up, handle_of, info_handle, integer, integers, ints,
    library, longs, one_or_more, settings_of,
)  # fmt: skip

Side = tuple[int, int, int]
Numbers = Union[int, Sequence[int]]

_PLACES = {"centre": 0, "lower": -1, "upper": 1, "both": 2}
_LETTERS = {"t": (), "u": (0,), "v": (1,), "w": (2,), "f": (0, 1)}  # which faces are upper ones
_POSITION = 3
_Four = ctypes.c_longlong * 4


class Contact(NamedTuple):
    """What lies beyond a side of a tile, -1 or 1: position p here is position T(p) + origin of the donor.

    The coordinate of dimension k runs along that of dimension ``abs(transform[k]) - 1`` there, backward where
    ``transform[k]`` is negative.  ``first`` and ``shape`` are the cells along the side, if not all.
    ``shift`` is added to positions that come from there.
    >>> around = mpiortho.Contact(0, 0, 1, donor=0, transform=(1, 2), origin=(-8, 0))
    >>> around == mpiortho.contact_periodic((8, 5), 0)
    True
    """

    tile: int
    dimension: int
    side: int
    donor: int
    transform: Sequence[int]
    origin: Sequence[int]
    first: Sequence[int] = ()
    shape: Sequence[int] = ()
    shift: Sequence[float] = ()


class Patch(NamedTuple):
    """A box of cells of a tile that one process owns.
    >>> mpiortho.Patch(0, first=(4, 0), shape=(4, 5)).tile
    0
    """

    tile: int
    first: Sequence[int]
    shape: Sequence[int]


class _Contact(ctypes.Structure):
    """ORTHO_Contact."""

    _fields_ = [
        ("tile", ctypes.c_int), ("dimension", ctypes.c_int), ("side", ctypes.c_int), ("first", _Four),
        ("shape", _Four), ("donor", ctypes.c_int), ("transform", ctypes.c_int * 4), ("origin", _Four),
        ("shift", ctypes.c_double * 4),
    ]  # fmt: skip


class _Patch(ctypes.Structure):
    """ORTHO_Patch."""

    _fields_ = [("tile", ctypes.c_int), ("first", _Four), ("shape", _Four)]


class _Field(ctypes.Structure):
    """ORTHO_Mosaic_field."""

    _fields_ = [
        ("bases", ctypes.POINTER(ctypes.c_void_p)), ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("element", c_handle), ("lower", ctypes.POINTER(ctypes.c_longlong)),
        ("upper", ctypes.POINTER(ctypes.c_longlong)), ("location", ctypes.POINTER(ctypes.c_int)),
        ("kind", ctypes.c_int), ("component", ctypes.c_int), ("group", ctypes.c_int), ("sync", ctypes.c_int),
        ("order", ctypes.c_int), ("ndims", ctypes.c_int), ("dimension", ctypes.POINTER(ctypes.c_int)),
        ("undivided", ctypes.POINTER(ctypes.c_longlong)), ("boundary", ctypes.POINTER(Boundary)),
        ("reserved", ctypes.c_void_p * 2),
    ]  # fmt: skip


def _structures(rows: Sequence[Any], of: Any, d: int, what: str) -> Any:
    """Contacts or patches as an argument of C."""
    result = (of * max(len(rows), 1))()
    kinds = dict(of._fields_)
    for i, row in enumerate(rows):
        for name, value in zip(row._fields, row):
            where, kind = f"{what}[{i}].{name}", kinds[name]
            if kind is ctypes.c_int:
                setattr(result[i], name, integer(value, where))
            elif name == "shift":
                setattr(result[i], name, kind(*map(float, value)))
            elif name in ("first", "shape") and of is _Contact and len(value) == 0:
                continue
            else:
                limit = LONG if kind is _Four else INT
                setattr(result[i], name, kind(*integers(value, where, d, limit)))
    return result


def _rows(kind: Any, given: Any, what: str) -> list[Any]:
    """Contacts or patches, which may be plain tuples."""
    try:
        return [kind(*row) for row in given]
    except TypeError:
        raise TypeError(f"mpiortho: {what}={given!r} is no list of mpiortho.{kind.__name__}") from None


# --- Contacts -----------------------------------------------------------------------------------------------


def _tiles(sizes: Any) -> list[tuple[int, ...]]:
    """The sizes of each tile.  Those of one tile are enough."""
    listed = list(sizes) if isinstance(sizes, Iterable) else [sizes]
    if not any(isinstance(size, Iterable) for size in listed):
        listed = [listed]
    tiles = [integers(size, f"sizes[{i}]", limit=LONG) for i, size in enumerate(listed)]
    if len(set(map(len, tiles))) != 1:
        raise ValueError(f"mpiortho: sizes={sizes!r} are those of tiles of different dimensions")
    return tiles


def _contacts(name: str, sizes: Any, *arguments: Any, tiles: Sequence[int], n: int = 1) -> list[Contact]:
    """Those that a function makes, of some of the tiles."""
    all_tiles = _tiles(sizes)
    if any(not 0 <= tile < len(all_tiles) for tile in tiles):
        raise ValueError(f"mpiortho: tiles {tiles} are none of those {len(all_tiles)} that have sizes")
    d, found = len(all_tiles[0]), (_Contact * n)()
    call = getattr(library, "ORTHO_Contact_" + name)
    check(call(d, longs(itertools.chain.from_iterable(all_tiles)), *arguments, found))
    return [
        Contact(c.tile, c.dimension, c.side, c.donor, tuple(c.transform[:d]), tuple(c.origin[:d]))
        for c in found
    ]


def contact_join(sizes: Any, a: Side, b: Side, reversed: Optional[Sequence[bool]] = None) -> Contact:
    """Joins the whole side ``a`` of a tile to ``b``.  Both are (tile, dimension, -1 or 1).

    ``sizes`` are those of all tiles.  Other dimensions run along each other in their order, those of ``a``
    with ``reversed[k]`` backward.
    >>> mpiortho.contact_join([(4, 6), (6, 4)], (0, 0, 1), (1, 1, 1), reversed=[False, True]).origin
    (6, 8)
    """
    sides = integers(a, "a", 3) + integers(b, "b", 3)
    d = len(_tiles(sizes)[0])
    flags = None if reversed is None else ints(integers(map(bool, reversed), "reversed", d))
    return _contacts("join", sizes, *sides, flags, tiles=(sides[0], sides[3]))[0]


def contact_periodic(sizes: Any, dimension: int, tile: int = 0, shift: Sequence[float] = ()) -> Contact:
    """Joins the two sides of a dimension of a tile.
    >>> mpiortho.contact_periodic((8, 5), 0, shift=(360.0,)).shift
    (360.0,)
    """
    tile, dimension = integers((tile, dimension), "tile, dimension")
    return _contacts("periodic", sizes, tile, dimension, tiles=(tile,))[0]._replace(shift=shift)


def contact_fold(
    sizes: Any, pivot: str = "T", tile: int = 0, dimension: int = 1, side: int = 1, along: int = 0
) -> Contact:
    """Folds a side onto itself around a point of a cell: its centre (pivot "T"), its corner ("F"), or the
    middle of a face ("U", "V").  Dimension ``along`` runs backward beyond the side.
    >>> mpiortho.contact_fold((8, 5), pivot="F").transform
    (-1, -2)
    """
    if pivot not in ("T", "F", "U", "V"):
        raise ValueError(f"mpiortho: pivot={pivot!r} is none of T, F, U, V")
    numbers = integers((tile, dimension, side, along), "tile, dimension, side, along")
    return _contacts("fold", sizes, *numbers, "TFUV".index(pivot), tiles=(tile,))[0]


def contact_cubed_sphere(sizes: Any) -> list[Contact]:
    """The 12 contacts of six panels of n x n cells, which may have further dimensions, numbered as FV3 and
    MITgcm do.
    >>> len(mpiortho.contact_cubed_sphere([(4, 4)] * 6))
    12
    """
    return _contacts("cubed_sphere", sizes, tiles=(5,), n=12)


# --- Mosaics ------------------------------------------------------------------------------------------------


def _patches(call: Any, d: int, *arguments: Any) -> list[Patch]:
    """Those that a function tells."""
    n = ctypes.c_int()
    check(call(*arguments, 0, None, ctypes.byref(n)))
    found = (_Patch * max(n.value, 1))()
    check(call(*arguments, n.value, found, ctypes.byref(n)))
    return [Patch(one.tile, tuple(one.first[:d]), tuple(one.shape[:d])) for one in found[: n.value]]


def _location(given: Any, d: int, what: str) -> list[int]:
    """The place in each dimension, from a letter or from words."""
    if given is None or isinstance(given, str) and max(_LETTERS.get(given, (d,)), default=0) < d:
        return [int(k in _LETTERS[given or "t"]) for k in range(d)]
    if isinstance(given, (list, tuple)) and len(given) == d and set(given) <= set(_PLACES):
        return [_PLACES[place] for place in given]
    raise ValueError(
        f"mpiortho: {what}={given!r} is no letter of a point in {d} dimensions ({', '.join(_LETTERS)}), and "
        f"has not one of {', '.join(_PLACES)} for each of them"
    )


def _kinds(n: int, d: int, **given: Any) -> list[tuple[int, int, int]]:
    """(kind, component, group) of each field."""
    result = [(0, 0, 0)] * n
    for kind, (what, fields) in enumerate(given.items(), 1):
        listed = range(n) if fields is True else fields
        if kind != _POSITION and len(listed) % d != 0:
            raise ValueError(f"mpiortho: {what}={fields!r}: {len(listed)} fields are no groups of {d}")
        for i, field in enumerate(listed):
            if not 0 <= field < n or result[field][0] != 0:
                raise ValueError(f"mpiortho: {what}={fields!r}: field {field} is none of {n}, or is twice")
            result[field] = (kind, i, 0) if kind == _POSITION else (kind, i % d, i // d)
    return result


class Mosaic:
    """Tiles, contacts that say what lies beyond their sides, and the patches that this process owns.
    Collective.

    ``sizes`` are the cells of each tile in each dimension, ``[(8, 5), (8, 5)]``, or those of one tile.  Tiles
    and contacts are the same on all processes.  A contact counts both ways.  A process has any number of
    patches, none too; then ``comm`` has to live while halos are made.
    >>> p, r = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank
    >>> size = (2 * p, 3)
    >>> contacts = [mpiortho.contact_periodic(size, 0), mpiortho.contact_fold(size, pivot="F")]
    >>> patch = mpiortho.Patch(0, (2 * r, 0), (2, 3))
    >>> with mpiortho.Mosaic(MPI.COMM_WORLD, size, contacts, [patch]) as ocean:
    ...     [t] = ocean.zeros(ghosts=1)
    ...     t[1:-1, 1:-1] = r
    ...     ocean.halo(t, ghosts=1).run()
    >>> int(t[1, 4]) == p - 1 - r             # beyond the fold
    True
    """

    def __init__(
        self,
        comm: Union[MPI.Comm, Communicator],
        sizes: Any,
        contacts: Iterable[Contact] = (),
        patches: Iterable[Any] = (),
        info: Info = None,
    ) -> None:
        given, own = info_handle(info), comm_handle(comm)
        self.comm = comm.comm if isinstance(comm, Communicator) else comm
        self.sizes, self._raw = _tiles(sizes), ctypes.c_void_p()
        self.patches: list[Patch] = _rows(Patch, patches, "patches")
        listed, self._d = _rows(Contact, contacts, "contacts"), len(self.sizes[0])
        check(
            library.ORTHO_Mosaic_create(
                own, self._d, len(self.sizes), longs(itertools.chain.from_iterable(self.sizes)),
                len(listed), _structures(listed, _Contact, self._d, "contacts"),
                len(self.patches), _structures(self.patches, _Patch, self._d, "patches"),
                given, ctypes.byref(self._raw),
            )
        )  # fmt: skip
        weakref.finalize(self, give_up, "Mosaic_free", self._raw).atexit = False
        # A process without patches has no arrays, which say what fields are: another one tells it.
        lowest = np.array([self.comm.rank if self.patches else self.comm.size, len(self.patches)])
        self.comm.Allreduce(MPI.IN_PLACE, lowest, MPI.MIN)
        self._teller = int(lowest[0]) if lowest[1] == 0 and lowest[0] < self.comm.size else None

    def __enter__(self) -> Mosaic:
        return self

    def __exit__(self, *_: Any) -> None:
        self.free()

    def free(self) -> None:
        """Gives the mosaic up; halos that were made on it live on.
        >>> mpiortho.Mosaic(MPI.COMM_SELF, (4,)).free()
        """
        check(library.ORTHO_Mosaic_free(ctypes.byref(self._raw)))

    @staticmethod
    def divide(sizes: Any, parts: int, part: int, most: Numbers = 0) -> list[Patch]:
        """Divides tiles into patches of at most ``most`` cells in each dimension, any number if it is 0, and
        deals them out to ``parts`` processes: the patches of one of them.
        >>> len(mpiortho.Mosaic.divide((8, 8), parts=4, part=1, most=2))
        4
        """
        tiles, longest = _tiles(sizes), one_or_more(most, "most", LONG)
        d = len(tiles[0])
        longest = integers([longest] * d if isinstance(longest, int) else longest, "most", d, LONG)
        numbers = longs(itertools.chain.from_iterable(tiles)), longs(longest)
        both = integer(parts, "parts"), integer(part, "part")
        return _patches(library.ORTHO_Mosaic_divide, d, d, len(tiles), *numbers, *both)

    def owner(self, tile: int, cell: Sequence[int]) -> Optional[tuple[int, int]]:
        """The process that owns a cell, and which of its patches; None if nobody does.
        >>> mpiortho.Mosaic(MPI.COMM_SELF, (4,), patches=[(0, (1,), (3,))]).owner(0, (2,))
        (0, 0)
        """
        found, place = (ctypes.c_int(), ctypes.c_int()), longs(integers(cell, "cell", self._d, LONG))
        check(library.ORTHO_Mosaic_owner(self._raw, integer(tile, "tile"), place, *map(ctypes.byref, found)))
        return None if found[0].value < 0 else (found[0].value, found[1].value)

    def _sizes(self, patch: Patch, ghosts: Sequence[tuple[int, int]], location: Sequence[int]) -> list[int]:
        """The elements of an array in each dimension.  Those at both faces are one more where a tile ends."""
        result = []
        for k, (n, (lower, upper)) in enumerate(zip(patch.shape, ghosts)):
            is_end = patch.first[k] + n == self.sizes[patch.tile][k]
            result.append(lower + n + upper + int(is_end and location[k] == _PLACES["both"]))
        return result

    def zeros(
        self, shape: Numbers = (), ghosts: Widths = 0, location: Any = None, dtype: Any = np.float64
    ) -> list[Array]:
        """Arrays of zeros, one for each patch, with ghosts around what it owns.  ``shape`` are further axes,
        behind those along the mosaic.
        >>> halves = [(0, (0, 0), (4, 3)), (0, (0, 3), (4, 3))]
        >>> mosaic = mpiortho.Mosaic(MPI.COMM_SELF, (4, 6), patches=halves)
        >>> [u.shape for u in mosaic.zeros(7, ghosts=1, location=("centre", "both"))]
        [(6, 5, 7), (6, 6, 7)]
        """
        further, d = one_or_more(shape, "shape", LONG), self._d
        more = [further] if isinstance(further, int) else list(further)
        wide, place = widths(ghosts, d, "zeros"), _location(location, d, "location")
        return [np.zeros(self._sizes(patch, wide, place) + more, dtype) for patch in self.patches]

    def halo(
        self,
        fields: Any,
        ghosts: Widths = None,
        *,
        location: Any = None,
        vector: Any = False,
        pair: Any = False,
        position: Any = False,
        sync: bool = False,
        axes: Optional[Sequence[int]] = None,
        info: Info = None,
        boundary: Any = None,
        sign: Any = None,
        value: Any = None,
    ) -> MosaicHalo:
        """Prepares a halo: each ghost gets the value of the element at its position.  Collective.

        ``fields`` is a list.  A field is a list of arrays, one for each patch, or an array where the process
        has one patch; or a ``Field`` of these.  ``ghosts`` and ``axes`` are as in ``Grid.halo``.
        ``location`` says where element i lies in cell i, with a letter for all fields, or one for each, such
        as "uv": "t" is the centre, "u", "v" and "w" are the upper faces of dimensions 0, 1 and 2, and "f" is
        the upper corner of dimensions 0 and 1.  A list has a letter for each field, or instead of a letter
        "lower", "centre", "upper" or "both" for each dimension: [("lower", "centre"), ("centre", "lower")].

        Fields are scalars.  ``vector=True``: they are the components of a vector, or of several; or
        ``vector`` lists the numbers of fields that are.  ``pair``: likewise, without the sign.  ``position``:
        numbers of a contact's shift are added, that with number k to the k-th.  ``sync``: elements that are
        one point get the value of the first one, too.

        ``boundary``, ``sign`` and ``value`` are as in ``Grid.halo``, for sides of tiles without a contact.
        >>> size = (4, 3)
        >>> fold = [mpiortho.contact_periodic(size, 0), mpiortho.contact_fold(size, pivot="F")]
        >>> ocean = mpiortho.Mosaic(MPI.COMM_SELF, size, fold, [(0, (0, 0), size)])
        >>> u, v = np.ones((6, 5)), np.ones((6, 5))
        >>> ocean.halo([u, v], ghosts=1, vector=True, location="uv").run(); u[2]
        array([ 1.,  1.,  1.,  1., -1.])
        """
        kinds = {"vector": vector, "pair": pair, "position": position}
        sides = boundary, sign, value
        return MosaicHalo(self, fields, ghosts, location, kinds, sync, axes, None, info, sides)

    def reduce(
        self,
        fields: Any,
        ghosts: Widths = None,
        op: MPI.Op = MPI.SUM,
        *,
        location: Any = None,
        vector: Any = False,
        pair: Any = False,
        position: Any = False,
        axes: Optional[Sequence[int]] = None,
        info: Info = None,
    ) -> MosaicHalo:
        """The reverse: ghosts are reduced into the elements that fill them, with their signs, and stay as
        they are.  Collective.
        >>> around = [mpiortho.contact_periodic((3,), 0)]
        >>> mosaic = mpiortho.Mosaic(MPI.COMM_SELF, (3,), around, [(0, (0,), (3,))])
        >>> u = np.ones(5); mosaic.reduce(u, ghosts=1).run(); u
        array([1., 2., 1., 2., 1.])
        """
        kinds = {"vector": vector, "pair": pair, "position": position}
        return MosaicHalo(self, fields, ghosts, location, kinds, False, axes, op, info)


# --- Halos --------------------------------------------------------------------------------------------------


class _MosaicField:
    """A field of a mosaic with all that was left out."""

    def __init__(
        self,
        field: Field,
        number: int,
        mosaic: Mosaic,
        ghosts: Widths,
        axes: Any,
        location: Any,
        sync: bool,
        sides: Sequence[Any],
    ) -> None:
        self.what, patches, d = f"field {number}", mosaic.patches, mosaic._d
        if field.directions is not None:
            raise TypeError(f"mpiortho: {self.what} has directions, which are for fields of grids")
        own, self.own_value = (field.boundary, field.sign, field.value), field.value
        self.sides = [usual if given is None else given for usual, given in zip(sides, own)]
        ghosts = ghosts if field.ghosts is None else field.ghosts
        self.ghosts = widths(ghosts, d, self.what)
        own_location = location if field.location is None else field.location
        self.location = tuple(own_location) if isinstance(own_location, list) else own_location
        self.place = _location(self.location, d, f"location of {self.what}")
        self.sync = sync if field.sync is None else field.sync
        axes = axes if field.axes is None else field.axes
        things = field.array if isinstance(field.array, (list, tuple)) else [field.array]
        self.check_number(things, patches)
        names = [str(number) if len(patches) == 1 else f"{number} on patch {p}" for p in range(len(patches))]
        self.shapes = [
            _Shape(Field(thing), name, d, ghosts, axes, None, False)
            for thing, name in zip(things, names)
        ]
        self.axes, self.further, self.dtype = list(range(d)), [], np.dtype(np.float64)
        if self.shapes:
            first = self.shapes[0]
            self.axes, self.further, self.dtype = first.axes, first.further, first.array.dtype
        for shape, patch in zip(self.shapes, patches):
            sizes, array = mosaic._sizes(patch, self.ghosts, self.place), shape.array
            if [array.shape[axis] for axis in shape.axes] != sizes:
                raise ValueError(
                    f"mpiortho: {shape.what} has shape {array.shape}, but {tuple(sizes)} elements are needed "
                    f"along axes {tuple(shape.axes)}, with ghosts {self.ghosts}"
                )
            if (shape.axes, shape.further, array.dtype) != (self.axes, self.further, self.dtype):
                raise ValueError(
                    f"mpiortho: {shape.what} has another dtype than {first.what}, or other axes that are not "
                    "divided"
                )

    def check_number(self, things: Any, patches: Sequence[Any]) -> None:
        if len(things) != len(patches):
            raise ValueError(
                f"mpiortho: {self.what} has {len(things)} arrays, but this process has {len(patches)} "
                "patches, and a field is a list of arrays, one for each"
            )

    def fill(self, field: _Field, kind: tuple[int, int, int], reduces: bool) -> None:
        ndims, n = len(self.axes) + len(self.further), len(self.shapes)
        along = [self.axes.index(axis) if axis in self.axes else UNDIVIDED for axis in range(ndims)]
        further = iter(self.further)
        strides = [stride for shape in self.shapes for stride in shape.array.strides]
        field.bases = (ctypes.c_void_p * max(n, 1))(*(address_of(shape.array) for shape in self.shapes))
        field.strides = (ctypes.c_ssize_t * max(len(strides), 1))(*strides)
        field.element = MPI._handleof(datatype(self.dtype, self.what, reduces))
        field.lower, field.upper = (longs(side) for side in zip(*self.ghosts))
        field.location, field.dimension = ints(self.place), ints(along)
        field.kind, field.component, field.group = kind
        field.sync, field.order, field.ndims = bool(self.sync), MPI.ORDER_C, ndims
        field.undivided = longs(next(further) if k == UNDIVIDED else 1 for k in along)
        boundary, sign, value = self.sides
        sides = boundary_of(boundary, sign, value, len(self.axes), self.dtype, self.what)
        self._kept, self.boundary = boundaries(sides), sides
        if sides:
            field.boundary = self._kept[0]


class MosaicHalo(ArraysExchange):
    """Fills the ghosts of fields on a mosaic, again and again.  ``Mosaic.halo`` and ``Mosaic.reduce`` make
    it.

    It keeps the arrays: ``arrays`` are those of field 0 on all patches, then of field 1, and so on.
    ``start`` and ``run`` may be given other fields, of the same shapes, strides and types, which are kept
    then.
    >>> mosaic = mpiortho.Mosaic(MPI.COMM_SELF, (6,), [mpiortho.contact_periodic((6,), 0)],
    ...                          [(0, (0,), (3,)), (0, (3,), (3,))])
    >>> u, v = mosaic.zeros(ghosts=1), mosaic.zeros(ghosts=1)       # two arrays each
    >>> h = mosaic.halo([u], ghosts=1)
    >>> u[0][1:-1], u[1][1:-1] = 1, 2
    >>> with h:                           # start ... wait
    ...     u[1][1:-1].sum()
    np.float64(6.0)
    >>> u[0]
    array([2., 1., 1., 1., 2.])
    >>> h.run(v)                          # start and wait in one, for other arrays
    """

    _shapes: list[Any]

    def __init__(
        self,
        mosaic: Mosaic,
        fields: Any,
        ghosts: Widths,
        location: Any,
        kinds: dict[str, Any],
        sync: bool,
        axes: Optional[Sequence[int]],
        op: Optional[MPI.Op],
        info: Info,
        sides: Sequence[Any] = (None, None, None),
    ) -> None:
        operator = None if op is None else handle_of(MPI.Op, op, "op")
        self.mosaic, self.op, self._info, self._rows = mosaic, op, settings_of(info), {}
        listed = list(fields) if isinstance(fields, (list, tuple)) else [fields]
        failure = None
        try:
            self._take(listed, ghosts, location, sync, axes, sides)
        except Exception as error:
            if mosaic._teller is None:
                raise
            failure = error
        if mosaic._teller is not None:
            self._tell(failure, mosaic._teller)
        self._given = {
            what: given if given is True else integers(given or (), what) for what, given in kinds.items()
        }
        each = _kinds(len(listed), mosaic._d, **self._given)
        raw, given, in_c = ctypes.c_void_p(), info_handle(info), (_Field * max(len(listed), 1))()
        for one, field, kind in zip(in_c, self._fields, each):
            field.fill(one, kind, op is not None)
            refuse_unused(field.own_value, [field], field.what)
        refuse_unused(sides[2], self._fields, "a halo")
        more = [] if op is None else [operator]
        call = library.ORTHO_Mosaic_halo_init if op is None else library.ORTHO_Mosaic_reduce_init
        check(call(len(listed), in_c, *more, mosaic._raw, given, ctypes.byref(raw)))
        self._made(raw, (op, mosaic))

    def _take(
        self, listed: list[Any], ghosts: Widths, location: Any, sync: bool, axes: Any, sides: Sequence[Any]
    ) -> None:
        is_one = location is None or isinstance(location, str) and len(location) == 1
        places = [location] * len(listed) if is_one else list(location)
        if len(places) != len(listed):
            raise ValueError(f"mpiortho: location={location!r} has {len(places)} for {len(listed)} fields")
        self._fields = [
            _MosaicField(
                f if isinstance(f, Field) else Field(f), i, self.mosaic, ghosts, axes, places[i], sync, sides
            )
            for i, f in enumerate(listed)
        ]
        self._shapes = [shape for field in self._fields for shape in field.shapes]
        check_apart({shape.what: shape.array for shape in self._shapes})

    def _tell(self, failure: Optional[Exception], teller: int) -> None:
        """Processes without patches learn what fields are like, and all of them that one has failed."""
        if self.mosaic.comm == MPI.COMM_NULL:
            raise ValueError(
                "mpiortho: the communicator of the mosaic was freed, but a process has no patches, and halos "
                "need it then"
            )
        own = [] if failure else [(field.further, field.dtype) for field in self._fields]
        told = self.mosaic.comm.allgather((own, failure and str(failure)))
        if failure:
            raise failure
        for rank, (_, words) in enumerate(told):
            if words:
                raise ValueError(f"mpiortho: rank {rank} has failed: {words}")
        for field, (further, dtype) in zip(self._fields, told[teller][0]):
            if not self.mosaic.patches:
                field.further, field.dtype = further, dtype

    def _checked(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(arrays) != len(self._fields):
            n = len(self._fields)
            raise ValueError(f"mpiortho: {len(arrays)} fields are given, but the halo is of {n}")
        for field, given in zip(self._fields, arrays):
            field.check_number(given if isinstance(given, (list, tuple)) else [given], self.mosaic.patches)
        return super()._checked(flat(arrays))

    def _place(self, field: int, patch: int) -> int:
        """The number of an array."""
        n = len(self.mosaic.patches)
        for number, name, most in ((field, "field", len(self._fields)), (patch, "patch", n)):
            if not 0 <= integer(number, name) < most:
                raise IndexError(f"mpiortho: {name} {number} of a halo of {most}")
        return field * n + patch

    def owned(self, field: int = 0, patch: int = 0) -> Array:
        """What a patch owns of a field: the array that it has now, without ghosts.  A view.
        >>> mosaic = mpiortho.Mosaic(MPI.COMM_SELF, (4,), patches=[(0, (0,), (4,))])
        >>> mosaic.halo(np.zeros(7), ghosts=((1, 2),)).owned().shape
        (4,)
        """
        place = self._place(field, patch)
        array: Array = self.arrays[place][self._shapes[place].region([0] * self.mosaic._d)]
        return array

    def unfilled(self, field: int = 0, patch: int = 0) -> list[tuple[slice, ...]]:
        """The ghosts of a field on a patch that nobody fills: slices of its array for each box of them.
        >>> mosaic = mpiortho.Mosaic(MPI.COMM_SELF, (4,), patches=[(0, (0,), (4,))])
        >>> mosaic.halo(np.zeros(7), ghosts=((1, 2),)).unfilled()
        [(slice(0, 1, None),), (slice(5, 7, None),)]
        """
        shape, its = self._shapes[self._place(field, patch)], self.mosaic.patches[patch]
        request = ctypes.c_void_p(self.handle)
        result = []
        for box in _patches(library.ORTHO_Mosaic_unfilled, self.mosaic._d, request, field, patch):
            slices = [slice(None)] * len(shape.array.shape)
            for k, axis in enumerate(shape.axes):
                begin = box.first[k] - its.first[k] + shape.ghosts[k][0]
                slices[axis] = slice(begin, begin + box.shape[k])
            result.append(tuple(slices))
        return result

    def _reverse(self) -> tuple[MosaicHalo, list[list[Any]]]:
        if any(field.sync or field.sides[0] is not None for field in self._fields):
            raise ValueError("mpiortho: a halo that syncs, or has a boundary, has no reverse")
        n, fields, clears = len(self.mosaic.patches), [], []
        for i, field in enumerate(self._fields):
            arrays = self.arrays[i * n : (i + 1) * n]
            fields.append(Field(arrays, field.ghosts, field.axes, location=field.location))
            for p, shape in enumerate(field.shapes):
                is_filled = np.ones(shape.array.shape, bool)
                for box in [shape.region([0] * self.mosaic._d), *self.unfilled(i, p)]:
                    is_filled[box] = False
                clears.append([np.nonzero(is_filled)])
        other = MosaicHalo(self.mosaic, fields, None, None, self._given, False, None, MPI.SUM, self._info)
        return other, clears
