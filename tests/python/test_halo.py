# SPDX-License-Identifier: BSD-3-Clause
"""Ghosts have what the global array has there, whatever arrays are like."""

import itertools

import numpy as np
import pytest
from mpi4py import MPI

import mpiortho
from conftest import frozen, padded, refused


def around(g, owned, widths):
    """What a process has of the global array with its ghosts."""
    return tuple(slice(n * c, n * (c + 1) + sum(w)) for n, c, w in zip(owned, g.coords, widths))


def numbers(g, shape, ghosts):
    """Of each element of the local array: its number in the global array, or -1 where the grid ends."""
    sizes = [n * m for n, m in zip(g.dims, shape)]
    whole, ends = np.arange(float(np.prod(sizes))).reshape(sizes), [("constant",) * 2] * len(sizes)
    wide = padded(whole, ghosts, g.periodic, ends, None, [(-1, -1)] * len(sizes))
    return wide[around(g, shape, ghosts)]


def is_ghost(shape, ghosts):
    result = np.ones(tuple(n + sum(w) for n, w in zip(shape, ghosts)), bool)
    result[tuple(slice(w[0], w[0] + n) for n, w in zip(shape, ghosts))] = False
    return result


def layouts(shape, dtype=float):
    """Arrays of one shape in many layouts."""
    wide = tuple(2 * n + 1 for n in shape)
    yield np.zeros(shape, dtype)
    yield np.zeros(shape, dtype, order="F")
    yield np.zeros(wide, dtype)[tuple(slice(1, None, 2) for _ in shape)]
    yield np.zeros(shape, dtype)[tuple(slice(None, None, -1) for _ in shape)]
    yield np.zeros(shape[::-1], dtype).transpose()
    yield np.zeros(shape, [("before", "i2"), ("value", dtype), ("behind", "i1")])["value"]


@pytest.mark.parametrize("periodic", [(True, False), (False, False), (True, True)])
@pytest.mark.parametrize("ghosts", [1, 2, ((1, 2), 2), ((0, 1), (2, 0)), (0, 1)])
def test_every_layout(world, periodic, ghosts):
    g = mpiortho.grid(world, (0, 0), periodic=periodic)
    pairs = [
        (w, w) if isinstance(w, int) else w for w in ((ghosts,) * 2 if isinstance(ghosts, int) else ghosts)
    ]
    shape = (4, 3)
    expected = numbers(g, shape, pairs)
    ghost = is_ghost(shape, pairs)
    for array in layouts(expected.shape):
        array[...] = np.where(ghost, -1, expected)
        h = g.halo(array, ghosts=ghosts)
        h.run()
        assert (array == expected).all()
        array[...] = np.where(ghost, -1, expected)
        with h:
            pass
        assert (array == expected).all()


@pytest.mark.parametrize("inner", [(3,), (2, 1, 3)])
def test_further_axes_need_no_axes(world, inner):
    """The first axes lie along the grid, as in Grid.zeros."""
    g = mpiortho.grid(world, (0, 0), periodic=(True, False))
    u, v = (g.zeros((4, 3, *inner), ghosts=2) for _ in range(2))
    rows = numbers(g, (4, 3), [(2, 2)] * 2)
    for array in (u, v):
        array[2:-2, 2:-2] = rows[2:-2, 2:-2].reshape(4, 3, *[1] * len(inner)) + np.arange(inner[-1]) / 10
    g.halo(u, ghosts=2).run()
    g.halo(mpiortho.Field(v, ghosts=2, axes=(0, 1))).run()
    assert (u == v).all()
    filled = rows >= 0
    assert (u[filled][..., 0] == rows[filled].reshape(-1, *[1] * (len(inner) - 1))).all()
    g.halo_reduce(u, ghosts=2).run()


def test_a_named_communicator(world):
    comm = world.Dup()
    dims = mpiortho.dims_create(comm, (0, 0))
    for regions in (None, {"ortho_regions": "faces"}):
        g = mpiortho.name(comm, dims, periodic=True)
        u = np.full((4, 4), -1.0)
        h = g.halo(u, ghosts=1, info=regions)
        h.owned()[...] = g.rank
        h.run()
        assert u[0, 1] == g.neighbor((-1, 0))
        assert u[0, 0] == (-1 if regions else g.neighbor((-1, -1)))
        assert len(h.filled()) == (4 if regions else 8) and h.unfilled() == []
    comm.Free()


FIELDS = {
    **{name: name for name in ("i1", "u2", "f4", "c16", "?", "f2", "M8[s]", "S5", "V3", "g")},
    "strings": [("x", "f8"), ("s", "S3"), ("u", "U2"), ("v", "V4")],
    "no numbers of MPI's": [("h", "f2"), ("x", "f4"), ("t", "M8[s]"), ("d", "m8[ns]")],
    "numbers": [("b", "?"), ("g", "g"), ("q", "q"), ("z", "G"), ("f", "F")],
    "arrays": [("a", "f8", (2, 3)), ("s", "S3", (2,)), ("h", ("f2", (2,)), (3,))],
    "nested": [("n", [("s", "S5"), ("n", [("h", "f2"), ("i", "i4", (2,))])], (2,)), ("x", "f8")],
    "titles": [(("the number", "x"), "f8"), (("the word", "s"), "S3")],
    "a union": {"names": ["x", "s"], "formats": ["f8", [("h", "f2"), ("i", "i4")]], "offsets": [0, 2]},
    "padding": np.dtype([("c", "i1"), ("x", "f8"), ("h", "f2")], align=True),
    "an end": {"names": ["x", "s"], "formats": ["f8", "S3"], "offsets": [4, 20], "itemsize": 64},
    "backwards": {"names": ["x", "s"], "formats": ["f8", "S3"], "offsets": [16, 1], "itemsize": 32},
    "nothing in it": [("x", "f8"), ("s", "S0"), ("v", "V0"), ("a", "f4", (0,))],
    "bytes of nothing": [("s", "S0")],
    "nothing": [],
    "others' numbers": "bfloat16",
    "others' small numbers": "float8_e5m2",
    "others' in a structure": ["bfloat16", "float8_e5m2", "int4"],
}


def meaning(dtype, at=0):
    """The bytes of an element that fields have."""
    if dtype.names is not None:
        return [b for name in dtype.names for b in meaning(dtype.fields[name][0], at + dtype.fields[name][1])]
    n, size = int(np.prod(dtype.shape)), dtype.base.itemsize
    if dtype.base.names is not None:
        return [b for i in range(n) for b in meaning(dtype.base, at + i * size)]
    return list(range(at, at + n * size))


@pytest.mark.parametrize("name", FIELDS)
def test_types(world, ring, name):
    """A field of a structure is what its type is alone: all bytes of it come, in every call."""
    dtype = FIELDS[name]
    if name.startswith("others'"):
        import ml_dtypes

        names = dtype if isinstance(dtype, list) else [dtype]
        dtype = [(f"f{i}", getattr(ml_dtypes, each)) for i, each in enumerate(names)]
        dtype = dtype if len(dtype) > 1 else dtype[0][1]
    dtype = np.dtype(dtype)
    (left, right), counts = ring.neighbors()[1], meaning(dtype)

    def elements(rank, n=4):
        values = np.zeros(n, dtype)
        if dtype.itemsize:
            raw = values.view(np.uint8)
            raw[:] = np.arange(raw.size) * 7 % 101 + 13 * rank % 17 + 1
        return values

    def same(a, b):
        rows = (np.ascontiguousarray(x).view("V1").view("u1").reshape(x.size, -1) for x in (a, b))
        return not dtype.itemsize or a.shape == b.shape and np.array_equal(*(x[:, counts] for x in rows))

    mine, from_left, from_right = map(elements, (world.rank, left, right))
    u = np.zeros(6, dtype)
    u[1:-1] = mine
    ring.halo(u, ghosts=1).run()
    assert same(u[:1], from_left[-1:]) and same(u[-1:], from_right[:1]) and same(u[1:-1], mine)
    wide = np.zeros((4, 2, 1), dtype)
    wide[1:-1] = mine.reshape(2, 2, 1)
    ring.halo(wide, ghosts=1).run()
    assert same(wide[0, :, 0], from_left[2:])
    got = ring.alltoall(mine.reshape(2, 2))
    assert same(got[0], from_right[:2]) and same(got[1], from_left[2:])
    got = np.zeros((4, 2), dtype)[:, 1]
    ring.alltoallw([mine[:2], mine[:1:-1]], [got[::2], got[1::2]])
    assert same(got[::2], from_right[:2]) and same(got[1::2], from_left[:1:-1])
    assert same(ring.allgather(mine)[1], from_left)
    m = mpiortho.index_map(world, 4, [4 * right])
    u = np.zeros(5, dtype)
    u[:4] = mine
    m.ghosts(u).run()
    assert same(u[4:], from_right[:1])
    [(source, block)] = mpiortho.sparse_alltoallv(world, {right: mine}, dtype=dtype)
    assert source == left and same(block, from_left)
    if dtype.names or name.startswith("others'"):
        refused(TypeError, "do not know", ring.neighbors.allreduce, mine)


def test_axes_that_are_not_divided(world):
    g = mpiortho.grid(world, (0, 0), periodic=True)
    pairs = [(1, 1), (1, 1)]
    plane = numbers(g, (3, 4), pairs)
    ghost = is_ghost((3, 4), pairs)
    for axes in itertools.permutations(range(4), 2):
        sizes = [2, 2, 2, 2]
        for k, axis in enumerate(axes):
            sizes[axis] = plane.shape[k]
        for order in "CF":
            u = np.zeros(sizes, order=order)
            turned = np.moveaxis(u, axes, (0, 1))
            scale = 1 + np.arange(4).reshape(2, 2)
            turned[...] = np.where(ghost, -1, plane)[:, :, None, None] * scale
            g.halo(u, ghosts=1, **{"axes" if order == "C" else "divided": axes}).run()
            assert (turned == plane[:, :, None, None] * scale).all()
            again = turned.copy()
            g.halo_reduce(u, ghosts=1, axes=axes, op=MPI.MAX).run()
            assert (turned == again).all()


def test_every_process_has_an_order_of_its_own(world):
    """Elements are known by their indices, however they lie on each process."""
    g = mpiortho.grid(world, (0,))
    for axes, more in (((0,), (3, 3)), ((1,), (3, 3)), ((2,), (3, 3)), ((1,), (3,))):
        sizes = [*more[: axes[0]], 4, *more[axes[0] :]]
        numbers = np.arange(2.0 * g.size * np.prod(more)).reshape(2 * g.size, *more) + 1
        whole = np.moveaxis(numbers, 0, axes[0])
        orders = list(itertools.permutations(range(len(sizes))))
        for shift in range(len(orders)):
            order = orders[(shift + 5 * g.rank) % len(orders)]
            u = np.full([sizes[k] for k in order], -1.0).transpose(np.argsort(order))
            h = g.halo(u, ghosts=1, axes=axes, boundary=[("constant", "symmetric")], sign=-1, value=7)
            h.scatter(whole if g.rank == 0 else None)
            h.run()
            wide = np.full([n + 2 * (k == axes[0]) for k, n in enumerate(whole.shape)], 7.0)
            seen = np.moveaxis(wide, axes[0], 0)  # a view
            seen[1:-1] = np.moveaxis(whole, axes[0], 0)
            seen[-1] = -seen[-2]
            first = 2 * g.coords[0]
            assert (u == np.take(wide, range(first, first + 4), axes[0])).all()
            back = np.zeros_like(whole, order="F")
            h.gather(back if g.rank == 0 else None)
            assert g.rank > 0 or (back == whole).all()
            u[...] = once = 1 + np.moveaxis(np.arange(np.prod(more)).reshape(1, *more), 0, axes[0])
            g.halo_reduce(u, ghosts=1, axes=axes).run()
            ends = (g.rank > 0, g.rank < g.size - 1)
            assert (np.moveaxis(u / once, axes[0], 0)[[1, 2], 0].T == [1 + end for end in ends]).all()
            if axes == (0,):
                g.field_gather(np.take(wide, range(first, first + 4), 0).copy("F" if g.rank else "C"),
                               back if g.rank == 0 else None, ghosts=1)  # fmt: skip
                assert g.rank > 0 or (back == whole).all()


def test_other_arrays(ring):
    a, b = np.zeros(5), np.zeros(5)
    h = ring.halo(a, ghosts=1)
    for step in range(7):
        h.owned()[...] = step
        with h:
            pass
        b[1:-1] = a[1:-1] + 0.5
        h.run(b)
        assert b[0] == step + 0.5 and a[0] == step
        h.start(a)
        h.wait()
    refused(ValueError, r"shape \(6,\)", h.run, np.zeros(6))
    refused(ValueError, "dtype float32", h.start, np.zeros(5, "f4"))
    refused(ValueError, "2 arrays are given", h.start, a, b)
    refused(ValueError, "read-only", h.start, frozen(np.zeros(5)))
    h.run()


def test_other_buffers(ring):
    """One that comes to lie where another one was, which is gone."""
    h = ring.halo(np.zeros(5, "u1"), ghosts=1)
    for step in range(9):
        memory = bytearray([0, 10 * step + ring.rank, 0, 10 * step + ring.rank, 0])
        h.run(memoryview(memory))
        assert memory[0] == 10 * step + ring.neighbor((-1,))
        h.start(memory)
        h.wait()
        del memory


def test_three_dimensions_and_regions(world):
    g = mpiortho.grid(world, (0, 0, 0))
    u = g.zeros((3, 4, 5), ghosts=1)
    h = g.halo(u, ghosts=1)
    u[...] = -1
    h.owned()[...] = g.rank
    for s in h.unfilled():
        u[h.region(s)] = -2
    h.run()
    for s in itertools.product((-1, 0, 1), repeat=3):
        rank = g.neighbor(s)
        assert (u[h.region(s)] == (-2 if rank == MPI.PROC_NULL else rank)).all()
    assert len(h.filled()) + len(h.unfilled()) == 26


@pytest.mark.parametrize("stencil", ["moore", "neumann"])
@pytest.mark.parametrize("periodic", [True, False])
def test_the_adjoint(world, stencil, periodic):
    g = mpiortho.grid(world, (0, 0), periodic=periodic, stencil=stencil)
    rng = np.random.default_rng(world.rank)
    x, y = rng.random((2, 6, 7))
    u = x.copy()
    h = g.halo(u, ghosts=((1, 2), 1))
    assert h.T.T is h
    h.run()
    hx = u.copy()
    h.T.run(u)
    u[...] = y
    h.T.run(u)
    left, right = world.allreduce((hx * y).sum()), world.allreduce((x * u).sum())
    assert abs(left - right) < 1e-12 * abs(left)
    for several in (lambda: mpiortho.runall([h.T]), lambda: (h.T.start(), mpiortho.waitall([h.T]))):
        u[...] = y
        several()
        assert abs(right - world.allreduce((x * u).sum())) < 1e-12 * abs(left)


@pytest.mark.parametrize("kind", ["halo", "index map", "pair", "mosaic"])
@pytest.mark.parametrize("early", [False, True])
def test_the_adjoint_has_the_arrays_of_now(kind, early):
    """Whether it was made before the halo got other arrays does not matter."""
    comm = MPI.COMM_SELF
    m, around = mpiortho.index_map(comm, 3, [0, 2]), [mpiortho.contact_periodic((3,), 0)]
    mosaic = mpiortho.Mosaic(comm, (3,), around, [(0, (0,), (3,))])
    make, wrap = {
        "halo": (lambda u: mpiortho.grid(comm, (1,), periodic=True).halo(u, 1), lambda u: u),
        "index map": (m.ghosts, lambda u: u),
        "pair": (m.ghosts, lambda u: (u[:3], u[3:])),
        "mosaic": (lambda u: mosaic.halo([u], 1), lambda u: [u]),
    }[kind]
    u, v, w = np.ones((3, 5))
    h = make(wrap(u))
    if early:
        h.T.run(wrap(w))
    h.run(wrap(v))
    w[:] = 1
    with h.T as adjoint:
        assert h.T is adjoint
    assert (u == 1).all() and (w == 1).all() and sorted(v) == [0, 0, 1, 2, 2]
    u[:] = w[:] = 1
    h.T.start(wrap(w))
    h.T.wait()  # the one that was started
    assert (u == 1).all() and sorted(w) == [0, 0, 1, 2, 2] and sorted(v) == [0, 0, 1, 2, 2]


@pytest.mark.parametrize("kind", ["info", "stencil"])
def test_the_adjoint_after_its_arguments_have_changed(kind):
    g, u = mpiortho.name(MPI.COMM_SELF.Dup(), (1, 1), periodic=True), np.ones((3, 3))
    info, faces = MPI.Info.Create({"ortho_regions": "faces"}), mpiortho.neumann(2)
    if kind == "stencil":
        g = mpiortho.grid(MPI.COMM_SELF, (1, 1), periodic=True, stencil=faces)
    h = g.halo(u, ghosts=1, info=info if kind == "info" else None)
    info.Free()
    faces[...] = 1
    assert h.filled() == [(-1, 0), (0, -1), (0, 1), (1, 0)]
    h.T.run()
    assert u.tolist() == [[1, 0, 1], [0, 5, 0], [1, 0, 1]]


def test_gather_and_scatter(world):
    g = mpiortho.grid(world, (0, 0))
    shape = (7, 9, 2)
    mine = g.block(shape)
    sizes = [s.stop - s.start for s in mine]
    u = g.zeros(sizes, ghosts=1)
    whole = np.arange(np.prod(shape), dtype=float).reshape(shape) if g.rank == 0 else None
    g.field_scatter(whole, u, ghosts=1)
    assert (u[1:-1, 1:-1] == np.arange(np.prod(shape)).reshape(shape)[mine]).all()
    u *= 2
    back = np.zeros(shape) if g.rank == 0 else None
    g.field_gather(u, back, ghosts=1)
    assert g.rank > 0 or (back == 2 * whole).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_wholes_of_halos(world, order):
    g = mpiortho.grid(world, (0, 0), periodic=True)
    d0, d1 = g.dims
    root = world.size - 1
    whole = np.arange(2 * d0 * 3 * d1 * 4).reshape(2 * d0, 3 * d1, 4)
    u = np.full((3, 6, 4), -1, order=order)  # the levels lie together in order C, apart in order F
    w = np.full((4, 5, 4), -1)
    h = g.halo(
        [mpiortho.Field(u, ghosts=((1, 0), (1, 2))), mpiortho.Field(w, ghosts=1, directions=[(1, 0)])],
        axes=(0, 1),
    )
    for field in (0, 1):
        h.scatter(whole.astype(u.dtype) if g.rank == root else None, root, field)
        assert (h.owned(field) == whole[g.block(whole.shape)]).all()
    assert (u[0] == -1).all() and (w[:, 0] == -1).all()
    h.owned(0)[...] *= 2
    for got in (np.zeros_like(whole, order="F"), np.zeros_like(whole)):
        h.gather(got if g.rank == root else None, root)
        assert g.rank != root or (got == 2 * whole).all()
    h.run(u.copy(order="K"), w)  # the halo has another array from now on
    u[...] = 0
    h.gather(got, root)
    assert g.rank != root or (got == 2 * whole).all()
    # As many elements as all arrays have with their ghosts.
    wrong = np.zeros((3 * d0, 6 * d1, 4), dtype=int, order=order)
    refused(mpiortho.Error, "along dimension 0 of the grid, whole has", h.gather, wrong, root)
    # Mistakes at the root are told to all.
    for error, wrong in (
        (ValueError, np.zeros((2 * d0, 3 * d1), dtype=int)),
        (ValueError, np.zeros((2 * d0, 3 * d1, 5), dtype=int, order=order)),
        (TypeError, None),
    ):
        refused(error if g.rank == root else mpiortho.Error, "whole", h.gather, wrong, root)
    error = TypeError if g.rank == root else mpiortho.Error
    refused(error, "whole|field", g.field_gather, u[..., 0].copy(), None, root, ghosts=((1, 0), (1, 2)))
    refused(IndexError, "field 2 of a halo of 2", h.gather, got, root, field=2)


def test_a_halo_outlives_its_communicator(world):
    g = mpiortho.grid(world, (0,), periodic=True)
    u, whole = np.full(4, float(g.rank)), np.zeros(2 * g.size) if g.rank == 0 else None
    h = g.halo(u, ghosts=1)
    g.free()
    h.run()
    h.gather(whole)
    assert u[0] == (g.rank - 1) % g.size and (whole is None or (whole == np.arange(2 * g.size) // 2).all())


def test_arrays_that_are_only_read(ring):
    whole, part, u = frozen(np.arange(2.0 * ring.size)), frozen(np.full(4, 5.0)), np.zeros(4)
    h = ring.halo(u, ghosts=1)
    for scatter in (lambda: h.scatter(whole), lambda: ring.field_scatter(whole, u, ghosts=1)):
        u[...] = 0
        scatter()
        assert (u[1:-1] == whole[2 * ring.rank : 2 * ring.rank + 2]).all()
    got = np.zeros(2 * ring.size)
    ring.field_gather(part, got, ghosts=1)
    assert (got == (5 if ring.rank == 0 else 0)).all()
    for written in (lambda: h.gather(whole), lambda: ring.field_gather(part, whole, ghosts=1)):
        refused(ValueError if ring.rank == 0 else mpiortho.Error, "read-only|null", written)
    refused(ValueError, "read-only", ring.field_scatter, got, part, ghosts=1)


def test_fields_of_global_arrays(world):
    g = mpiortho.grid(world, (0, 0), periodic=True)
    n = (5 * g.dims[0] + 1, 3 * g.dims[1], 2)
    u = g.field(n, ghosts=((1, 2), 1), dtype=np.int32, order="F")
    assert u.shape == (5 + (g.coords[0] == 0) + 3, 5, 2)
    assert u.dtype == np.int32 and u.flags.f_contiguous and not u.any()
    assert g.field(n).shape == tuple(part.stop - part.start for part in g.block(n))
    refused(ValueError, "shape=5 is no list of 2 sizes or more", g.field, 5)


def test_processes_outside(world):
    if world.size == 1:
        return
    g = mpiortho.grid(world, (world.size - 1,), periodic=True)
    assert bool(g) == (world.rank < world.size - 1)
    u = g.zeros(4, ghosts=1)
    h = g.halo(u, ghosts=1)
    h.owned()[...] = 1
    h.gather(np.zeros(4 * (world.size - 1)))
    with h:
        pass
    h.run()
    assert u[0] == (1 if g else 0)
    assert g.coords == ((g.rank,) if g else (MPI.PROC_NULL,))
    other = g.halo(u.copy(), ghosts=1)
    mpiortho.startall([h, other])
    mpiortho.waitall([h, other])
    u[0] = 0
    mpiortho.runall([other, h])
    assert u[0] == (1 if g else 0) and h.explain()
    whole = np.zeros(4 * (world.size - 1))
    g.field_gather(u, whole, ghosts=1)
    assert (whole == (g.rank == 0)).all()
    g.field_scatter(3 * whole, u, ghosts=1)
    assert (u[1:-1] == (3 if g else 1)).all()
    if g:
        g.free()
        refused(ValueError, "the grid was freed", g.field_gather, u, whole)


def test_no_elements(world):
    g = mpiortho.grid(world, (0, 0), periodic=True)
    for shape, ghosts in (((2, 5, 0), (0, 1)), ((2, 2, 3), 0), ((0, 3, 1), 0), ((0, 0, 0), 0)):
        h = g.halo(np.zeros(shape), ghosts=ghosts, axes=(0, 1))
        h.run()
        assert h.unfilled() == []


kinds = ["constant", "edge", "symmetric", "reflect"]


@pytest.mark.parametrize("seed", range(20))
def test_boundaries_are_those_of_pad(world, seed):
    random = np.random.default_rng(seed)
    d = int(random.integers(1, 4))
    periodic = [bool(p) for p in random.integers(0, 2, d)]
    g = mpiortho.grid(world, (0,) * d, periodic=periodic)
    owned = tuple(random.integers(4, 6, d))
    widths = [tuple(map(int, random.integers(0, 4, 2))) for _ in range(d)]
    of_side = [tuple(random.choice(kinds) for _ in range(2)) for _ in range(d)]
    signs = [tuple(int(s) for s in random.choice([1, -1], 2)) for _ in range(d)]
    values = [tuple(int(v) for v in random.integers(100, 200, 2)) for _ in range(d)]
    form = (list, tuple, np.array)[seed % 3]
    dtype = random.choice(["f8", "i4", "c16"])
    inner = (2,) if seed % 3 == 0 else ()  # is not divided
    whole = random.integers(1, 99, tuple(n * m for n, m in zip(owned, g.dims)) + inner).astype(dtype)
    whole = world.bcast(whole)
    expected = padded(whole, widths, periodic, of_side, signs, values)[around(g, owned, widths)]
    block = tuple(slice(n * c, n * (c + 1)) for n, c in zip(owned, g.coords))
    axes = tuple(int(axis) for axis in random.permutation(d))
    for order in (tuple(range(d)), axes):
        back = order + tuple(range(d, d + len(inner)))
        # Corners where constants meet depend on the order of axes.
        if order != tuple(range(d)) and any("constant" in pair for pair in of_side):
            continue
        array = np.full(expected.shape, -7, dtype).transpose(back).copy()
        seen = array.transpose(np.argsort(back))
        seen[tuple(slice(w[0], w[0] + n) for w, n in zip(widths, owned))] = whole[block]
        h = g.halo(
            array, ghosts=widths, axes=[int(k) for k in np.argsort(order)],
            boundary=of_side, sign=form(signs),
            value=form(values) if "constant" in sum(of_side, ()) else None,
        )  # fmt: skip
        h.run()
        assert (seen == expected).all()


def test_boundaries_of_some_sides(world):
    g = mpiortho.grid(world, (0, 1))
    u = np.full((4, 4), 5.0)
    v = np.zeros((4, 4), "f2")
    u[1:-1, 1:-1] = 1
    v[1:-1, 1:-1] = 2
    field = mpiortho.Field(v, boundary="edge", sign=1)
    h = g.halo([u, field], ghosts=1, boundary={np.int8(1): (None, "symmetric")}, sign={-1: -1})
    h.run()
    assert (u[1:-1, 0] == 5).all() and (u[1:-1, -1] == -1).all() and (v == 2).all()
    assert u[0, 1] == (5 if g.coords[0] == 0 else 1)
    refused(ValueError, "no reverse", lambda: h.T)
    for wrong, words in (("wrap", "is none of none, constant"), (("edge",), "has not one for each of 2"),
                         ({2: "edge"}, "keys that are no dimensions"),
                         ({1: "edge", -1: "edge"}, "or are one")):  # fmt: skip
        refused(ValueError, words, g.halo, u, ghosts=1, boundary=wrong)
    refused(ValueError, "neither 1 nor -1", g.halo, u, ghosts=1, boundary="edge", sign=2)
    for wrong, more in ((u, {"value": 7}), (u, {"value": 7, "boundary": "edge"}),
                        (mpiortho.Field(u, value=7), {"boundary": "edge"})):  # fmt: skip
        refused(ValueError, 'value=7 of .* is for boundary="constant"', g.halo, wrong, ghosts=1, **more)
    refused(mpiortho.Error, "has sign -1, which is for", g.halo, v, ghosts=1, boundary="edge", sign=-1)


def test_names_of_requests(ring):
    ring.halo(ring.zeros(3, ghosts=1), ghosts=1, info={"ortho_name": "u"}).run()
    if ring.size > 1:
        info = {"ortho_name": f"u{ring.rank}"}
        u = ring.zeros(3, ghosts=1)
        refused(mpiortho.ERR_MISMATCH, "ortho_name is ", ring.halo, u, ghosts=1, info=info)
