#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A misspelt word in the environment or in infos is told, once, on rank 0; truth has one form everywhere.
. tests/facts
. "$srcdir/tests/script.sh"
export ASAN_OPTIONS="$quick_asan"

run() { # info key or arguments, variables...: the program's standard error is what counts
    key=$1
    shift
    timeout -k 10 "$limit" $MPIEXEC -n 2 env "$@" "$builddir/tests/mpi/settings_test" $key >"$work/out" 2>"$work/err" ||
        { cat "$work/out" "$work/err"; return 1; }
}
says() { # these lines, each once, and nothing else of ours
    grep '^mpiortho: ' "$work/err" | sort >"$work/said"
    printf '%s\n' "$@" | sort | sed 's/^/mpiortho: /' | diff - "$work/said"
}
says_nothing() { ! grep '^mpiortho: ' "$work/err"; }

variable() { run ortho_forward ORTHO_VERFIY=1 && says "ORTHO_VERFIY means nothing to mpiortho; did you mean ORTHO_VERIFY?"; }
far() { run ortho_forward ORTHO_COLOUR=1 && says "ORTHO_COLOUR means nothing to mpiortho"; }
key() { run ortho_foward && says "info key ortho_foward means nothing to mpiortho; did you mean ortho_forward?"; }
capitals() { run ORTHO_FORWARD && says "info key ORTHO_FORWARD means nothing to mpiortho; did you mean ortho_forward?"; }
# Operations are made by ORTHO_Alltoall_init, ORTHO_Halo_init, on a graph and by name, and ORTHO_Barrier_init.  Other
# calls read nothing in an info.
regions() {
    run ortho_regions || return 1
    set --
    for call in Cart_neighborhood_create Alltoall_init Halo_init Barrier_init Comm_split_type Sparse_alltoallv \
        Isparse_alltoallv Alloc_mem Win_create Win_allocate Mosaic_create; do
        set -- "$@" "info key ortho_regions does nothing in ORTHO_$call"
    done
    says "$@"
}
rebind() { run ortho_rebind && says "info key ortho_rebind does nothing in ORTHO_Cart_neighborhood_create"; }
uniform() {
    run ortho_assert_uniform && says "info key ortho_assert_uniform does nothing in ORTHO_Alltoall_init" \
        "info key ortho_assert_uniform does nothing in ORTHO_Halo_init" "info key ortho_assert_uniform does nothing in ORTHO_Barrier_init"
}
zeros() { # a field that is not set by ORTHO_FIELD_INIT
    run stripe_size ORTHO_VERIFY=1 &&
        says "fields[0] has ghost layers, and ndirections = 0, so that none is filled: ORTHO_FIELD_INIT sets ORTHO_ALL_DIRECTIONS"
}
order() {
    run ortho_order && says "info key ortho_order does nothing in ORTHO_Cart_neighborhood_create" \
        "info key ortho_order does nothing in ORTHO_Alltoall_init" "info key ortho_order does nothing in ORTHO_Barrier_init"
}
by_columns() { # the order of arrays follows that of the ranks, and nobody has said so
    run by_columns ORTHO_VERIFY=1 &&
        says "ORTHO_Halo_init takes the arrays as Fortran's, with the first dimension innermost, since the ranks of the grid are numbered so: info ortho_order says C or Fortran" &&
        run "by_columns Fortran" ORTHO_VERIFY=1 && says_nothing && run "by_columns C" ORTHO_VERIFY=1 && says_nothing
}
others_key() { run stripe_size && says_nothing; }
value() {
    run ortho_forward ORTHO_SHM=of ORTHO_EXPLAIN=maybe &&
        says "ORTHO_SHM=of is neither true nor false" "ORTHO_EXPLAIN=maybe is neither true nor false"
}
right() { run ortho_forward ORTHO_VERIFY=yes ORTHO_SHM=Off ORTHO_STRICT= && says_nothing; }
explained() { # ORTHO_EXPLAIN, ORTHO_SHM: "through shared memory" or not
    run ortho_forward ORTHO_EXPLAIN=$1 ORTHO_SHM=$2 && grep -q '^mpiortho: alltoall' "$work/err"
}
shared() { explained yes on && grep -q 'through shared memory' "$work/err"; }
unshared() { explained TRUE no && ! grep 'through shared memory' "$work/err"; }
reduces_with() { grep -c "^  call: ORTHO_Allreduce .*; reduces with $1\$" "$work/err"; }
abort_alone() { run ortho_forward ORTHO_STALL_ABORT=1 && says "ORTHO_STALL_ABORT does nothing without ORTHO_STALL_S"; }
abort_too() {
    run ortho_forward ORTHO_STALL_ABORT=1 ORTHO_STALL_S=100 && says_nothing &&
        run ortho_forward ORTHO_STALL_ABORT=1 ORTHO_VERIFY=1 && says_nothing
}
fatal() { # variable, value, words: every process finds it, and one says so
    ! timeout -k 10 "$limit" $MPIEXEC -n 3 env "$1=$2" "$builddir/tests/mpi/settings_test" fatal >"$work/out" 2>&1 &&
        [ "$(grep -c '^mpiortho: ' "$work/out")" = 1 ] && grep -q "^mpiortho: ORTHO_Cart_neighborhood_create: $3 \[rank 0 of" "$work/out" ||
        { cat "$work/out"; return 1; }
}
names_of_halos="halo_direct, halo_combining, halo_node_pairs, halo_reduce_direct, halo_reduce_combining"
operators() { # on each of two communicators
    run ortho_forward ORTHO_EXPLAIN=1 && [ "$(reduces_with MPI_SUM) $(reduces_with MPI_MAX)" = "2 2" ]
}
unexplained() { run ortho_forward ORTHO_EXPLAIN=off && says_nothing; }

no_threads() { # the program asks for none
    run ortho_forward ORTHO_PROGRESS=thread &&
        says "ORTHO_PROGRESS=thread needs MPI_THREAD_MULTIPLE, which MPI_Init_thread gives, on all processes; so nothing drives operations while the program computes"
}
as_told() { timeout -k 10 "$limit" $MPIEXEC -n 4 tests/mpi/progress_thread_test single 2>"$work/err"; }

check "a variable that is not one" variable
check "one that is near none" far
check "an info key that is not one" key
check "an info key in capitals" capitals
check "a key of halos on named communicators, elsewhere" regions
check "a key of operations where a graph is made" rebind
check "a key of graphs where operations are made" uniform
check "a key of halos of one shape, elsewhere" order
check "arrays in the order of the ranks, where calls are verified" by_columns
check "keys of others" others_key
check "a field with ghosts and no region, where calls are verified" zeros
check "values that are neither true nor false" value
check "nothing is said of what is right" right
check "ORTHO_STALL_ABORT alone" abort_alone
check "ORTHO_STALL_ABORT with a time" abort_too
check "the beginning of some algorithms' names" fatal ORTHO_ALGORITHM halo "ORTHO_ALGORITHM names an unknown algorithm 'halo'; so begin $names_of_halos"
check "an algorithm that is misspelt" fatal ORTHO_ALGORITHM alltoal_direct "ORTHO_ALGORITHM names an unknown algorithm 'alltoal_direct'; did you mean alltoall_direct?"
check "yes and on" shared
check "TRUE and no" unshared
check "the same reduction with another operator" operators
check "off" unexplained
check "a thread, but the program has none" no_threads
check "without a thread nothing forwards" as_told
finish
