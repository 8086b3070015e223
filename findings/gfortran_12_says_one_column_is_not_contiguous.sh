#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: gfortran 12.2.0 (Debian's gfortran-12).
# Expected: one column a(:, 1:n, 1:n) with n = 1, and one element a(1:n:2) are contiguous (Fortran 2018, 8.5.7).
# Seen: is_contiguous() and CFI_is_contiguous() say no: they compare the strides of dimensions of extent 1, too.
[ "$(gfortran-12 -dumpfullversion 2>/dev/null)" = 12.2.0 ] || { echo "gfortran 12.2.0 is not there"; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >look.c <<'END'
#include <ISO_Fortran_binding.h>
int in_c(CFI_cdesc_t *a) { return CFI_is_contiguous(a); }
END
cat >t.f90 <<'END'
program t
    use iso_c_binding
    implicit none
    interface
        integer(c_int) function in_c(a) bind(c)
            import
            type(*), dimension(..), intent(in) :: a
        end function
    end interface
    real :: a(4, 6, 3)
    integer :: n
    read *, n
    print '(a, l2, i2)', 'whole', is_contiguous(a), in_c(a)
    print '(a, l2, i2)', 'a column', is_contiguous(a(:, 1:n, 1:n)), in_c(a(:, 1:n, 1:n))
    print '(a, l2, i2)', 'an element', is_contiguous(a(1:n:2, 1, 1)), in_c(a(1:n:2, 1, 1))
end program
END
gcc-12 -c look.c && gfortran-12 -o t t.f90 look.o && echo 1 | timeout 20 ./t >seen || exit 2
cat seen
printf 'whole T 1\na column F 0\nan element F 0\n' | cmp -s - seen
