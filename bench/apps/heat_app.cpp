// SPDX-License-Identifier: BSD-3-Clause
// The steps of examples/heat3d.cpp.

#include <array>
#include <cstddef>
#include <memory>

#include "app.hpp"
#include "box_exchange.hpp"

namespace apps {

namespace {

using Cube = mpiortho::field<double, 3>;

class Heat : public App {
public:
    Heat(MPI_Comm comm, int side)
        : grid_(comm, {.stencil = mpiortho::neumann<3>()}),
          cells_{{Cube({side, side, side}), Cube({side, side, side})}},
          exchanges_{{{grid_, std::span(&cells_[0], 1), all}, {grid_, std::span(&cells_[1], 1), all}}}
    {}

    void reset() override
    {
        now_ = 0;
        for (Cube& cells : cells_)
            for (std::size_t i = 0; i < size(); ++i)
                cells.data()[i] = static_cast<double>(i % 17) + 1e-2 * grid_.rank();
    }
    void exchange(Form form) override { exchanges_[now_].run(form); }
    void compute() override
    {
        const Cube& a = cells_[now_];
        Cube& b = cells_[1 - now_];
        for (const auto& row : a.owned()) {
            const auto [i, j, k] = row.first;
            const double* const here = &a(i, j, k);
            const double* const sides[] = {&a(i - 1, j, k), &a(i + 1, j, k), &a(i, j - 1, k),
                                           &a(i, j + 1, k)};
            double* const result = &b(i, j, k);
            for (int c = 0; c < row.length; ++c)
                result[c] = here[c] + 0.1 * (sides[0][c] + sides[1][c] + sides[2][c] + sides[3][c] +
                                             here[c - 1] + here[c + 1] - 6 * here[c]);
        }
        now_ = 1 - now_;
    }
    double checksum() const override
    {
        double sum = 0;
        for (const Cube& cells : cells_)
            for (std::size_t i = 0; i < size(); ++i) sum += cells.data()[i];
        return sum;
    }

private:
    static constexpr auto all = [](int, const mpiortho::point<3>& side) {
        return (side[0] != 0) + (side[1] != 0) + (side[2] != 0) == 1;
    };
    std::size_t size() const { return Cube::elements(cells_[0].extents(), cells_[0].ghosts()); }

    mpiortho::grid<3> grid_;
    std::array<Cube, 2> cells_;
    std::size_t now_ = 0;
    std::array<BoxExchange<3>, 2> exchanges_;
};

} // namespace

std::unique_ptr<App> make_heat(MPI_Comm comm, int side) { return std::make_unique<Heat>(comm, side); }

} // namespace apps
