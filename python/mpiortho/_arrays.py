# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as the library sees them: in place, or refused with the reason.  Nothing is copied."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np
from mpi4py import MPI
from mpi4py.util import dtlib

Array = np.ndarray[Any, Any]
CPU = 1  # of DLPack


class OnDevice(np.ndarray[Any, Any]):
    """The place of an array in the memory of a GPU, which the host cannot touch: `thing` has its elements."""

    thing: Any

    def __getitem__(self, key: Any) -> Any:
        return self.thing[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.thing[key] = value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> Any:
        raise TypeError(f"mpiortho: {type(self.thing).__name__} lies in the memory of a GPU, not with NumPy")

    def __repr__(self) -> str:
        return repr(self.thing)

    __str__ = __repr__


class _Holder:
    def __init__(self, thing: Any, interface: dict[str, Any]) -> None:
        self.thing = thing
        self.__array_interface__ = {
            key: interface[key] for key in ("shape", "typestr", "data", "strides") if key in interface
        } | {"version": 3}


def _on_device(thing: Any, what: str) -> OnDevice:
    interface = thing.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise TypeError(f"mpiortho: {what} has a mask, which would stay behind")
    # Calls wait for the legacy default stream, which is 1.  Work in another one is waited for here.
    if interface.get("stream") not in (None, 1):
        ctypes.CDLL("libcuda.so.1").cuStreamSynchronize(ctypes.c_void_p(interface["stream"]))
    array = np.asarray(_Holder(thing, interface)).view(OnDevice)
    array.thing = thing
    return array


def as_array(
    thing: Any, what: str, writable: bool = False, scalars: bool = False, devices: bool = True
) -> Array:
    """The array that shares the memory of `thing`, which is called `what` in errors."""
    if isinstance(thing, np.ndarray):
        array = thing
    elif scalars and isinstance(thing, (int, float, complex, np.generic)):
        return np.asarray(thing)
    else:
        array = _shared(thing, what, devices)
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            f"mpiortho: {what} is a masked array. Its mask would stay behind: pass .data, and .mask too"
        )
    if array.dtype.hasobject:
        raise TypeError(
            f"mpiortho: {what} holds Python objects (dtype {array.dtype}), which are no numbers in memory"
        )
    if not array.dtype.isnative:
        raise TypeError(
            f"mpiortho: {what} has the byte order of another machine (dtype {array.dtype.str}). "
            f"Use a.astype({array.dtype.newbyteorder('=').str!r})"
        )
    if writable and not array.flags.writeable:
        raise ValueError(f"mpiortho: {what} is read-only, but its elements are to be written")
    return array


def _shared(thing: Any, what: str, devices: bool) -> Array:
    name = type(thing).__name__
    if hasattr(thing, "__cuda_array_interface__"):
        if devices:
            return _on_device(thing, what)
        raise TypeError(
            f"mpiortho: {what} ({name}) lies in the memory of a GPU, which is not served here: copy it to the "
            "host"
        )
    try:
        return np.asarray(memoryview(thing))
    except (TypeError, ValueError, BufferError):
        pass
    if hasattr(thing, "__dlpack__"):
        if thing.__dlpack_device__()[0] != CPU:
            raise TypeError(
                f"mpiortho: {what} ({name}) lies in the memory of a device, and has no "
                "__cuda_array_interface__: copy it to the host"
            )
        return np.from_dlpack(thing)
    if hasattr(thing, "__array_interface__"):
        return np.asarray(thing)
    raise TypeError(
        f"mpiortho: {what} is a {name}, not an array, and nothing is copied here. Use np.array(...) first"
    )


def address_of(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def reach(array: Array) -> tuple[int, int]:
    """The first byte of an array, and that behind its last, in bytes from its first element."""
    low, high = 0, array.itemsize
    if array.size == 0:
        return 0, 0
    for n, stride in zip(array.shape, array.strides):
        low, high = low + min((n - 1) * stride, 0), high + max((n - 1) * stride, 0)
    return low, high


def room(array: Array) -> tuple[int, int]:
    """The bytes that may be touched: those of the array that owns the memory, from the first element."""
    owner: Any = array
    while getattr(owner, "base", None) is not None:
        owner = owner.base
    address = address_of(array)
    if isinstance(owner, np.ndarray):
        low, high = reach(owner)
        start = address_of(owner)
    else:
        try:
            view = memoryview(owner)
            whole = np.frombuffer(view, np.uint8) if view.c_contiguous else None
        except (TypeError, ValueError, BufferError):
            whole = None
        if whole is None:
            return reach(array)
        start, low, high = address_of(whole), 0, whole.size
    return start + low - address, start + high - address


def check_memory(array: Array, what: str) -> None:
    """Refuses arrays that end behind their memory, and those two elements of which share memory."""
    (low, high), (first, last) = reach(array), room(array)
    if array.size and (low < first or high > last):
        raise ValueError(
            f"mpiortho: the memory of {what} ends early: its shape {array.shape} and strides {array.strides} "
            "reach from "
            f"byte {low} to byte {high}, but there are bytes {first} to {last}"
        )
    if array.size == 0:
        return
    apart = array.itemsize
    for stride, n in sorted((abs(stride), n) for n, stride in zip(array.shape, array.strides) if n > 1):
        if stride < apart:
            raise ValueError(
                f"mpiortho: elements of {what} share memory (shape {array.shape}, strides {array.strides})"
            )
        apart = stride * (n - 1) + apart


_types: dict[Any, MPI.Datatype] = {}
_in_session = False


def meet(comm: MPI.Comm) -> None:
    """Notes a communicator of a session: a program with sessions never calls MPI_Init."""
    global _in_session
    _in_session = _in_session or comm not in (MPI.COMM_NULL, MPI.COMM_SELF, MPI.COMM_WORLD)


def has_mpi() -> bool:
    return (_in_session or MPI.Is_initialized()) and not MPI.Is_finalized()


def datatype(dtype: np.dtype[Any], what: str = "", reduces: bool = False) -> MPI.Datatype:
    """MPI's type of elements.  Those that MPI has no type for are bytes, which can be moved but not
    reduced."""
    if reduces and (dtype.kind not in "biufc" or dtype == np.float16):
        raise TypeError(f"mpiortho: {what} has elements of dtype {dtype}, which MPI's operators do not know")
    known = _types.get(dtype)
    if known is None:
        if not has_mpi():
            raise RuntimeError("mpiortho: called before MPI_Init or after MPI_Finalize")
        if dtype.kind in "biufc" and dtype != np.float16:
            known = MPI.Datatype.fromcode(dtype.char)
        elif dtype.names is not None:
            known = dtlib.from_numpy_dtype(dtype)
        else:
            known = MPI.BYTE.Create_contiguous(dtype.itemsize)
        if not known.is_predefined:
            known.Commit()
        _types[dtype] = known
    return known


def free_types() -> None:
    """Frees the datatypes that were made, before MPI ends."""
    for kind in _types.values():
        if not kind.is_predefined:
            kind.Free()
    _types.clear()


def strided_type(array: Array, what: str) -> MPI.Datatype:
    """A datatype of all elements of an array, where they lie.  The caller frees it."""
    basic = datatype(array.dtype, what)
    if array.flags.c_contiguous:
        return basic.Create_contiguous(array.size).Commit()
    inner, result = basic, basic
    for n, stride in sorted(zip(array.shape, array.strides), key=lambda axis: abs(axis[1])):
        # Open MPI takes a stride of -1 for none.
        result = (
            inner.Create_hvector(n, 1, stride)
            if stride != -1
            else inner.Create_hindexed_block(1, range(0, -n, -1))
        )
        if inner is not basic:
            inner.Free()
        inner = result
    return result.Commit()


def same_layout(a: Array, b: Array) -> bool:
    return a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype


def differs(given: Optional[Array], old: Array) -> str:
    """In errors: what an array should be, in place of which another one is given."""
    has = [
        "is missing" if a is None else f"shape {a.shape}, strides {a.strides}, dtype {a.dtype}"
        for a in (given, old)
    ]
    return f"has {has[0]}, but the exchange was made for {has[1]}"


def contiguous_order(array: Array) -> Optional[str]:
    if array.flags.c_contiguous:
        return "C"
    return "F" if array.flags.f_contiguous else None
