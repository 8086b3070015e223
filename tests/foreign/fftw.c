/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that uses FFTW's MPI transforms and knows nothing of mpiortho.  `fftw N0 N1 N2 TRANSFORMS`
   transforms an array of that many complex numbers, and leaves the coefficients transposed, as programs do
   that want one exchange for each transform.

   A plane wave has one coefficient that is not 0: the number of points.  The program fails where a number is
   off that by more than 1e-12 of it.  It prints coefficients of other numbers with all their bits: sums are
   in the same order wherever blocks come from.  "seconds S" is what one transform took. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { dimensions = 3 };
static int rank, wrong;
static ptrdiff_t size[dimensions];

/* An array of which each process has some planes of its first dimension. */
struct array {
    fftw_complex *numbers;
    ptrdiff_t first, planes, rows, columns;
};

static fftw_complex *at(const struct array *a, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k)
{
    return a->numbers + (i * a->rows + j) * a->columns + k;
}

static void expect(const char *what, double complex got, double complex expected, double scale)
{
    if (cabs(got - expected) <= 1e-12 * scale) return;
    if (wrong++ < 5)
        printf("wrong: %s: %g%+gi, not %g%+gi\n", what, creal(got), cimag(got), creal(expected),
               cimag(expected));
}

/* How far the wave is there, in turns. */
static double turns(const ptrdiff_t wave[], ptrdiff_t i, ptrdiff_t j, ptrdiff_t k)
{
    return (double)(wave[0] * i % size[0]) / (double)size[0] +
           (double)(wave[1] * j % size[1]) / (double)size[1] +
           (double)(wave[2] * k % size[2]) / (double)size[2];
}

/* Use every element of an array with its place; the array must have the names that are used here. */
#define FOR_EACH(a)                                                                                          \
    for (ptrdiff_t i = 0; i < (a)->planes; i++)                                                              \
        for (ptrdiff_t j = 0; j < (a)->rows; j++)                                                            \
            for (ptrdiff_t k = 0; k < (a)->columns; k++)

/* The wave of so many periods along each dimension, its coefficients, and the wave again. */
static void try_wave(const struct array *a, const struct array *t, fftw_plan forth, fftw_plan back,
                     const ptrdiff_t wave[])
{
    const double points = (double)(size[0] * size[1] * size[2]), turn = 2 * acos(-1);
    FOR_EACH(a) * at(a, i, j, k) = cexp(I * turn * turns(wave, a->first + i, j, k));
    fftw_execute(forth);
    FOR_EACH(t)
    {
        const int peak = t->first + i == wave[1] && j == wave[0] && k == wave[2];
        expect("a coefficient", *at(t, i, j, k), peak ? points : 0, points);
    }
    fftw_execute(back);
    FOR_EACH(a)
    expect("there and back", *at(a, i, j, k), points * cexp(I * turn * turns(wave, a->first + i, j, k)),
           points);
}

/* Numbers that depend on the place alone. */
static void fill(const struct array *a)
{
    FOR_EACH(a)
    {
        const unsigned long place = (unsigned long)(((a->first + i) * a->rows + j) * a->columns + k);
        *at(a, i, j, k) = (double)(place * 2654435761u % 10007) / 10007 + I * (double)(place % 9973) / 9973;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 5) return 1;
    const int transforms = atoi(argv[4]);
    for (int k = 0; k < dimensions; k++) size[k] = atoi(argv[1 + k]);
    struct array a = {.rows = size[1], .columns = size[2]}, t = {.rows = size[0], .columns = size[2]};
    const size_t room = (size_t)fftw_mpi_local_size_3d_transposed(size[0], size[1], size[2], MPI_COMM_WORLD,
                                                                  &a.planes, &a.first, &t.planes, &t.first);
    a.numbers = fftw_alloc_complex(room);
    t.numbers = fftw_alloc_complex(room);
    fftw_plan forth = fftw_mpi_plan_dft_3d(size[0], size[1], size[2], a.numbers, t.numbers, MPI_COMM_WORLD,
                                           FFTW_FORWARD,
                                           FFTW_ESTIMATE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan back = fftw_mpi_plan_dft_3d(size[0], size[1], size[2], t.numbers, a.numbers, MPI_COMM_WORLD,
                                          FFTW_BACKWARD,
                                          FFTW_ESTIMATE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_IN);
    try_wave(&a, &t, forth, back, (ptrdiff_t[]){1, 2, 3});
    try_wave(&a, &t, forth, back, (ptrdiff_t[]){size[0] - 1, 0, size[2] / 2});
    fill(&a);
    fftw_execute(forth);
    for (ptrdiff_t i = 0; i < t.planes; i++)
        printf("%td: %a %a\n", t.first + i, creal(*at(&t, i, 1, 2)), cimag(*at(&t, i, 3, 1)));
    fill(&a);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int n = 0; n < transforms; n++) fftw_execute(n % 2 == 0 ? forth : back);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) fprintf(stderr, "seconds %.9f\n", (MPI_Wtime() - begin) / transforms);
    fftw_destroy_plan(back);
    fftw_destroy_plan(forth);
    fftw_free(t.numbers);
    fftw_free(a.numbers);
    MPI_Finalize();
    return wrong != 0;
}
