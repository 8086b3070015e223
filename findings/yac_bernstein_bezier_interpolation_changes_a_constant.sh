#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: YAC 3.21.0 (package yac of PyPI) with mpi4py 4.1.2 and Open MPI 4.1.4 (Debian's).
# Expected: every method of interpolation gives 288 where the field is 288 everywhere: weights add up to 1.
# Seen: add_bernstein_bezier gives 286.12 to 290.85 between cells of 45 degrees, 287.97 between cells of 15:
# its cubic polynomials on the sphere hold no constant, and nothing makes the weights add up to 1. Averages,
# nearest neighbors and conservative interpolation keep it.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile yac==3.21.0 numpy==2.4.6 mpi4py==4.1.2 || exit 2
cat >t.py <<'END'
import numpy as np
import yac.core as yac


def points(name, n, first):
    """Cells of 360 / n degrees around the globe, between 80 degrees south and north."""
    longitudes = np.radians(np.arange(n) * 360 / n + first)
    latitudes = np.radians(np.linspace(-80, 80, n // 2 + 1))
    grid = yac.BasicGrid.reg_2d_new(name, longitudes, latitudes, [True, False])
    x, y = np.meshgrid(longitudes + np.pi / n, (latitudes[1:] + latitudes[:-1]) / 2)
    return yac.InterpField(grid.add_coordinates(yac.yac_location.YAC_LOC_CELL, x.ravel(), y.ravel()))


for n in 8, 24:
    source = points(f"source{n}", n, 0.0)
    target = points(f"target{n}", n, 180 / n)  # half a cell further east
    for method in "average", "nnn", "conservative", "bernstein_bezier":
        stack = yac.InterpolationStack()
        getattr(stack, "add_" + method)()
        weights = yac.compute_weights(stack, source, target).get_interpolation(collection_size=1)
        result = np.asarray(weights(np.full((1, n * (n // 2)), 288.0)))
        print(f"{360 // n} degrees, {method}: {result.min():.2f} to {result.max():.2f}")
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
grep -qx '45 degrees, average: 288.00 to 288.00' seen && grep -qx '45 degrees, nnn: 288.00 to 288.00' seen &&
    grep -qx '45 degrees, conservative: 288.00 to 288.00' seen &&
    grep -qx '45 degrees, bernstein_bezier: 286.12 to 290.85' seen &&
    grep -qx '15 degrees, bernstein_bezier: 287.97 to 288.00' seen
