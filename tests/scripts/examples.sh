# SPDX-License-Identifier: BSD-3-Clause
# The examples against known truths, on 1 and 3 processes, or with ORTHO_TEST_ALL on 1, 2, 3, 4 and 6.
patterns=$srcdir/examples/patterns

gives() { # last line, processes, command
    wanted=$1
    shift
    output=$(on "$@" 2>&1) || { echo "$output"; return 1; }
    last=$(printf '%s\n' "$output" | tail -n 1)
    [ "$last" = "$wanted" ] || { printf '%s\n' "$output"; return 1; }
}
refuses() { # words, processes, command: status 1 and one line
    wanted=$1
    shift
    if on "$@" >"$work/out" 2>"$work/err"; then echo "accepted"; return 1; fi
    [ "$(grep -c "$wanted" "$work/err")" = 1 ] || { cat "$work/err"; return 1; }
}
is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]; }

# With sanitizers, which watch the memory and not the numbers, fewer.
if [ -n "$sanitizers" ]; then ages=5; else ages="1 2 5"; fi
if thorough; then counts=$(few 1 2 3 4 6); else counts="1 3"; fi
on_all() { # what, command
    what=$1
    shift
    for p in $counts; do check "$what, on $p" quiet on $p "$@"; done
}
on_all "heat3d is what one process computes" examples/heat3d
on_all "heat3d with parts of a few cells" examples/heat3d 6 30
on_all "heat3d in C++ is what one process computes" examples/heat3d_cpp
on_all "heat3d in C++ with parts of a few cells" examples/heat3d_cpp 6 30
on_all "gossip finds the mean" examples/gossip
on_all "particles are all there" examples/particles
on_all "a bell comes back around a sphere" examples/bell 20
on_all "a swarm is all there" examples/swarm
for p in $counts; do
    check "multigrid converges to the solution, on $p" quiet on $p examples/multigrid 6
    [ -f "$work/multigrid" ] || cp "$work/out" "$work/multigrid"
    check "it prints the same on any number of processes, on $p" cmp "$work/multigrid" "$work/out"
    on $p examples/nine_points_mpi >"$work/by_mpi" 2>&1
    check "nine_points is what MPI alone computes, on $p" gives "$(cat "$work/by_mpi")" $p examples/nine_points
    while read -r pattern grid generations population what; do
        check "$what, on $p" gives "generation $generations population $population" \
            $p examples/life "$patterns/$pattern.rle" --grid $grid --generations $generations </dev/null
    done <<END
r-pentomino 1024x1024 1103 116 R-pentomino settles with 116 cells
blinker 5x7 7 3 blinker has period 2
pulsar 29x31 301 56 pulsar has period 3: 56
pulsar 29x31 302 72 pulsar has period 3: 72
glider 11x13 444 5 a glider goes round a small torus
gosper-glider-gun 200x230 300 86 the gun fires every 30 generations
lattice 256x256 140 4032 four lines stay symmetric
diehard 100x100 130 0 diehard dies
END
done

# Flow under a lid, on half the cells a side; a whole run takes seconds.
check "cavity is the flow of Ghia, Ghia and Shin" quiet on 2 examples/cavity 65
! thorough || check "… on all cells" quiet on 2 examples/cavity

# A picture of a pattern does not depend on how the board is cut.
for p in 1 3 4; do
    on $p examples/life "$patterns/acorn.rle" --grid 90x70 --generations 50 --png "$work/life$p.png" >"$work/out" 2>&1
done
for p in 1 3; do
    on $p examples/life "$patterns/acorn.rle" --grid 90x70 --generations 50 --traces --png "$work/traces$p.png" >"$work/out" 2>&1
done
differ() { ! cmp -s "$1" "$2"; }
check "traces are the same on 3 processes" cmp "$work/traces1.png" "$work/traces3.png"
check "they are another picture" differ "$work/traces1.png" "$work/life1.png"
check "life writes a picture" is_png "$work/life1.png"
check "the picture is the same on 3 processes" cmp "$work/life1.png" "$work/life3.png"
check "the picture is the same on 4 processes" cmp "$work/life1.png" "$work/life4.png"

# One cell a process counts as blocks of cells do, on every torus, 1 and 2 wide ones included.
printf 'x = 2, y = 1\n2o!\n' >"$work/pair.rle"
printf 'x = 1, y = 1\no!\n' >"$work/one.rle"
same() { # processes, grid, pattern, generations
    blocks=$(on 1 examples/life "$3" --grid "$2" --generations "$4") || return 1
    cells=$(on "$1" examples/life_cells "$3" --grid "$2" --generations "$4" --periodic) || return 1
    [ "$blocks" = "$cells" ] || { echo "$blocks; $cells"; return 1; }
}
for case in "1 1x1 one" "2 1x2 pair" "2 2x1 one" "3 1x3 pair" "3 3x1 one" "4 2x2 pair" "4 1x4 pair" "4 4x1 one" "6 2x3 pair" "6 3x2 pair" "6 1x6 pair"; do
    set -- $case
    [ -n "$(few "$1")" ] || continue
    for generations in $ages; do
        check "a cell a process is life on $2, generation $generations" same "$1" "$2" "$work/$3.rle" $generations
    done
done
check "a cell a process on a bounded grid" gives "generation 4 population 0" 6 examples/life_cells "$work/pair.rle" --grid 2x3 --generations 4
printf 'x = 2, y = 2\n2o$2o!\n' >"$work/block.rle"
check "a block on a bounded grid stays" gives "generation 9 population 4" 6 examples/life_cells "$work/block.rle" --grid 2x3 --generations 9
check "more processes than cells of a board" gives "generation 3 population 0" 4 examples/life "$work/one.rle" --grid 1x1 --generations 3

# The pattern format, and what is none.
printf '#N Comments\n#C and more\r\nx=3,y = 3 , rule = 23/3\n\nb o $2b\no\n$3o!\nanything\n' >"$work/good.rle"
check "comments, blanks, lines and the old way to write the rule" gives "generation 0 population 5" 2 examples/life "$work/good.rle" --grid 9x9
bad() { # text, words
    printf "$1" >"$work/bad.rle"
    refuses "$2" 2 examples/life "$work/bad.rle" --grid 9x9
}
check "a rule that is not Conway's" bad 'x = 1, y = 1, rule = B36/S23\no!\n' "line 1: the rule is 'B36/S23'"
check "an unknown letter" bad '#C\nx = 2, y = 1\noq!\n' "line 3: 'q' is none"
check "no end" bad 'x = 2, y = 1\n2o\n' "line 2: the pattern ends without '!'"
check "no header" bad '2o!\n' "line 1: '2o!' is no header"
check "an empty file" bad '' "there is no header"
check "cells outside" bad 'x = 2, y = 1\n3o!\n' "line 2: a cell outside"
check "rows outside" bad 'x = 2, y = 1\no$o!\n' "line 2: a cell outside"
check "a run of no length" bad 'x = 2, y = 1\n0o!\n' "line 2: a run of length 0"
check "a run that is too long" bad 'x = 2, y = 1\n99999999999999o!\n' "line 2: a run is too long"
check "a pattern larger than the board" bad 'x = 20, y = 1\n20o!\n' "1x20 cells on a grid of 9x9"
check "a file that is not there" refuses "cannot open /nowhere.rle" 2 examples/life /nowhere.rle
check "a grid that is none" refuses "'12' is no grid size" 2 examples/life "$patterns/glider.rle" --grid 12
check "an option that is none" refuses "try --help" 2 examples/life "$patterns/glider.rle" --speed 9
check "a picture that cannot be written" refuses "cannot write /nowhere/x.png" 2 examples/life "$patterns/glider.rle" --grid 9x9 --png /nowhere/x.png
check "--help" on 2 examples/life --help
check "--version" on 2 examples/stencil9 --version

# Laplace: the same on any number of processes, and of sixth order in h.
error_of() { on "$1" examples/stencil9 --n "$2" | sed 's/.*error //'; }
for p in $counts; do error_of $p 7 >"$work/e7.$p"; done
same_error() { [ -s "$work/e7.$1" ] && cmp "$work/e7.1" "$work/e7.$1"; }
for p in ${counts#1}; do check "the error does not depend on processes: $p" same_error $p; done
sixth_order() {
    a=$(error_of 2 3)
    b=$(error_of 3 7)
    c=$(error_of 4 15)
    echo "errors at h = 1/4, 1/8, 1/16: $a $b $c"
    $AWK -v a="$a" -v b="$b" -v c="$c" 'BEGIN { x = log(a/b)/log(2); y = log(b/c)/log(2); print x, y
        exit !(a < 1e-4 && x > 5.5 && x < 6.5 && y > 5.5 && y < 6.5) }'
}
check "the error is of sixth order in h" sixth_order
on 2 examples/stencil9 --n 31 --png "$work/field.png" >/dev/null 2>&1
check "stencil9 writes a picture" is_png "$work/field.png"

# Heat on a mesh: it compares itself with a serial run, bit for bit.
for p in $counts; do
    check "surface is what one process computes, on $p" quiet on $p examples/surface --around 12 --steps 200
    check "so it is cut by a curve, on $p" quiet on $p examples/surface --around 12 --steps 200 --curve
done
# Few steps, after which heat has not come everywhere.  (A curve cuts parts that lie beside all others.)
parts_rest() { on 3 examples/surface --around 24 --steps 20 --hot-ends 1 | grep 'rest in [1-9]'; }
! on 1 examples/surface --around 12 --steps 1 | grep -q METIS || check "parts without heat rest" parts_rest
on 3 examples/surface --around 12 --steps 50 --curve --png "$work/surface.png" >/dev/null 2>&1
for p in $counts; do check "poisson is what one process computes, on $p" quiet on $p examples/poisson --around 12; done
on 3 examples/poisson --around 12 --curve --png "$work/poisson.png" >/dev/null 2>&1
check "poisson draws a picture" is_png "$work/poisson.png"
check "surface draws a picture" is_png "$work/surface.png"
check "a picture of a surface that cannot be written" refuses "cannot write /nowhere/x.png" 2 examples/surface --around 12 --steps 1 --png /nowhere/x.png

# The vortex street: every bit of the flow is the same on any number of processes, and after a restart.
flow() { # file, processes, time, options: the flow, as it stands in its checkpoint
    file=$1 p=$2 time=$3
    shift 3
    quiet on "$p" examples/street --diameter 10 --time "$time" --checkpoint "$file" "$@"
}
is_the_flow() { # file, processes, options
    file=$1 p=$2
    shift 2
    flow "$file" "$p" 1 "$@" && cmp "$work/flow.1" "$file"
}
check "street runs" flow "$work/flow.1" 1 1 --png "$work/street1" --frame-time 1
for p in $(thorough && echo 2 4) 3; do
    check "street is the same on $p, bit for bit" is_the_flow "$work/flow.$p" $p --png "$work/street$p" --frame-time 1
    check "so is its picture" cmp "$work/street1-000100.png" "$work/street$p-000100.png"
done
check "street's picture is one" is_png "$work/street1-000100.png"
goes_on() { # from a checkpoint of 2 processes, on 3
    flow "$work/later" 2 0.5 && cp "$work/later" "$work/half" && is_the_flow "$work/later" 3 && grep 'going on from step 50$' "$work/out"
}
check "street goes on from a checkpoint on other processes" goes_on
# A process is killed while checkpoints are written in every step: the file is whole, and the flow goes on from there.
survives() { # tenths of seconds after the first checkpoint
    rm -f "$work/killed" "$work/pid"
    on 2 sh -c 'echo $$ >"$0"; exec "$@"' "$work/pid" examples/street --diameter 10 --time 99 --checkpoint "$work/killed" \
        --checkpoint-time 0.05 >"$work/out" 2>&1 &
    tries=0
    until [ -f "$work/killed" ] || [ $tries = 200 ]; do sleep 0.1 && tries=$((tries + 1)); done
    sleep "0.$1" && kill -9 "$(cat "$work/pid")" || { cat "$work/out"; return 1; }
    wait $!
    cp "$work/killed" "$work/later" && flow "$work/killed" 2 0.01 && step=$(sed -n 's/^going on from step //p' "$work/out") &&
        flow "$work/straight" 1 "$(echo "$step" | $AWK '{ print $1 / 100 }')" && cmp "$work/straight" "$work/later"
}
for tenths in 0 3; do check "street survives being killed ($tenths)" survives $tenths; done
# It ends in the middle of a checkpoint, since no file may be larger than 7 MB, or 14: shells count in 512 bytes or in 1024.
# The one before is there.
keeps_the_last() {
    larger() { on 1 examples/street --diameter 20 --time "$1" --checkpoint "$work/limited"; }
    larger 0.05 && cp "$work/limited" "$work/before" || return 1
    if (ulimit -f 14000 && larger 0.1); then echo "there is no limit"; return 1; fi
    if ! [ -s "$work/limited.new" ]; then echo "it ended before"; return 1; fi
    cmp "$work/before" "$work/limited"
}
if [ "$flavour" = mpich ]; then
    check "half a checkpoint does not replace a whole one" keeps_the_last
else
    left_out "half a checkpoint does not replace a whole one" "this MPI may need larger files itself"
fi
head -c 4000000 "$work/half" >"$work/cut"
check "a checkpoint that is cut is refused" refuses "is no checkpoint of this run" 2 examples/street --diameter 10 --checkpoint "$work/cut"
check "so is one of another flow" refuses "is no checkpoint of this run" 3 examples/street --diameter 11 --checkpoint "$work/half"
check "street with a picture that cannot be written" refuses "cannot write /nowhere/x-000010.png" 2 examples/street --diameter 10 --time 1 \
    --frame-time 0.1 --png /nowhere/x
check "street with a checkpoint that cannot be written" refuses "cannot write the checkpoint /nowhere/x" 2 examples/street --diameter 10 \
    --time 1 --checkpoint /nowhere/x
