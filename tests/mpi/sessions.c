/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that never calls MPI_Init: sessions, one after the other and two at once. */
#include <mpi.h>
#include <mpiortho.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef ORTHO_MPI_SESSIONS

static char mpi[MPI_MAX_LIBRARY_VERSION_STRING + 1];

static int failures, rank;

static void expect(const char *what, int is, int should_be)
{
    if (is == should_be) return;
    ++failures;
    fprintf(stderr, "%s: %d, not %d\n", what, is, should_be);
}

static void exchange(MPI_Comm graph, int left, int right)
{
    int from[2] = {10 * rank, 10 * rank + 1}, to[2] = {-1, -1}, sum = -1;
    for (int form = 0; form < 3; form++) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        to[0] = to[1] = -1;
        if (form == 0) ORTHO_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, graph);
        if (form == 1) ORTHO_Ialltoall(from, 1, MPI_INT, to, 1, MPI_INT, graph, &request);
        if (form == 2) {
            ORTHO_Alltoall_init(from, 1, MPI_INT, to, 1, MPI_INT, graph, MPI_INFO_NULL, &request);
            ORTHO_Start(&request);
        }
        ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        if (form == 2) ORTHO_Request_free(&request);
        expect("from the right", to[0], 10 * right);
        expect("from the left", to[1], 10 * left + 1);
    }
    if (strstr(mpi, "Open MPI") != NULL) { /* whose MPI_Reduce_local looks at MPI_COMM_WORLD */
        int class = -1;
        MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
        ORTHO_Error_class(ORTHO_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, graph), &class);
        expect("class of what Open MPI cannot", class, MPI_ERR_OP);
    } else {
        ORTHO_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, graph);
        expect("sum of neighbors", sum, left + right);
    }
}

static void use(MPI_Comm all)
{
    int size, one = 1, offsets[2] = {-1, 1};
    MPI_Comm_size(all, &size);
    MPI_Comm_rank(all, &rank);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Comm ring, base, again;
    int topology = -1;
    /* It is the first call that asks what there is. */
    ORTHO_Cart_neighborhood_create(all, 1, &size, &one, 2, offsets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    ORTHO_Topo_test(all, &topology);
    expect("topology", topology, ORTHO_FULL);
    exchange(ring, left, right);
    int sum = -1;
    ORTHO_Comm_base(ring, &base);
    ORTHO_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, base);
    expect("sum of all", sum, size * (size - 1) / 2);
    MPI_Comm_free(&base);
    ORTHO_Comm_dup(ring, &again);
    MPI_Comm_free(&ring);
    exchange(again, left, right);
    /* Errors come back, as the communicator says. */
    MPI_Comm_set_errhandler(again, MPI_ERRORS_RETURN);
    int class = -1;
    char text[200] = "";
    ORTHO_Error_class(ORTHO_Alltoall(offsets, -1, MPI_INT, offsets, 1, MPI_INT, again), &class);
    expect("class of an error", class, MPI_ERR_COUNT);
    ORTHO_Error_message(text, sizeof text, NULL);
    expect("message of an error", strstr(text, "sendcount = -1") != NULL, 1);
    MPI_Comm_free(&again);
}

static MPI_Comm all_of(MPI_Session session)
{
    MPI_Group group;
    MPI_Comm all;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpiortho.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
    MPI_Group_free(&group);
    return all;
}

int main(int argc, char **argv)
{
    /* Before there is a session nothing works, and nothing is broken by asking. */
    int topology = -1;
    if (argc > 1 && strcmp(argv[1], "early") == 0)
        expect("before any session", ORTHO_Topo_test(MPI_COMM_WORLD, &topology) != MPI_SUCCESS, 1);
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    /* Intel's MPI ends with its last session (doc/mpi-bugs.md, 31 and 44). */
    const int laps = strstr(mpi, "Intel") != NULL ? 1 : 3;
    for (int lap = 0; lap < laps; lap++) {
        int size, one = 1, sent, received = -1, next = 1;
        MPI_Comm ring;
        ORTHO_Request left_over;
        MPI_Session session, second;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Comm all = all_of(session);
        MPI_Comm_size(all, &size);
        use(all);
        use(all);
        MPI_Comm_rank(all, &sent);
        ORTHO_Cart_neighborhood_create(all, 1, &size, &one, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &ring);
        ORTHO_Alltoall_init(&sent, 1, MPI_INT, &received, 1, MPI_INT, ring, MPI_INFO_NULL, &left_over);
        MPI_Comm_free(&ring);
        if (laps == 1) ORTHO_Request_free(&left_over);
        if (lap == laps / 2) {
            MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
            MPI_Comm others = all_of(second);
            use(others);
            MPI_Comm_free(&all);
            use(others);
            MPI_Comm_free(&others);
            MPI_Session_finalize(&second);
        } else {
            MPI_Comm_free(&all);
        }
        MPI_Session_finalize(&session);
        if (laps == 1) break;
        /* An operation that is left works on: the library has a session of its own. */
        ORTHO_Run(&left_over, MPI_STATUS_IGNORE);
        expect("after the session", received, (sent + size - 1) % size);
        expect("freed after the session", ORTHO_Request_free(&left_over), MPI_SUCCESS);
    }
    /* The library's session is this process's, and none of its children's. */
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        exit(3);
    }
    expect("the child ends", waitpid(child, &status, 0) == child && WIFEXITED(status), 1);
    expect("as it likes", WEXITSTATUS(status), 3);
    if (failures == 0 && rank == 0) puts("right");
    return failures != 0;
}

#else

int main(void)
{
    puts("no sessions");
    return 0;
}

#endif
