#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MFEM 4.10 (package mfem 4.10.0.1 of PyPI).
# Expected: MakeCartesian2D(4, 4) numbers cells by rows, as it does vertices: the fifth one is above the first
# one, and an array of 4 x 4 values is a field that is constant in each cell.
# Seen: cells go along a Hilbert curve: the third one is above the second one. In three dimensions the second
# one is in y. The last argument, sfc_ordering, is true where it is left out, and changes cells alone.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile --only-binary mfem mfem==4.10.0.1 || exit 2
cat >t.py <<'END'
import mfem.ser as mfem


def first_six(name, mesh):
    point, dimensions = mfem.Vector(), range(mesh.SpaceDimension())
    cells, vertices = [], []
    for i in range(6):
        mesh.GetElementCenter(i, point)
        cells.append("".join(f"{point[d] - 0.5:g}" for d in dimensions))
        vertices.append("".join(f"{mesh.GetVertexArray(i)[d]:g}" for d in dimensions))
    print(f"{name}: cells", *cells, "vertices", *vertices)


flat, box = mfem.Element.QUADRILATERAL, mfem.Element.HEXAHEDRON
first_six("4 x 4", mfem.Mesh.MakeCartesian2D(4, 4, flat, True, 4.0, 4.0))
first_six("by rows", mfem.Mesh.MakeCartesian2D(4, 4, flat, True, 4.0, 4.0, False))
first_six("2 x 2 x 2", mfem.Mesh.MakeCartesian3D(2, 2, 2, box, 2.0, 2.0, 2.0))
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
4 x 4: cells 00 10 11 01 02 03 vertices 00 10 20 30 40 01
by rows: cells 00 10 20 30 01 11 vertices 00 10 20 30 40 01
2 x 2 x 2: cells 000 010 011 001 101 111 vertices 000 100 200 010 110 210
END
cmp -s seen expected
