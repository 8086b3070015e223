/* SPDX-License-Identifier: BSD-3-Clause
 * A cosine bell goes once around a sphere of six panels, over four corners of the cube, and comes back: test
 * case 1 of Williamson et al., J. Comput. Phys. 102 (1992).  Panels are divided into patches, of which a process
 * has several.  The concentration has two ghosts; ORTHO_Mosaic_halo_init fills them across the sides of panels.
 * Fluxes are upwind with limited slopes (MC), steps are Heun's.
 *
 *     mpiexec -n 4 ./bell [CELLS a side of a panel] */
#include <math.h>
#include <mpiortho.h>
#include <stdio.h>
#include <stdlib.h>

enum { ghosts = 2, panels = 6, most_patches = 600 };
static const double pi = 3.14159265358979323846;

typedef struct {
    double x[3];
} Vector;

static double dot(Vector a, Vector b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }

static Vector cross(Vector a, Vector b)
{
    Vector c = {{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                 a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
    return c;
}

/* The middle of each panel, and where its dimensions lead: upper sides meet lower sides. */
static const double frames[panels][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},   {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
    {{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
    {{0, -1, 0}, {0, 0, -1}, {1, 0, 0}}, {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}};

/* The point of the sphere at a place of a panel of n x n cells; angles are equal along its axes. */
static Vector point(int panel, double a, double b, double n)
{
    const double x = tan(pi / 4 * (2 * a / n - 1));
    const double y = tan(pi / 4 * (2 * b / n - 1));
    Vector p;
    for (int k = 0; k < 3; ++k)
        p.x[k] = (frames[panel][0][k] + x * frames[panel][1][k] + y * frames[panel][2][k]) /
                 sqrt(1 + x * x + y * y);
    return p;
}

static double triangle(Vector a, Vector b, Vector c)
{
    return 2 * atan2(fabs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

static double bell(Vector p)
{
    const Vector middle = {{0, -1, 0}};
    const double distance = acos(fmax(-1, fmin(1, dot(p, middle))));
    return distance < 1. / 3 ? (1 + cos(3 * pi * distance)) / 2 : 0;
}

/* Flow through a side from a to b in one revolution, to its right. */
static double flow(Vector a, Vector b)
{
    const Vector axis = {{-sqrt(0.5), 0, sqrt(0.5)}};
    return 2 * pi * (dot(axis, b) - dot(axis, a));
}

typedef struct {
    int n[2];               /* cells */
    double *q, *first;      /* the concentration, and that after the first half of a step; with ghosts */
    double *area;           /* of cells */
    double *along[2];       /* flow through the lower side of each cell, and through the last sides */
    double *change, *exact; /* by cell */
} Patch;

static size_t place(const Patch *p, int i, int j)
{
    return (size_t)(i + ghosts) * (size_t)(p->n[1] + 2 * ghosts) + (size_t)(j + ghosts);
}

static void make(Patch *p, const ORTHO_Patch *box, int n)
{
    const int tile = box->tile;
    for (int k = 0; k < 2; ++k) p->n[k] = (int)box->count[k];
    const size_t all = (size_t)(p->n[0] + 2 * ghosts) * (size_t)(p->n[1] + 2 * ghosts);
    double **const lists[] = {&p->q, &p->first, &p->area, &p->along[0], &p->along[1], &p->change, &p->exact};
    for (int l = 0; l < 7; ++l) *lists[l] = calloc(all, sizeof(double));
    for (int i = 0; i <= p->n[0]; ++i)
        for (int j = 0; j <= p->n[1]; ++j) {
            const double x = (double)box->first[0] + i;
            const double y = (double)box->first[1] + j;
            const Vector corner = point(tile, x, y, n), right = point(tile, x + 1, y, n);
            const Vector above = point(tile, x, y + 1, n), far = point(tile, x + 1, y + 1, n);
            const size_t c = place(p, i, j);
            p->along[0][c] = flow(corner, above);
            p->along[1][c] = -flow(corner, right);
            p->area[c] = triangle(corner, right, far) + triangle(corner, far, above);
            p->exact[c] = bell(point(tile, x + 0.5, y + 0.5, n));
            if (i < p->n[0] && j < p->n[1]) p->q[c] = p->exact[c];
        }
}

static double slope(double before, double here, double behind)
{
    const double a = here - before, b = behind - here;
    if (a * b <= 0) return 0;
    return copysign(fmin(fabs(a + b) / 2, 2 * fmin(fabs(a), fabs(b))), a);
}

/* Flow through the lower side of a cell. */
static double flux(const double *q, ptrdiff_t step, double through)
{
    if (through > 0) return through * (q[-step] + slope(q[-2 * step], q[-step], q[0]) / 2);
    return through * (q[0] - slope(q[-step], q[0], q[step]) / 2);
}

static void find_change(Patch *p, const double *q)
{
    const ptrdiff_t steps[] = {p->n[1] + 2 * ghosts, 1};
    for (int i = 0; i < p->n[0]; ++i)
        for (int j = 0; j < p->n[1]; ++j) {
            const size_t c = place(p, i, j);
            double sum = 0;
            for (int k = 0; k < 2; ++k)
                sum += flux(q + c, steps[k], p->along[k][c]) -
                       flux(q + c + steps[k], steps[k], p->along[k][c + (size_t)steps[k]]);
            p->change[c] = sum / p->area[c];
        }
}

static void step(Patch *patches, int n, double dt, ORTHO_Request *halo)
{
    ORTHO_Run(&halo[0], MPI_STATUS_IGNORE);
    for (Patch *p = patches; p < patches + n; ++p) {
        find_change(p, p->q);
        for (int i = 0; i < p->n[0]; ++i)
            for (int j = 0; j < p->n[1]; ++j)
                p->first[place(p, i, j)] = p->q[place(p, i, j)] + dt * p->change[place(p, i, j)];
    }
    ORTHO_Run(&halo[1], MPI_STATUS_IGNORE);
    for (Patch *p = patches; p < patches + n; ++p) {
        find_change(p, p->first);
        for (int i = 0; i < p->n[0]; ++i)
            for (int j = 0; j < p->n[1]; ++j) {
                const size_t c = place(p, i, j);
                p->q[c] = (p->q[c] + p->first[c] + dt * p->change[c]) / 2;
            }
    }
}

typedef struct {
    double l1, l2, most, mass; /* errors, and what of the mass was lost */
} Errors;

static Errors errors_of(const Patch *patches, int n)
{
    double sums[5] = {0, 0, 0, 0, 0}, most[2] = {0, 0};
    for (const Patch *p = patches; p < patches + n; ++p)
        for (int i = 0; i < p->n[0]; ++i)
            for (int j = 0; j < p->n[1]; ++j) {
                const size_t c = place(p, i, j);
                const double error = fabs(p->q[c] - p->exact[c]);
                sums[0] += error * p->area[c];
                sums[1] += p->exact[c] * p->area[c];
                sums[2] += error * error * p->area[c];
                sums[3] += p->exact[c] * p->exact[c] * p->area[c];
                sums[4] += p->q[c] * p->area[c];
                most[0] = fmax(most[0], error);
                most[1] = fmax(most[1], p->exact[c]);
            }
    MPI_Allreduce(MPI_IN_PLACE, sums, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const Errors result = {sums[0] / sums[1], sqrt(sums[2] / sums[3]), most[0] / most[1],
                           fabs(sums[4] / sums[1] - 1)};
    return result;
}

/* Once around, with n x n cells a panel. */
static Errors revolve(int n)
{
    int size, rank, mine;
    MPI_Count sizes[2 * panels], most[] = {n / 3 + 1, n / 2}, depth[] = {ghosts, ghosts};
    static ORTHO_Patch boxes[most_patches];
    static Patch patches[most_patches];
    void *bases[2][most_patches];
    ORTHO_Contact contacts[12];
    ORTHO_Mosaic sphere;
    ORTHO_Request halo[2];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < 2 * panels; ++k) sizes[k] = n;
    ORTHO_Contact_cubed_sphere(2, sizes, contacts);
    ORTHO_Mosaic_divide(2, panels, sizes, most, size, rank, most_patches, boxes, &mine);
    ORTHO_Mosaic_create(MPI_COMM_WORLD, 2, panels, sizes, 12, contacts, mine, boxes, MPI_INFO_NULL, &sphere);
    for (int i = 0; i < mine; ++i) {
        make(&patches[i], &boxes[i], n);
        bases[0][i] = patches[i].q;
        bases[1][i] = patches[i].first;
    }
    for (int which = 0; which < 2; ++which) {
        ORTHO_Mosaic_field field = ORTHO_MOSAIC_FIELD_INIT;
        field.bases = bases[which];
        field.element = MPI_DOUBLE;
        field.lower = field.upper = depth;
        ORTHO_Mosaic_halo_init(1, &field, sphere, MPI_INFO_NULL, &halo[which]);
    }
    const int steps = 16 * n;
    for (int s = 0; s < steps; ++s) step(patches, mine, 1. / steps, halo);
    const Errors result = errors_of(patches, mine);
    for (int i = 0; i < mine; ++i) {
        double *const lists[] = {patches[i].q,        patches[i].first,  patches[i].area, patches[i].along[0],
                                 patches[i].along[1], patches[i].change, patches[i].exact};
        for (int l = 0; l < 7; ++l) free(lists[l]);
    }
    for (int which = 0; which < 2; ++which) ORTHO_Request_free(&halo[which]);
    ORTHO_Mosaic_free(&sphere);
    if (rank == 0)
        printf("%d x %d cells a panel, %d steps: errors l1 %.4f, l2 %.4f, max %.4f\n", n, n, steps, result.l1,
               result.l2, result.most);
    return result;
}

int main(int argc, char **argv)
{
    int rank;
    const int n = argc > 1 ? atoi(argv[1]) : 40;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (n < 4) {
        if (rank == 0) fprintf(stderr, "bell: CELLS is at least 4\n");
        MPI_Finalize();
        return 2;
    }
    const Errors coarse = revolve(n);
    const Errors fine = revolve(2 * n);
    const double order = log(coarse.l2 / fine.l2) / log(2);
    const int is_good = order > 1.1 && coarse.mass < 1e-12 && fine.mass < 1e-12;
    if (rank == 0) {
        printf("order of convergence (l2): %.2f\n", order);
        printf("%s\n", is_good ? "the bell has come back, and nothing is lost" : "something is wrong");
    }
    MPI_Finalize();
    return !is_good;
}
