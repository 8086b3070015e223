# SPDX-License-Identifier: BSD-3-Clause
# The programs of bench/unmodified get right values with the interposer; how fast it is, no test asks.
for program in exchanges everybody; do
    check "$program" env BENCH_PROGRAM=$program timeout -k 10 600 sh "$srcdir/bench/unmodified/unmodified.sh" 2 2 8 4096 131072
done
