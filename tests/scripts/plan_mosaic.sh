# SPDX-License-Identifier: BSD-3-Clause
# ortho-plan mosaic: partners and bytes of grids in CGNS files, which arithmetic tells; a picture; mistakes.
plan=$builddir/tools/ortho-plan
prints() { # lines that are all there, options
    lines=$1
    shift
    quiet timeout 60 "$plan" mosaic "$@" || return 1
    echo "$lines" | while IFS= read -r line; do
        grep -qxF -- "$line" "$work/out" || { echo "missing: $line"; cat "$work/out"; exit 1; }
    done
}
refuses() { # words, options: status 1 and one line
    words=$1
    shift
    timeout 60 "$plan" mosaic "$@" >"$work/out" 2>"$work/err"
    [ $? = 1 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -- "$words" "$work/err" ||
        { cat "$work/out" "$work/err"; return 1; }
}
if [ -z "$CGNS_LIBS" ]; then
    check "without CGNS it says so" refuses "this ortho-plan was built without CGNS" any.cgns
    return 0
fi
writes() {
    $CC -std=c99 -Wall -Wextra -Werror "$srcdir/tests/scripts/cgns_files.c" $CGNS_LIBS -o "$work/cgns_files" &&
        "$work/cgns_files" "$work"
}
check "files of CGNS are written" writes
cd "$work" || exit 1

# Six faces of two zones touch.
check "two zones, turned" prints 'turned.cgns: 2 zones, 78 cells, 2 processes on 2 nodes of 1
process 0 sends to 1 (48 B)
process 1 sends to 0 (48 B)' turned.cgns --processes 2
check "two layers of floats" prints '2 layers of ghosts, elements of 4 B
process 1 sends to 0 (48 B)' turned.cgns --processes 2 --ghosts 2 --bytes 4B
# The first three cells of dimension 1 on the left touch the last three of dimension 0 on the right.
check "patches of them, and corners" prints 'process 3: zone Left, cells 4-7 x 0-2
process 6: zone Right, cells 3-5 x 0-2
process 2 sends to nobody
process 3 sends to 0 (24 B), 1 (8 B), 4 (32 B), 5 (8 B), 6 (24 B)
process 4 sends to 0 (8 B), 1 (24 B), 3 (32 B), 5 (24 B), 6 (8 B)' turned.cgns --processes 8 --most 4x3 --patches
# Three patches around something, each beside both others.
check "around a ring" prints 'process 0 sends to 1 (32 B), 2 (32 B)
messages on the node                0.67            1              2
         off the node               1.33            2              4
bytes    on the node               21.33           32             64
         off the node              42.67           64            128' ring.cgns --processes 3 --most 4x4 --nodes 2,1
check "a zone that touches itself" prints 'process 0 sends to nobody
bytes copied on the process        64.00           64             64' ring.cgns
# Three cells touch three others of the same side, both ways.
check "a wake" prints 'bytes copied on the process        96.00           96             96' wake.cgns --ghosts 2
check "three dimensions" prints '1 interface is not 1-to-1, and left out
process 0 sends to 1 (192 B)
process 1 sends to 0 (192 B)' boxes.cgns --processes 2 --bytes 16B
draws() {
    prints 'Picture: turned.svg' turned.cgns --processes 2 --svg turned.svg && grep -q '>Right, 6 x 5<' turned.svg
}
check "a picture" draws
costs_more() {
    time_of() { "$plan" mosaic turned.cgns --processes 2 "$@" | sed -n 's/^predicted: \(.*\) us$/\1/p'; }
    near=$(time_of --nodes 2) far=$(time_of --nodes 1)
    echo "$near us on one node, $far us on two"
    [ "$(printf '%s\n' "$near" "$far" | sort -g | head -n 1)" = "$near" ] && [ "$near" != "$far" ]
}
check "messages off the node cost more" costs_more

check "no file" refuses 'none.cgns cannot be read' none.cgns
echo 'no grid' >text.cgns
check "another format" refuses 'text.cgns is not understood: CGNS says "' text.cgns
check "an unstructured zone" refuses 'loose.cgns has zone Tetrahedra, which is not structured' loose.cgns
check "no zones" refuses 'nothing.cgns has no zone in its base Base' nothing.cgns
check "ranges that do not match" refuses \
    'Left/wrong with ranges that do not match: 1 to 7 in dimension 1, and 7 to 1 in dimension 0 of Right' backward.cgns
check "a transform that is no permutation" refuses \
    'Left/wrong with Transform[1] = 0, which makes it no signed permutation of 2 dimensions' permuted.cgns
check "a range inside of a zone" refuses 'Left/wrong, which is no face of its zone' inside.cgns
check "an edge" refuses 'Left/wrong, which is no face of its zone' edge.cgns
check "an unknown zone" refuses 'Left/wrong to zone Nobody, which is not there' unknown.cgns
check "two interfaces for one place" refuses 'both say what lies beyond the upper side of dimension 0 of tile 0' twice.cgns
check "deep ghosts" refuses 'deep' turned.cgns --ghosts 7
check "a patch of other dimensions" refuses '--most 4 is no size of 2 dimensions' turned.cgns --most 4
