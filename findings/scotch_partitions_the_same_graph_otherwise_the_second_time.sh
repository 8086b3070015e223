#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Scotch 7.0.3 and METIS 5.1.0 (Debian's libscotch-7.0 7.0.3-2 and libmetis5 5.1.0.dfsg-7).
# Expected: the same call with the same graph gives the same partition, so each process can compute it itself.
# Seen: METIS does so. SCOTCH_graphPart gives another one each time: its random numbers go on from call to
# call, until SCOTCH_randomReset. A process that has partitioned anything before disagrees with the others.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
apt-get download libscotch-7.0=7.0.3-2 libscotch-dev=7.0.3-2 libmetis5=5.1.0.dfsg-7 >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.c <<'END'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "scotch.h"
enum { n = 30, all = n * n }; /* 30 x 30 vertices in 7 parts */
static SCOTCH_Num first[all + 1], near[4 * all], part[5][all];
static void print(const char *name, int calls)
{
    printf("%s: calls that differ from the first one:", name);
    for (int i = 1; i < calls; i++)
        if (memcmp(part[0], part[i], sizeof part[0])) printf(" %d", i + 1);
    puts("");
}
int main(void)
{
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    for (int v = 0; v < all; v++) {
        SCOTCH_Num *next = near + first[v];
        if (v % n) *next++ = v - 1;
        if (v % n < n - 1) *next++ = v + 1;
        if (v >= n) *next++ = v - n;
        if (v < all - n) *next++ = v + n;
        first[v + 1] = next - near;
    }
    void *library = dlopen("libmetis.so.5", RTLD_NOW);
    int (*kway)() = library ? (int (*)())dlsym(library, "METIS_PartGraphKway") : NULL;
    SCOTCH_Num vertices = all, weights = 1, parts = 7, cut;
    if (!kway) return 1;
    for (int i = 0; i < 4; i++)
        kway(&vertices, &weights, first, near, NULL, NULL, NULL, &parts, NULL, NULL, NULL, &cut, part[i]);
    print("METIS", 4);
    SCOTCH_graphInit(&graph);
    SCOTCH_stratInit(&strategy);
    SCOTCH_graphBuild(&graph, 0, all, first, NULL, NULL, NULL, first[all], near, NULL);
    for (int i = 0; i < 5; i++) {
        if (i == 4) SCOTCH_randomReset(); /* before the fifth one */
        SCOTCH_graphPart(&graph, 7, &strategy, part[i]);
    }
    print("Scotch", 5);
}
END
lib=usr/lib/x86_64-linux-gnu
gcc -w -Iusr/include/scotch-int32 -Iusr/include/scotch t.c -o t -L$lib -lscotch -lscotcherr -ldl || exit 2
LD_LIBRARY_PATH=$lib timeout 60 ./t >seen || exit 2
cat seen
grep -qx 'METIS: calls that differ from the first one:' seen && grep -qx 'Scotch: .*: 2 3 4' seen
