// SPDX-License-Identifier: BSD-3-Clause
// A lattice of nine directions in two dimensions (D2Q9), for lattice-Boltzmann programs.  No MPI here.
//
// A cell is {y, x}.  In each step population q of a cell goes to the cell `velocity[q]` away, and collides
// there with the other eight.
#pragma once

#include <mpiortho/field.hpp>

namespace d2q9 {

using mpiortho::point;

inline constexpr int directions = 9;
inline constexpr point<2> velocity[directions] = {{0, 0}, {0, 1},  {1, 0},   {0, -1}, {-1, 0},
                                                  {1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
inline constexpr double weight[directions] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                              1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
/// The direction the other way round.
inline constexpr int opposite[directions] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

/// Does population q come out of the ghost region `side`?  Two thirds of all ghosts need not travel.
constexpr bool comes_from(int q, const point<2>& side)
{
    for (std::size_t k = 0; k < 2; ++k)
        if (side[k] != 0 && side[k] != -velocity[q][k]) return false;
    return side != point<2>{};
}

/// Population q at rest in a flow of this density and velocity (incompressible: the mean density is 1).
constexpr double equilibrium(int q, double density, double v, double u)
{
    const double c = velocity[q][0] * v + velocity[q][1] * u;
    return weight[q] * (density + 3 * c + 4.5 * c * c - 1.5 * (u * u + v * v));
}

/// Collisions with two relaxation rates.  The second one puts walls half way between cells, whatever the
/// viscosity is (Ginzburg, Verhaeghe, d'Humieres: Commun. Comput. Phys. 3, 427, 2008: "magic" 3/16).
struct relaxation {
    double even, odd;
    /// From the viscosity in cells and steps.
    explicit constexpr relaxation(double viscosity)
        : even(1 / (3 * viscosity + 0.5)),
          odd(1 / (3.0 / 16 / (3 * viscosity) + 0.5))
    {}
};

/// A step of `n` cells of a row.  from[q] is where their populations come from, to[q] is where they go.
inline void stream_and_collide(const double* const (&from)[directions], double* const (&to)[directions],
                               std::size_t n, const relaxation& rate)
{
    for (std::size_t i = 0; i < n; ++i) {
        double f[directions];
        for (int q = 0; q < directions; ++q) f[q] = from[q][i];
        const double density = f[0] + ((f[1] + f[3]) + (f[2] + f[4])) + ((f[5] + f[7]) + (f[6] + f[8]));
        const double u = (f[1] - f[3]) + ((f[5] - f[7]) - (f[6] - f[8]));
        const double v = (f[2] - f[4]) + ((f[5] - f[7]) + (f[6] - f[8]));
        const double rest = density - 1.5 * (u * u + v * v);
        // Collides populations a and b, which go opposite ways, by their common part and their difference.
        const auto collide = [&](int a, int b, double w, double c) {
            const double even = rate.even * (0.5 * (f[a] + f[b]) - w * (rest + 4.5 * c * c));
            const double odd = rate.odd * (0.5 * (f[a] - f[b]) - w * 3 * c);
            to[a][i] = f[a] - even - odd;
            to[b][i] = f[b] - even + odd;
        };
        to[0][i] = f[0] - rate.even * (f[0] - weight[0] * rest);
        collide(1, 3, weight[1], u);
        collide(2, 4, weight[2], v);
        collide(5, 7, weight[5], u + v);
        collide(6, 8, weight[6], v - u);
    }
}

} // namespace d2q9
