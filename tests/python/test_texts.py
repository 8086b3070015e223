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
import mpiortho.plan
from mpiortho._collectives import Collectives


def test_examples(ring, everybody):
    given = {"ring": ring, "everybody": everybody, "np": np, "MPI": MPI, "mpiortho": mpiortho}
    modules = [
        importlib.import_module(info.name) for info in pkgutil.iter_modules(mpiortho.__path__, "mpiortho.")
    ]
    # Methods that are called in C are found here.
    methods = {name: getattr(Collectives, name) for name in vars(Collectives) if not name.startswith("_")}
    sys.modules[Collectives.__module__].__test__ = {f"a text of {name}": f for name, f in methods.items()}
    results = [
        doctest.testmod(module, extraglobs=given)
        for module in [mpiortho, *modules]
        # Open MPI 4.1.4 has no windows on one process, and what the planner says one of them need ask.
        if not module.__name__.endswith("_core" if everybody.size > 1 else ("_core", "_window"))
        and (module is not mpiortho.plan or everybody.rank == 0)
    ]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 280


def test_all_names_have_one():
    without = []
    for package in (mpiortho, mpiortho.plan):
        for name in package.__all__:
            thing = getattr(package, name)
            listed = [(name, thing)] if inspect.isclass(thing) or inspect.isfunction(thing) else []
            if package is mpiortho.plan and inspect.isclass(thing):
                continue  # what its functions return
            if inspect.isclass(thing) and name not in ("Error", "Transfer", "Window"):
                listed += [
                    (f"{name}.{m}", f)
                    for m, f in vars(thing).items()
                    if not m.startswith("_") and callable(f)
                ]
            without += [n for n, f in listed if ">>>" not in (f.__doc__ or "")]
    assert without == []
