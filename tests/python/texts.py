# SPDX-License-Identifier: BSD-3-Clause
"""The examples of all texts of the package do what they say; and all public names have a text with one."""

import doctest
import importlib
import inspect
import pkgutil
import sys

import numpy as np
from mpi4py import MPI

import mpiortho

ring = mpiortho.grid(MPI.COMM_WORLD, (0,), periodic=True, stencil=[(-1,), (1,)])
given = {
    "ring": ring,
    "everybody": mpiortho.Communicator(MPI.COMM_WORLD),
    "np": np,
    "MPI": MPI,
    "mpiortho": mpiortho,
}
failed = attempted = 0
for info in pkgutil.iter_modules(mpiortho.__path__, "mpiortho."):
    if info.name.endswith(("_core", "bench", "plan")):
        continue
    result = doctest.testmod(importlib.import_module(info.name), extraglobs=given)
    failed, attempted = failed + result.failed, attempted + result.attempted
result = doctest.testmod(mpiortho, extraglobs=given)
failed, attempted = failed + result.failed, attempted + result.attempted

without = []
for name in mpiortho.__all__:
    thing = getattr(mpiortho, name)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        listed = [(name, thing)]
        if inspect.isclass(thing) and name not in ("Error", "Transfer", "Window"):
            listed += [
                (f"{name}.{m}", f) for m, f in vars(thing).items() if not m.startswith("_") and callable(f)
            ]
        without += [n for n, f in listed if ">>>" not in (f.__doc__ or "")]
if MPI.COMM_WORLD.rank == 0:
    print(f"{attempted} examples, {failed} failed; without one: {without}")
sys.exit(failed > 0 or without != [] or attempted < 250)
