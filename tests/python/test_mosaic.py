# SPDX-License-Identifier: BSD-3-Clause
"""Mosaics: ghosts have what arithmetic on positions says, on folds and on a cube that lies in space."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

import mpiortho
from conftest import frozen, padded, refused

UNTOUCHED = -7000


def elements(patch, array, ghosts, axes=(0, 1)):
    """(index in the array, element of the tile) of all elements, ghosts too."""
    for index in np.ndindex(*(array.shape[axis] for axis in axes)):
        place = [slice(None)] * array.ndim
        for axis, i in zip(axes, index):
            place[axis] = i
        yield tuple(place), tuple(i + first - ghosts for i, first in zip(index, patch.first))


def is_owned(patch, element):
    return all(first <= i < first + n for i, first, n in zip(element, patch.first, patch.shape))


# --- Folds --------------------------------------------------------------------------------------------------

SIZE = (8, 5)


def donor(pivot, faces, i, j):
    """(i, j, sign) of the element that fills a ghost: of those at its point the lowest one."""
    width, height = SIZE
    x, y, sign = i + (1 if faces[0] else 0.5), j + (1 if faces[1] else 0.5), 1

    def turned(x, y):
        return width + (pivot in "TV") - x, 2 * height - (pivot in "TU") - y

    def element(x, y):
        return int(x - (1 if faces[0] else 0.5)) % width, int(y - (1 if faces[1] else 0.5))

    if y > height:
        (x, y), sign = turned(x, y), -1
    options = [(*element(x, y), sign)]
    if turned(x, y)[1] <= height:  # between the pivot and the side, or the image of such a point
        options.append((*element(*turned(x, y)), -sign))
    return min(options, key=lambda option: (option[0], option[1], -option[2]))


def ocean_of(world, pivot, most=3):
    contacts = [mpiortho.contact_periodic(SIZE, 0), mpiortho.contact_fold(SIZE, pivot)]
    return mpiortho.Mosaic(world, SIZE, contacts, mpiortho.Mosaic.divide(SIZE, world.size, world.rank, most))


@pytest.mark.parametrize("pivot", "TFUV")
def test_a_fold(world, pivot):
    """A scalar, a vector on faces with two levels, in arrays of order F and of other axes, and corners."""
    ocean, ghosts = ocean_of(world, pivot), 2
    shapes = [array.shape for array in ocean.zeros(ghosts=ghosts)]
    t = [np.zeros((2 * n, m), np.int32)[::2] for n, m in shapes]
    u = [np.zeros((n, m, 2), order="F") for n, m in shapes]
    v = [np.zeros((2, m, n))[:, ::-1] for n, m in shapes]
    f = [np.zeros((n, m), complex) for n, m in shapes]
    fields = [(t, (0, 1), (0, 0)), (u, (0, 1), (1, 0)), (v, (2, 1), (0, 1)), (f, (0, 1), (1, 1))]
    h = ocean.halo([t, u, mpiortho.Field(v, axes=(2, 1)), f], ghosts, location="tuvf", vector=[1, 2])
    for way in ("run", "start"):
        for number, (arrays, axes, _) in enumerate(fields):
            for patch, array in zip(ocean.patches, arrays):
                for place, (i, j) in elements(patch, array, ghosts, axes):
                    array[place] = 1000 * number + 10 * i + j if is_owned(patch, (i, j)) else UNTOUCHED
        if way == "run":
            h.run()
        else:
            with h:
                pass
        for number, (arrays, axes, faces) in enumerate(fields):
            for patch, array in zip(ocean.patches, arrays):
                for place, (i, j) in elements(patch, array, ghosts, axes):
                    wanted = 1000 * number + 10 * i + j
                    if not is_owned(patch, (i, j)):
                        wanted = UNTOUCHED
                        if j >= 0:
                            a, b, sign = donor(pivot, faces, i, j)
                            wanted = (sign if number in (1, 2) else 1) * (1000 * number + 10 * a + b)
                    assert (array[place] == wanted).all(), (number, i, j, array[place], wanted)
    for p, patch in enumerate(ocean.patches):
        is_lowest = patch.first[1] == 0
        boxes = [(slice(0, patch.shape[0] + 4), slice(0, 2))] if is_lowest else []
        found = np.zeros(t[p].shape, bool)
        for box in h.unfilled(0, p):
            found[box] = True
        assert found.sum() == sum(found[box].size for box in boxes) and all(found[box].all() for box in boxes)
        assert (h.owned(2, p) == v[p][:, 2:-2, 2:-2]).all()


@pytest.mark.parametrize("vector", [False, True])
def test_elements_that_are_one_point(world, vector):
    """Cells i and 8 - i of the last row: the first of them counts."""
    ocean = ocean_of(world, "T")
    u, v = ocean.zeros(ghosts=1), ocean.zeros(ghosts=1)
    for patch, a, b in zip(ocean.patches, u, v):
        for place, (i, _) in elements(patch, a, 1):
            a[place], b[place] = 1 + i, 100 + i
    ocean.halo([u, v], ghosts=1, vector=vector, sync=True).run()
    for patch, a, b in zip(ocean.patches, u, v):
        for place, (i, j) in elements(patch, a, 1):
            if not is_owned(patch, (i, j)):
                continue
            first = min(i, -i % 8) if j == 4 else i
            sign = -1 if vector and first != i else 1
            assert (a[place], b[place]) == (sign * (1 + first), sign * (100 + first))


# --- A cube -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["vector", "pair"])
def test_a_cube(world, kind):
    """Above an even panel lies the one after the next: i runs along its -j there, and j along its i."""
    n, ghosts = 4, 2
    sizes = [(n, n)] * 6
    patches = mpiortho.Mosaic.divide(sizes, world.size, world.rank, most=(n, n))
    cube = mpiortho.Mosaic(world, sizes, mpiortho.contact_cubed_sphere(sizes), patches)
    own = np.arange(2 * 6 * n * n).reshape(2, 6, n, n) + 1  # by component and panel
    fields = [cube.zeros(ghosts=ghosts, dtype="f4") for _ in range(2)]
    for component, arrays in enumerate(fields):
        for patch, array in zip(patches, arrays):
            array[...] = UNTOUCHED
            array[2:-2, 2:-2] = own[component, patch.tile]
    h = cube.halo(fields, ghosts, **{kind: True})
    h.run()
    for p, (patch, *both) in enumerate(zip(patches, *fields)):
        for component, array in enumerate(both):
            lost = np.zeros(array.shape, bool)
            for box in h.unfilled(component, p):
                lost[box] = True
            assert lost.sum() == 4 * ghosts**2 and ((array == UNTOUCHED) == lost).all()
        if patch.tile % 2 == 0:
            right, above = (own[:, (patch.tile + step) % 6, :ghosts] for step in (1, 2))
            turned = above[::-1, :, ::-1].transpose(0, 2, 1) * np.reshape([-1 if kind == "vector" else 1, 1], (2, 1, 1))
            for array, beside, beyond in zip(both, right, turned):
                assert (array[-ghosts:, 2:-2] == beside).all() and (array[2:-2, -ghosts:] == beyond).all()
    fields[0][0:1] = [array.copy() for array in fields[0][0:1]]
    h.run(*fields)


# --- The rest -----------------------------------------------------------------------------------------------


def dot(world, a, b):
    return world.allreduce(sum(int((x * y).sum()) for x, y in zip(a, b)))


@pytest.mark.parametrize("pivot", "TFUV")
def test_the_adjoint(world, pivot):
    """(H x, y) = (x, H' y), in integers."""
    ocean, rng = ocean_of(world, pivot, most=4), np.random.default_rng(world.rank)
    u, v = ocean.zeros(ghosts=2, dtype=int), ocean.zeros(ghosts=2, dtype=int)
    both, places = [0, 1], [["upper", "centre"], ["centre", "upper"]]
    h = ocean.halo([u, v], 2, location=places, vector=both)
    both.clear()
    places[0].reverse()  # what is made knows what it was told
    x, y = ([rng.integers(-9, 9, array.shape) for array in u + v] for _ in range(2))
    n = len(u)
    for array, values in zip(u + v, x):
        array[...] = values
    h.run()
    after = dot(world, u + v, y)
    for array, values in zip(u + v, y):
        array[...] = values
    h.T.run()
    assert after == dot(world, u + v, x)
    assert h.T.T is h
    for p in range(n):
        for box in h.unfilled(1, p):
            assert (v[p][box] == y[n + p][box]).all()


def test_the_page(world):
    """The example of doc/mosaics.md."""
    page = (Path(__file__).parents[2] / "doc" / "mosaics.md").read_text()
    names = {}
    exec(page.split("```python\n")[1].split("```")[0], names)
    assert world.allreduce(len(names["beyond"])) == 4 and set(names["beyond"]) <= {-1}


def test_reduce(world):
    """Each element of a ring gets those ghosts that lie where it does."""
    p, r = world.size, world.rank
    size = (4 * p,)
    ring = mpiortho.Mosaic(world, size, [mpiortho.contact_periodic(size, 0)], [(0, (4 * r,), (4,))])
    u = np.array([10, 1, 2, 3, 4, 20])
    ring.reduce(u, ghosts=1).run()
    assert u.tolist() == [10, 21, 2, 3, 14, 20]
    ring.reduce([u], ghosts=1, op=MPI.MAX).run()
    assert u.tolist() == [10, 21, 2, 3, 14, 20]
    refused(TypeError, "op='sum' is a str", ring.reduce, u, ghosts=1, op="sum")


NAMES = ["constant", "edge", "symmetric", "reflect"]


@pytest.mark.parametrize("kinds", [[(a, b), (b, a)] for a, b in itertools.product(NAMES, repeat=2)])
@pytest.mark.parametrize("periodic", [False, True])
def test_closed_sides(world, kinds, periodic):
    """numpy.pad of the tile, of which processes have patches, with levels and signs."""
    size, depth = (7, 6), 3
    whole = np.arange(1, 85).reshape(7, 6, 2)
    values, signs = [(100, 101), (102, 103)], [(1, -1), (-1, 1)]
    contacts = [mpiortho.contact_periodic(size, 0)] if periodic else []
    patches = mpiortho.Mosaic.divide(size, world.size, world.rank, most=(4, 6))
    mosaic = mpiortho.Mosaic(world, size, contacts, patches)
    expected = padded(whole, [(depth, depth)] * 2, (periodic, False), kinds, signs, values)
    u = mosaic.zeros(2, ghosts=depth, dtype=int)
    value = values if "constant" in sum(kinds, ()) else None
    h = mosaic.halo([u], depth, boundary=kinds, value=value, sign=signs)
    for _ in range(2):
        for array, (_, (x, y), (n, m)) in zip(u, patches):
            array[...] = UNTOUCHED
            array[depth:-depth, depth:-depth] = whole[x : x + n, y : y + m]
        h.run()
        for array, (_, (x, y), (n, m)) in zip(u, patches):
            assert (array == expected[x : x + n + 2 * depth, y : y + m + 2 * depth]).all()
    assert not patches or "closed sides" in h.explain()
    deep, kinds = [mosaic.zeros(ghosts=7)], [None, ("reflect", None)]
    refused(mpiortho.Error, "is reflect, which shows element 7 here", mosaic.halo, deep, 7, boundary=kinds)


def test_a_side_that_is_closed_in_part():
    """The right side of tile 0 is the lower half of the left side of tile 1."""
    joined = mpiortho.Contact(0, 0, 1, donor=1, transform=(1, 2), origin=(-4, 0))
    sizes = [(4, 4), (4, 8)]
    mosaic = mpiortho.Mosaic(MPI.COMM_SELF, sizes, [joined], [(0, (0, 0), (4, 4)), (1, (0, 0), (4, 8))])
    a, b = mosaic.zeros(ghosts=1, dtype=int)
    a[1:-1, 1:-1] = np.arange(100, 116).reshape(4, 4)
    b[1:-1, 1:-1] = np.arange(200, 232).reshape(4, 8)
    mosaic.halo([[a, b]], ghosts=1, boundary="edge", sign={1: -1}).run()
    for wrong, more in (([a, b], {"value": 7}), (mpiortho.Field([a, b], value=7), {})):
        words = 'value=7 of .* is for boundary="constant"'
        refused(ValueError, words, mosaic.halo, [wrong], ghosts=1, boundary="edge", **more)
    # Beyond its right side tile 0 goes on, also above its upper side.
    assert a[5].tolist() == [-b[1, 1], *b[1, 1:6]]
    assert a[0].tolist() == [-a[1, 1], *a[1, 1:5], -a[1, 4]]
    assert a[1:5, 5].tolist() == (-a[1:5, 4]).tolist()
    assert b[0].tolist() == [-a[4, 1], *a[4, 1:5], *b[1, 5:9], -b[1, 8]]
    assert b[5].tolist() == [-b[4, 1], *b[4, 1:9], -b[4, 8]]


def test_positions(world):
    """A longitude goes on across the date line."""
    p, r = world.size, world.rank
    size = (4 * p, 2)
    around = [mpiortho.contact_periodic(size, 0, shift=(360.0,))]
    earth = mpiortho.Mosaic(world, size, around, [mpiortho.Patch(0, (4 * r, 0), (4, 2))])
    step = 360 / (4 * p)
    longitude = np.full((6, 2), -1.0)
    longitude[1:-1] = (step * np.arange(4 * r, 4 * r + 4))[:, None]
    expected = (step * np.arange(4 * r - 1, 4 * r + 5))[:, None]
    earth.halo(longitude, ghosts=(1, 0), position=True).run()
    assert np.allclose(longitude, expected)


@pytest.mark.parametrize("dtype", ["f8", "S3", [("a", "f4"), ("b", "i8", (2,))]])
def test_processes_without_patches(world, dtype):
    """The last process has all; the others say nothing of fields."""
    size = (4, 3)
    has = world.rank == world.size - 1
    patches = [(0, (0, 0), (2, 3)), (0, (2, 0), (2, 3))] if has else []
    mosaic = mpiortho.Mosaic(world, size, [mpiortho.contact_periodic(size, 0)], patches)
    assert mosaic.owner(0, (3, 2)) == (world.size - 1, 1)
    u = [np.zeros((2, 4, 3), dtype) for _ in patches]
    for number, array in enumerate(u):
        array[:, 1:-1] = np.array((number + 1, number + 1) if isinstance(dtype, list) else number + 1, dtype)
    h = mosaic.halo([u], ghosts=(1, 0), axes=(1, 2))
    other = [array.copy() for array in u]
    for arrays in (u, other, u):
        h.run(arrays)
        for number, array in enumerate(arrays):
            assert (array[:, 0] == arrays[1 - number][:, 1]).all() and array[0, 0, 0] != array[0, 1, 0]
            assert (array[:, 3] == arrays[1 - number][:, 1]).all()
    assert len(h.arrays) == len(patches) and "ORTHO_Mosaic_halo_init" in h.explain()
    small = [[array[:, :2] for array in u]]  # which one process tells the others
    refused(ValueError, "elements are needed", mosaic.halo, small, ghosts=(1, 0), axes=(1, 2))
    nobody = mpiortho.Mosaic(world, size)
    assert nobody.owner(0, (0, 0)) is None
    nobody.halo([[]], ghosts=1).run()


def test_halos_live_on(world):
    p, r = world.size, world.rank
    size = (3 * p,)
    with mpiortho.Mosaic(world, size, [mpiortho.contact_periodic(size, 0)], [(0, (3 * r,), (3,))]) as ring:
        [u] = ring.zeros(ghosts=1)
        h = ring.halo([u], ghosts=1, info={"ortho_forward": "true"})
    u[1:-1] = r
    h.run()
    assert (u[0], u[-1]) == ((r - 1) % p, (r + 1) % p)
    refused(mpiortho.Error, "mosaic is no mosaic", ring.halo, u, ghosts=1)
    refused(mpiortho.Error, "mosaic is no mosaic", ring.free)
    del h


def test_refused():
    """Before anything is sent, or by the library with its words."""
    size, own = (4, 3), MPI.COMM_SELF
    around, shifted = [mpiortho.contact_periodic(size, 0)], mpiortho.contact_periodic(size, 0, shift=(1,))
    halves = [(0, (0, 0), (2, 3)), (0, (2, 0), (2, 3))]
    for error, words, wrong in [
        (ValueError, "pivot='A' is none of T, F, U, V", lambda: mpiortho.contact_fold(size, "A")),
        (ValueError, "none of those 1", lambda: mpiortho.contact_periodic(size, 0, tile=1)),
        (ValueError, "none of those 5", lambda: mpiortho.contact_cubed_sphere([(4, 4)] * 5)),
        (ValueError, "a=.* has 2 numbers, but 3", lambda: mpiortho.contact_join(size, (0, 1), (0, 1, 1))),
        (ValueError, "different dimensions", lambda: mpiortho.Mosaic(own, [(4, 3), (4,)])),
        (TypeError, "contacts=.* is no list", lambda: mpiortho.Mosaic(own, size, around[0])),
        (TypeError, "patches=.* is no list", lambda: mpiortho.Mosaic(own, size, around, halves[0])),
        (ValueError, "patches.0..first=.* has 1", lambda: mpiortho.Mosaic(own, size, (), [(0, (0,), (2,))])),
        (mpiortho.Error, "that another patch has", lambda: mpiortho.Mosaic(own, size, (), [halves[0]] * 2)),
        (mpiortho.Error, "both say what lies", lambda: mpiortho.Mosaic(own, size, [around[0], shifted])),
        (TypeError, "comm=3 is a int", lambda: mpiortho.Mosaic(3, size)),
        (mpiortho.Error, "part = 2 is none", lambda: mpiortho.Mosaic.divide(size, 2, 2)),
        (mpiortho.Error, "side = 0 is neither", lambda: mpiortho.contact_fold(size, side=0)),
    ]:
        refused(error, words, wrong)
    mosaic = mpiortho.Mosaic(own, size, around, halves)
    u, v = mosaic.zeros(ghosts=1), mosaic.zeros(ghosts=1)
    refused(mpiortho.Error, "is none of 4 cells", mosaic.owner, 0, (4, 0))
    strings, others = mosaic.zeros(ghosts=1, dtype="S3"), mosaic.zeros(ghosts=1, dtype="S3")
    for error, words, fields, more in [
        (ValueError, "field 0 has 1 arrays, but this process has 2 patches", u, {}),
        (ValueError, "field 1 has 1 arrays", [u, u[0]], {}),
        (ValueError, "no ghosts are given for field 0", [u], {"ghosts": None}),
        (ValueError, r"field 0 on patch 0 has shape \(4, 5\), but \(6, 7\)", [u], {"ghosts": 2}),
        (ValueError, "field 0 on patch 1 has shape", [[u[0], u[1][1:]]], {}),
        (ValueError, "field 0 on patch 1 has another dtype", [[u[0], u[1].astype("f4")]], {}),
        (ValueError, "field 0 on patch 1 is read-only", [[u[0], frozen(u[1].copy())]], {}),
        (TypeError, "field 0 on patch 0 is a str", [["u", u[1]]], {}),
        (ValueError, "field 0 on patch 0 and field 1 on patch 1 share memory", [u, [v[0], u[0]]], {}),
        (ValueError, "location='uvw' has 3 for 2 fields", [u, v], {"location": "uvw"}),
        (ValueError, "location of field 1='w' is no letter", [u, v], {"location": "uw"}),
        (ValueError, "location of field 0=.'left'", [u], {"location": [["left", "centre"]]}),
        (ValueError, "1 fields are no groups of 2", [u], {"vector": True}),
        (ValueError, "vector=.0, 2.: field 2 is none of 2", [u, v], {"vector": [0, 2]}),
        (ValueError, "pair=True: field 0 is none of 2, or is twice", [u, v], {"vector": True, "pair": True}),
        (TypeError, "directions, which are for", [mpiortho.Field(u, directions=[(1, 0)])], {}),
        (ValueError, "2 different axes", [u], {"axes": (0, 0)}),
        (mpiortho.Error, "deeper than tile 0", [mosaic.zeros(ghosts=5)], {"ghosts": 5}),
        (mpiortho.Error, "not made of numbers", [strings, others], {"vector": True}),
    ]:  # fmt: skip
        refused(error, words, mosaic.halo, fields, **{"ghosts": 1, **more})
    h = mosaic.halo([u, v], ghosts=1)
    for error, words, fields in [
        (ValueError, "1 fields are given, but the halo is of 2", [u]),
        (ValueError, "field 1 has 1 arrays", [u, v[:1]]),
        (ValueError, "field 1 on patch 0 has shape", [u, [v[0].T, v[1]]]),
        (ValueError, "share memory", [u, u]),
    ]:
        refused(error, words, h.run, *fields)
    refused(IndexError, "patch 2 of a halo of 2", h.owned, 0, 2)
    h = mosaic.halo([u], ghosts=1, sync=True)
    refused(ValueError, "a halo that syncs, or has a boundary", lambda: h.T)
    g, field = mpiortho.grid(own, (1, 1)), mpiortho.Field(u[0], location="u")
    refused(TypeError, "location and sync are for fields of mosaics", g.halo, field, ghosts=1)


def test_the_communicator_of_a_mosaic(world):
    """It may be freed, unless a process without patches has to learn what fields are like."""
    for every in (True, False):
        comm, size = world.Dup(), (2 * world.size,)
        patches = [(0, (2 * world.rank,), (2,))] if every else [(0, (0,), size)] * (world.rank == 0)
        mosaic = mpiortho.Mosaic(comm, size, [mpiortho.contact_periodic(size, 0)], patches)
        comm.Free()
        u = mosaic.zeros(ghosts=1)
        if every or world.size == 1:
            mosaic.halo([u], ghosts=1).run()
            continue
        refused(ValueError, "communicator of the mosaic was freed", mosaic.halo, [u], ghosts=1)
