#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: pyfive 1.3.0 with h5py 3.16.0 and NumPy 2.4.6.
# Expected: a reader of HDF5 gives the fill value for a chunk that no process has written, and for a virtual
# dataset, which joins the files of the processes, their values, or an error that it cannot.
# Seen: [:] of the virtual dataset is None, though its shape is (6,) and its type float64. Where one chunk of
# two was written, even that one cannot be read with [:]: KeyError. An array without any chunk, and the first
# chunk alone, are right.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v || exit 2
v/bin/pip -q install --no-compile pyfive==1.3.0 h5py==3.16.0 numpy==2.4.6 || exit 2
cat >t.py <<'END'
import h5py
import numpy as np
import pyfive

joined = h5py.VirtualLayout((6,), "f8")
for rank in 0, 1:
    with h5py.File(f"rank{rank}.h5", "w") as file:
        file["u"] = 10.0 * rank + np.arange(3)
    joined[3 * rank : 3 * rank + 3] = h5py.VirtualSource(f"rank{rank}.h5", "u", (3,))
with h5py.File("all.h5", "w") as file:
    file.create_virtual_dataset("joined", joined, fillvalue=-1)
    for name in "half", "none":
        file.create_dataset(name, (8,), "f8", chunks=(4,), fillvalue=-1)
    file["half"][0:4] = 5


def read(dataset, cells):
    try:
        return dataset[cells]
    except KeyError as error:
        return f"KeyError {error}"


for library in h5py, pyfive:
    with library.File("all.h5") as file:
        u = file["joined"]
        print(library.__name__, "joined", u.shape, u.dtype, read(u, slice(None)))
        for name, cells in ("none", slice(None)), ("half", slice(0, 4)), ("half", slice(None)):
            print(library.__name__, name, cells.start, cells.stop, read(file[name], cells))
END
timeout 100 v/bin/python t.py >seen || exit 2
cat seen
cat >expected <<'END'
h5py joined (6,) float64 [ 0.  1.  2. 10. 11. 12.]
h5py none None None [-1. -1. -1. -1. -1. -1. -1. -1.]
h5py half 0 4 [5. 5. 5. 5.]
h5py half None None [ 5.  5.  5.  5. -1. -1. -1. -1.]
pyfive joined (6,) float64 None
pyfive none None None [-1. -1. -1. -1. -1. -1. -1. -1.]
pyfive half 0 4 [5. 5. 5. 5.]
pyfive half None None KeyError (4,)
END
cmp -s expected seen
