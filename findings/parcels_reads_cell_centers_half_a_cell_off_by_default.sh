#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Parcels 4.0.2 (package parcels of PyPI) with xarray 2026.9.0 and NumPy 2.4.6.
# Expected: a field that SGRID places at the centers of cells has its own value there, as a field at the nodes
# has at nodes, by the interpolation that FieldSet.from_sgrid_conventions chooses: of x comes x.
# Seen: every field gets XLinear, which takes values at centers for values at nodes. With the padding "none"
# and "high" x = 2.5 has 3, with "low" it has 2. At nodes, and for velocities, it is right. Nothing is said.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile parcels==4.0.2 xarray==2026.9.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
import parcels
import xarray

node = np.arange(6.0)
time = np.array(["2026-01-01", "2026-01-02"], "M8[ns]")
for padding, center in ("none", node[:-1] + 0.5), ("high", node + 0.5), ("low", node - 0.5):
    topology = {
        "cf_role": "grid_topology",
        "topology_dimension": 2,
        "node_dimensions": "x y",
        "face_dimensions": f"xc: x (padding: {padding}) yc: y (padding: {padding})",
        "node_coordinates": "lon lat",
    }
    axes = {"x": ("X", node), "xc": ("X", center), "y": ("Y", node), "yc": ("Y", center)}
    coordinates = {name: (name, values, {"axis": axis}) for name, (axis, values) in axes.items()}
    coordinates |= {"time": ("time", time, {"axis": "T"}), "lon": ("x", node), "lat": ("y", node)}

    def x_at(y, x):
        values = np.broadcast_to(axes[x][1], (2, len(axes[y][1]), len(axes[x][1])))
        return ("time", y, x), values.copy()

    fields = {"at_nodes": x_at("y", "x"), "at_centers": x_at("yc", "xc")}
    fields |= {"U": x_at("yc", "x"), "V": x_at("y", "xc"), "grid": ((), 0, topology)}
    fieldset = parcels.FieldSet.from_sgrid_conventions(xarray.Dataset(fields, coordinates), mesh="flat")
    print(f"padding {padding}:", end="")
    for name in "at_nodes", "at_centers", "UV":
        field = getattr(fieldset, name)
        value = field.eval(*(np.array([place]) for place in (0.0, 0.0, 2.5, 2.5)))
        print(f" {name} {value[0].item()}", end="")
    print(", by", type(fieldset.at_centers.interp_method).__name__)
END
timeout 200 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
padding none: at_nodes 2.5 at_centers 3.0 UV 2.5, by XLinear
padding high: at_nodes 2.5 at_centers 3.0 UV 2.5, by XLinear
padding low: at_nodes 2.5 at_centers 2.0 UV 2.5, by XLinear
END
cmp -s expected seen
