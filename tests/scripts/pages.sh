#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples of the manual pages, and of README.md, do what the pages say: the first program of
# EXAMPLES is compiled as C99 and run on 4 processes, and prints the second block, in any order of lines.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"

# What ORTHO_Explain chooses depends on whether processes share cores; the pages tell of those that do not.
printf '%s.switch_ps 0\n' node shared network >"$work/tune"
ORTHO_TUNE=$work/tune
export ORTHO_TUNE
unset ORTHO_SHM # and of what goes through shared memory

# The n-th display of a page's EXAMPLES, without roff's escapes.
display() { # page, n
    $AWK -v n="$2" '
        /^\.SH/ { inside = /^\.SH EXAMPLES/ }
        inside && /^\.EX/ { seen++; if (seen == n) { on = 1; next } }
        on && /^\.EE/ { exit }
        on' "$1" | sed -e 's/\\&//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\e/\\/g'
}
builds() { # source
    library=mpiortho
    case $1 in */mpiortho-pmpi.7.c) library=mpiortho-pmpi ;; esac
    "$MPICC" $sanitizers -std=c99 -Wall -Wextra -Werror -I"$srcdir/include" "$1" -o "${1%.c}" \
        -L"$builddir/.libs" -l$library -Wl,-rpath,"$builddir/.libs" -Wl,-rpath-link,"$builddir/.libs"
}
prints() { # program, expected
    timeout -k 10 60 $MPIEXEC -n 4 "$1" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; return 1; }
    # So do the times that it predicts, and how much longer one is than another.
    for file in "$work/out" "$2"; do
        sed 's/predicted [0-9.]* us\(, [0-9]* % longer\)*/predicted/' "$file" | sort >"$file.sorted"
    done
    diff "$2.sorted" "$work/out.sorted"
}

# With sanitizers, which take their time to compile, every second page.
turn=0
for page in "$srcdir"/man/*.[37]; do
    case $(head -n 1 "$page") in .so*) continue ;; esac
    turn=$((turn + 1))
    [ -z "$sanitizers" ] || [ $((turn % 2)) = 1 ] || continue
    name=$(basename "$page")
    display "$page" 1 >"$work/$name.c"
    display "$page" 2 >"$work/$name.expected"
    check "$name has an example" test -s "$work/$name.c"
    check "$name: its example is C99" builds "$work/$name.c"
    check "$name: it prints what the page says" prints "$work/$name" "$work/$name.expected"
done

sed -n '/^```c$/,/^```$/p' "$srcdir/README.md" | sed '/^```/d' >"$work/readme.c"
echo "heat 1.000" >"$work/readme.expected"
check "README.md: its program is C99" builds "$work/readme.c"
check "README.md: it keeps the heat" prints "$work/readme" "$work/readme.expected"
finish
