// SPDX-License-Identifier: BSD-3-Clause
// PETSc: DMDA from global to local arrays and from local to local ones, and PetscSF; both with the types basic
// (messages from point to point) and neighbor (MPI's neighborhood collectives).
#include <petscdmda.h>
#include <petscsf.h>

#include "peer.hpp"

namespace {

using peer::Box;
using peer::Elements;
using peer::Way;

/// A DMDA with its vectors.
struct Grid {
    DM da = nullptr;
    Vec global = nullptr, local = nullptr;
    Elements sent, sent_local, ghosts;
    int words;

    Grid(const Box& box, int n, const char* type)
        : sent(box.sent(0)),
          sent_local(box.sent(box.depth)),
          ghosts(box.ghosts(box.depth)),
          words(n)
    {
        PetscOptionsSetValue(nullptr, "-sf_type", type);
        const DMBoundaryType periodic = DM_BOUNDARY_PERIODIC;
        DMDACreate3d(MPI_COMM_WORLD, periodic, periodic, periodic,
                     box.corners ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR, box.side, box.side, box.side,
                     box.processes[2], box.processes[1], box.processes[0], words, box.depth, nullptr, nullptr,
                     nullptr, &da);
        DMSetUp(da);
        DMCreateGlobalVector(da, &global);
        DMCreateLocalVector(da, &local);
        VecSet(local, 0);
    }
    ~Grid()
    {
        VecDestroy(&local);
        VecDestroy(&global);
        DMDestroy(&da);
    }
    void write(Vec vector, const Elements& elements, int round) const
    {
        PetscScalar* array = nullptr;
        VecGetArray(vector, &array);
        elements.write(array, words, round);
        VecRestoreArray(vector, &array);
    }
    bool is_right(int round) const
    {
        const PetscScalar* array = nullptr;
        VecGetArrayRead(local, &array);
        const bool result = ghosts.are_right(array, words, round);
        VecRestoreArrayRead(local, &array);
        return result;
    }
};

/// Both kinds of DMDA's updates.
void add_grids(std::vector<Way>& ways, const Box& box, int words)
{
    for (const char* type : {"basic", "neighbor"}) {
        auto grid = std::make_shared<Grid>(box, words, type);
        ways.push_back({std::string("global-to-local-") + type,
                        [=](int round) { grid->write(grid->global, grid->sent, round); },
                        [=] {
                            DMGlobalToLocalBegin(grid->da, grid->global, INSERT_VALUES, grid->local);
                            DMGlobalToLocalEnd(grid->da, grid->global, INSERT_VALUES, grid->local);
                        },
                        [=](int round) { return grid->is_right(round); }});
        ways.push_back({std::string("local-to-local-") + type,
                        [=](int round) { grid->write(grid->local, grid->sent_local, round); },
                        [=] {
                            DMLocalToLocalBegin(grid->da, grid->local, INSERT_VALUES, grid->local);
                            DMLocalToLocalEnd(grid->da, grid->local, INSERT_VALUES, grid->local);
                        },
                        [=](int round) { return grid->is_right(round); }});
    }
}

/// A star forest: owned elements are its roots, ghosts its leaves.
struct Forest {
    PetscSF sf = nullptr;
    MPI_Datatype unit = MPI_DOUBLE;

    Forest(const Pattern& pattern, int words, const char* type)
    {
        std::vector<PetscSFNode> roots;
        for (const MPI_Count number : pattern.numbers) {
            const int owner = pattern.owner(number);
            const MPI_Count index = number - pattern.first[static_cast<std::size_t>(owner)];
            roots.push_back({owner, static_cast<PetscInt>(index)});
        }
        if (words > 1) {
            MPI_Type_contiguous(words, MPI_DOUBLE, &unit);
            MPI_Type_commit(&unit);
        }
        PetscSFCreate(MPI_COMM_WORLD, &sf);
        PetscSFSetType(sf, type);
        PetscSFSetGraph(sf, static_cast<PetscInt>(pattern.owned), static_cast<PetscInt>(roots.size()),
                        nullptr, PETSC_COPY_VALUES, roots.data(), PETSC_COPY_VALUES);
        PetscSFSetUp(sf);
    }
    ~Forest()
    {
        PetscSFDestroy(&sf);
        if (unit != MPI_DOUBLE) MPI_Type_free(&unit);
    }
};

std::vector<Way> forests(const peer::Table& table, const Pattern& pattern, std::size_t words, bool reverse)
{
    std::vector<Way> ways;
    for (const char* type : {"basic", "neighbor"}) {
        auto f = std::make_shared<Forest>(pattern, static_cast<int>(words), type);
        ways.push_back(peer::on_array(type, table, pattern, words, reverse, [=](double* u, double* ghosts) {
            if (reverse) {
                PetscSFReduceBegin(f->sf, f->unit, ghosts, u, MPI_SUM);
                PetscSFReduceEnd(f->sf, f->unit, ghosts, u, MPI_SUM);
            } else {
                PetscSFBcastBegin(f->sf, f->unit, u, ghosts, MPI_REPLACE);
                PetscSFBcastEnd(f->sf, f->unit, u, ghosts, MPI_REPLACE);
            }
        }));
    }
    return ways;
}

} // namespace

int main(int argc, char** argv)
{
    int none = 1;
    PetscInitialize(&none, &argv, nullptr, nullptr);
    {
        peer::Table table("PETSc", argc, argv);
        table.for_boxes([&](const Box& box) {
            std::vector<Way> one{peer::our_halo<1>(box)}, three{peer::our_halo<3>(box)};
            add_grids(one, box, 1);
            table.compare(box.name(1), one);
            add_grids(three, box, 3);
            table.compare(box.name(3), three);
        });
        const auto peers = [&](auto... arguments) { return forests(table, arguments...); };
        table.for_patterns([&](const Pattern& pattern, const std::string& name) {
            peer::compare_ghosts<1>(table, pattern, name, peers);
            peer::compare_ghosts<3>(table, pattern, name, peers);
        });
    }
    PetscFinalize();
    return 0;
}
