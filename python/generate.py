# SPDX-License-Identifier: BSD-3-Clause
"""python generate.py src/calls: the module mpiortho._collectives, from the table of calls.

Each collective has a row there.  Here is what Python adds: the first line of its text, the shapes of its
arrays, and an example, on a ring of processes with two neighbors.
"""

import sys

FAST = ["Barrier", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall", "Reduce", "Allreduce",
        "Reduce_scatter_block", "Scan", "Exscan"]  # fmt: skip
MAKES = ["Gather", "Allgather", "Alltoall", "Reduce", "Allreduce", "Reduce_scatter_block", "Scan", "Exscan"]

# name: (text, shapes, preparation, arguments, what is there then, its value, the communicator)
ALL = "everybody"
TEXTS = {
    "Barrier": ("Waits until all in-neighbors have come, or on full communicators all processes.", "", [], "", "1", "1", "ring"),
    "Bcast": ("The root's array to its out-neighbors, or to all.", "``buffer`` has n elements on the root and where it is received.",
              ["x = np.full(3, everybody.rank)"], "x", "x", "array([0, 0, 0])", ALL),
    "Gather": ("A block of each in-neighbor of the root, at the root.", "``send`` has n elements, ``recv`` (blocks, n).",
               ["x, y = np.ones(2), np.zeros((everybody.size, 2))"], "x, y", "everybody.rank > 0 or bool((y == 1).all())", "True", ALL),
    "Gatherv": ("Blocks of different sizes, at the root.", "``recv`` is [array, counts] or [array, counts, displacements], in elements.",
                ["x, y, counts = np.ones(2), np.zeros(2 * everybody.size), [2] * everybody.size"], "x, [y, counts]",
                "everybody.rank > 0 or bool((y == 1).all())", "True", ALL),
    "Scatter": ("A block of the root's to each of its out-neighbors.", "``send`` has (blocks, n) elements at the root, ``recv`` n.",
                ["x, y = np.ones((everybody.size, 2)), np.zeros(2)"], "x, y", "y", "array([1., 1.])", ALL),
    "Scatterv": ("Blocks of different sizes from the root.", "``send`` is [array, counts] or [array, counts, displacements], in elements.",
                 ["x, y, counts = np.ones(2 * everybody.size), np.zeros(2), [2] * everybody.size"], "[x, counts], y", "y", "array([1., 1.])", ALL),
    "Allgather": ("The same block to all out-neighbors.", "``send`` has n elements, ``recv`` (in-neighbors, n).",
                  ["x, y = np.ones(3), np.zeros((2, 3))"], "x, y", "y.sum()", "np.float64(6.0)", "ring"),
    "Allgatherv": ("The same block to all out-neighbors; those received have different sizes.",
                   "``recv`` is [array, counts] or [array, counts, displacements], in elements.",
                   ["x, y = np.ones(3), np.zeros(6)"], "x, [y, [3, 3]]", "y.sum()", "np.float64(6.0)", "ring"),
    "Allgatherw": ("The same block to all out-neighbors; those received have their own arrays.",
                   "``recv`` is a list of an array for each in-neighbor, with any strides, or [array, counts, bytes, datatypes].",
                   ["x, a, b = np.ones(3), np.zeros((3, 2)), np.zeros(3)"], "x, [a[:, 1], b]", "a.sum(), b.sum()",
                   "(np.float64(3.0), np.float64(3.0))", "ring"),
    "Alltoall": ("Block i to out-neighbor i, and a block from each in-neighbor.", "``send`` has (out-neighbors, n) elements, ``recv`` (in-neighbors, n).",
                 ["x, y = np.ones((2, 3)), np.zeros((2, 3))"], "x, y", "y.sum()", "np.float64(6.0)", "ring"),
    "Alltoallv": ("Blocks of different sizes to and from neighbors.", "``send`` and ``recv`` are [array, counts] or [array, counts, displacements], in elements.",
                  ["x, y = np.ones(6), np.zeros(6)"], "[x, [3, 3]], [y, [3, 3]]", "y.sum()", "np.float64(6.0)", "ring"),
    "Alltoallw": ("Blocks that have their own arrays to and from neighbors.",
                  "``send`` and ``recv`` are lists of an array for each neighbor, with any strides, or [array, counts, bytes, datatypes].",
                  ["u = np.arange(12.0).reshape(3, 4)"], "[u[:, 1], u[:, 2]], [u[:, 3], u[:, 0]]", "u[0]", "array([2., 1., 2., 1.])", "ring"),
    "Reduce": ("Reduces what the root's in-neighbors have, at the root.", "``send`` and ``recv`` have n elements.",
               ["x, y = np.ones(2), np.zeros(2)"], "x, y", "everybody.rank > 0 or bool((y == everybody.size).all())", "True", ALL),
    "Allreduce": ("Each process: reduces what its in-neighbors have.",
                  "``send`` and ``recv`` have n elements.  Without in-neighbors ``recv`` stays as it is.",
                  ["x, y = np.ones(2), np.zeros(2)"], "x, y", "y", "array([2., 2.])", "ring"),
    "Reduce_scatter_block": ("Block i to out-neighbor i; each process reduces what arrives.", "``send`` has (out-neighbors, n) elements, ``recv`` n.",
                             ["x, y = np.ones((2, 3)), np.zeros(3)"], "x, y", "y", "array([2., 2., 2.])", "ring"),
    "Reduce_scatter": ("Reduces, and gives each process its share.  Not on graphs.", "``send`` has sum(counts) elements, ``recv`` counts[rank].",
                       ["x, y = np.ones(everybody.size), np.zeros(1)"], "x, y", "y[0] == everybody.size", "np.True_", ALL),
    "Reduce_scatterv": ("Blocks of different sizes to out-neighbors; each process reduces what arrives.",
                        "``send`` is [array, counts] or [array, counts, displacements], in elements; ``recv`` has n elements.",
                        ["x, y = np.ones(6), np.zeros(3)"], "[x, [3, 3]], y", "y", "array([2., 2., 2.])", "ring"),
    "Scan": ("Reduces what processes up to this one have.  Not on graphs.", "``send`` and ``recv`` have n elements.",
             ["x, y = np.ones(1), np.zeros(1)"], "x, y", "y[0] == everybody.rank + 1", "np.True_", ALL),
    "Exscan": ("Reduces what processes before this one have.  Not on graphs.", "``send`` and ``recv`` have n elements; that of rank 0 stays as it is.",
               ["x, y = np.ones(1), np.zeros(1)"], "x, y", "y[0] == everybody.rank", "np.True_", ALL),
}  # fmt: skip


def read(path):
    """name: [(group, where, [kind...])...]"""
    groups, calls = {}, {}
    for line in open(path):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "group":
            groups[words[1]] = [word.split(":")[0] for word in words[2:]]
        elif words[0] == "call":
            calls[words[1]] = [(*(word + "@").split("@")[:2], groups[word.split("@")[0]]) for word in words[4:]]
    return calls


def parameters(name, groups):
    """(with their types, as they are passed on)"""
    kinds = [kind for _, _, listed in groups for kind in listed]
    typed, passed = [], []
    if name == "Bcast":
        typed, passed = ["buffer: Any"], ["recv=buffer"]
    elif kinds:
        optional = name in MAKES
        typed = ["send: Any", "recv: Any = None" if optional else "recv: Any"]
        passed = ["send", "recv"]
    if name == "Reduce_scatter":
        typed.append("counts: Optional[Sequence[int]] = None")
        passed.append("counts=counts")
    if "op" in kinds:
        typed.append("op: MPI.Op = MPI.SUM")
        passed.append("op=op")
    if "root" in kinds:
        typed.append("root: int = 0")
        passed.append("root=root")
    if name in MAKES:
        passed.append("makes=True")
    return typed, passed


def write_row(name, groups):
    large = any(kind in ("count", "counts", "shares") for _, _, kinds in groups for kind in kinds)
    listed = "".join(
        f"Group({tuple(kinds)!r}, {where!r}, {'REGULAR' in group and where != 'leaf'}), " for group, where, kinds in groups
    )
    print(f"{name.upper()} = Row({name!r}, ({listed}), {large})")


def write_example(name, form):
    _, _, prepared, arguments, what, value, comm = TEXTS[name]
    method = form + name.lower() if form != "_init" else name.lower() + form
    for line in prepared:
        print(f"        >>> {line}")
    call = f"{comm}.{method}({arguments})"
    if form == "":
        print(f"        >>> _ = {call}")
    else:
        print(f"        >>> r = {call}; r.{'wait' if form == 'i' else 'run'}()")
    if what != "1":
        print(f"        >>> {what}\n        {value}")


def write(name, groups):
    text, shapes = TEXTS[name][:2]
    typed, passed = parameters(name, groups)
    more = "  ``recv`` may be left out: then it is made, and returned." if name in MAKES else ""
    low = name.lower()
    print(f"    def {low}({', '.join(['self', *typed])}) -> Any:")
    print(f'        """{text}\n')
    if shapes:
        print(f"        {shapes}{more}\n")
    write_example(name, "")
    print('        """')
    if name in FAST:
        fast = {"Barrier": "None, None", "Bcast": "None, buffer"}.get(name, "send, recv")
        op = "op" if "op=op" in passed else "None"
        root = "root" if "root=root" in passed else "0"
        there = "recv is not None and " if name in MAKES else ""
        print(f"        if {there}collective({FAST.index(name)}, self, {fast}, {op}, {root}):")
        print(f"            return {'None' if name == 'Barrier' else 'buffer' if name == 'Bcast' else 'recv'}")
    print(f"        return self._blocking({', '.join([name.upper(), *passed])})\n")
    for form, verb, method in (("i", "Starts", "i" + low), ("_init", "Prepares", low + "_init")):
        extra = ["info: Info = None"] if form == "_init" else []
        print(f"    def {method}({', '.join(['self', *typed, *extra])}) -> Request:")
        print(f'        """{verb} ``{low}``, which see, and returns a request.\n')
        write_example(name, form)
        print('        """')
        rest = [*passed, "info=info"] if form == "_init" else passed
        print(f"        return self._request({', '.join([name.upper(), repr(form.strip('_')), *rest])})\n")


calls = read(sys.argv[1])
print("# SPDX-License-Identifier: BSD-3-Clause")
print("# Made by python/generate.py from src/calls.")
print('"""The collectives."""\n')
print("from __future__ import annotations\n")
print("from typing import Any, Optional, Sequence, Union\n")
print("from mpi4py import MPI\n")
print("from ._call import Caller, Group, Row")
print("from ._core import collective")
print("from ._request import Request\n")
print("Info = Union[MPI.Info, dict[str, str], None]\n")
for name, groups in calls.items():
    write_row(name, groups)
print("\n\nclass Collectives(Caller):")
print('    """Collectives in three forms: ``x`` blocks, ``ix`` returns a request, ``x_init`` one that can be started again."""\n')
for name, groups in calls.items():
    write(name, groups)
