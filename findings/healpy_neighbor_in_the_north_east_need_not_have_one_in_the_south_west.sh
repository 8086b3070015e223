#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: healpy 1.20.1.
# Expected: get_all_neighbours tells neighbors by directions, SW, W, NW, N, NE, E, SE and S. The neighbor in
# the north-east has this pixel in the south-west: what is sent to NE is received from SW.
# Seen: not across the four seams of each polar cap, where the axes turn by a quarter. There the neighbor in
# the north-east has this pixel in the north-west. So it is at 16 nside - 8 of 12 nside^2 pixels.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install --no-compile healpy==1.20.1 || exit 2
cat >t.py <<'END'
import healpy

names = "SW W NW N NE E SE S".split()
for nside in 1, 2, 4, 8:
    near = [healpy.get_all_neighbours(nside, pixel).tolist() for pixel in range(12 * nside**2)]
    others, back = set(), set()
    for pixel, row in enumerate(near):
        for direction, other in enumerate(row):
            if other >= 0 and near[other][(direction + 4) % 8] != pixel:
                others.add(pixel)
                if names[direction] == "NE":
                    back.add(names[near[other].index(pixel)])
    print(f"nside {nside}: {len(others)} of {len(near)} pixels, NE comes back from", *sorted(back))
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
printf 'nside %s pixels, NE comes back from NW\n' '1: 8 of 12' '2: 24 of 48' '4: 56 of 192' '8: 120 of 768' |
    cmp -s - seen
