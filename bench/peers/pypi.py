# SPDX-License-Identifier: BSD-3-Clause
"""Packages of PyPI that fill ghosts of NumPy arrays, beside mpiortho's: one array or three, which travel
together.  Corners are filled, too.  peer.hpp says how it is called; make_python says the versions."""

import ghex.context
import ghex.structured.regular as regular
import mpiarray
import numpy as np
from ghex.structured.cartesian_sets import IndexSpace
from python import Fields, Ours, main, world


class Ghex:
    """GHEX: a pattern for the box, and an exchange of field descriptors."""

    def __init__(self, box, arrays, order):
        shape = [extent + 2 * box.depth for extent in box.extents]
        self.field = Fields(box, [np.zeros(shape, order=order) for _ in range(arrays)], order)
        context = ghex.context.make_context(world)
        whole = IndexSpace.from_sizes(*[box.side] * 3)
        own = whole.decompose(box.processes)[tuple(int(c) for c in box.coordinates)]
        domain = regular.DomainDescriptor(world.rank, own.subset["definition"])
        halos = regular.HaloGenerator(whole.subset["definition"], (box.depth,) * 3, (True,) * 3)
        pattern = regular.make_pattern(context, halos, [domain])
        described = [
            regular.make_field_descriptor(domain, u, (box.depth,) * 3, shape) for u in self.field.arrays
        ]
        self.messages = [pattern(one) for one in described]
        self.exchange = regular.make_communication_object(context).exchange
        self.kept = context, pattern, described  # messages do not keep them

    def __call__(self):
        self.exchange(*self.messages).wait()

    def free(self):  # before MPI ends
        del self.messages, self.exchange, self.kept


class Mpiarray:
    """mpiarray: its arrays, axis after axis, or all neighbors of all arrays at once."""

    def __init__(self, box, arrays, at_once):
        layout = mpiarray.Layout(
            (box.side,) * 3, halo=box.depth, periodic=True, process_grid=tuple(box.processes)
        )
        self.arrays = [mpiarray.zeros(layout=layout) for _ in range(arrays)]
        self.field = Fields(box, [array.local_with_halos for array in self.arrays])
        self.at_once = at_once

    def __call__(self):
        if self.at_once:
            for update in [array.update_halos(wait=False) for array in self.arrays]:
                update.wait()
        else:
            for array in self.arrays:
                array.update_halos()

    def free(self):
        pass


def ours(box, arrays, order="C"):
    shape = [extent + 2 * box.depth for extent in box.extents]
    return "mpiortho", Ours(Fields(box, [np.zeros(shape, order=order) for _ in range(arrays)], order))


def lines(box):
    """Box.divides says that ghosts are not deeper than a block: beyond that GHEX leaves some of them unfilled,
    and mpiarray refuses them."""
    for arrays in (1, 3):
        work = f"{box.name(1)[:-3]} {arrays} arrays"
        for order in "CF":
            yield "GHEX", f"{work} {order}", [ours(box, arrays, order), ("exchange", Ghex(box, arrays, order))]
        by = [(name, Mpiarray(box, arrays, name == "at-once")) for name in ("by-axes", "at-once")]
        yield "mpiarray", work, [ours(box, arrays), *by]


main((True,), (1, 2, 3), lines)
