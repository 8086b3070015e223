#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: netCDF 4.10.1 with HDF5 2.2.0 in netCDF4 1.7.5.1.post1; h5netcdf 1.8.2, h5py 3.16.0, NumPy 2.4.6.
# Expected: c(x, t) with t unlimited has 2 of 4 steps: what another variable has written since reads as the
# fill value, in each row behind the 2 values that are there.
# Seen: c[:] has the values of all rows packed in front, and the fill value behind them: row 1 begins with
# values of row 2. One row, and c[:, :2], are right, and so is e(t, x). H5netcdf reads the same file rightly.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile netCDF4==1.7.5.1.post1 h5netcdf==1.8.2 h5py==3.16.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import h5netcdf
import netCDF4
import numpy as np

with netCDF4.Dataset("a.nc", "w") as file:
    file.createDimension("x", 3)
    file.createDimension("t", None)
    c = file.createVariable("c", "i4", ("x", "t"), fill_value=-1)
    e = file.createVariable("e", "i4", ("t", "x"), fill_value=-1)
    longer = file.createVariable("longer", "i4", ("t",))
    c[:, 0:2] = [[0, 1], [10, 11], [20, 21]]
    e[0:2, :] = np.transpose([[0, 1], [10, 11], [20, 21]])
    longer[0:4] = 0
with netCDF4.Dataset("a.nc") as file:
    file.set_auto_mask(False)
    c, e = file["c"], file["e"]
    print("netCDF c[:]", c[:].tolist())
    print("netCDF c[1]", c[1].tolist(), " c[:, :2]", c[:, :2].tolist())
    print("netCDF e[:].T", e[:].T.tolist())
with h5netcdf.File("a.nc") as file:
    print("h5netcdf c[:]", file["c"][:].tolist())
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
netCDF c[:] [[0, 1, 10, 11], [20, 21, -1, -1], [-1, -1, -1, -1]]
netCDF c[1] [10, 11, -1, -1]  c[:, :2] [[0, 1], [10, 11], [20, 21]]
netCDF e[:].T [[0, 1, -1, -1], [10, 11, -1, -1], [20, 21, -1, -1]]
h5netcdf c[:] [[0, 1, -1, -1], [10, 11, -1, -1], [20, 21, -1, -1]]
END
cmp -s expected seen
