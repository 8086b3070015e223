#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cpp.sh FOLDER PAGE AWK: mpiortho-cpp(7) with the section SIGNATURES that the headers of that folder make.
# `make cpp-signatures` writes it into man/.
set -eu
export LC_ALL=C
sed '/^\.SH \(SIGNATURES\|SEE ALSO\)/,$d' "$2"
printf '%s\n' '.SH SIGNATURES' 'What the headers declare, without the headers of templates: a capital letter is a type that a' \
    'call finds by itself, D the number of dimensions, and T the type of elements.' \
    'A row_span is made of any elements in a row, such as a std::vector.' .PP .nf
$3 -f "${0%/*}/cpp.awk" "$1"/*.hpp
echo .fi
sed -n '/^\.SH SEE ALSO/,$p' "$2"
