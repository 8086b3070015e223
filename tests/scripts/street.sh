# SPDX-License-Identifier: BSD-3-Clause
# The vortex street swings as in the literature: at Reynolds number 100 the Strouhal number is 0.165 (C. H. K. Williamson,
# Annu. Rev. Fluid Mech. 28, 1996).  A long run.
strouhal() { # processes, diameter, time
    result=$(timeout -k 10 $((2 * limit)) $MPIEXEC -n "$1" "$builddir/examples/street" --diameter "$2" --time "$3") || return 1
    echo "$result"
    echo "$result" | $AWK '/Strouhal number/ { periods = $3; number = $NF } END { exit !(periods >= 10 && number > 0.165 * 0.95 && number < 0.165 * 1.05) }'
}
check "the Strouhal number is 0.165 within 5 %" strouhal 2 16 150
