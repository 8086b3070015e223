# SPDX-License-Identifier: BSD-3-Clause
"""pytest under mpiexec: a test that fails on one process ends all, so that none waits for ever."""

import sys

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
