#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: nemo_cookbook 2026.9.1 with NumPy 2.4.6 and xarray 2026.9.0.
# Expected: lbc_nfd() fills the halo rows beyond a fold, and its halo columns are those of the other end of
# the domain, which is periodic there. T and V points of a column have one x: their columns turn in one way.
# Seen: with a pivot at F points ("F") the last columns of V hold the values of the column beside the right
# one: V[-1] is not V[1] where there is one halo column. T, U and F, the first columns, and all with a pivot
# at T points are as expected.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile nemo_cookbook==2026.9.1 numpy==2.4.6 xarray==2026.9.0 || exit 2
cat >t.py <<'END'
import numpy as np
import xarray as xr
from nemo_cookbook.lbc import lbc_nfd

columns, rows = 8, 5
for halo in 1, 2:
    for pivot in "TF":
        for points in "TUVF":
            inner = np.arange(100, 100 + rows * columns).reshape(rows, columns)
            whole = np.pad(inner, ((0, 0), (halo, halo)), mode="wrap")
            whole = np.pad(whole, ((halo, halo), (0, 0)))[np.newaxis]
            places = dict(x=np.arange(whole.shape[2]), y=np.arange(whole.shape[1]))
            given = xr.DataArray(whole, dims=("k", "y", "x"), coords=places)
            beyond = lbc_nfd(pivot, points, halo, given, 1).values[0, -halo:]
            first_is_last = np.array_equal(beyond[:, :halo], beyond[:, columns : columns + halo])
            last_is_first = np.array_equal(beyond[:, -halo:], beyond[:, halo : 2 * halo])
            print(f"halo of {halo}, pivot at {pivot}, {points}: periodic at the begin", end=" ")
            print(f"{first_is_last}, at the end {last_is_first}")
            if halo == 1 and not last_is_first:
                print("   beyond the fold:", *beyond[0])
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
halo of 1, pivot at F, V: periodic at the begin True, at the end False
END
grep False seen | cut -c1-200 | head -n 1 | cmp -s - expected && [ "$(grep -c False seen)" = 2 ]
