/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that makes one mistake, which its argument names, and knows nothing of mpiortho.  With a second
 * argument errors are returned, and each process prints what MPI says of the code. */
#include "interposer_only.h"
#include "plain.h"

int main(int argc, char **argv)
{
    end_without_interposer();
    begin(&argc, &argv);
    int code = MPI_SUCCESS;
    const char *mistake = argc > 1 ? argv[1] : "";
    const int odd = me == size - 1;
    const int nobody[] = {odd ? 99 : 0}, one[] = {1};
    MPI_Comm ring = grid_ring(), graph = graph_ring(MPI_COMM_WORLD), made;
    if (argc > 2) {
        MPI_Comm const all[] = {MPI_COMM_WORLD, MPI_COMM_SELF, ring, graph};
        for (int i = 0; i < 4; i++) MPI_Comm_set_errhandler(all[i], MPI_ERRORS_RETURN);
    }
    int from[8] = {0}, to[8];
    MPI_Request request = MPI_REQUEST_NULL;
    if (strcmp(mistake, "count") == 0)
        code = MPI_Neighbor_alltoall(from, -1, MPI_INT, to, 1, MPI_INT, ring);
    else if (strcmp(mistake, "adjacent") == 0)
        code = MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, nobody, one, 1, nobody, one, MPI_INFO_NULL,
                                              0, &made);
    else if (strcmp(mistake, "graph") == 0)
        code = MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, one, nobody, one, MPI_INFO_NULL, 0, &made);
    else if (strcmp(mistake, "alltoall") == 0)
        code = MPI_Alltoall(from, -1, MPI_INT, to, 1, MPI_INT, graph);
    else if (strcmp(mistake, "verified") == 0) /* wrong on the last process, and found by all */
        code = MPI_Neighbor_allgather(from, odd ? -1 : 1, MPI_INT, to, 1, MPI_INT, graph);
    else if (strcmp(mistake, "wait") == 0) { /* found when it is completed */
        code = MPI_Ineighbor_allgather(from, odd ? 2 : 1, MPI_INT, to, 1, MPI_INT, graph, &request);
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
#ifdef ORTHO_MPI_PERSISTENT
    else if (strcmp(mistake, "start") == 0) {
        MPI_Neighbor_allgather_init(from, 1, MPI_INT, to, 1, MPI_INT, graph, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        code = MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (strcmp(mistake, "starts") == 0) { /* none */
        MPI_Neighbor_allgather_init(from, 1, MPI_INT, to, 1, MPI_INT, graph, MPI_INFO_NULL, &request);
        for (int i = 0; i < 100; i++) MPI_Start(&request), MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
#endif
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING + 1] = "";
        int length;
        MPI_Error_string(code, text, &length);
        printf("%s, code %d, class %d\n", text, code, class_of(code));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
