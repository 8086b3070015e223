/* SPDX-License-Identifier: BSD-3-Clause
 * Writes the CGNS files of plan_mosaic.sh into a folder: grids whose partners are known, and mistakes. */
#include <cgnslib.h>
#include <stdio.h>
#include <stdlib.h>

struct zone {
    const char *name;
    cgsize_t cells[3];
};
/* An interface of a zone; here and there: vertices, the beginning, then the end. */
struct join {
    int zone;
    const char *name, *donor;
    cgsize_t here[6], there[6];
    int transform[3];
};
struct mistake {
    const char *file;
    struct join joins[3];
};

static const char *folder = ".";
static int file;

static void ask(int status)
{
    if (status == CG_OK) return;
    fprintf(stderr, "CGNS: %s\n", cg_get_error());
    exit(1);
}

/* Begins a file of d dimensions.  Lists end where there is no name. */
static void begin(const char *name, int d, const struct zone *zone, const struct join *join)
{
    char path[1000];
    int number;
    snprintf(path, sizeof path, "%s/%s.cgns", folder, name);
    ask(cg_open(path, CG_MODE_WRITE, &file));
    ask(cg_base_write(file, "Base", d, d, &number));
    for (; zone->name; ++zone) {
        cgsize_t size[9] = {0};
        for (int k = 0; k < d; ++k) {
            size[k] = zone->cells[k] + 1;
            size[d + k] = zone->cells[k];
        }
        ask(cg_zone_write(file, 1, zone->name, size, CGNS_ENUMV(Structured), &number));
    }
    for (; join->name; ++join)
        ask(cg_1to1_write(file, 1, join->zone, join->name, join->donor, join->here, join->there,
                          join->transform, &number));
}

static void end(void) { ask(cg_close(file)); }

int main(int argc, char **argv)
{
    if (argc > 1) folder = argv[1];
    const struct zone no_zone[] = {{0}};
    const struct join no_join[] = {{0}};
    int number;

    /* Dimension 0 of the first zone goes on as dimension 1 of the second one. */
    const struct zone left_right[] = {{"Left", {8, 6}}, {"Right", {6, 5}}, {0}};
    const struct join turned[] = {{1, "to the right", "Right", {9, 1, 9, 7}, {7, 1, 1, 1}, {2, -1}},
                                  {2, "to the left", "Left", {1, 1, 7, 1}, {9, 7, 9, 1}, {-2, 1}},
                                  {0}};
    begin("turned", 2, left_right, turned);
    end();

    /* Cells around something: the first column of vertices is the last one. */
    const struct zone around[] = {{"Ring", {12, 4}}, {0}};
    const struct join ring[] = {{1, "begin", "Ring", {1, 1, 1, 5}, {13, 1, 13, 5}, {1, 2}},
                                {1, "end", "Ring", {13, 1, 13, 5}, {1, 1, 1, 5}, {1, 2}},
                                {0}};
    float none[3] = {0, 0, 0}, turn[3] = {0, 0, 6.2831853F};
    begin("ring", 2, around, ring);
    ask(cg_1to1_periodic_write(file, 1, 1, 1, none, turn, none));
    end();

    /* A C-grid: three cells at each end of its lower side touch in a wake.  It is told once. */
    const struct zone c_grid[] = {{"Wake", {10, 4}}, {0}};
    const struct join wake[] = {{1, "wake", "Wake", {1, 1, 4, 1}, {11, 1, 8, 1}, {-1, -2}}, {0}};
    begin("wake", 2, c_grid, wake);
    end();

    /* In three dimensions, with an interface that is not 1-to-1. */
    const struct zone boxes[] = {{"Below", {4, 3, 2}}, {"Above", {5, 4, 3}}, {0}};
    const struct join up[] = {{1, "up", "Above", {1, 1, 3, 5, 4, 3}, {1, 5, 1, 1, 1, 4}, {-2, 3, 1}}, {0}};
    const cgsize_t side[] = {1, 1, 1, 1, 4, 3};
    begin("boxes", 3, boxes, up);
    ask(cg_conn_write(file, 1, 1, "loose", CGNS_ENUMV(Vertex), CGNS_ENUMV(Abutting), CGNS_ENUMV(PointRange),
                      2, side, "Above", CGNS_ENUMV(Unstructured), CGNS_ENUMV(CellListDonor),
                      CGNS_ENUMV(Integer), 0, NULL, &number));
    end();

    const struct mistake mistakes[] = {
        {"backward", {{1, "wrong", "Right", {9, 1, 9, 7}, {7, 1, 1, 1}, {2, 1}}}},
        {"permuted", {{1, "wrong", "Right", {9, 1, 9, 7}, {7, 1, 1, 1}, {2, 0}}}},
        {"unknown", {{1, "wrong", "Nobody", {9, 1, 9, 7}, {7, 1, 1, 1}, {2, -1}}}},
        {"inside", {{1, "wrong", "Right", {5, 1, 5, 7}, {7, 1, 1, 1}, {2, -1}}}},
        {"edge", {{1, "wrong", "Right", {9, 1, 9, 1}, {7, 1, 7, 1}, {2, -1}}}},
        {"twice",
         {{1, "one", "Right", {9, 1, 9, 7}, {7, 1, 1, 1}, {2, -1}},
          {1, "other", "Right", {9, 1, 9, 7}, {1, 1, 7, 1}, {2, 1}}}},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        begin(mistakes[i].file, 2, left_right, mistakes[i].joins);
        end();
    }
    begin("nothing", 2, no_zone, no_join);
    end();
    cgsize_t sizes[3] = {4, 1, 0};
    begin("loose", 3, no_zone, no_join);
    ask(cg_zone_write(file, 1, "Tetrahedra", sizes, CGNS_ENUMV(Unstructured), &number));
    end();
    return 0;
}
