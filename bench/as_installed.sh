# SPDX-License-Identifier: BSD-3-Clause
# For benchmarks, in a build folder: the MPI as its users have it.  No setting of an MPI is inherited or made, but what root needs,
# and leave to start more processes than there are cores, where a table has more.
. tests/facts
unset $(env | sed -n 's/^\(\(OMPI\|OPAL\|PRTE\|PMIX\|MPIR\|MPICH\|HYDRA\|UCX\|FI\|ORTHO\)_[A-Za-z0-9_]*\)=.*/\1/p')
case ${LD_PRELOAD-} in *tests/yield.so) unset LD_PRELOAD ;; esac
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Intel's MPI gets the settings of its own script vars.sh, and needs no ssh on this machine.
export I_MPI_HYDRA_BOOTSTRAP=fork
[ "$flavour" != intel ] || export I_MPI_ROOT="${MPIEXEC%/bin/*}" LD_LIBRARY_PATH="${MPIEXEC%/bin/*}/lib"

mpi_version=$($MPIEXEC --version 2>&1 | sed -n 's/^[^0-9]*\([0-9][0-9]*\(\.[0-9a-z]*\)*\).*/\1/p' | head -n 1)
mpi_major=${mpi_version%%.*}
case $flavour in
mpich) mpi_name=MPICH ;;
openmpi) mpi_name="Open MPI" ;;
intel) mpi_name="Intel MPI" ;;
*) mpi_name="this MPI" ;;
esac
cores=$(nproc)

# crowd_option PROCESSES: mpiexec's option for more of them than cores, if there is one.
crowd_option() {
    [ "$1" -gt "$cores" ] || return 0
    case $flavour$mpi_major in
    openmpi[1-4]) echo "--oversubscribe" ;;
    openmpi*) echo "--map-by :oversubscribe" ;;
    esac
}
# start PROCESSES PROGRAM...: with BENCH_HOSTS on so many hosts (tests/hosts/hosts.sh), each with its part of them.
start() {
    processes=$1
    shift
    if [ -n "${BENCH_HOSTS-}" ]; then
        sh "$srcdir/tests/hosts/hosts.sh" --hosts "$BENCH_HOSTS" --per-host $((processes / BENCH_HOSTS)) --as-installed -- "$@"
        return
    fi
    $MPIEXEC $(crowd_option "$processes") -n "$processes" "$@"
}
# how_run WORDS...: the line of raw data that says what ran how; bench/book prints it.
how_run() { echo "# as run: $mpi_name $mpi_version, $*"; }
# how_started PROCESSES: the same, of start.
how_started() {
    option=$(crowd_option "$1")
    how_run "$1 processes on $cores cores, \`mpiexec${option:+ $option} -n $1\`, settings: none"
}
