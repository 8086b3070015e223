// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: exchanges on grids whose blocks have one size each way, from none to large, against
// arithmetic.  On some, processes of one colour send small blocks and receive large ones, and those of the
// other colour the other way round.  Its last line says what is wrong.

#include "plain.h"

enum { most = 6, largest = 65536, passes = 3 };

static unsigned char sent[most * largest], received[most * largest];

/* The bytes of the block that a process sends to that neighbor of its. */
static unsigned char mark(int sender, int neighbor, int pass)
{
    return (unsigned char)(1 + (sender * 31 + neighbor * 7 + pass * 13) % 250);
}

static void check(MPI_Comm grid, int n, const int neighbors[], int bytes, int gathers, int pass)
{
    for (int i = 0; i < n; ++i) {
        const unsigned char *block = received + (size_t)i * (size_t)bytes;
        /* A block that the lower neighbor sends upward arrives from below. */
        const unsigned char expected = neighbors[i] == MPI_PROC_NULL
                                           ? 0
                                           : mark(neighbors[i], gathers ? 0 : i ^ 1, pass);
        for (int k = 0; k < bytes; ++k) {
            if (block[k] == expected) continue;
            char name[MPI_MAX_OBJECT_NAME];
            int length;
            MPI_Comm_get_name(grid, name, &length);
            printf("%s, process %d: byte %d of block %d of %d bytes is %d, not %d\n", name, me, k, i, bytes,
                   block[k], expected);
            ++wrong;
            return;
        }
    }
}

/* Send blocks of so many bytes, and receive blocks of so many. */
static void exchange(MPI_Comm grid, int n, const int neighbors[], int out, int in)
{
    /* Other datatypes for the same bytes. */
    MPI_Datatype eight;
    int sendcounts[most], sendplaces[most], recvcounts[most], recvplaces[most];
    for (int i = 0; i < n; ++i) {
        sendcounts[i] = out, sendplaces[i] = i * out;
        recvcounts[i] = in, recvplaces[i] = i * in;
    }
    MPI_Type_contiguous(8, MPI_BYTE, &eight);
    MPI_Type_commit(&eight);
    for (int pass = 0; pass < passes; ++pass) {
        MPI_Request request;
        for (int i = 0; i < n; ++i) memset(sent + (size_t)i * (size_t)out, mark(me, i, pass), (size_t)out);
        memset(received, 0, (size_t)n * (size_t)in);
        if (out % 8 == 0 && pass % 2 == 0)
            MPI_Neighbor_alltoall(sent, out / 8, eight, received, in, MPI_BYTE, grid);
        else
            MPI_Neighbor_alltoall(sent, out, MPI_BYTE, received, in, MPI_BYTE, grid);
        check(grid, n, neighbors, in, 0, pass);
        memset(received, 0, (size_t)n * (size_t)in);
        /* Open MPI's Ineighbor_alltoall, which may be left to it, refuses two sizes. */
        MPI_Ineighbor_alltoallv(sent, sendcounts, sendplaces, MPI_BYTE, received, recvcounts, recvplaces,
                                MPI_BYTE, grid, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(grid, n, neighbors, in, 0, pass);
        memset(received, 0, (size_t)n * (size_t)in);
        MPI_Neighbor_allgather(sent, out, MPI_BYTE, received, in, MPI_BYTE, grid);
        check(grid, n, neighbors, in, 1, pass);
    }
    MPI_Type_free(&eight);
}

static void on_grid(int d, const int dims[], const int periods[])
{
    static const int sizes[] = {0, 8, 1000, 4095, 4096, 5000, largest};
    enum { n_sizes = sizeof sizes / sizeof sizes[0] };
    int neighbors[most], here[3], colour = 0, has_colours = 1;
    char name[80];
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, d, dims, periods, 0, &grid);
    snprintf(name, sizeof name, "%d x %d x %d, periodic %d %d %d", dims[0], d > 1 ? dims[1] : 1,
             d > 2 ? dims[2] : 1, periods[0], d > 1 && periods[1], d > 2 && periods[2]);
    MPI_Comm_set_name(grid, name);
    MPI_Cart_coords(grid, me, d, here);
    for (int k = 0; k < d; ++k) {
        MPI_Cart_shift(grid, k, 1, &neighbors[2 * k], &neighbors[2 * k + 1]);
        colour += here[k];
        /* Round an odd ring neighbors have the same colour somewhere. */
        has_colours &= dims[k] % 2 == 0 || !periods[k];
    }
    for (int a = 0; a < n_sizes; ++a) {
        exchange(grid, 2 * d, neighbors, sizes[a], sizes[a]);
        if (!has_colours) continue;
        for (int b = 0; b < a; ++b)
            exchange(grid, 2 * d, neighbors, sizes[colour % 2 ? a : b], sizes[colour % 2 ? b : a]);
    }
    MPI_Comm_free(&grid);
}

/* One way round a ring, where a process cannot tell how long the blocks of others are. */
static void one_way(void)
{
    MPI_Comm ring = graph_ring(MPI_COMM_WORLD);
    for (int bytes = 8; bytes <= largest; bytes *= 16) {
        memset(sent, mark(me, 0, bytes), (size_t)bytes);
        memset(received, 0, (size_t)bytes);
        MPI_Neighbor_alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, ring);
        for (int k = 0; k < bytes; ++k) wrong += received[k] != mark(before, 0, bytes);
    }
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    static const int all[] = {1, 1, 1}, none[] = {0, 0, 0}, one[] = {0, 1, 0};
    begin(&argc, &argv);
    for (int d = 1; d <= 3; ++d) {
        int dims[3] = {0, 0, 0};
        MPI_Dims_create(size, d, dims);
        on_grid(d, dims, all);
        on_grid(d, dims, none);
        on_grid(d, dims, one);
    }
    one_way();
    return end();
}
