/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain MPI programs have this in common: a ring of processes, and the number of wrong results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, size, next, before, wrong;

static inline void expect(const char *what, int got, int expected)
{
    if (got == expected) return;
    if (++wrong > 20) return;
    printf("wrong: process %d: %s: %d, not %d\n", me, what, got, expected);
    fflush(stdout);
}

static inline void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (me + 1) % size;
    before = (me + size - 1) % size;
}

static inline int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* How many errors were raised on the last communicator that counts them. */
static int handled;
static inline void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    ++handled;
}
static inline void count_errors(MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    handled = 0;
}

/* A ring that is a grid of one dimension. */
static inline MPI_Comm grid_ring(void)
{
    const int periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    return ring;
}

/* A graph of edges to the next process; `parent`: of all processes. */
static inline MPI_Comm graph_ring(MPI_Comm parent)
{
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(parent, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    return ring;
}

/* The last line says how much is wrong on all processes. */
static inline void say_wrong(void)
{
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0) printf("%d wrong\n", wrong);
}
static inline int end(void)
{
    say_wrong();
    MPI_Finalize();
    return wrong != 0;
}
