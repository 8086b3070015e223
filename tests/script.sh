# SPDX-License-Identifier: BSD-3-Clause
# Scripts of tests/scripts begin with these lines, after tests/facts: they want settings, and a folder $work until they end.
set -u
. "$srcdir/tests/environment.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
