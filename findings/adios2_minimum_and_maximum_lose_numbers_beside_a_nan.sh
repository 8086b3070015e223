#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: ADIOS2 2.12.1 (package adios2 2.12.1.1001 of PyPI), with its engines BP4 and BP5 (the default).
# Expected: the minimum and the maximum of a block with a NaN, such as a masked cell, are NaN, or those of the
# numbers: 0 and 99 of 0, 1 ... 99 and a NaN. Readers skip blocks by them.
# Seen: BP5 tells 0 and 0 if the NaN is the last one, 99 and 99 if it is the first one, and 0 and 99 in the
# middle. Of 5 1 9 NaN 6 7 it tells 1 and 7, and BP4 tells 5 and 9: each loses a number that is there.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install adios2==2.12.1.1001 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import adios2
import numpy as np

nan = float("nan")
numbers = list(range(100))
arrays = {
    "last": numbers + [nan],
    "first": [nan] + numbers,
    "middle": numbers[:50] + [nan] + numbers[50:],
    "5 1 9 NaN 6 7": [5, 1, 9, nan, 6, 7],
}
adios = adios2.Adios()
for engine in "BP4", "BP5":
    for name, values in arrays.items():
        io = adios.declare_io(engine + name)
        io.set_engine(engine)
        with adios2.Stream(io, "u.bp", "w") as file:
            file.begin_step()
            file.write("u", np.array(values, "f8"), [len(values)], [0], [len(values)])
            file.end_step()
        with adios2.FileReader("u.bp") as file:
            told = file.available_variables()["u"]
            print(engine, name, float(told["Min"]), float(told["Max"]))
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^BP5 last 0.0 0.0$' seen && grep -q '^BP5 first 99.0 99.0$' seen &&
    grep -q '^BP5 middle 0.0 99.0$' seen && grep -q '^BP5 5 1 9 NaN 6 7 1.0 7.0$' seen &&
    grep -q '^BP4 5 1 9 NaN 6 7 5.0 9.0$' seen
