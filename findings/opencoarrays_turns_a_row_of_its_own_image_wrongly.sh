#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: OpenCoarrays 2.10.1 (Debian's 2.10.1-1+b1) with Open MPI 4.1.4 and gfortran 12.2.0.
# Expected: y(1, 6:1:-1) = y(1, :)[this_image()], a fold with the same image on its other side, turns the row
# round, as y(1, 6:1:-1) = y(1, :) does, and as it does with -fcoarray=single.
# Seen: of 1 2 3 4 5 6 comes 1 2 3 4 5 1 in place of 6 5 4 3 2 1, and row 2 gets a 2. x(2:6:2) = x(1:3)[...]
# puts the three side by side. With (...) + 0 on the right, or from the same row to another one, it is right.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
version=2.10.1-1+b1
apt-get download libcoarrays-openmpi-dev=$version libcaf-openmpi-3=$version >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.f90 <<'END'
program t
    implicit none
    integer :: x(6)[*], y(2, 6)[*], me, i
    me = this_image()
    sync all
    if (me == 1) then
        y(1, :) = [(i, i = 1, 6)]; y(2, :) = 0; y(1, 6:1:-1) = y(1, :)[me]
        print '(a, 6i2, a, 6i2)', 'turned:', y(1, :), '  row 2:', y(2, :)
        y(1, :) = [(i, i = 1, 6)]; y(2, :) = 0; y(1, 6:1:-1) = y(1, :)[me] + 0
        print '(a, 6i2, a, 6i2)', 'turned + 0:', y(1, :), '  row 2:', y(2, :)
        y(1, :) = [(i, i = 1, 6)]; y(2, :) = 0; y(2, 6:1:-1) = y(1, :)[me]
        print '(a, 6i2, a, 6i2)', 'to another row:', y(1, :), '  row 2:', y(2, :)
        x = [(i, i = 1, 6)]; x(2:6:2) = x(1:3)[me]
        print '(a, 6i2)', 'spread:', x
    end if
end program
END
lib=$(dirname "$(find "$PWD/usr" -path '*/open-coarrays/openmpi/*' -name libcaf_openmpi.so.3)")
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
gfortran-12 -fcoarray=single t.f90 -o single && timeout 60 ./single >single.seen || exit 2
OMPI_FC=gfortran-12 mpifort.openmpi -fcoarray=lib t.f90 -o t -L"$lib" -lcaf_openmpi >log 2>&1 || exit 2
LD_LIBRARY_PATH=$lib timeout 60 mpiexec.openmpi $root --oversubscribe -n 2 ./t >seen || exit 2
sed 's/^/single: /' single.seen
cat seen
grep -q '^turned: 6 5 4 3 2 1  row 2: 0 0 0 0 0 0' single.seen &&
    grep -q '^spread: 1 1 3 2 5 3' single.seen &&
    grep -q '^turned: 1 2 3 4 5 1  row 2: 0 0 0 0 0 2' seen &&
    grep -q '^spread: 1 1 2 3 5 6' seen &&
    grep -q '^turned + 0: 6 5 4 3 2 1  row 2: 0 0 0 0 0 0' seen &&
    grep -q '^to another row: 1 2 3 4 5 6  row 2: 6 5 4 3 2 1' seen
