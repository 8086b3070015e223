#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: nemo_cookbook 2026.9.1 with NumPy 2.4.6 and xarray 2026.9.0.
# Expected: create_dom_mask(..., cd_nat="U", iperio=True) takes the U point of the last column for water if
# the last and the first T point are; each other U point, if the T points on both of its sides are.
# Seen: without a fold the last U point is always land, as in a domain that is not periodic. And the T point
# of the second column stands for that of the last one: land there closes the U point before the last, and
# land in the last column leaves it open. With a fold (c_NFtype "T" or "F") all are as expected.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile nemo_cookbook==2026.9.1 numpy==2.4.6 xarray==2026.9.0 || exit 2
cat >t.py <<'END'
import numpy as np
import xarray as xr
from nemo_cookbook.masks import create_dom_mask

columns, rows, levels = 6, 5, 2
places = dict(x=np.arange(columns), y=np.arange(rows))
depths = xr.DataArray(np.arange(levels), dims="nav_lev", coords=dict(nav_lev=np.arange(levels)))


def field(water, number):
    return xr.DataArray(np.tile(np.where(water, number, 0), (rows, 1)), dims=("y", "x"), coords=places)


for land in None, 1, 5:
    water = np.arange(columns) != land
    print("T points of water:", *water.astype(int), " U points:", *(water & np.roll(water, -1)).astype(int))
    for fold in None, "F":
        mask = create_dom_mask(depths, field(water, 1), field(water, levels), "U", fold, True)
        print("   with", "a fold:" if fold else "no fold:", *mask.values[0, 2].astype(int))
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
T points of water: 1 1 1 1 1 1  U points: 1 1 1 1 1 1
   with no fold: 1 1 1 1 1 0
   with a fold: 1 1 1 1 1 1
T points of water: 1 0 1 1 1 1  U points: 0 0 1 1 1 1
   with no fold: 0 0 1 1 0 0
   with a fold: 0 0 1 1 1 1
T points of water: 1 1 1 1 1 0  U points: 1 1 1 1 0 0
   with no fold: 1 1 1 1 1 0
   with a fold: 1 1 1 1 0 0
END
cmp -s expected seen
