# SPDX-License-Identifier: BSD-3-Clause
# Over several hosts, made of network namespaces: the harness keeps its word, and random calls are right.
. "$srcdir/tests/hosts/script.sh"
marker=9$$ # seconds that nobody else sleeps

# Namespaces of harnesses that have ended, and all links of this machine.
traces() {
    for namespace in $(ip netns list | sed -n 's/^\(ortho-[0-9]*-[a-z0-9]*\).*/\1/p'); do
        maker=${namespace#ortho-}
        [ -d "/proc/${maker%%-*}" ] || echo "$namespace"
    done
    ip -o link | cut -d: -f2 | sort
}

traces >"$work/before"

apart() { # processes on each host: memory within a host, a wire between hosts
    host=0
    for size in $(echo "$1" | tr ',' ' '); do
        echo "h$host: $size processes, inside by memory, to the next by wire"
        host=$((host + 1))
    done >"$work/wanted"
    hosts_of "$1" tests/hosts/hosts >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; return 1; }
    diff "$work/wanted" "$work/out"
}
random() { hosts_of "$1" env ORTHO_TEST_REPEATS="$2" tests/mpi/random_test; }
status_of() { # status, what the harness is told
    wanted=$1
    shift
    sh "$harness" "$@" >"$work/out" 2>&1
    status=$?
    [ $status = "$wanted" ] || { cat "$work/out"; echo "status $status"; return 1; }
}
sleeps() { # the processes that do
    for file in $(grep -szlx "$marker" /proc/[0-9]*/cmdline); do
        [ "$(cat "${file%cmdline}comm" 2>/dev/null)" = sleep ] && echo "$file"
    done
}
ends_on() { # signal: the processes, too
    # Under nohup HUP would be ignored, whatever is trapped.
    env --default-signal="$1" sh "$harness" --hosts 2 --per-host 2 -- sleep $marker >"$work/out" 2>&1 &
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(sleeps | wc -l)" = 4 ] && break
        sleep 0.5
    done
    [ "$(sleeps | wc -l)" = 4 ] || { cat "$work/out"; echo "there are not 4 processes"; return 1; }
    kill -"$1" $!
    wait $!
    echo "status $?"
    # A busy machine takes its time to end them.
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(sleeps)" ] && return 0
        sleep 0.5
    done
    return 1
}
nothing_is_left() { ! traces | diff "$work/before" - | grep '^>'; } # what was left before may be gone

. "$srcdir/tests/interposed.sh"
interposed() { # a function that is replaced; processes on each host, program: all processes share a core
    text="^  $1  *[1-9]" sizes=$2
    shift 2
    # The harness may have something loaded, too.
    says "$text" timeout -k 10 "$limit" taskset -c 0 sh "$harness" --hosts-of "$sizes" -- \
        sh -c 'LD_PRELOAD="$0 ${LD_PRELOAD-}" exec "$@"' "$preload" \
        env ASAN_OPTIONS="$asan_options" ORTHO_PMPI_REPORT=1 ORTHO_PMPI_PAIRING=standard "$@" && grep '^0 wrong' "$work/out"
}
doctor() { # two hosts are seen, and that they are one machine
    says '^  the library sees  2 nodes$' hosts_of 1,1 tools/ortho-bench doctor --budget-s 0.2 &&
        grep -q '^  h1  ' "$work/out" && grep -q 'MPI takes .* of one machine for 2 nodes' "$work/out" &&
        grep -q '^  between nodes, by MPI ' "$work/out"
}
few_connections() { says 'connected: few$' hosts_of 4,4,4,4 tests/hosts/connections && grep '^0 wrong$' "$work/out"; }

placed() { # ranks 3 and 4 are on the last host of three
    tools/ortho-plan place --grid 2x3 --nodes 2 --hosts h0,h1,h2 --rankfile "$work/rankfile" --hostfile "$work/places" >"$work/out" &&
        hosts_of 2,2,2 --rankfile "$work/rankfile" sh -c 'echo $OMPI_COMM_WORLD_RANK $(hostname)' >"$work/out" || return 1
    sort -n "$work/out" | sed -n 's/^[0-9] //p' | diff "$work/places" -
}

case $flavour in mpich) many=2,1,2 ;; *) many=2,2,2,2 ;; esac
check "two hosts of two processes" apart 2,2
check "unequal hosts" apart 1,3,1
check "random calls on two hosts of two processes" random 2,2 2
check "random calls on hosts of $many processes" random $many 1
check "non-blocking calls on two hosts of two processes" hosts_of 2,2 tests/mpi/nonblocking_test
check "non-blocking calls on unequal hosts" hosts_of 1,3 tests/mpi/nonblocking_test
check "what lies between hosts is tried once, and told" hosts_of 2,1,1 tests/mpi/network_trial_test
check "few blocks between hosts, together and one by one" hosts_of 1,1,1 tests/mpi/few_blocks_test
check "the interposer, non-blocking calls of processes that share a core" interposed MPI_Ineighbor_alltoall 2,2 tests/pmpi/nonblocking 1
check "the interposer, blocking calls of such processes" interposed MPI_Neighbor_alltoall 2,2 tests/pmpi/sizes
case $flavour in mpich) ;; *) check "whoever makes a ring does not connect all with all" few_connections ;; esac
# The rankfile gives each process of a host a core, and all hosts have this machine's.
[ "$flavour" != openmpi ] || [ ! -x tools/ortho-plan ] || [ "$(nproc)" -lt 2 ] ||
    check "ranks where ortho-plan's rankfile places them" placed
[ ! -x tools/ortho-bench ] || check "ortho-bench doctor sees two nodes" doctor
check "a program's failure is told" status_of 1 --hosts 2 --per-host 1 -- sh -c 'exit 1'
check "words come through as they are" status_of 0 --hosts 1 --per-host 1 -- test "a  'b' \$c" = "a  'b' \$c"
check "what is no option is refused" status_of 1 --wires 3 -- true
check "a rate that is none is refused" status_of 1 --hosts 1 --per-host 1 --rate slowly -- true
check "processes that outlive mpiexec for no number of seconds are refused" status_of 1 --outlive long -- true
check "TERM ends it all" ends_on TERM
check "HUP ends it all" ends_on HUP
check "nothing is left" nothing_is_left
