#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: cf-python 3.21.0 with cfdm 1.13.3.0, dask 2026.8.0, NumPy 2.4.6 and UDUNITS 2.2.28.
# Expected: halo() takes ghosts of a cyclic axis from the other end, 3 | 0 1 2 3 | 0: it says that the axis
# "is no longer considered to be cyclic" then. Behind the fold of a tripolar grid the next ghosts are the last
# row turned round, and the ones behind them are the row before.
# Seen: ghosts are the values at the same end, cyclic or not: 0 | 0 1 2 3 | 3, and longitude 22.5 before 22.5.
# Two layers are 0 1 | 0 1 2 3 | 2 3, in that order: behind the fold come the row before, then the last one.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
apt-get download libudunits2-0=2.2.28-5 libudunits2-data=2.2.28-5 >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
lib=$(dirname "$(find "$PWD/usr" -name libudunits2.so.0)") && ln -s libudunits2.so.0 "$lib/libudunits2.so"
v/bin/pip -q install --no-compile cf-python==3.21.0 cfdm==1.13.3.0 dask==2026.8.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import cf

u = cf.Data([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
u.cyclic(1)
print("cyclic", u.halo({1: 1}).array[0], "two layers", u.halo({1: 2}).array[0])
for row in u.halo({0: 2, 1: 0}, tripolar={"X": 1, "Y": 0}).array[2:]:
    print("fold", row)
field = cf.example_field(0)
print("a field's cyclic axis", field.cyclic(), field.halo(1, axes="X").coordinate("X").array)
END
export LD_LIBRARY_PATH="$lib" UDUNITS2_XML_PATH="$PWD/usr/share/xml/udunits/udunits2.xml"
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
cyclic [0 0 1 2 3 3] two layers [0 1 0 1 2 3 2 3]
fold [0 1 2 3]
fold [4 5 6 7]
fold [ 8  9 10 11]
fold [7 6 5 4]
fold [11 10  9  8]
a field's cyclic axis {'domainaxis1'} [ 22.5  22.5  67.5 112.5 157.5 202.5 247.5 292.5 337.5 337.5]
END
cmp -s expected seen
