# SPDX-License-Identifier: BSD-3-Clause
# p4est's own tests, with Debian's library: those that exchange ghosts, balance, divide and number octants.
. "$srcdir/tests/foreign/compare.sh"
[ -d "$builddir/foreign/p4est" ] || { echo "Bail out! $builddir/foreign lacks p4est: see packages.sh"; exit 1; }
# It prints times and addresses, which differ; its asserts end it.
answer() { grep -hviE 'second|time|memory|0x' "$work/$1".out.* | sort; }
for test in ghost2 ghost3 balance2 balance3 partition2 partition3 lnodes2 lnodes3 nodes2 search2 search3 \
    iterate2 iterate3; do
    $MPICC -w -O1 "$builddir/foreign/p4est/test/test_$test.c" -o "$work/$test" -lp4est -lsc || exit 1
    foreign "p4est-$test" 3 "$work/$test"
done
