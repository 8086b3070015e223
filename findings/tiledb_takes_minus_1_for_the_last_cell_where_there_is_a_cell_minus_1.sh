#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: TileDB-Py 0.36.1 (package tiledb of PyPI) with NumPy 2.4.6.
# Expected: indices of a dense array are coordinates, so with the domain -1 ... 4 (a ghost at -1) A[0] is the
# second cell and A[-1] the first one; or they count from the front, and A[0] is the first one.
# Seen: both. A[0] is the cell 0, A[-1] is the cell 4, A[-1:5] is the cell 4 alone, and multi_index[-1] is the
# cell -1. A[-1] = 7 writes cell 4: nothing but [:] and multi_index reaches the ghost.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install --no-compile tiledb==0.36.1 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import tiledb

cells = tiledb.Dim("i", domain=(-1, 4), tile=3, dtype=np.int32)
schema = tiledb.ArraySchema(tiledb.Domain(cells), attrs=[tiledb.Attr("u", dtype=np.float64)])
tiledb.Array.create("a", schema)
with tiledb.open("a", "w") as a:
    a[:] = np.arange(-1.0, 5.0) * 10  # the cell i has 10 i
with tiledb.open("a") as a:
    print("[:]", *a[:]["u"], " [0]", a[0]["u"], " [-1]", a[-1]["u"], " [4]", a[4]["u"])
    print("[0:5]", *a[0:5]["u"], " [-1:5]", *a[-1:5]["u"], " multi_index[-1]", *a.multi_index[-1]["u"])
with tiledb.open("a", "w") as a:
    a[-1] = 7.0
with tiledb.open("a") as a:
    print("after [-1] = 7:", *a[:]["u"])
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
[:] -10.0 0.0 10.0 20.0 30.0 40.0  [0] 0.0  [-1] 40.0  [4] 40.0
[0:5] 0.0 10.0 20.0 30.0 40.0  [-1:5] 40.0  multi_index[-1] -10.0
after [-1] = 7: -10.0 0.0 10.0 20.0 30.0 7.0
END
cmp -s expected seen
