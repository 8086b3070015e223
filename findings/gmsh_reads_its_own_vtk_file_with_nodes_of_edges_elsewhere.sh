#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Gmsh 4.15.2 and VTK 9.7.2, both of PyPI.
# Expected: a cell that Gmsh writes to a VTK file is the same one when Gmsh reads that file, as it is for VTK.
# Seen: Gmsh writes VTK's order, and in cells of second order it makes that change again when it reads, not
# the inverse. A cube of volume 8 with 20 nodes comes back with -2.4, with 27 nodes with -0.23, and a prism
# of 6 nodes inside out. VTK reads all of them right.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile gmsh==4.15.2 vtk==9.7.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import gmsh
import numpy as np
import vtk

gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
gmsh.option.setNumber("Mesh.SaveAll", 1)
mesh = gmsh.model.mesh


def volume(kind):
    points, weights = mesh.getIntegrationPoints(kind, "Gauss4")
    return round(float(mesh.getJacobians(kind, points)[1] @ weights), 2) + 0.0


for kind in 5, 17, 12, 11, 6, 18:
    name, _, _, n, nodes, _ = mesh.getElementProperties(kind)
    gmsh.clear()
    entity = gmsh.model.addDiscreteEntity(3)
    mesh.addNodes(3, entity, list(range(1, n + 1)), nodes)
    mesh.addElementsByType(entity, kind, [1], list(range(1, n + 1)))
    made = volume(kind)
    gmsh.write("cell.vtk")
    gmsh.clear()
    gmsh.merge("cell.vtk")
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName("cell.vtk")
    reader.Update()
    cell = reader.GetOutput().GetCell(0)
    places = np.array([cell.GetPoints().GetPoint(i) for i in range(n)])
    unit = np.array([cell.GetParametricCoords()[i] for i in range(3 * n)]).reshape(n, 3)
    unit = np.c_[unit, np.ones(n)]  # VTK's nodes of the cell: is it an image of them?
    straight = np.abs(unit @ np.linalg.lstsq(unit, places)[0] - places).max() < 1e-9
    print(f"{name}: volume {made}, read by Gmsh {volume(kind)}, by VTK", "right" if straight else "wrong")
END
timeout 100 python t.py >seen || exit 2
cat seen
grep -qx 'Hexahedron 8: volume 8.0, read by Gmsh 8.0, by VTK right' seen &&
    grep -qx 'Hexahedron 20: volume 8.0, read by Gmsh -2.4, by VTK right' seen &&
    grep -qx 'Hexahedron 27: volume 8.0, read by Gmsh -0.23, by VTK right' seen &&
    grep -qx 'Prism 6: volume 1.0, read by Gmsh -1.0, by VTK right' seen
