/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts of many patches a process: by ORTHO_Mosaic_halo_init, by one packed message for each partner, and by
 * a persistent message for each pair of patches with MPI's subarrays, as block-structured codes write them.
 * A periodic tile in three dimensions; patches of SIDE^3 cells, PATCHES for each process, FIELDS of doubles
 * with one layer of ghosts.  Between patches of one process all three copy.  All ways in turns; every ghost
 * is compared with arithmetic.
 *
 * usage: mpiexec -n P patches SAMPLES SIDE PATCHES FIELDS
 * prints "SIDE PATCHES FIELDS ours packed pairs", microseconds, medians of the slowest process. */
#include <mpi.h>
#include <mpiortho.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_fields = 4 };
typedef struct {  /* a box of ghosts here, and where its values are */
    int to, from; /* patches, of their owners */
    int here[3], there[3], n[3];
} Region;
typedef struct {
    int rank, sends, receives;
    Region *out, *in;
    double *sent, *got;
    size_t out_cells, in_cells;
} Partner;

static int rank, size, side, wide, fields, mine, all, grid[3];
static ORTHO_Patch *patches; /* of all processes, one after the other */
static int *owner, *number;  /* of the patch at a place, and which one of its owner's */
static double **data;        /* by patch and field */
static Partner *partners;
static int npartners, ncopies;
static Region *copies;
static MPI_Request *pairs;
static int npairs;

static int place(const int at[3])
{
    int result = 0;
    for (int k = 0; k < 3; ++k) result = result * grid[k] + (at[k] + grid[k]) % grid[k];
    return result;
}
static double *cell(int patch, int field, const int at[3])
{
    return data[patch * fields + field] + ((size_t)at[0] * wide + at[1]) * wide + at[2];
}
static double value(int field, int x, int y, int z, int round)
{
    return ((double)(x * grid[1] * side + y) * grid[2] * side + z) * fields + field + 1e9 * round;
}
static void copy(double *to, const double *from, const int n[3], size_t to_plane, size_t to_row, size_t plane,
                 size_t row)
{
    for (int i = 0; i < n[0]; ++i)
        for (int j = 0; j < n[1]; ++j)
            memcpy(to + i * to_plane + j * to_row, from + i * plane + j * row, n[2] * sizeof(double));
}
static size_t cells(const Region *r) { return (size_t)r->n[0] * r->n[1] * r->n[2]; }

static Partner *partner(int other)
{
    for (int i = 0; i < npartners; ++i)
        if (partners[i].rank == other) return &partners[i];
    partners = realloc(partners, (npartners + 1) * sizeof *partners);
    memset(&partners[npartners], 0, sizeof *partners);
    partners[npartners].rank = other;
    return &partners[npartners++];
}
static void add(Region **list, int *n, const Region *region)
{
    if ((*n & (*n - 1)) == 0) *list = realloc(*list, (*n ? 2 * *n : 1) * sizeof **list);
    (*list)[(*n)++] = *region;
}
/* Regions of all patches, in the order in which both ends meet them. */
static void find_regions(void)
{
    int first = 0;
    for (int p = 0; p < size; ++p) {
        int n = 0;
        for (int i = 0; i < all; ++i) n += owner[i] == p;
        for (int a = 0; a < n; ++a)
            for (int s = 0; s < 27; ++s) {
                const int step[3] = {s / 9 - 1, s / 3 % 3 - 1, s % 3 - 1};
                if (s == 13) continue;
                const ORTHO_Patch *patch = &patches[first + a];
                int at[3];
                Region r = {.to = a};
                for (int k = 0; k < 3; ++k) {
                    at[k] = (int)patch->first[k] / side + step[k];
                    r.n[k] = step[k] == 0 ? side : 1;
                    r.here[k] = step[k] < 0 ? 0 : step[k] == 0 ? 1 : side + 1;
                    r.there[k] = step[k] < 0 ? side : 1;
                }
                const int from = owner[place(at)];
                r.from = number[place(at)];
                if (p == rank && from == rank) add(&copies, &ncopies, &r);
                if (p == rank && from != rank) add(&partner(from)->in, &partner(from)->receives, &r);
                if (p != rank && from == rank) add(&partner(p)->out, &partner(p)->sends, &r);
            }
        first += n;
    }
    for (int i = 0; i < npartners; ++i) {
        Partner *p = &partners[i];
        for (int j = 0; j < p->sends; ++j) p->out_cells += cells(&p->out[j]);
        for (int j = 0; j < p->receives; ++j) p->in_cells += cells(&p->in[j]);
        p->sent = malloc(p->out_cells * fields * sizeof(double));
        p->got = malloc(p->in_cells * fields * sizeof(double));
    }
}
static void copy_own(void)
{
    const size_t plane = (size_t)wide * wide;
    for (int i = 0; i < ncopies; ++i)
        for (int f = 0; f < fields; ++f)
            copy(cell(copies[i].to, f, copies[i].here), cell(copies[i].from, f, copies[i].there), copies[i].n,
                 plane, wide, plane, wide);
}
static void packed(void)
{
    const size_t plane = (size_t)wide * wide;
    MPI_Request *requests = malloc(2 * (npartners + 1) * sizeof *requests);
    for (int i = 0; i < npartners; ++i)
        MPI_Irecv(partners[i].got, (int)(partners[i].in_cells * fields), MPI_DOUBLE, partners[i].rank, 1,
                  MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < npartners; ++i) {
        double *to = partners[i].sent;
        for (int j = 0; j < partners[i].sends; ++j) {
            const Region *r = &partners[i].out[j];
            for (int f = 0; f < fields; ++f, to += cells(r))
                copy(to, cell(r->from, f, r->there), r->n, (size_t)r->n[1] * r->n[2], r->n[2], plane, wide);
        }
        MPI_Isend(partners[i].sent, (int)(partners[i].out_cells * fields), MPI_DOUBLE, partners[i].rank, 1,
                  MPI_COMM_WORLD, &requests[npartners + i]);
    }
    copy_own();
    MPI_Waitall(2 * npartners, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < npartners; ++i) {
        const double *from = partners[i].got;
        for (int j = 0; j < partners[i].receives; ++j) {
            const Region *r = &partners[i].in[j];
            for (int f = 0; f < fields; ++f, from += cells(r))
                copy(cell(r->to, f, r->here), from, r->n, plane, wide, (size_t)r->n[1] * r->n[2], r->n[2]);
        }
    }
    free(requests);
}
static void add_pair(const Region *r, int other, int tag, int sends)
{
    const int whole[3] = {wide, wide, wide};
    for (int f = 0; f < fields; ++f) {
        MPI_Datatype type;
        MPI_Type_create_subarray(3, whole, r->n, sends ? r->there : r->here, MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        if ((npairs & (npairs - 1)) == 0) pairs = realloc(pairs, (npairs ? 2 * npairs : 1) * sizeof *pairs);
        double *array = data[(sends ? r->from : r->to) * fields + f];
        if (sends)
            MPI_Send_init(array, 1, type, other, (tag * fields + f) % 30000, MPI_COMM_WORLD,
                          &pairs[npairs++]);
        else
            MPI_Recv_init(array, 1, type, other, (tag * fields + f) % 30000, MPI_COMM_WORLD,
                          &pairs[npairs++]);
        MPI_Type_free(&type);
    }
}
static void by_pairs(void)
{
    if (npairs == 0)
        for (int i = 0; i < npartners; ++i) {
            for (int j = 0; j < partners[i].receives; ++j)
                add_pair(&partners[i].in[j], partners[i].rank, j, 0);
            for (int j = 0; j < partners[i].sends; ++j) add_pair(&partners[i].out[j], partners[i].rank, j, 1);
        }
    if (npairs > 0) MPI_Startall(npairs, pairs);
    copy_own();
    if (npairs > 0) MPI_Waitall(npairs, pairs, MPI_STATUSES_IGNORE);
}
static ORTHO_Request halo;
static void ours(void) { ORTHO_Run(&halo, MPI_STATUS_IGNORE); }

static void each_cell(int first, int round, int checks)
{
    for (int a = 0; a < mine; ++a)
        for (int x = 0; x < wide; ++x)
            for (int y = 0; y < wide; ++y)
                for (int z = 0; z < wide; ++z) {
                    const int at[3] = {x, y, z};
                    int where[3], outside = 0;
                    for (int k = 0; k < 3; ++k) {
                        const int whole = grid[k] * side;
                        outside |= at[k] == 0 || at[k] == side + 1;
                        where[k] = ((int)patches[first + a].first[k] + at[k] - 1 + whole) % whole;
                    }
                    for (int f = 0; f < fields; ++f) {
                        const double right = value(f, where[0], where[1], where[2], round);
                        if (checks && *cell(a, f, at) != right) {
                            fprintf(stderr, "WRONG VALUES\n");
                            MPI_Abort(MPI_COMM_WORLD, 1);
                        }
                        if (!checks) *cell(a, f, at) = outside ? -1 : right;
                    }
                }
}
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int samples = argc == 5 ? atoi(argv[1]) : 0, a_process = argc == 5 ? atoi(argv[3]) : 0;
    side = argc == 5 ? atoi(argv[2]) : 0;
    fields = argc == 5 ? atoi(argv[4]) : 0;
    if (samples < 1 || a_process < 1 || side < 2 || fields < 1 || fields > most_fields) {
        if (rank == 0)
            fprintf(stderr, "usage: patches SAMPLES SIDE PATCHES FIELDS (SIDE from 2, FIELDS to 4)\n");
        MPI_Finalize();
        return 2;
    }
    wide = side + 2;
    MPI_Dims_create(size * a_process, 3, grid);
    all = grid[0] * grid[1] * grid[2];
    MPI_Count sizes[3], most[3];
    ORTHO_Contact contacts[3];
    for (int k = 0; k < 3; ++k) {
        sizes[k] = (MPI_Count)grid[k] * side;
        most[k] = side;
    }
    for (int k = 0; k < 3; ++k) ORTHO_Contact_periodic(3, sizes, 0, k, &contacts[k]);
    patches = malloc(all * sizeof *patches);
    owner = malloc(all * sizeof *owner);
    number = malloc(all * sizeof *number);
    int first = 0, mine_from = 0;
    for (int p = 0; p < size; ++p) {
        int n = 0;
        ORTHO_Mosaic_divide(3, 1, sizes, most, size, p, all - first, patches + first, &n);
        for (int i = 0; i < n; ++i) {
            const ORTHO_Patch *patch = &patches[first + i];
            const int at[3] = {(int)patch->first[0] / side, (int)patch->first[1] / side,
                               (int)patch->first[2] / side};
            owner[place(at)] = p;
            number[place(at)] = i;
        }
        if (p == rank) mine = n, mine_from = first;
        first += n;
    }
    data = malloc((size_t)mine * fields * sizeof *data);
    for (int i = 0; i < mine * fields; ++i) data[i] = malloc((size_t)wide * wide * wide * sizeof(double));
    find_regions();

    ORTHO_Mosaic mosaic;
    ORTHO_Mosaic_create(MPI_COMM_WORLD, 3, 1, sizes, 3, contacts, mine, patches + mine_from, MPI_INFO_NULL,
                        &mosaic);
    ORTHO_Mosaic_field given[most_fields];
    const MPI_Count ghosts[3] = {1, 1, 1};
    for (int f = 0; f < fields; ++f) {
        void **bases = malloc((mine + 1) * sizeof *bases);
        for (int a = 0; a < mine; ++a) bases[a] = data[a * fields + f];
        given[f] = (ORTHO_Mosaic_field)ORTHO_MOSAIC_FIELD_INIT;
        given[f].bases = bases;
        given[f].element = MPI_DOUBLE;
        given[f].lower = given[f].upper = ghosts;
    }
    ORTHO_Mosaic_halo_init(fields, given, mosaic, MPI_INFO_NULL, &halo);

    void (*const ways[3])(void) = {ours, packed, by_pairs};
    double *times[3], medians[3];
    for (int w = 0; w < 3; ++w) times[w] = malloc(samples * sizeof(double));
    int batch = 1;
    for (int s = -2; s < samples; ++s)
        for (int w = 0; w < 3; ++w) {
            each_cell(mine_from, s + 3, 0);
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            for (int i = 0; i < batch; ++i) ways[w]();
            double took = (MPI_Wtime() - begin) / batch;
            MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            each_cell(mine_from, s + 3, 1);
            if (s == -1 && w == 0) batch = took < 1e-3 ? 1 + (int)(2e-3 / took) : 2;
            if (s >= 0) times[w][s] = took;
        }
    for (int w = 0; w < 3; ++w) {
        qsort(times[w], samples, sizeof(double), ascending);
        medians[w] = times[w][samples / 2] * 1e6;
    }
    if (rank == 0)
        printf("%d %d %d %.2f %.2f %.2f\n", side, a_process, fields, medians[0], medians[1], medians[2]);
    ORTHO_Request_free(&halo);
    ORTHO_Mosaic_free(&mosaic);
    for (int i = 0; i < npairs; ++i) MPI_Request_free(&pairs[i]);
    MPI_Finalize();
    return 0;
}
