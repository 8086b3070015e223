// SPDX-License-Identifier: BSD-3-Clause
// Laplace's equation on the unit square with a 9-point stencil: Figure 1b of the orthogonality
// paper (J. L. Traff et al., Parallel Computing 2021), grown up.
//
// The boundary values are those of u(x, y) = sin(pi x) sinh(pi y) / sinh(pi), which solves the
// equation, so that the error is known.  The iteration is Jacobi's for the compact scheme
// 20 u = 4 (N + S + E + W) + NE + NW + SE + SW, whose error is of order h^6 for such functions.

#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "halo.hpp"
#include "picture.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "tiles.hpp"

namespace {

struct Options {
    int n = 64;
    double tolerance = 1e-13;
    long long most_iterations = 10'000'000;
    int check_every = 50;
    std::string png;
};

double exact(double x, double y)
{
    using std::numbers::pi;
    return std::sin(pi * x) * std::sinh(pi * y) / std::sinh(pi);
}

/// One process's part of the n x n inner points, with ghosts around it: neighbors' points, and
/// points of the boundary where there is no neighbor.
class Block {
public:
    Block(MPI_Comm comm, int n, const Extent& processes)
        : n_(n),
          tiles_(comm, {n, n}, processes),
          rows_(tiles_.rows()),
          columns_(tiles_.columns()),
          now_(size(), 0.0),
          next_(size(), 0.0),
          halo_(comm, rows_.size, columns_.size, MPI_DOUBLE)
    {
        // The boundary lies one step outside the inner points, on all four sides.
        for (int r = 0; r < rows_.size + 2; ++r)
            for (int c = 0; c < columns_.size + 2; ++c)
                if (on_boundary(r, c)) now_[at(r, c)] = next_[at(r, c)] = exact(x(c), y(r));
    }

    /// One iteration; returns the largest change on this process.
    double step()
    {
        halo_.exchange(now_.data());
        double change = 0;
        for (int r = 1; r <= rows_.size; ++r) {
            const double* const above = &now_[at(r - 1, 0)];
            const double* const here = &now_[at(r, 0)];
            const double* const below = &now_[at(r + 1, 0)];
            double* const result = &next_[at(r, 0)];
            for (int c = 1; c <= columns_.size; ++c) {
                result[c] = (4 * (above[c] + below[c] + here[c - 1] + here[c + 1]) + above[c - 1] +
                             above[c + 1] + below[c - 1] + below[c + 1]) /
                            20;
                change = std::max(change, std::abs(result[c] - here[c]));
            }
        }
        now_.swap(next_);
        return change;
    }

    /// The largest of the processes' values, on all of them: the base communicator's allreduce.
    double largest(double mine) const
    {
        double all = 0;
        ORTHO_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, halo_.base());
        return all;
    }

    double error() const
    {
        double mine = 0;
        for (int r = 1; r <= rows_.size; ++r)
            for (int c = 1; c <= columns_.size; ++c)
                mine = std::max(mine, std::abs(now_[at(r, c)] - exact(x(c), y(r))));
        return largest(mine);
    }

    /// The inner points of all, at rank 0, row by row.
    std::vector<double> gather() const { return tiles_.gather(now_, MPI_DOUBLE, 1); }

private:
    std::size_t size() const
    {
        return static_cast<std::size_t>(rows_.size + 2) * static_cast<std::size_t>(columns_.size + 2);
    }
    std::size_t at(int row, int column) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_.size + 2) +
               static_cast<std::size_t>(column);
    }
    // Local index 1 is the first inner point of the block; global index 0 lies on the boundary.
    double x(int column) const { return static_cast<double>(columns_.begin + column) / (n_ + 1); }
    double y(int row) const { return static_cast<double>(rows_.begin + row) / (n_ + 1); }
    bool on_boundary(int row, int column) const
    {
        const int r = rows_.begin + row;
        const int c = columns_.begin + column;
        return r == 0 || r == n_ + 1 || c == 0 || c == n_ + 1;
    }

    int n_;
    Tiles tiles_;
    Part rows_;
    Part columns_;
    std::vector<double> now_;
    std::vector<double> next_;
    Halo halo_;
};

/// The field in colors from blue (0) to red (1), y upwards.
void write_png(const std::vector<double>& field, int n, const std::string& file)
{
    const int grow = n < 512 ? 512 / n : 1;
    Picture picture(n * grow, n * grow);
    for (int r = 0; r < n * grow; ++r) {
        for (int c = 0; c < n * grow; ++c) {
            const double u = std::clamp(
                field[static_cast<std::size_t>(n - 1 - r / grow) * static_cast<std::size_t>(n) +
                      static_cast<std::size_t>(c / grow)],
                0.0, 1.0);
            const auto channel = [](double v) {
                return static_cast<std::uint8_t>(255 * std::clamp(v, 0.0, 1.0));
            };
            picture.set(r, c, channel(1.5 - std::abs(4 * u - 3)), channel(1.5 - std::abs(4 * u - 2)),
                        channel(1.5 - std::abs(4 * u - 1)));
        }
    }
    picture.write(file);
}

void run(const Options& options)
{
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    int order[] = {0, 0};
    MPI_Dims_create(p, 2, order);
    end_if_failed(order[0] > options.n ? "more processes in a row than points" : "", "stencil9",
                  MPI_COMM_WORLD);

    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int period[] = {0, 0};
    int points = 0;
    ORTHO_Cart_name(comm, 2, ORTHO_ROWMAJOR, order, period, &points);
    std::string failure;
    {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        Block block(comm, options.n, {order[0], order[1]});
        Progress progress("iteration", options.most_iterations, "at most");
        long long iterations = 0;
        double change = options.tolerance + 1;
        while (change > options.tolerance && iterations < options.most_iterations) {
            const double mine = block.step();
            ++iterations;
            if (iterations % options.check_every == 0 || iterations == options.most_iterations)
                change = block.largest(mine);
            if (rank == 0) progress.at(iterations);
        }
        if (rank == 0) progress.hide();
        const double error = block.error();
        if (!options.png.empty()) {
            const std::vector<double> field = block.gather();
            try {
                if (rank == 0) write_png(field, options.n, options.png);
            } catch (const std::exception& exception) {
                failure = exception.what();
            }
        }
        if (rank == 0)
            std::printf("n %d iterations %lld residual %.3e error %.6e\n", options.n, iterations, change,
                        error);
    }
    MPI_Comm_free(&comm);
    end_if_failed(failure, "stencil9", MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Options options;
    CommandLine line("Laplace's equation on the unit square with a 9-point stencil, under mpiexec",
                     "stencil9");
    line.add_option("--n", options.n, "inner points in each direction; h = 1/(n+1)").between(1, 10'000);
    line.add_option("--tolerance", options.tolerance, "largest change in an iteration to stop at")
        .not_negative();
    line.add_option("--iterations", options.most_iterations, "most iterations").positive();
    line.add_option("--check-every", options.check_every, "iterations between checks of convergence")
        .positive();
    line.add_option("--png", options.png, "write the field to this PNG file");
    parse_or_end(line, argc, argv);
    run(options);
    MPI_Finalize();
    return 0;
}
