#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: FiPy 4.0.3 with NumPy 2.4.6 and SciPy 1.17.1.
# Expected: PeriodicGrid1D(nx=4, dx=1) * 2 is PeriodicGrid1D(nx=4, dx=2), and a grid that is moved by 10 has
# its cells between its faces, as PeriodicGrid2D has.
# Seen: cells of twice the size are taken modulo the old period 4: the last one is at 3 in place of 7, at a
# distance of -6 from the one before. The Laplacian of 0 1 4 9 ends in 1.17, not in -3.5. A grid that is
# moved by 10 has faces from 10 to 14 and cells at 2.5, 3.5, 0.5 and 1.5.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile fipy==4.0.3 numpy==2.4.6 scipy==1.17.1 || exit 2
cat >t.py <<'END'
import fipy
import numpy as np

once = fipy.PeriodicGrid1D(nx=4, dx=1.0)
for name, grid in ("dx=2", fipy.PeriodicGrid1D(nx=4, dx=2.0)), ("dx=1, times 2", once * 2.0):
    u = fipy.CellVariable(mesh=grid, value=[0.0, 1.0, 4.0, 9.0])
    laplacian = np.round(u.faceGrad.divergence.value, 2)
    print(name + ": cells at", *grid.cellCenters.value[0], " Laplacian", *laplacian)
moved = once + [10.0]
print("moved by 10: cells at", *moved.cellCenters.value[0], " faces", *moved.faceCenters.value[0])
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
dx=2: cells at 1.0 3.0 5.0 7.0  Laplacian 2.5 0.5 0.5 -3.5
dx=1, times 2: cells at 1.0 3.0 5.0 3.0  Laplacian 2.5 0.5 0.5 1.17
moved by 10: cells at 2.5 3.5 0.5 1.5  faces 10.0 11.0 12.0 13.0 14.0
END
cmp -s expected seen
