#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2.
# Expected: the source in the status of a receive from MPI_PROC_NULL is MPI_PROC_NULL: that side is a wall.
# Seen: so it is after MPI_Recv and MPI_Irecv; after MPI_Recv_init and MPI_Start it is MPI_ANY_SOURCE.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install mpich==5.0.2 || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
static const char *name(int source)
{
    if (source == MPI_PROC_NULL)
        return "MPI_PROC_NULL";
    return source == MPI_ANY_SOURCE ? "MPI_ANY_SOURCE" : "another";
}
int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Status status;
    int ghost = 7;
    MPI_Init(&argc, &argv);
    MPI_Recv(&ghost, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    printf("MPI_Recv %s\n", name(status.MPI_SOURCE));
    MPI_Irecv(&ghost, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    printf("MPI_Irecv %s\n", name(status.MPI_SOURCE));
    MPI_Recv_init(&ghost, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    printf("MPI_Recv_init %s\n", name(status.MPI_SOURCE));
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
END
v/bin/mpicc -o t t.c && timeout 60 v/bin/mpiexec -n 1 ./t >seen || exit 2
cat seen
grep -q '^MPI_Irecv MPI_PROC_NULL' seen && grep -q '^MPI_Recv_init MPI_ANY_SOURCE' seen
