# SPDX-License-Identifier: BSD-3-Clause
# Ranks on hosts, made of network namespaces: what is placed well sends fewer bytes over the wire, as many as there are edges
# between the hosts; and everything is right on nodes that MPI has found.
. "$srcdir/tests/hosts/script.sh"

traffic() { # processes on each host, grids; what is to be said of them comes from the standard input
    cat >"$work/wanted"
    hosts_of "$@" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; return 1; }
    grep -v '^#' "$work/out" | diff "$work/wanted" - || { cat "$work/out"; return 1; }
}
nodes() { # processes on each host: random placements, on the nodes that MPI finds
    hosts_of "$1" env ASAN_OPTIONS="$quick_asan" ORTHO_TEST_NODES="$1" ORTHO_TEST_REPEATS=2 tests/mpi/rank_placement_test
}
halos() { hosts_of "$1" env ASAN_OPTIONS="$quick_asan" ORTHO_TEST_REPEATS=2 tests/mpi/halo_fields_test; }

moore_and_star() {
    traffic "$1" tests/hosts/traffic 4x4 torus moore 4x4 mesh star <<'WANTED'
4x4 torus moore: 96 edges leave their hosts as numbered, 80 placed
4x4 mesh star: 24 edges leave their hosts as numbered, 16 placed
WANTED
}
pairs() {
    traffic "$1" tests/hosts/traffic 2x3 mesh star <<'WANTED'
2x3 mesh star: 10 edges leave their hosts as numbered, 8 placed
WANTED
}
unequal() { # processes on each host, grids: no figures, but bytes that agree with edges
    hosts_of "$1" tests/hosts/traffic $2
}

case $flavour in
mpich) # which spins
    check "three hosts of two processes: the wire" pairs 2,2,2
    check "unequal hosts: the wire" unequal 3,1,2 "2x3 torus moore 3x2 mesh star"
    check "unequal hosts: placements" nodes 1,3,2
    check "unequal hosts: ghosts" halos 2,1
    ;;
*)
    check "four hosts of four processes: the wire" moore_and_star 4,4,4,4
    check "unequal hosts: the wire" unequal 5,4,4,3 "4x4 torus moore 2x8 mesh star"
    check "two hosts of four processes: placements" nodes 4,4
    check "unequal hosts: placements" nodes 3,1,2,2
    check "unequal hosts: ghosts" halos 2,3
    ;;
esac
