# SPDX-License-Identifier: BSD-3-Clause
"""Requests keep their arrays; del, garbage collection, exceptions, threads, fork() while one is active."""

import gc
import os
import subprocess
import sys
import textwrap
import time
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from mpi4py import MPI

import mpiortho
from conftest import add, frozen, refused
from mpiortho._library import unfinished


class Watched(np.ndarray):
    """An array that weak references tell of."""


def watched(n):
    return np.zeros(n).view(Watched)


with_threads = pytest.mark.skipif(
    MPI.Query_thread() < MPI.THREAD_MULTIPLE, reason="MPI_THREAD_MULTIPLE is not provided"
)


@pytest.fixture
def g(world):
    return mpiortho.grid(world, (0,), periodic=True)


@pytest.mark.parametrize("kind", ["halo_reduce", "alltoall", "index map", "mosaic"])
def test_requests_keep_both_arrays(g, kind):
    """The values that arrive are right although nothing else refers to the arrays."""
    p, r = g.comm.size, g.comm.rank
    u, v = watched(4), watched(4)
    u[:], v[:] = r + 1, -1
    there = [weakref.ref(u)]
    if kind == "halo_reduce":
        request = g.halo_reduce(u, ghosts=1)
    elif kind == "alltoall":
        request = g.alltoall_init(u.reshape(g.n_out, -1), v.reshape(g.n_in, -1))
        there.append(weakref.ref(v))
    elif kind == "index map":
        request = mpiortho.IndexMap(g.comm, 3, owners=[(r + 1) % p], indices=[0]).ghosts(u)
    else:
        mosaic = mpiortho.Mosaic(g.comm, [4 * p], patches=[(0, [4 * r], [4])])
        request = mosaic.halo([[u]], ghosts=0)
    del u, v
    gc.collect()
    junk = [np.full(4, 1000.0) for _ in range(1000)]
    request.run()
    assert all(reference() is not None for reference in there) and len(junk) == 1000
    if kind == "halo_reduce":
        assert there[0]()[1] == r + 1 + (r - 1) % p + 1
    elif kind == "alltoall":
        assert set(there[1]()) == {(r - 1) % p + 1.0, (r + 1) % p + 1.0}
    elif kind == "index map":
        assert there[0]()[3] == (r + 1) % p + 1
    request.free()
    del request
    gc.collect()
    assert all(reference() is None for reference in there)


@pytest.mark.parametrize("kind", ["halo", "index map", "mosaic", "allreduce"])
def test_free_lets_arrays_go(kind):
    comm = MPI.COMM_SELF
    g, m = mpiortho.grid(comm, (1,), periodic=True), mpiortho.index_map(comm, 2, [0, 1])
    mosaic = mpiortho.Mosaic(comm, (2,), patches=[(0, (0,), (2,))])
    make = {
        "halo": lambda u: g.halo(u, ghosts=1),
        "index map": m.ghosts,
        "mosaic": lambda u: mosaic.halo(u, ghosts=1),
        "allreduce": lambda u: g.neighbors.allreduce_init(MPI.IN_PLACE, u),
    }[kind]
    u, v = watched(4), watched(4)
    there = [weakref.ref(u), weakref.ref(v)]
    h = make(u)
    for array in (u, v):
        h.run(*([MPI.IN_PLACE] if kind == "allreduce" else []), array)
    if kind != "allreduce":
        h.T.run()
    del u, v, array
    h.free()
    gc.collect()
    assert all(reference() is None for reference in there)
    refused(mpiortho.Error, "", h.run)
    if kind != "allreduce":
        assert h.arrays == ()
        refused(ValueError, "freed", lambda: h.T)


@pytest.mark.parametrize("cycle", [False, True])
def test_given_up_while_active(g, cycle):
    for i in range(5):
        u = np.full(1005, float(i))
        h = g.halo(u, ghosts=1)
        if cycle:
            h.itself = h
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            h.start()
            del u, h
            gc.collect()
        assert [w.category for w in told] == [ResourceWarning]
        # (Weak references are cleared before the cycle is broken up.)
        assert any((entry[1][0] == i).all() for entry in unfinished)
    g.comm.Barrier()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        g.iallgather(np.ones(1), np.zeros((g.n_in, 1)))
    end = time.monotonic() + 60
    while unfinished and time.monotonic() < end:
        mpiortho.progress()
    assert unfinished == []


def test_an_exception_while_active(g):
    u = g.zeros(3, ghosts=1)
    h = g.halo(u, ghosts=1)
    h.owned()[...] = g.rank
    with pytest.raises(ZeroDivisionError):
        with h:
            assert h.active
            1 / 0
    assert not h.active and u[0] == g.neighbor((-1,))
    with pytest.raises(KeyError):
        with g.iallgather(np.ones(1), np.zeros((g.n_in, 1))) as r:
            raise KeyError
    assert not r.active and r.handle == 0
    h.run()


def test_misuse(g):
    h = g.halo(np.zeros(5), ghosts=1)
    h.wait()
    assert h.test()
    h.start()
    refused(MPI.ERR_REQUEST, "", h.start)
    refused(mpiortho.Error, "under way", h.run, np.zeros(5))
    h.wait()
    h.free()
    h.free()
    refused(mpiortho.Error, "", h.run)


@with_threads
def test_threads(world):
    def work(g):
        u, v = g.zeros(10, ghosts=1), g.zeros(10, ghosts=1)
        h, wrong = g.halo(u, ghosts=1), []
        for step in range(50):
            for a in (u, v):
                a[1:-1] = g.rank + 10 * step
                h.run(a)
                wrong.append(a[0] != g.neighbor((-1,)) + 10 * step)
            wrong.append(g.neighbors.allreduce(np.ones(1), np.zeros(1))[0] != 2)
        return any(wrong)

    with ThreadPoolExecutor(3) as pool:
        grids = [mpiortho.grid(world.Dup(), (0,), periodic=True) for _ in range(3)]
        assert list(pool.map(work, grids)) == [False] * 3


@with_threads
def test_an_operator_of_pythons_in_another_thread(world, everybody):
    """It needs Python, while another thread waits in the library."""
    other = mpiortho.Communicator(world.Dup())
    op = MPI.Op.Create(add, commute=True)
    x, y = np.ones(3), np.zeros(3)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: [other.allreduce(x, y, op=op) for _ in range(20)])
        for _ in range(20):
            everybody.barrier()
    assert (y == world.size).all()
    op.Free()


def run(code):
    # Not another job of the launcher's.
    others = ("OMPI_COMM", "OMPI_MCA_ess", "OMPI_MCA_orte", "PMIX", "PMI_", "PMI2", "PRTE_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(others)}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=100)


def test_roots_that_are_only_read(everybody):
    x, ones = np.zeros(2), frozen(np.ones(2))
    everybody.bcast_init(x).run(x)  # which is an operation of MPI's own, with its own buffer
    bcast = everybody.bcast_init(x, info={"ortho_rebind": "true"})
    bcast.run(ones if everybody.rank == 0 else x)
    assert everybody.rank == 0 or (x == 1).all()
    if everybody.rank > 0:
        refused(ValueError, "read-only", bcast.run, ones)


class Moving:
    """An object whose memory moves, as that of PyTorch's tensors does."""

    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


@pytest.mark.parametrize("kind", ["halo", "index map", "pair", "mosaic", "patches", "alltoall"])
def test_arrays_that_have_changed(kind):
    """An array is looked at in each call: it may lie elsewhere, have another shape, or be read-only now."""
    comm = MPI.COMM_SELF
    g, sizes = mpiortho.grid(comm, (1,), periodic=True), (3,)
    m = mpiortho.index_map(comm, 3, [2, 0] if kind == "index map" else [0, 1, 2])
    patches = [(0, (0,), sizes)] if kind == "mosaic" else [(0, (0,), (1,)), (0, (1,), (2,))]
    mosaic = mpiortho.Mosaic(comm, sizes, [mpiortho.contact_periodic(sizes, 0)], patches)
    one = np.array([9.0, 0, 9])
    two = one[1:]
    # The array's elements before and after, the operation, and its arguments.
    before, after, make, given = {
        "halo": ([9, 0, 1, 2, 9], [2, 0, 1, 2, 0], lambda u: g.halo(u, ghosts=1), lambda u: (u,)),
        "index map": ([0, 1, 2, 9, 9], [0, 1, 2, 2, 0], m.ghosts, lambda u: (u,)),
        "pair": ([9, 9, 9], [9, 0, 9], lambda u: m.ghosts((one, u)), lambda u: ((one, u),)),
        "mosaic": ([9, 0, 1, 2, 9], [2, 0, 1, 2, 0], lambda u: mosaic.halo(u, 1), lambda u: (u,)),
        "patches": ([9, 1, 2, 9], [0, 1, 2, 0], lambda u: mosaic.halo([[one, u]], 1), lambda u: ([one, u],)),
        "alltoall": ([9, 9], [0, 9], lambda u: g.alltoall_init(two, u), lambda u: (two, u)),
    }[kind]
    a, b, c = (np.array(before, float) for _ in range(3))
    h, moving = make(a), Moving(b)
    for array in (b, c):
        moving.array = array
        one[:] = 9, 0, 9
        h.run(*given(moving))
        assert array.tolist() == after
        array[:] = -1
    assert (b == -1).all()
    h.run(*given(a))
    a.flags.writeable = False
    refused(ValueError, "read-only", h.run, *given(a))
    h.run(*given(c))
    c.shape = (1, *c.shape)
    if kind != "alltoall":  # which takes any shape
        refused(ValueError, "shape", h.run, *given(c))
    a.flags.writeable = True
    a.shape = c.shape
    h.run(*given(b))  # which has the shape that the array had
    h.run(*given(b))


PROGRAMS = {
    # Requests live, are active, or were given up when Python ends.
    "end": """
        warnings.simplefilter("ignore")
        idle, active, lost = (g.halo(np.zeros(100000), ghosts=1) for _ in range(3))
        active.start()
        lost.start()
        del lost
        late = g.iallgather(np.ones(1), np.zeros((2, 1)))
        print("end")
        """,
    "fork told": """
        h = g.halo(np.zeros(5), ghosts=1)
        h.start()
        child = os.fork()
        if child == 0:
            try:
                h.wait()
            except RuntimeError as error:
                del h
                os._exit(7 if "fork" in str(error) else 1)
            os._exit(2)
        status = os.waitpid(child, 0)[1]
        h.wait()
        print("fork told" if os.WEXITSTATUS(status) == 7 else status)
        """,
    # MPI would end the program.
    "2 errors": """
        MPI.Finalize()
        errors = []
        for call in (lambda: g.halo(np.zeros(4), ghosts=1), lambda: g.allreduce(1.0)):
            try:
                call()
            except (RuntimeError, mpiortho.Error) as error:
                errors += ["or after MPI_Finalize" in str(error)]
        print(sum(errors), "errors")
        """,
}


@pytest.mark.parametrize("last", PROGRAMS)
def test_programs(world, last):
    begin = """
        import os, warnings
        import numpy as np, mpiortho
        from mpi4py import MPI
        g = mpiortho.grid(MPI.COMM_SELF, (1,), periodic=True)
        """
    if world.rank == 0:
        result = run(begin + PROGRAMS[last])
        assert result.returncode == 0 and result.stdout == last + "\n", result


def test_the_wrong_library(world):
    """What does not fit is an ImportError that says what to do."""
    if world.rank > 0:
        return
    moved = """
        import importlib.util, os, runpy, sys, tempfile, types
        from mpi4py import MPI
        [folder] = importlib.util.find_spec("mpiortho").submodule_search_locations
        [(family, right)] = runpy.run_path(folder + "/_installed.py")["LIBRARIES"].items()
        installed = sys.modules["mpiortho._installed"] = types.ModuleType("mpiortho._installed")
        with tempfile.TemporaryDirectory() as prefix:
            other = "abi" if family != "abi" else "mpich"
            for name in (family, other):
                os.makedirs(f"{prefix}/mpiortho-{name}")
            os.symlink(right, f"{prefix}/mpiortho-{family}/{os.path.basename(right)}")
            installed.LIBRARIES = {other: f"{prefix}/mpiortho-{other}/{os.path.basename(right)}"}
            import mpiortho
            print(mpiortho.Communicator(MPI.COMM_SELF).size)
        """
    result = run(moved)  # the library for this MPI came later, into the same prefix
    assert result.returncode == 0 and result.stdout == "1\n", result
    result = run("import os; os.environ['MPIORTHO_LIBRARY'] = '/nowhere.so'; import mpiortho")
    assert (
        "ImportError: mpiortho: mpi4py has loaded" in result.stderr
        and "there is no /nowhere.so" in result.stderr
        and "--force-reinstall --no-cache-dir --no-deps --no-binary mpi4py mpi4py" in result.stderr
    )
