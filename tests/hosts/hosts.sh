#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Several hosts on one machine: runs an MPI program across network namespaces that a bridge joins.
# Processes of one host share memory; those of different hosts have TCP alone between them, and names,
# addresses and a /dev/shm of their own.
set -u
usage() {
    cat <<'END'
usage: run [--hosts N] [--per-host P] [--hosts-of P0,P1,...] [--rate R] [--outlive S] [--as-installed] -- PROGRAM ...
Runs PROGRAM under this build's mpiexec on N hosts of P processes each (4 and 4), or on hosts of so many
processes as the list says.  Their names are h0, h1, ...  To be called in a build folder, by root.
Each host sends no faster than R, in the words of tc(8): 1gbit.  Else as fast as the machine copies.
With --as-installed, for benchmarks, the MPI has no settings but those without which there are no hosts; where there
are more processes than cores Open MPI is told not to spin, which it finds out by itself on a single host.
Processes that are there S seconds (0) after mpiexec has ended are killed; if S is not 0, they are told of.
Host hN is the network namespace ortho-PID-hN, where PID is this script's, and its link to the others
is hN in the namespace ortho-PID-switch: for whoever wants to cut it.
Status: mpiexec's; 77 where network namespaces cannot be made.
END
}
fail() { # status, words
    echo "tests/hosts/hosts.sh: $2" >&2
    exit "$1"
}
cannot() { fail 77 "NOT RUN: $1"; }

hosts=4 per_host=4 sizes= rate= outlive=0 plain=no
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage; exit 0 ;;
    --hosts | --per-host | --hosts-of | --rate | --outlive) [ $# -gt 1 ] || fail 1 "$1 needs a value (try --help)" ;;
    esac
    case $1 in
    --hosts) hosts=$2; shift 2 ;;
    --per-host) per_host=$2; shift 2 ;;
    --hosts-of) sizes=$2; shift 2 ;;
    --rate) rate=$2; shift 2 ;;
    --outlive) outlive=$2; shift 2 ;;
    --as-installed) plain=yes; shift ;;
    --) shift; break ;;
    *) fail 1 "$1 is no option (try --help)" ;;
    esac
done
[ $# -gt 0 ] || fail 1 "there is no program to run (try --help)"
if [ -z "$sizes" ]; then
    case $hosts$per_host in *[!0-9]*) fail 1 "--hosts $hosts --per-host $per_host: no numbers" ;; esac
    sizes=$(i=0; while [ $i -lt "$hosts" ]; do printf '%s ' "$per_host"; i=$((i + 1)); done)
else
    case $sizes in *[!0-9,]*) fail 1 "--hosts-of $sizes is no list of numbers" ;; esac
    sizes=$(echo "$sizes" | tr ',' ' ')
fi
case $outlive in *[!0-9]*) fail 1 "--outlive $outlive is no number" ;; esac
[ -f tests/facts ] || fail 1 "call this in a build folder: there is no tests/facts here"
. tests/facts
if [ $plain = yes ]; then
    . "$srcdir/bench/as_installed.sh"
else
    . "$srcdir/tests/environment.sh"
fi
case $flavour in mpich | openmpi) ;; *) cannot "only MPICH and Open MPI are known here" ;; esac
[ "$(id -u)" = 0 ] || cannot "only root may make network namespaces"
command -v ip >/dev/null || cannot "there is no ip (Debian: iproute2)"
command -v unshare >/dev/null || cannot "there is no unshare (Debian: util-linux)"

# All that is made is in network namespaces of these names, the bridge too: with them it goes.
prefix=ortho-$$-
remove() { # number of a process: what it made
    for namespace in $(ip netns list 2>/dev/null | sed -n "s/^\(ortho-$1-[a-z0-9]*\).*/\1/p"); do
        for process in $(ip netns pids "$namespace"); do kill -9 "$process" 2>/dev/null; done
        ip netns del "$namespace"
    done
}
# A harness that was killed could not tidy up.
for maker in $(ip netns list 2>/dev/null | sed -n 's/^ortho-\([0-9]*\)-.*/\1/p' | sort -u); do
    [ -d "/proc/$maker" ] || remove "$maker"
done

work=$(mktemp -d) || exit 1
end() {
    status=$?
    trap '' HUP INT TERM
    remove $$
    rm -rf "$work"
    exit $status
}
trap end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

ip netns add "${prefix}switch" || cannot "network namespaces are refused"
ip -n "${prefix}switch" link add bridge type bridge || cannot "bridges are refused"
ip -n "${prefix}switch" link set bridge up
host=0 total=0 list=
for size in $sizes; do
    namespace=${prefix}h$host
    address=10.77.$((host / 250)).$((host % 250 + 1))
    ip netns add "$namespace" &&
        ip -n "${prefix}switch" link add "h$host" type veth peer name eth0 netns "$namespace" ||
        cannot "network namespaces or links between them are refused"
    ip -n "${prefix}switch" link set "h$host" master bridge up &&
        ip -n "$namespace" address add "$address/16" dev eth0 &&
        ip -n "$namespace" link set eth0 up &&
        ip -n "$namespace" link set lo up || fail 1 "host $host has no network"
    [ -z "$rate" ] || tc -n "$namespace" qdisc add dev eth0 root tbf rate "$rate" burst 256kb limit 64mb ||
        fail 1 "--rate $rate: the kernel or tc refuses"
    echo "$address h$host" >>"$work/hosts"
    list=$list${list:+,}h$host:$size
    host=$((host + 1)) total=$((total + size))
done
echo "127.0.0.1 localhost" >>"$work/hosts"

# `enter HOST WORDS...`, in place of rsh.  `ip netns exec` brings a mount namespace along.  UCX takes
# processes of one IPC namespace for neighbors on one host, whatever that is called.
cat >"$work/enter" <<END
#!/bin/sh
host=\$1
shift
exec ip netns exec $prefix\$host unshare --uts --ipc sh -c '
    hostname \$0 && mount --bind $work/hosts /etc/hosts && mount -t tmpfs none /dev/shm && eval "\$1"' \$host "\$*"
END
chmod +x "$work/enter"

case $flavour in
mpich)
    $MPICC -fPIC -c "$srcdir/tests/hosts/finalize.c" -o "$work/finalize.o" &&
        $CC -shared "$work/finalize.o" -o "$work/finalize.so" || fail 1 "finalize.c does not compile"
    [ $plain = yes ] || export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
    set -- -launcher rsh -launcher-exec "$work/enter" -hosts "$list" -n "$total" env LD_PRELOAD="$work/finalize.so ${LD_PRELOAD:-}" "$@"
    ;;
openmpi)
    mkdir "$work/tmp"
    # Hosts for Open MPI are none for UCX, and the other way round: tests say which they want.
    [ $plain = yes ] || set -- --mca pml ob1 --mca btl tcp,self,vader --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 "$@"
    # All hosts together have this machine's cores.
    [ $plain = no ] || [ "$total" -le "$(nproc)" ] || set -- --mca mpi_yield_when_idle 1 "$@"
    # Hosts that share this machine's cores must not each bind their processes to the first ones.
    set -- --mca plm_rsh_agent "$work/enter" --mca plm_rsh_no_tree_spawn 1 --mca orte_tmpdir_base "$work/tmp" \
        --bind-to none --host "$list" -n "$total" "$@"
    ;;
esac
# The first host's own processes are mpiexec's children: it runs there.
quoted=
for word; do quoted="$quoted '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"; done
"$work/enter" h0 exec $MPIEXEC "$quoted" &
wait $!
status=$?

processes() {
    for namespace in $(ip netns list | sed -n "s/^\($prefix[a-z0-9]*\).*/\1/p"); do ip netns pids "$namespace"; done
}
while [ "$outlive" -gt 0 ] && [ -n "$(processes)" ]; do
    sleep 1
    outlive=$((outlive - 1))
    [ $outlive -gt 0 ] || echo "tests/hosts/hosts.sh: mpiexec has ended, and $(processes | wc -l) processes have not" >&2
done
exit $status
