# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in the memory of a device: of the driver that pretends, or of a card (ORTHO_TEST_DEVICE=1)."""

import ctypes
import os

import numpy as np
import pytest
from mpi4py import MPI

import mpiortho
from conftest import refused

if "pretend" not in os.environ.get("LD_PRELOAD", "") and "ORTHO_TEST_DEVICE" not in os.environ:
    raise RuntimeError("there is no driver: preload tests/pretend.so, or set ORTHO_TEST_DEVICE=1")
cuda = ctypes.CDLL("libcuda.so.1")


@pytest.fixture(scope="module", autouse=True)
def context():
    assert cuda.cuInit(0) == 0
    result = ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(result), 0) == 0
    assert cuda.cuCtxPushCurrent_v2(result) == 0


class Array:
    """As much of CuPy's arrays as is looked at."""

    def __init__(self, values):
        self.shape, self.dtype, self.strides = values.shape, values.dtype, values.strides
        self.order = "F" if values.flags.f_contiguous else "C"
        self.address = ctypes.c_ulonglong()
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(max(values.nbytes, 1))) == 0
        self.set(values)

    def set(self, values):
        data = values.tobytes(self.order)
        assert cuda.cuMemcpyHtoD_v2(self.address, data, ctypes.c_size_t(len(data))) == 0

    def get(self):
        result = np.empty(self.shape, self.dtype, self.order)
        place = ctypes.c_void_p(result.ctypes.data)
        assert cuda.cuMemcpyDtoH_v2(place, self.address, ctypes.c_size_t(result.nbytes)) == 0
        return result

    def __getitem__(self, key):
        return self.get()[key]

    def __setitem__(self, key, value):
        values = self.get()
        values[key] = value
        self.set(values)

    @property
    def __cuda_array_interface__(self):
        data = (self.address.value, False)
        return {"shape": self.shape, "typestr": self.dtype.str, "data": data, "strides": self.strides,
                "version": 3, "stream": 1}  # fmt: skip


@pytest.mark.parametrize("order", ["C", "F"])
def test_ghosts(world, ring, order):
    g = mpiortho.grid(world, (world.size, 1), periodic=True)
    u = Array(np.zeros((6, 7), order=order))
    h = g.halo(u, ghosts=1)
    low, high = ring.neighbors()[1]
    for step in (1, 11, 21):
        u[1:-1, 1:-1] = step + ring.rank
        if step == 1:
            h.start()
            h.wait()
        else:
            h.run()
        assert (u[0] == step + low).all() and (u[-1] == step + high).all()
        assert (u[1:-1] == step + ring.rank).all()
    assert (h.owned() == 21 + ring.rank).all()
    assert repr(h.arrays[0]) == repr(u)
    refused(TypeError, "GPU", lambda: h.arrays[0] + 1)


def test_mosaics():
    """Values that stay as they are go from device to device; signs change by way of the host."""
    comm = MPI.COMM_WORLD
    size = (3 * comm.size, 2)
    patches = [(0, (3 * comm.rank, 0), (3, 2))]
    mosaic = mpiortho.Mosaic(comm, size, [mpiortho.contact_periodic(size, 0)], patches)
    u = Array(np.full((5, 2), 1.0 + comm.rank))
    mosaic.halo([u], ghosts=(1, 0)).run()
    low, high = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    assert (u[0] == 1 + low).all() and (u[1:-1] == 1 + comm.rank).all() and (u[-1] == 1 + high).all()
    u = Array(np.zeros((5, 4)))
    u[1:-1, 1:-1] = 1 + comm.rank
    mosaic.halo([u], ghosts=1, boundary={1: ("edge", "constant")}, value=7).run()
    assert (u[0] == [1 + low] * 3 + [7]).all() and (u[1:-1] == [1 + comm.rank] * 3 + [7]).all()
    fold = [mpiortho.contact_periodic(size, 0), mpiortho.contact_fold(size, pivot="F")]
    x = np.arange(3.0) + 1 + 3 * comm.rank
    u, v = Array(np.zeros((5, 3))), Array(np.zeros((5, 3)))
    u[1:-1, 1], v[1:-1, 1] = x, 10 * x
    mosaic = mpiortho.Mosaic(comm, size, fold, patches)
    stream = Stream("ptr")
    mosaic.halo([u, v], ghosts=(1, (0, 1)), vector=True).run(stream=stream)
    stream.synchronize()
    beyond = -(size[0] + 1 - x)  # the mirrored element, turned
    assert (u[1:-1, 2] == beyond).all() and (v[1:-1, 2] == 10 * beyond).all()


def test_others_and_blocks(ring):
    send, recv = Array(np.arange(2.0) + 10 * ring.rank), Array(np.zeros(2))
    ring.alltoall(send, recv)
    low, high = ring.neighbors()[1]
    received = sorted(recv.get())
    assert received == sorted([10 * low + 1.0, 10.0 * high]) or ring.size < 3
    assert sorted(ring.alltoall(send)) == received  # what is left out lies with the host


class Stream:
    """One of CuPy's, as much of it as is looked at; or, by another name of its handle, of PyTorch or Numba."""

    def __init__(self, name):
        self.place = ctypes.c_void_p()
        assert cuda.cuStreamCreate(ctypes.byref(self.place), 1) == 0
        setattr(self, name, (lambda: (0, self.place.value)) if name == "__cuda_stream__" else self.place.value)

    def fill(self, array, value):
        n = ctypes.c_size_t(array.get().size)
        assert cuda.cuMemsetD32Async(array.address, value, n, self.place) == 0

    def copy(self, source, target):
        n = ctypes.c_size_t(source.get().nbytes)
        assert cuda.cuMemcpyDtoDAsync_v2(target.address, source.address, n, self.place) == 0

    def synchronize(self):
        assert cuda.cuStreamSynchronize(self.place) == 0


@pytest.mark.parametrize("name", ["ptr", "cuda_stream", "handle", "__cuda_stream__", "int"])
def test_streams(ring, name):
    n, steps = 1000, 20
    shape = (2, n)
    send, recv = Array(np.zeros(shape, np.int32)), Array(np.zeros(shape, np.int32))
    results = [Array(np.zeros(shape, np.int32)) for _ in range(steps)]
    stream = Stream(name)
    given = stream.place.value if name == "int" else stream
    exchange = ring.alltoall_init(send, recv)
    for step in range(steps):
        stream.fill(send, 100 * step + ring.rank)
        if step % 2 == 0:
            exchange.start(stream=given)
            exchange.wait(stream=given)
        else:
            exchange.run(stream=given)
        stream.copy(recv, results[step])
    stream.synchronize()
    for step, result in enumerate(results):
        low, high = ring.neighbors()[1]
        assert set(result.get().ravel()) == {100 * step + low, 100 * step + high}
    exchange.run(stream=None)
    exchange.start(send, recv, stream=0)
    exchange.wait(stream=0)
    refused(TypeError, "stream='first' is a str", exchange.run, stream="first")
    refused(TypeError, "streams", exchange.run, streams=given)
    refused(TypeError, "", exchange.wait, 1)


def test_refused():
    g = mpiortho.grid(MPI.COMM_SELF, (1,), periodic=True)
    refused(TypeError, "GPU", mpiortho.Window, g, Array(np.zeros(2)))
