// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation, -(u_xx + u_yy) = f, on the unit square, u = 0 on its border, by multigrid V-cycles.
// Each level has every second point of the one before.  Before parts get too thin for that, the points go
// over to every second process in each dimension.
//
//     mpiexec -n 4 ./multigrid [LEVELS]    2^LEVELS + 1 points a side; 9 levels if nothing is said
#include <mpiortho.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>

using mpiortho::point;

namespace {

/// The points of this process on one level, all `h` apart.
struct level {
    const mpiortho::grid<2>& g;
    mpiortho::blocks<2> part;
    double h;
    const mpiortho::communicator* team; // who had the same points, on the level before; or null
    mpiortho::field<double, 2> u{part}, f{part}, r{part};
    mpiortho::halo<2> ghosts_of_u = g ? mpiortho::halo(g, u) : mpiortho::halo<2>();
    mpiortho::halo<2> ghosts_of_r = g ? mpiortho::halo(g, r) : mpiortho::halo<2>();

    /// Calls visit(i, j, y, x) for all points here but those on the border, with their place in the whole.
    template <class Visit>
    void each(Visit visit) const
    {
        const auto [rows, columns] = part.sizes();
        const auto [top, left] = part.first();
        for (auto row : u.owned())
            for (auto [i, j] : row) {
                const int y = top + i, x = left + j;
                if (y > 0 && y < rows - 1 && x > 0 && x < columns - 1) visit(i, j, y, x);
            }
    }
    /// Gauss-Seidel: one half of the points, like the black fields of a chess board, then the other half.
    void smooth()
    {
        for (const int color : {0, 1}) {
            ghosts_of_u.run();
            each([&](int i, int j, int y, int x) {
                if ((y + x) % 2 == color)
                    u(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + h * h * f(i, j)) / 4;
            });
        }
    }
    /// Computes the residual, and returns its largest value.
    double residual()
    {
        double largest = 0;
        ghosts_of_u.run();
        each([&](int i, int j, int, int) {
            const double around = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1);
            r(i, j) = f(i, j) + (around - 4 * u(i, j)) / (h * h);
            largest = std::fmax(largest, std::fabs(r(i, j)));
        });
        return largest;
    }
    void clear()
    {
        each([&](int i, int j, int, int) { u(i, j) = 0; });
    }
    /// The right-hand side becomes the mean of the finer level's residuals around each point.
    void restrict_from(level& fine)
    {
        const auto [top, left] = fine.part.first();
        fine.ghosts_of_r.run();
        each([&](int i, int j, int y, int x) {
            const int p = 2 * y - top, q = 2 * x - left;
            f(i, j) = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    f(i, j) += fine.r(p + dy, q + dx) * (2 - std::abs(dy)) * (2 - std::abs(dx)) / 16;
        });
    }
    /// Adds the coarser level's u, and between its points means of it.
    void correct_by(level& coarse)
    {
        const auto [top, left] = coarse.part.first();
        coarse.ghosts_of_u.run();
        each([&](int i, int j, int y, int x) {
            const int above = y / 2 - top, below = (y + 1) / 2 - top;
            const int before = x / 2 - left, behind = (x + 1) / 2 - left;
            u(i, j) += (coarse.u(above, before) + coarse.u(above, behind) + coarse.u(below, before) +
                        coarse.u(below, behind)) /
                       4;
        });
    }
};

class multigrid {
public:
    multigrid(const mpiortho::grid<2>& grid, int points)
    {
        const auto* g = &grid;
        mpiortho::blocks<2> part(grid, {points, points});
        double h = 1.0 / (points - 1);
        levels_.push_back({*g, part, h, nullptr});
        while (*g && (g->points() > 1 || part.sizes()[0] > 3)) {
            const mpiortho::communicator* team = nullptr;
            const auto fewer = part.coarsen({2, 2});
            const auto [rows, columns] = fewer.smallest();
            if (std::min(rows, columns) < 2 && g->points() > 1) {
                const auto& coarse = grids_.emplace_back(g->coarsen({2, 2}));
                part = part.on(coarse);
                g = &coarse.grid;
                team = &coarse.team;
            } else {
                part = fewer;
                h *= 2;
            }
            levels_.push_back({*g, part, h, team});
        }
    }

    level& finest() { return levels_.front(); }
    void cycle(std::size_t i = 0)
    {
        level& a = levels_[i];
        if (!a.g) return;
        if (i + 1 == levels_.size()) return a.smooth(); // one point is left
        level& b = levels_[i + 1];
        b.clear();
        if (b.team != nullptr) { // the same points
            mpiortho::field_gather(a.f, b.f, 0, *b.team);
            cycle(i + 1);
            mpiortho::field_scatter(b.u, a.u, 0, *b.team);
            return;
        }
        a.smooth();
        a.residual();
        b.restrict_from(a);
        cycle(i + 1);
        a.correct_by(b);
        a.smooth();
    }

private:
    std::deque<mpiortho::coarsened<2>> grids_;
    std::deque<level> levels_; // those that this process has, and the first that it has not
};

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    bool is_solved = false;
    {
        const int n = (1 << (argc > 1 ? std::atoi(argv[1]) : 9)) + 1;
        const mpiortho::grid<2> g{MPI_COMM_WORLD, {.name = "points"}};
        multigrid solver(g, n);
        level& finest = solver.finest();
        const auto wave = [&](int i) { return std::sin(std::acos(-1.0) * i * finest.h); };
        const double factor = 2 * std::acos(-1.0) * std::acos(-1.0);
        finest.each([&](int i, int j, int y, int x) { finest.f(i, j) = factor * wave(y) * wave(x); });
        double first = 0, left = 0;
        for (int cycle = 0; cycle <= 10; ++cycle) {
            if (cycle > 0) solver.cycle();
            left = g.all().max(finest.residual());
            if (cycle == 0) first = left;
            if (g.rank() == 0) std::printf("cycle %d: residual %.3g\n", cycle, left);
        }
        const auto u = finest.part.gather(finest.u, 0);
        double error = 0;
        for (auto row : u.owned())
            for (auto [y, x] : row) error = std::fmax(error, std::fabs(u(y, x) - wave(y) * wave(x)));
        if (g.rank() == 0) std::printf("%d^2 points: the error is %.3g\n", n, error);
        is_solved = left < 1e-7 * first && error < 2 * finest.h * finest.h;
    }
    MPI_Finalize();
    return is_solved ? 0 : 1;
}
