#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: freud 3.4.0 (package freud-analysis of PyPI) with NumPy 2.4.6.
# Expected: wrap() puts a point into the box, get_images() tells how many periods it moved by, and unwrap() of
# both is the point again. A point that is in the box already has the image 0.
# Seen: wrap() keeps -2 in a box from -2 to 2, and takes 2 there; get_images() gives -1 for -2 and 1 for 2, as
# if both faces were outside. So -2 comes back as -6. Seven of 16 points of a lattice that freud itself makes
# are on such faces.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile freud-analysis==3.4.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import freud
import numpy as np

box, points = freud.data.UnitCell.square().generate_system(4)
images, inside = box.get_images(points), box.wrap(points)
wrong = np.abs(box.unwrap(inside, images) - points).max(axis=1) > 0.5
print("a lattice in the box", box.Lx, "x", box.Ly, "moved by wrap:", int((inside != points).sum()))
print("with an image:", int(images.any(axis=1).sum()), "of", len(points), "come back elsewhere:", wrong.sum())
for x in -2, -1, 0, 1, 2, 6, -2.5, -6:
    at = np.array([[x, 0, 0]])
    image, wrapped = box.get_images(at), box.wrap(at)
    back = box.unwrap(wrapped, image)[0, 0]
    print(f"{x}: wrapped {wrapped[0, 0]:g}, image {image[0, 0]}, unwrapped {back:g}")
END
timeout 100 v/bin/python -W ignore t.py >seen || exit 2
cat seen
cat >expected <<'END'
a lattice in the box 4.0 x 4.0 moved by wrap: 0
with an image: 7 of 16 come back elsewhere: 7
-2: wrapped -2, image -1, unwrapped -6
-1: wrapped -1, image 0, unwrapped -1
0: wrapped 0, image 0, unwrapped 0
1: wrapped 1, image 0, unwrapped 1
2: wrapped -2, image 1, unwrapped 2
6: wrapped -2, image 2, unwrapped 6
-2.5: wrapped 1.5, image -1, unwrapped -2.5
-6: wrapped -2, image -2, unwrapped -10
END
cmp -s expected seen
