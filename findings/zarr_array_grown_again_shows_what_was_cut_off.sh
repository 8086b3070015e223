#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: zarr 3.1.6, h5py 3.16.0 with NumPy 2.4.6.
# Expected: an array that was made shorter and longer again has the fill value in the new part, as in HDF5.
# Seen: values that were cut off come back, up to the end of the last chunk.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install zarr==3.1.6 h5py==3.16.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import h5py
import numpy as np
import zarr

steps = zarr.create_array("steps", shape=(6,), chunks=(4,), dtype="f8", fill_value=0)
file = h5py.File("steps.h5", "w")
others = file.create_dataset("steps", shape=(6,), chunks=(4,), maxshape=(None,), dtype="f8", fillvalue=0)
for name, array in ("zarr", steps), ("h5py", others):
    array[:] = np.arange(1.0, 7)
    array.resize((2,))  # back to step 2
    array.resize((6,))  # steps 3 to 6 are yet to come
    print(name, *array[:])
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^zarr 1.0 2.0 3.0 4.0 0.0 0.0' seen && grep -q '^h5py 1.0 2.0 0.0 0.0 0.0 0.0' seen
