/* SPDX-License-Identifier: BSD-3-Clause
 * The parts that nine_points.c and nine_points_mpi.c share: the matrix of a process, its borders as
 * datatypes, and the computation.  Each process has N x N points of a mesh, and ghosts around them. */
#ifndef NINE_POINTS_H
#define NINE_POINTS_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 12, T = 8 };
static const int target[2 * T] = {0, 1, 0, -1, -1, 0, 1, 0, -1, 1, 1, 1, 1, -1, -1, -1};

/* A block for each neighbor, as ALLTOALLW takes it. */
typedef struct {
    int count[T];
    MPI_Aint send[T], receive[T];
    MPI_Datatype type[T], row, column;
} Borders;

/* The block to and from the neighbor at offset target[i] is block i. */
static void make_borders(Borders *borders)
{
    MPI_Type_contiguous(N, MPI_DOUBLE, &borders->row);
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &borders->column);
    MPI_Type_commit(&borders->row);
    MPI_Type_commit(&borders->column);
    for (int i = 0; i < T; i++) {
        const int r = target[2 * i], c = target[2 * i + 1];
        const int sent = (r > 0 ? N : 1) * (N + 2) + (c > 0 ? N : 1);
        const int received = (r > 0 ? N + 1 : r == 0) * (N + 2) + (c > 0 ? N + 1 : c == 0);
        borders->count[i] = 1;
        borders->send[i] = sent * (MPI_Aint)sizeof(double);
        borders->receive[i] = received * (MPI_Aint)sizeof(double);
        borders->type[i] = r == 0 ? borders->column : c == 0 ? borders->row : MPI_DOUBLE;
    }
}

static void free_borders(Borders *borders)
{
    MPI_Type_free(&borders->row);
    MPI_Type_free(&borders->column);
}

/* All points are 0, but for those beyond the mesh in the first row: they are 1. */
static void fill(double matrix[N + 2][N + 2], int is_first_row)
{
    for (int r = 0; r < N + 2; r++)
        for (int c = 0; c < N + 2; c++) matrix[r][c] = is_first_row && r == 0;
}

/* Each point becomes a mean of its neighbors.  Returns the largest change. */
static double compute(double matrix[N + 2][N + 2])
{
    double old[N + 2][N + 2], change = 0;
    memcpy(old, matrix, sizeof old);
    for (int r = 1; r <= N; r++) {
        for (int c = 1; c <= N; c++) {
            matrix[r][c] = (4 * (old[r - 1][c] + old[r + 1][c] + old[r][c - 1] + old[r][c + 1]) +
                            old[r - 1][c - 1] + old[r - 1][c + 1] + old[r + 1][c - 1] + old[r + 1][c + 1]) /
                           20;
            change = fmax(change, fabs(matrix[r][c] - old[r][c]));
        }
    }
    return change;
}

/* The sum over all points of all processes, at rank 0. */
static void print_result(double matrix[N + 2][N + 2], int iterations, MPI_Comm comm)
{
    double mine = 0, all = 0;
    int rank;
    for (int r = 1; r <= N; r++)
        for (int c = 1; c <= N; c++) mine += matrix[r][c];
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) printf("%d iterations, sum %.6f\n", iterations, all);
}

#endif
