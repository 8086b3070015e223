# SPDX-License-Identifier: BSD-3-Clause
# Read by the scripts whose programs run on the pretended driver.
[ -z "$sanitizers" ] || skip_all "sanitizers take the addresses for errors of theirs"
preload="LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$builddir/tests/pretend.so"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
