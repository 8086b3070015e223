# SPDX-License-Identifier: BSD-3-Clause
# Read after tests/environment.sh by the scripts whose programs run on the pretended driver.
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP sanitizers take the addresses for errors of theirs"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
preload="LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$builddir/tests/pretend.so"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
