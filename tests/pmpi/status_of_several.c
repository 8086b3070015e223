/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI 4.1 tells the status of several requests.  The interposer knows these functions also where it was built
 * with an older MPI than the one that runs: in place of a newer MPI the program itself has them. */
#include "plain.h"

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
    begin(&argc, &argv);
    MPI_Comm ring = graph_ring(MPI_COMM_WORLD);
    for (int way = 0; way < ways; way++) {
        int sent[2] = {me + way, me - way}, got[2] = {-1, -1}, index = -1, indices[2] = {-1, -1}, flag = 0;
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
        wrong += got[0] != before + way || got[1] != before - way;
    }
    MPI_Comm_free(&ring);
    return end();
}
