#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: METIS as in pymetis 2025.2.2; it is so with Debian's METIS 5.1.0, too.
# Expected: METIS keeps neighbors together by either of its methods, such as 10 x 10 processes on 9 nodes.
# Seen: from 9 parts on pymetis takes the k-way method. That cuts 89 of 180 edges and leaves 21 pieces.
# Recursive bisection cuts 44 and leaves 9; to count off 11 or 12 at a time cuts 88. Of a chain of 64 in 64
# parts k-way leaves 36 parts empty, bisection none.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install pymetis==2025.2.2 || exit 2
cat >t.py <<'END'
import pymetis

n, parts = 10, 9
edges = [(n * y + x, n * y + x + 1) for y in range(n) for x in range(n - 1)]
edges += [(n * y + x, n * y + x + n) for y in range(n - 1) for x in range(n)]
near = [[] for _ in range(n * n)]
for a, b in edges:
    near[a].append(b)
    near[b].append(a)


def cut(name, part):
    inner = [(a, b) for a, b in edges if part[a] == part[b]]
    piece = list(range(n * n))
    for _ in piece:  # the smallest vertex of each piece spreads
        for a, b in inner:
            piece[a] = piece[b] = min(piece[a], piece[b])
    print(f"{name}: {len(edges) - len(inner)} of {len(edges)} edges cut, {len(set(piece))} pieces")
    return len(edges) - len(inner)


kway = cut("k-way", pymetis.part_graph(parts, near)[1])
bisection = cut("bisection", pymetis.part_graph(parts, near, recursive=True)[1])
counted = cut("counted", [i * parts // n**2 for i in range(n * n)])
chain = [[i for i in (v - 1, v + 1) if 0 <= i < 64] for v in range(64)]
empty = [64 - len(set(pymetis.part_graph(64, chain, recursive=r)[1])) for r in (False, True)]
print("empty parts of a chain: k-way", empty[0], "bisection", empty[1])
print("surprise:", kway >= counted and kway > 1.5 * bisection and empty[0] > 16 and empty[1] == 0)
END
timeout 60 v/bin/python t.py >seen || exit 2
cat seen
grep -q '^surprise: True' seen
