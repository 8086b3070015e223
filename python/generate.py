# SPDX-License-Identifier: BSD-3-Clause
"""python generate.py src/calls.table: the module mpiortho._collectives, from the table of calls.

Each collective has a row there.  The file `texts.table` has what Python adds.
"""

import os
import sys

FAST = ["Barrier", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall", "Reduce", "Allreduce",
        "Reduce_scatter_block", "Scan", "Exscan"]  # fmt: skip
MAKES = ["Gather", "Allgather", "Alltoall", "Reduce", "Allreduce", "Reduce_scatter_block", "Scan", "Exscan"]


def read_texts(path):
    """name: (text, shapes, preparation, arguments, what is there then, its value, the communicator)"""
    with open(path) as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    texts = {}
    for head, *rest in zip(*(lines[i::5] for i in range(5))):
        name, comm = head.split(" on ")
        text, shapes, prepared, example = ("" if line == "    -" else line.strip() for line in rest)
        arguments, what, value = example.split(" -> ")
        texts[name] = (text, shapes, prepared, "" if arguments == "-" else arguments, what, value, comm)
    return texts


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
            calls[words[1]] = [
                (*(word + "@").split("@")[:2], groups[word.split("@")[0]]) for word in words[4:]
            ]
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
        f"Group({tuple(kinds)!r}, {where!r}, {'REGULAR' in group and where != 'leaf'}), "
        for group, where, kinds in groups
    )
    print(f"{name.upper()} = Row({name!r}, ({listed}), {large})")


def write_example(name, form):
    _, _, prepared, arguments, what, value, comm = TEXTS[name]
    method = form + name.lower() if form != "_init" else name.lower() + form
    if prepared:
        print(f"        >>> {prepared}")
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
    if name in FAST:
        print(f"    @fast({FAST.index(name)})")
    print(f"    def {low}({', '.join(['self', *typed])}) -> Any:")
    print(f'        """{text}\n')
    if shapes:
        print(f"        {shapes}{more}\n")
    write_example(name, "")
    print('        """')
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
TEXTS = read_texts(os.path.join(os.path.dirname(__file__), "texts.table"))
print("# SPDX-License-Identifier: BSD-3-Clause")
print("# Made by python/generate.py from src/calls.table.")
print('"""The collectives."""\n')
print("from __future__ import annotations\n")
print("from typing import Any, Optional, Sequence, Union\n")
print("from mpi4py import MPI\n")
print("from ._call import Caller, Group, Row, fast")
print("from ._request import Request\n")
print("Info = Union[MPI.Info, dict[str, str], None]\n")
for name, groups in calls.items():
    write_row(name, groups)
print("\n\nclass Collectives(Caller):")
print('    """Collectives: ``x`` blocks, ``ix`` returns a request, ``x_init`` one to start again."""\n')
for name, groups in calls.items():
    write(name, groups)
