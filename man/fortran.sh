#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fortran.sh FOLDER MODULE AWK: gives the pages of functions in that folder their Fortran synopses, which the
# source of module mpiortho makes.  `make fortran-synopses` does so in man/.
set -eu
for page in "$1"/ORTHO_*.3; do
    case $(head -n 1 "$page") in .so*) continue ;; esac
    $3 -f "${0%/*}/fortran.awk" "$2" "$page" >"$page.new"
    if cmp -s "$page" "$page.new"; then rm "$page.new"; else mv "$page.new" "$page"; fi
done
