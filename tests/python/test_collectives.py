# SPDX-License-Identifier: BSD-3-Clause
"""All collectives in three forms: on a graph, on everybody, between two groups; against arithmetic."""

import array as arrays
import warnings
import weakref

import numpy as np
import pytest
from mpi4py import MPI

import mpiortho
from conftest import add, refused

FORMS = ["", "i", "init"]


def call(comm, name, form, *arguments, **more):
    if form == "":
        return getattr(comm, name)(*arguments, **more)
    if form == "i":
        request = getattr(comm, "i" + name)(*arguments, **more)
        request.wait()
        assert request.handle == 0
        return request.result
    request = getattr(comm, name + "_init")(*arguments, **more)
    with request:
        pass
    request.run()
    return request.result


@pytest.fixture(scope="module", params=["torus", "open", "irregular"])
def graph(request, world):
    if request.param == "irregular":
        me, p = world.rank, world.size
        edges = [(s, (s * s + k) % p) for s in range(p) for k in range(1 + s % 2)]
        return mpiortho.dist_graph_adjacent(
            world, [s for s, t in edges if t == me], [t for s, t in edges if s == me]
        )
    return mpiortho.grid(world, (0, 0), periodic=request.param == "torus")


@pytest.mark.parametrize("form", FORMS)
def test_graph(graph, form):
    n_in, n_out, me = graph.n_in, graph.n_out, graph.rank
    ins, _ = graph.neighbors()
    there = np.array([s != MPI.PROC_NULL for s in ins], bool).reshape(-1, 1)
    of = np.array(ins).reshape(-1, 1)
    mine = np.array([me, 10 * me], float)

    def comes(name, send, shape, expected, recv=lambda got: got, **more):
        got = np.full(shape, -1.0)
        call(graph, name, form, send, recv(got), **more)
        assert (got == expected).all(), name

    def at_root(it):
        return it if me == 0 else None

    rows = np.where(there, of * [1.0, 10.0], -1)
    comes("allgather", mine, (n_in, 2), rows)
    comes("allgatherv", mine, (n_in, 2), rows, lambda got: [got, [2] * n_in])
    comes("allgatherw", mine, (n_in, 2), rows, list)
    if isinstance(graph, mpiortho.Grid):  # slot i is paired with slot i
        x = me + np.arange(n_out) * 100.0
        numbers = np.where(there[:, 0], of[:, 0] + np.arange(n_in) * 100, -1)
        comes("alltoall", x, n_in, numbers)
        comes("alltoallv", [x, [1] * n_out], n_in, numbers, lambda got: [got, [1] * n_in, list(range(n_in))])
        middle = np.stack([0 * numbers - 1, numbers, 0 * numbers - 1])
        apart = list(x.reshape(-1, 1))
        comes("alltoallw", apart, (3, n_in), middle, lambda got: [got[1, i : i + 1] for i in range(n_in)])
    total = sum(s for s in ins if s != MPI.PROC_NULL)
    sums = [total, 10 * total] if there.any() else -1
    comes("allreduce", mine, 2, sums)
    comes("reduce_scatter_block", np.tile(mine, (n_out, 1)), 2, sums)
    comes("reduce_scatterv", [np.tile(mine, n_out), [2] * n_out], 2, sums)
    call(graph, "barrier", form)
    comes("reduce", mine, 2, sums if me == 0 else -1, at_root, root=0)
    comes("gather", mine[:1], (n_in, 1), np.where(there, of, -1) if me == 0 else -1, at_root, root=0)
    comes("scatter", at_root(np.full((n_out, 1), 5.0)), 1, 5 if 0 in ins else -1, root=0)
    x = np.full(3, float(me))
    call(graph, "bcast", form, x, root=0)
    assert (x == (0 if 0 in ins else me)).all()
    for name in ("scan", "exscan"):
        error = refused(mpiortho.ERR_UNDEFINED, "meaning on full", call, graph, name, form, mine, np.zeros(2))
        assert isinstance(error, MPI.Exception) and error.error_code


@pytest.mark.parametrize("form", FORMS)
def test_everybody(everybody, form):
    me, p = everybody.rank, everybody.size
    mine = np.array([me, 1], "i4")
    everything = np.stack([np.arange(p), np.ones(p)], 1)
    assert (call(everybody, "allgather", form, mine) == everything).all()
    got = call(everybody, "gather", form, mine, root=p - 1)
    assert got is None if me < p - 1 else (got == everything).all()
    assert (call(everybody, "alltoall", form, np.arange(p) + 10 * me) == np.arange(p) * 10 + me).all()
    assert (call(everybody, "allreduce", form, mine) == everything.sum(0)).all()
    assert float(everybody.allreduce(1.5, op=MPI.MAX)) == 1.5
    assert (call(everybody, "scan", form, mine) == everything[: me + 1].sum(0)).all()
    got = call(everybody, "exscan", form, mine)
    assert me == 0 or (got == everything[:me].sum(0)).all()
    got = call(everybody, "reduce", form, mine, root=0)
    assert got is None if me else (got == everything.sum(0)).all()
    assert (call(everybody, "reduce_scatter_block", form, np.tile(mine, (p, 1))) == everything.sum(0)).all()
    counts = [i % 3 for i in range(p)]
    numbers = np.repeat(np.arange(p), counts)
    got = np.zeros(counts[me], "i8")
    call(everybody, "reduce_scatter", form, np.ones(sum(counts), "i8"), got, counts=counts)
    assert (got == p).all()
    got = np.zeros(sum(counts), "i8")
    call(everybody, "gatherv", form, np.full(counts[me], me), [got, counts] if me == 0 else None, root=0)
    assert me or (got == numbers).all()
    got = np.zeros(counts[me], "i8")
    call(everybody, "scatterv", form, [numbers, counts] if me == 0 else None, got, root=0)
    assert (got == me).all()
    got = np.arange(p, dtype="i8") * (1 if me == 0 else 0)
    call(everybody, "bcast", form, got, root=0)
    assert (got == np.arange(p)).all()
    call(everybody, "barrier", form)


def test_in_place_and_specifications(everybody, world):
    me, p = everybody.rank, everybody.size
    x = np.full(3, me, "f8")
    everybody.allreduce(MPI.IN_PLACE, x)
    assert (x == p * (p - 1) / 2).all()
    y = np.zeros((p, 2))
    y[me] = me
    everybody.allgather(MPI.IN_PLACE, y)
    assert (y == np.arange(p).reshape(p, 1)).all()
    matrix = np.arange(12.0).reshape(3, 4)
    column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
    got = np.zeros((p, 3))
    everybody.allgather([matrix[:, 1], 1, column], got)
    assert (got == matrix[:, 1]).all()
    column.Free()
    numbers, both = arrays.array("i", [me, 7]), bytearray(4 * 2 * p)
    everybody.allgather([numbers, 2, MPI.INT], [both, MPI.INT])
    assert np.frombuffer(both, "i4").reshape(p, 2).tolist() == [[i, 7] for i in range(p)]
    op = MPI.Op.Create(add, commute=True)
    z = np.zeros(2)
    everybody.allreduce(np.ones(2), z, op=op)
    assert (z == p).all()
    op.Free()
    alone = mpiortho.dist_graph_adjacent(MPI.COMM_SELF, [], [])
    alone.alltoallw([x, [], [], []], [z, (), (), ()])  # as many datatypes as blocks
    early = "memory of .* of .* ends early"
    refused(ValueError, early, everybody.allgatherv, np.zeros(2), [np.zeros(2 * p - 1), [2] * p])
    refused(ValueError, early, everybody.bcast, [np.zeros(3), 4, MPI.DOUBLE])
    if p > 1:
        refused(ValueError, "not .* blocks of one size", everybody.alltoall, np.zeros(p + 1), np.zeros(p + 1))
    refused(ValueError, "2 elements, but 3", everybody.allreduce, np.zeros(2), np.zeros(3))
    refused(TypeError, "is of float64, recv of float32", everybody.allreduce, np.zeros(2), np.zeros(2, "f4"))


def test_orders(everybody, ring, world):
    """Elements travel in the order of their indices.  Where they lie in another one, that is said."""
    p, c = world.size, np.arange(6.0).reshape(2, 3)
    f, counts = np.asfortranarray(c), [6] * p
    blocks, into = np.asfortranarray(np.zeros((p, 6))), np.zeros((p, 6))
    for call in (
        lambda: everybody.bcast(f),
        lambda: everybody.allgather(f),
        lambda: everybody.allgather(c, np.zeros((3, 2, p)).T),
        lambda: everybody.gather_init(f),
        lambda: everybody.allgatherv(f, [np.zeros((p, 2, 3)), counts]),
        lambda: everybody.allgatherw(f, [np.zeros((2, 3))] * p),
        lambda: everybody.allreduce(f),
        lambda: everybody.allreduce(c, f),
        lambda: everybody.allreduce(f, f.copy(order="F")),
        lambda: everybody.allreduce(MPI.IN_PLACE, f),
        lambda: everybody.scan(f),
        lambda: ring.alltoall(f),
        lambda: ring.alltoall(np.asfortranarray(f)[:, ::-1].copy(order="F"), np.zeros((2, 3))),
        lambda: ring.ialltoall(c, np.zeros((3, 2)).T),
        lambda: ring.alltoallv([f, [3, 3]], [np.zeros(6), [3, 3]]),
        lambda: ring.reduce_scatter_block(f),
        lambda: ring.allgather_init(np.zeros(6), np.zeros((2, 6))).run(np.zeros(6), np.zeros((6, 2)).T),
        lambda: mpiortho.sparse_alltoallv(everybody, {0: f}, dtype=(float, 3)),
        lambda: mpiortho.Window(ring, f),
    ):
        refused(ValueError, "order F.*permuted.*ascontiguousarray|made for", call)
    if p > 1:
        refused(ValueError, "order F", everybody.alltoall, blocks, into)
    for turned in (c[::-1], c[:, ::2], np.zeros((2, 3, 2))[..., 0]):
        refused(ValueError, "one behind the other", everybody.bcast, turned)
    # Where no axis but one counts, an array has both orders.
    for shape in ((), (1, 1), (1, 6), (6, 1), (1, 6, 1), (0, 3)):
        both = np.full(shape, world.rank + 1.0, order="F")
        everybody.bcast(both)
        assert (both == 1).all()
        assert (everybody.allreduce(np.ones(shape, order="F")) == p).all()
    everybody.bcast(f.T)


def test_orders_that_differ(ring, world):
    """Elements find their places where neighbors have other orders: of listed arrays, ghosts and halos."""
    left, right = (ring.neighbor((step,)) for step in (-1, 1))
    block, m = np.arange(6).reshape(2, 3), mpiortho.index_map(world, 3, [3 * right])
    layouts = (
        lambda: np.zeros((4, 2, 3)),
        lambda: np.zeros((4, 3, 2)).transpose(0, 2, 1),
        lambda: np.zeros((4, 2, 6))[:, :, ::2],
        lambda: np.zeros((4, 2, 3))[:, ::-1, ::-1],
        lambda: np.zeros((4, 2, 3), order="F"),
    )
    for other in layouts:
        a, b = (layout() for layout in ((layouts[0], other) if world.rank % 2 else (other, layouts[0])))
        a[...], b[...] = np.arange(24).reshape(4, 2, 3) + 100 * world.rank, -1
        ring.alltoallw([a[0], a[1]], [b[0], b[1]])
        assert (b[0] == block + 100 * right).all() and (b[1] == 6 + block + 100 * left).all()
        m.ghosts(a).run()
        assert (a[3] == block + 100 * right).all()
        if other in layouts[:2]:
            ring.halo(a, ghosts=1).run()
            assert (a[0] == 12 + block + 100 * left).all()


def test_other_memory_of_a_datatype(ring):
    """A request with a datatype takes arrays that have its memory."""
    matrix, other = np.arange(12.0).reshape(3, 4), np.arange(12.0, 24).reshape(3, 4)
    column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
    got = np.zeros((2, 3))
    request = ring.allgather_init([matrix[:, 1], 1, column], got)
    request.run(other[:, 2], got)
    assert (got == [14, 18, 22]).all()
    rows = ring.allgather_init([matrix[0], 1, column], got)
    rows.run(other[0], got)
    assert (got == [12, 16, 20]).all()
    for request, small in ((request, np.zeros(3)), (rows, np.zeros(4)), (rows, other[1])):
        refused(ValueError, "made for", request.run, small, got)
    request.free(), rows.free(), column.Free()


def test_equal_types_of_a_width(world, monkeypatch):
    """np.longlong is np.int64 where it has as many bits, whichever a process has met first."""
    monkeypatch.setenv("ORTHO_VERIFY", "1")
    first, then = (np.longlong, np.int64) if world.rank == 0 else (np.int64, np.longlong)
    pair = [("a", first), ("b", np.ulonglong if world.rank == 0 else np.uint64)]
    g = mpiortho.grid(world, (0,), periodic=True, stencil=[(-1,), (1,)])
    for dtype in (first, then, pair):
        u = np.zeros(4, dtype)
        g.halo(u, ghosts=1).run()
        for form in ("alltoall", "allgather"):
            getattr(g, form)(np.zeros(2, dtype))
            getattr(g, form + "_init")(np.zeros(2, dtype)).run()
    assert g.allreduce(np.ones(1, first), np.zeros(1, then))[0] == 2


def test_between_two_groups(world):
    if world.size < 2:
        return
    group = world.rank % 2
    half = world.Split(group, world.rank)
    inter = half.Create_intercomm(0, world, 1 - group, 5)
    both = mpiortho.Communicator(inter)
    assert both.topology == mpiortho.INTER
    there = [r for r in range(world.size) if r % 2 != group]
    assert (both.allgather(np.array([world.rank])).ravel() == there).all()
    assert both.allreduce(np.array([world.rank]))[0] == sum(there)
    x = np.zeros(1)
    both.bcast(
        x + 3 if group == 0 and half.rank == 0 else x,
        root=(MPI.ROOT if half.rank == 0 else MPI.PROC_NULL) if group == 0 else 0,
    )
    assert x[0] == (3 if group == 1 else 0)
    assert both.base().size == half.size
    inter.Free()
    half.Free()


def test_other_buffers(ring):
    x, y = np.ones(2), np.zeros((2, 2))
    request = ring.allgather_init(x, y)
    request.run()
    x2, y2 = np.full(2, 2.0), np.zeros((2, 2))
    request.run(x2, y2)
    assert (y == 1).all() and (y2 == 2).all()
    refused(ValueError, "of float32", request.run, x2.astype("f4"), y2)
    refused(ValueError, "made for", request.start, np.ones(1), y2)
    refused(ValueError, "share memory", request.run, y2[0], y2)
    request.free()


def test_several(ring):
    x = np.ones(1)
    results = [np.zeros((2, 1)) for _ in range(4)]
    requests = [ring.allgather_init(x * i, r) for i, r in enumerate(results)]
    mpiortho.startall(requests)
    assert all(r.active for r in requests)
    mpiortho.waitall(requests)
    assert not any(r.active for r in requests) and [r[0, 0] for r in results] == [0, 1, 2, 3]
    mpiortho.runall(requests)
    mpiortho.startall(requests)
    left = set(range(4))
    while left:
        left.remove(mpiortho.waitany(requests))
    mpiortho.startall(requests)
    while not mpiortho.testall(requests):
        pass
    mpiortho.startall(requests[:2])
    done = set()
    while len(done) < 2:
        done |= set(mpiortho.waitsome(requests)) | set(mpiortho.testsome(requests))
    assert mpiortho.waitany(requests) is None
    passing = [ring.iallgather(x, r) for r in results]
    assert mpiortho.waitany(passing) in range(4)
    mpiortho.waitall(passing)
    assert all(r.handle == 0 for r in passing)


@pytest.fixture
def windows(ring):
    try:  # Open MPI 4.1.4 has none on one process with MPI_THREAD_MULTIPLE
        MPI.Win.Create(np.zeros(1), comm=ring.comm).Free()
    except MPI.Exception as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("windows")
def test_windows(ring):
    comm, target, source = ring, ring.neighbor((1,)), ring.neighbor((-1,))
    u = np.zeros(4)
    w = mpiortho.Window(comm, u)
    w.fence()
    w.put(np.array([1.0 + comm.rank]), target, 2)
    w.fence()
    got = np.zeros(1)
    w.get(got, target, 2)
    w.accumulate(np.full(2, 0.5), target, 0)
    w.fence(MPI.MODE_NOSUCCEED)
    assert u[2] == 1 + source and got[0] == 1 + comm.rank
    assert (u[:2] == 0.5).all()
    comm.comm.Barrier()
    w.lock(target)
    before = np.zeros(1)
    w.get_accumulate(np.ones(1), before, target, 3)
    w.flush(target)
    w.fetch_and_op(np.ones(1), before, target, 3)
    w.flush(target, local=True)
    w.rput(np.full(1, 9.0), target, 1).wait()
    w.unlock(target)
    comm.comm.Barrier()
    assert u[3] == 2 and u[1] == 9
    comm.comm.Barrier()
    w.lock_all()
    w.rget(got, target, 1).wait()
    w.raccumulate(np.ones(1), target, 1).wait()
    w.rget_accumulate(np.ones(1), before, target, 0).wait()
    w.flush()
    w.unlock_all()
    comm.comm.Barrier()
    assert got[0] == 9 and u[1] == 10 and u[0] == 1.5
    refused(MPI.Exception, "", w.put, np.ones(1), comm.size, 0)
    huge = np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), ((1 << 32) + 1,))
    refused(OverflowError, "size of array of put=4294967297", w.put, huge, target)
    w.free()
    # MPI_Compare_and_swap of Open MPI 4.1.4 may crash: doc/mpi-bugs.md, 48.
    number = np.zeros(1, "i8")
    counter = mpiortho.Window(comm, number)
    was = np.zeros(1, "i8")
    counter.lock(target, exclusive=True)
    counter.compare_and_swap(np.array([5]), np.array([0]), was, target)
    counter.unlock(target)
    comm.comm.Barrier()
    counter.lock_all()
    counter.sync()
    counter.unlock_all()
    assert number[0] == 5 and was[0] == 0
    counter.free()
    whole = mpiortho.Window.allocate(comm, (2, 2))
    whole.array[...] = 0
    whole.fence()
    whole.put(np.array([[1.0, 2.0], [3.0, 4.0]]), target)
    whole.fence(MPI.MODE_NOSUCCEED)
    assert whole.array.tolist() == [[1, 2], [3, 4]]
    whole.free()


@pytest.mark.usefixtures("windows")
def test_windows_keep_arrays_while_they_are_needed(ring):
    w = mpiortho.Window(ring, np.zeros(4))
    target, source = ring.neighbor((1,)), ring.neighbor((-1,))
    kept = []

    def alive():
        return sum(array() is not None for array in kept)

    def put(to=target, call=w.put):
        array = np.full(1, 9.0)
        kept.append(weakref.ref(array))
        return call(array, to, 1)

    for _ in range(3):
        w.lock(target)
        put()
        assert alive() == 1
        w.unlock(target)
        assert alive() == 0
    for end in (w.flush, w.flush, lambda: w.flush(target), lambda: w.flush(target, local=True), None):
        w.lock_all()
        put()
        transfer = put(call=w.rput)
        if source != target:
            put(source)
        assert alive() == len({target, source}) + 1
        (end or w.unlock_all)()
        transfer.wait()
        del transfer
        assert alive() == (source != target and end not in (w.flush, None))
        w.flush() if end else w.lock_all()
        for is_over in (lambda t: t.wait() is None, lambda t: t.test()):
            transfer = put(call=w.rput)
            while not is_over(transfer):
                pass
            del transfer
            assert alive() == 0
        w.unlock_all()
    w.fence()
    put()
    assert alive() == 1
    w.fence(MPI.MODE_NOSUCCEED)
    assert alive() == 0
    w.free()


def test_names(world):
    g = mpiortho.grid(world, (0, 0), periodic=(True, False), name="the torus")
    p = g.size
    assert g.comm.Get_name() == "the torus"
    assert [g.rank_of(g.coordinates(r)) for r in range(p)] == list(range(p))
    assert (g.rank_of([g.coordinates(r) for r in range(p)]) == range(p)).all()
    assert g.neighbor((0, 1), source=0) == (1 if g.dims[1] > 1 else MPI.PROC_NULL)
    assert g.relative(g.rank, 0) == tuple(
        a if not g.periodic[k] else (a + (g.dims[k] - 1) // 2) % g.dims[k] - (g.dims[k] - 1) // 2
        for k, a in enumerate(g.coords)
    )
    row = g.sub((False, True))
    assert row.size in g.dims
    again = mpiortho.named(g.comm)
    assert again.dims == g.dims and (again.stencil == g.stencil).all()
    assert mpiortho.named(world.Dup()) is None
    point = mpiortho.named(MPI.COMM_SELF.Create_cart([]))
    assert point.dims == point.periodic == point.coords == point.relative(0) == ()
    assert point.rank_of(()) == 0 and point.neighbor(np.zeros((3, 0), int)).tolist() == [0] * 3
    refused(mpiortho.Error, "d = 0", point.halo, np.zeros(3), ghosts=())
    refused(mpiortho.ERR_NAME, "", mpiortho.Grid(world.Dup(), (1,), (False,), None).coordinates, 0)
    refused(ValueError, "", mpiortho.grid, world, (0,), stencil="moor")
    refused(ValueError, "", mpiortho.grid, world, (0, 0), periodic=(True,))


def test_who_is_reduced_over(ring, everybody):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ring.all.sum(1) == everybody.sum(1) == everybody.size
        assert ring.neighbors.sum(1) == ring.neighbors.allreduce(1) == 2
        assert ring.all is ring.all and everybody.all is everybody
        assert ring.all.min(ring.rank) == 0 and ring.all.max(ring.rank) == ring.size - 1
        left, right = ring.neighbors()[0]
        assert ring.neighbors.max(ring.rank) == max(left, right)
        assert everybody.allreduce(1) == everybody.size
    x, y = np.ones(2), np.zeros(2)
    for name, call in {
        "sum": lambda: ring.sum(1),
        "min": lambda: ring.min(1),
        "allreduce": lambda: ring.allreduce(x, y),
        "reduce": lambda: ring.reduce(x, y),
        "iallreduce": lambda: ring.iallreduce(x, y).wait(),
        "allreduce_init": lambda: ring.allreduce_init(x, y).run(),
    }.items():
        with pytest.warns(UserWarning, match=rf"say g.neighbors.{name}, or g.all.{name}"):
            call()
    assert y[0] == 2
    part = mpiortho.grid(MPI.COMM_WORLD, (1,))  # of the first process alone
    assert not part.all if MPI.COMM_WORLD.rank > 0 else part.all.sum(1) == 1
    part.free()
