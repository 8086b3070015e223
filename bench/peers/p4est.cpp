// SPDX-License-Identifier: BSD-3-Clause
// p4est (p8est): data of ghosts travel between octants of a forest.  p4est has no reverse of that.
#include <p8est_bits.h>
#include <p8est_extended.h>
#include <p8est_ghost.h>

#include "peer.hpp"

namespace {

/// A periodic cube of octants, refined towards its centre, and its ghosts.
struct Forest {
    p8est_connectivity_t* cube = p8est_connectivity_new_periodic();
    p8est_t* forest;
    p8est_ghost_t* ghost;

    Forest(int level, bool refined, p8est_connect_type_t neighbors)
        : forest(p8est_new_ext(MPI_COMM_WORLD, cube, 0, level, 1, 0, nullptr, nullptr))
    {
        if (refined) {
            p8est_refine(forest, 1, is_refined, nullptr);
            p8est_balance(forest, P8EST_CONNECT_FULL, nullptr);
            p8est_partition(forest, 0, nullptr);
        }
        ghost = p8est_ghost_new(forest, neighbors);
    }
    ~Forest()
    {
        p8est_ghost_destroy(ghost);
        p8est_destroy(forest);
        p8est_connectivity_destroy(cube);
    }
    Forest(const Forest&) = delete;
    Forest& operator=(const Forest&) = delete;

    const p8est_quadrant_t& octant(sc_array_t& list, int i) const
    {
        return *static_cast<p8est_quadrant_t*>(sc_array_index_int(&list, i));
    }
    Pattern pattern()
    {
        Pattern p;
        p.owned = forest->local_num_quadrants;
        p.first.assign(forest->global_first_quadrant, forest->global_first_quadrant + forest->mpisize + 1);
        for (int r = 0; r < forest->mpisize; ++r) {
            for (int g = ghost->proc_offsets[r]; g < ghost->proc_offsets[r + 1]; ++g) {
                p.numbers.push_back(p.first[static_cast<std::size_t>(r)] +
                                    octant(ghost->ghosts, g).p.piggy3.local_num);
                p.ghosts[r].push_back(g);
            }
            for (int m = ghost->mirror_proc_offsets[r]; m < ghost->mirror_proc_offsets[r + 1]; ++m)
                p.holders[r].push_back(
                    octant(ghost->mirrors, ghost->mirror_proc_mirrors[m]).p.piggy3.local_num);
        }
        return p;
    }

private:
    static int is_refined(p8est_t*, p4est_topidx_t, p8est_quadrant_t* octant)
    {
        const double half = P8EST_ROOT_LEN / 2.0, x = octant->x - half, y = octant->y - half,
                     z = octant->z - half;
        return octant->level < 6 && x * x + y * y + z * z < half * half / (1 << octant->level) ? 1 : 0;
    }
};

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    sc_init(MPI_COMM_WORLD, 0, 0, nullptr, SC_LP_ERROR);
    p4est_init(nullptr, SC_LP_ERROR);
    {
        peer::Table table("p4est", argc, argv);
        const auto compare = [&](int level, bool refined, bool corners) {
            auto f = std::make_shared<Forest>(level, refined,
                                              corners ? P8EST_CONNECT_FULL : P8EST_CONNECT_FACE);
            const auto peers = [&](const Pattern& pattern, std::size_t words,
                                   bool reverse) -> std::vector<peer::Way> {
                if (reverse) return {};
                return {peer::on_array(
                    "exchange", table, pattern, words, reverse, [=](double* u, double* ghosts) {
                        std::vector<void*> mirrors(f->ghost->mirrors.elem_count);
                        for (std::size_t m = 0; m < mirrors.size(); ++m)
                            mirrors[m] =
                                u +
                                static_cast<std::size_t>(
                                    f->octant(f->ghost->mirrors, static_cast<int>(m)).p.piggy3.local_num) *
                                    words;
                        p8est_ghost_exchange_custom(f->forest, f->ghost, words * sizeof(double),
                                                    mirrors.data(), ghosts);
                    })};
            };
            const std::string name = std::string(corners ? "corners " : "faces ") +
                                     (refined ? "refined" : std::to_string(1 << level) + "^3");
            peer::compare_ghosts<1>(table, f->pattern(), name, peers);
            peer::compare_ghosts<3>(table, f->pattern(), name, peers);
        };
        for (const bool corners : {false, true}) {
            for (const int side : table.sides)
                for (int level = 2; level <= 7; ++level)
                    if (1 << level == side) compare(level, false, corners);
            compare(3, true, corners);
        }
    }
    sc_finalize();
    MPI_Finalize();
    return 0;
}
