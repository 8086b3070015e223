# SPDX-License-Identifier: BSD-3-Clause
# ortho-plan and the library choose the same algorithm for the same call.
export ASAN_OPTIONS="$quick_asan"

# The launcher's word on how many processes are here is kept from them: ortho-plan thinks that each has a core.
alone="env -u MPI_LOCALNRANKS -u OMPI_COMM_WORLD_LOCAL_SIZE -u PMIX_LOCAL_SIZE -u SLURM_NTASKS_PER_NODE -u SLURM_STEP_TASKS_PER_NODE"

by_library() { # processes, ORTHO_NODES, calls: a line a call
    processes=$1 simulated=$2
    shift 2
    timeout -k 10 "$limit" env ORTHO_EXPLAIN=1 ORTHO_NODES="$simulated" $MPIEXEC -n "$processes" $alone "$builddir/tests/mpi/choices" "$@" \
        2>"$work/err" || { cat "$work/err"; return 1; }
    $AWK '/^call / { call = substr($0, 6) } $1 == "chosen" { sub(/:$/, "", $2); print call ": " $2 }' "$work/err"
}
by_plan() { # --nodes, calls
    machine=$1
    shift
    for call in "$@"; do
        "$builddir/tools/ortho-plan" predict "$call" --nodes "$machine" | $AWK -v call="$call" '$1 == "*" { print call ": " $2 }'
    done
}
same() { # processes, --nodes, ORTHO_NODES, calls
    p=$1 nodes=$2 ortho_nodes=$3
    shift 3
    by_library "$p" "$ortho_nodes" "$@" >"$work/library" && by_plan "$nodes" "$@" >"$work/plan" || return 1
    [ "$(wc -l <"$work/plan")" = $# ] && diff "$work/plan" "$work/library" || { cat "$work/err"; return 1; }
}
check_same() { # processes, --nodes, ORTHO_NODES, grid
    p=$1 nodes=$2 ortho_nodes=$3 grid=$4
    set --
    for collective in alltoall allgather allreduce reduce_scatter; do
        for stencil in moore:1 "manhattan:2 with centre" "offsets:1,0;0,1"; do
            for size in 8B 1KiB 64KiB; do set -- "$@" "$collective:$grid:$stencil:$size"; done
        done
    done
    for stencil in moore:1 manhattan:1 "offsets:1,0;0,1;1,1"; do
        for arrays in 6x6 "40x30 depth 2,3 fields 3" "200x6 lower 0,1 upper 2,1 elements 400B"; do
            set -- "$@" "halo:$grid:$stencil:$arrays"
        done
    done
    check "on $grid, nodes $nodes" same "$p" "$nodes" "$ortho_nodes" "$@"
}
check_same 1 1x1 "" "torus 1x1"
check_same 4 1x4 "" "torus 2x2"
check_same 4 2x2 2 "mesh 2x2"
check_same 4 1x4 "" "grid 4x1 periods 1,0"
if [ "$flavour" != mpich ]; then # which spins with more processes than cores
    check_same 12 1x12 "" "torus 4x3"
    check_same 12 3x4 4 "torus 4x3"
    check_same 12 3x4 4 "mesh 4x3"
    check_same 9 1x9 "" "torus 3x3"
fi
