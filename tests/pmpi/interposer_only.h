/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that are made for the interposer, and whose calls no MPI need survive by itself. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before MPI_Init: without the interposer, or with it switched off, the program ends here. */
static void end_without_interposer(void)
{
    const char *const mode = getenv("ORTHO_PMPI");
    void *const all = dlopen(NULL, RTLD_LAZY); /* the program and its libraries */
    if (all != NULL && dlsym(all, "ORTHO_Alltoall") != NULL && (mode == NULL || strcmp(mode, "off") != 0))
        return;
    puts("this program runs with the interposer alone");
    exit(77);
}
