/* SPDX-License-Identifier: BSD-3-Clause
 * Three fields on one grid of processes, as many programs have them: heat that spreads to 6 neighbors, heat
 * that spreads to 26, and heat that the wind carries along x.  The box is periodic in x and y; its bottom is
 * hot, its top is cold.  Each field has the ghosts that it needs and no others, all three travel together,
 * and the interior is computed while they do.  At the end all is compared with a serial run.
 *
 *     mpiexec -n 8 ./heat3d [SIDE [STEPS]] */
#include <math.h>
#include <mpiortho.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { fields = 3 };
enum { by_faces, by_all, by_wind };

/* A box of cells with one layer of ghosts around it.  Cell (i, j, k) is a[k][j][i]. */
typedef struct {
    int n[3]; /* owned cells along x, y, z */
    double *now[fields], *next[fields];
} Box;

static size_t at(const Box *box, int i, int j, int k)
{
    return ((size_t)k * (size_t)(box->n[1] + 2) + (size_t)j) * (size_t)(box->n[0] + 2) + (size_t)i;
}

/* The first value of the cell with these coordinates of the whole. */
static double start(int f, int x, int y, int z) { return ((f + 1) * (7 * x + 11 * y + 13 * z)) % 17 / 17.0; }

static Box make_box(const int n[3], const int first[3])
{
    Box box;
    memcpy(box.n, n, sizeof box.n);
    const size_t cells = (size_t)(n[0] + 2) * (size_t)(n[1] + 2) * (size_t)(n[2] + 2);
    for (int f = 0; f < fields; ++f) {
        box.now[f] = calloc(cells, sizeof(double));
        box.next[f] = calloc(cells, sizeof(double));
        if (!box.now[f] || !box.next[f]) MPI_Abort(MPI_COMM_WORLD, 1);
        for (int k = 1; k <= n[2]; ++k)
            for (int j = 1; j <= n[1]; ++j)
                for (int i = 1; i <= n[0]; ++i)
                    box.now[f][at(&box, i, j, k)] = start(f, first[0] + i - 1, first[1] + j - 1,
                                                          first[2] + k - 1);
    }
    return box;
}

static void free_box(Box *box)
{
    for (int f = 0; f < fields; ++f) {
        free(box->now[f]);
        free(box->next[f]);
    }
}

/* One step of the cells from `low` to `high`. */
static void compute(const Box *box, const int low[3], const int high[3])
{
    for (int k = low[2]; k <= high[2]; ++k)
        for (int j = low[1]; j <= high[1]; ++j)
            for (int i = low[0]; i <= high[0]; ++i) {
                const size_t c = at(box, i, j, k);
                const double *const a = box->now[by_faces];
                box->next[by_faces][c] = a[c] +
                                         0.1 * (a[at(box, i - 1, j, k)] + a[at(box, i + 1, j, k)] +
                                                a[at(box, i, j - 1, k)] + a[at(box, i, j + 1, k)] +
                                                a[at(box, i, j, k - 1)] + a[at(box, i, j, k + 1)] - 6 * a[c]);
                const double *const b = box->now[by_all];
                double sum = 0;
                for (int z = -1; z <= 1; ++z)
                    for (int y = -1; y <= 1; ++y)
                        for (int x = -1; x <= 1; ++x) sum += b[at(box, i + x, j + y, k + z)];
                box->next[by_all][c] = 0.5 * b[c] + 0.5 * sum / 27;
                const double *const w = box->now[by_wind];
                box->next[by_wind][c] = w[c] - 0.3 * (w[c] - w[at(box, i - 1, j, k)]);
            }
}

/* One step of what lies next to the ghosts. */
static void compute_shell(const Box *box)
{
    int low[3] = {1, 1, 1}, high[3] = {box->n[0], box->n[1], box->n[2]};
    for (int d = 2; d >= 0; --d) {
        /* Two slabs; what is left lies between them. */
        const int first = low[d], last = high[d];
        high[d] = first;
        compute(box, low, high);
        if (last > first) {
            low[d] = high[d] = last;
            compute(box, low, high);
        }
        low[d] = first + 1;
        high[d] = last - 1;
        if (high[d] < low[d]) return;
    }
}

/* Ghost region `side`, which lies beyond the bottom or the top, gets its temperature. */
static void set_wall(const Box *box, int f, const int side[3])
{
    int low[3], high[3];
    for (int d = 0; d < 3; ++d) {
        low[d] = side[d] < 0 ? 0 : side[d] == 0 ? 1 : box->n[d] + 1;
        high[d] = side[d] < 0 ? 0 : side[d] == 0 ? box->n[d] : box->n[d] + 1;
    }
    for (int k = low[2]; k <= high[2]; ++k)
        for (int j = low[1]; j <= high[1]; ++j)
            for (int i = low[0]; i <= high[0]; ++i) box->now[f][at(box, i, j, k)] = side[2] < 0 ? 1 : 0;
}

static void swap(Box *box)
{
    for (int f = 0; f < fields; ++f) {
        double *const other = box->now[f];
        box->now[f] = box->next[f];
        box->next[f] = other;
    }
}

/* The request that fills the ghosts of box->now. */
static ORTHO_Request make_halo(const Box *box, MPI_Comm grid)
{
    /* Arrays are [k][j][i]: their first dimension runs along the last one of the grid. */
    static const int zyx[3] = {2, 1, 0};
    static const int six[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    const MPI_Count sizes[3] = {box->n[2] + 2, box->n[1] + 2, box->n[0] + 2};
    const MPI_Count ghosts[3] = {1, 1, 1};
    ORTHO_Field list[fields] = {ORTHO_FIELD_INIT, ORTHO_FIELD_INIT, ORTHO_FIELD_INIT};
    ORTHO_Request halo;
    for (int f = 0; f < fields; ++f) {
        list[f].base = box->now[f];
        list[f].element = MPI_DOUBLE;
        list[f].sizes = sizes;
        list[f].lower = list[f].upper = ghosts;
        list[f].dimension = zyx;
    }
    list[by_faces].ndirections = 6;
    list[by_faces].directions = six[0];
    list[by_wind].ndirections = 1; /* the wind blows from below x */
    list[by_wind].directions = six[0];
    ORTHO_Halo_fields_init(fields, list, 3, grid, MPI_INFO_NULL, &halo);
    return halo;
}

static void run(Box *box, MPI_Comm grid, int steps)
{
    ORTHO_Request halo = make_halo(box, grid);
    int walls[fields], wall[fields][26][3];
    for (int f = 0; f < fields; ++f) ORTHO_Halo_unfilled(halo, f, 26, wall[f][0], &walls[f]);
    const int low[3] = {2, 2, 2}, high[3] = {box->n[0] - 1, box->n[1] - 1, box->n[2] - 1};
    for (int step = 0; step < steps; ++step) {
        void *const bases[fields] = {box->now[0], box->now[1], box->now[2]};
        ORTHO_Halo_rebind(halo, fields, bases); /* two sets of arrays take turns */
        ORTHO_Start(&halo);
        compute(box, low, high); /* what needs no ghosts */
        ORTHO_Wait(&halo, MPI_STATUS_IGNORE);
        for (int f = 0; f < fields; ++f)
            for (int i = 0; i < walls[f]; ++i) set_wall(box, f, wall[f][i]);
        compute_shell(box);
        swap(box);
    }
    ORTHO_Request_free(&halo);
}

/* The largest difference to a run of one process, over all fields and cells. */
static double compare(const Box *mine, const int first[3], int side, int steps)
{
    const int all[3] = {side, side, side}, origin[3] = {0, 0, 0}, one[3] = {1, 1, 1}, periods[3] = {1, 1, 0};
    MPI_Comm self;
    MPI_Cart_create(MPI_COMM_SELF, 3, one, periods, 0, &self);
    Box whole = make_box(all, origin);
    run(&whole, self, steps);
    double largest = 0;
    for (int f = 0; f < fields; ++f)
        for (int k = 1; k <= mine->n[2]; ++k)
            for (int j = 1; j <= mine->n[1]; ++j)
                for (int i = 1; i <= mine->n[0]; ++i) {
                    const double there = whole.now[f][at(&whole, first[0] + i, first[1] + j, first[2] + k)];
                    largest = fmax(largest, fabs(there - mine->now[f][at(mine, i, j, k)]));
                }
    free_box(&whole);
    MPI_Comm_free(&self);
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, p, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 0}, place[3], n[3], first[3];
    const int side = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    if (side < dims[0] || steps < 1) {
        if (rank == 0) fprintf(stderr, "heat3d: SIDE is at least %d, and STEPS at least 1\n", dims[0]);
        MPI_Finalize();
        return 1;
    }
    MPI_Cart_coords(grid, rank, 3, place);
    for (int d = 0; d < 3; ++d) {
        /* Parts may differ by a cell. */
        first[d] = (int)((long)side * place[d] / dims[d]);
        n[d] = (int)((long)side * (place[d] + 1) / dims[d]) - first[d];
    }
    Box box = make_box(n, first);
    run(&box, grid, steps);
    const double difference = compare(&box, first, side, steps);
    if (rank == 0)
        printf("%dx%dx%d processes, %d^3 cells, %d steps: the serial run differs by %g\n", dims[0], dims[1],
               dims[2], side, steps, difference);
    free_box(&box);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return difference < 1e-12 ? 0 : 1;
}
