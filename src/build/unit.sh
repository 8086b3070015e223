#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# unit.sh OUT FILE...: makes OUT a source that includes the bodies (*.cpp) among the files, one after the
# other.  If OUT does so already it stays, so that nothing is compiled again.
set -eu
out=$1
shift
mkdir -p "${out%/*}"
for file; do
    case $file in *.cpp) echo "#include \"$file\"" ;; esac
done >"$out.new"
if cmp -s "$out" "$out.new"; then rm "$out.new"; else mv "$out.new" "$out"; fi
