# SPDX-License-Identifier: BSD-3-Clause
"""The library for the MPI that mpi4py has loaded, and its functions.

Handles of the MPICH family are ints, all others are pointers.  Nothing here was compiled with an MPI.
"""

from __future__ import annotations

import atexit
import ctypes
import operator
import os
import weakref
from array import array
from typing import Any, Callable, Optional, Union

import numpy as np
from mpi4py import MPI

from . import _core
from ._arrays import free_types, has_mpi, meet, same_for_all
from ._installed import LIBRARIES

FAMILY_NAMES = {"mpich": "MPICH's ABI", "openmpi": "Open MPI", "abi": "MPI's standard ABI"}


class _Place(ctypes.Structure):
    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("at", ctypes.c_void_p),
    ]


def _address(library: ctypes.CDLL, name: str) -> Optional[int]:
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return None


def _file_of(address: Optional[int]) -> str:
    """The shared library that an address lies in."""
    place = _Place()
    if not ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(place)) or not place.file:
        return ""
    return os.fsdecode(place.file)


def _family(mpi: ctypes.CDLL) -> str:
    if _address(mpi, "ompi_mpi_comm_world") is not None:
        return "openmpi"
    return "mpich" if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else "abi"


#: Folders of the libraries for these, one of which may be installed later than this package.
FOLDERS = {"mpich": ("mpich", "intel"), "openmpi": ("openmpi",), "abi": ("abi",)}


def _candidates(family: str) -> list[str]:
    """Where a library for an MPI may be, the likeliest place first."""
    given = os.environ.get("MPIORTHO_LIBRARY")
    if given:
        return [given]
    result = [LIBRARIES[family]] if family in LIBRARIES else []
    for known in LIBRARIES.values():
        folder, name = os.path.split(known)
        near = [os.path.join(os.path.dirname(folder), "mpiortho-" + mpi, name) for mpi in FOLDERS[family]]
        result += [path for path in near if path not in result and os.path.exists(path)]
    wheel = os.path.join(os.path.dirname(__file__), "lib", f"libmpiortho-{family}.so")
    return result or [wheel]


def _load() -> tuple[str, ctypes.CDLL]:
    """The library for mpi4py's MPI.  ImportError says what is missing."""
    mpi = ctypes.CDLL(MPI.__file__)
    theirs = _address(mpi, "MPI_Comm_rank")
    file = _file_of(theirs)
    family = _family(mpi)
    candidates = _candidates(family)
    there = [path for path in candidates if os.path.exists(path)]
    if not there:
        names = ", ".join(FAMILY_NAMES[name] for name in sorted(LIBRARIES))
        raise ImportError(
            f"mpiortho: mpi4py has loaded {file}, an MPI with {FAMILY_NAMES[family]}, but there is no "
            f"{candidates[0]}. "
            f"This package has libraries for {names or 'those in ' + os.path.dirname(candidates[0])}. "
            "Build mpi4py for the MPI that you run by "
            "(MPICC=... pip install --force-reinstall --no-cache-dir --no-deps --no-binary mpi4py mpi4py, "
            "with its mpicc), install mpiortho for the one that mpi4py has loaded, or set MPIORTHO_LIBRARY "
            "to a libmpiortho.so."
        )
    # A library of a wheel names no MPI, since the same ABI has several names: it gets the one that is there.
    ctypes.CDLL(file, mode=os.RTLD_NOW | os.RTLD_NOLOAD | os.RTLD_GLOBAL)
    wrong: Optional[ImportError] = None
    for path in there:
        try:
            library = ctypes.CDLL(path, mode=os.RTLD_NOW)
        except OSError as error:
            wrong = wrong or ImportError(
                f"mpiortho: {path} does not fit the MPI that mpi4py has loaded, {file}: {error}"
            )
            continue
        ours = _address(library, "MPI_Comm_rank")
        if ours is None or ours == theirs:
            return family, library
        wrong = wrong or ImportError(
            f"mpiortho: {path} uses the MPI {_file_of(ours)}, but mpi4py has loaded {file}. Both must use the "
            "same one. Install mpiortho for that MPI, or set MPIORTHO_LIBRARY to a libmpiortho.so of it."
        )
    assert wrong is not None
    raise wrong


family, library = _load()
HANDLES_ARE_INTS = family == "mpich"
c_handle: Any = ctypes.c_uint if HANDLES_ARE_INTS else ctypes.c_void_p


class Error(MPI.Exception):
    """What a function of the library returned, with the library's message.

    It is an ``MPI.Exception``: ``error_code`` and ``Get_error_class()`` are there.
    >>> try:
    ...     mpiortho.name(MPI.COMM_SELF, (2, 2))
    ... except MPI.Exception as error:
    ...     print(error.error_class == MPI.ERR_DIMS)
    True
    """

    def __new__(cls, code: int, message: str) -> Error:
        return super().__new__(cls, code)

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code)
        self.message = message

    @property
    def error_class(self) -> int:
        """MPI's class of the error, or ``ERR_NAME``, ``ERR_MISMATCH`` and so on."""
        return error_class(self.error_code)

    def __reduce__(self) -> Any:
        return type(self), (self.error_code, self.message)

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"mpiortho.Error({self.error_code}, {self.message!r})"


def error_class(code: int) -> int:
    """MPI's class of an error code, or one of ``ERR_NAME``, ``ERR_NEIGHBOR`` and so on.
    >>> mpiortho.error_class(MPI.ERR_DIMS) == MPI.ERR_DIMS
    True
    """
    result = ctypes.c_int()
    library.ORTHO_Error_class(code, ctypes.byref(result))
    return result.value


def error_constant(name: str) -> int:
    """``ORTHO_ERR_NAME`` and its like are functions in C."""
    result: int = getattr(library, "ortho_" + name.lower())()
    return result


def text(call: Callable[..., int], *arguments: Any) -> str:
    """What a function writes into a text of any length."""
    length = ctypes.c_int()
    check(call(*arguments, None, 0, ctypes.byref(length)))
    buffer = ctypes.create_string_buffer(length.value + 1)
    check(call(*arguments, buffer, length.value + 1, None))
    return buffer.value.decode(errors="replace")


def raise_error(code: int) -> None:
    buffer = ctypes.create_string_buffer(4096)
    library.ORTHO_Error_message(buffer, len(buffer), None)
    raise Error(code, buffer.value.decode(errors="replace") or MPI.Get_error_string(code))


def check(code: int) -> None:
    if code != MPI.SUCCESS:
        raise_error(code)


# --- Arguments of C ---------------------------------------------------------------------------------------


def handle(thing: Any) -> Any:
    """MPI's handle of a communicator, ours too, of a datatype, operator, info or window, as an argument."""
    return c_handle(MPI._handleof(getattr(thing, "comm", thing)))


def handle_of(kind: type[Any], thing: Any, what: str) -> Any:
    """The handle of an argument that has to be of a class of mpi4py's, and is called `what` in errors."""
    own = getattr(thing, "comm", thing) if kind is MPI.Comm else thing
    if not isinstance(own, kind):
        raise TypeError(f"mpiortho: {what}={thing!r} is a {type(thing).__name__}, not an MPI.{kind.__name__}")
    return handle(own)


def comm_handle(comm: Any) -> Any:
    """The handle of an argument that has to be a communicator, mpi4py's or ours."""
    result = handle_of(MPI.Comm, comm, "comm")
    meet(getattr(comm, "comm", comm))
    return result


def info_handle(info: Union[MPI.Info, dict[str, str], None]) -> Any:
    """The handle of an info.  It lives as long as what is returned does."""
    if isinstance(info, dict) and not all(isinstance(x, str) for x in (*info, *info.values())):
        raise TypeError(f"mpiortho: info={info!r} has keys or values that are no str")
    made = MPI.Info.Create(info) if isinstance(info, dict) else MPI.INFO_NULL if info is None else info
    result = handle_of(MPI.Info, made, "info")
    if isinstance(info, dict):
        weakref.finalize(result, made.Free).atexit = False
    return result


def settings_of(info: Any) -> Optional[dict[str, str]]:
    """A copy for later: the caller may free its info."""
    return dict(info) if isinstance(info, (dict, MPI.Info)) and info else None


INT, LONG = 1 << 31, 1 << 63


def integer(value: Any, what: str, limit: int = INT) -> int:
    """An argument that has to be an integer, and is called `what` in errors."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"mpiortho: {what}={value!r} is a {type(value).__name__}, not an integer") from None
    if not -limit <= number < limit:
        raise OverflowError(f"mpiortho: {what}={value!r} is no integer from {-limit} to {limit - 1}")
    return number


def integers(values: Any, what: str, n: Optional[int] = None, limit: int = INT) -> tuple[int, ...]:
    """An argument that has to be a list of integers; of n of them."""
    try:
        listed = list(values)
    except TypeError:
        raise TypeError(
            f"mpiortho: {what}={values!r} is a {type(values).__name__}, not a list of integers"
        ) from None
    if n is not None and len(listed) != n:
        raise ValueError(f"mpiortho: {what}={values!r} has {len(listed)} numbers, but {n} are needed")
    return tuple(integer(value, f"{what}[{i}]", limit) for i, value in enumerate(listed))


def one_or_more(value: Any, what: str, limit: int = INT) -> Union[int, tuple[int, ...]]:
    """An argument that has to be an integer or a list of them."""
    try:
        operator.index(value)
    except TypeError:
        return integers(value, what, limit=limit)
    return integer(value, what, limit)


def all_numbers(values: Any, what: str) -> np.ndarray[Any, Any]:
    """An array of what is given, of which nothing is masked."""
    if np.ma.is_masked(values):
        raise TypeError(f"mpiortho: {what} has masked elements, which are no numbers")
    return np.asarray(values)


def int_array(values: Any, what: str) -> np.ndarray[Any, np.dtype[np.intc]]:
    """An argument that has to be an array of ints, or lists that make one."""
    try:
        array = all_numbers(values, what)
    except ValueError:
        raise ValueError(f"mpiortho: {what}={values!r} has rows of different lengths") from None
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"mpiortho: {what}={values!r} has elements of dtype {array.dtype}, not integers")
    narrow = np.array(array, np.intc, order="C")  # the caller may change its own
    if array.size and (narrow != array).any():
        raise OverflowError(f"mpiortho: {what}={values!r} has numbers that are no ints of C")
    return narrow


def offset_rows(values: Any, d: int, what: str) -> np.ndarray[Any, np.dtype[np.intc]]:
    """An argument that has to be (n, d) ints.  In one dimension n numbers are enough."""
    rows = int_array(values, what)
    if rows.size == 0 or (d == 1 and rows.ndim == 1):
        return rows.reshape(-1, d)
    if rows.ndim != 2 or rows.shape[1] != d:
        raise ValueError(
            f"mpiortho: {what}={values!r} has shape {rows.shape}, but (n, {d}) is needed: a row for each "
            "offset, a number for each dimension of the grid"
        )
    return rows


def ints(values: Any) -> Any:
    """An argument of C.  Numbers that do not fit are an OverflowError."""
    numbers = array("i", map(operator.index, values))
    return (ctypes.c_int * max(len(numbers), 1)).from_buffer(numbers or array("i", [0]))


def longs(values: Any) -> Any:
    numbers = array("q", map(operator.index, values))
    return (ctypes.c_longlong * max(len(numbers), 1)).from_buffer(numbers or array("q", [0]))


def handles(things: Any) -> Any:
    things = [MPI._handleof(thing) for thing in things]
    return (c_handle * max(len(things), 1))(*things)


def got_int(call: Callable[..., int], *arguments: Any) -> int:
    """A function whose last argument is an int that it tells."""
    result = ctypes.c_int()
    check(call(*arguments, ctypes.byref(result)))
    return result.value


def got_comm(call: Callable[..., int], *arguments: Any) -> MPI.Comm:
    """A function whose last argument is a communicator that it makes."""
    made = c_handle(MPI._handleof(MPI.COMM_NULL))
    check(call(*arguments, ctypes.byref(made)))
    comm = MPI.Comm.fromhandle(made.value or 0)
    if comm != MPI.COMM_NULL:
        comm.Set_errhandler(MPI.ERRORS_RETURN)
    return comm


def unweighted() -> Any:
    """MPI_UNWEIGHTED."""
    if family == "mpich":
        return ctypes.c_void_p.in_dll(ctypes.CDLL(MPI.__file__), "MPI_UNWEIGHTED")
    return ctypes.c_void_p(2 if family == "openmpi" else 10)


def get_version() -> tuple[int, int, int]:
    """The version of the library that is loaded.
    >>> mpiortho.get_version() >= (0, 2, 0)
    True
    """
    numbers = (ctypes.c_int * 3)()
    check(library.ORTHO_Get_version(*(ctypes.byref(numbers, 4 * i) for i in range(3))))
    return numbers[0], numbers[1], numbers[2]


def progress() -> None:
    """Advance all operations that are under way.
    >>> mpiortho.progress()
    """
    check(library.ORTHO_Progress())
    sweep()


# --- Requests that were given up ----------------------------------------------------------------------------

unfinished: list[tuple[int, Any, Any]] = []


def sweep(wait: bool = False) -> None:
    """Free the operations that nobody has a request of any more, if they are over."""
    for _ in range(len(unfinished)):
        try:
            entry = unfinished.pop(0)  # another thread may do the same
        except IndexError:
            return
        request, flag = ctypes.c_void_p(entry[0]), ctypes.c_int(1)
        if wait:
            library.ORTHO_Wait(ctypes.byref(request), STATUS_IGNORE)
        else:
            library.ORTHO_Test(ctypes.byref(request), ctypes.byref(flag), STATUS_IGNORE)
        if flag.value:
            if request.value:
                library.ORTHO_Request_free(ctypes.byref(request))
        else:
            unfinished.append(entry)


_process = os.getpid()


def give_up(name: str, raw: Any) -> None:
    """Frees by ORTHO_`name` what nobody has any more."""
    if raw.value and os.getpid() == _process and not MPI.Is_finalized():
        getattr(library, "ORTHO_" + name)(ctypes.byref(raw))


def _at_exit() -> None:
    if has_mpi() and os.getpid() == _process:
        sweep(wait=True)
        free_types()
    _core.stop(False)


STATUS_IGNORE = ctypes.c_void_p(1 if family == "mpich" else 0)
IN_PLACE = ctypes.c_void_p(-1 if family == "mpich" else 1)
FAST = ("Barrier", "Bcast_c", "Gather_c", "Scatter_c", "Allgather_c", "Alltoall_c", "Reduce_c", "Allreduce_c",
        "Reduce_scatter_block_c", "Scan_c", "Exscan_c")  # fmt: skip


def stream_number(stream: Any) -> int:
    """The cudaStream_t that this is: an int, or a stream of CuPy, PyTorch, Numba or cuda.core."""
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("ptr", "cuda_stream", "handle"):
        if hasattr(stream, name):
            number = getattr(stream, name)
            return int(getattr(number, "value", number) or 0)
    return integer(stream, "stream", 1 << 63)


def _setup() -> None:
    own = ("Start", "Wait", "Test", "Run", "Request_free", "Start_enqueue", "Wait_enqueue", "Run_enqueue")
    addresses = [_address(library, "ORTHO_" + name) for name in own]
    addresses.append(_address(ctypes.CDLL(MPI.__file__), "MPI_Finalized"))
    addresses += [_address(library, "ORTHO_" + name) for name in FAST]
    if None in addresses:
        raise ImportError("mpiortho: the library is too old")
    codes = MPI._typedict_c
    marks = "d f l i q B ? b h H I L Q g Zd Zf Zg"  # of the buffer protocol, the usual ones first
    pairs = [(mark, {"Zd": "D", "Zf": "F", "Zg": "G"}.get(mark, mark)) for mark in marks.split()]
    kinds = [(mark, np.dtype(code)) for mark, code in pairs if code in codes]
    # MPI need not be there yet.
    types = tuple((mark, kind.itemsize, codes[same_for_all(kind).char], kind) for mark, kind in kinds)
    ops = (MPI.SUM, MPI.MAX, MPI.MIN, MPI.PROD, MPI.LAND, MPI.BAND, MPI.LOR, MPI.BOR, MPI.LXOR, MPI.BXOR)
    ignore, in_place = STATUS_IGNORE.value or 0, IN_PLACE.value or 0
    _core.setup(
        tuple(addresses), HANDLES_ARE_INTS, ignore, in_place, MPI.IN_PLACE, raise_error, MPI._addressof,
        stream_number, types, ops, unfinished, np.ndarray,
    )  # fmt: skip
    atexit.register(_at_exit)
    os.register_at_fork(after_in_child=lambda: _core.stop(True))


_setup()
