#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: sectionate 0.3.4 with xgcm 0.9.0, xarray 2026.9.0 and NumPy 2.4.6.
# Expected: extract_tracer tells the mean of the cells on both sides of each face of a section, that of one
# cell beside land, and NaN between two cells of land, which are NaN.
# Seen: a mean of 0, such as of a water of 0 degrees or of -1 and 1, is NaN, too: land is where the result is
# 0. A plot of the section has gaps there, and its mean leaves them out.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile sectionate==0.3.4 xgcm==0.9.0 xarray==2026.9.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import sectionate
import xarray as xr
import xgcm

nan = np.nan
south, north = [-2, 0, -1, 3, nan, nan], [-2, 0, 1, 5, 7, nan]
lon, lat = np.meshgrid(np.arange(0.0, 70, 10), np.arange(0.0, 30, 10))
grid = xgcm.Grid(
    xr.Dataset(
        {"t": (("yh", "xh"), [south, north])},
        {
            "xh": range(6), "yh": range(2), "xq": range(7), "yq": range(3),
            "lon_c": (("yq", "xq"), lon), "lat_c": (("yq", "xq"), lat),
        },
    ),
    coords={"X": {"center": "xh", "outer": "xq"}, "Y": {"center": "yh", "outer": "yq"}},
    boundary={"X": "extend", "Y": "extend"},
    autoparse_metadata=False,
)
i, j, *_ = sectionate.grid_section(grid, [0, 60], [10, 10])
assert list(i) == list(range(7)) and set(j) == {1}
print("south of the section:", south)
print("north of the section:", north)
print("on it:", sectionate.extract_tracer("t", grid, i, j).values.tolist())
END
timeout 200 v/bin/python -W ignore t.py >seen || exit 2
cat seen
grep -qxF 'on it: [-2.0, nan, nan, 4.0, 7.0, nan]' seen
