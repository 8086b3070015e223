/* SPDX-License-Identifier: BSD-3-Clause
 * Heat in a periodic box whose field lies on GPUs.  Its ghosts travel in one stream while another one computes
 * what needs none.  The first field is a wave that each step makes smaller by a factor that is known: so the
 * program knows the last one.
 *
 *     mpiexec -n 8 ./heat3d_gpu [SIDE [STEPS]] */
#include <cuda_runtime.h>
#include <mpiortho.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA(call) require((call), __LINE__)
static void require(cudaError_t error, int line)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "heat3d.cu:%d: %s\n", line, cudaGetErrorString(error));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Owned cells along z, y and x; around them lies a layer of ghosts. */
struct Box {
    int n[3];
};
__host__ __device__ static size_t at(Box box, int k, int j, int i)
{
    return ((size_t)k * (box.n[1] + 2) + j) * (box.n[2] + 2) + i;
}

/* A step of the cells next to the ghosts, or of all others. */
__global__ void step(double *next, const double *now, Box box, bool next_to_ghosts)
{
    const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    const int j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    const int k = 1 + blockIdx.z;
    if (i > box.n[2] || j > box.n[1]) return;
    const bool inside = k > 1 && k < box.n[0] && j > 1 && j < box.n[1] && i > 1 && i < box.n[2];
    if (inside == next_to_ghosts) return;
    const size_t c = at(box, k, j, i);
    const double around = now[at(box, k - 1, j, i)] + now[at(box, k + 1, j, i)] + now[at(box, k, j - 1, i)] +
                          now[at(box, k, j + 1, i)] + now[c - 1] + now[c + 1];
    next[c] = now[c] + 0.1 * (around - 6 * now[c]);
}

static const double tau = 6.283185307179586;
/* The first value of the cell with these coordinates of the whole. */
static double wave(int side, int z, int y, int x)
{
    return cos(tau * z / side) * cos(tau * y / side) * cos(tau * x / side);
}

/* Processes of a node use its GPUs in turn. */
static void choose_gpu(void)
{
    MPI_Comm node;
    int rank, gpus;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    CUDA(cudaGetDeviceCount(&gpus));
    CUDA(cudaSetDevice(rank % gpus));
}

/* The greatest difference of an owned cell from `factor` times its first value. */
static double difference_of(const double *field, Box box, int side, const int first[3], double factor)
{
    double worst = 0;
    for (int k = 1; k <= box.n[0]; ++k)
        for (int j = 1; j <= box.n[1]; ++j)
            for (int i = 1; i <= box.n[2]; ++i)
                worst = fmax(worst, fabs(field[at(box, k, j, i)] -
                                         factor * wave(side, first[0] + k, first[1] + j, first[2] + i)));
    return worst;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int side = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 100;
    int p, rank, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, mine[3], first[3], sizes[3];
    const int depth[3] = {1, 1, 1};
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 3, mine);
    choose_gpu();

    Box box;
    for (int d = 0; d < 3; ++d) { /* parts may differ by a cell */
        first[d] = side * mine[d] / dims[d] - 1;
        box.n[d] = side * (mine[d] + 1) / dims[d] - 1 - first[d];
        sizes[d] = box.n[d] + 2;
    }
    const size_t bytes = at(box, sizes[0], 0, 0) * sizeof(double);
    double *const on_host = (double *)calloc(bytes, 1);
    for (int k = 1; k <= box.n[0]; ++k)
        for (int j = 1; j <= box.n[1]; ++j)
            for (int i = 1; i <= box.n[2]; ++i)
                on_host[at(box, k, j, i)] = wave(side, first[0] + k, first[1] + j, first[2] + i);

    /* Between start and wait no process waits for another one: the ghosts may stay on the GPUs of a node. */
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_forward", "true");
    double *field[2]; /* they take turns */
    ORTHO_Request halo[2];
    for (int f = 0; f < 2; ++f) {
        CUDA(cudaMalloc((void **)&field[f], bytes));
        CUDA(cudaMemcpy(field[f], on_host, bytes, cudaMemcpyHostToDevice));
        void *const fields[1] = {field[f]};
        const MPI_Datatype elements[1] = {MPI_DOUBLE};
        ORTHO_Halo_init(1, fields, elements, 3, sizes, depth, depth, grid, info, &halo[f]);
    }
    MPI_Info_free(&info);

    cudaStream_t ghosts, inner;
    cudaEvent_t inner_is_done, step_is_done;
    CUDA(cudaStreamCreate(&ghosts));
    CUDA(cudaStreamCreate(&inner));
    CUDA(cudaEventCreate(&inner_is_done));
    CUDA(cudaEventCreate(&step_is_done));
    const dim3 threads(32, 8), blocks((box.n[2] + 31) / 32, (box.n[1] + 7) / 8, box.n[0]);
    for (int s = 0; s < steps; ++s) {
        const int now = s % 2, next = 1 - now;
        ORTHO_Start_enqueue(&halo[now], ghosts);
        step<<<blocks, threads, 0, inner>>>(field[next], field[now], box, false);
        CUDA(cudaEventRecord(inner_is_done, inner));
        ORTHO_Wait_enqueue(&halo[now], ghosts); /* the host goes on before the ghosts are there */
        CUDA(cudaStreamWaitEvent(ghosts, inner_is_done, 0));
        step<<<blocks, threads, 0, ghosts>>>(field[next], field[now], box, true);
        CUDA(cudaEventRecord(step_is_done, ghosts));
        CUDA(cudaStreamWaitEvent(inner, step_is_done, 0));
    }
    CUDA(cudaMemcpyAsync(on_host, field[steps % 2], bytes, cudaMemcpyDeviceToHost, ghosts));
    CUDA(cudaStreamSynchronize(ghosts));

    const double factor = pow(1 - 0.6 * (1 - cos(tau / side)), steps);
    double difference = difference_of(on_host, box, side, first, factor);
    MPI_Allreduce(MPI_IN_PLACE, &difference, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%dx%dx%d processes, %d^3 cells, %d steps: the wave differs by %g\n", dims[0], dims[1],
               dims[2], side, steps, difference);
    for (int f = 0; f < 2; ++f) {
        ORTHO_Request_free(&halo[f]);
        CUDA(cudaFree(field[f]));
    }
    free(on_host);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return difference < 1e-12 ? 0 : 1;
}
