#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes irregular exchanges for ghosts.cpp: patterns.py FOLDER PROCESSES.

A file FOLDER/NAME has for each process a line "owned ghosts", and a line with the global numbers of its
ghosts.  Elements are numbered by process.  Needs numpy, scipy and pymetis (pip).
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


def main():
    folder, processes = sys.argv[1], int(sys.argv[2])
    random = numpy.random.default_rng(1)
    write(f"{folder}/tri", mesh((250, 120), random), processes)
    write(f"{folder}/tet", mesh((40, 30, 25), random), processes)
    write(f"{folder}/bricks", bricks(32), processes)
    write(f"{folder}/near", near(20000, 40, random), processes)
    write(f"{folder}/power", power(8000, random), processes)
    write(f"{folder}/random", matrix(random.integers(0, 6000, (12000, 2)), 6000), processes)


main()
