#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# unit.sh OUT FILE...: OUT becomes a source that includes those of the files that are bodies (*.cpp), one after the other.  It
# is left alone if that is what it does, so that nothing is compiled again.
set -eu
out=$1
shift
mkdir -p "${out%/*}"
for file; do
    case $file in *.cpp) echo "#include \"$file\"" ;; esac
done >"$out.new"
if cmp -s "$out" "$out.new"; then rm "$out.new"; else mv "$out.new" "$out"; fi
