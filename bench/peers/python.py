# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py with NumPy arrays: a halo by each of the ways that a program in Python has, and by mpiortho's
package.  peer.hpp says how it is called.  Messages of a process to itself are copies of arrays.
pypi.py has the boxes, our way and the table from here."""

import itertools
import sys

import mpiortho
import numpy as np
from mpi4py import MPI

SAMPLES = 11
world = MPI.COMM_WORLD


class Box:
    """A periodic box of cells, divided among all processes."""

    def __init__(self, side, depth, corners):
        self.side, self.depth, self.corners = side, depth, corners
        self.processes = MPI.Compute_dims(world.size, 3)
        self.coordinates = np.unravel_index(world.rank, self.processes)
        self.extents = [side // p for p in self.processes]

    def divides(self):
        return all(self.side % p == 0 and n >= self.depth for p, n in zip(self.processes, self.extents))

    def name(self, words):
        return f"{'box' if self.corners else 'star'} {self.depth} {self.side}^3 x{words}"


class Field:
    """An array with ghosts, what is written into it, and what its ghosts should be."""

    def __init__(self, box, words, order="C", first=0, u=None):
        """`first` is the number of the first cell of the box.  `u` is an array of this order, if there is one."""
        self.box, self.order = box, order
        d, n = box.depth, box.extents
        shape = [extent + 2 * d for extent in n]
        self.u = np.zeros([*shape, *([words] if words > 1 else [])], order=order) if u is None else u
        self.arrays = [self.u]
        self.memory = self.u.reshape(-1, order=order)
        at = np.indices(shape) - d
        number = np.zeros(shape, np.int64)
        for k in range(3):
            number = number * box.side + (box.coordinates[k] * n[k] + at[k]) % box.side
        limits = np.reshape(n, (3, 1, 1, 1))
        outside = ((at < 0) | (at >= limits)).sum(0)
        near = ((at < d) | (at >= limits - d)).any(0)
        number += first
        self.sent, self.sent_values = self._cells((outside == 0) & near, number, words)
        ghost = outside > 0 if box.corners else outside == 1
        self.ghosts, self.ghost_values = self._cells(ghost, number, words)

    def _cells(self, chosen, number, words):
        """The places of all words of some cells, and their values but for the round."""
        word = np.arange(words)
        chosen, number = chosen.ravel(self.order), number.ravel(self.order)
        places = (np.flatnonzero(chosen)[:, None] * words + word).ravel()
        return places, ((number[chosen][:, None] * words + word) * 64.0).ravel()

    def write(self, number):
        self.memory[self.sent] = self.sent_values + number % 64

    def is_right(self, number):
        return bool((self.memory[self.ghosts] == self.ghost_values + number % 64).all())

    def slices(self, direction, sent, whole=()):
        """What is sent in a direction, or the ghosts there; along dimensions of `whole` with their ghosts."""
        d = self.box.depth
        own = {-1: slice(d, 2 * d), 0: slice(d, -d), 1: slice(-2 * d, -d)}
        ghosts = {-1: slice(0, d), 0: slice(d, -d), 1: slice(-d, None)}
        sides = own if sent else ghosts
        return tuple(slice(None) if k in whole else sides[direction[k]] for k in range(3))


class Fields:
    """Fields of numbers that travel together; no number is in two of them."""

    def __init__(self, box, arrays, order="C"):
        self.box, self.arrays = box, arrays
        self.fields = [Field(box, 1, order, i * box.side**3, u) for i, u in enumerate(arrays)]

    def write(self, number):
        for field in self.fields:
            field.write(number)

    def is_right(self, number):
        return all(field.is_right(number) for field in self.fields)


def directions(corners):
    found = [s for s in itertools.product((-1, 0, 1), repeat=3) if any(s)]
    return found if corners else [s for s in found if sum(map(abs, s)) == 1]


def subarray(u, where):
    """The datatype of a part of an array."""
    bounds = [part.indices(n) for part, n in zip(where, u.shape)]
    starts = [begin for begin, _, _ in bounds] + [0] * (u.ndim - 3)
    sizes = [end - begin for begin, end, _ in bounds] + list(u.shape[3:])
    return MPI.DOUBLE.Create_subarray(u.shape, sizes, starts).Commit()


class Phase:
    """Blocks that travel at once: what goes in a direction s arrives in the ghosts at -s."""

    def __init__(self, field, cart, chosen, packs, whole=()):
        u = field.u
        self.copies, self.packs, self.unpacks, self.kept = [], [], [], []
        sends, receives = [], []
        for tag, s in enumerate(chosen):
            out, into = field.slices(s, True, whole), field.slices([-x for x in s], False, whole)
            at = field.box.coordinates
            to = cart.Get_cart_rank([c + x for c, x in zip(at, s)])
            source = cart.Get_cart_rank([c - x for c, x in zip(at, s)])
            if to == world.rank:
                self.copies.append((u[into], u[out]))
            elif packs:
                sent, got = np.empty(u[out].shape), np.empty(u[into].shape)
                self.packs.append((sent, u[out]))
                self.unpacks.append((u[into], got))
                sends.append(cart.Send_init(sent, to, tag))
                receives.append(cart.Recv_init(got, source, tag))
            else:
                types = subarray(u, out), subarray(u, into)
                self.kept.append(types)
                sends.append(cart.Send_init([u, 1, types[0]], to, tag))
                receives.append(cart.Recv_init([u, 1, types[1]], source, tag))
        self.requests, self.receives = receives + sends, receives

    def __call__(self):
        for to, source in self.packs:
            to[...] = source
        MPI.Prequest.Startall(self.requests)
        for to, source in self.copies:
            to[...] = source
        MPI.Request.Waitall(self.requests)
        for to, source in self.unpacks:
            to[...] = source

    def free(self):
        for request in self.requests:
            request.Free()
        for type_ in itertools.chain(*self.kept):
            type_.Free()


class Messages:
    """Persistent messages: all at once, or dimension after dimension, which fills corners on the way."""

    def __init__(self, field, packs, by_dimensions):
        self.field, self.cart = field, world.Create_cart(field.box.processes, [True] * 3)
        if by_dimensions:
            each = [[tuple(sign * (k == j) for j in range(3)) for sign in (-1, 1)] for k in range(3)]
            self.phases = [Phase(field, self.cart, s, packs, range(k)) for k, s in enumerate(each)]
        else:
            self.phases = [Phase(field, self.cart, directions(field.box.corners), packs)]

    def __call__(self):
        for phase in self.phases:
            phase()

    def free(self):
        for phase in self.phases:
            phase.free()
        self.cart.Free()


class Neighbors:
    """MPI's neighborhood collective with a datatype for each block."""

    def __init__(self, field, blocking):
        self.field = field
        cart = world.Create_cart(field.box.processes, [True] * 3)
        chosen = directions(field.box.corners)

        def neighbors(sign):
            at = ([c + sign * x for c, x in zip(field.box.coordinates, s)] for s in chosen)
            return [cart.Get_cart_rank(place) for place in at]

        self.graph = cart.Create_dist_graph_adjacent(neighbors(-1), neighbors(1))
        cart.Free()
        ones, zeros = [1] * len(chosen), [0] * len(chosen)
        out = [subarray(field.u, field.slices(s, True)) for s in chosen]
        into = [subarray(field.u, field.slices([-x for x in s], False)) for s in chosen]
        self.types = out + into
        self.messages = [field.u, (ones, zeros), out], [field.u, (ones, zeros), into]
        self.call = self.graph.Neighbor_alltoallw if blocking else self.wait

    def wait(self, *messages):
        self.graph.Ineighbor_alltoallw(*messages).Wait()

    def __call__(self):
        self.call(*self.messages)

    def free(self):
        self.graph.Free()
        for type_ in self.types:
            type_.Free()


class Ours:
    def __init__(self, field):
        self.field = field
        box = field.box
        self.grid = mpiortho.grid(world, box.processes, True, "moore" if box.corners else "neumann")
        self.halo = self.grid.halo(field.arrays, ghosts=box.depth, axes=(0, 1, 2))

    def __call__(self):
        self.halo.run()

    def free(self):
        self.halo.free()
        self.grid.free()


def ways(box, words):
    def field():
        return Field(box, words)

    yield "mpiortho", Ours(field())
    yield "persistent", Messages(field(), False, False)
    yield "packed", Messages(field(), True, False)
    if box.corners:
        yield "persistent-by-dimensions", Messages(field(), False, True)
        yield "packed-by-dimensions", Messages(field(), True, True)
    yield "neighbor", Neighbors(field(), True)
    yield "ineighbor", Neighbors(field(), False)


class Table:
    def __init__(self, seconds):
        self.seconds, self.round = seconds, 0
        self.say(
            f"# {'peer':<8}  {'work':<24}  {'mpiortho us':>12}  {'peer us':>12}  {'ratio':>6}  "
            "ways of the peer"
        )

    def say(self, line):
        if world.rank == 0:
            print(line, flush=True)

    def sample(self, peer, work, name, way, batch):
        """The time of a call on the slowest process."""
        seconds = 0.0
        world.Barrier()
        for _ in range(batch):
            self.round += 1
            way.field.write(self.round)
            begin = MPI.Wtime()
            way()
            seconds += MPI.Wtime() - begin
        if world.allreduce(not way.field.is_right(self.round), MPI.LOR):
            self.say(f"WRONG VALUES: {peer} {work} {name}")
            world.Abort(1)
        return world.allreduce(seconds / batch, MPI.MAX)

    def compare(self, peer, work, made):
        """Prints a line.  The first way is ours."""
        times, batches = [[] for _ in made], []
        for name, way in made:  # the first calls are no samples
            self.sample(peer, work, name, way, 1)
            call = max(self.sample(peer, work, name, way, 5 if self.seconds else 1), 1e-7)
            batches.append(max(1, int(self.seconds / SAMPLES / call)))
        for turn in range(SAMPLES if self.seconds else 1):
            for i in range(len(made)):
                w = (turn + i) % len(made)
                times[w].append(self.sample(peer, work, *made[w], batches[w]))
        ours, *peers = (sorted(t)[len(t) // 2] * 1e6 for t in times)
        best = min(peers)
        each = " ".join(f"{name} {us:.2f}" for (name, _), us in zip(made[1:], peers))
        self.say(f"{peer:<10}  {work:<24}  {ours:12.2f}  {best:12.2f}  {best / ours:6.2f}  {each}")
        for _, way in made:
            way.free()


def main(corners, depths, lines):
    """A table of boxes.  `lines` yields the peer, the work and the ways of each line for a box."""
    table = Table(float(sys.argv[1]) if len(sys.argv) > 1 else 0.2)
    sides = [int(side) for side in sys.argv[3:]] or [16, 32, 64, 128]  # after the folder of patterns
    for with_corners, depth, side in itertools.product(corners, depths, sides):
        box = Box(side, depth, with_corners)
        if box.divides():
            for peer, work, made in lines(box):
                table.compare(peer, work, list(made))


if __name__ == "__main__":
    main((False, True), (1, 2), lambda box: (("mpi4py", box.name(n), ways(box, n)) for n in (1, 3)))
