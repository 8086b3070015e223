/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of newer MPIs, as a program sees them that was built for any MPI, such as mpi4py: weak, and taken where
 * they are there.  The interposer has them with any MPI, so they must work with any. */
#include "plain.h"

#if MPI_VERSION < 4
__attribute__((weak)) int MPI_Send_c(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
__attribute__((weak)) int MPI_Irecv_c(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
__attribute__((weak)) int MPI_Sendrecv_c(const void *, MPI_Count, MPI_Datatype, int, int, void *, MPI_Count,
                                         MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
#endif
#if MPI_VERSION < 4 || (MPI_VERSION == 4 && MPI_SUBVERSION < 1)
__attribute__((weak)) int MPI_Request_get_status_all(int, const MPI_Request *, int *, MPI_Status *);
__attribute__((weak)) int MPI_Request_get_status_any(int, const MPI_Request *, int *, int *, MPI_Status *);
__attribute__((weak)) int MPI_Request_get_status_some(int, const MPI_Request *, int *, int *, MPI_Status *);
#endif

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int out[3] = {me, 10 + me, 20 + me};
    if (MPI_Send_c != NULL && MPI_Irecv_c != NULL) {
        int in[3] = {-1, -1, -1};
        MPI_Request request;
        MPI_Status status;
        expect("MPI_Irecv_c", MPI_Irecv_c(in, 3, MPI_INT, before, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        expect("MPI_Send_c", MPI_Send_c(out, 3, MPI_INT, next, 1, MPI_COMM_WORLD), MPI_SUCCESS);
        MPI_Wait(&request, &status);
        for (int k = 0; k < 3; k++) expect("what came", in[k], 10 * k + before);
    }
    if (MPI_Sendrecv_c != NULL) {
        int in[3] = {-1, -1, -1};
        MPI_Sendrecv_c(out, 3, MPI_INT, next, 2, in, 3, MPI_INT, before, 2, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
        for (int k = 0; k < 3; k++) expect("MPI_Sendrecv_c", in[k], 10 * k + before);
    }
    if (MPI_Request_get_status_all != NULL) {
        int in[2] = {-1, -1}, flag = 0, n = 0, index = -1, indices[3] = {-1, -1, -1};
        MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Status statuses[3], status;
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, before, 3 + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Request_get_status_all(3, requests, &flag, MPI_STATUSES_IGNORE);
        expect("nothing has come: all", flag, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&out[1], 1, MPI_INT, next, 4, MPI_COMM_WORLD);
        while (!flag) MPI_Request_get_status_any(3, requests, &index, &flag, &status);
        expect("any", index, 1);
        expect("its tag", status.MPI_TAG, 4);
        MPI_Request_get_status_some(3, requests, &n, indices, statuses);
        expect("some", n, 1);
        expect("which", indices[0], 1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&out[0], 1, MPI_INT, next, 3, MPI_COMM_WORLD);
        for (flag = 0; !flag;) MPI_Request_get_status_all(3, requests, &flag, statuses);
        expect("tag of the first", statuses[0].MPI_TAG, 3);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        expect("the first", in[0], before);
        expect("the second", in[1], 10 + before);
        MPI_Request_get_status_any(3, requests, &index, &flag, &status);
        expect("none is left: any", flag, 1);
        expect("none is left: index", index, MPI_UNDEFINED);
        MPI_Request_get_status_some(3, requests, &n, indices, statuses);
        expect("none is left: some", n, MPI_UNDEFINED);
    }
    return end();
}
