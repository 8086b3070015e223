#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes irregular exchanges for ghosts.cpp: patterns.py FOLDER PROCESSES.

A file FOLDER/NAME has for each process a line "owned ghosts", and a line with the global numbers of its
ghosts.  Elements are numbered by process.  Needs numpy, scipy and pymetis (pip).

patterns.py FOLDER PROCESSES ROWS writes for ortho-plan: each graph has about ROWS rows a process, and is in
FOLDER/NAME.graph and FOLDER/NAME.graph.part.PROCESSES, as METIS has them; all levels of a multigrid hierarchy
(amg0, amg1, ...) are among them.  Needs pyamg, too.
"""
import sys

import numpy
import pymetis
import scipy.sparse
import scipy.spatial


def matrix(edges, n):
    """The symmetric graph of these edges."""
    both = numpy.vstack([edges, edges[:, ::-1]])
    return scipy.sparse.csr_matrix((numpy.ones(len(both)), (both[:, 0], both[:, 1])), (n, n))


def mesh(shape, random):
    """Simplices on points near those of a regular mesh."""
    points = numpy.stack(numpy.meshgrid(*map(numpy.arange, shape), indexing="ij"), -1).reshape(-1, len(shape))
    points = points + random.uniform(-0.4, 0.4, points.shape)
    corners = scipy.spatial.Delaunay(points).simplices
    d = corners.shape[1]
    edges = numpy.vstack([corners[:, [i, j]] for i in range(d) for j in range(i)])
    short = numpy.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1) < 3
    return matrix(edges[short], len(points))


def bricks(n):
    """Each cell of n x n x n has 26 neighbors."""
    line = scipy.sparse.diags([1, 1, 1], [-1, 0, 1], (n, n))
    return scipy.sparse.kron(scipy.sparse.kron(line, line), line).tocsr()


def near(n, neighbors, random):
    """Points at random; those that are near each other."""
    points = random.random((n, 3))
    tree = scipy.spatial.cKDTree(points)
    return matrix(tree.query_pairs((neighbors / n * 3 / (4 * numpy.pi)) ** (1 / 3), output_type="ndarray"), n)


def power(n, random):
    """New points choose 4 old ones by how many edges these have."""
    ends = [0, 1]
    edges = [(0, 1)]
    for new in range(2, n):
        for old in {ends[random.integers(len(ends))] for _ in range(4)}:
            edges.append((new, old))
            ends += [new, old]
    return matrix(numpy.array(edges), n)


def write(path, graph, processes):
    """Each process owns a part; ghosts are the columns of its rows that others own."""
    n = graph.shape[0]
    _, part = pymetis.part_graph(processes, xadj=graph.indptr, adjncy=graph.indices)
    part = numpy.array(part)
    order = numpy.argsort(part, kind="stable")
    number = numpy.empty(n, int)
    number[order] = numpy.arange(n)
    with open(path, "w") as out:
        for rank in range(processes):
            rows = numpy.flatnonzero(part == rank)
            columns = numpy.unique(graph[rows].indices)
            ghosts = numpy.sort(number[columns[part[columns] != rank]])
            out.write(f"{len(rows)} {len(ghosts)}\n{' '.join(map(str, ghosts))}\n")


def parts_of(graph, processes):
    """METIS's part of each row."""
    return numpy.array(pymetis.part_graph(processes, xadj=graph.indptr, adjncy=graph.indices)[1])


def write_graph(path, graph, part, processes):
    """In METIS's files, without the diagonal."""
    with open(path, "w") as out:
        out.write(f"{graph.shape[0]} {graph.nnz // 2}\n")
        columns, begin = (graph.indices + 1).astype(str), graph.indptr
        for row in range(graph.shape[0]):
            out.write(" ".join(columns[begin[row]:begin[row + 1]]) + "\n")
    numpy.savetxt(f"{path}.part.{processes}", part, "%d")


def scale(folder, processes, rows, random):
    """Graphs for many processes."""
    n = processes * rows
    side, edge = round(n**0.5), round(n ** (1 / 3))

    def add(name, graph, part=None):
        graph = abs(graph) + abs(graph).T
        graph = scipy.sparse.csr_matrix(graph)
        graph.setdiag(0)
        graph.eliminate_zeros()
        part = parts_of(graph, processes) if part is None else part
        write_graph(f"{folder}/{name}.graph", graph, part, processes)
        return part

    add("tri", mesh((side, side), random))
    add("tet", mesh((edge, edge, edge), random))
    add("bricks", bricks(edge))
    add("near", near(n, 40, random))
    add("power", power(n // 4, random))
    few = n // 4
    add("random", matrix(random.integers(0, few, (2 * few, 2)), few), numpy.arange(few) * processes // few)
    import pyamg

    poisson = pyamg.gallery.poisson((edge,) * 3, format="csr")
    levels = pyamg.ruge_stuben_solver(poisson, max_coarse=8, max_levels=12,
                                      keep=True).levels
    part = None
    for number, level in enumerate(levels):
        part = add(f"amg{number}", level.A, part)
        if number + 1 < len(levels):  # coarse rows stay with their owner
            part = part[numpy.flatnonzero(level.splitting)]


def main():
    folder, processes = sys.argv[1], int(sys.argv[2])
    random = numpy.random.default_rng(1)
    if len(sys.argv) > 3:
        return scale(folder, processes, int(sys.argv[3]), random)
    write(f"{folder}/tri", mesh((250, 120), random), processes)
    write(f"{folder}/tet", mesh((40, 30, 25), random), processes)
    write(f"{folder}/bricks", bricks(32), processes)
    write(f"{folder}/near", near(20000, 40, random), processes)
    write(f"{folder}/power", power(8000, random), processes)
    write(f"{folder}/random", matrix(random.integers(0, 6000, (12000, 2)), 6000), processes)


main()
