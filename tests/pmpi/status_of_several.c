/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI 4.1 tells the status of several requests.  The interposer knows these functions also where it was built
 * with an older MPI than the one that runs: in place of a newer MPI the program itself has them. */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION < 4 || (MPI_VERSION == 4 && MPI_SUBVERSION < 1)
/* Weak: the program links without the interposer, too. */
__attribute__((weak)) int MPI_Request_get_status_all(int, const MPI_Request *, int *, MPI_Status *);
__attribute__((weak)) int MPI_Request_get_status_any(int, const MPI_Request *, int *, int *, MPI_Status *);
__attribute__((weak)) int MPI_Request_get_status_some(int, const MPI_Request *, int *, int *, MPI_Status *);

int PMPI_Request_get_status_some(int n, const MPI_Request *requests, int *count, int *indices,
                                 MPI_Status *statuses)
{
    (void)statuses;
    *count = 0;
    for (int i = 0; i < n; i++) {
        int flag = 0;
        PMPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
        if (flag) indices[(*count)++] = i;
    }
    return MPI_SUCCESS;
}
int PMPI_Request_get_status_all(int n, const MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    int count = 0, indices[2];
    PMPI_Request_get_status_some(n, requests, &count, indices, statuses);
    *flag = count == n;
    return MPI_SUCCESS;
}
int PMPI_Request_get_status_any(int n, const MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    int count = 0, indices[2];
    PMPI_Request_get_status_some(n, requests, &count, indices, status);
    *flag = count > 0;
    *index = count > 0 ? indices[0] : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
#endif

int main(int argc, char **argv)
{
    enum { all, any, some, ways };
    int rank, size, wrong = 0;
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int last = (rank + size - 1) % size, next = (rank + 1) % size, one = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, &one, 1, &next, &one, MPI_INFO_NULL, 0, &ring);
    for (int way = 0; way < ways; way++) {
        int sent[2] = {rank + way, rank - way}, got[2] = {-1, -1}, index = -1, indices[2] = {-1, -1},
            flag = 0;
        MPI_Request requests[2];
        for (int i = 0; i < 2; i++)
            MPI_Ineighbor_alltoall(&sent[i], 1, MPI_INT, &got[i], 1, MPI_INT, ring, &requests[i]);
        for (double begin = MPI_Wtime(); !flag && MPI_Wtime() - begin < 20;) {
            if (way == all) MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE);
            if (way == any) MPI_Request_get_status_any(2, requests, &index, &flag, MPI_STATUS_IGNORE);
            if (way == some) MPI_Request_get_status_some(2, requests, &flag, indices, MPI_STATUSES_IGNORE);
        }
        wrong += !flag;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        wrong += got[0] != last + way || got[1] != last - way;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", wrong);
    MPI_Comm_free(&ring);
    return MPI_Finalize();
}
