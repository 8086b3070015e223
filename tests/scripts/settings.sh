# SPDX-License-Identifier: BSD-3-Clause
# A misspelt word in the environment or in infos is told, once, on rank 0; truth has one form everywhere.
export ASAN_OPTIONS="$quick_asan"

run() { # variables, arguments of the program: its standard error is what counts
    timeout -k 10 "$limit" $MPIEXEC -n 2 env $1 "$builddir/tests/mpi/settings_test" $2 >"$work/out" 2>"$work/err" ||
        { cat "$work/out" "$work/err"; return 1; }
}
tells() { # variables, arguments, lines: each once, and nothing else of ours
    run "$1" "$2" || return 1
    shift 2
    for line; do echo "mpiortho: $line"; done | sort >"$work/wanted"
    grep '^mpiortho: ' "$work/err" | sort | diff "$work/wanted" -
}
useless() { # info key, the calls in which it does nothing
    key=$1
    shift
    calls=$#
    for call; do set -- "$@" "info key $key does nothing in ORTHO_$call"; done
    shift $calls
    tells "" "$key" "$@"
}
explained() { # ORTHO_EXPLAIN, ORTHO_SHM: "through shared memory" or not
    run "ORTHO_EXPLAIN=$1 ORTHO_SHM=$2" ortho_forward && grep -q '^mpiortho: alltoall' "$work/err"
}
shared() { explained yes on && grep -q 'through shared memory' "$work/err"; }
unshared() { explained TRUE no && ! grep 'through shared memory' "$work/err"; }
reduces_with() { grep -c "^  call: ORTHO_Allreduce .*; reduces with $1\$" "$work/err"; }
operators() { # on each of two communicators
    run ORTHO_EXPLAIN=1 ortho_forward && [ "$(reduces_with MPI_SUM) $(reduces_with MPI_MAX)" = "2 2" ]
}
fatal() { # ORTHO_ALGORITHM, words: every process finds it, and one says so
    ! timeout -k 10 "$limit" $MPIEXEC -n 3 env "ORTHO_ALGORITHM=$1" "$builddir/tests/mpi/settings_test" fatal >"$work/out" 2>&1 &&
        [ "$(grep -c '^mpiortho: ' "$work/out")" = 1 ] && grep -q "^mpiortho: ORTHO_Cart_neighborhood_create: \
ORTHO_ALGORITHM names an unknown algorithm '$1'; $2 \[rank 0 of" "$work/out" || { cat "$work/out"; return 1; }
}
as_told() { timeout -k 10 "$limit" $MPIEXEC -n 4 tests/mpi/progress_thread_test single 2>"$work/err"; }

check "a variable that is not one" tells ORTHO_VERFIY=1 ortho_forward \
    "ORTHO_VERFIY means nothing to mpiortho; did you mean ORTHO_VERIFY?"
check "one that is near none" tells ORTHO_COLOUR=1 ortho_forward "ORTHO_COLOUR means nothing to mpiortho"
check "an info key that is not one" tells "" ortho_foward \
    "info key ortho_foward means nothing to mpiortho; did you mean ortho_forward?"
check "an info key in capitals" tells "" ORTHO_FORWARD \
    "info key ORTHO_FORWARD means nothing to mpiortho; did you mean ortho_forward?"
# Operations are made by ORTHO_Alltoall_init, ORTHO_Halo_init, on a graph and by name, and ORTHO_Barrier_init.  Other
# calls read nothing in an info.
check "a key of halos on named communicators, elsewhere" useless ortho_regions Cart_neighborhood_create Alltoall_init \
    Halo_init Barrier_init Comm_split_type Sparse_alltoallv Isparse_alltoallv Alloc_mem Win_create Win_allocate Mosaic_create
check "a key of operations where a graph is made" useless ortho_rebind Cart_neighborhood_create
check "a key of graphs where operations are made" useless ortho_assert_uniform Alltoall_init Halo_init Barrier_init
check "a key of halos of one shape, elsewhere" useless ortho_order Cart_neighborhood_create Alltoall_init Barrier_init
# The order of arrays follows that of the ranks, and nobody has said so.
check "arrays in the order of the ranks, where calls are verified" tells ORTHO_VERIFY=1 by_columns \
    "ORTHO_Halo_init takes the arrays as Fortran's, with the first dimension innermost, since the ranks of the grid are numbered so: info ortho_order says C or Fortran"
for order in Fortran C; do check "… but order $order is said" tells ORTHO_VERIFY=1 "by_columns $order"; done
check "keys of others" tells "" stripe_size
# It is not set by ORTHO_FIELD_INIT.
check "a field with ghosts and no region, where calls are verified" tells ORTHO_VERIFY=1 stripe_size \
    "fields[0] has ghost layers, and ndirections = 0, so that none is filled: ORTHO_FIELD_INIT sets ORTHO_ALL_DIRECTIONS"
check "values that are neither true nor false" tells "ORTHO_SHM=of ORTHO_EXPLAIN=maybe" ortho_forward \
    "ORTHO_SHM=of is neither true nor false" "ORTHO_EXPLAIN=maybe is neither true nor false"
check "nothing is said of what is right" tells "ORTHO_VERIFY=yes ORTHO_SHM=Off ORTHO_STRICT=" ortho_forward
check "ORTHO_STALL_ABORT alone" tells ORTHO_STALL_ABORT=1 ortho_forward "ORTHO_STALL_ABORT does nothing without ORTHO_STALL_S"
for time in ORTHO_STALL_S=100 ORTHO_VERIFY=1; do
    check "ORTHO_STALL_ABORT with $time" tells "ORTHO_STALL_ABORT=1 $time" ortho_forward
done
check "the beginning of some algorithms' names" fatal halo \
    "so begin halo_direct, halo_combining, halo_node_pairs, halo_reduce_direct, halo_reduce_combining"
check "an algorithm that is misspelt" fatal alltoal_direct "did you mean alltoall_direct?"
check "yes and on" shared
check "TRUE and no" unshared
check "the same reduction with another operator" operators
check "off" tells ORTHO_EXPLAIN=off ortho_forward
# The program asks for no threads.
check "a thread, but the program has none" tells ORTHO_PROGRESS=thread ortho_forward \
    "ORTHO_PROGRESS=thread needs MPI_THREAD_MULTIPLE, which MPI_Init_thread gives, on all processes; so nothing drives operations while the program computes"
check "without a thread nothing forwards" as_told
