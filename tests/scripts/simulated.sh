# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks in simulated machines (bench/simgrid/simgrid.sh).
unset ORTHO_SINGLE_COPY LD_PRELOAD # as benchmarks have it
in_simulation() { CXXFLAGS="-g0 -O1" CFLAGS="-g0 -O1" timeout -k 10 600 "$srcdir/bench/simgrid/simgrid.sh" "$@"; }

# The figures of the machine are found there again: o = 0.4 us, latency 0.3 us, bytes that cost no core
# anything; and predictions from them come true.  Times do not vary there.
tune=$work/tune
measured() {
    in_simulation hydra:4x8 tune --out "$tune" && cat "$tune" &&
        $AWK '$1 ~ /^network.(send|receive)_ps$/ { bad += $2 < 396000 || $2 > 404000; ++found }
            $1 == "network.latency_ps" { bad += $2 < 270000 || $2 > 330000; ++found }
            $1 == "network.copy_ps" { bad += $2 != 0; ++found }
            $1 ~ /^meeting\..*_byte_ps$/ { bad += $2 > 84; ++found } # as a message alone, 80 ps
            END { exit bad > 0 || found != 6 }' "$tune"
}
predicted() {
    ORTHO_TUNE=$tune in_simulation --program book_bench hydra:4x8 schedules --d 2,3 --n 3 --m 1,100 \
        --collective alltoall,allgather >"$work/model" && cat "$work/model" &&
        grep '^# 8 cells; the choice is within 10 % of the best in 8 ' "$work/model" &&
        grep 'predictions; relative error: median [0-5] %' "$work/model"
}
check "tune finds what is put into the machine" measured
check "and what it predicts from that happens" predicted
