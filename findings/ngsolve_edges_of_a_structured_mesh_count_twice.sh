#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: NGSolve 6.2.2608, one process.
# Expected: the integral of 1 over the edges of a unit cube (BBND) is 12, whoever made the mesh.
# Seen: 12 for a cube of Open Cascade; 24 for one of CSG, and for MakeStructured3DMesh. These have each edge
# once for each of its two faces. Volume and surface are right. Loads on edges are doubled, too.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile ngsolve==6.2.2608 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import netgen.csg
import netgen.occ
import ngsolve
from ngsolve.meshes import MakeStructured3DMesh

meshes = {
    "Open Cascade": ngsolve.Mesh(netgen.occ.unit_cube.GenerateMesh(maxh=0.5)),
    "CSG": ngsolve.Mesh(netgen.csg.unit_cube.GenerateMesh(maxh=0.5)),
    "structured": MakeStructured3DMesh(True, 2, 2, 2),
}
for name, mesh in meshes.items():
    sizes = [ngsolve.Integrate(ngsolve.CF(1), mesh, of) for of in (ngsolve.VOL, ngsolve.BND, ngsolve.BBND)]
    edges = {frozenset(v.nr for v in edge.vertices) for edge in mesh.Elements(ngsolve.BBND)}
    print(f"{name}: volume {sizes[0]:.6f}, faces {sizes[1]:.6f}, edges {sizes[2]:.6f};",
          f"{mesh.GetNE(ngsolve.BBND)} segments, {len(edges)} of them different")
END
timeout 100 python t.py >seen || exit 2
cat seen
cat >expected <<'END'
Open Cascade: volume 1.000000, faces 6.000000, edges 12.000000; 24 segments, 24 of them different
CSG: volume 1.000000, faces 6.000000, edges 24.000000; 48 segments, 24 of them different
structured: volume 1.000000, faces 6.000000, edges 24.000000; 48 segments, 24 of them different
END
cmp -s expected seen
