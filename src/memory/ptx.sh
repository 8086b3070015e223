#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes kernels_ptx.hpp: what nvcc makes of kernels.cu, for the oldest device and driver that take it.
# usage: sh ptx.sh NVCC FOLDER_OF_SOURCES >kernels_ptx.hpp
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" --ptx -arch=compute_75 -O3 -std=c++17 -o "$work/kernels.ptx" "$2/kernels.cu"
cat <<'END'
// SPDX-License-Identifier: BSD-3-Clause
// Made of kernels.cu by `make ptx`.  No MPI in this file.
#pragma once

namespace ortho::memory {

inline constexpr char kernels_ptx[] = R"ptx(
END
# The kernel needs nothing that is newer than PTX 6.3, of the driver of CUDA 10, and sm_70.
sed -e '/^\/\//d' -e '/^$/d' -e 's/^\.version .*/.version 6.3/' -e 's/^\.target .*/.target sm_70/' "$work/kernels.ptx"
cat <<'END'
)ptx";

} // namespace ortho::memory
END
