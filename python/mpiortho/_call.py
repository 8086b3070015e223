# SPDX-License-Identifier: BSD-3-Clause
"""From arrays to the arguments of collectives, as the table of calls says (src/calls.table)."""

from __future__ import annotations

import ctypes
import inspect
from typing import Any, Callable, NamedTuple, Optional, Sequence, TypeVar

import numpy as np
from mpi4py import MPI

from . import _core
from ._arrays import (
    Array, address_of, as_array, check_memory, check_row, datatype, room, strided_type,
)  # fmt: skip
from ._exchange import check_apart
from ._library import (
    IN_PLACE, LONG, check, handle, handle_of, handles, info_handle, integer, integers, library, longs,
)  # fmt: skip
from ._request import Request, made

NULL = ctypes.c_void_p(0)
FULL, INTER, GRAPH = 1, 2, 3


class Group(NamedTuple):
    """Parameters that come together: their kinds, where they count, and whether a count is one of many
    blocks."""

    kinds: tuple[str, ...]
    where: str
    of_blocks: bool


class Row(NamedTuple):
    """A collective."""

    name: str
    groups: tuple[Group, ...]
    is_large: bool


class Side:
    """A buffer with its counts, displacements and types, as C has them."""

    def __init__(self) -> None:
        self.array: Any = None
        self.address: Any = NULL
        self.n = 0
        self.needs = 0, 0  # bytes of the array's memory, from its first element
        self.is_written = False
        self.named: dict[str, Array] = {}  # the arrays, by what errors call them
        self.values: dict[str, Any] = {}
        self.type: MPI.Datatype = MPI.BYTE
        self.kept: list[Any] = []
        self.to_free: list[MPI.Datatype] = []

    @classmethod
    def absent(cls, blocks: int, array: Any = None) -> Side:
        side = cls()
        side.array = array
        if array is MPI.IN_PLACE:
            side.address = IN_PLACE
        zeros = longs([0] * blocks)
        byte = handle(MPI.BYTE)
        side.values = {
            "count": ctypes.c_longlong(0),
            "counts": zeros,
            "places": zeros,
            "bytes": zeros,
            "type": byte,
        }
        side.values["types"] = handles([MPI.BYTE] * blocks)
        return side


def _is_array(thing: Any) -> bool:
    return not isinstance(thing, (list, tuple, int, str, MPI.Datatype)) and thing is not None


def _parse(thing: Any, what: str) -> tuple[Any, Any, Any, Any]:
    """Array, counts, displacements and datatype of [array, ...], as mpi4py has them."""
    if not isinstance(thing, (list, tuple)):
        return thing, None, None, None
    if not thing:
        raise TypeError(f"mpiortho: {what} is empty")
    array, *rest = thing
    if isinstance(array, (int, float, complex, str)):
        raise TypeError(
            f"mpiortho: {what} is a {type(thing).__name__}, not an array, and nothing is copied here. Use "
            "np.array(...) first"
        )
    types: Any = None
    if rest and (isinstance(rest[-1], (str, MPI.Datatype)) or _are_types(rest[-1])):
        types = rest.pop()
    elif len(rest) == 3 and rest[-1] in ([], ()):  # where there are no blocks
        types = rest.pop()
    if (
        len(rest) == 1
        and isinstance(rest[0], (list, tuple))
        and len(rest[0]) == 2
        and not isinstance(rest[0][0], (int, np.integer))
    ):
        rest = list(rest[0])
    if len(rest) > 2:
        raise TypeError(
            f"mpiortho: {what} has {len(thing)} parts: it is [array, counts, displacements, datatype], or "
            "less"
        )
    rest += [None] * (2 - len(rest))
    return array, rest[0], rest[1], types


def _are_types(thing: Any) -> bool:
    return (
        isinstance(thing, (list, tuple))
        and len(thing) > 0
        and all(isinstance(t, (str, MPI.Datatype)) for t in thing)
    )


def _type(mark: Any, what: str) -> MPI.Datatype:
    try:
        kind = MPI.Datatype.fromcode(mark) if isinstance(mark, str) else mark
    except (KeyError, ValueError):
        raise ValueError(f"mpiortho: the datatype of {what}, {mark!r}, is unknown") from None
    if not isinstance(kind, MPI.Datatype):
        raise TypeError(f"mpiortho: {what} has one datatype, not a {type(kind).__name__} of them")
    if kind == MPI.DATATYPE_NULL:
        raise ValueError(f"mpiortho: the datatype of {what} is MPI.DATATYPE_NULL, or was freed")
    return kind


def _listed(things: Any, blocks: int, what: str, writable: bool) -> Side:
    """A list of arrays, one for each block; they may lie anywhere, with any strides."""
    if len(things) != blocks:
        raise ValueError(f"mpiortho: {what} has {len(things)} arrays for {blocks} blocks")
    side = Side()
    arrays = [
        None if thing is None else as_array(thing, f"{what}[{i}]", writable) for i, thing in enumerate(things)
    ]
    side.named = {f"{what}[{i}]": array for i, array in enumerate(arrays) if array is not None}
    for name, named in side.named.items() if writable else ():
        check_memory(named, name)
    there = [address_of(array) for array in arrays if array is not None and array.size]
    base = min(there, default=0)
    types, displacements, counts = [], [], []
    for i, array in enumerate(arrays):
        empty = array is None or array.size == 0
        kind = MPI.BYTE if array is None or empty else strided_type(array, f"{what}[{i}]")
        if not empty:
            side.to_free.append(kind)
        types.append(kind)
        counts.append(0 if empty else 1)
        displacements.append(0 if array is None or empty else address_of(array) - base)
    side.address = ctypes.c_void_p(base)
    side.kept = [arrays]
    side.array = None
    side.values = {"counts": longs(counts), "bytes": longs(displacements), "types": handles(types)}
    return side


def _side(
    thing: Any, group: Group, blocks: int, what: str, writable: bool, reduces: bool, optional: bool = False
) -> Side:
    typed = "types" in group.kinds
    if thing is None or thing is MPI.IN_PLACE:
        if thing is None and blocks > 0 and not optional:
            raise TypeError(f"mpiortho: {what} is None")
        return Side.absent(blocks, thing)
    if typed and isinstance(thing, (list, tuple)) and all(t is None or _is_array(t) for t in thing):
        return _listed(thing, blocks, what, writable)
    array, counts, places, types = _parse(thing, what)
    side = Side()
    side.is_written = writable
    side.array = array = as_array(array, what, writable, scalars=not writable)
    side.named = {what: array}
    side.kept = [array]
    side.address = ctypes.c_void_p(address_of(array))
    if types is None:
        check_row(array, what)
        side.type = datatype(array.dtype, what, reduces)
        side.n = array.size
    elif not (typed and isinstance(types, (list, tuple))):
        side.type = _type(types, what)
        extent = side.type.Get_extent()[1]
        side.n = array.nbytes // extent if extent > 0 else 0
    side.values["type"] = handle(side.type)
    if typed:
        is_list = isinstance(types, (list, tuple))
        listed = [_type(t, what) for t in types] if is_list else [side.type] * blocks
        _typed(side, array, counts, places, listed, blocks, what)
    elif "counts" in group.kinds:
        _varying(side, array, counts, places, blocks, what)
    else:
        _regular(side, array, counts, blocks if group.of_blocks else 1, what)
    return side


def _of_types(sent: Side, received: Side, name: str) -> str:
    return f"mpiortho: send of {name} is of {sent.array.dtype}, recv of {received.array.dtype}"


def _are_other_numbers(sent: Side, received: Side) -> bool:
    """Would numbers be read as numbers of another kind?  Bytes may be anything."""
    if not isinstance(sent.array, np.ndarray) or not isinstance(received.array, np.ndarray):
        return False
    if not sent.type.is_predefined or not received.type.is_predefined or sent.type == received.type:
        return False
    if 0 in (sent.n, received.n):
        return False
    a, b = sent.array.dtype, received.array.dtype
    same = a == b or (a.itemsize == b.itemsize and a.kind + b.kind in ("iu", "ui"))
    return not same and min(a.itemsize, b.itemsize) > 1 and MPI.BYTE not in (sent.type, received.type)


def _within(side: Side, array: Array, kind: MPI.Datatype, count: int, byte: int, what: str) -> None:
    """Refuses elements that the memory does not have."""
    if count < 0:
        raise ValueError(f"mpiortho: {what} has a count of {count}")
    if count == 0:
        return
    low, high = kind.Get_true_extent()
    reach = (count - 1) * kind.Get_extent()[1]
    first, last = room(array)
    begin, end = byte + low + min(reach, 0), byte + low + high + max(reach, 0)
    side.needs = min(side.needs[0], begin), max(side.needs[1], end)
    if begin < first or end > last:
        raise ValueError(
            f"mpiortho: the memory of {what} ends early: {count} elements of {kind.Get_extent()[1]} bytes, "
            f"from byte {byte}, "
            f"but there are bytes {first} to {last}"
        )


def _regular(side: Side, array: Array, given: Any, blocks: int, what: str) -> None:
    if given is None:
        if blocks == 0 and side.n > 0:
            blocks, side.n = 1, 0
        if blocks > 0 and side.n % blocks != 0:
            raise ValueError(
                f"mpiortho: {what} has {side.n} elements, which are not {blocks} blocks of one size"
            )
        given = side.n // max(blocks, 1)
    count = integer(given, f"count of {what}", LONG)
    _within(side, array, side.type, count * blocks, 0, what)
    side.n = count
    side.values["count"] = ctypes.c_longlong(count)


def _counts(given: Any, blocks: int, what: str, name: str) -> list[int]:
    values = list(integers(given, f"{name} of {what}", limit=LONG))
    if len(values) != blocks:
        raise ValueError(f"mpiortho: {what} has {len(values)} {name} for {blocks} blocks")
    return values


def _varying(side: Side, array: Array, given: Any, places: Any, blocks: int, what: str) -> None:
    if given is None:
        if blocks and side.n % blocks:
            raise ValueError(
                f"mpiortho: {what} has {side.n} elements, which are not {blocks} blocks of one size: give "
                "[array, counts]"
            )
        given = [side.n // blocks] * blocks if blocks else []
    counts = _counts(given, blocks, what, "counts")
    if places is None:
        places = [sum(counts[:i]) for i in range(blocks)]
    at = _counts(places, blocks, what, "displacements")
    for count, place in zip(counts, at):
        _within(side, array, side.type, count, place * side.type.Get_extent()[1], what)
    side.values.update(counts=longs(counts), places=longs(at))


def _typed(
    side: Side, array: Array, given: Any, places: Any, types: list[MPI.Datatype], blocks: int, what: str
) -> None:
    if given is None or places is None:
        raise TypeError(
            f"mpiortho: {what} is a list of an array (or None) for each block, or [array, counts, bytes, "
            "datatypes]"
        )
    counts, at = _counts(given, blocks, what, "counts"), _counts(places, blocks, what, "displacements")
    if len(types) != blocks:
        raise ValueError(f"mpiortho: {what} has {len(types)} datatypes for {blocks} blocks")
    for count, place, kind in zip(counts, at, types):
        _within(side, array, kind, count, place, what)
    side.values.update(counts=longs(counts), bytes=longs(at), types=handles(types))


Method = TypeVar("Method", bound=Callable[..., Any])


def fast(which: int) -> Callable[[Method], Method]:
    """A method that is called in C where arrays are plain."""

    def made(slow: Method) -> Method:
        given = [
            name if value.default is value.empty else f"{name}={literal(value.default)}"
            for name, value in inspect.signature(slow).parameters.items()
        ]
        text = f"{slow.__name__}(${', '.join(given)})\n--\n\n{slow.__doc__}"
        method: Method = _core.method(which, slow.__name__, text, slow)
        return method

    return made


def literal(value: Any) -> str:
    return "..." if isinstance(value, MPI.Op) else repr(value)


# --- Calls --------------------------------------------------------------------------------------------------


class Caller(_core.Comm):
    """What collectives need to know of a communicator."""

    comm: MPI.Comm
    topology: int
    rank: int
    size: int
    n_out: int
    n_in: int
    n_own: int

    def _counts_at(self, where: str, root: int) -> bool:
        """Do the arguments of a group count on this process?"""
        if where == "root":
            return root == MPI.ROOT if self.topology == INTER else self.rank == root
        return root >= 0 if where == "leaf" and self.topology == INTER else True

    def _arguments(
        self, row: Row, send: Any, recv: Any, op: Optional[MPI.Op], root: int, counts: Any
    ) -> tuple[list[Any], list[Side]]:
        arguments: list[Any] = []
        sides: list[Side] = []
        reduces = op is not None
        if recv is MPI.IN_PLACE and not row.name.startswith("Scatter"):
            what = "buffer" if row.name == "Bcast" else "recv"
            raise TypeError(
                f"mpiortho: {what} of {row.name.lower()} is IN_PLACE, which takes the place of send alone"
            )
        for group in row.groups:
            if "in" in group.kinds and "out" in group.kinds:
                arguments, sides = self._reduction(row, group, send, recv, root, counts)
            elif "in" in group.kinds or "out" in group.kinds:
                writable = "out" in group.kinds
                blocks = self.n_in if writable else self.n_out
                if self._counts_at(group.where, root):
                    what = "buffer" if row.name == "Bcast" else "recv" if writable else "send"
                    written = writable and (row.name != "Bcast" or self._receives(root))
                    # On graphs not all have a block of the root's.
                    optional = group.where == "leaf" and self.topology == GRAPH
                    side = _side(
                        recv if writable else send,
                        group,
                        blocks,
                        f"{what} of {row.name.lower()}",
                        written,
                        reduces,
                        optional,
                    )
                else:
                    side = Side.absent(blocks, None if writable or send is not MPI.IN_PLACE else send)
                sides.append(side)
                arguments.append(side.address)
                arguments += [side.values[kind] for kind in group.kinds if kind in side.values]
            if "op" in group.kinds:
                arguments.append(handle_of(MPI.Op, op, f"op of {row.name.lower()}"))
            if "root" in group.kinds:
                arguments.append(root)
        arguments.append(handle(self.comm))
        for one, other in zip(sides, sides[1:]):
            cure = "" if one.array is None else ": see MPI.IN_PLACE"
            check_apart({**one.named, **other.named}, len(one.named), cure)
            # A process's own block tells what the others send; on graphs it may be another type than that.
            # So it may be where counts vary, if its own is 0.
            are_equal = self.topology == FULL and row.name in ("Allgather", "Alltoall", "Gather", "Scatter")
            if are_equal and _are_other_numbers(one, other):
                raise TypeError(_of_types(one, other, row.name.lower()))
        return arguments, sides

    def _receives(self, root: int) -> bool:
        return root >= 0 and not (self.topology != INTER and self.rank == root)

    def _reduction(
        self, row: Row, group: Group, send: Any, recv: Any, root: int, counts: Any
    ) -> tuple[list[Any], list[Side]]:
        name, is_reduce = row.name.lower(), row.name == "Reduce"
        plain = Group(("count",), "leaf", False)
        sent = received = Side.absent(1)
        if not is_reduce or self._counts_at("root", root):
            received = _side(recv, plain, 1, f"recv of {name}", True, True)
        if not is_reduce or self._counts_at("leaf", root):
            optional = is_reduce and self.topology == GRAPH
            sent = _side(send, plain, 1, f"send of {name}", False, True, optional)
        there = received if received.array is not None else sent
        if isinstance(sent.array, np.ndarray) and isinstance(received.array, np.ndarray):
            self._same(sent, received, name)
            wanted = received.n * (self.n_own if row.name == "Reduce_scatter_block" else 1)
            if row.name == "Reduce_scatter":
                wanted = sent.n if counts is None else sum(counts)
            if sent.n != wanted:
                raise ValueError(f"mpiortho: send of {name} has {sent.n} elements, but {wanted} are needed")
        count: Any = ctypes.c_longlong(there.n)
        if "shares" in group.kinds:
            count = longs(self._shares(sent, received, counts, name))
        return [sent.address, received.address, count, handle(there.type)], [sent, received]

    def _shares(self, sent: Side, received: Side, counts: Any, name: str) -> list[int]:
        if counts is None:
            total = sent.n if isinstance(sent.array, np.ndarray) else received.n
            if total % self.size:
                raise ValueError(
                    f"mpiortho: {total} elements are not {self.size} shares of one size: give counts"
                )
            return [total // self.size] * self.size
        shares = _counts(counts, self.size, name, "counts")
        if shares[self.rank] > received.n:
            raise ValueError(
                f"mpiortho: recv of {name} has {received.n} elements, but its count is {shares[self.rank]}"
            )
        return shares

    @staticmethod
    def _same(sent: Side, received: Side, name: str) -> None:
        if sent.type != received.type and sent.array.dtype != received.array.dtype:
            raise TypeError(_of_types(sent, received, name))

    def _allocated(self, row: Row, send: Any, root: int) -> Any:
        """The array that is received into, if none was given."""
        if row.name in ("Reduce", "Gather") and not self._counts_at("root", root):
            return None
        if send is MPI.IN_PLACE or isinstance(send, (list, tuple)):
            raise TypeError(f"mpiortho: recv of {row.name.lower()} can be left out only if send is an array")
        like = as_array(send, "send", scalars=True)
        if row.name in ("Gather", "Allgather"):
            return np.zeros((self.n_in, *like.shape), like.dtype)
        if row.name == "Alltoall":
            if like.ndim == 0 or like.shape[0] != self.n_out:
                raise ValueError(
                    f"mpiortho: send of alltoall has shape {like.shape}, not ({self.n_out}, ...), a row for "
                    "each block"
                )
            return np.zeros((self.n_in, *like.shape[1:]), like.dtype)
        if row.name == "Reduce_scatter_block":
            if like.ndim == 0 or like.shape[0] != self.n_own:
                raise ValueError(
                    f"mpiortho: send of reduce_scatter_block has shape {like.shape}, not ({self.n_own}, "
                    "...), a row for each block"
                )
            return np.zeros(like.shape[1:], like.dtype)
        return np.zeros_like(like, subok=False)

    def _called(
        self, row: Row, name: str, last: Sequence[Any], send: Any = None, recv: Any = None,
        op: Optional[MPI.Op] = None, root: int = 0, counts: Any = None, makes: bool = False,
    ) -> tuple[Any, list[Side]]:  # fmt: skip
        """Calls a form of a collective.  Returns the array that is received into, and all buffers."""
        root = integer(root, f"root of {row.name.lower()}")
        if makes and recv is None:
            recv = self._allocated(row, send, root)
        arguments, sides = self._arguments(row, send, recv, op, root, counts)
        code = getattr(library, "ORTHO_" + name + ("_c" if row.is_large else ""))(*arguments, *last)
        for side in sides:
            for kind in side.to_free:
                kind.Free()
        check(code)
        return recv, sides

    def _blocking(self, row: Row, *arrays: Any, **more: Any) -> Any:
        recv, _ = self._called(row, row.name, (), *arrays, **more)
        return recv[()] if more.get("makes") and isinstance(recv, np.ndarray) and recv.ndim == 0 else recv

    def _request(self, row: Row, form: str, *arrays: Any, info: Any = None, **more: Any) -> Request:
        raw, given = ctypes.c_void_p(), info_handle(info)
        name = "I" + row.name[0].lower() + row.name[1:] if form == "i" else row.name + "_init"
        last = (given, ctypes.byref(raw)) if form == "init" else (ctypes.byref(raw),)
        recv, sides = self._called(row, name, last, *arrays, **more)
        request = Request()
        kept = self, more.get("op"), [side.kept for side in sides]
        made(request, raw, tuple(side.array for side in sides), kept, form == "init")
        olds = [side.array.view() if isinstance(side.array, np.ndarray) else side.array for side in sides]
        request._needs = [(side.needs, side.is_written, old) for side, old in zip(sides, olds)]
        request.result = recv
        return request
