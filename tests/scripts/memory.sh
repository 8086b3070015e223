# SPDX-License-Identifier: BSD-3-Clause
# One process gets no more memory to share after it has asked N times: nothing waits for ever, and results are right.
export ASAN_OPTIONS="$quick_asan"
if elsewhere; then on_one="0 3" on_two=4; else on_one="0 1 2 3 4 5 6 7 8 9 10" on_two="0 1 2 4 6 8"; fi
for grants in $on_one; do
    check "memory after $grants times, one node" on 3 tests/mpi/memory_test $grants
done
for grants in $on_two; do
    check "memory after $grants times, nodes of two" on 4 env ORTHO_NODES=2 tests/mpi/memory_test $grants
done
