#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging/abi/describe.sh LIBRARY INCLUDE: the interface of a library with debug information (-g), by abidw.
set -eu
abidw --headers-dir "$2" --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path \
    --no-show-locs --drop-undefined-syms --type-id-style hash "$1"
