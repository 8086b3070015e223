#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: mpi-list 0.4.0 with mpi4py 4.1.2 and MPICH 5.0.2.
# Expected: collect(root=None) gives the whole list to all processes: "if root is None, then all ranks receive
# the result", says its manual.
# Seen: all processes send all of it to all others by allgather, and each gets None, as one that is not the
# root. On one process, too, where collect() gives the list.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile mpi_list==0.4.0 mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
from mpi_list import Context

context = Context()
cells = context.iterates(5)
calls = {"its part": cells.E, "collect()": cells.collect(), "collect(None)": cells.collect(None)}
for name, found in calls.items():
    each = context.comm.gather(found)
    if context.rank == 0:
        print(f"{name}:", *each, flush=True)
END
for n in 1 2; do
    echo "$n processes"
    timeout 100 mpiexec -n $n python -W ignore t.py || exit 2
done >seen
cat seen
cat >expected <<'END'
1 processes
its part: [0, 1, 2, 3, 4]
collect(): [0, 1, 2, 3, 4]
collect(None): None
2 processes
its part: [0, 1, 2] [3, 4]
collect(): [0, 1, 2, 3, 4] None
collect(None): None None
END
cmp -s expected seen
