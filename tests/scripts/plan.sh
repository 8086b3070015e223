# SPDX-License-Identifier: BSD-3-Clause
# ortho-plan: the paper's table, schedules, predictions, pictures, mistakes; and no MPI in it.
plan=$builddir/tools/ortho-plan
page=$srcdir/man/ortho-plan.1

prints() { # words, options: a line has them
    words=$1
    shift
    says "$words" timeout 60 "$plan" "$@"
}
refuses() { # words, options: status 1 and one line
    words=$1
    shift
    timeout 60 "$plan" "$@" >"$work/out" 2>"$work/err"
    [ $? = 1 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q -- "$words" "$work/err" ||
        { cat "$work/out" "$work/err"; return 1; }
}

# Well-formed enough: tags nest, no attribute is twice in one, nothing is not a number, no character is bare.
# Each color has another one on a dark ground.
has_dark_colors() {
    grep -oE '(fill|stroke)="#[^"]*"' "$1" | sort -u >"$work/colors"
    [ -s "$work/colors" ] || return 1
    while read -r color; do grep -qF "[$color]" "$1" || { echo "no dark $color"; return 1; }; done <"$work/colors"
}
is_svg() { # file, words in it
    has_dark_colors "$1" || return 1
    head -n 1 "$1" | grep -q '^<svg xmlns="http://www.w3.org/2000/svg"' && grep -q -- "$2" "$1" || { head -n 3 "$1"; return 1; }
    ! grep -nE '="[^"]*(nan|inf)|&([^aglq]|$)' "$1" || return 1
    $AWK '
        { all = all $0 " " }
        END {
            while (match(all, /<[^>]*>/)) {
                tag = substr(all, RSTART + 1, RLENGTH - 2)
                text = substr(all, 1, RSTART - 1)
                if (text ~ />/) { print "bare > in " text; exit 1 }
                all = substr(all, RSTART + RLENGTH)
                split(tag, words, /[ \/]/)
                quotes = gsub(/"/, "\"", tag)
                if (quotes % 2) { print "quotes in " tag; exit 1 }
                if (tag ~ /^\//) { if (open[depth--] != substr(tag, 2)) { print "closes " tag; exit 1 } }
                else if (tag !~ /\/$/) open[++depth] = words[1]
            }
            if (depth != 0) { print "open " open[depth]; exit 1 }
        }' "$1"
}
picture() { # words in it, options
    in_it=$1
    shift
    rm -f "$work/picture.svg"
    prints "Picture: $work/picture.svg" "$@" --svg "$work/picture.svg" && is_svg "$work/picture.svg" "$in_it"
}

torus='alltoall:torus 4x4:moore:1:1KiB'
large='alltoall:torus 12x12x8:moore:2:400B'
check "schedule: the choice, and what it does" prints '^alltoall_combining, dimensions 0, 1, predicted' schedule "$torus"
check "schedule: counts" prints '^  out 4 messages with 12 blocks, 12 KiB$' schedule "$torus"
check "schedule: phases" prints '^  to +(0, 1): temp 1, send 4, temp 3$' schedule "$torus"
check "schedule: a process in the middle" prints '^process 10 at (2, 2): 2 phases$' schedule "$torus"
check "schedule: another process, by a border" prints '^  out 3 messages with 3 blocks' schedule "allreduce:mesh 6x5:moore:1:8B" --rank 5
check "schedule: another algorithm" prints '^  to edge 7: send 7$' schedule "$torus" --algorithm alltoall_direct
check "schedule: gaps" prints '^ *2  (5) *- *-$' schedule 'alltoall:mesh 4:offsets:1;-1;5:4B' --algorithm alltoall_direct
check "schedule: offsets that are one process" prints '^  out 3 messages with 8 blocks' schedule 'alltoall:torus 2x2:moore:1:4B'
check "schedule: a process alone" prints '^process 0 at (0): 0 phases$' schedule 'alltoall:torus 1:moore:1:4B'
check "schedule: 3124 offsets in 5 dimensions" prints '^process 55555 at' schedule 'alltoall:torus 10x10x10x10x10:box:-1..3:4B'
# A message of 8 bytes takes 32 with its head, a ring 192 besides; the first one has at least 512.
memory() { # line, nodes
    prints "$1" schedule 'alltoall:torus 8x8:moore:1:8B' --algorithm alltoall_direct --memory --nodes "$2"
}
check "schedule: memory of a node" memory '^  rings  *3 KiB to 8 partners; 17 KiB once they have been used' 1x64
check "schedule: … of nodes that are rows" memory '^  rings  *768 B to 2 partners; 4.25 KiB once' 8x8
check "schedule: … mailboxes of all processes there" memory '^  mailboxes  *1 KiB$' 1x64
check "schedule: … none where processes are alone" memory '^Memory of a node: none' 64x1
for collective in alltoall allgather allreduce reduce_scatter reduce_scatter_block; do
    check "a picture of $collective" picture 'Phase 1: dimension 1' schedule "$collective:torus 5x5:moore:2:64B" --algorithm "${collective%_block}_combining"
    check "a picture of $collective on a grid with borders" picture 'process 0 at (0, 0)' schedule "$collective:grid 5x7 periods 1,0:box:-1..2:64B" --rank 0
    check "a picture of $collective in one dimension" picture 'All at once' schedule "$collective:torus 12:offsets:-3;1;2;4;0:64B"
    check "a picture of $collective in three dimensions" picture 'on the way' schedule "$collective:torus 5x5x5:moore:2:64B"
    check "a picture of predictions of $collective" picture '>400 B<' predict "$collective:torus 12x12x8:moore:2:400B"
done
check "a picture of many processes" picture 'on the way' schedule 'alltoall:torus 99x99:moore:7:64B'
check "a picture of a process alone" picture 'process 0' schedule 'alltoall:mesh 1x1:moore:1 with centre:64B'
check "a picture of a process alone in three dimensions" picture 'process 0' schedule 'alltoall:mesh 1x1x1:moore:1:0B'

check "predict: the choice" prints '^ \* alltoall_combining *24.15 us  *3  *12  *300  *120000   0, 1, 2$' predict "$large"
old_syntax() { # a blank for a stencil's colon: the same
    "$plan" predict "$(echo "$1" | sed 's/:\(moore\|box\|offsets\):/:\1 /')" >"$work/old" && "$plan" predict "$1" | diff "$work/old" -
}
for stencil in moore:1 box:-1..2 box:3 'offsets:1,0;0,-1'; do
    check "predict: $stencil, and with a blank" old_syntax "alltoall:torus 4x4:$stencil:1KiB"
done
check "predict: a stencil's name has a colon" prints '^moore:1 with centre: 9 offsets, blocks of 4 B$' predict 'alltoall:torus 4x4:moore 1 with centre:4B'
ghosts='halo:torus 4x4x4:moore:1:34x34x34 fields 2'
check "predict: a halo exchange" prints '^ \* halo_combining .* 3 *6 *52 *104576   one after the other$' predict "$ghosts"
check "predict: … by pairs of nodes" prints '^   halo_node_pairs .* by pairs of nodes$' predict 'halo:torus 4x4:moore:1:34x34 fields 2' --nodes 4x4
check "predict: its arrays" prints '^2 fields of 34x34x34 elements of 8 B, depth 1,1,1$' predict "$ghosts"
check "predict: its sizes" prints '^Chosen for ghosts of$' predict "$ghosts"
check "predict: its way back" prints '^ \* halo_reduce_combining ' predict 'halo_reduce:torus 4x4x4:moore:1:34x34x34'
check "a picture of predictions of halos" picture 'ghosts of a process, all fields' predict "$ghosts"
check "a picture of predictions: ratios" picture '>140.8 µs, 1.13 times the best<' predict "$large" --nodes 36x32
check "a picture of predictions: where the choice changes" picture '>2.87 KiB<' predict "$large" --nodes 36x32
# 3124 messages instead of 20 are off the scale: a triangle, and no line above the panel's upper edge.
clipped() {
    picture 'goes beyond the scale' predict 'alltoall:torus 10x10x10x10x10:box:5:1KiB' && grep -q '<polygon ' "$work/picture.svg" &&
        sed -n 's/<polyline points="\([^"]*\)".*/\1/p' "$work/picture.svg" | tr ' ' '\n' | $AWK -F, 'NF == 2 && $2 < 185.9 { print; bad = 1 } END { exit bad }'
}
check "a picture of predictions: what is off the scale" clipped
check "a picture says what is seen: messages" picture '>4 messages do the work of 8<' schedule "$torus"
check "a picture says what is seen: one message a neighbor" picture '>8 messages, one to each neighbor<' schedule "$torus" --algorithm alltoall_direct
check "a picture says what is seen: who is the fastest" picture '>alltoall_combining is the fastest below 38 B, alltoall_direct from 3.18 KiB on<' predict "$large" --nodes 36x32
not_clipped() { picture 'Time of the fastest' predict "$large" --nodes 36x32 && ! grep -q '<polygon ' "$work/picture.svg"; }
check "a picture of predictions: nothing is" not_clipped
check "schedule: of a halo exchange, bytes" prints '^  out 4 messages with 16 blocks, 2.06 KiB$' schedule 'halo:torus 4x4:moore:1:34x34 fields 2'
check "schedule: of a halo exchange, on one algorithm" prints '^  out 8 messages with 16 blocks, 2.06 KiB$' schedule 'halo:torus 4x4:moore:1:34x34 fields 2' --algorithm halo_direct
check "schedule: ghosts of an array" prints '^ *2 *0  (0, 1) *- *1 *30$' schedule 'halo:mesh 4x4:neumann:1:34x34 depth 2,1' --rank 0
check "schedule: and back" prints '^ *3 *0  (1, 0) *4 *- *31$' schedule 'halo_reduce:mesh 4x4:neumann:1:34x34 lower 2,1 upper 1,2' --rank 0
no_layers="leaves 2 owned layers in dimension [01] of the grid, but ghosts are 3 layers wide"
check "halo: more ghosts than there are owned" refuses "$no_layers" predict 'halo:mesh 2x2:moore:1:6x6 lower 3 upper 1'
check "halo: more ghosts above" refuses "$no_layers" predict 'halo:mesh 2x2:moore:1:6x6 lower 1 upper 3'
check "halo: but nobody's on a grid of one process" prints '^ \* halo_direct' predict 'halo:mesh 1x1:moore:1:6x6 lower 1 upper 3'
check "halo: no room" refuses 'sizes\[0\] = 6 has no room for 4 and 4 ghost layers' predict 'halo:torus 4x4:moore:1:6x6 depth 4'
check "halo: longer steps" refuses 'offset (-2,-2), which leads further' predict 'halo:torus 9x9:moore:2:6x6'
check "halo: no arrays" refuses "arrays '400B': '400B' is no size in 2 dimensions" predict 'halo:torus 9x9:moore:1:400B'
check "halo: no picture of a schedule" refuses "there is no picture of the schedule of a halo" schedule "$ghosts" --svg "$work/svg"
check "predict: what is not chosen" prints '^   alltoall_direct *127.5 us  *1  *124  *124  *49600   all at once$' predict "$large"
check "predict: where the choice changes" prints '^ *9042 to 16777216 bytes   alltoall_direct$' predict "$large"
check "predict: on one node" prints '1152 processes on one node$' predict "$large" --nodes 1x1152
check "predict: there through memory that processes share" prints '^ \* alltoall_direct *2.25 us *1 *8 *8 *8192   all at once$' predict "$torus" --nodes 1x16
# 7 + 11 for each of 8 messages, 2 for each of 32 bytes, in us: longer than the messages are on their way.
cat >"$work/shared" <<END
shared.send_ps 7000000
shared.receive_ps 11000000
shared.latency_ps 13000000
shared.byte_ps 2000000
block_ps 0
END
check "predict: a machine's shared memory" prints 'alltoall_direct *208.0 us' predict 'alltoall:torus 4x4:moore:1:4B' --nodes 1x16 --tune "$work/shared"
check "predict: and not between nodes" prints 'alltoall_direct *8.00 us' predict 'alltoall:torus 4x4:moore:1:4B' --tune "$work/shared"
# Two partners and 8 bytes on the node, 18 us and 2 us each; six messages of 1 us to others.
check "predict: on rows of nodes both" prints 'alltoall_direct *58.00 us' predict 'alltoall:torus 4x4:moore:1:4B' --nodes 4x4 --tune "$work/shared"
of_regular_calls() { "$plan" predict "$large" >"$work/out" && ! grep alltoall_ordered "$work/out"; }
check "predict: no algorithm of other calls" of_regular_calls
check "schedule: but why not, if it is asked for" refuses 'alltoall_ordered does not apply: it sends large blocks first' schedule "$torus" --algorithm alltoall_ordered
check "predict: an obstacle" prints 'reduce_scatter_combining *does not apply: blocks travel .* so that counts may differ' predict 'reduce_scatter:mesh 3x3:offsets:2,2;2,1;1,2:8B'
# As in the paper: alpha / beta times the cut-off, (26-6)/(54-26) times 10 000 bytes, is where combining ends.
cat >"$work/linear" <<END
# alpha is 1 us, beta 100 ps
network.send_ps 600000
network.receive_ps 400000
network.latency_ps 0
network.byte_ps 100
block_ps 0
END
check "predict: a machine of one's own" prints '^ \* alltoall_combining *8.00 us' predict 'alltoall:torus 9x9x9:moore:1:370B' --tune "$work/linear"
check "predict: a million processes in no time" says '1000000 processes' \
    timeout 5 "$plan" predict 'alltoall:torus 100x100x100:moore:1:8B'
check "predict: and on a mesh, with many neighbors" says '9260 offsets' \
    timeout 5 "$plan" predict 'allreduce:mesh 100x100x100:moore:10:8B'

# Gropp, Using Node Information to Implement MPI Cartesian Topologies, Table 3.
table_3() {
    for size in 128x128 32x32x16; do
        "$plan" place --grid $size --nodes 16 --missing | sed 's/^ \*/  /' |
            $AWK '/^ *as numbered/ { print $3, $4, $5, $6, $7, $8 } /^ *gropp/ { print $2, $3, $4, $5, $6, $7 }'
    done | diff - /dev/fd/3 3<<END
1 2 1.88 2 3 2.12
2 4 3.00 0 2 1.00
1 2 1.88 4 5 4.12
3 4 3.50 2 3 2.50
END
}
check "place: Table 3 of Gropp's paper" table_3
check "place: where boxes do not fit" prints '^ \* strips .* 664 *57 *+3.8 %$' place --grid 9x8x8 --nodes 36
check "place: partners beyond borders are none" prints '^   as numbered *1 *2 *1.88 *1 *3 *2.09 *34304 *34 *+116.1 %$' place --grid 128x128 --nodes 16
check "place: another stencil, no borders" prints '^ \* gropp .* 80 *20 *none$' place --grid 4x4 --nodes 4 --stencil moore:1 --periodic
check "place: the lower bound" prints '^   lower bound *16$' place --grid 4x4 --nodes 4
check "place: unequal nodes" prints '^   gropp *no: nodes have different sizes$' place --grid 4x4 --nodes 4,4,3
check "place: what they are" prints '^mesh 4x4, 16 processes on 5 nodes of 2 to 4$' place --grid 4x4 --nodes 4,4,3
check "place: weights, in the stencil's order" prints '^ \* boxes .* 60 *12 *none$' place --grid 6x6 --nodes 6 --stencil 'offsets:1,0;-1,0;0,1;0,-1' --weights 100,100,1,1
check "place: a process alone" prints '^ \* as numbered' place --grid 1 --nodes 4
check "a picture of a placement" picture 'Chosen: gropp' place --grid 128x128 --nodes 16
check "a picture of slices" picture '(8, ., .)' place --grid 9x8x8 --nodes 36
check "a picture of some slices of many" picture 'The first 16 of 60 slices' place --grid 6x10x5x5 --nodes 7 --stencil moore:1
check "a picture of a row" picture 'As numbered' place --grid 30 --nodes 4 --periodic
csv() {
    "$plan" place --grid 4x4 --nodes 4 --csv "$work/csv" >"$work/out" && grep -q '^gropp,16,4,2,2,32,0,2,16,1$' "$work/csv" &&
        grep -q '^lower bound,16,' "$work/csv"
}
check "place: a table for programs" csv
# 2x3 on nodes of two: ranks 0 and 1, 2 and 5, 3 and 4.
ranks() {
    "$plan" place --grid 2x3 --nodes 2 --rank-order "$work/order" --rankfile "$work/rankfile" >"$work/out" &&
        printf '0,1\n2,5\n3,4\n' | diff - "$work/order" &&
        for rank in '0=+n0 slot=0' '1=+n0 slot=1' '2=+n1 slot=0' '3=+n2 slot=0' '4=+n2 slot=1' '5=+n1 slot=1'; do
            echo "rank $rank"
        done | diff - "$work/rankfile"
}
check "place: files of ranks" ranks
named_ranks() {
    "$plan" place --grid 2x3 --nodes 2 --hosts a,b,c --rankfile "$work/rankfile" --hostfile "$work/hostfile" >"$work/out" &&
        printf '%s\n' a a b c c b | diff - "$work/hostfile" && grep -q '^rank 4=c slot=1$' "$work/rankfile" &&
        grep "^$work/hostfile is for Slurm.*MPICH takes for more nodes: it needs --rankmap" "$work/out"
}
check "place: … with names" named_ranks
for_mpich() { # in rows each node is one run of lines
    "$plan" place --grid 2x3 --nodes 2 --rankmap "$work/rankmap" >"$work/out" && echo 0,0,1,2,2,1 | diff - "$work/rankmap" &&
        "$plan" place --grid 6 --nodes 2 --hosts a,b,c --hostfile "$work/hostfile" >"$work/out" && ! grep MPICH "$work/out"
}
check "place: … for MPICH" for_mpich
uneven() { "$plan" place --grid 4x4 --nodes 5,4,3 --rank-order "$work/order" >"$work/out" && tr , '\n' <"$work/order" | sort -n | diff - /dev/fd/3 3<<END
$(seq 0 15)
END
}
check "place: … on unequal nodes, each rank once" uneven
check "place: too few names" refuses "--hosts has 2 names, and there are 3 nodes" place --grid 2x3 --nodes 2 --hosts a,b
check "place: one name for two nodes" refuses "--hosts names two nodes 'a'" place --grid 2x3 --nodes 2 --hosts a,b,a
check "place: hosts without names" refuses "--hostfile needs the names of the nodes: --hosts" place --grid 2x3 --nodes 2 --hostfile "$work/hostfile"
check "place: ranks that cannot be written" refuses "--rankfile /nowhere/x cannot be written" place --grid 2x3 --nodes 2 --rankfile /nowhere/x
check "place: a million processes" prints '^ \* strips' place --grid 100x100x100 --nodes 128
check "place: no grid" refuses "--grid 4x is no size such as 128x128" place --grid 4x --nodes 4
check "place: too large a grid" refuses "--grid 65536x65536 has more than 2147483647 processes" place --grid 65536x65536 --nodes 4
check "place: no nodes" refuses "--nodes 4x4 is no list of how many processes nodes have" place --grid 4x4 --nodes 4x4
check "place: no stencil" refuses "stencil 'hexagon:1' begins with none of" place --grid 4x4 --nodes 4 --stencil hexagon:1
check "place: weights of others" refuses "--weights has 3 numbers, and the stencil 4 offsets" place --grid 4x4 --nodes 4 --weights 1,2,3
check "place: a table that cannot be written" refuses "--csv /nowhere/x.csv cannot be written" place --grid 4x4 --nodes 4 --csv /nowhere/x.csv

# Graphs of others.  A path of 6 rows on 3 processes: two of them on a node, one alone.
cat >"$work/path.graph" <<END
% METIS: 6 vertices, 5 edges
6 5
2
1 3
2 4
3 5
4 6
5
END
printf '0\n0\n1\n1\n2\n2\n' >"$work/path.graph.part.3"
on_path() { words=$1; shift; prints "$words" graph "$work/path.graph" --partition "$work/path.graph.part.3" --nodes 2,1 "$@"; }
check "graph: what it is" prints '^6 rows with 10 entries, parts by rows, at most 2 on a process; elements of 16 B$' graph "$work/path.graph" --by rows --processes 3 --nodes 2,1 --bytes 16B
check "graph: messages on nodes" on_path '^messages on the node *0.67 *1 *2$'
check "graph: and off them" on_path '^ *off the node *0.67 *1 *2$'
check "graph: bytes" on_path '^bytes  *on the node *66.67 *100 *200$' --bytes 100B
check "graph: wires" on_path '^wires  *off the node *0.67 *1 *2$'
check "graph: direct, where there are few messages" on_path '^   wires .*   no: the library, which counts messages alone, predicts more'
check "graph: nodes take turns" on_path '^ *off the node *1.33 *2 *4$' --cyclic
check "graph: placed" on_path '^ *off the node *0.67 *1 *2$' --cyclic --reorder
check "graph: one node" prints '^ \* direct' graph "$work/path.graph" --by rows --processes 3 --nodes 3
# A star, whose centre two processes of the other node want: it crosses once.
printf '%%%%MatrixMarket matrix coordinate integer symmetric\r\n%% a comment\r\n4 4 3\r\n2 1 7\r\n3 1 7\r\n4 1 7\r\n' >"$work/star.mtx"
star() { words=$1; shift; prints "$words" graph "$work/star.mtx" --by rows --processes 4 --nodes 2 "$@"; }
check "graph: a matrix; what crosses once" star '^elements that a node gets again *1$'
check "graph: a matrix; messages" star '^ *off the node *1.00 *2 *4$'
star_csv() { star direct --csv "$work/csv" && grep -q "^\"$work/star.mtx\",4,2,8B,2,1,4,2,16,32,16,2,1," "$work/csv"; }
check "graph: a table for programs" star_csv
check "graph: a picture" picture '>4 messages between nodes, or 2 wires' graph "$work/star.mtx" --by rows --processes 4 --nodes 2
# A million rows on 65536 processes: counted in seconds.
seq 1000000 | $AWK 'BEGIN { print "%%MatrixMarket matrix coordinate pattern symmetric"; print 1000000, 1000000, 1998000 }
    $1 % 1000 { print $1 + 1, $1 } $1 > 1000 { print $1, $1 - 1000 }' >"$work/large.mtx"
check "graph: 65536 processes" prints '65536 processes on 1024 nodes of 64' graph "$work/large.mtx" --by rows \
    --processes 65536 --nodes 64
by_metis() { # METIS may not be there
    prints 'parts by METIS' graph "$work/large.mtx" --by metis --processes 8 --nodes 4 || grep -q 'was built without METIS' "$work/out"
}
check "graph: parts by METIS" by_metis
# 10 x 10 rows in 9 parts: METIS's k-way method alone has processes send 1016 bytes, bisection 680.
seq 100 | $AWK 'BEGIN { print 100, 180 }
    { print ($1 % 10 ? $1 + 1 : ""), ($1 % 10 != 1 ? $1 - 1 : ""), ($1 > 10 ? $1 - 10 : ""), ($1 < 91 ? $1 + 10 : "") }' >"$work/square.graph"
small_parts() {
    "$plan" graph "$work/square.graph" --by metis --processes 9 --nodes 9 >"$work/out" 2>"$work/err" || { grep 'was built without METIS' "$work/err"; return; }
    $AWK '$1 == "bytes" && $2 == "on" { sum = $NF } END { exit !sum || sum >= 800 }' "$work/out" || { cat "$work/out"; return 1; }
}
check "graph: the better one of METIS's methods" small_parts
sed '1s/integer/unsigned-integer/; 1s/MatrixMarket/MATRIXMARKET/' "$work/star.mtx" >"$work/scipy.mtx"
check "graph: a process without rows" prints '^1 of 4 processes have no rows$' graph "$work/path.graph" --partition "$work/path.graph.part.3" --processes 4 --nodes 4
all_have_rows() { prints 'parts by rows' graph "$work/path.graph" --by rows --processes 6 --nodes 3 && ! grep 'no rows' "$work/out"; }
check "graph: all have rows" all_have_rows
check "graph: as scipy writes it, and in capitals" prints '^4 rows with 6 entries' graph "$work/scipy.mtx" --by rows --processes 2 --nodes 2
check "graph: no file" refuses "/nowhere.mtx cannot be read" graph /nowhere.mtx --by rows --processes 4 --nodes 2
check "graph: a folder" refuses "/ cannot be read" graph / --by rows --processes 4 --nodes 2
check "graph: no processes" refuses "--processes is needed without --partition" graph "$work/star.mtx" --nodes 2
check "graph: an unknown way to make parts" refuses "try --help" graph "$work/star.mtx" --nodes 2 --by magic
check "graph: two partitions" refuses "name two partitions" graph "$work/path.graph" --partition "$work/path.graph.part.3" --by rows --nodes 2
check "graph: another graph's partition" refuses "has parts for 6 rows, and the graph has 4" graph "$work/star.mtx" --partition "$work/path.graph.part.3" --nodes 2
check "graph: fewer processes than parts" refuses "--processes 2: $work/path.graph.part.3 has part 2" graph "$work/path.graph" --partition "$work/path.graph.part.3" --nodes 2 --processes 2
sed 's/coordinate/array/' "$work/star.mtx" >"$work/array.mtx"
check "graph: a dense matrix" refuses "array.mtx, line 1 says array" graph "$work/array.mtx" --processes 2 --nodes 2
check "graph: a table that cannot be written" refuses "--csv /nowhere/x.csv cannot be written" graph "$work/star.mtx" --by rows --processes 4 --nodes 2 --csv /nowhere/x.csv

check "no command" refuses "subcommand is required"
check "no specification" refuses "specification is required" predict
check "a part is missing" refuses "has 3 parts, not the four of COLLECTIVE:GRID:STENCIL:SIZE" predict 'alltoall:torus 4x4:moore:1'
check "an unknown collective" refuses "collective 'alltall' is none of alltoall," predict 'alltall:torus 4x4:moore:1:4B'
check "an unknown grid" refuses "grid 'ring 4' begins with none of torus, mesh, grid" predict 'alltoall:ring 4:moore:1:4B'
check "an unknown stencil" refuses "stencil 'hexagon:1' begins with none of" schedule 'alltoall:torus 4x4:hexagon:1:4B'
check "a size without unit" refuses "size '400' is no number of B, kB" schedule 'alltoall:torus 4x4:moore:1:400'
check "nodes of several sizes" prints ' 16 processes on nodes of 4, 4, 3, 5$' predict "$torus" --nodes 4,4,3,5
check "nodes of several sizes that do not fit" refuses "^ortho-plan: --nodes 4,4,3 are 11 processes, and torus 4x4 has 16$" predict "$torus" --nodes 4,4,3
check "nodes of no size" refuses "--nodes 4,0,12 is no number of nodes" predict "$torus" --nodes 4,0,12
check "a schedule by pairs of nodes" prints '^alltoall_node_pairs, by pairs of nodes, predicted' schedule "$torus" --nodes 4x4 --algorithm alltoall_node_pairs
check "but no picture of it" refuses "there is no picture of alltoall_node_pairs" schedule "$torus" --nodes 4x4 --algorithm alltoall_node_pairs --svg "$work/svg"
check "pairs of what is one node" refuses "alltoall_node_pairs does not apply: it saves messages between nodes, and all processes are on one node" schedule "$torus" --nodes 1x16 --algorithm alltoall_node_pairs
check "nodes that do not fit" refuses "^ortho-plan: --nodes 4x5 are 20 processes, and torus 4x4 has 16$" predict "$torus" --nodes 4x5
check "nodes that are none" refuses "--nodes 16 is no number of nodes" predict "$torus" --nodes 16
check "no tune file" refuses "--tune /nowhere/tune cannot be read" predict "$torus" --tune /nowhere/tune
check "a folder for a tune file" refuses "--tune / cannot be read" predict "$torus" --tune /
echo "speed 9" >"$work/bad"
check "a tune file that is none" refuses "line 1 of $work/bad, which ORTHO_TUNE names, is no 'name picoseconds': speed 9" predict "$torus" --tune "$work/bad"
check "an unknown algorithm" refuses "--algorithm names an unknown algorithm 'fast'" schedule "$torus" --algorithm fast
check "another collective's algorithm" refuses "--algorithm allgather_direct does no alltoall" schedule "$torus" --algorithm allgather_direct
check "an algorithm that cannot" refuses "--algorithm reduce_scatter_combining does not apply: blocks travel through other processes" \
    schedule 'reduce_scatter:mesh 3x3:offsets:2,2;2,1;1,2:8B' --algorithm reduce_scatter_combining
check "a rank that is none" refuses "--rank 16 is none of torus 4x4, whose ranks are 0 to 15" schedule "$torus" --rank 16
check "a picture that cannot be written" refuses "--svg /nowhere/x.svg cannot be written" predict "$torus" --svg /nowhere/x.svg
check "an unknown option" refuses "try --help" schedule --speed 9
check "--help" prints 'schedule .*what a process does' --help
check "--version" prints '^ortho-plan, mpiortho [0-9]' --version

no_mpi() {
    # A libtool wrapper or the program itself.
    program=$plan
    [ ! -x "$builddir/tools/.libs/ortho-plan" ] || program=$builddir/tools/.libs/ortho-plan
    ! env -u LD_PRELOAD ldd "$program" | grep -iE 'mpi|mpich|open-rte|pmix'
}
check "no MPI is needed to run it" no_mpi

# The examples of the manual page: each command, which begins with '$ ', prints what stands below it.
page_is_right() {
    display "$page" all >"$work/shown"
    [ -s "$work/shown" ] || return 1
    PATH=$builddir/tools:$PATH
    sed -n 's/^\$ //p' "$work/shown" >"$work/commands"
    (cd "$work" && while read -r command; do
        printf '$ %s\n' "$command"
        eval "timeout 60 $command"
    done <"$work/commands") >"$work/printed"
    diff "$work/shown" "$work/printed"
}
check "the manual page's examples print what it says" page_is_right
# One of them draws the picture that README.md shows.
check "doc/schedule.svg is what ortho-plan draws" cmp "$srcdir/doc/schedule.svg" "$work/schedule.svg"
# The pictures of doc/mosaics.md have the library's own answers.
check "mosaic-pictures draws" timeout 60 "$builddir/tools/mosaic-pictures" "$work"
for picture in fold cube; do
    check "$picture.svg is a picture" is_svg "$work/$picture.svg" '<title>A '
    check "doc/$picture.svg is what mosaic-pictures draws" cmp "$srcdir/doc/$picture.svg" "$work/$picture.svg"
done
# A page shows it alone in a line; it has 838 pixels or more.
readable() { # picture of doc/, page, what the page calls it
    grep -qx "!\[[^]]*\]($3)" "$srcdir/$2" || return 1
    width=$(sed -n '1s/.* width="\([0-9]*\)".*/\1/p' "$srcdir/doc/$1")
    least=$(grep -o 'font-size="[0-9]*' "$srcdir/doc/$1" | sed 's/.*"//' | sort -n | head -n 1)
    [ $((least * 838)) -ge $((12 * width)) ] || { echo "letters of $least pixels in a picture of $width"; return 1; }
}
check "the letters of schedule.svg have 12 pixels in README.md" readable schedule.svg README.md doc/schedule.svg
for picture in fold cube; do
    check "those of $picture.svg in doc/mosaics.md" readable $picture.svg doc/mosaics.md $picture.svg
done
