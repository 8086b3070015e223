# SPDX-License-Identifier: BSD-3-Clause
# The list of algorithms, for scripts that read it, after tests/environment.sh.

algorithms() { sed -n 's/^    X(\([a-z_]*\)).*/\1/p' "$srcdir/src/planner/algorithm_list.hpp"; }
# The file of an algorithm.  Variants stand beside the algorithm that builds their schedules.
source_of() { # name
    echo "$srcdir/src/algorithm/$(echo "$1" |
        sed -e 's/_\(grouped\|radix\)$/_combining/' -e 's/_node_wires$/_direct/').cpp"
}
