/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that loads the library as a plugin does, or a plugin, and closes it before MPI_Finalize.  Arguments:
 * its file, and the name of its function, if that is not ORTHO_Topo_test. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int (*topo_test)(MPI_Comm, int *) = NULL;
    int topology = -1;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin != NULL) *(void **)&topo_test = dlsym(plugin, argc > 2 ? argv[2] : "ORTHO_Topo_test");
    if (topo_test == NULL) {
        puts(plugin == NULL ? dlerror() : "no such function");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int code = topo_test(comm, &topology);
    dlclose(plugin);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    if (code == MPI_SUCCESS && topology == 1) puts("closed");
    return 0;
}
