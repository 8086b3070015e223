#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: VTK 9.7.2 (package vtk of PyPI) with NumPy 2.4.6.
# Expected: vtkGhostCellsGenerator joins pieces where their coordinates meet, whatever numbers points have:
# the ghost of the piece 0 1 2 is the cell from 2 to 3, of a rectilinear grid as of an image.
# Seen: an image is right. Of rectilinear pieces that each count their points from 0 the ghost is the far cell
# of the neighbor, at the wrong end: coordinates are 3 0 1 2, and 5 2 3 4 1 in the middle, and the cell from 3
# to 0 has the value of the cell from 3 to 4. If pieces count on, 0 2 4, all is right.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install --no-compile vtk==9.7.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPartitionedDataSet, vtkRectilinearGrid
from vtkmodules.vtkFiltersParallelDIY2 import vtkGhostCellsGenerator


def piece(kind, x, first):  # three points from x on, the first of which has this number
    grid = kind()
    grid.SetExtent(first, first + 2, 0, 1, 0, 0)
    if kind is vtkImageData:
        grid.SetOrigin(x - first, 0, 0)
    else:
        grid.SetXCoordinates(numpy_to_vtk(x + np.arange(3.0), deep=1))
        grid.SetYCoordinates(numpy_to_vtk(np.arange(2.0), deep=1))
        grid.SetZCoordinates(numpy_to_vtk(np.zeros(1), deep=1))
    left = numpy_to_vtk(x + np.arange(2), deep=1)  # each cell has the coordinate of its left end
    left.SetName("left")
    grid.GetCellData().AddArray(left)
    return grid


image, rectilinear = vtkImageData, vtkRectilinearGrid
for kind, firsts in (image, (0, 0, 0)), (rectilinear, (0, 2, 4)), (rectilinear, (0, 0, 0)):
    pieces = vtkPartitionedDataSet()
    for i, first in enumerate(firsts):
        pieces.SetPartition(i, piece(kind, 2 * i, first))
    ghosts = vtkGhostCellsGenerator()
    ghosts.SetNumberOfGhostLayers(1)
    ghosts.BuildIfRequiredOff()
    ghosts.SetInputData(pieces)
    ghosts.Update()
    print(kind.__name__, "from", *firsts)
    for i in range(3):
        grid = ghosts.GetOutputDataObject(0).GetPartition(i)
        x = [int(grid.GetPoint(point)[0]) for point in range(grid.GetNumberOfPoints() // 2)]
        print(f"piece {i}: points", *x, " cells", *vtk_to_numpy(grid.GetCellData().GetArray("left")))
END
cat >expected <<'END'
piece 0: points 3 0 1 2  cells 3 0 1
piece 1: points 5 2 3 4 1  cells 5 2 3 0
piece 2: points 4 5 6 3  cells 4 5 2
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
tail -n 3 seen | cmp -s - expected
