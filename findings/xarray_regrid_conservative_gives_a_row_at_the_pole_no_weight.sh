#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: xarray-regrid 0.4.2 with xarray 2026.9.0 and NumPy 2.4.6.
# Expected: a conservative regridding keeps the integral over the sphere, and a constant; from a grid to
# itself it changes nothing. A row of cells at a latitude of 90, as in grids of ERA5, is a cap of half their
# height.
# Seen: the row at 90 has the weight 0: its area is taken between the latitudes 85 and 95, of cells 10 degrees
# high. So a field of 1 becomes NaN at the poles of the same grid. In the cell from 80 to 90 degrees, a
# quarter of which is the cap, the value at the pole does not count.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile xarray-regrid==0.4.2 xarray==2026.9.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import xarray as xr
import xarray_regrid  # noqa: F401

longitude = np.arange(0.0, 360, 30)
rows = np.arange(-90.0, 91, 10)


def regridded(values, latitude):
    field = xr.Dataset(
        {"f": (("latitude", "longitude"), np.repeat(values[:, None], 12, axis=1))},
        {"latitude": rows, "longitude": longitude},
    )
    target = xr.Dataset(coords={"latitude": latitude, "longitude": longitude})
    return field.regrid.conservative(target, latitude_coord="latitude").f.values[:, 0]


def mean(values, latitude):
    south, north = (np.clip(latitude + by, -90, 90) for by in (-5, 5))
    return np.sum(values * (np.sin(np.radians(north)) - np.sin(np.radians(south)))) / 2


between = np.arange(-85.0, 90, 10)
north = np.where(rows == 90, 1.0, 0)
print("1 on the same grid:", *regridded(np.ones(19), rows))
cap, cell = (1 - np.sin(np.radians(edge)) for edge in (85, 80))
print("the cap's part of the cell 80 ... 90:", round(cap / cell, 2))
print("1 at the pole alone:", regridded(north, between)[-1])
print("mean before and after:", round(mean(north, rows), 4), mean(regridded(north, between), between))
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
1 on the same grid: nan 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 nan
the cap's part of the cell 80 ... 90: 0.25
1 at the pole alone: 0.0
mean before and after: 0.0019 0.0
END
cmp -s expected seen
