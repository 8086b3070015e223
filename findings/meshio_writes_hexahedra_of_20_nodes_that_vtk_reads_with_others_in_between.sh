#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: meshio 5.3.5 with netCDF4 1.7.5.1, and VTK 9.7.2.
# Expected: meshio numbers nodes as VTK does and changes them to a file's order, so a hexahedron of 20 nodes
# comes through a file of Exodus as it was.
# Seen: nodes in the middle of upright edges and of upper ones change places: Exodus numbers the upright ones
# first, VTK the upper ones, and meshio writes VTK's order. By VTK's reader the unit cube has the volume 1/12.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile meshio==5.3.5 netCDF4==1.7.5.1.post1 vtk==9.7.2 || exit 2
cat >t.py <<'END'
import meshio
import numpy as np
import vtk

corners = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
edges = [(z + i, z + (i + 1) % 4) for z in (0, 4) for i in range(4)] + [(i, i + 4) for i in range(4)]
points = np.array(corners + [np.mean([corners[a], corners[b]], axis=0) for a, b in edges], float)
mesh = meshio.Mesh(points, [("hexahedron20", [list(range(20))])])  # in the order of VTK
for ending, reader in ("vtu", vtk.vtkXMLUnstructuredGridReader()), ("e", vtk.vtkExodusIIReader()):
    mesh.write("cube." + ending)
    reader.SetFileName("cube." + ending)
    reader.Update()
    grid = reader.GetOutput()
    while not grid.IsA("vtkUnstructuredGrid"):
        grid = grid.GetBlock(0)
    away = 0
    for i in range(12):
        a, b, middle = (np.array(grid.GetCell(0).GetEdge(i).GetPoints().GetPoint(k)) for k in range(3))
        away += not np.allclose((a + b) / 2, middle)
    size = vtk.vtkCellSizeFilter()
    size.SetInputData(grid)
    size.Update()
    volume = size.GetOutput().GetCellData().GetArray("Volume").GetValue(0)
    print(f"{ending}: {away} of 12 edges have another middle, volume {volume:.4f}")
END
timeout 100 python -W ignore t.py >seen || exit 2
cat seen
grep -q '^vtu: 0 of 12 .* 1.0000$' seen && grep -q '^e: 8 of 12 .* 0.0833$' seen
