// SPDX-License-Identifier: BSD-3-Clause
// Flow past a cylinder on a lattice, in blocks over the processes of a grid.

#include "flow.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

using mpiortho::point;

namespace {

mpiortho::grid<2> make_grid(MPI_Comm comm) { return mpiortho::grid<2>(comm, {.periodic = {true, false}}); }

/// The share of the way from (y, x), which is outside, by (-up, -right) to the cylinder.
double distance_to_cylinder(const Stream& stream, double y, double x, int up, int right)
{
    // | position - share * (up, right) | = radius, the nearer point.
    const double dy = y - stream.centre_y();
    const double dx = x - stream.centre_x();
    const double length = up * up + right * right;
    const double half = (dy * up + dx * right) / length;
    const double radius = 0.5 * stream.diameter;
    return half - std::sqrt(half * half - (dy * dy + dx * dx - radius * radius) / length);
}

} // namespace

Flow::Flow(MPI_Comm comm, const Stream& stream)
    : stream_(stream),
      grid_(make_grid(comm)),
      tiles_(grid_, {stream.rows(), stream.columns()}, {grid_.sizes()[0], grid_.sizes()[1]}),
      rate_(stream.viscosity())
{
    const point<2> extents{tiles_.rows().size, tiles_.columns().size};
    for (Cells& cells : velocity_) cells = Cells(extents);
    for (int q = 0; q < d2q9::directions; ++q) {
        now_[q] = Cells(extents);
        next_[q] = Cells(extents);
        for (auto row : now_[q].owned())
            for (const auto& cell : row) {
                // A gust behind the cylinder, from below: it need not wait for rounding errors to grow.
                const double y = (tiles_.rows().begin + cell[0] - stream.centre_y()) / stream.diameter;
                const double x = (tiles_.columns().begin + cell[1] - stream.centre_x()) / stream.diameter;
                const double gust = 0.5 * Stream::velocity * std::exp(-y * y - (x - 2) * (x - 2));
                now_[q][cell] = d2q9::equilibrium(q, 1, gust, Stream::velocity);
            }
    }
    halo_ = mpiortho::halo(grid_, now_, {.crosses = d2q9::comes_from});
    const auto by_faces = [](int, const point<2>& side) { return side[0] == 0 || side[1] == 0; };
    velocity_halo_ = mpiortho::halo(grid_, velocity_, {.crosses = by_faces});
    find_reflections();
}

void Flow::find_reflections()
{
    const auto [rows, columns] = now_[0].extents();
    const auto is_owned = [&, rows = rows, columns = columns](const point<2>& cell) {
        return cell[0] >= 0 && cell[0] < rows && cell[1] >= 0 && cell[1] < columns;
    };
    for (auto row : now_[0].owned())
        for (const auto& cell : row) {
            const double y = tiles_.rows().begin + cell[0];
            const double x = tiles_.columns().begin + cell[1];
            if (stream_.is_solid(y, x)) {
                solid_.push_back(cell);
                continue;
            }
            for (int q = 1; q < d2q9::directions; ++q) {
                const auto [up, right] = d2q9::velocity[q];
                if (!stream_.is_solid(y - up, x - right)) continue;
                const Reflection found{
                    q, {cell[0] - up, cell[1] - right}, cell, distance_to_cylinder(stream_, y, x, up, right)};
                const point<2> behind{cell[0] + up, cell[1] + right};
                (is_owned(found.from) && is_owned(behind) ? inner_ : outer_).push_back(found);
            }
        }
}

/// M. Bouzidi, M. Firdaouss, P. Lallemand: Momentum transfer of a Boltzmann-lattice fluid with boundaries,
/// Phys. Fluids 13 (2001), linear.
void Flow::reflect(const std::vector<Reflection>& reflections)
{
    for (const auto& [q, from, cell, distance] : reflections) {
        const Cells& back = now_[d2q9::opposite[q]];
        const point<2> behind{cell[0] + d2q9::velocity[q][0], cell[1] + d2q9::velocity[q][1]};
        now_[q][from] = distance < 0.5 ? 2 * distance * back[cell] + (1 - 2 * distance) * back[behind]
                                       : (back[cell] + (2 * distance - 1) * now_[q][cell]) / (2 * distance);
    }
}

/// The stream comes in as it is far away; where it leaves, the pressure is that of far away.
void Flow::open_ends()
{
    const auto [rows, columns] = now_[0].extents();
    const bool is_first = tiles_.columns().begin == 0;
    const bool is_last = tiles_.columns().begin + columns == stream_.columns();
    for (int y = 0; y < rows; ++y)
        for (int q = 1; q < d2q9::directions; ++q) {
            const auto [up, right] = d2q9::velocity[q];
            const int p = d2q9::opposite[q];
            if (is_first && right == 1)
                now_[q](y - up, -1) = now_[p](y, 0) + 6 * d2q9::weight[q] * Stream::velocity;
            if (is_last && right == -1) {
                const auto [v, u] = at({y, columns - 1});
                now_[q](y - up, columns) = d2q9::equilibrium(q, 1, v, u) + d2q9::equilibrium(p, 1, v, u) -
                                           now_[p](y, columns - 1);
            }
        }
}

void Flow::update(const mpiortho::row<2>& row)
{
    const double* from[d2q9::directions];
    double* to[d2q9::directions];
    for (int q = 0; q < d2q9::directions; ++q) {
        from[q] = &now_[q](row.first[0] - d2q9::velocity[q][0], row.first[1] - d2q9::velocity[q][1]);
        to[q] = &next_[q][row.first];
    }
    d2q9::stream_and_collide(from, to, row.size(), rate_);
}

void Flow::step()
{
    reflect(inner_);
    auto pending = halo_.start(now_);
    open_ends();
    for (const auto& row : now_[0].interior()) {
        update(row);
        pending.poll();
    }
    pending.wait();
    reflect(outer_);
    for (const auto& row : now_[0].boundary_rows()) update(row);
    for (int q = 0; q < d2q9::directions; ++q)
        for (const auto& cell : solid_) next_[q][cell] = d2q9::weight[q]; // at rest
    std::swap(now_, next_);
}

Flow::Velocity Flow::at(const point<2>& cell) const
{
    Velocity result{0, 0};
    for (int q = 1; q < d2q9::directions; ++q) {
        result.v += d2q9::velocity[q][0] * now_[q][cell];
        result.u += d2q9::velocity[q][1] * now_[q][cell];
    }
    return result;
}

std::vector<double> Flow::vorticity()
{
    auto& [v, u] = velocity_;
    for (auto row : v.owned())
        for (const auto& cell : row) {
            const auto [up, right] = at(cell);
            v[cell] = up;
            u[cell] = right;
        }
    for (Cells& cells : velocity_) // beyond the ends it is what it is there
        for (int y = 0; y < cells.extents()[0]; ++y) {
            const int columns = cells.extents()[1];
            cells(y, -1) = cells(y, 0);
            cells(y, columns) = cells(y, columns - 1);
        }
    velocity_halo_.run();
    std::vector<double> result;
    for (auto row : v.owned())
        for (const auto& [y, x] : row)
            result.push_back((v(y, x + 1) - v(y, x - 1) - u(y + 1, x) + u(y - 1, x)) / 2 * stream_.diameter /
                             Stream::velocity);
    return result;
}
