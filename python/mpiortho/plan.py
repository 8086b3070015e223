# SPDX-License-Identifier: BSD-3-Clause
"""What the planner would do, without processes and without MPI: schedules, prices, placements.

Everything is asked of ``ortho-plan``, see ortho-plan(1), which comes with the library.  What is returned is
shown as its text, and in Jupyter as its picture.

>>> import mpiortho.plan
>>> p = mpiortho.plan.predict(mpiortho.plan.call("alltoall", (4, 4), periodic=True, block=1024))
>>> p.chosen, p.algorithms[p.chosen].messages
('alltoall_combining', 4)
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import tempfile
from typing import Any, NamedTuple, Optional, Sequence, Union

from ._installed import LIBRARIES

__all__ = [
    "Placement", "Plan", "Prediction", "Schedule", "call", "place", "predict", "schedule"
]  # fmt: skip

Sizes = Union[int, str, Sequence[int]]
Stencil = Union[str, Sequence[Sequence[int]]]


def _tool() -> str:
    folders = [os.path.join(os.path.dirname(__file__), "lib")]
    for library in LIBRARIES.values():  # installed, or in the folder where it was built
        folder = os.path.dirname(library)
        folders += [os.path.join(folder, "bin"), os.path.join(os.path.dirname(folder), "tools")]
    folders.append(os.environ.get("PATH", os.defpath))
    found = os.environ.get("MPIORTHO_PLAN") or shutil.which("ortho-plan", path=os.pathsep.join(folders))
    if found is None:
        raise FileNotFoundError(
            "mpiortho: there is no ortho-plan, neither with the library nor on PATH: install the library's "
            "programs, or set MPIORTHO_PLAN to it"
        )
    return found


def _listed(numbers: Sizes, between: str = ",") -> str:
    return between.join(map(str, [numbers] if isinstance(numbers, (int, str)) else numbers))


def _stencil(stencil: Stencil) -> str:
    if isinstance(stencil, str):
        return stencil if ":" in stencil or " " in stencil else stencil + ":1"
    return "offsets:" + ";".join(map(_listed, stencil))


class Plan:
    """What ``ortho-plan`` prints; ``text`` is all of it.

    ``svg`` is a picture, or None where there is none.
    >>> mpiortho.plan.place((4, 4), 4).svg.startswith("<svg")
    True
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = [str(argument) for argument in arguments if argument is not None]
        self.text = self._run()
        self.lines = self.text.splitlines()

    def _run(self, *more: str) -> str:
        result = subprocess.run([_tool(), *self._arguments, *more], capture_output=True, text=True)
        if result.returncode != 0:
            raise ValueError(result.stderr.strip().replace("ortho-plan:", "mpiortho.plan:", 1))
        return result.stdout

    def _written(self, kind: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "it")
            self._run("--" + kind, path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    @property
    def svg(self) -> Optional[str]:
        try:
            return self._written("svg")
        except ValueError:
            return None

    def _repr_svg_(self) -> Optional[str]:
        return self.svg

    def __repr__(self) -> str:
        return self.text


def call(
    collective: str,
    dims: Sequence[int],
    stencil: Stencil = "moore",
    *,
    periodic: Union[bool, Sequence[bool]] = False,
    block: Optional[int] = None,
    shape: Optional[Sequence[int]] = None,
    ghosts: Any = 1,
    fields: int = 1,
    itemsize: int = 8,
) -> str:
    """A call, as ``predict`` and ``schedule`` take it: a specification of ortho-plan(1).

    ``block`` has so many bytes.  Of "halo" and "halo_reduce" in its place: the ``shape`` of each process's
    arrays, ghosts included, ``ghosts`` as for ``Grid.halo``, how many ``fields``, and an element's bytes.
    >>> mpiortho.plan.call("alltoall", (4, 4), periodic=True, block=400)
    'alltoall:torus 4x4:moore:1:400B'
    >>> mpiortho.plan.call("halo", (4, 4), "neumann", periodic=(True, False), shape=(34, 35), ghosts=(1, 2))
    'halo:grid 4x4 periods 1,0:neumann:1:34x35 lower 1,2 upper 1,2 fields 1 elements 8B'
    """
    d = len(dims)
    kind = ("mesh", "torus")[periodic] if isinstance(periodic, bool) else "grid"
    where = f"{kind} {_listed(dims, 'x')}"
    if not isinstance(periodic, bool):
        where += " periods " + _listed([int(period) for period in periodic])
    if (block is None) == (shape is None):
        raise TypeError("mpiortho: a call has either blocks, block=bytes, or arrays, shape=")
    if shape is None:
        return f"{collective}:{where}:{_stencil(stencil)}:{block}B"
    each = [ghosts] * d if isinstance(ghosts, int) else ghosts
    sides = [(width, width) if isinstance(width, int) else tuple(width) for width in each]
    lower, upper = (_listed([side[i] for side in sides]) for i in range(2))
    return (
        f"{collective}:{where}:{_stencil(stencil)}:{_listed(shape, 'x')} lower {lower} upper {upper} "
        f"fields {fields} elements {itemsize}B"
    )


def _machine(nodes: Optional[Sizes], tune: Optional[str]) -> list[str]:
    given = [] if nodes is None else ["--nodes", _listed(nodes)]
    return given + ([] if tune is None else ["--tune", tune])


def _seconds(number: str, unit: str) -> float:
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]


class Predicted(NamedTuple):
    """What an algorithm takes, and does."""

    seconds: float
    phases: int
    messages: int
    blocks: int
    bytes: int
    dimensions: str


class Prediction(Plan):
    """``algorithms`` by name, ``chosen`` of them, and why those of ``refused`` do not apply.  ``ranges``:
    from how many bytes to how many which one is chosen."""

    algorithms: dict[str, Predicted]
    refused: dict[str, str]
    chosen: str
    ranges: list[tuple[int, int, str]]


def predict(call: str, nodes: Optional[Sizes] = None, tune: Optional[str] = None) -> Prediction:
    """The time that each algorithm would take for a ``call``.

    ``nodes``: "36x32" for 36 nodes of 32 processes, or a list of how many there are on each.  ``tune``: a
    file that describes the machine.
    >>> p = mpiortho.plan.predict("alltoall:torus 12x12x8:moore:2:400B", nodes="36x32")
    >>> p.chosen, round(p.algorithms[p.chosen].seconds * 1e6), p.ranges[0][2]
    ('alltoall_grouped', 124, 'alltoall_combining')
    """
    result = Prediction("predict", call, *_machine(nodes, tune))
    result.algorithms, result.refused, result.ranges = {}, {}, []
    for line in result.lines:
        found = re.match(r" ([* ]) (\w+) +([\d.]+) (us|ms|s) +(\d+) +(\d+) +(\d+) +(\d+) +(.*)", line)
        if found:
            mark, name, number, unit, *work, way = found.groups()
            phases, messages, blocks, size = map(int, work)
            result.algorithms[name] = Predicted(_seconds(number, unit), phases, messages, blocks, size, way)
            if mark == "*":
                result.chosen = name
        found = re.match(r"   (\w+) +does not apply: (.*)", line)
        if found:
            result.refused[found[1]] = found[2]
        found = re.match(r" +(\d+) to +(\d+) bytes +(\w+)", line)
        if found:
            result.ranges.append((int(found[1]), int(found[2]), found[3]))
    return result


class Schedule(Plan):
    """What one process does: ``messages_out`` with ``blocks_out``, ``messages_in`` with ``blocks_in``, in
    ``phases``; ``copies`` and ``reductions`` of blocks, and ``slots`` for blocks of others; ``seconds``."""

    algorithm: str
    seconds: float
    rank: int
    phases: int
    messages_out: int
    blocks_out: int
    messages_in: int
    blocks_in: int
    copies: int
    reductions: int
    slots: int


def schedule(
    call: str,
    algorithm: Optional[str] = None,
    rank: Optional[int] = None,
    nodes: Optional[Sizes] = None,
    tune: Optional[str] = None,
) -> Schedule:
    """The schedule of a process for a ``call``: of one in the middle, by the algorithm that is chosen.
    >>> s = mpiortho.plan.schedule("alltoall:torus 4x4:moore:1:1KiB")
    >>> s.algorithm, s.phases, s.messages_out, s.blocks_out
    ('alltoall_combining', 2, 4, 12)
    """
    given = [] if algorithm is None else ["--algorithm", algorithm]
    given += [] if rank is None else ["--rank", str(rank)]
    result = Schedule("schedule", call, *given, *_machine(nodes, tune))
    start = next(i for i, line in enumerate(result.lines) if re.match(r"process \d+ at ", line))
    found = re.match(r"(\w+), .*predicted ([\d.]+) (\w+)", result.lines[start - 1])
    assert found is not None
    result.algorithm, result.seconds = found[1], _seconds(found[2], found[3])
    result.rank = int(result.lines[start].split()[1])
    words = " ".join(result.lines[start + 1 : start + 4])
    result.phases = int(result.lines[start].split(": ")[1].split()[0])
    numbers = re.findall(r"(\d+) (?:message|block|local|reduction|temporary)", words)
    (result.messages_out, result.blocks_out, result.messages_in, result.blocks_in, result.copies,
     result.reductions, result.slots) = map(int, numbers)  # fmt: skip
    return result


class Placed(NamedTuple):
    """Edges that leave nodes, in all and of one node at most; partners on nodes and elsewhere."""

    total: int
    of_a_node: int
    on_min: int
    on_max: int
    on_sum: int
    off_min: int
    off_max: int
    off_sum: int


class Placement(Plan):
    """``methods`` by name, ``chosen`` of them; nothing is below ``bound``."""

    methods: dict[str, Placed]
    chosen: str
    bound: int


def place(
    dims: Sequence[int],
    nodes: Sizes,
    stencil: Stencil = "neumann",
    weights: Optional[Sequence[int]] = None,
    periodic: bool = False,
    missing: bool = False,
) -> Placement:
    """How many edges leave the nodes if processes are put onto a grid as they are numbered, and as each
    method puts them.

    ``nodes``: how many processes they have; the last number holds for all further ones.  ``missing``:
    partners beyond borders count as partners elsewhere.
    >>> p = mpiortho.plan.place((9, 8, 8), nodes=36)
    >>> p.chosen, p.methods[p.chosen].total, p.methods["as numbered"].total, p.bound
    ('strips', 664, 1264, 640)
    """
    given = ["--grid", _listed(dims, "x"), "--nodes", _listed(nodes), "--stencil", _stencil(stencil)]
    given += [] if weights is None else ["--weights", _listed(weights)]
    result = Placement("place", *given, *["--periodic"] * periodic, *["--missing"] * missing)
    rows = list(csv.reader(result._written("csv").splitlines()))[1:]
    result.methods = {name: Placed(*map(int, row[:8])) for name, *row in rows if row[-1]}
    result.chosen = next(row[0] for row in rows if row[-1] == "1")
    result.bound = int(rows[-1][1])
    return result
