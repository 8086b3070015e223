/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of everybody with everybody as programs make them, by MPI's own names:
   bench/unmodified/unmodified.sh has it plain and with the interposer preloaded.  `everybody SAMPLES
   BYTES...` prints a line "everybody PROCESSES CALL BYTES MICROSECONDS" for each call and size of a block,
   the median of its samples, and a line "WRONG" for each whose blocks are not what arithmetic says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { warm_up = 5, calls = 4 };
static const char *const names[calls] = {"alltoall", "alltoallv", "allgather", "allgatherv"};

static int rank, size;

/* The bytes of a block: `slot` is its receiver, or 0 where all get the same. */
static unsigned char mark(int sender, int slot, int sample)
{
    return (unsigned char)(1 + (sender * 31 + slot * 7 + sample * 13) % 250);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(int call, int bytes, int samples)
{
    const size_t all = (size_t)size * (size_t)bytes;
    unsigned char *out = malloc(all), *in = malloc(all);
    double *times = malloc(sizeof *times * (size_t)samples);
    int *counts = malloc(sizeof *counts * (size_t)size), *places = malloc(sizeof *places * (size_t)size);
    const int batch = bytes <= 4096 ? 100 : bytes <= 65536 ? 20 : 5;
    int wrong = 0;
    for (int i = 0; i < size; i++) counts[i] = bytes, places[i] = i * bytes;
    for (int s = 0; s < warm_up + samples; s++) {
        for (int i = 0; i < size; i++)
            memset(out + (size_t)i * (size_t)bytes, mark(rank, call < 2 ? i : 0, s), (size_t)bytes);
        memset(in, 0, all);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int b = 0; b < batch; b++) {
            if (call == 0)
                MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
            else if (call == 1)
                MPI_Alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, MPI_COMM_WORLD);
            else if (call == 2)
                MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
            else
                MPI_Allgatherv(out, bytes, MPI_BYTE, in, counts, places, MPI_BYTE, MPI_COMM_WORLD);
        }
        if (s >= warm_up) times[s - warm_up] = (MPI_Wtime() - begin) / batch * 1e6;
        for (int i = 0; i < size; i++) {
            const unsigned char *block = in + (size_t)i * (size_t)bytes;
            const unsigned char wanted = mark(i, call < 2 ? rank : 0, s);
            wrong |= block[0] != wanted || block[bytes - 1] != wanted;
        }
    }
    qsort(times, (size_t)samples, sizeof *times, ascending);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("everybody %d %s %d %.3f\n", size, names[call], bytes, times[samples / 2]);
        if (wrong) printf("WRONG everybody %d %s\n", bytes, names[call]);
    }
    free(places), free(counts), free(times), free(in), free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int call = 0; call < calls; call++)
        for (int a = 2; a < argc; a++) measure(call, atoi(argv[a]), atoi(argv[1]));
    MPI_Finalize();
    return 0;
}
