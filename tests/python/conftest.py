# SPDX-License-Identifier: BSD-3-Clause
"""pytest under mpiexec: a test that fails on one process ends all, so that none waits for ever."""

import re
import sys

import numpy as np
import pytest
from mpi4py import MPI

import mpiortho


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        sys.__stdout__.write(
            f"rank {MPI.COMM_WORLD.rank} of {MPI.COMM_WORLD.size}: {item.nodeid}\n{report.longreprtext}\n"
            f"{report.capstdout}\n"
        )
        sys.__stdout__.flush()
        MPI.COMM_WORLD.Abort(1)


@pytest.fixture(scope="session")
def world():
    return MPI.COMM_WORLD


@pytest.fixture(scope="session")
def ring():
    return mpiortho.grid(MPI.COMM_WORLD, (0,), periodic=True, stencil=[(-1,), (1,)])


@pytest.fixture(scope="session")
def everybody():
    return mpiortho.Communicator(MPI.COMM_WORLD)


def add(a, b, kind):
    """For MPI.Op.Create()."""
    np.copyto(np.frombuffer(b), np.frombuffer(a) + np.frombuffer(b))


def frozen(array):
    array.flags.writeable = False
    return array


def refused(error, words, function, *arguments, **more):
    """The call raises this error, or one of this class of MPI's, with these words."""
    try:
        function(*arguments, **more)
    except mpiortho.Error if isinstance(error, int) else error as raised:
        assert re.search(words, str(raised)), raised
        assert not isinstance(error, int) or raised.error_class == error
        return raised.with_traceback(None)  # which would keep the arguments
    pytest.fail(f"this was to be refused: {words}")


def padded(array, widths, periodic, kinds, signs, values):
    """The global array as numpy.pad makes it, one side after the other."""
    for k, (lower, upper) in enumerate(widths):
        n = array.shape[k]
        sides = []
        for side, depth in ((0, lower), (1, upper)):
            kind = "wrap" if periodic[k] else kinds[k][side]
            pad = [(0, 0)] * array.ndim
            pad[k] = (depth, 0) if side == 0 else (0, depth)
            what = {"constant_values": values[k][side]} if kind == "constant" else {}
            wide = np.pad(array, pad, mode=kind or "constant", **what)
            ghosts = np.take(wide, range(depth) if side == 0 else range(n, n + depth), axis=k)
            sign = 1 if periodic[k] or kind == "constant" else signs[k][side]
            sides.append(sign * ghosts)
        array = np.concatenate([sides[0], array, sides[1]], axis=k)
    return array
