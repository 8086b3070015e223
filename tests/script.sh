# SPDX-License-Identifier: BSD-3-Clause
# script.sh SCRIPT: runs a script of tests in a build folder, and ends its report.  The script has the
# settings of tests, and a folder $work until it ends.
set -u
. tests/facts
. "$srcdir/tests/environment.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# skip_all "reason": nothing of the script is run.
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
. "$1" && echo "1..$tests_run"
