#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: meshio 5.3.5 with h5py 3.16.0, and Gmsh 4.15.2.
# Expected: a cell of positive volume that goes through a MED file has that volume behind it.
# Seen: Gmsh reads tetrahedra, pyramids, prisms and hexahedra of meshio with a negative one. For Gmsh the
# nodes of a cell go the other way round in MED, for meshio they do not. Meshio reads what it wrote as it was.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install meshio==5.3.5 h5py==3.16.0 gmsh==4.15.2 || exit 2
cat >t.py <<'END'
import sys

import gmsh
import meshio
import numpy as np

low = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
cells = {  # of volume 1/6, 1/3, 1/2 and 1
    "tetra": low[:2] + [low[3], [0, 0, 1]],
    "pyramid": low + [[0, 0, 1]],
    "wedge": low[:2] + [low[3]] + [[0, 0, 1], [1, 0, 1], [0, 1, 1]],
    "hexahedron": low + [[x, y, 1] for x, y, _ in low],
}
kind, ending = sys.argv[1:]
points = np.array(cells[kind], float)
file = kind + "." + ending
meshio.write(file, meshio.Mesh(points, [(kind, [list(range(len(points)))])]))
back = meshio.read(file)
gmsh.initialize()
gmsh.option.setNumber("General.Verbosity", 1)
gmsh.open(file)
of = gmsh.model.mesh.getElements(3)[0][0]
at, weights = gmsh.model.mesh.getIntegrationPoints(of, "Gauss4")
determinants = gmsh.model.mesh.getJacobians(of, at)[1]
volume = sum(w * d for w, d in zip(weights, determinants))
same = np.array_equal(back.points[back.cells[0].data[0]], points)
print(f"{file}: 1/volume {round(1 / volume)}, by meshio {'as it was' if same else 'others'}")
END
for kind in tetra pyramid wedge hexahedron; do
    timeout 30 v/bin/python -W ignore t.py $kind med >>seen || exit 2
done
cat seen
printf '%s, by meshio as it was\n' 'tetra.med: 1/volume -6' 'pyramid.med: 1/volume -3' \
    'wedge.med: 1/volume -2' 'hexahedron.med: 1/volume -1' | cmp -s - seen
