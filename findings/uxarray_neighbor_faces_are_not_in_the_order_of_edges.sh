#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: uxarray 2026.10.0.
# Expected: entry i of face_face_connectivity is the face across edge i of face_edge_connectivity, or no face.
# Seen: the neighbors stand packed in front and sorted, so fluxes through edges go to other faces.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install uxarray==2026.10.0 || exit 2
cat >t.py <<'END'
import numpy as np
import uxarray

# Two times two quadrilaterals; nodes 0 1 2 in the south, 6 7 8 in the north.
faces = np.array([[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]])
side = np.array([0.0, 10, 20])
grid = uxarray.Grid.from_topology(np.tile(side, 3), np.repeat(side, 3), faces, fill_value=-1)
edges = grid.face_edge_connectivity.values
faces_of_edge = grid.edge_face_connectivity.values
told = grid.face_face_connectivity.values
others = 0
for face in range(4):
    across = [[f for f in faces_of_edge[e] if f != face and f >= 0] for e in edges[face]]
    right = [f[0] if f else "-" for f in across]
    seen = [f if f >= 0 else "-" for f in told[face]]
    print(f"face {face}: across its edges", *right, " told", *seen)
    others += right != seen
print("differ:", others)
END
timeout 200 v/bin/python -W ignore t.py >seen || exit 2
cat seen
grep -q '^differ: [1-4]' seen
