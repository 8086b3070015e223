#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: gcm-filters 0.5.1.
# Expected: on a grid of MOM5T the Laplacian is that of other grids: 2 of x^2 and 2 of y^2, whatever the shape
# of cells, and 0 of a constant beside land.
# Seen: 0.5 of x^2 and 8 of y^2 on cells of 1 x 2: widths in x divide differences in y. With x and y of all
# arrays exchanged it is right, and in either order land is masked along the wrong axis: fluxes of a constant
# go into it from 5 cells. MOM5U does the same, IRREGULAR_WITH_LAND does not.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install --no-compile gcm-filters==0.5.1 || exit 2
cat >t.py <<'END'
import gcm_filters
import numpy as np
from gcm_filters.kernels import ALL_KERNELS

y, x = np.meshgrid(np.arange(8) * 2.0, np.arange(10) * 1.0, indexing="ij")
ocean = np.ones((8, 10))
ocean[3:5, 4:7] = 0  # six cells of land
widths = {"dx": 1.0, "dy": 2.0, "ar": 2.0, "ka": 1.0}  # dxt ..., dyt ..., areas, kappas


def laplacian(kernel, order, field, wet):
    turned = np.transpose if order == "x y" else np.array
    names = [name for name in kernel.required_grid_args() if name != "wet_mask"]
    args = {name: turned(np.full((8, 10), widths[name[:2]])) for name in names}
    return turned(kernel(wet_mask=turned(wet), **args)(turned(field)))


for name, order in ("IRREGULAR_WITH_LAND", "y x"), ("MOM5T", "y x"), ("MOM5T", "x y"), ("MOM5U", "y x"):
    kernel = ALL_KERNELS[gcm_filters.GridType[name]]
    of_x, of_y = (laplacian(kernel, order, square, np.ones((8, 10)))[4, 5] for square in (x**2, y**2))
    beside = np.count_nonzero(laplacian(kernel, order, ocean, ocean)[ocean == 1])
    print(f"{name}, arrays [{order}]: x^2 {of_x}, y^2 {of_y}, not 0 beside land {beside}")
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
IRREGULAR_WITH_LAND, arrays [y x]: x^2 2.0, y^2 2.0, not 0 beside land 0
MOM5T, arrays [y x]: x^2 0.5, y^2 8.0, not 0 beside land 5
MOM5T, arrays [x y]: x^2 2.0, y^2 2.0, not 0 beside land 5
MOM5U, arrays [y x]: x^2 0.5, y^2 8.0, not 0 beside land 5
END
cmp -s seen expected
