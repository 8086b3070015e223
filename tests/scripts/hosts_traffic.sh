# SPDX-License-Identifier: BSD-3-Clause
# Ranks on hosts, made of network namespaces: what is placed well sends fewer bytes over the wire, as many as there are edges
# between the hosts; and everything is right on nodes that MPI has found.
. "$srcdir/tests/hosts/script.sh"

traffic() { # processes on each host, grids, what is to be said of each
    sizes=$1 grids=$2
    shift 2
    printf '%s\n' "$@" >"$work/wanted"
    hosts_of "$sizes" tests/hosts/traffic $grids >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; return 1; }
    grep -v '^#' "$work/out" | diff "$work/wanted" - || { cat "$work/out"; return 1; }
}
nodes() { # processes on each host: random placements, on the nodes that MPI finds
    hosts_of "$1" env ASAN_OPTIONS="$quick_asan" ORTHO_TEST_NODES="$1" ORTHO_TEST_REPEATS=2 tests/mpi/rank_placement_test
}
halos() { hosts_of "$1" env ASAN_OPTIONS="$quick_asan" ORTHO_TEST_REPEATS=2 tests/mpi/halo_fields_test; }

case $flavour in
mpich) # which spins
    check "three hosts of two processes: the wire" traffic 2,2,2 "2x3 mesh star" \
        "2x3 mesh star: 10 edges leave their hosts as numbered, 8 placed"
    # No figures, but bytes that agree with edges.
    check "unequal hosts: the wire" hosts_of 3,1,2 tests/hosts/traffic 2x3 torus moore 3x2 mesh star
    check "unequal hosts: placements" nodes 1,3,2
    check "unequal hosts: ghosts" halos 2,1
    ;;
*)
    check "four hosts of four processes: the wire" traffic 4,4,4,4 "4x4 torus moore 4x4 mesh star" \
        "4x4 torus moore: 96 edges leave their hosts as numbered, 80 placed" \
        "4x4 mesh star: 24 edges leave their hosts as numbered, 16 placed"
    check "unequal hosts: the wire" hosts_of 5,4,4,3 tests/hosts/traffic 4x4 torus moore 2x8 mesh star
    check "two hosts of four processes: placements" nodes 4,4
    check "unequal hosts: placements" nodes 3,1,2,2
    check "unequal hosts: ghosts" halos 2,3
    ;;
esac
