// SPDX-License-Identifier: BSD-3-Clause
// Flow in a box under a lid that moves, Reynolds number 100, by a lattice-Boltzmann method.  Each direction
// of the lattice is a field of its own, which travels only where it streams.  The result is compared with
// U. Ghia, K. N. Ghia, C. T. Shin, J. Comput. Phys. 48 (1982), Tables I and II.
//
//     mpiexec -n 4 ./cavity [CELLS [SIDES]]    129 cells a side; the lid goes 15 sides of the box
#include <mpiortho.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "d2q9.hpp"

using mpiortho::point;
using populations = mpiortho::field<double, 2>[d2q9::directions];

namespace {

constexpr double lid = 0.1; // cells in a step: much slower than sound, 0.58

struct tabled {
    double at, value; // in sides of the box, and velocities of the lid
};
constexpr tabled u_over_y[] = {{0.0547, -0.03717}, {0.0625, -0.04192}, {0.0703, -0.04775}, {0.1016, -0.06434},
                               {0.1719, -0.10150}, {0.2813, -0.15662}, {0.4531, -0.21090}, {0.5000, -0.20581},
                               {0.6172, -0.13641}, {0.7344, 0.00332},  {0.8516, 0.23151},  {0.9531, 0.68717},
                               {0.9609, 0.73722},  {0.9688, 0.78871},  {0.9766, 0.84123}};
constexpr tabled v_over_x[] = {{0.0625, 0.09233},  {0.0703, 0.10091},  {0.0781, 0.10890},  {0.0938, 0.12317},
                               {0.1563, 0.16077},  {0.2266, 0.17507},  {0.2344, 0.17527},  {0.5000, 0.05454},
                               {0.8047, -0.24533}, {0.8594, -0.22445}, {0.9063, -0.16914}, {0.9453, -0.10313},
                               {0.9531, -0.08864}, {0.9609, -0.07391}, {0.9688, -0.05906}};

/// The reflection at a wall: population q of `cell`, which would come from `ghost`, is the one that has left.
struct reflection {
    int q;
    point<2> ghost, cell;
    double drag; // by the lid
};
/// All of a process whose first cell is `first`, in a box with so many cells a side.
std::vector<reflection> find_walls(const mpiortho::field<double, 2>& cells, const point<2>& first, int side)
{
    std::vector<reflection> result;
    for (const point<2>& cell : cells.boundary())
        for (int q = 1; q < d2q9::directions; ++q) {
            const auto [up, right] = d2q9::velocity[q];
            const int y = first[0] + cell[0] - up, x = first[1] + cell[1] - right;
            if (y >= 0 && y < side && x >= 0 && x < side) continue;
            const double drag = y == side ? 6 * d2q9::weight[q] * lid * right : 0;
            result.push_back({q, {cell[0] - up, cell[1] - right}, cell, drag});
        }
    return result;
}

/// A step of a row, from `now` to `next`: populations come from behind.
void update(populations& next, const populations& now, const mpiortho::row<2>& row,
            const d2q9::relaxation& rate)
{
    const double* from[d2q9::directions];
    double* to[d2q9::directions];
    for (int q = 0; q < d2q9::directions; ++q) {
        from[q] = &now[q](row.first[0] - d2q9::velocity[q][0], row.first[1] - d2q9::velocity[q][1]);
        to[q] = &next[q][row.first];
    }
    d2q9::stream_and_collide(from, to, row.size(), rate);
}

/// The largest difference to a table.  Centres of cells are half a cell from the walls.
double compare(const std::vector<double>& line, std::span<const tabled> table)
{
    double largest = 0;
    for (const auto& [at, value] : table) {
        const double i = at * static_cast<double>(line.size()) - 0.5, share = i - std::floor(i);
        const double* const below = &line[static_cast<std::size_t>(i)];
        const double there = (1 - share) * below[0] + share * below[1];
        largest = std::fmax(largest, std::fabs(there / lid - value));
    }
    return largest;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const int side = argc > 1 ? std::atoi(argv[1]) : 129; // odd: the centre lines go through cells
    const double sides = argc > 2 ? std::atof(argv[2]) : 15;
    if (side < 8 || !(sides > 0)) {
        std::fprintf(stderr, "cavity: CELLS is at least 8, and SIDES is positive\n");
        MPI_Finalize();
        return 2;
    }
    double difference = 1;
    {
        const mpiortho::grid<2> g(MPI_COMM_WORLD);
        const mpiortho::blocks part(g, {side, side}); // parts may differ by a cell
        const point<2> first = part.first(), extents = part.extents();
        populations now, next;
        for (int q = 0; q < d2q9::directions; ++q) {
            now[q] = mpiortho::field<double, 2>(part);
            next[q] = mpiortho::field<double, 2>(part);
            for (auto row : now[q].owned())
                for (double& f : now[q][row]) f = d2q9::weight[q]; // at rest
        }
        auto halo = mpiortho::halo(g, now, {.crosses = d2q9::comes_from});
        const std::vector<reflection> walls = find_walls(now[0], first, side);
        const d2q9::relaxation rate(lid * side / 100); // the Reynolds number
        for (int step = 0; step < sides * side / lid; ++step) {
            auto pending = halo.start(now);
            for (const auto& [q, ghost, cell, drag] : walls)
                now[q][ghost] = now[d2q9::opposite[q]][cell] + drag;
            for (const auto& row : now[0].interior()) {
                update(next, now, row, rate);
                pending.poll();
            }
            pending.wait();
            for (const auto& row : now[0].boundary_rows()) update(next, now, row, rate);
            std::swap(now, next);
        }
        const auto n = static_cast<std::size_t>(side);
        std::vector<double> u(n), v(n), all_u(n), all_v(n);
        for (auto row : now[0].owned())
            for (const auto& cell : row)
                for (int q = 0; q < d2q9::directions; ++q) {
                    const int y = first[0] + cell[0], x = first[1] + cell[1];
                    if (x == side / 2) u[static_cast<std::size_t>(y)] += now[q][cell] * d2q9::velocity[q][1];
                    if (y == side / 2) v[static_cast<std::size_t>(x)] += now[q][cell] * d2q9::velocity[q][0];
                }
        mpiortho::allreduce(u, all_u, std::plus<>{}, g.all());
        mpiortho::allreduce(v, all_v, std::plus<>{}, g.all());
        difference = std::fmax(compare(all_u, u_over_y), compare(all_v, v_over_x));
        std::array<double, 2> bytes = {}; // that arrive here in a step, and those of all directions
        for (const auto& to : g.stencil()) {
            if (g.neighbor(to) == MPI_PROC_NULL) continue;
            const int cells = (to[0] == 0 ? extents[0] : 1) * (to[1] == 0 ? extents[1] : 1);
            for (int q = 0; q < d2q9::directions; ++q, bytes[1] += 8 * cells)
                if (d2q9::comes_from(q, to)) bytes[0] += 8 * cells;
        }
        const auto all = g.all().sum(bytes);
        if (g.rank() == 0)
            std::printf("%dx%d processes, %d^2 cells: %.0f bytes travel in a step, in place of %.0f\n"
                        "the velocities of Ghia and others differ by %.4f at most\n",
                        g.sizes()[0], g.sizes()[1], side, all[0], all[1], difference);
    }
    MPI_Finalize();
    return difference <= 0.01 ? 0 : 1;
}
