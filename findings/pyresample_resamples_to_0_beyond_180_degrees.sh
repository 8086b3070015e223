#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: pyresample 1.35.0 with pyproj 3.7.2 and NumPy 2.4.6.
# Expected: an AreaDefinition from 0 to 360 degrees is as good as one from -180 to 180: what is resampled to
# it, from it, or from it to itself, has a value everywhere, or an error says that it cannot be.
# Seen: kd_tree leaves out what lies at longitudes above 180, without a word: half of the globe is 0, the
# default fill value, even on the same grid. With lon_0=180 in the projection it is right. The column of 359.9
# degrees is told as 0 in place of 11, and that of 210 is masked.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile pyresample==1.35.0 pyproj==3.7.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
from pyresample.geometry import AreaDefinition
from pyresample.kd_tree import resample_nearest


def globe(first, **how):
    return AreaDefinition("globe", "", "", {"proj": "longlat", **how}, 12, 6, (first, -90, first + 360, 90))


west, east, turned = globe(-180), globe(0), globe(-180, lon_0=180)
areas = {"-180 ... 180": west, "0 ... 360": east, "lon_0=180": turned}
for source, target in (west, west), (west, east), (east, west), (east, east), (west, turned):
    names = [name for of in (source, target) for name, area in areas.items() if area is of]
    longitude = source.get_lonlats()[0] % 360
    row = resample_nearest(source, longitude, target, radius_of_influence=1e5)[2]
    print(" to ".join(names) + ":", *row.astype(int))
columns, _ = east.get_array_indices_from_lonlat(np.array([0.1, 179.9, 210, 359.9, -150]), np.zeros(5))
print("columns of 0.1 179.9 210 359.9 -150 in 0 ... 360:", *columns.filled(-99))
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
-180 ... 180 to -180 ... 180: 195 225 255 285 315 345 15 45 75 105 135 165
-180 ... 180 to 0 ... 360: 15 45 75 105 135 165 0 0 0 0 0 0
0 ... 360 to -180 ... 180: 0 0 0 0 0 0 15 45 75 105 135 165
0 ... 360 to 0 ... 360: 15 45 75 105 135 165 0 0 0 0 0 0
-180 ... 180 to lon_0=180: 195 225 255 285 315 345 15 45 75 105 135 165
columns of 0.1 179.9 210 359.9 -150 in 0 ... 360: 0 5 -99 0 -99
END
cmp -s expected seen
