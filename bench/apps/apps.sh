#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes all tables of whole programs: `sh ../bench/apps/apps.sh FOLDER` in a build folder, as root, on a machine that does nothing
# else.  One process alone, one node, 4 hosts over TCP (Open MPI), and 1152 simulated processes of hydra (where SimGrid is).
set -eu
[ $# = 1 ] && [ -f tests/facts ] || { echo "usage, in a build folder: sh .../bench/apps/apps.sh FOLDER" >&2; exit 1; }
. tests/facts
mkdir -p "$1"
folder=$(cd "$1" && pwd)
tables="apps-1 apps-2"
[ "$flavour" != openmpi ] || tables="$tables apps-16 hosts-apps"
sh "$srcdir/bench/tables" "$folder" $tables
if command -v smpirun >/dev/null; then
    (cd "$srcdir" && bench/simgrid/tables "$folder" hydra-apps)
else
    echo "there is no smpirun: nothing is simulated (apt-get install libsimgrid-dev)" >&2
fi
