#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: PnetCDF 1.12.3 (Debian's, with Open MPI 4.1.4).
# Expected: an array whose write is pending may be read, as in MPI since 2.2: ghosts may be exchanged meanwhile.
# Seen: ncmpi_iput_vara_double takes `const double *`, and swaps the bytes in place of blocks of more than
# 4 KiB. Until ncmpi_wait_all a neighbor receives other numbers. The hint nc_in_place_swap=disable prevents it.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && apt-get download libpnetcdf0d=1.12.3-1 libpnetcdf-dev=1.12.3-1 >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.c <<'END'
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
enum { n = 2000 };
static double u[n], ghost;
static void exchange(const char *when)
{
    ghost = 0;
    MPI_Sendrecv(&u[n - 1], 1, MPI_DOUBLE, 0, 0, &ghost, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    printf("%s %s\n", when, ghost == 1.5 ? "right" : "wrong");
}
static void write_and_exchange(const char *swap)
{
    int file, x, variable, request, status;
    MPI_Offset first = 0, count = n;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "nc_in_place_swap", swap);
    ncmpi_create(MPI_COMM_SELF, "u.nc", NC_CLOBBER | NC_64BIT_DATA, info, &file);
    ncmpi_def_dim(file, "x", n, &x);
    ncmpi_def_var(file, "u", NC_DOUBLE, 1, &x, &variable);
    ncmpi_enddef(file);
    ncmpi_iput_vara_double(file, variable, &first, &count, u, &request);
    printf("%s: ", swap);
    exchange("before the wait");
    ncmpi_wait_all(file, 1, &request, &status);
    printf("%s: ", swap);
    exchange("after the wait");
    ncmpi_close(file);
    MPI_Info_free(&info);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < n; i++)
        u[i] = 1.5;
    write_and_exchange("auto"); /* what counts where no hint is given */
    write_and_exchange("disable");
    MPI_Finalize();
    return 0;
}
END
mpicc.openmpi -Iusr/include -o t t.c -L"$(dirname "$(find . -name libpnetcdf.so)")" -lpnetcdf || exit 2
export LD_LIBRARY_PATH="$(dirname "$(find "$work" -name libpnetcdf.so)")"
timeout 60 mpiexec.openmpi --allow-run-as-root -n 1 ./t >seen || exit 2
cat seen
grep -q '^auto: before the wait wrong' seen && grep -q '^auto: after the wait right' seen &&
    grep -q '^disable: before the wait right' seen
