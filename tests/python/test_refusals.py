# SPDX-License-Identifier: BSD-3-Clause
"""What cannot be done is said, with the reason, before anything is sent; and what lies oddly is used in
place."""

import array as arrays
import ctypes
import gc
import mmap
import pickle
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from mpi4py import MPI

import mpiortho
from conftest import frozen, refused
from mpiortho._arrays import _Tensor


@pytest.fixture(scope="module")
def own():
    """A grid of this process alone: what hypothesis tries differs from process to process."""
    return mpiortho.grid(MPI.COMM_SELF, (1, 1), periodic=True)


on_device = SimpleNamespace(
    __cuda_array_interface__={"shape": (4,), "typestr": "<f8", "data": (0, False), "mask": 1, "version": 3}
)


class OnOther:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise AssertionError("it is not looked at")


class ByDlpack:
    """An array that is lent from a place of DLPack's; with a version, or as older libraries do."""

    def __init__(self, array, place=1, versions=True):
        self.array, self.place, self.versions = array, place, versions

    def __dlpack_device__(self):
        return (self.place, 0)

    def __dlpack__(self, **more):
        if more and not self.versions:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**more)


class Immutable(ByDlpack):
    """As JAX has them: without a version, but __array__ tells that nobody writes them."""

    def __init__(self, array):
        super().__init__(array, versions=False)

    def __array__(self, *_, **__):
        return frozen(self.array.view())


class Copying(ByDlpack):
    def __dlpack__(self, **_):
        return self.array.__dlpack__(max_version=(1, 0), copy=True)


class Bfloat16(ByDlpack):
    """Elements that NumPy has no type for, as PyTorch lends them."""

    def __init__(self, array):
        super().__init__(array)
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.tensor = _Tensor(array.ctypes.data, (1, 0), array.ndim, 4, 16, 1, self.shape)

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


class Divided:
    """As mpiarray's: the whole array has no memory here."""

    local_with_halos = np.zeros((4, 4))

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("all processes would have to call this")


class OtherNumbers(ByDlpack):
    """A tensor of PyTorch with a bit that says what is not in memory."""

    def __init__(self, array, bit):
        super().__init__(array)
        for each in ("neg", "conj"):
            setattr(self, f"is_{each}", lambda each=each: each == bit)


class WithUnit(np.ndarray):
    """As Astropy's Quantity is."""

    unit = None


def with_unit(array):
    result = array.view(WithUnit)
    result.unit = "km"
    return result


zeros = np.zeros((4, 4))


class Bits(ctypes.Structure):
    _fields_ = [("few", ctypes.c_int, 3), ("more", ctypes.c_int, 5)]


def strided(n, shape, strides):
    return np.lib.stride_tricks.as_strided(np.zeros(n), shape, strides)


@pytest.mark.parametrize(
    "array, error, words",
    [
        (frozen(zeros.copy()), ValueError, "read-only"),
        (memoryview(bytes(16)), ValueError, "read-only"),
        (np.zeros((4, 4), ">f8"), TypeError, "byte order .*astype"),
        (np.zeros((4, 4), [("a", ">i4"), ("b", "f4")]), TypeError, "byte order"),
        (np.zeros((4, 4), object), TypeError, "Python objects"),
        (np.zeros((4, 4), [("n", [("a", ">i4", (2,))])]), TypeError, "byte order"),
        (np.ma.zeros((4, 4)), TypeError, "masked"),
        (with_unit(zeros), TypeError, r"is a WithUnit.* \(unit\) .*view\(np.ndarray\)"),
        (SimpleNamespace(__array_interface__=zeros.__array_interface__ | {"mask": zeros}), TypeError, "mask"),
        (OtherNumbers(zeros, "neg"), TypeError, "neg bit.*resolve_neg"),
        (OtherNumbers(zeros, "conj"), TypeError, "conj bit.*resolve_conj"),
        ((Bits * 4)(), TypeError, "NumPy can read .*bitfields"),
        ((ctypes.c_longdouble * 4)(), TypeError, "NumPy can read .*'<g'"),
        (ByDlpack(frozen(zeros.copy())), (TypeError, ValueError), "read.?only"),
        (Immutable(zeros), ValueError, "read-only"),
        (Copying(zeros), TypeError, "lend"),
        (Divided(), TypeError, r"is a Divided, not an array.* Pass .* has of it, \.local_with_halos"),
        ([[0.0] * 4] * 4, TypeError, "is a list, not an array"),
        (3.5, TypeError, "is a float, not an array"),
        (None, TypeError, "is None, not an array: make one"),
        (on_device, TypeError, "mask"),
        (OnOther(), TypeError, "device"),
        (np.broadcast_to(np.zeros(4), (4, 4)), ValueError, "read-only"),
        (strided(16, (4, 4), (8, 8)), ValueError, "share memory"),
        (strided(8, (3, 2), (16, 24)), ValueError, "axes interleave"),
        (strided(16, (4, 4), (0, 8)), ValueError, "share memory"),
        (strided(15, (4, 4), (32, 8)), ValueError, "memory of field 0 ends early"),
        (strided(16, (4, 4), (-32, 8)), ValueError, "memory of field 0 ends early"),
        (np.zeros(4), ValueError, "1 axes on a grid of 2"),
        (np.zeros(()), ValueError, "0 axes on a grid of 2"),
        (np.zeros((1, 4)), ValueError, "1 layers, ghosts included"),
    ],
)
@pytest.mark.filterwarnings("ignore:A builtin ctypes object")
def test_halos(own, array, error, words):
    refused(error, words, own.halo, [array], ghosts=1)


@pytest.mark.parametrize(
    "more, words",
    [
        ({"ghosts": (1, 2, 3)}, "one for each dimension"),
        ({"ghosts": None}, "no ghosts"),
        ({"ghosts": ((1, 2, 3), 1)}, "no pair"),
        ({"ghosts": ((1, -1), 1)}, "no pair"),
        ({"ghosts": ((0.5, 1), 1)}, "no pair"),
        ({"ghosts": 1, "axes": (0, 0)}, "different axes"),
        ({"ghosts": 1, "axes": (0, 2)}, "different axes"),
        ({"ghosts": 1, "axes": (1,)}, "different axes"),
        ({"ghosts": -1}, "no pair"),
        ({"ghosts": 1.0}, "no number of layers"),
        ({"ghosts": "11"}, "no number of layers"),
        ({"ghosts": (1, 1.0)}, "no pair"),
        ({"ghosts": 1, "directions": [(1,)]}, r"directions of field 0=\[\(1,\)\] has shape"),
        ({"ghosts": 1, "directions": [1, 0]}, "has shape"),
        ({"ghosts": 1, "directions": [(1, 0), (1,)]}, "rows of different lengths"),
    ],
)
def test_arguments_of_halos(own, more, words):
    refused(ValueError, words, own.halo, np.zeros((4, 4)), **more)


def test_offsets_and_sizes():
    """They are integers, as many as the grid has dimensions; nothing is reshaped or rounded."""
    comm = MPI.COMM_SELF
    g = mpiortho.grid(comm, (1, 1), periodic=True)
    for offsets in ([(1,), (-1,)], [1, -1], 1, [(1, 0, 0), (-1, 0, 0)], [[(1, 0)]], [(1, 0), (1,)]):
        refused(ValueError, "stencil=.* (has shape|has rows)", mpiortho.grid, comm, (1, 1), stencil=offsets)
    refused(OverflowError, "stencil=.*ints of C", mpiortho.grid, comm, (1, 1), stencil=[(1 << 40, 0)])
    assert mpiortho.grid(comm, (1,), stencil=[1, -1]).stencil.tolist() == [[1], [-1]]
    assert mpiortho.grid(comm, (1, 1), stencil=[]).stencil.shape == (0, 2)
    assert mpiortho.grid(comm, np.ones(2, "i8")).dims == (1, 1)
    assert mpiortho.grid(comm, np.int16(2)).dims == (1, 1)
    for call, words in [
        (lambda: mpiortho.grid(comm, (1, 1), stencil=[(1.5, 0)]), "stencil=.*float64, not integers"),
        (lambda: mpiortho.grid(comm, (1.7, 1)), r"dims\[0\]=1.7 is a float, not an integer"),
        (lambda: mpiortho.grid(comm, 1.0), "dims=1.0 is a float, not a list"),
        (lambda: mpiortho.grid(comm, (1,), weights=[1.5] * 2), r"weights\[0\]=1.5"),
        (lambda: mpiortho.name(comm, (1.0,)), r"dims\[0\]=1.0"),
        (lambda: mpiortho.cart(comm, (1.0,)), r"dims\[0\]=1.0"),
        (lambda: mpiortho.dims_create(comm, (0.0, 1)), r"dims\[0\]=0.0"),
        (lambda: mpiortho.moore(2.0), "d=2.0"),
        (lambda: mpiortho.blocks_count(10.5, 3, 0), "n=10.5"),
        (lambda: mpiortho.blocks_owner(10, 3, 1.5), "index=1.5"),
        (lambda: mpiortho.index_map(comm, 5.7, []), "owned=5.7 is a float"),
        (lambda: mpiortho.index_map(comm, 5, []).holders(1.2), "element=1.2"),
        (lambda: mpiortho.dist_graph(comm, {0: [0.5]}), r"edges\[0\]\[0\]=0.5"),
        (lambda: mpiortho.dist_graph_adjacent(comm, [0.5], [0]), r"sources\[0\]=0.5"),
        (lambda: mpiortho.dist_graph_from_targets(comm, [0.5]), r"targets\[0\]=0.5"),
        (lambda: g.zeros((3.5, 3)), r"shape\[0\]=3.5"),
        (lambda: g.block((3.5, 3)), r"shape\[0\]=3.5"),
        (lambda: g.neighbor((0.5, 0)), "offset=.*float64"),
        (lambda: g.rank_of((0.5, 0)), "coordinates=.*float64"),
        (lambda: g.shift((0.5, 0)), r"offset\[0\]=0.5"),
        (lambda: g.coordinates(0.0), "rank=0.0"),
        (lambda: g.split(1.0), "color=1.0"),
        (lambda: mpiortho.alloc_mem(g, 1.5), "shape=1.5"),
        (lambda: g.sub(1), "excluded=1 is a int"),
    ]:
        refused(TypeError, words, call)
    h = g.halo(np.zeros((4, 4)), ghosts=1)
    for call, words in [
        (lambda: g.zeros(3), "shape=3 is no list of 2"),
        (lambda: g.block((3,)), "shape=.* is no list of 2"),
        (lambda: g.zeros((3, 3), ghosts=-1), "no number of layers"),
        (lambda: g.neighbor(0), "offset=0 has shape"),
        (lambda: g.shift((1,)), r"offset=\(1,\) has 1 numbers, but 2"),
        (lambda: g.slot((1, 0, 0)), "3 numbers, but 2"),
        (lambda: g.sub([True]), r"excluded=\[True\] has 1 numbers, but 2"),
        (lambda: h.region((1,)), "1 numbers, but 2"),
        (lambda: h.region((2, 0)), "other than -1, 0 and 1"),
        (lambda: mpiortho.grid(comm, (1, 1), periodic="no"), "periodic='no'"),
        (lambda: mpiortho.grid(comm, (1, 1), weights=[1]), "weights=.* has 1 numbers, but 8"),
        (lambda: mpiortho.dist_graph_adjacent(comm, [0], [0], [1, 2], [1]), "source_weights=.* but 1"),
        (lambda: mpiortho.dist_graph(comm, {0: [0, 0]}, {0: [1]}), r"weights\[0\]=.* but 2"),
        (lambda: mpiortho.dist_graph_from_targets(comm, [0], []), "weights=.* but 1"),
    ]:
        refused(ValueError, words, call)


def test_roots_and_counts(everybody, world):
    x = np.ones(2)
    assert (everybody.bcast(x.copy(), root=np.int64(0)) == 1).all()
    for root, error in ((0.0, TypeError), ("0", TypeError), (1 << 32, OverflowError)):
        for call in (everybody.bcast, everybody.bcast_init):
            refused(error, "root of bcast=", call, x, root=root)
    floats = [np.zeros(2 * world.size), [2.0] * world.size]
    refused(TypeError, "counts of recv of allgatherv.*is a float", everybody.allgatherv, x, floats)
    null = [x, 1, MPI.DATATYPE_NULL]
    refused(ValueError, "buffer of bcast is MPI.DATATYPE_NULL", everybody.bcast, null)
    refused(ValueError, r"'\?!', is unknown", everybody.bcast, [x, 1, "?!"])
    refused(TypeError, "count of buffer of bcast=1.5", everybody.bcast, [x, 1.5, MPI.DOUBLE])
    one, alone = ([1] * world.size, [0] * world.size), mpiortho.grid(MPI.COMM_SELF, (1,))
    got = bytearray(16 * world.size)
    everybody.allgather(x, got)  # bytes may be anything
    everybody.allgather(np.array([]), np.zeros(0, int))
    everybody.allgather(np.ones(2, "u8"), np.zeros(2 * world.size, "i8"))
    assert np.frombuffer(got).tolist() == [1] * 2 * world.size
    for call, words in (
        (lambda: everybody.allgather(x, np.zeros(2 * world.size, int)), "allgather is of float64, recv of i"),
        (lambda: everybody.ialltoall(np.zeros(world.size), np.zeros(world.size, int)), "of int64"),
        (lambda: alone.field_gather(x, np.zeros(2, int)), "whole is of int64, the field of float64"),
        (lambda: alone.field_scatter(np.zeros(2, int), x), "whole is of int64, the field of float64"),
        (lambda: everybody.allgather(x, MPI.IN_PLACE), "recv of allgather is IN_PLACE"),
        (lambda: everybody.ibcast(MPI.IN_PLACE), "buffer of bcast is IN_PLACE"),
        (lambda: everybody.allgather(MPI.BOTTOM, np.zeros(0)), "send of allgather is MPI.BOTTOM"),
        (lambda: everybody.bcast([MPI.BOTTOM, 0, MPI.INT]), "buffer of bcast is MPI.BOTTOM"),
        (lambda: everybody.bcast([x, 2, [MPI.DOUBLE]]), "buffer of bcast has one datatype, not a list"),
        (lambda: everybody.alltoallv([x, *one, ["d"] * world.size], [x, *one]), "alltoallv has one datatype"),
    ):
        refused(TypeError, words, call)


def test_arguments_of_other_classes(ring, everybody):
    x, m = np.ones(2), mpiortho.index_map(MPI.COMM_SELF, 2, [0])
    for call, words in [
        (lambda: mpiortho.Communicator(x), "comm=array.* is a ndarray, not an MPI.Comm"),
        (lambda: mpiortho.grid("x", (1,)), "comm='x' is a str, not an MPI.Comm"),
        (lambda: mpiortho.grid("x", 2), "comm='x' is a str, not an MPI.Comm"),
        (lambda: mpiortho.grid(MPI.SUM, (1,)), "comm=.* is a Op, not an MPI.Comm"),
        (lambda: mpiortho.name(x, (1,)), "not an MPI.Comm"),
        (lambda: mpiortho.named(x), "not an MPI.Comm"),
        (lambda: mpiortho.is_neighborhood(None), "comm=None is a NoneType"),
        (lambda: mpiortho.Halo(MPI.COMM_WORLD, np.zeros(4), 1), "is a Intracomm, not a Grid"),
        (lambda: mpiortho.index_map(3, 2, [0]), "comm=3 is a int"),
        (lambda: mpiortho.Window(x, x), "not an MPI.Comm"),
        (lambda: ring.create(MPI.COMM_WORLD), "group=.* not an MPI.Group"),
        (lambda: ring.subgraph([0]), r"part=\[0\] is a list, not an MPI.Comm"),
        (lambda: ring.neighbors.allreduce(x, op=sum), "op of allreduce=.*not an MPI.Op"),
        (lambda: everybody.reduce_init(x, op="sum"), "op of reduce='sum' is a str"),
        (lambda: ring.halo_reduce(np.zeros(4), 1, sum), "op=.*not an MPI.Op"),
        (lambda: m.ghosts_reduce(np.zeros(3), op=max), "op=.*not an MPI.Op"),
        (lambda: ring.barrier_init(info="x"), "info='x' is a str, not an MPI.Info"),
        (lambda: ring.barrier_init(info={"ortho_forward": 1}), "no str"),
        (lambda: mpiortho.sparse_alltoallv(everybody, [x, x]), r"blocks\[0\] is a ndarray, not \(target"),
        (lambda: mpiortho.sparse_alltoallv(everybody, [(0.0, x)]), "target of blocks=0.0"),
        (lambda: m.ghosts([np.zeros(3)] * 3), "list of 3. Several fields are arguments of their own"),
        (lambda: mpiortho.waitall([ring.barrier_init(), None]), r"requests\[1\]=None is a NoneType"),
        (lambda: mpiortho.startall([MPI.REQUEST_NULL]), r"requests\[0\]=.* is a Request, not an mpiortho"),
        (lambda: mpiortho.testany([3]), r"requests\[0\]=3 is a int"),
    ]:
        refused(TypeError, words, call)
    refused(ValueError, "Several fields are arguments of their own", m.ghosts, [np.zeros(3), np.zeros(3)])
    assert mpiortho.Communicator(ring).comm is ring.comm
    assert mpiortho.grid(everybody, (0,)).size == everybody.size


def test_what_the_library_refuses(own):
    u = np.zeros((4, 4))
    error = refused(MPI.ERR_ARG, "direction", own.halo, u, ghosts=1, directions=[(0, 0)])
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is mpiortho.Error and repr(copied) == repr(error)
    refused(mpiortho.Error, "ortho_forward", own.halo, u, ghosts=1, info={"ortho_forward": "perhaps"})
    refused(mpiortho.Error, "", own.halo, np.zeros((5, 5)), ghosts=2)
    refused(TypeError, "do not know", own.halo_reduce, np.zeros((4, 4), [("a", "f4")]), ghosts=1)
    refused(TypeError, "one of them", own.halo, u, ghosts=1, axes=(0, 1), divided=(0, 1))
    refused(ValueError, "field 0 and field 1 share memory", own.halo, [u, u.T], ghosts=1)
    both = np.zeros((4, 4), [("a", "f8"), ("b", "f8")])
    own.halo([both["a"], both["b"]], ghosts=1).run()
    h = own.halo(u, ghosts=1)
    for call in (h.owned, h.filled, h.unfilled, lambda field: h.region((0, 0), field)):
        for field in (1, -1):
            refused(IndexError, f"field {field} of a halo of 1", call, field)
        refused(TypeError, "field='u'", call, "u")
    gone = mpiortho.grid(MPI.COMM_SELF, (1, 1))
    gone.free()
    refused(ValueError, "the grid was freed", gone.halo, u, ghosts=1)


def test_collectives(everybody, world):
    p = world.size
    x = np.zeros(4)
    cases = [
        (x, frozen(np.zeros((4, 4))), ValueError, "recv of allreduce is read-only"),
        (x, [0.0] * 4, TypeError, "recv of allreduce"),
        (x.astype(">f8"), x, TypeError, "byte order"),
        (np.zeros((4, 4))[:, 0], x.copy(), ValueError, "one behind the other"),
        (x, np.zeros((4, 4))[:, 0], ValueError, "one behind the other"),
        ([1, 2, 3, 4], x, TypeError, "send of allreduce is a"),
        (np.zeros(4, "U3"), np.zeros(4, "U3"), TypeError, "do not know"),
        (on_device, x, TypeError, "mask"),
        (x, OnOther(), TypeError, "device"),
        (None, x, TypeError, "send of allreduce is None|None"),
    ]
    for send, recv, error, words in cases:
        refused(error, words, everybody.allreduce, send, recv)
        refused(error, words, everybody.allreduce_init, send, recv)
    for send, recv in ((x, x), (x[:3], x[1:])):
        refused(ValueError, "share memory", everybody.allreduce, send, recv)
    refused(ValueError, "memory of buffer of bcast ends early", everybody.bcast, [x, 3, MPI.DOUBLE_INT])
    refused(ValueError, "for .* blocks", everybody.allgatherv, x, [np.zeros(4 * p), [4] * (p + 1)])
    refused(ValueError, "count of -1", everybody.allgatherv, x, [np.zeros(4 * p), [-1] * p])
    negative = [np.zeros(4 * p), [4] * p, [-1] + [0] * (p - 1)]
    refused(ValueError, "ends early", everybody.allgatherv, x, negative)
    refused(ValueError, r"arrays for .* blocks", everybody.alltoallw, [x] * (p + 1), [x] * p)


def test_blocks_that_share_memory(ring):
    a, b, c, d = np.zeros((4, 3))
    both = np.zeros((2, 3))
    ring.alltoallw([a, a], [c, d])
    ring.alltoallw([both[0], both[0]], [both[1], d])
    for call, words in [
        (lambda: ring.alltoallw([a, b], [b, d]), r"send of alltoallw\[1\] and recv of alltoallw\[0\] share"),
        (lambda: ring.alltoallw([a, b], [c, c]), r"recv of alltoallw\[0\] and recv of alltoallw\[1\] share"),
        (lambda: ring.alltoallw_init([a, b], [both[:, :1], both]), r"recv of alltoallw\[0\] and recv"),
        (lambda: ring.ialltoallw([a, b], [c, a[::-1]]), r"send of alltoallw\[0\] and recv of alltoallw\[1\]"),
        (lambda: ring.allgatherw(a, [a, b]), r"send of allgatherw and recv of .*MPI.IN_PLACE"),
        (lambda: ring.alltoall(both, both), "send of alltoall and recv of alltoall share .*MPI.IN_PLACE"),
    ]:
        refused(ValueError, words, call)


def test_buffers_of_all_kinds(own):
    """What has the buffer protocol, or DLPack on the host, is used in place."""
    ring = mpiortho.grid(MPI.COMM_SELF, (1,), periodic=True)
    for thing in (
        arrays.array("d", [0, 1, 2, 0]),
        bytearray([0, 1, 2, 0]),
        memoryview(bytearray([0, 1, 2, 0])),
        mmap.mmap(-1, 4096),
    ):
        view = np.asarray(memoryview(thing))
        view[1:3] = [1, 2]
        h = ring.halo(thing, ghosts=1)
        h.run()
        assert view[0] == view[-2] and view[-1] == 1
        if hasattr(thing, "append"):
            refused(BufferError, "", thing.append, 1)
        del h, view
    for place in (1, 3, 11):  # of the host, and such as devices may read
        for versions in (True, False):
            for form in (lambda u: u, lambda u: u[::-1], lambda u: np.stack([u, u], 1)[:, 0]):
                u = form(np.array([0.0, 1, 2, 0]))
                u[:] = [0, 1, 2, 0]
                ring.halo(ByDlpack(u, place, versions), ghosts=1).run()
                assert u.tolist() == [2, 1, 2, 1]
    h = ring.halo(ByDlpack(np.ones(4), versions=False), ghosts=1)
    gc.collect()
    h.run()
    assert h.arrays[0].tolist() == [1, 1, 1, 1]
    assert ring.allgather(ByDlpack(np.zeros((0, 3)))).shape == (2, 0, 3)
    assert ring.allgather(Immutable(np.ones(3))).tolist() == [[1] * 3] * 2
    u = np.array([0, 1, 2, 0], "u2")
    ring.halo(Bfloat16(u), ghosts=1).run()
    assert u.tolist() == [2, 1, 2, 1]
    refused(TypeError, "do not know", ring.neighbors.allreduce, Bfloat16(u))


def test_no_plain_arrays(everybody, ring, world):
    """What has more than elements is refused in every call, and what has not is taken."""
    m, x = mpiortho.index_map(MPI.COMM_SELF, 2, [0]), np.zeros(2)
    for made, words in ((np.ma.zeros, "masked"), (lambda n: with_unit(np.zeros(n)), "WithUnit")):
        for call in (
            lambda: everybody.bcast(made(2)),
            lambda: everybody.allgather(made(2)),
            lambda: everybody.allgather(x, made(2 * world.size)),
            lambda: everybody.alltoall(made(world.size), np.zeros(world.size)),
            lambda: everybody.allreduce(made(2)),
            lambda: everybody.allreduce(MPI.IN_PLACE, made(2)),
            lambda: everybody.scan(x, made(2)),
            lambda: everybody.bcast_init([made(2), 2, MPI.DOUBLE]),
            lambda: everybody.allgatherv(made(2), [np.zeros(2 * world.size), [2] * world.size]),
            lambda: ring.alltoallw([x, x], [made(2), x]),
            lambda: ring.allgather_init(x, np.zeros(4)).start(made(2), np.zeros(4)),
            lambda: ring.halo(made(4), ghosts=1),
            lambda: ring.halo(np.zeros(4), ghosts=1).run(made(4)),
            lambda: ring.field_gather(made(4), x, ghosts=1),
            lambda: m.ghosts(made(3)),
            lambda: mpiortho.sparse_alltoallv(everybody, {0: made(2)}),
            lambda: mpiortho.Window(ring, made(2)),
        ):
            refused(TypeError, words, call)
    number = np.arange(1.0, 3) + world.rank
    for kind in (np.matrix, np.recarray, type("Plain", (np.ndarray,), {})):
        thing = number.view(kind)
        everybody.bcast(thing)
        assert np.asarray(thing).ravel().tolist() == [1, 2]
        number[:] += world.rank


def test_numbers_and_types_that_mean_nothing_to_others(everybody):
    numbers, comm = np.ma.array([0, 1], mask=[False, True]), MPI.COMM_SELF
    for call, words in [
        (lambda: mpiortho.index_map(comm, 2, numbers), "numbers of an index map has masked elements"),
        (lambda: mpiortho.grid(comm, (1,), stencil=numbers), "stencil has masked elements"),
        (lambda: everybody.gather(1 << 70, np.zeros(everybody.size, int)), "gather holds Python objects"),
        (lambda: everybody.iallgather(np.zeros(1, [("a", ">i4")])[0]), "send has the byte order"),
        (lambda: mpiortho.sparse_alltoallv(everybody, {}, dtype=object), "dtype holds Python objects"),
        (lambda: mpiortho.sparse_alltoallv(everybody, {}, dtype=">f8"), "dtype has the byte order"),
        (lambda: mpiortho.alloc_mem(everybody, 2, dtype=[("a", object)]), "dtype holds Python objects"),
        (lambda: mpiortho.Window.allocate(everybody, 2, dtype=">i2"), "dtype has the byte order"),
    ]:
        refused(TypeError, words, call)
    assert mpiortho.index_map(comm, 2, np.ma.array([0, 1])).n_ghosts == 2


def test_the_cure_of_another_byte_order():
    ring = mpiortho.grid(MPI.COMM_SELF, (1,), periodic=True)

    def values(array):
        names = array.dtype.names
        return array.tolist() if names is None else [values(array[name]) for name in names]

    for dtype in (">f8", [("a", ">i4"), ("n", [("b", ">f4", (2,))])]):
        a = np.zeros(4, dtype)
        a.view("u1")[:] = np.arange(a.nbytes)
        words = str(refused(TypeError, "byte order", ring.halo, a, ghosts=1))
        cured = eval(words.split("Use ")[1], {"a": a})
        assert values(cured) == values(a)
        ring.halo(cured, ghosts=1).run()
        assert values(cured[:1]) == values(a[2:3])


@settings(max_examples=150, deadline=None, database=None)
@given(data=some.data())
def test_any_shape(own, data):
    """Shapes, strides, ghosts, types, axes: as numpy.pad(mode="wrap") has it."""
    lower = [data.draw(some.integers(0, 2)) for _ in range(2)]
    upper = [data.draw(some.integers(0, 2)) for _ in range(2)]
    owned = [data.draw(some.integers(max(l, u, 1), 4)) for l, u in zip(lower, upper)]
    more = data.draw(some.lists(some.integers(0, 3), max_size=2))
    dtype = np.dtype(data.draw(some.sampled_from(["f8", "i2", "c8", "?", "S3", "f4,i8"])))
    steps = [data.draw(some.sampled_from([1, 2, -1, -3])) for _ in range(2 + len(more))]
    order = data.draw(some.permutations(range(2 + len(more))))
    shape = [n + l + u for n, l, u in zip(owned, lower, upper)] + more
    sizes = [shape[axis] * abs(steps[axis]) for axis in order]
    whole = np.zeros(sizes, dtype)
    turned = whole.transpose(np.argsort(order)) if order else whole
    u = turned[tuple(slice(None, None, step) for step in steps)]
    assert list(u.shape) == shape
    mine = tuple(slice(l, l + n) for n, l in zip(owned, lower))
    rng = np.random.default_rng(1)
    u[mine] = (
        rng.integers(0, 99, u[mine].shape).astype("u1").astype(dtype)
        if dtype.names is None
        else np.ones(u[mine].shape, dtype)
    )
    inner = u[mine].copy()
    own.halo(u, ghosts=tuple(zip(lower, upper)), axes=(0, 1)).run()
    expected = np.pad(inner, [*zip(lower, upper), *[(0, 0)] * len(more)], mode="wrap") if inner.size else u
    assert (u == expected).all()
    touched = np.zeros(sizes, bool).transpose(np.argsort(order))
    touched[tuple(slice(None, None, step) for step in steps)] = True
    assert (turned[~touched] == np.zeros((), dtype)).all()


def test_seldom_meant():
    g = mpiortho.grid(MPI.COMM_SELF, (1, 1))
    with pytest.warns(UserWarning, match=r"shape \(3, 6, 7\), the first 2 axes are divided.*axes= says"):
        g.halo(np.zeros((3, 6, 7)), ghosts=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g.halo(np.zeros((3, 6, 7)), ghosts=1, axes=(1, 2))
        g.halo(np.zeros((6, 7, 3)), ghosts=1)
    u = np.zeros((6, 6))
    refused(mpiortho.ERR_MISMATCH, "without ghosts: see ghosts=", g.field_gather, u, np.zeros((4, 4)))
    refused(mpiortho.Error, "(?s)^(?!.*see ghosts=)", g.field_gather, u, np.zeros((3, 3)), ghosts=1)
    refused(mpiortho.Error, "see ghosts=", g.field_scatter, np.zeros((4, 4)), u)
