# SPDX-License-Identifier: BSD-3-Clause
"""Index maps and sparse exchanges, against what everybody would tell everybody."""

import gc

import numpy as np
import pytest
from mpi4py import MPI

import mpiortho
from conftest import frozen, refused

ELEMENTS = ["f8", "i2", "c16", "S3", [("a", "f4"), ("b", "i8", (2,))]]


def random_map(world, rng, most=9):
    """What each process owns, and which ghosts it has; all processes draw the same."""
    owned = rng.integers(0, most, world.size)
    owned[rng.integers(world.size)] += 1
    ghosts = [rng.integers(0, owned.sum(), rng.integers(0, most)) for _ in range(world.size)]
    return owned, ghosts


def values(numbers, shape, dtype):
    """Elements that tell their numbers."""
    dtype = np.dtype(dtype)
    inner = int(np.prod(shape))
    flat = np.asarray(numbers)[:, None] * 10 + np.arange(inner)
    result = np.zeros((len(numbers), inner), dtype)
    if dtype.names is None:
        result[...] = flat.astype(dtype)
    else:
        result["a"], result["b"] = flat, flat[..., None]
    return result.reshape(len(numbers), *shape)


def create(world, how, owned, ghosts):
    first = np.concatenate([[0], np.cumsum(owned)])
    mine, numbers = owned[world.rank], ghosts[world.rank]
    if how == "numbers":
        return mpiortho.index_map(world, mine, numbers)
    owners = np.searchsorted(first, numbers, "right") - 1
    return mpiortho.index_map(world, mine, owners=owners.tolist(), indices=numbers - first[owners])


def test_ids_in_any_order(world):
    p, me = world.size, world.rank
    n = 4
    ids = 2**62 + np.random.default_rng(7).permutation(n * p) * 1_000_000_007  # the same on all processes
    ghosts = np.arange(n * p)[::-1]
    m = mpiortho.index_map(world, n, ids[ghosts], ids=ids[n * me : n * me + n])
    u, v = m.zeros(), m.zeros(3)
    u[:n] = v[:n, 1] = n * me + np.arange(n)
    m.ghosts(u, v).run()
    assert (u[n:] == ghosts).all() and (v[n:, 1] == ghosts).all()
    u[...] = v[...] = 1
    m.ghosts_reduce(u, v).run()  # of one number each, and of three
    assert (u[:n] == 1 + p).all() and (v[:n] == 1 + p).all()
    mine = mpiortho.Communicator(world)
    last = me == p - 1
    ten = 10 * me + 10
    twice = r"id 10 is owned twice: ids\[0\] on rank 0 and ids\[1\] on rank"
    for error, words, owned, ghosts, ids in (
        (mpiortho.Error, r"ghost_ids\[0\]: id 5 is owned by no process", 1, [5 if last else 10], [ten]),
        (mpiortho.Error, twice, 2, [], [ten, 10 if last else ten + 1]),
        (mpiortho.Error, r"ids\[0\] = -1 is negative", 1, [], [-1 if last else me]),
        (ValueError, "2 ids of 3 owned elements", 3, [], [1, 2]),
    ):
        refused(error, words, mpiortho.index_map, mine, owned, ghosts, ids=ids)
    both = {"owners": [], "indices": [], "ids": [1]}
    refused(TypeError, "ids, or owners and indices", mpiortho.index_map, mine, 1, **both)


@pytest.mark.parametrize("round", range(40))
def test_ghosts(world, round):
    rng = np.random.default_rng(round)  # the same on all processes
    how = ["numbers", "owners"][round % 2]
    dtype = ELEMENTS[rng.integers(len(ELEMENTS))]
    shape = tuple(rng.integers(1, 4, rng.integers(0, 3)).tolist())
    layout = ["one", "pair", "strided", "fortran", "inner"][rng.integers(5)]
    check_ghosts(world, rng, how, dtype, shape, layout)


def lay(layout, n, more, shape, dtype):
    """A field, what its process owns, and its ghosts."""
    if layout == "pair":
        owned, ghosts = np.zeros((n, *shape), dtype), np.zeros((more, *shape), dtype)
        return (owned, ghosts), owned, ghosts
    whole = (n + more, *shape)
    if layout == "strided":
        both = np.zeros((2 * (n + more) + 1, *shape), dtype)[1::2]
    elif layout == "inner":
        both = np.zeros((*whole, 2), dtype)[..., 1]
    else:
        both = np.zeros(whole, dtype, order="F" if layout == "fortran" else "C")
    return both, both[:n], both[n:]


def check_ghosts(world, rng, how, dtype, shape, layout):
    owned, ghosts = random_map(world, rng)
    first = owned[: world.rank].sum()
    n, numbers = owned[world.rank], ghosts[world.rank]
    m = create(world, how, owned, ghosts)
    assert (m.owned, m.n_ghosts) == (n, len(numbers))
    field, mine, theirs = lay(layout, n, len(numbers), shape, dtype)
    other, other_mine, other_theirs = lay(layout, n, len(numbers), shape, dtype)
    h = m.ghosts(field, m.zeros())
    mine[...] = values(first + np.arange(n), shape, dtype)
    with h:
        pass
    assert (theirs == values(numbers, shape, dtype)).all()
    other_mine[...] = values(first + np.arange(n) + 1, shape, dtype)
    h.run(other, m.zeros())
    assert (other_theirs == values(numbers + 1, shape, dtype)).all()
    assert (theirs == values(numbers, shape, dtype)).all()
    for element in range(n):
        holders = [(r, g) for r, of in enumerate(ghosts) for g, e in enumerate(of) if e == first + element]
        assert m.holders(element) == holders
    first_of = np.concatenate([[0], np.cumsum(owned)])
    partners = sorted({int(r) for r in np.searchsorted(first_of, numbers, "right") - 1})
    assert m.graph().neighbors()[0] == partners


@pytest.mark.parametrize("how", ["numbers", "owners"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
@pytest.mark.parametrize("op", [MPI.SUM, MPI.MAX])
def test_reductions(world, how, shape, op):
    owned, ghosts = random_map(world, np.random.default_rng(len(shape)))
    first, n, numbers = owned[: world.rank].sum(), owned[world.rank], ghosts[world.rank]
    m = create(world, how, owned, ghosts)
    field, mine, theirs = lay("pair", n, len(numbers), shape, float)
    mine[...], theirs[...] = values(first + np.arange(n), shape, float), values(numbers, shape, float) + 1
    before = theirs.copy()
    m.ghosts_reduce(field, op=op).run()
    expected = values(np.arange(owned.sum()), shape, float)
    for number in np.concatenate(ghosts):
        one = values([number], shape, float)[0]
        expected[number] = expected[number] + one + 1 if op == MPI.SUM else one + 1
    assert (mine == expected[first : first + n]).all() and (theirs == before).all()


@pytest.mark.parametrize("layout", ["one", "pair"])
def test_the_adjoint(world, layout):
    rng = np.random.default_rng(7)
    owned, ghosts = random_map(world, rng)
    n, more = owned[world.rank], len(ghosts[world.rank])
    m = create(world, "numbers", owned, ghosts)
    rng = np.random.default_rng(world.rank)
    field, mine, theirs = lay(layout, n, more, (2,), float)
    h = m.ghosts(field)
    assert h.T.T is h
    x, y = rng.random((n, 2)), rng.random((n + more, 2))
    mine[...], theirs[...] = x, 0
    h.run()
    left = world.allreduce((mine * y[:n]).sum() + (theirs * y[n:]).sum())
    mine[...], theirs[...] = y[:n], y[n:]
    h.T.run()
    right = world.allreduce((x * mine).sum())
    assert abs(left - right) < 1e-12 * max(abs(left), 1) and (theirs == 0).all()
    r = m.ghosts_reduce(field)
    refused(TypeError, "no adjoint", lambda: r.T)


def test_a_map_and_its_graph_live_on(world):
    right, comm = (world.rank + 1) % world.size, world.Dup()
    m = mpiortho.index_map(comm, 2, owners=[right], indices=[1])
    comm.Free()
    u, v = m.zeros(), m.zeros(3) + 1
    graph, h = m.graph(), m.ghosts(u)
    m.ghosts_reduce(v).run()
    assert (v[1] == 2).all()
    m.free()
    refused(mpiortho.Error, "no index map", m.ghosts, u)
    del m
    gc.collect()
    u[:2] = world.rank
    h.run()
    assert u[2] == right
    del h
    again = mpiortho.index_map(mpiortho.Communicator(world), 1, [])
    graph = again.graph()
    del again
    gc.collect()
    assert graph.n_in == 0 and graph.neighbors.allreduce(1.0) == 0


def test_what_index_maps_refuse(world):
    mine = MPI.COMM_SELF
    for arguments, more, error, words in [
        ((2,), {}, TypeError, "either numbers, or owners and indices"),
        ((2, [0]), {"owners": [0], "indices": [0]}, TypeError, "either numbers"),
        ((2,), {"owners": [0]}, TypeError, "either numbers"),
        ((2, [0.5]), {}, TypeError, "no list of integers"),
        ((2, [[0]]), {}, TypeError, "no list of integers"),
        ((2,), {"owners": [0, 0], "indices": [0]}, ValueError, "2 owners of 1 indices"),
        ((2,), {"owners": [2**32], "indices": [0]}, OverflowError, "int"),
        ((2, [2]), {}, mpiortho.Error, "none of 2 elements"),
        ((2,), {"owners": [1], "indices": [0]}, mpiortho.Error, "no rank"),
        ((-1, []), {}, mpiortho.Error, "negative"),
    ]:
        refused(error, words, mpiortho.index_map, mine, *arguments, **more)
    m = mpiortho.index_map(mine, 2, [1])
    for fields, error, words in [
        ((), TypeError, "no field"),
        ((np.zeros(2),), ValueError, "2 owned elements and 1 ghosts"),
        (((np.zeros(2), np.zeros(2)),), ValueError, "ghosts of field 0 has shape"),
        (((np.zeros(2),),), TypeError, "pair"),
        (((np.zeros(2), np.zeros(1, "f4")),), ValueError, "not laid out"),
        (((np.zeros((2, 3)), np.zeros((1, 2))),), ValueError, "not laid out"),
        ((frozen(np.zeros(3)),), ValueError, "read-only"),
        ((np.zeros(3)[::-1],), ValueError, "backwards"),
        ((m.zeros(), [0.0] * 3), TypeError, "pair"),
        ((np.ma.zeros(3),), TypeError, "masked"),
    ]:
        refused(error, words, m.ghosts, *fields)
    u = m.zeros()
    refused(ValueError, "field 0 and field 1 share memory", m.ghosts, u, u)
    refused(ValueError, "one behind the other", m.ghosts_reduce, np.zeros((3, 2))[:, 0])
    refused(TypeError, "do not know", m.ghosts_reduce, m.zeros(dtype="S3"))
    h = m.ghosts(u)
    refused(ValueError, "made for shape", h.run, m.zeros(dtype="f4"))
    refused(ValueError, "2 fields are given", h.run, u, m.zeros())
    refused(ValueError, "missing|made for", h.run, (np.zeros(2), np.zeros(1)))
    m.ghosts((np.zeros(2), np.zeros(1))).run()
    refused(mpiortho.Error, "none of 2 owned", m.holders, 2)


def expected_blocks(world, send):
    """By all to all: what comes to this process from everybody, in their order."""
    everything = world.allgather(send)
    return [(s, block) for s, of in enumerate(everything) for t, block in of if t == world.rank]


@pytest.mark.parametrize("starts", [False, True])
@pytest.mark.parametrize("dtype", ["f8", ("f4", 3), [("x", "f8", 2), ("name", "S3")], "U2"])
def test_sparse_exchanges(world, starts, dtype):
    rng = np.random.default_rng(world.rank)
    dtype = np.dtype(dtype)
    for round in range(4):
        send = []
        for _ in range(rng.integers(0, 5) if round else 0):
            n = int(rng.integers(0, 4))
            block = np.frombuffer(rng.bytes(n * dtype.itemsize), np.uint8) % 64
            block = (
                np.frombuffer(block.tobytes(), np.dtype([("it", dtype)]))["it"] if n else np.zeros(0, dtype)
            )
            if dtype.kind == "U":
                block = rng.integers(0, 9, n).astype(dtype)
            send.append((int(rng.integers(world.size)), np.ascontiguousarray(block)))
        if starts:
            request = mpiortho.isparse_alltoallv(world, send, dtype)
            request.wait()
            got = request.result
        else:
            got = mpiortho.sparse_alltoallv(world, iter(send), dtype)
        wanted = expected_blocks(world, send)
        assert [source for source, _ in got] == [source for source, _ in wanted]
        for (_, a), (_, b) in zip(got, wanted):
            assert a.dtype == dtype.base and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_sparse_exchanges_as_written(world):
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    moved = np.full((2, 3), float(world.rank))
    got = dict(mpiortho.sparse_alltoallv(world, {right: moved, MPI.PROC_NULL: moved}, dtype=(float, 3)))
    assert list(got) == [left] and (got[left] == left).all()
    requests = [mpiortho.isparse_alltoallv(world, {right: np.full(i, i)}, dtype=int) for i in range(3)]
    mpiortho.waitall(requests)
    assert [r.result[0][1].tolist() for r in requests] == [[], [1], [2, 2]]
    # Nobody looks at what has come.
    mpiortho.isparse_alltoallv(world, {right: moved}, dtype=(float, 3)).wait()
    refused(mpiortho.Error, "no rank", mpiortho.sparse_alltoallv, world, {world.size: np.zeros(1)})
    mine = MPI.COMM_SELF
    for blocks, more, error, words in [
        ({0: np.zeros(2, "i4")}, {}, TypeError, "dtype int32, but elements are float64"),
        ({0: np.zeros(2)}, {"dtype": (float, 2)}, TypeError, "shape"),
        ({0: np.zeros(())}, {}, TypeError, "shape"),
        ({0: np.zeros((2, 2))[:, 0]}, {}, ValueError, "one behind the other"),
        ({0: [1.0]}, {}, TypeError, "is a list"),
        ({2**32: np.zeros(1)}, {}, OverflowError, "int"),
    ]:
        refused(error, words, mpiortho.sparse_alltoallv, mine, blocks, **more)


@pytest.mark.parametrize("how", ["waitall", "testall", "waitany", "testany", "waitsome", "testsome"])
def test_one_fails_among_several(world, ring, how):
    """The others are told what has become of them, and then the error is raised."""
    left, right = ring.neighbors()[1]
    u = ring.zeros(3, ghosts=1)
    bad = [mpiortho.isparse_alltoallv(world, [(right, np.zeros(3, np.int8))], dtype="i1") for _ in range(2)]
    good = mpiortho.isparse_alltoallv(world, [(right, np.full(2, 7.0))])
    halo = ring.halo(u, ghosts=1)
    u[1:-1] = world.rank
    halo.start()
    for request in bad:
        request._sparse.dtype = np.dtype("f8")
    several, errors = [*bad, good, halo], 0
    while any(request.active for request in several):
        try:
            getattr(mpiortho, how)(several)
        except ValueError as error:
            assert "3 bytes have come" in str(error)
            errors += 1
    assert errors >= 1 and all(request.handle == 0 for request in [*bad, good])
    assert good.result[0][1].tolist() == [7, 7] and u[0] == left
    halo.run()


def test_graphs_from_targets(world):
    me, p = world.rank, world.size
    targets = [(me + k) % p for k in range(1 + me % 2)] + [MPI.PROC_NULL]
    g = mpiortho.dist_graph_from_targets(world, targets, weights=[me + 1] * len(targets))
    sources = [s for s in range(p) for k in range(1 + s % 2) if (s + k) % p == me]
    assert g.neighbors() == (sources, targets)
    assert g.weights()[0] == [s + 1 for s in sources]
    assert g.neighbors.allreduce(1.0) == len(sources)
