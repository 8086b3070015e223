#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Epetra of Trilinos 13.2.0 (Debian's 13.2.0-4, with Open MPI 4.1.4).
# Expected: Export with Add adds what the processes have of a point to what its owner had before; or it always
# begins at 0.
# Seen: both in one call. What was there stays, if others alone add to it, and is dropped, if the owner has a
# part of it, too. Of 100 and parts 3 and 6 come 9; of 100 and the part 6 comes 106, but 6 on one process.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && apt-get download libtrilinos-epetra-13.2=13.2.0-4 libtrilinos-epetra-dev=13.2.0-4 \
    libtrilinos-teuchos-13.2=13.2.0-4 libblas3=3.11.0-2 liblapack3=3.11.0-2 >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.cpp <<'END_OF_CPP'
#include <Epetra_MpiComm.h>
#include <Epetra_Export.h>
#include <Epetra_Map.h>
#include <Epetra_Vector.h>
#include <cstdio>
int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    {
        const Epetra_MpiComm comm(MPI_COMM_WORLD);
        const bool first = comm.MyPID() == 0, alone = comm.NumProc() == 1;
        /* The first process owns points 0 and 1. It has a part of 0; the last one has a part of both. */
        const int points[] = {0, 1};
        const Epetra_Map owned(2, first ? 2 : 0, points, 0, comm);
        const Epetra_Map parts(-1, first && !alone ? 1 : 2, points, 0, comm);
        Epetra_Vector part(parts), whole(owned);
        part.PutScalar(first && !alone ? 3 : 6);
        whole.PutScalar(100);
        whole.Export(part, Epetra_Export(parts, owned), Add);
        if (first) std::printf("%d processes: %g %g\n", comm.NumProc(), whole[0], whole[1]);
    }
    MPI_Finalize();
}
END_OF_CPP
lib=usr/lib/x86_64-linux-gnu
mpicxx.openmpi -w -Iusr/include/trilinos t.cpp -o t -L$lib -ltrilinos_epetra \
    -Wl,-rpath-link,$lib:$lib/blas:$lib/lapack || exit 2
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack
for processes in 1 2; do
    timeout 60 mpiexec.openmpi --allow-run-as-root --oversubscribe -n $processes ./t >>seen || exit 2
done
cat seen
printf '%s\n' '1 processes: 6 6' '2 processes: 9 106' | cmp -s - seen
