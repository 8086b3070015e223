// SPDX-License-Identifier: BSD-3-Clause
// The steps of examples/cavity.cpp, without walls: only the time counts.

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "app.hpp"
#include "box_exchange.hpp"
#include "d2q9.hpp"

namespace apps {

namespace {

using Cells = mpiortho::field<double, 2>;
using Populations = std::array<Cells, d2q9::directions>;

class Cavity : public App {
public:
    Cavity(MPI_Comm comm, int side)
        : grid_(comm),
          now_(make(side)),
          next_(make(side)),
          exchange_now_(grid_, now_, d2q9::comes_from),
          exchange_next_(grid_, next_, d2q9::comes_from)
    {}

    void reset() override
    {
        is_swapped_ = false;
        for (Populations* all : {&now_, &next_})
            for (std::size_t q = 0; q < all->size(); ++q) {
                Cells& cells = (*all)[q];
                const std::size_t n = Cells::elements(cells.extents(), cells.ghosts());
                // Each value depends on rank and place.
                for (std::size_t i = 0; i < n; ++i)
                    cells.data()[i] = d2q9::weight[q] *
                                      (1 + 1e-3 * static_cast<double>((i + q) % 17) + 1e-4 * grid_.rank());
            }
    }
    void exchange(Form form) override { (is_swapped_ ? exchange_next_ : exchange_now_).run(form); }
    void compute() override
    {
        Populations& from_cells = is_swapped_ ? next_ : now_;
        Populations& to_cells = is_swapped_ ? now_ : next_;
        for (const auto& row : from_cells[0].owned()) {
            const double* from[d2q9::directions];
            double* to[d2q9::directions];
            for (std::size_t q = 0; q < from_cells.size(); ++q) {
                from[q] = &from_cells[q](row.first[0] - d2q9::velocity[q][0],
                                         row.first[1] - d2q9::velocity[q][1]);
                to[q] = &to_cells[q][row.first];
            }
            d2q9::stream_and_collide(from, to, row.size(), rate_);
        }
        is_swapped_ = !is_swapped_;
    }
    double checksum() const override
    {
        double sum = 0;
        for (const Populations* all : {&now_, &next_})
            for (const Cells& cells : *all) {
                const std::size_t n = Cells::elements(cells.extents(), cells.ghosts());
                for (std::size_t i = 0; i < n; ++i) sum += cells.data()[i];
            }
        return sum;
    }

private:
    static Populations make(int side)
    {
        Populations result;
        for (Cells& cells : result) cells = Cells({side, side});
        return result;
    }

    mpiortho::grid<2> grid_;
    Populations now_, next_;
    bool is_swapped_ = false;
    BoxExchange<2> exchange_now_, exchange_next_;
    d2q9::relaxation rate_{0.1};
};

} // namespace

std::unique_ptr<App> make_cavity(MPI_Comm comm, int side) { return std::make_unique<Cavity>(comm, side); }

} // namespace apps
