/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighborhood exchanges as programs make them, by MPI's own names: bench/unmodified/unmodified.sh has it
   plain and with the interposer preloaded.  `exchanges SAMPLES BYTES...` prints a line "TOPOLOGY NEIGHBORS
   FORM BYTES MICROSECONDS" for each exchange, the median of its samples, and a line "WRONG" for each whose
   blocks are not what arithmetic says.  Topologies: a ring (2 neighbors), MPI's Cartesian grids of 2 and 3
   dimensions, and the 26 neighbors on a torus of 3.  On the grids and graphs the blocking form is
   MPI_Neighbor_alltoall; the others are those of alltoallv.  HAVE_PERSISTENT: MPI has such a form.  With
   BENCH_BETWEEN in the environment there is one more, "between": the messages between nodes alone, by
   MPI_Isend, MPI_Irecv and MPI_Waitall.  No library that sends them one by one takes less time.  With
   BENCH_SIZED there are two others in place of all of these: blocking calls of alltoallv and alltoallw.
   With BENCH_VARYING there are blocking and non-blocking calls of alltoallv whose buffers and sizes are
   other ones in each call, as in programs whose particles move. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 26, warm_up = 3, between = 3, sized = 4, varying = 6, forms = 8 };

/* Blocks of calls that vary begin anywhere in so much room more. */
enum { places_apart = 8, places_in_all = 509, room = places_apart * places_in_all };

struct topology {
    const char *name;
    MPI_Comm comm;
    int n, source[most], target[most];
    int slot[most]; /* of its sender's blocks, the one that arrives as our block i */
};

static int rank, size;
static int *node_of; /* by rank: the first process there */

static void make_graph(struct topology *t)
{
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, t->n, t->source, MPI_UNWEIGHTED, t->n, t->target,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &t->comm);
}

static void ring(struct topology *t)
{
    t->name = "ring", t->n = 2;
    t->source[0] = t->target[1] = (rank + size - 1) % size;
    t->source[1] = t->target[0] = (rank + 1) % size;
    t->slot[0] = 0, t->slot[1] = 1;
    make_graph(t);
}

static void grid(struct topology *t, const char *name, int d)
{
    int dims[3] = {0}, periods[3] = {1, 1, 1};
    t->name = name, t->n = 2 * d;
    MPI_Dims_create(size, d, dims);
    MPI_Cart_create(MPI_COMM_WORLD, d, dims, periods, 0, &t->comm);
    for (int k = 0; k < d; k++) {
        MPI_Cart_shift(t->comm, k, 1, &t->source[2 * k], &t->source[2 * k + 1]);
        t->target[2 * k] = t->source[2 * k], t->target[2 * k + 1] = t->source[2 * k + 1];
        t->slot[2 * k] = 2 * k + 1; /* what the lower neighbor sends upward */
        t->slot[2 * k + 1] = 2 * k;
    }
}

static void box(struct topology *t)
{
    int dims[3] = {0}, periods[3] = {1, 1, 1}, here[3];
    MPI_Comm torus;
    t->name = "box", t->n = 0;
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &torus);
    MPI_Cart_coords(torus, rank, 3, here);
    for (int i = 0; i < 27; i++) {
        const int step[3] = {i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1};
        int ahead[3], behind[3];
        if (i == 13) continue;
        for (int k = 0; k < 3; k++) ahead[k] = here[k] + step[k], behind[k] = here[k] - step[k];
        MPI_Cart_rank(torus, ahead, &t->target[t->n]);
        MPI_Cart_rank(torus, behind, &t->source[t->n]);
        t->slot[t->n] = t->n;
        t->n++;
    }
    MPI_Comm_free(&torus);
    make_graph(t);
}

static void make(struct topology *t, int which)
{
    switch (which) {
    case 0: ring(t); break;
    case 1: grid(t, "grid-2d", 2); break;
    case 2: grid(t, "grid-3d", 3); break;
    default: box(t);
    }
}

static void find_nodes(void)
{
    MPI_Comm node;
    int first = rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    node_of = malloc(sizeof *node_of * (size_t)size);
    MPI_Allgather(&first, 1, MPI_INT, node_of, 1, MPI_INT, MPI_COMM_WORLD);
}

static void exchange_between_nodes(const struct topology *t, unsigned char *out, unsigned char *in, int bytes)
{
    MPI_Request requests[2 * most];
    int n = 0;
    for (int i = 0; i < t->n; i++)
        if (node_of[t->source[i]] != node_of[rank])
            MPI_Irecv(in + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, t->source[i], 0, t->comm,
                      &requests[n++]);
    for (int i = 0; i < t->n; i++)
        if (node_of[t->target[i]] != node_of[rank])
            MPI_Isend(out + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, t->target[i], 0, t->comm,
                      &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* The bytes of a block. */
static unsigned char mark(int sender, int slot, int sample)
{
    return (unsigned char)(1 + (sender * 31 + slot * 7 + sample * 13) % 250);
}

/* MPI libraries confuse the blocks of one neighbor that is there twice: of those it counts that there are
   some. */
static int is_wrong(const struct topology *t, const unsigned char *in, size_t apart, int bytes, int sample)
{
    for (int i = 0; i < t->n; i++) {
        const unsigned char *block = in + (size_t)i * apart, wanted = mark(t->source[i], t->slot[i], sample);
        int repeated = 0;
        for (int j = 0; j < t->n; j++) repeated |= j != i && t->source[j] == t->source[i];
        if (block[0] == 0 || (!repeated && (block[0] != wanted || block[bytes - 1] != wanted))) return 1;
    }
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct topology *t, int form, int bytes, int samples)
{
    static const char *const names[forms] = {"blocking",  "nonblocking", "persistent", "between",
                                             "alltoallv", "alltoallw",   "varying",    "nb-varying"};
    const size_t apart = (size_t)bytes + (form >= varying ? room : 0), all = (size_t)t->n * apart;
    unsigned char *out = malloc(all), *in = malloc(all);
    double *times = malloc(sizeof *times * (size_t)samples);
    int counts[most], places[most], wrong = 0, calls = 0, size = bytes, begin_at = 0;
    MPI_Aint addresses[most];
    MPI_Datatype types[most];
    const int batch = bytes <= 4096 ? 20 : bytes <= 65536 ? 5 : 2;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < t->n; i++)
        counts[i] = bytes, addresses[i] = places[i] = i * (int)apart, types[i] = MPI_BYTE;
#ifdef HAVE_PERSISTENT
    if (form == 2)
        MPI_Neighbor_alltoallv_init(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, t->comm,
                                    MPI_INFO_NULL, &request);
#endif
    for (int s = 0; s < warm_up + samples; s++) {
        for (int i = 0; i < t->n; i++) memset(out + (size_t)i * apart, mark(rank, i, s), apart);
        memset(in, 0, all);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int b = 0; b < batch; b++) {
            if (form == 0) {
                MPI_Neighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, t->comm);
                continue;
            }
            if (form == between) {
                exchange_between_nodes(t, out, in, bytes);
                continue;
            }
            if (form >= varying) {
                size = bytes - calls % 8, begin_at = places_apart * (calls % places_in_all), calls++;
                for (int i = 0; i < t->n; i++) counts[i] = size, places[i] = i * (int)apart + begin_at;
            }
            if (form == sized + 1) {
                MPI_Neighbor_alltoallw(out, counts, addresses, types, in, counts, addresses, types, t->comm);
                continue;
            }
            if (form == sized || form == varying) {
                MPI_Neighbor_alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, t->comm);
                continue;
            }
            if (form != 2)
                MPI_Ineighbor_alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, t->comm,
                                        &request);
            else
                MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (s >= warm_up) times[s - warm_up] = (MPI_Wtime() - begin) / batch * 1e6;
        wrong |= form != between && is_wrong(t, in + begin_at, apart, size, s);
    }
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    qsort(times, (size_t)samples, sizeof *times, ascending);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s %d %s %d %.3f\n", t->name, t->n, names[form], bytes, times[samples / 2]);
        if (wrong) printf("WRONG %s %d %s\n", t->name, bytes, names[form]);
    }
    free(times), free(in), free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int has_between = getenv("BENCH_BETWEEN") != NULL;
    const int begin = getenv("BENCH_VARYING") ? varying : getenv("BENCH_SIZED") ? sized : 0;
    const int end = begin == varying ? forms : begin == sized ? varying : sized;
    if (has_between) find_nodes();
    struct topology topology;
    for (int t = 0; t < 4; t++)
        for (int a = 2; a < argc; a++) {
            /* Blocks of a communicator have one size, if that is what is measured. */
            if (begin == sized || a == 2) make(&topology, t);
            for (int form = begin; form < end; form++) {
#ifndef HAVE_PERSISTENT
                if (form == 2) continue;
#endif
                if (form == between && !has_between) continue;
                measure(&topology, form, atoi(argv[a]), atoi(argv[1]));
            }
            if (begin == sized || a + 1 == argc) MPI_Comm_free(&topology.comm);
        }
    free(node_of);
    MPI_Finalize();
    return 0;
}
