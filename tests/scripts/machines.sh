# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks in more simulated machines (bench/simgrid/simgrid.sh): right results, in every schedule and cell, and
# the same times twice, as processes share the program or not.
unset ORTHO_SINGLE_COPY LD_PRELOAD # as benchmarks have it
in_simulation() { CXXFLAGS="-g0 -O1" CFLAGS="-g0 -O1" timeout -k 10 600 "$srcdir/bench/simgrid/simgrid.sh" "$@"; }

schedules() { # machine, dimensions
    for swap_from in 2000 1; do
        ORTHO_SIMULATED_SWAP_FROM=$swap_from in_simulation --program book_bench "$1" schedules --d "$2" --n 3 --m 1,100 \
            --collective alltoall,alltoallv,allgather,allreduce >"$work/$swap_from" || return 1
    done
    grep '^# 8 cells; the choice' "$work/2000" && diff "$work/2000" "$work/1"
}
check "schedules in two dimensions" schedules titan:16x4 2
check "schedules in three dimensions" schedules hydra:2x4 3
for machine in titan:4x4 hydra:2x4,2x3,1x2; do
    check "places on $machine" in_simulation --program book_bench $machine place --mesh --grid 4x4 --bytes 1024,65536
done
check "halos" in_simulation hydra:2x4 halo --fields 1,2 --sides 16 --depths 1
