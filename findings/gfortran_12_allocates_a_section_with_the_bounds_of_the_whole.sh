#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: gfortran 12.2.0 (Debian's gfortran-12).
# Expected: allocate(v, source=u(:)) gives v the lower bound 1: a section starts at 1, whatever u does.
# Seen: v starts where u starts, such as at the ghost 0; v = u(:) does start at 1.
[ "$(gfortran-12 -dumpfullversion 2>/dev/null)" = 12.2.0 ] || { echo "gfortran 12.2.0 is not there"; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.f90 <<'END'
program t
    implicit none
    real, allocatable :: u(:), by_source(:), by_assignment(:), inner(:)
    allocate(u(0:5))
    u = 0
    allocate(by_source, source=u(:))
    by_assignment = u(:)
    allocate(inner, source=u(1:4))
    print '(a, 2i3)', 'source=u(:)', lbound(by_source), ubound(by_source)
    print '(a, 2i3)', 'v = u(:)', lbound(by_assignment), ubound(by_assignment)
    print '(a, 2i3)', 'source=u(1:4)', lbound(inner), ubound(inner)
end program
END
gfortran-12 -o t t.f90 && timeout 20 ./t >seen || exit 2
cat seen
grep -q 'source=u(:)  0  5' seen && grep -q 'v = u(:)  1  6' seen
