#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Gmsh 4.15.2 (package gmsh of PyPI).
# Expected: six cells in a row, periodic by setPeriodic, in three parts: each part has two ghost cells.
# Seen: parts 1 and 3 have one: ghosts end at the periodic boundary. Yet the file of part 1 pairs its nodes
# with nodes of part 3 that it does not have.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install gmsh==4.15.2 || exit 2
cat >t.py <<'END'
import gmsh

gmsh.initialize()
for option in "PartitionCreateGhostCells", "PartitionSplitMeshFiles":
    gmsh.option.setNumber("Mesh." + option, 1)
gmsh.option.setNumber("General.Verbosity", 1)
mesh = gmsh.model.mesh
gmsh.model.occ.addRectangle(0, 0, 0, 6, 1)  # curves: south, east, north, west
gmsh.model.occ.synchronize()
for curve, nodes in (1, 7), (3, 7), (2, 2), (4, 2):
    mesh.setTransfiniteCurve(curve, nodes)
mesh.setTransfiniteSurface(1)
mesh.setRecombine(2, 1)
mesh.setPeriodic(1, [2], [4], [1, 0, 0, 6, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
mesh.generate(2)
nodes, coordinates, _ = mesh.getNodes()
x = dict(zip(nodes, coordinates[0::3]))
elements, parts, middle = [], [], {}
for dimension, corners in (2, 4), (1, 2), (0, 1):
    _, (tags,), (of,) = mesh.getElements(dimension)
    for i, tag in enumerate(tags):
        middle[tag] = sum(x[node] for node in of[corners * i : corners * (i + 1)]) / corners
        elements.append(tag)
        parts.append(min(2, int(middle[tag] // 2)) + 1)  # part 1 has x from 0 to 2, part 3 from 4 to 6
mesh.partition(3, elements, parts)
for dimension, surface in gmsh.model.getEntities(2):
    if gmsh.model.getType(dimension, surface) == "Ghost surface":
        ghosts, owners = mesh.getGhostElements(dimension, surface)
        print("part", gmsh.model.getPartitions(dimension, surface)[0], "has", *[middle[g] for g in ghosts])
gmsh.write("ring.msh")
section, there = None, set()
for line in open("ring_1.msh"):
    section = line.strip() if line.startswith("$") else section
    if section == "$Nodes" and line.strip().isdigit():
        there.add(int(line))
paired = [{int(a), int(b)} for a, b in zip(*mesh.getPeriodicNodes(1, 2)[1:3])]
print("pairs:", "$Periodic" in open("ring_1.msh").read(), "with both nodes:", sum(p <= there for p in paired))
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^part 1 has 2.5$' seen && grep -q '^part 3 has 3.5$' seen &&
    grep -q '^part 2 has [14].5 [14].5$' seen && grep -q '^pairs: True with both nodes: 0$' seen
