#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: GHEX 0.9.0, in Python.
# Expected: IndexSpace.decompose divides evenly, as numpy.array_split does: 10 cells on 4 processes are
# 3, 3, 2, 2.
# Seen: all but the last process get the quotient without the remainder: 2, 2, 2, 4, and
# 1, 1, 1, 1, 1, 1, 1, 8 of 15 cells on 8. Blocks are not those of a library beside it.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install numpy==2.4.6 || exit 2
timeout 300 pip -q download --no-deps --no-binary ghex ghex==0.9.0 && tar -xzf ghex-0.9.0.tar.gz || exit 2
cat >t.py <<'END'
import numpy
from cartesian_sets import IndexSpace  # a module of GHEX that needs nothing compiled

for cells, processes in (12, 4), (10, 4), (15, 8):
    parts = IndexSpace.from_sizes(cells).decompose((processes,))
    got = [parts[p,].subset["definition"].shape[0] for p in range(processes)]
    even = [len(part) for part in numpy.array_split(range(cells), processes)]
    print(cells, "on", processes, got, "array_split", even)
END
PYTHONPATH=ghex-0.9.0/bindings/python/src/ghex/structured timeout 60 python t.py >seen || exit 2
cat seen
grep -q '^12 on 4 \[3, 3, 3, 3\] ' seen && grep -q '^10 on 4 \[2, 2, 2, 4\] ' seen &&
    grep -q '^15 on 8 \[1, 1, 1, 1, 1, 1, 1, 8\] ' seen
