#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Packages of others from PyPI, on pip's mpi4py, which takes this build's MPI (tests/foreign/pypi.py).
set -u
. "$(dirname "$0")/compare.sh"
venv=$builddir/foreign/pypi
fetch() {
    [ -x "$venv/fetched" ] && return
    python3 -m venv "$venv" && "$venv/bin/pip" -q install mpi4py==4.1.0 mpipartition==1.5.0 mpiarray==0.2.1 \
        pylops-mpi==0.8.0 && ln -sf bin/python "$venv/fetched"
}
check "the packages are installed" fetch
program="$venv/bin/python $srcdir/tests/foreign/pypi.py"
with_settings() { # what, processes, settings: all ways of the interposer
    for settings in $3; do
        settings=$(echo "$settings" | tr , ' ')
        foreign "pypi-$1 ($settings)" $2 $program $1
    done
}
standard=ORTHO_PMPI_PAIRING=standard
for p in 2 3 4; do
    calls="MPI_Alltoall MPI_Alltoallv"
    with_settings particles $p "ORTHO_PMPI=dense ORTHO_PMPI=dense,ORTHO_VERIFY=1"
    calls=MPI_Alltoallv
    with_settings arrays $p "ORTHO_PMPI=dense ORTHO_PMPI=dense,ORTHO_SHM=0"
    calls= # their grids carry point-to-point messages and collectives alone
    with_settings arrays $p "$standard ORTHO_PMPI=unify ORTHO_VERIFY=1"
    with_settings stencils $p "$standard ORTHO_PMPI=unify ORTHO_PMPI=dense ORTHO_VERIFY=1"
done
settings=ORTHO_PMPI=dense calls=MPI_Alltoallv spoils=-DSPOIL_DENSE
wrong_says='another answer with the interposer'
notices pypi-arrays 2 $program arrays
notices pypi-particles 2 $program particles
finish
