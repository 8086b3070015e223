#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that never call MPI_Init, where the MPI has sessions.
set -u
. tests/environment
export ASAN_OPTIONS="$quick_asan"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
preload="$builddir/.libs/libmpiortho-pmpi.so ${LD_PRELOAD:-}"
case $sanitizers in *address*) preload="$(${CC%% *} -print-file-name=libasan.so) $preload" ;; esac

run() { # line, processes, command
    line=$1 processes=$2
    shift 2
    timeout -k 10 "$limit" $MPIEXEC -n "$processes" "$@" >"$work/out" 2>&1 && grep -qx "$line" "$work/out" || { cat "$work/out"; return 1; }
}
no_thread() { # what a session allows is not known
    run "\(right\|no sessions\)" 2 env ORTHO_PROGRESS=thread "$builddir/tests/mpi/sessions" early &&
        grep -q "ORTHO_PROGRESS=thread needs MPI_THREAD_MULTIPLE\|no sessions" "$work/out"
}
# The MPICH of Debian 12 crashes in MPI_Test on one process, and is wrong on grids of two.
case $flavour in mpich) counts="2 3 4" ;; *) counts="1 2 3" ;; esac
for p in $counts; do
    check "the library, on $p processes" run "\(right\|no sessions\)" $p "$builddir/tests/mpi/sessions" early
    check "the interposer, on $p processes" run "0 wrong" $p env LD_PRELOAD="$preload" "$builddir/tests/pmpi/sessions"
    check "its report, on $p processes" run "\(  MPI_Neighbor_alltoall  *1 .*\|0 wrong\)" $p \
        env LD_PRELOAD="$preload" ORTHO_PMPI_REPORT=1 "$builddir/tests/pmpi/sessions"
done
check "no thread drives operations" no_thread
finish
