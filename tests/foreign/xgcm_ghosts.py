# SPDX-License-Identifier: BSD-3-Clause
"""xgcm_ghosts.py cube|caps|fold: ghosts that xgcm pads, against those of a mosaic in two patches a tile."""

import itertools
import sys
import warnings

import numpy as np
import xarray as xr
from mpi4py import MPI
from xgcm import Grid
from xgcm.padding import pad

import mpiortho

warnings.simplefilter("ignore")  # xgcm's fold is an experiment
N, GHOSTS = 6, 2
OWNED = slice(GHOSTS, GHOSTS + N)
BEYOND = [(slice(None, GHOSTS), OWNED), (slice(-GHOSTS, None), OWNED), (OWNED, slice(None, GHOSTS)),
          (OWNED, slice(-GHOSTS, None))]  # fmt: skip


def mosaic_of(contacts, tiles):
    halves = [(tile, (first, 0), (N // 2, N)) for tile in range(tiles) for first in (0, N // 2)]
    return mpiortho.Mosaic(MPI.COMM_SELF, [(N, N)] * tiles, contacts, halves)


def padded(mosaic, fields, filler=np.nan, **more):
    """Fields of (tiles, x, y) elements with their ghosts."""
    wide = [[np.full((N // 2 + 2 * GHOSTS, N + 2 * GHOSTS), filler) for _ in mosaic.patches] for _ in fields]
    for arrays, field in zip(wide, fields):
        for array, (tile, (first, _), (n, _)) in zip(arrays, mosaic.patches):
            array[GHOSTS:-GHOSTS, GHOSTS:-GHOSTS] = field[tile, first : first + n]
    mosaic.halo(wide, GHOSTS, **more).run()
    return [
        np.array([np.concatenate((a[:-GHOSTS], b[GHOSTS:])) for a, b in zip(of[::2], of[1::2])])
        for of in wide
    ]


def grid_of(connections, tiles):
    dataset = xr.Dataset(coords={"face": range(tiles), "x": range(N), "y": range(N)})
    coords = {"X": {"center": "x"}, "Y": {"center": "y"}}
    return Grid(
        dataset,
        coords=coords,
        face_connections={"face": connections},
        padding="fill",
        autoparse_metadata=False,
    )


def compare(connections, contacts):
    """A scalar, and a vector, at centres, beyond one side: xgcm's corners depend on the order of axes."""
    tiles = len(connections)
    grid, mosaic = grid_of(connections, tiles), mosaic_of(contacts, tiles)
    values = np.arange(3.0 * tiles * N * N).reshape(3, tiles, N, N) + 1
    t, u, v = (xr.DataArray(field, dims=("face", "x", "y")) for field in values)
    widths = {"X": (GHOSTS, GHOSTS), "Y": (GHOSTS, GHOSTS)}
    theirs = [
        pad(t, grid, widths, fill_value=0),
        pad({"X": u}, grid, widths, fill_value=0, other_component={"Y": v}),
        pad({"Y": v}, grid, widths, fill_value=0, other_component={"X": u}),
    ]
    ours = padded(mosaic, values, 0, vector=[1, 2])
    for number, (a, b) in enumerate(zip(theirs, ours)):
        a = a.transpose("face", "x", "y").values
        for tile, (x, y) in itertools.product(range(tiles), BEYOND):
            assert (a[tile, x, y] == b[tile, x, y]).all(), (number, tile, x, y, a[tile, x, y], b[tile, x, y])
    return ours


def connected(pairs):
    """xgcm's connections, and ours, of (tile, axis) whose upper sides meet lower sides.  Where the axes
    differ, what runs along the sides is turned."""
    tiles = 1 + max(max(a[0], b[0]) for a, b in pairs)
    connections = {tile: {"X": [None, None], "Y": [None, None]} for tile in range(tiles)}
    contacts = []
    for (here, axis), (there, other) in pairs:
        connections[here][axis][1] = (there, other, False)
        connections[there][other][0] = (here, axis, False)
        sides = (here, "XY".index(axis), 1), (there, "XY".index(other), -1)
        contacts.append(mpiortho.contact_join([(N, N)] * tiles, *sides, reversed=[axis != other] * 2))
    return {
        tile: {axis: tuple(of) for axis, of in sides.items()} for tile, sides in connections.items()
    }, contacts


def cube():
    contacts = mpiortho.contact_cubed_sphere([(N, N)] * 6)
    pairs = [
        ((c.tile, "XY"[c.dimension]), (c.donor, "XY"[abs(c.transform[c.dimension]) - 1])) for c in contacts
    ]
    connections, again = connected(pairs)
    assert sorted(again) == sorted(contacts)
    compare(connections, contacts)


def caps():
    """The 13 faces of a grid of latitudes and longitudes with a cap, as MITgcm has it (LLC)."""
    pairs = ["0X 3X", "0Y 1Y", "1X 4X", "1Y 2Y", "2X 5X", "2Y 6X", "3X 9Y", "3Y 4Y", "4X 8Y", "4Y 5Y",
             "5X 7Y", "5Y 6Y", "6X 7X", "6Y 10X", "7X 8X", "7Y 10Y", "8X 9X", "8Y 11Y", "9Y 12Y",
             "10X 11X", "10Y 2X", "11X 12X", "11Y 1X", "12Y 0X"]  # fmt: skip
    compare(*connected([[(int(side[:-1]), side[-1]) for side in pair.split()] for pair in pairs]))


def fold():
    """All pivots, and fields at T, U, V and F.  xgcm's rows of V and F points are others where the pivot lies
    on a T or U point: ours are those of the symmetry there, row 2 N - 3 - j for row j beyond the fold."""
    coords = {"X": {"center": "x", "right": "xr"}, "Y": {"center": "y", "right": "yr"}}
    dataset = xr.Dataset(coords={name: range(N) for name in ("x", "xr", "y", "yr")})
    values = np.arange(4.0 * N * N).reshape(4, 1, N, N) + 1
    dims = [("x", "y"), ("xr", "y"), ("x", "yr"), ("xr", "yr")]
    for pivot in "TUVF":
        padding = {"X": "periodic", "Y": {"fold": pivot}}
        grid = Grid(dataset, coords=coords, padding=padding, autoparse_metadata=False)
        mosaic = mosaic_of([mpiortho.contact_periodic((N, N), 0), mpiortho.contact_fold((N, N), pivot)], 1)
        ours = padded(mosaic, values, location="tuvf", vector=[1, 2])
        for number, (b, names) in enumerate(zip(ours, dims)):
            field = xr.DataArray(values[number, 0], dims=names)
            given = {"XY"[number - 1]: field} if number in (1, 2) else field
            theirs = pad(given, grid, {"Y": (0, GHOSTS)}).transpose(*names).values[:, N:]
            beyond = b[0, OWNED, -GHOSTS:]
            if pivot in "TU" and number in (2, 3):
                sign = -1 if number == 2 else 1
                partner = (N + (pivot == "T") - 2 * (0.5 + 0.5 * (number == 3)) - np.arange(N)).astype(
                    int
                ) % N
                wanted = np.array([sign * values[number, 0, partner, 2 * N - 3 - j] for j in (N, N + 1)]).T
                assert (beyond == wanted).all(), (pivot, number, beyond, wanted)
            else:
                assert (beyond == theirs).all(), (pivot, number, beyond, theirs)


{"cube": cube, "caps": caps, "fold": fold}[sys.argv[1]]()
