# SPDX-License-Identifier: BSD-3-Clause
"""page.py PAGE: under "All names" the page has the names of the package, with their arguments, and no others.

page.py --print: what has to stand there.
"""

import inspect
import sys
import textwrap

import mpiortho
from mpiortho._collectives import Collectives


def with_arguments(name, thing):
    if not callable(thing):
        return name
    given = [
        ("*" if p.kind is p.VAR_POSITIONAL else "") + p.name + ("" if p.default is p.empty else "=")
        for p in inspect.signature(thing).parameters.values()
        if p.name != "self"
    ]
    return f"{name}({', '.join(given)})"


def members(cls):
    """Those that a base has which is listed itself stand there; forms of collectives are one."""
    bases = [cls]
    for base in cls.__mro__[1:]:
        if not base.__module__.startswith("mpiortho") or base.__name__ in mpiortho.__all__:
            break
        bases.append(base)
    names = {name for base in bases for name in vars(base) if not name.startswith("_")}
    forms = {name for name in vars(Collectives) if name.endswith("_init") or name.startswith("i")}
    return [(name, getattr(cls, name)) for name in sorted(names - forms)]


def lines():
    for name in mpiortho.__all__:
        thing = getattr(mpiortho, name)
        if inspect.isclass(thing):
            takes = name != "Error" and "__init__" in vars(thing)
            yield with_arguments(name, thing) if takes else name
            for member, value in members(thing):
                yield with_arguments("    ." + member, value)
        else:
            yield with_arguments(name, thing)


wanted = "\n".join(textwrap.fill(line, 100, subsequent_indent="        ") for line in lines())
if sys.argv[1] == "--print":
    print(wanted)
    sys.exit()
with open(sys.argv[1]) as page:
    there = page.read().split(".SS All names")[1].split("\n.nf\n")[1].split("\n.fi")[0]
if there != wanted:
    print(f"The page has\n{there}\n--- but this should be there:\n{wanted}")
sys.exit(there != wanted)
