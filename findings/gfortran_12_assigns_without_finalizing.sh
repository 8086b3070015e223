#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: gfortran 12.2.0 (Debian's gfortran-12).
# Expected: g = make(2) calls the final procedure for the old value of g, which frees its communicator.
# Seen: it calls none, for g or for an allocatable one: each assignment leaks.  (flang 22: two calls.)
[ "$(gfortran-12 -dumpfullversion 2>/dev/null)" = 12.2.0 ] || { echo "gfortran 12.2.0 is not there"; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.f90 <<'END'
module grids
    implicit none
    type :: grid
        integer :: comm = 0
    contains
        final :: free
    end type
    integer :: freed = 0
contains
    subroutine free(g)
        type(grid), intent(inout) :: g
        freed = freed + 1
    end subroutine
    function make(comm) result(g)
        integer, intent(in) :: comm
        type(grid) :: g
        g%comm = comm
    end function
    subroutine work()
        type(grid) :: g
        type(grid), allocatable :: a
        allocate(a)
        g = make(1)
        g = make(2)
        print '(a, i2)', 'freed by two assignments:', freed
        a = make(3)
        a = make(4)
        print '(a, i2)', 'and two to an allocatable:', freed
    end subroutine
end module
program t
    use grids
    call work()
    print '(a, i2)', 'at the end of the scope:', freed
end program
END
gfortran-12 -o t t.f90 && timeout 20 ./t >seen || exit 2
cat seen
grep -q 'two assignments: 0' seen && grep -q 'allocatable: 0' seen
