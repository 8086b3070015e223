# SPDX-License-Identifier: BSD-3-Clause
# The house stays in order: includes run downward only, and the rooms without MPI are without MPI.
. "$srcdir/tests/algorithms.sh"

# From the ground up; a room includes itself and those before it.
without_mpi="base grid placement schedule algorithm planner mosaic memory"
rooms="$without_mpi mpi runtime request agree transport nodequeue topology call staging verify engine collectives sparse indexmap patches window pmpi"

includes_run_downward() {
    allowed=
    for room in $rooms; do
        allowed="$allowed $room"
        for file in "$srcdir"/src/"$room"/*.[ch]pp; do
            for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$file"); do
                [ "$header" = mpiortho.h ] && continue
                [ "$room/$header" = collectives/calls/arguments.hpp ] && continue # made from src/calls.table
                case " $allowed " in
                *" ${header%%/*} "*) ;;
                *) echo "$file includes $header"; return 1 ;;
                esac
                [ -f "$srcdir/src/$header" ] || { echo "$file includes $header, which is not there"; return 1; }
            done
        done
    done
}

# Includes of files run downward, too, in each room.
no_file_includes_itself() {
    (cd "$srcdir/src" && grep -o '^#include ".*"' ./*/*.[ch]pp) |
        sed 's,^\./\(.*\):#include "\(.*\)",\1 \2,' >"$work/edges"
    [ "$(wc -l <"$work/edges")" -gt 1000 ] || { echo "includes are not found"; return 1; }
    tsort "$work/edges" >/dev/null
}

# Python's modules, one of which generate.py makes, import each other downward, too.
no_module_imports_itself() {
    import='.*from \.\(_[a-z]*\) import.*'
    (cd "$srcdir/python" && sed -n "s/$import/_collectives \1/p" generate.py && cd mpiortho &&
        for file in *.py; do sed -n "s/$import/${file%.py} \1/p" "$file"; done) >"$work/edges"
    [ "$(wc -l <"$work/edges")" -gt 20 ] || { echo "imports are not found"; return 1; }
    tsort "$work/edges" >/dev/null
}

every_room_is_known() {
    for folder in "$srcdir"/src/*/; do
        room=$(basename "$folder")
        [ "$room" = build ] && continue # what makes sources
        case " $rooms " in *" $room "*) ;; *) echo "src/$room is in no order"; return 1 ;; esac
    done
}

no_mpi_header() {
    for room in $without_mpi; do
        ! grep -nE '#include *[<"](mpi|mpiortho)\.h' "$srcdir"/src/"$room"/* || return 1
    done
}

no_mpi_symbol() {
    symbols=$(nm -C "$builddir/.libs/libcore.a") || return 1
    [ -n "$symbols" ] || return 1
    ! printf '%s\n' "$symbols" | grep -E '\b(P?MPI_|ompi_|MPIR_)'
}

one_algorithm_a_file() {
    [ "$(algorithms | wc -l)" -gt 10 ] || { echo "the list is not understood"; return 1; }
    for name in $(algorithms); do
        source=$(source_of "$name")
        [ -f "$source" ] || { echo "no file for $name"; return 1; }
        grep -q "^extern const\(expr\)\? Algorithm $name = " "$source" || { echo "$source has no $name"; return 1; }
        for word in Shapes Result Cost Requires Source; do
            grep -q "^/// $word " "$source" || { echo "$source: no $word"; return 1; }
        done
    done
}

# Sources are files of these kinds, and scripts, which begin with "#!".  Manual pages that are links are none.
licences() {
    # A release has not all of them.
    (cd "$srcdir" && find $(ls -d .ci bench doc examples fortran include m4/ortho_* man packaging \
        python src tests tools Makefile.am *.ac *.sh 2>/dev/null) -type f ! -name '*.png' ! -name '*.abi' \
        ! -path '*/__pycache__/*' -exec env LC_ALL=C $AWK '
        function end() { if (is_source && !has_licence) { print file; missing = 1 } }
        FNR == 1 {
            end()
            file = FILENAME
            has_licence = 0
            is_source = /^#!/ || file ~ /\.(am|ac|awk|cmake|css|eb|in|js|ld|m4|map|pml|py|pyi|sh|supp|table|toml|yaml)$/ ||
                file ~ /\.(c|cpp|cu|cuh|f|f90|F90|h|hpp|inc)$/ || file ~ /\.[137]$/ && !/^\.so /
        }
        FNR <= 3 && /SPDX-License-Identifier: BSD-3-Clause/ { has_licence = 1 }
        END { end(); exit missing }' {} +)
}

# The form that CONTRIBUTING.md gives for findings.
findings_have_their_form() {
    for file in "$srcdir"/findings/*; do
        expr "${file##*/}" : '[a-z0-9_-]*\.sh$' >/dev/null && [ -x "$file" ] && [ "$(wc -l <"$file")" -le 60 ] ||
            { echo "$file: its name, mode or length"; return 1; }
        head -n 15 "$file" >"$work/head"
        for line in '#!/bin/sh' '# SPDX-License-Identifier: BSD-3-Clause' '# Version: .*' '# Expected: .*' '# Seen: .*'; do
            grep -qx "$line" "$work/head" || { echo "$file: no $line"; return 1; }
        done
    done
}

internal_calls_use_pmpi() {
    # An interposer must not see our own calls.  Ours defines those names, and calls them for Fortran.
    ! grep -nE '(^|[^A-Za-z_P])MPI_[A-Z][a-z_]+\(' "$srcdir"/src/*/*.cpp "$srcdir"/src/*/*.hpp | grep -vE '//|MPI_Aint_add' |
        grep -vE 'src/pmpi/([a-z_]*\.cpp:[0-9]+:(\[\[gnu::hot\]\] )?int MPI_|fortran[a-z_]*\.cpp)'
}

# Functions of every call (HACKING.md): between the first one and the last one there are few others.
hot_functions_lie_together() {
    nm -n --defined-only "$builddir/.libs/libmpiortho.so" | $AWK '
        $2 !~ /[TtW]/ || $3 ~ /\.cold/ { next }
        { ++place }
        $3 ~ /^ORTHO_(Alltoall|Iallgatherv|Wait|Start)$|^_ZN5ortho6engine9Operation(5start|7advance)E|RingReader4findE/ {
            if (!found++) first = place
            last = place
        }
        END { print found " found, " last - first " apart of " place; exit !(found == 7 && last - first < place / 4) }'
}

# A sentence in a comment begins with its subject.  "Of", "Who" or "The same" without a noun are none.
comments_are_sentences() {
    same='The same([.,;:]|$| (and|as|at|by|for|if|in|into|is|of|on|to|unless|until|where|with|without)[ ,.;:])'
    ! (cd "$srcdir" && LC_ALL=C.UTF-8 grep -rInE \
        --exclude='*.log' --exclude='*.md' --exclude='*.ipynb' --exclude='*.tune' \
        "(^|[[:space:]])(//+<?|/\*+|\*|#|!)[[:space:]]+(.*[.?!:] +)?((Of|What|Whose|Who|That of|Those of)[ ,]|$same)" \
        src include tools tests bench examples fortran python)
}

bugs_can_be_planted() { "$srcdir/tests/bugs/plant" --texts; }

check "includes run downward only" includes_run_downward
check "no file of src/ includes itself by others" no_file_includes_itself
check "no module of Python imports itself by others" no_module_imports_itself
check "every folder of src/ has its place" every_room_is_known
check "the core includes no MPI header" no_mpi_header
check "the core names no MPI symbol" no_mpi_symbol
check "an algorithm is a file of the same name with its contract" one_algorithm_a_file
check "every source names the licence" licences
check "findings have their form" findings_have_their_form
check "the library calls MPI by its profiling names" internal_calls_use_pmpi
# Compilers place functions from -O2 on.
if objdump -h "$builddir/units/.libs/libmpiortho_la-engine.o" | grep -q '\.text\.hot'; then
    check "functions of every call lie side by side" hot_functions_lie_together
else
    left_out "functions of every call" "the compiler does not place functions with these options"
fi
check "sentences in comments begin with their subject" comments_are_sentences
check "each bug of tests/bugs can be planted" bugs_can_be_planted
