#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: xarray 2026.9.0 with NumPy 2.4.6.
# Expected: pad(mode='wrap') makes periodic ghosts of values; the coordinate goes on, or is NaN there.
# Seen: the coordinate wraps, too: 3 0 1 2 3 0, and differentiate() is wrong at both ends of the domain.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install xarray==2026.9.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import xarray

x = np.arange(8.0)
u = xarray.DataArray(np.sin(2 * np.pi * x / 8), dims="x", coords={"x": x})
ghosts = u.pad(x=1, mode="wrap")
print("coordinate", *ghosts.x.values)
print("of a constant pad", *u.pad(x=1).x.values)
print("derivative", *ghosts.differentiate("x").values[1:-1].round(3))
print("by hand", *((np.roll(u.values, -1) - np.roll(u.values, 1)) / 2).round(3))
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^coordinate 7.0 0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 0.0' seen &&
    [ "$(sed -n 's/^derivative //p' seen)" != "$(sed -n 's/^by hand //p' seen)" ]
