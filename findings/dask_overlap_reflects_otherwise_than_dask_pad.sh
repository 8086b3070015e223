#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: dask 2026.8.0 with NumPy 2.4.6.
# Expected: the boundary 'reflect' of overlap and map_overlap makes the ghosts that pad(mode='reflect') makes.
# Seen: overlap repeats the value at the wall (0 0 1), pad of dask and of NumPy leaves it out (1 0 1).
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install 'dask[array]==2026.8.0' numpy==2.4.6 || exit 2
cat >t.py <<'END'
import dask.array as da
import numpy as np

u = np.array([0.0, 1.0, 4.0, 9.0])
blocks = da.from_array(u, chunks=2)
rows = {
    "overlap": da.overlap.overlap(blocks, depth=1, boundary="reflect").compute()[[0, 1, -2, -1]],
    "dask.pad": da.pad(blocks, 1, mode="reflect").compute()[[0, 1, -2, -1]],
    "numpy.pad": np.pad(u, 1, mode="reflect")[[0, 1, -2, -1]],
}
for name, ends in rows.items():
    print(name, *ends)
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^overlap 0.0 0.0 9.0 9.0' seen && grep -q '^dask.pad 1.0 0.0 9.0 4.0' seen
