// SPDX-License-Identifier: BSD-3-Clause
// Flow past a cylinder on a lattice, in blocks over the processes of a grid.
#pragma once

#include <mpiortho.hpp>

#include <vector>

#include "d2q9.hpp"
#include "tiles.hpp"

/// A cylinder in a stream that comes from the left.  Lengths are in cells, y goes up with the rows.
struct Stream {
    int diameter = 20;
    double reynolds = 100;
    static constexpr double velocity = 0.1; // cells in a step: much slower than sound, 0.58

    /// Streams side by side, 20 diameters apart: the cylinder blocks a twentieth.
    int rows() const { return 20 * diameter; }
    int columns() const { return 30 * diameter; }
    double centre_y() const { return 0.5 * (rows() - 1); }
    double centre_x() const { return 8.0 * diameter; }
    double viscosity() const { return velocity * diameter / reynolds; }
    /// Is the cell inside the cylinder?
    bool is_solid(double y, double x) const
    {
        const double up = y - centre_y();
        const double right = x - centre_x();
        return 4 * (up * up + right * right) < static_cast<double>(diameter) * diameter;
    }
};

/// The part of the flow that this process has.  All functions are collective but at().
class Flow {
public:
    using Cells = mpiortho::field<double, 2>;

    Flow(MPI_Comm comm, const Stream& stream);

    void step();
    /// Vorticity of the cells of this process, row by row, in velocities per diameter.
    std::vector<double> vorticity();

    const mpiortho::grid<2>& grid() const { return grid_; }
    const Tiles& tiles() const { return tiles_; }
    /// The populations of a direction; ghosts are filled in each step.
    Cells& population(int q) { return now_[q]; }

    /// The velocity of a cell, by its coordinates here: up and to the right.
    struct Velocity {
        double v, u;
    };
    Velocity at(const mpiortho::point<2>& cell) const;

private:
    /// The reflection at the cylinder: population q of `cell` comes from the wall, `distance` away on the way
    /// to the solid cell `from`.
    struct Reflection {
        int q;
        mpiortho::point<2> from, cell;
        double distance;
    };

    void find_reflections();
    void reflect(const std::vector<Reflection>& reflections);
    void open_ends();
    void update(const mpiortho::row<2>& row);

    Stream stream_;
    mpiortho::grid<2> grid_;
    Tiles tiles_;
    d2q9::relaxation rate_;
    Cells now_[d2q9::directions];
    Cells next_[d2q9::directions];
    mpiortho::halo<2> halo_;
    Cells velocity_[2]; // for the vorticity
    mpiortho::halo<2> velocity_halo_;
    std::vector<Reflection> inner_; // where no ghosts are needed
    std::vector<Reflection> outer_;
    std::vector<mpiortho::point<2>> solid_;
};
