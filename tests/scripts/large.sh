# SPDX-License-Identifier: BSD-3-Clause
# Messages of more than 4 GiB, and more than 2^31 elements.  Takes minutes, and 24 GiB of memory or little less: skipped where
# there is less.
least_kib=$((20 * 1024 * 1024))
available_kib=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)
[ -z "$sanitizers" ] && [ "${available_kib:-0}" -ge "$least_kib" ] || skip_all "there is too little memory"
large() { timeout -k 10 900 $MPIEXEC -n 2 "$builddir/tests/mpi/large_test" "$1"; }
check "messages of more than 4 GiB" large messages
check "reductions of more than 2^31 elements" large sums
check "ghosts of more than 2^31 elements" large ghosts
check "an array of more than 2^32 elements is gathered and scattered" large fields
