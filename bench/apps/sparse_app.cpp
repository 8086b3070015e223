// SPDX-License-Identifier: BSD-3-Clause
// Products of a sparse matrix with a vector, as in HPCG: a row has 27 entries, for a point of a grid and
// those beside it.  Other processes' parts of the vector stand behind this process's part.

#include <mpi.h>
#include <mpiortho.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "app.hpp"
#include "dist_graph.hpp"

namespace apps {

namespace {

using Point = mpiortho::point<3>;

class Sparse : public App {
public:
    Sparse(MPI_Comm comm, int side)
        : side_(side),
          rows_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) *
                static_cast<std::size_t>(side)),
          grid_(comm),
          neighbors_(grid_),
          graph_(grid_.all(), neighbors_.ranks)
    {
        list_entries();
        make_matrix();
        x_.resize(rows_ + ghosts_);
        y_.resize(rows_);
        out_.resize(sent_.size());
        requests_.resize(2 * neighbors_.ranks.size());
        prepare();
    }

    void reset() override
    {
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<double>(i % 17) + 1e-2 * grid_.rank();
    }
    void exchange(Form form) override
    {
        for (std::size_t i = 0; i < sent_.size(); ++i) out_[i] = x_[static_cast<std::size_t>(sent_[i])];
        switch (form) {
        case Form::by_hand: by_hand(); break;
        case Form::neighbor:
            MPI_Neighbor_alltoallv(out_.data(), counts_.data(), out_displacements_.data(), MPI_DOUBLE,
                                   x_.data() + rows_, counts_.data(), out_displacements_.data(), MPI_DOUBLE,
                                   graph_.get());
            break;
        case Form::ours: prepared_.run(); break;
        }
    }
    /// A step of Richardson's iteration for A x = 1.
    void compute() override
    {
        for (std::size_t row = 0; row < rows_; ++row) {
            double sum = 0;
            for (int e = begin_[row]; e < begin_[row + 1]; ++e)
                sum += entries_[static_cast<std::size_t>(e)] *
                       x_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(e)])];
            y_[row] = sum;
        }
        for (std::size_t row = 0; row < rows_; ++row) x_[row] += (1 - y_[row]) / 52;
    }
    double checksum() const override
    {
        double sum = 0;
        for (const double x : x_) sum += x;
        return sum;
    }

private:
    int index(int i, int j, int k) const { return (i * side_ + j) * side_ + k; }

    /// Lists the entries for each neighbor; as many come from it.
    void list_entries()
    {
        for (const Point& offset : neighbors_.offsets) {
            const auto low = [&](std::size_t d) { return offset[d] > 0 ? side_ - 1 : 0; };
            const auto high = [&](std::size_t d) { return offset[d] < 0 ? 1 : side_; };
            out_displacements_.push_back(static_cast<int>(sent_.size()));
            for (int i = low(0); i < high(0); ++i)
                for (int j = low(1); j < high(1); ++j)
                    for (int k = low(2); k < high(2); ++k) sent_.push_back(index(i, j, k));
            counts_.push_back(static_cast<int>(sent_.size()) - out_displacements_.back());
        }
        ghosts_ = sent_.size();
    }

    void make_matrix()
    {
        std::map<Point, int> displacement; // of the ghosts from a neighbor
        for (std::size_t i = 0; i < neighbors_.offsets.size(); ++i)
            displacement[neighbors_.offsets[i]] = static_cast<int>(rows_) + out_displacements_[i];
        begin_.push_back(0);
        for (int i = 0; i < side_; ++i)
            for (int j = 0; j < side_; ++j)
                for (int k = 0; k < side_; ++k) {
                    for (int c = 0; c < 27; ++c)
                        add_entry({i + c / 9 - 1, j + c / 3 % 3 - 1, k + c % 3 - 1}, displacement, c == 13);
                    begin_.push_back(static_cast<int>(columns_.size()));
                }
    }
    void add_entry(const Point& p, const std::map<Point, int>& displacement, bool is_diagonal)
    {
        Point offset{};
        int column = 0;
        for (std::size_t d = 0; d < 3; ++d) offset[d] = p[d] < 0 ? -1 : p[d] >= side_ ? 1 : 0;
        if (offset == Point{}) {
            column = index(p[0], p[1], p[2]);
        } else {
            const auto found = displacement.find(offset);
            if (found == displacement.end()) return; // beyond the border
            // The place among the neighbor's ghosts, which have one layer in dimensions that lead to it.
            column = 0;
            for (std::size_t d = 0; d < 3; ++d)
                if (offset[d] == 0) column = column * side_ + p[d];
            column += found->second;
        }
        columns_.push_back(column);
        entries_.push_back(is_diagonal ? 26 : -1);
    }

    /// Blocks in the order of the stencil; those of missing neighbors are empty.
    void prepare()
    {
        std::vector<int> send_counts, receive_counts, send_displacements, receive_displacements;
        for (const Point& offset : grid_.stencil()) {
            const Point back{-offset[0], -offset[1], -offset[2]};
            const auto [to_count, to_displacement] = block(offset);
            const auto [from_count, from_displacement] = block(back); // block i comes from -stencil[i]
            send_counts.push_back(to_count);
            send_displacements.push_back(to_displacement);
            receive_counts.push_back(from_count);
            receive_displacements.push_back(from_displacement);
        }
        prepared_ = mpiortho::alltoall_init(out_, send_counts, send_displacements,
                                            std::span(x_).subspan(rows_), receive_counts,
                                            receive_displacements, grid_);
    }
    std::pair<int, int> block(const Point& offset) const
    {
        const auto found = std::ranges::find(neighbors_.offsets, offset);
        if (found == neighbors_.offsets.end()) return {0, 0};
        const auto i = static_cast<std::size_t>(found - neighbors_.offsets.begin());
        return {counts_[i], out_displacements_[i]};
    }

    void by_hand()
    {
        const std::size_t n = neighbors_.ranks.size();
        for (std::size_t i = 0; i < n; ++i)
            MPI_Irecv(x_.data() + rows_ + out_displacements_[i], counts_[i], MPI_DOUBLE, neighbors_.ranks[i],
                      0, grid_.all(), &requests_[i]);
        for (std::size_t i = 0; i < n; ++i)
            MPI_Isend(out_.data() + out_displacements_[i], counts_[i], MPI_DOUBLE, neighbors_.ranks[i], 0,
                      grid_.all(), &requests_[n + i]);
        MPI_Waitall(static_cast<int>(2 * n), requests_.data(), MPI_STATUSES_IGNORE);
    }

    int side_;
    std::size_t rows_;
    std::size_t ghosts_ = 0;
    mpiortho::grid<3> grid_;
    Neighbors<3> neighbors_;
    DistGraph graph_;
    std::vector<int> sent_, counts_, out_displacements_;
    std::vector<int> begin_, columns_;
    std::vector<double> entries_, x_, y_, out_;
    std::vector<MPI_Request> requests_;
    mpiortho::operation prepared_;
};

} // namespace

std::unique_ptr<App> make_sparse(MPI_Comm comm, int side) { return std::make_unique<Sparse>(comm, side); }

} // namespace apps
