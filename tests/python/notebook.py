# SPDX-License-Identifier: BSD-3-Clause
"""notebook.py FILE PICTURES: runs the cells of a notebook; so many of them show a picture."""

import ast
import json
import sys
from xml.etree import ElementTree

with open(sys.argv[1]) as file:
    notebook = json.load(file)
assert notebook["nbformat"] == 4
names, pictures = {"__name__": "__main__"}, 0
for cell in notebook["cells"]:
    assert cell["metadata"] == {} and cell["id"]
    if cell["cell_type"] != "code":
        continue
    assert cell["outputs"] == [] and cell["execution_count"] is None  # they would be out of date one day
    tree = ast.parse("".join(cell["source"]))
    shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, cell["id"], "exec"), names)
    if shown is None:
        continue
    value = eval(compile(ast.Expression(shown.value), cell["id"], "eval"), names)
    svg = value._repr_svg_() if hasattr(value, "_repr_svg_") else None
    if svg is not None:
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        pictures += 1
    print(cell["id"], "shows a picture" if svg else repr(value))
assert pictures == int(sys.argv[2]), pictures
