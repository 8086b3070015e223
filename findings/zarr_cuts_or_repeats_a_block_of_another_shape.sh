#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: zarr 3.1.6 with NumPy 2.4.6.
# Expected: a block with its ghosts that is written to a smaller region is an error, as in NumPy and h5py.
# Seen: the front of the block is written, moved by the ghosts; of a block too small the last row repeats.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install zarr==3.1.6 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import zarr


def write(values, what):
    field = zarr.create_array("field", shape=(6,), chunks=(2,), dtype="f8", fill_value=0, overwrite=True)
    for name, target in ("numpy", np.zeros(6)), ("zarr", field):
        try:
            target[2:6] = values
            print(what, name, *target[:])
        except ValueError:
            print(what, name, "error")


write(np.array([-1.0, 1, 2, 3, 4, -1]), "with ghosts:")  # 1 to 4 are the block
write(np.array([1.0, 2, 3]), "too small:")
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^with ghosts: numpy error' seen && grep -q '^with ghosts: zarr 0.0 0.0 -1.0 1.0 2.0 3.0' seen &&
    grep -q '^too small: zarr 0.0 0.0 1.0 2.0 3.0 3.0' seen
