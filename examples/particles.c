/* SPDX-License-Identifier: BSD-3-Clause
 * Particles in a periodic box that is divided among all processes.  In each step they move, and those that
 * leave a process's part go to one of its 26 neighbors: one ORTHO_Alltoall tells how many come, one
 * ORTHO_Alltoallv brings them.  At the end none is lost, and each is where its own motion takes it.
 *
 *     mpiexec -n 8 ./particles [PARTICLES [STEPS]] */
#include <math.h>
#include <mpiortho.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { neighbors = 27 }; /* itself among them */

typedef struct {
    double x[3], v[3];
    int number;
} Particle;

typedef struct {
    Particle *all;
    int n, room;
} Particles;

static void add(Particles *list, const Particle *particle)
{
    if (list->n == list->room) {
        list->room = 2 * list->room + 64;
        list->all = realloc(list->all, (size_t)list->room * sizeof(Particle));
        if (!list->all) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    list->all[list->n++] = *particle;
}

/* Particle `number` at the start, in a box of side 1. */
static Particle start(int number)
{
    Particle particle = {{0}, {0}, number};
    unsigned long state = (unsigned long)number * 2654435761UL + 12345;
    for (int d = 0; d < 3; ++d) {
        state = (state * 1103515245UL + 12345) % 2147483648UL;
        particle.x[d] = (double)state / 2147483648.0;
        state = (state * 1103515245UL + 12345) % 2147483648UL;
        particle.v[d] = 0.1 * ((double)state / 2147483648.0 - 0.5); /* at most 0.05 a step */
    }
    return particle;
}

static void move(Particle *particle)
{
    for (int d = 0; d < 3; ++d) {
        particle->x[d] += particle->v[d];
        particle->x[d] -= floor(particle->x[d]);
        if (particle->x[d] >= 1) particle->x[d] = 0; /* rounding */
    }
}

static int part_of(double x, int parts)
{
    const int part = (int)(x * parts);
    return part < parts ? part : parts - 1;
}

/* The slot of the neighbor that the particle is on its way to. */
static int slot_of(const Particle *particle, const int dims[3], const int place[3])
{
    int slot = 0;
    for (int d = 0; d < 3; ++d) {
        int step = part_of(particle->x[d], dims[d]) - place[d];
        if (step > 1) step -= dims[d]; /* around the box */
        if (step < -1) step += dims[d];
        slot = 3 * slot + step + 1;
    }
    return slot; /* offsets come in lexicographic order */
}

/* One step of all particles.  Returns how many have left this process. */
static int step(Particles *mine, MPI_Comm grid, const int dims[3], const int place[3], MPI_Datatype type)
{
    int out[neighbors] = {0}, in[neighbors], sent[neighbors], received[neighbors];
    int *const slots = malloc((size_t)(mine->n + 1) * sizeof(int));
    Particle *const row = malloc((size_t)(mine->n + 1) * sizeof(Particle));
    if (!slots || !row) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < mine->n; ++i) {
        move(&mine->all[i]);
        slots[i] = slot_of(&mine->all[i], dims, place);
        ++out[slots[i]];
    }
    ORTHO_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);

    int all_in = 0, next[neighbors];
    for (int s = 0, all_out = 0; s < neighbors; ++s) {
        sent[s] = next[s] = all_out;
        received[s] = all_in;
        all_out += out[s];
        all_in += in[s];
    }
    for (int i = 0; i < mine->n; ++i) row[next[slots[i]]++] = mine->all[i];
    Particles arrived = {malloc((size_t)(all_in + 1) * sizeof(Particle)), all_in, all_in + 1};
    if (!arrived.all) MPI_Abort(MPI_COMM_WORLD, 1);
    ORTHO_Alltoallv(row, out, sent, type, arrived.all, in, received, type, grid);
    const int left = mine->n - out[neighbors / 2];
    free(slots);
    free(row);
    free(mine->all);
    *mine = arrived;
    return left;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, p, dims[3] = {0, 0, 0}, place[3], offsets[neighbors][3];
    const int periods[3] = {1, 1, 1};
    const int particles = argc > 1 ? atoi(argv[1]) : 10000, steps = argc > 2 ? atoi(argv[2]) : 50;
    MPI_Comm grid;
    MPI_Datatype type;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 3, dims);
    ORTHO_Stencil(3, ORTHO_CHEBYSHEV_DISTANCE, 1, neighbors, offsets[0]);
    ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 3, dims, periods, neighbors, offsets[0], MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    if (particles < 1 || steps < 1 || dims[0] > 20) {
        if (rank == 0)
            fprintf(
                stderr,
                "particles: PARTICLES and STEPS are at least 1, and no side has more than 20 processes\n");
        MPI_Finalize();
        return 1;
    }
    ORTHO_Cart_coordinates(grid, rank, place);
    MPI_Type_contiguous((int)sizeof(Particle), MPI_BYTE, &type);
    MPI_Type_commit(&type);

    Particles mine = {NULL, 0, 0};
    for (int i = 0; i < particles; ++i) {
        const Particle particle = start(i);
        int is_mine = 1;
        for (int d = 0; d < 3; ++d) is_mine = is_mine && part_of(particle.x[d], dims[d]) == place[d];
        if (is_mine) add(&mine, &particle);
    }
    long moved = 0;
    for (int i = 0; i < steps; ++i) moved += step(&mine, grid, dims, place, type);

    /* Each number once, and each particle where its own motion takes it. */
    long sums[3] = {mine.n, 0, moved}; /* particles, those in the wrong place, moves */
    int *const seen = calloc((size_t)particles, sizeof(int));
    if (!seen) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < mine.n; ++i) {
        Particle particle = start(mine.all[i].number);
        for (int s = 0; s < steps; ++s) move(&particle);
        for (int d = 0; d < 3; ++d)
            if (particle.x[d] != mine.all[i].x[d] || part_of(particle.x[d], dims[d]) != place[d]) sums[1] = 1;
        ++seen[mine.all[i].number];
    }
    MPI_Allreduce(MPI_IN_PLACE, seen, particles, MPI_INT, MPI_SUM, grid);
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_LONG, MPI_SUM, grid);
    for (int i = 0; i < particles; ++i) sums[1] += seen[i] != 1;
    if (rank == 0)
        printf("%dx%dx%d processes, %ld of %d particles after %d steps, %ld moves between processes: %s\n",
               dims[0], dims[1], dims[2], sums[0], particles, steps, sums[2],
               sums[1] == 0 ? "none lost" : "SOME LOST OR WRONG");
    free(seen);
    free(mine.all);
    MPI_Type_free(&type);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return sums[1] == 0 ? 0 : 1;
}
