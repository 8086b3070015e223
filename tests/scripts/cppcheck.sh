# SPDX-License-Identifier: BSD-3-Clause
# cppcheck finds nothing in the library and its programs.  tests/cppcheck.supp lists what it finds wrongly.
command -v cppcheck >/dev/null || skip_all "no cppcheck"

# look_at FILE...: with a macro defined cppcheck looks at one configuration, not at all.
look_at() {
    (cd "$srcdir" && timeout "$limit" cppcheck -q --std=c++20 --error-exitcode=1 \
        --enable=warning,performance,portability --suppressions-list=tests/cppcheck.supp \
        -D_GNU_SOURCE -I. -Isrc -Iinclude -Itools "-I$builddir" "$@")
}

# The units of rooms and of programs, as they are compiled: headers are read once.  cppcheck does not
# understand mpiortho.hpp, which examples include.
units_are_clean() {
    look_at $(grep -l '^#include "src/' "$builddir"/units/*.cpp) "$builddir"/units/ortho-*.cpp
}
finds() { # FINDING TEXT: a unit that includes rooms and has this defect
    { cat "$builddir/units/grid.cpp"; printf '%s\n' "$2"; } >"$work/planted.cpp"
    output=$(look_at "$work/planted.cpp" 2>&1) && return 1
    printf '%s\n' "$output"
    printf '%s\n' "$output" | grep -q "planted.cpp.*\[$1\]"
}

check "the units of library and programs" units_are_clean
check "a read behind an array is found" finds arrayIndexOutOfBounds 'int f() { int a[2] = {1, 2}; return a[2]; }'
check "a variable without a value is found" finds uninitvar 'int g() { int i; return i + 1; }'
