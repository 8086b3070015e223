# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as the library sees them: in place, or refused with the reason.  Nothing is copied."""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple, Optional

import numpy as np
from mpi4py import MPI

Array = np.ndarray[Any, Any]


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


# Arrays of these classes have nothing beside their elements that others would miss.
_PLAIN = (np.ndarray, np.memmap, np.matrix, OnDevice)


def _no_mask(interface: dict[str, Any], what: str) -> None:
    if interface.get("mask") is not None:
        raise TypeError(f"mpiortho: {what} has a mask, which would stay behind")


def _on_device(thing: Any, what: str) -> OnDevice:
    interface = thing.__cuda_array_interface__
    _no_mask(interface, what)
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
        array = np.asarray(thing)
    else:
        array = _shared(thing, what, devices)
    more = () if type(array) in _PLAIN else tuple(getattr(array, "__dict__", ()))
    if more or isinstance(array, np.ma.MaskedArray):
        name = "masked array" if isinstance(array, np.ma.MaskedArray) else type(array).__name__
        cure = ".data, and .mask too" if name == "masked array" else ".view(np.ndarray)"
        raise TypeError(
            f"mpiortho: {what} is a {name}. What it has beside its elements ({', '.join(more)}) would stay "
            f"behind: pass {cure}"
        )
    check_elements(array.dtype, what)
    if writable and not array.flags.writeable:
        raise ValueError(f"mpiortho: {what} is read-only, but its elements are to be written")
    return array


def _is_native(dtype: np.dtype[Any]) -> bool:
    """NumPy's isnative is true of all parts that are arrays."""
    if dtype.names is not None:
        return all(_is_native(dtype[name]) for name in dtype.names)
    return dtype.base.isnative if dtype.base.names is None else _is_native(dtype.base)


def check_elements(dtype: np.dtype[Any], what: str) -> None:
    """Refuses elements that mean nothing to other processes."""
    if dtype.hasobject:
        raise TypeError(
            f"mpiortho: {what} holds Python objects (dtype {dtype}), which are no numbers in memory"
        )
    if not _is_native(dtype):
        raise TypeError(
            f"mpiortho: {what} has the byte order of another machine (dtype {dtype}). "
            "Use a.astype(a.dtype.newbyteorder('='))"
        )


def _shared(thing: Any, what: str, devices: bool) -> Array:
    name, reason = type(thing).__name__, ""
    if thing is None:
        raise TypeError(f"mpiortho: {what} is None, not an array: make one, such as np.empty(shape)")
    if thing is MPI.IN_PLACE or thing is MPI.BOTTOM:  # empty buffers to NumPy
        raise TypeError(f"mpiortho: {what} is MPI.{thing!r}, not an array")
    for bit in ("neg", "conj"):  # of PyTorch: the memory has other numbers, which it lends without a word
        is_set = getattr(thing, "is_" + bit, None)
        if callable(is_set) and is_set():
            raise TypeError(
                f"mpiortho: {what} ({name}) has its {bit} bit set: its memory has other numbers. "
                f"Use .resolve_{bit}()"
            )
    if hasattr(thing, "__cuda_array_interface__"):
        if devices:
            return _on_device(thing, what)
        raise TypeError(
            f"mpiortho: {what} ({name}) lies in the memory of a GPU, which is not served here: copy it to the "
            "host"
        )
    try:
        view = memoryview(thing)
        try:
            return np.asarray(view)
        except (TypeError, ValueError) as problem:
            reason = f" that NumPy can read ({problem}): np.frombuffer(..., dtype) may help"
    except (TypeError, ValueError, BufferError):
        pass
    if hasattr(thing, "__dlpack__"):
        return _by_dlpack(thing, f"{what} ({name})")
    interface = getattr(thing, "__array_interface__", None)
    if isinstance(interface, dict):
        _no_mask(interface, what)
        return np.asarray(thing)
    cure = "" if reason else ". Use np.array(...) first"
    for part in ("local_with_halos", "local_array"):  # of arrays that others have divided
        if hasattr(type(thing), part):
            cure = f". Pass what this process has of it, .{part}"
    raise TypeError(
        f"mpiortho: {what} is a {name}, not an array{reason or ', and nothing is copied here'}{cure}"
    )


# --- DLPack -------------------------------------------------------------------------------------------------

HOST = (1, 3, 11)  # kDLCPU; kDLCUDAHost and kDLROCMHost, which are memory of the host that devices may read
IS_READ_ONLY, IS_COPIED = 1, 2
KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int * 2),
        ("ndim", ctypes.c_int),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


def _pointer(capsule: Any, name: bytes) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointer: int = get(capsule, name)
    return pointer


def _by_dlpack(thing: Any, what: str) -> Array:
    """The array on memory that is lent.  np.from_dlpack knows fewer types, and takes objects without a version
    for read-only.  The capsule stays what it is, and gives the memory back when the array goes."""
    try:
        is_there = int(thing.__dlpack_device__()[0]) in HOST
        try:
            capsule = thing.__dlpack__(max_version=(1, 0), copy=False) if is_there else None
        except TypeError:
            capsule = thing.__dlpack__()
    except Exception as problem:
        raise TypeError(f"mpiortho: {what} does not lend its memory: {problem}") from problem
    if not is_there:
        raise TypeError(
            f"mpiortho: {what} lies in the memory of a device, and has no __cuda_array_interface__: copy it "
            "to the host"
        )
    flags = 0
    if '"dltensor_versioned"' in repr(capsule):
        managed = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if managed.version[0] != 1:
            raise TypeError(f"mpiortho: {what} has version {managed.version[0]} of DLPack, not 1")
        flags, tensor = managed.flags, managed.tensor
        if flags & IS_COPIED:
            raise TypeError(f"mpiortho: {what} lends a copy of its memory, and nothing is copied here")
    else:
        tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    size, rest = divmod(tensor.bits * tensor.lanes, 8)
    if rest:
        raise TypeError(f"mpiortho: {what} has elements of {tensor.bits} bits, which are no whole bytes")
    try:
        dtype = np.dtype(f"{KINDS[tensor.code] if tensor.lanes == 1 else 'V'}{size}")
    except (KeyError, TypeError):
        dtype = np.dtype(f"V{size}")
    shape = tuple(tensor.shape[: tensor.ndim])
    if 0 in shape:  # its memory may be nowhere
        return np.empty(shape, dtype)
    strides = tuple(n * size for n in tensor.strides[: tensor.ndim]) if tensor.strides else None
    place = ((tensor.data or 0) + tensor.byte_offset, bool(flags & IS_READ_ONLY))
    interface = {"shape": shape, "typestr": dtype.str, "data": place, "strides": strides}
    array = np.asarray(_Holder((thing, capsule), interface))
    if hasattr(thing, "__array__"):  # may know better what elements are, and that they are read-only
        try:
            same = np.asarray(thing)
            if address_of(same) == address_of(array) and same.shape == shape and steps(same) == steps(array):
                return same
        except (TypeError, ValueError, RuntimeError):
            pass
    return array


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
    """Refuses arrays that end behind their memory, and those whose elements may share memory."""
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
                f"mpiortho: elements of {what} share memory, or its axes interleave (shape {array.shape}, "
                f"strides {array.strides})"
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


def is_number(dtype: np.dtype[Any]) -> bool:
    """Is it a type of MPI's?  float16 is none, nor are types that others have added to NumPy."""
    return 0 <= dtype.num < np.dtype(np.float16).num and dtype.kind in "biufc"


def same_for_all(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """One of the equal types of a width, such as np.int64 for np.longlong."""
    return np.dtype(dtype.str)


def datatype(dtype: np.dtype[Any], what: str = "", reduces: bool = False) -> MPI.Datatype:
    """MPI's type of elements.  Those that MPI has no type for are bytes, which can be moved but not
    reduced."""
    if reduces and not is_number(dtype):
        raise TypeError(f"mpiortho: {what} has elements of dtype {dtype}, which MPI's operators do not know")
    known = _types.get(dtype)
    if known is None:
        if not has_mpi():
            raise RuntimeError("mpiortho: called before MPI_Init or after MPI_Finalize")
        if is_number(dtype):
            known = MPI.Datatype.fromcode(same_for_all(dtype).char)
        elif dtype.subdtype is not None:
            known = datatype(dtype.base).Create_contiguous(math.prod(dtype.shape))
        else:
            known = _structure(dtype) or MPI.BYTE.Create_contiguous(dtype.itemsize)
        if not known.is_predefined:
            known.Commit()
        _types[dtype] = known
    return known


def _structure(dtype: np.dtype[Any]) -> Optional[MPI.Datatype]:
    """Each field is what it is alone.  None for no fields, and for fields that share memory: MPI receives no
    byte twice."""
    fields: Any = dtype.fields or {}
    parts = [(fields[name][1], dtype[name]) for name in dtype.names or () if dtype[name].itemsize > 0]
    end = 0
    for at, size in sorted((at, field.itemsize) for at, field in parts):
        if at < end:
            return None
        end = at + size
    if not parts:
        return None
    places, types = [at for at, _ in parts], [datatype(field) for _, field in parts]
    bare = MPI.Datatype.Create_struct([1] * len(parts), places, types)
    result = bare.Create_resized(0, dtype.itemsize)
    bare.Free()
    return result


def free_types() -> None:
    """Frees the datatypes that were made, before MPI ends."""
    for kind in _types.values():
        if not kind.is_predefined:
            kind.Free()
    _types.clear()


def strided_type(array: Array, what: str) -> MPI.Datatype:
    """A datatype of all elements of an array, where they lie, in the order of their indices, which the caller
    frees."""
    row = 1
    rest: list[tuple[int, int]] = []
    for axis in reversed(range(array.ndim)):
        n, stride = array.shape[axis], array.strides[axis]
        if not rest and (n == 1 or stride == row * array.itemsize):
            row *= n
        else:
            rest.append((n, stride))
    result = datatype(array.dtype, what).Create_contiguous(row)
    for n, stride in rest:
        inner = result
        # Open MPI takes a stride of -1 for none.
        result = (
            inner.Create_hvector(n, 1, stride)
            if stride != -1
            else inner.Create_hindexed_block(1, range(0, -n, -1))
        )
        inner.Free()
    return result.Commit()


def steps(array: Array) -> set[tuple[int, int]]:
    """Along which axes elements are how far apart."""
    return {
        (k, stride) for k, (n, stride) in enumerate(zip(array.shape, array.strides)) if n > 1 and array.size
    }


class Layout(NamedTuple):
    """How an array lay; it may be another one now."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]


def layout_of(array: Array) -> Layout:
    return Layout(array.shape, array.strides, array.dtype)


def differs(given: Optional[Array], old: Layout) -> str:
    """In errors: what an array should be, in place of which another one is given."""
    has = [
        "is missing" if a is None else f"shape {a.shape}, strides {a.strides}, dtype {a.dtype}"
        for a in (given, old)
    ]
    return f"has {has[0]}, but the exchange was made for {has[1]}"


def check_row(array: Array, what: str) -> None:
    """Elements travel in the order of their indices, the last of which counts first (order C), and have to lie
    in this order.  Other processes may have other arrays, so that order F is not taken even if all arrays here
    have it."""
    if array.flags.c_contiguous:
        return
    layout = f"(shape {array.shape}, strides {array.strides})"
    if array.flags.f_contiguous:
        raise ValueError(
            f"mpiortho: {what} has order F {layout}, but elements travel in order C: they would be permuted. "
            "Make a copy (np.ascontiguousarray), or give the transposed array on all processes (a.T)"
        )
    raise ValueError(
        f"mpiortho: elements of {what} do not lie one behind the other {layout}. "
        "Make a copy (np.ascontiguousarray)"
    )
