# SPDX-License-Identifier: BSD-3-Clause
# When a process is killed or a link is cut in the middle of an exchange, everybody ends, and as soon as with MPI's own
# call; nothing is left.  The hosts are made of network namespaces.
. "$srcdir/tests/hosts/script.sh"
marker=failure-$$

# Seconds that MPI may take to see it, that processes may outlive mpiexec, and that ours may take longer than MPI's own call.
patience=40 outlive=10 grace=10
# The kernel gives a silent connection up after a quarter of an hour, and Open MPI's daemons after eight minutes.  Here both
# are in a hurry.
resends=3
export OMPI_MCA_oob_tcp_keepalive_time=2 OMPI_MCA_oob_tcp_keepalive_intvl=1 OMPI_MCA_oob_tcp_keepalive_probes=3
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"

among() { # numbers of processes: those of them that exchange
    for pid; do
        case $(cat "/proc/$pid/comm" 2>/dev/null) in failure) echo "$pid" ;; esac
    done
}
processes() { among $(grep -szlx "$marker" /proc/[0-9]*/cmdline | cut -d/ -f3); }
of_host() { among $(ip netns pids "ortho-$run-$1"); }
namespaces() { ip netns list | sed -n "s/^\(ortho-$run-[a-z0-9]*\).*/\1/p"; }

begin() { # form, fatal or return
    rm -f "$work/out" # of what ran before
    sh "$harness" --hosts-of "$sizes" --outlive $outlive -- tests/hosts/failure "$1" "$2" "$marker" >"$work/out" 2>&1 &
    run=$!
    for i in $(seq 300); do
        grep -qs '^running' "$work/out" && return
        kill -0 "$run" 2>/dev/null || break
        sleep 0.2
    done
    cat "$work/out"
    echo "the processes have not begun"
    return 1
}
process_killed() { kill -9 "$(of_host h1 | head -n 1)"; }
link_cut() {
    for host in $(namespaces); do
        ip netns exec "$host" sysctl -qw net.ipv4.tcp_retries2=$resends || return 1
    done
    ip -n "ortho-$run-switch" link set h1 down
}

# The effects: the seconds until all was over, in the file `took`, and how many processes MPI has left behind,
# in `left`.
strike() { # what happens, form, fatal or return
    begin "$2" "$3" || return 1
    struck=$(date +%s)
    "$1" || { kill "$run"; wait "$run"; return 1; }
    while kill -0 "$run" 2>/dev/null && [ $(($(date +%s) - struck)) -lt $patience ]; do sleep 0.2; done
    left=0
    if kill -0 "$run" 2>/dev/null; then
        left=$(processes | wc -l)
        kill "$run"
    fi
    wait "$run"
    status=$?
    echo "status $status after $(($(date +%s) - struck)) s" >>"$work/out"
    cat "$work/out"
    echo $(($(date +%s) - struck)) >"$work/took"
    $AWK -v left="$left" '/^tests\/hosts\/hosts.sh: mpiexec has ended, and/ { left = $6 } END { print left }' "$work/out" >"$work/left"
    [ $status != 0 ] || { echo "mpiexec says that all was well"; return 1; }
    # A process that has just been killed takes its time to go.
    for i in $(seq 50); do
        [ -n "$(processes)" ] || break
        sleep 0.2
    done
    [ -z "$(processes)" ] || { echo "there are still processes: $(processes)"; return 1; }
    [ -z "$(namespaces)" ] || { echo "there are still namespaces: $(namespaces)"; return 1; }
    [ -z "$(ls -A "$TMPDIR")" ] || { echo "there are still files:"; ls -lAR "$TMPDIR"; return 1; }
}
ends() { strike "$@" && [ "$(cat "$work/left")" = 0 ]; } # the same: and MPI leaves nobody
as_soon_as_mpi() { # the same: and not much later than MPI's own call
    ends "$@" && [ "$(cat "$work/took")" -le $((mpi_took + grace)) ] || { echo "MPI's own call: $mpi_took s"; return 1; }
}
say() { echo "# $(cat "$work/took") s, and $(cat "$work/left") processes left"; }

case $flavour in mpich) sizes=1,3,1 ;; *) sizes=3,3,2 ;; esac
check "a process killed: blocking calls" ends process_killed blocking fatal
check "a process killed: non-blocking calls" ends process_killed nonblocking fatal
check "a process killed: persistent operations" ends process_killed persistent return
if [ "$flavour" = openmpi ]; then
    check "a link cut: MPI's own call" ends link_cut mpi fatal
    mpi_took=$(cat "$work/took")
    say
    for call in "blocking fatal" "nonblocking return" "persistent fatal"; do
        check "a link cut: $call" as_soon_as_mpi link_cut $call
        say
    done
else
    left_out "a link cut" "calls of MPICH 4.0.2 may never end"
fi
