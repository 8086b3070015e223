#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: pyresample 1.35.0 with pyproj 3.7.2 and NumPy 2.4.6.
# Expected: area[::2, ::2] is the area of data[::2, ::2]: as many cells, each where it was, as a
# SwathDefinition gives with the same slices.
# Seen: every second one of the cells at 15, 45 ... 165 is at 25, 75, 125 in place of 15, 75, 135: the new
# extent ends where the last cell that is kept ends, and is divided evenly. If the step leaves a rest, a cell
# is missing.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile pyresample==1.35.0 pyproj==3.7.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
from pyresample.geometry import AreaDefinition, SwathDefinition

area = AreaDefinition("a", "", "", {"proj": "longlat"}, 6, 6, (0, -90, 180, 90))
swath = SwathDefinition(*area.get_lonlats())
data = np.zeros(area.shape)
for name, x in ("1:5", slice(1, 5)), ("::2", slice(None, None, 2)), ("::4", slice(None, None, 4)):
    for kind, of in ("area", area), ("swath", swath):
        part = of[x, x]
        print(f"{kind}[{name}]: {part.shape} cells at", *part.get_lonlats()[0][0].round(1))
    print(f"data[{name}]: {data[x, x].shape}")
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
area[1:5]: (4, 4) cells at 45.0 75.0 105.0 135.0
swath[1:5]: (4, 4) cells at 45.0 75.0 105.0 135.0
data[1:5]: (4, 4)
area[::2]: (3, 3) cells at 25.0 75.0 125.0
swath[::2]: (3, 3) cells at 15.0 75.0 135.0
data[::2]: (3, 3)
area[::4]: (1, 1) cells at 75.0
swath[::4]: (2, 2) cells at 15.0 135.0
data[::4]: (2, 2)
END
cmp -s expected seen
