#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: ADIOS2 2.12.1 (package adios2 2.12.1.1001 of PyPI).
# Expected: FileReader.read(name, step_selection=[step, 1]) gives what that step wrote, as Stream's steps do,
# or refuses, if an array has another size in each step, such as cells or particles that move.
# Seen: each step comes in the shape of the first one: a longer one is cut, a shorter one ends in zeros.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install adios2==2.12.1.1001 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import adios2
import numpy as np

for name, sizes in ("grows", (2, 4)), ("shrinks", (4, 2)):
    with adios2.Stream(name + ".bp", "w") as file:
        for step, n in enumerate(sizes):
            file.begin_step()
            file.write("u", np.arange(1.0, n + 1) + 10 * step, [n], [0], [n])
            file.end_step()
    with adios2.Stream(name + ".bp", "r") as file:
        streamed = [file.read("u").tolist() for _ in file.steps()]
    with adios2.FileReader(name + ".bp") as file:
        print(name, "step 1, by Stream:", *streamed[1])
        print(name, "step 1, by FileReader:", *file.read("u", step_selection=[1, 1]))
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
grows step 1, by Stream: 11.0 12.0 13.0 14.0
grows step 1, by FileReader: 11.0 12.0
shrinks step 1, by Stream: 11.0 12.0
shrinks step 1, by FileReader: 11.0 12.0 0.0 0.0
END
cmp -s seen expected
