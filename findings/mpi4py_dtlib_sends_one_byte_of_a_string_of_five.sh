#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: mpi4py 4.1.2 with MPICH 5.0.2 and NumPy 2.4.6.
# Expected: dtlib.from_numpy_dtype makes a datatype that sends a record whole, or refuses it, as it refuses
# the field "V5" and the order of bytes of another machine.
# Seen: of a string "S5" it takes the first byte, of "U5" the first character: names of particles arrive as
# "a" and "g" in place of "alpha" and "gamma". Of an array of strings 2 elements are 2 bytes. No error.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && . v/bin/activate || exit 2
pip -q install --no-compile mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import numpy as np
from mpi4py import MPI
from mpi4py.util import dtlib


def arrives(sent):
    datatype = dtlib.from_numpy_dtype(sent.dtype).Commit()
    received = np.zeros_like(sent)
    there, here = [sent, sent.size, datatype], [received, sent.size, datatype]
    MPI.COMM_SELF.Sendrecv(there, 0, 0, here, 0, 0)
    print(f"{sent.dtype.itemsize} bytes each, the datatype has {datatype.size}:", received.tolist())


for name in "S5", "U5":
    particle = np.dtype([("name", name), ("mass", "f8"), ("place", "f8", 2)])
    arrives(np.array([("alpha", 1.5, (2, 3)), ("gamma", 4.5, (5, 6))], particle))
arrives(np.array([b"alpha", b"gamma"]))
try:
    dtlib.from_numpy_dtype(np.dtype("V5"))
except ValueError as error:
    print("V5:", error)
END
timeout 100 mpiexec -n 1 python t.py >seen || exit 2
cat seen
cat >expected <<'END'
29 bytes each, the datatype has 25: [(b'a', 1.5, array([2., 3.])), (b'g', 4.5, array([5., 6.]))]
44 bytes each, the datatype has 28: [('a', 1.5, array([2., 3.])), ('g', 4.5, array([5., 6.]))]
5 bytes each, the datatype has 1: [b'al', b'']
V5: cannot map code 'V' to MPI datatype
END
cmp -s expected seen
