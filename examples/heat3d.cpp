// SPDX-License-Identifier: BSD-3-Clause
// The heat equation in three dimensions, in C++: each process has a block of the box, the interior is
// computed while ghosts travel, and the result is compared with a run of one process.  heat3d.c is the same
// in C, with more fields.
//
//     mpiexec -n 8 ./heat3d_cpp [SIDE [STEPS]]
#include <mpiortho.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using mpiortho::point;
using field = mpiortho::field<double, 3>;

namespace {

/// The first value of a cell of the whole box; around the box it is 0 for ever.
double start(const point<3>& cell) { return ((7 * cell[0] + 11 * cell[1] + 13 * cell[2]) % 17) / 17.0; }

/// One explicit step of a cell, from `now` to `next`.
void update(field& next, const field& now, const point<3>& cell)
{
    const auto [i, j, k] = cell;
    const double around = now(i - 1, j, k) + now(i + 1, j, k) + now(i, j - 1, k) + now(i, j + 1, k) +
                          now(i, j, k - 1) + now(i, j, k + 1);
    next(i, j, k) = now(i, j, k) + 0.1 * (around - 6 * now(i, j, k));
}

/// Cells from `first` on, after so many steps on the processes of `g`.
field run(const mpiortho::grid<3>& g, const point<3>& extents, const point<3>& first, int steps)
{
    field now(extents);
    field next(extents);
    for (auto row : now.owned())
        for (auto cell : row) now[cell] = start({first[0] + cell[0], first[1] + cell[1], first[2] + cell[2]});
    auto halo = mpiortho::halo(g, now);
    for (int step = 0; step < steps; ++step) {
        auto pending = halo.start(now); // two fields take turns
        for (auto row : now.interior()) {
            for (auto cell : row) update(next, now, cell);
            pending.poll();
        }
        pending.wait();
        for (auto cell : now.boundary()) update(next, now, cell);
        swap(now, next);
    }
    return now;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const int side = argc > 1 ? std::atoi(argv[1]) : 20;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
    if (side < 1 || steps < 1) {
        std::fprintf(stderr, "heat3d: SIDE and STEPS are at least 1\n");
        MPI_Finalize();
        return 2;
    }
    double difference = 0;
    {
        const mpiortho::grid<3> g(MPI_COMM_WORLD, {.stencil = mpiortho::neumann<3>()});
        point<3> first{};
        point<3> extents{};
        for (std::size_t d = 0; d < 3; ++d) { // parts may differ by a cell
            first[d] = side * g.coordinates()[d] / g.sizes()[d];
            extents[d] = side * (g.coordinates()[d] + 1) / g.sizes()[d] - first[d];
        }
        const field mine = run(g, extents, first, steps);
        const mpiortho::grid<3> alone(MPI_COMM_SELF, {.stencil = mpiortho::neumann<3>()});
        const field whole = run(alone, {side, side, side}, {0, 0, 0}, steps);
        for (auto row : mine.owned())
            for (auto [i, j, k] : row)
                difference = std::fmax(
                    difference, std::fabs(mine(i, j, k) - whole(first[0] + i, first[1] + j, first[2] + k)));
        difference = g.all().max(difference);
        if (g.rank() == 0)
            std::printf("%dx%dx%d processes, %d^3 cells, %d steps: the serial run differs by %g\n",
                        g.sizes()[0], g.sizes()[1], g.sizes()[2], side, steps, difference);
    }
    MPI_Finalize();
    return difference < 1e-12 ? 0 : 1;
}
