# SPDX-License-Identifier: BSD-3-Clause
"""Programs: the examples, a user's, the benchmark, the notebook."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import mpiortho.bench
import mpiortho.plan
from conftest import refused

tests = Path(__file__).parent
examples = tests.parents[1] / "examples"


@pytest.fixture
def run(capsys, monkeypatch, world):
    """Runs a program; the first process has what it prints."""

    def run_it(path, *arguments):
        monkeypatch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        runpy.run_path(str(path), run_name="__main__")
        return world.bcast(capsys.readouterr().out)

    return run_it


def test_a_program_of_a_users(run, world):
    assert "processes, " in run(tests / "user.py")


def test_heat(run):
    assert ": 0 values differ" in run(examples / "heat.py", 30, 50)


def test_poisson(run):
    assert "error 3.62e-04" in run(examples / "poisson.py", 16)


def test_cavity(run, world):
    """Within 0.01 of Ghia et al."""
    if world.size == 2:
        assert "at most 0.00" in run(examples / "cavity.py", 32)


def test_the_benchmark(capsys, world):
    mpiortho.bench.main(["--samples", "3", "--calls", "2", "--sizes", "1,10", "--halos", "5"])
    lines = capsys.readouterr().out.splitlines()
    if world.rank == 0:
        assert [line.split()[0] for line in lines[3:]] == ["halo", *["alltoall", "alltoall_init", "allgather",
                                                                   "allgather_init"] * 2]  # fmt: skip
        assert all(float(line.split()[-1]) > 0 for line in lines[3:])


def test_the_notebook(run, world):
    """It needs one process."""
    if world.size == 1:
        assert run(tests / "notebook.py", examples / "halo.ipynb", 4).count("shows a picture") == 4


def test_the_planner_without_mpi(world):
    if world.rank > 0:
        return
    code = """
import sys
sys.modules["mpi4py.MPI"] = None
import mpiortho.plan
print(mpiortho.plan.schedule("alltoall:torus 4x4:moore:1:1KiB").messages_out)
try:
    from mpiortho import grid
except ImportError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout.startswith("4\nmpiortho: without an MPI there is mpiortho.plan alone"), result
    refused(ValueError, "mpiortho.plan: .*none of", mpiortho.plan.predict, "alltoal:torus 4x4:moore:1:4B")
    halo = mpiortho.plan.call("halo", (4, 4), "neumann", shape=(34, 34), ghosts=(2, 1))
    s = mpiortho.plan.schedule(halo, rank=0)
    assert (s.rank, s.messages_out, s.blocks_in, s.svg) == (0, 2, 2, None) and 0 < s.seconds < 1
    p = mpiortho.plan.predict(halo, nodes=[4, 4, 8])
    assert set(p.algorithms) > {"halo_direct"} and p.ranges[-1][1] == 16 << 20 and "<svg" in p.svg
    placed = mpiortho.plan.place((6, 6), [6], [(1, 0), (0, 1)], weights=[3, 1], periodic=True, missing=True)
    assert placed.bound <= placed.methods[placed.chosen].total
