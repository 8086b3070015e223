#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: CGNS 3.4.0 (Debian's 3.4.0-3), with HDF5 1.10.8.
# Expected: cg_1to1_write refuses what joins nothing, as it compares the lengths of both ranges: a transform
# with a 0 ("must all be between 1 and 2", it says of a 3), and ranges that run against the transform's sign.
# Seen: both are written without an error, and read back: a reader must look itself. Nothing is compared in a
# dimension whose number is 0, and of other dimensions the lengths alone, not the directions.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && apt-get download libcgns3.4=3.4.0-3 libcgns-dev=3.4.0-3 libhdf5-103-1=1.10.8+repack1-1 \
    libsz2=1.0.6-1+b1 libaec0=1.0.6-1+b1 >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.c <<'END_OF_C'
#include <cgnslib.h>
#include <stdio.h>
/* Two zones of 9 x 7 vertices: the last column of the first one is the first of the second one. */
static const struct {
    const char *what;
    cgsize_t here[4], there[4];
    int transform[2];
} interfaces[] = {
    {"right", {9, 1, 9, 7}, {1, 1, 1, 7}, {1, 2}},
    {"another length", {9, 1, 9, 7}, {1, 1, 1, 6}, {1, 2}},
    {"dimension 3 of 2", {9, 1, 9, 7}, {1, 1, 1, 7}, {1, 3}},
    {"a zero", {9, 1, 9, 7}, {1, 1, 1, 7}, {1, 0}},
    {"a zero, another length", {9, 1, 9, 7}, {1, 1, 1, 6}, {1, 0}},
    {"zeros", {9, 1, 9, 7}, {1, 1, 1, 7}, {0, 0}},
    {"the other direction", {9, 1, 9, 7}, {1, 1, 1, 7}, {1, -2}},
};
int main(void)
{
    const cgsize_t size[6] = {9, 7, 8, 6, 0, 0};
    int file, base, zone, number, count = 0, read[2];
    cgsize_t here[4], there[4];
    char name[33], donor[33];
    if (cg_open("t.cgns", CG_MODE_WRITE, &file) || cg_base_write(file, "Base", 2, 2, &base) ||
        cg_zone_write(file, 1, "Left", size, CGNS_ENUMV(Structured), &zone) ||
        cg_zone_write(file, 1, "Right", size, CGNS_ENUMV(Structured), &zone))
        return 2;
    for (unsigned i = 0; i < sizeof interfaces / sizeof *interfaces; i++) {
        const int status = cg_1to1_write(file, 1, 1, interfaces[i].what, "Right", interfaces[i].here,
                                         interfaces[i].there, interfaces[i].transform, &number);
        printf("%s: %s\n", interfaces[i].what, status == CG_OK ? "written" : cg_get_error());
    }
    if (cg_close(file) || cg_open("t.cgns", CG_MODE_READ, &file) || cg_n1to1(file, 1, 1, &count)) return 2;
    for (int i = 1; i <= count && !cg_1to1_read(file, 1, 1, i, name, donor, here, there, read); i++)
        printf("read: %s, transform %d %d\n", name, read[0], read[1]);
    return cg_close(file);
}
END_OF_C
libs=usr/lib/x86_64-linux-gnu
cc -Iusr/include t.c -o t -L$libs -lcgns -Wl,--allow-shlib-undefined || exit 2
LD_LIBRARY_PATH=$work/$libs timeout 60 ./t >seen || exit 2
cat seen
grep -q '^right: written' seen && [ "$(grep -c '^an.*length: Inv\|^dimension 3 of 2: Inv' seen)" = 2 ] &&
    [ "$(grep -c '^a zero.*: written\|^zeros: written\|^the other direction: written' seen)" = 4 ] &&
    grep -q '^read: zeros, transform 0 0$' seen && grep -q '^read: the other direction, transform 1 -2$' seen
