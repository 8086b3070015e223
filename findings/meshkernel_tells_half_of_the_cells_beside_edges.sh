#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: meshkernel 8.3.0.
# Expected: mesh2d_get() tells two cells for each edge (edge_faces, -1 at a border), as it tells two nodes
# (edge_nodes), and for each cell as many edges (face_edges) as nodes (face_nodes).
# Seen: edge_faces ends after one number for each edge, and face_edges after one for each cell: 12 of 24 and 4
# of 16 for 2 x 2 squares. The second half of the edges has no neighbors.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install --no-compile meshkernel==8.3.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import meshkernel

kernel = meshkernel.MeshKernel(projection=meshkernel.ProjectionType.CARTESIAN)
size = meshkernel.MakeGridParameters()
size.num_columns = size.num_rows = 2
size.block_size_x = size.block_size_y = 1.0
kernel.curvilinear_compute_rectangular_grid(size)
kernel.curvilinear_convert_to_mesh2d()
mesh = kernel.mesh2d_get()
edges, cells = len(mesh.edge_x), len(mesh.face_x)
print(edges, "edges and", cells, "cells")
names = "edge_nodes", "edge_faces", "face_nodes", "face_edges"
for name, count in zip(names, (2 * edges, 2 * edges, 4 * cells, 4 * cells)):
    print(name, len(getattr(mesh, name)), "of", count, getattr(mesh, name).tolist())
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^12 edges and 4 cells' seen && grep -q '^edge_nodes 24 of 24' seen &&
    grep -q '^edge_faces 12 of 24' seen && grep -q '^face_nodes 16 of 16' seen &&
    grep -q '^face_edges 4 of 16' seen
