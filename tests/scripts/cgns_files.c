/* SPDX-License-Identifier: BSD-3-Clause
 * Writes the CGNS files of plan_mosaic.sh into a folder: grids whose partners are known, and mistakes. */
#include <cgnslib.h>
#include <stdio.h>
#include <stdlib.h>

static int file;

static void ask(int status)
{
    if (status == CG_OK) return;
    fprintf(stderr, "CGNS: %s\n", cg_get_error());
    exit(1);
}

static void begin(const char *folder, const char *name, int d)
{
    char path[1000];
    int base;
    snprintf(path, sizeof path, "%s/%s.cgns", folder, name);
    ask(cg_open(path, CG_MODE_WRITE, &file));
    ask(cg_base_write(file, "Base", d, d, &base));
}

/* Cells of dimensions that are not there are not read. */
static void add_zone(const char *name, int d, int a, int b, int c)
{
    const cgsize_t cells[3] = {a, b, c};
    cgsize_t size[9] = {0};
    int zone;
    for (int k = 0; k < d; ++k) {
        size[k] = cells[k] + 1;
        size[d + k] = cells[k];
    }
    ask(cg_zone_write(file, 1, name, size, CGNS_ENUMV(Structured), &zone));
}

/* here and there: vertices, the beginning, then the end. */
static void join(int zone, const char *name, const char *donor, const cgsize_t here[], const cgsize_t there[],
                 const int transform[])
{
    int number;
    ask(cg_1to1_write(file, 1, zone, name, donor, here, there, transform, &number));
}

/* Two zones of 8 x 6 and 6 x 5 cells: dimension 0 of the first one goes on as dimension 1 of the second one. */
static void write_turned(const char *folder)
{
    begin(folder, "turned", 2);
    add_zone("Left", 2, 8, 6, 0);
    add_zone("Right", 2, 6, 5, 0);
    const cgsize_t left[] = {9, 1, 9, 7}, right[] = {7, 1, 1, 1};
    const cgsize_t left_again[] = {9, 7, 9, 1}, right_again[] = {1, 1, 7, 1};
    join(1, "to the right", "Right", left, right, (int[]){2, -1});
    join(2, "to the left", "Left", right_again, left_again, (int[]){-2, 1});
    ask(cg_close(file));
}

/* 12 x 4 cells around something: the first column of vertices is the last one. */
static void write_ring(const char *folder)
{
    begin(folder, "ring", 2);
    add_zone("Ring", 2, 12, 4, 0);
    const cgsize_t first[] = {1, 1, 1, 5}, last[] = {13, 1, 13, 5};
    float none[3] = {0, 0, 0}, turn[3] = {0, 0, 6.2831853F};
    join(1, "begin", "Ring", first, last, (int[]){1, 2});
    join(1, "end", "Ring", last, first, (int[]){1, 2});
    ask(cg_1to1_periodic_write(file, 1, 1, 1, none, turn, none));
    ask(cg_close(file));
}

/* A C-grid of 10 x 4 cells: three cells at each end of its lower side touch in a wake.  It is told once. */
static void write_wake(const char *folder)
{
    begin(folder, "wake", 2);
    add_zone("Wake", 2, 10, 4, 0);
    const cgsize_t here[] = {1, 1, 4, 1}, there[] = {11, 1, 8, 1};
    join(1, "wake", "Wake", here, there, (int[]){-1, -2});
    ask(cg_close(file));
}

/* Zones of 4 x 3 x 2 and 5 x 4 x 3 cells, and an interface that is not 1-to-1. */
static void write_boxes(const char *folder)
{
    begin(folder, "boxes", 3);
    add_zone("Below", 3, 4, 3, 2);
    add_zone("Above", 3, 5, 4, 3);
    const cgsize_t top[] = {1, 1, 3, 5, 4, 3}, bottom[] = {1, 5, 1, 1, 1, 4};
    const cgsize_t side[] = {1, 1, 1, 1, 4, 3};
    int number;
    join(1, "up", "Above", top, bottom, (int[]){-2, 3, 1});
    ask(cg_conn_write(file, 1, 1, "loose", CGNS_ENUMV(Vertex), CGNS_ENUMV(Abutting), CGNS_ENUMV(PointRange),
                      2, side, "Above", CGNS_ENUMV(Unstructured), CGNS_ENUMV(CellListDonor),
                      CGNS_ENUMV(Integer), 0, NULL, &number));
    ask(cg_close(file));
}

/* The two zones of `turned`, and an interface that is wrong. */
static void write_wrong(const char *folder, const char *name, const char *donor, const cgsize_t here[],
                        const cgsize_t there[], const int transform[])
{
    begin(folder, name, 2);
    add_zone("Left", 2, 8, 6, 0);
    add_zone("Right", 2, 6, 5, 0);
    join(1, "wrong", donor, here, there, transform);
    ask(cg_close(file));
}

static void write_mistakes(const char *folder)
{
    const cgsize_t left[] = {9, 1, 9, 7}, right[] = {7, 1, 1, 1};
    const cgsize_t middle[] = {5, 1, 5, 7}, corner[] = {9, 1, 9, 1}, other_corner[] = {7, 1, 7, 1};
    write_wrong(folder, "backward", "Right", left, right, (int[]){2, 1});
    write_wrong(folder, "permuted", "Right", left, right, (int[]){2, 0});
    write_wrong(folder, "unknown", "Nobody", left, right, (int[]){2, -1});
    write_wrong(folder, "inside", "Right", middle, right, (int[]){2, -1});
    write_wrong(folder, "edge", "Right", corner, other_corner, (int[]){2, -1});
    begin(folder, "twice", 2);
    add_zone("Left", 2, 8, 6, 0);
    add_zone("Right", 2, 6, 5, 0);
    const cgsize_t upward[] = {1, 1, 7, 1};
    join(1, "one", "Right", left, right, (int[]){2, -1});
    join(1, "other", "Right", left, upward, (int[]){2, 1});
    ask(cg_close(file));
    begin(folder, "nothing", 2);
    ask(cg_close(file));
    cgsize_t sizes[3] = {4, 1, 0};
    int zone;
    begin(folder, "loose", 3);
    ask(cg_zone_write(file, 1, "Tetrahedra", sizes, CGNS_ENUMV(Unstructured), &zone));
    ask(cg_close(file));
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    write_turned(folder);
    write_ring(folder);
    write_wake(folder);
    write_boxes(folder);
    write_mistakes(folder);
    return 0;
}
