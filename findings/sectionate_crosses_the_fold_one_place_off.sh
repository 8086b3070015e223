#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: sectionate 0.3.4 with xgcm 0.9.0, xarray 2026.9.0 and NumPy 2.4.6.
# Expected: with topology="MOM-tripolar" a section goes on behind the fold where it has left off: from corner
# i of the last row of corners, 0 ... nx, to the row before, at corner nx - i, which is the same place in the
# last row. What flows through it is the difference of the stream function at its ends.
# Seen: it goes on at nx - 1 - i, which is the fold of cells, not of corners. So it steps to a place beside,
# and a face is missing in the transport or counted twice. It is so with corners on "outer" and on "right"
# positions.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile sectionate==0.3.4 xgcm==0.9.0 xarray==2026.9.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import sectionate
import xarray as xr
import xgcm

nx, ny = 24, 6  # a cap of confocal ellipses, seen from above the pole; the last row is the fold
angle, size = np.meshgrid(2 * np.pi * np.arange(nx + 1) / nx, np.linspace(1.2, 0, ny + 1))
z = 0.3 * np.cosh(size) * np.cos(angle) + 0.3j * np.sinh(size) * np.sin(angle)
psi = np.real(z) + 2 * np.imag(z)
assert np.allclose(z[-1], z[-1, ::-1])
for where, skip in ("outer", 0), ("right", 1):
    stream, at = psi[skip:, skip:], z[skip:, skip:]
    u, v = -np.diff(psi, axis=0)[:, skip:], np.diff(psi, axis=1)[skip:]
    degrees = {"lon": np.degrees(np.angle(at)), "lat": 90 - 2 * np.degrees(np.arctan(abs(at)))}
    coords = {name + "_c": (("yq", "xq"), of) for name, of in degrees.items()}
    coords |= {name: (("yh", "xh"), of[-ny:, -nx:]) for name, of in degrees.items()}
    coords |= {"xh": range(nx), "yh": range(ny), "xq": range(nx + 1 - skip), "yq": range(ny + 1 - skip)}
    grid = xgcm.Grid(
        xr.Dataset({"umo": (("yh", "xq"), u), "vmo": (("yq", "xh"), v)}, coords),
        coords={"X": {"center": "xh", where: "xq"}, "Y": {"center": "yh", where: "yq"}},
        boundary={"X": "periodic", "Y": "extend"},
        autoparse_metadata=False,
    )
    for name, lons in ("across the fold", [90, -90]), ("on one side", [60, 120]):
        i, j, *_ = sectionate.grid_section(grid, lons, [60, 60], topology="MOM-tripolar")
        flow = sectionate.convergent_transport(grid, i, j, layer=None, interface=None)
        through = flow.conv_mass_transport.sum()
        difference = stream[j[-1], i[-1]] - stream[j[0], i[0]]
        print(where, name, [(a + skip, b + skip) for a, b in zip(j.tolist(), i.tolist())])
        print(f"   transport {abs(float(through)):.3f}, stream function {abs(difference):.3f}")
END
timeout 200 v/bin/python -W ignore t.py >seen || exit 2
cat seen
grep -q 'outer across.*(6, 6), (5, 17), (5, 18)' seen &&
    grep -q 'right across.*(6, 6), (5, 19), (5, 18)' seen &&
    [ "$(grep -c 'transport \(.*\), stream function \1' seen)" = 2 ]
