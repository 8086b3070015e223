// SPDX-License-Identifier: BSD-3-Clause
// Conway's Game of Life on a torus, block by block over any number of processes.
//
// The halo travels by ORTHO_Halo_init on a graph of eight neighbors, the population is counted by
// ORTHO_Allreduce on the base communicator.

#include <mpi.h>
#include <mpiortho.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "colors.hpp"
#include "halo.hpp"
#include "picture.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "rle.hpp"
#include "tiles.hpp"

namespace {

using Cell = std::uint8_t;
constexpr Cell never = 255; // the age of a cell that has not lived

/// How many processes share the rows and the columns: as many as can have a cell each, their
/// blocks as square as may be.
Extent process_grid(int processes, const Extent& cells)
{
    for (int p = processes;; --p) {
        Extent best{0, 0};
        long long best_border = 0;
        for (int rows = 1; rows <= p; ++rows) {
            const int columns = p / rows;
            if (rows * columns != p || rows > cells.rows || columns > cells.columns) continue;
            const long long border = (cells.rows + rows - 1) / rows + (cells.columns + columns - 1) / columns;
            if (best.rows == 0 || border < best_border) {
                best = {rows, columns};
                best_border = border;
            }
        }
        if (best.rows != 0) return best;
    }
}

/// One process's cells, with ghosts around them.
class Block {
public:
    Block(MPI_Comm comm, const Extent& cells, const Extent& processes)
        : tiles_(comm, cells, processes),
          rows_(tiles_.rows()),
          columns_(tiles_.columns()),
          now_(size()),
          next_(size()),
          halo_(comm, rows_.size, columns_.size, MPI_UINT8_T)
    {}

    void set(int row, int column)
    {
        row -= rows_.begin;
        column -= columns_.begin;
        if (row >= 0 && row < rows_.size && column >= 0 && column < columns_.size)
            now_[at(row + 1, column + 1)] = 1;
    }

    void step()
    {
        halo_.exchange(now_.data());
        for (int r = 1; r <= rows_.size; ++r) {
            const Cell* const above = &now_[at(r - 1, 0)];
            const Cell* const here = &now_[at(r, 0)];
            const Cell* const below = &now_[at(r + 1, 0)];
            Cell* const result = &next_[at(r, 0)];
            for (int c = 1; c <= columns_.size; ++c) {
                const int neighbors = above[c - 1] + above[c] + above[c + 1] + here[c - 1] + here[c + 1] +
                                      below[c - 1] + below[c] + below[c + 1];
                // Born with three, stays with two or three.
                result[c] = static_cast<Cell>((neighbors | here[c]) == 3);
            }
        }
        now_.swap(next_);
    }

    /// After a step: how long ago each cell has lived, `never` at most.
    void age()
    {
        if (ages_.empty()) ages_.assign(size(), never);
        for (std::size_t i = 0; i < ages_.size(); ++i) {
            const int older = ages_[i] == never ? never : ages_[i] + 1;
            ages_[i] = static_cast<Cell>(now_[i] != 0 ? 0 : older);
        }
    }

    long long population() const
    {
        long long mine = 0;
        for (int r = 1; r <= rows_.size; ++r)
            for (int c = 1; c <= columns_.size; ++c) mine += now_[at(r, c)];
        long long all = 0;
        ORTHO_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, halo_.base());
        return all;
    }

    /// The whole board at rank 0, and the ages of all cells.
    std::vector<Cell> gather() const { return tiles_.gather(now_, MPI_UINT8_T, 1); }
    std::vector<Cell> gather_ages() const { return tiles_.gather(ages_, MPI_UINT8_T, 1); }

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

    Tiles tiles_;
    Part rows_;
    Part columns_;
    std::vector<Cell> now_;
    std::vector<Cell> next_;
    std::vector<Cell> ages_;
    Halo halo_;
};

struct Options {
    std::string pattern;
    std::string grid = "1024x1024";
    long long generations = 0;
    std::string png;
    bool traces = false;
};

/// Light where a cell lives; where it has lived the color fades, slower and slower.
Color color_of_age(Cell age)
{
    if (age == 0) return sequential_color(1);
    return sequential_color(0.75 * (1 - std::log(age) / std::log(never)));
}

/// The board on white, or its traces; at most a few thousand pixels a side, a pixel for a cell or a square of
/// cells.
void write_png(const std::vector<Cell>& board, const std::vector<Cell>& ages, const Extent& cells,
               const std::string& file)
{
    const int larger = cells.rows > cells.columns ? cells.rows : cells.columns;
    const int shrink = (larger + 2047) / 2048;
    const int grow = larger < 512 ? 512 / larger : 1;
    const int rows = (cells.rows + shrink - 1) / shrink;
    const int columns = (cells.columns + shrink - 1) / shrink;
    Picture picture(rows * grow, columns * grow);
    for (int r = 0; r < cells.rows; ++r) {
        for (int c = 0; c < cells.columns; ++c) {
            const std::size_t cell = static_cast<std::size_t>(r) * static_cast<std::size_t>(cells.columns) +
                                     static_cast<std::size_t>(c);
            if (ages.empty() && board[cell] == 0) continue;
            const Color color = ages.empty() ? Color{20, 60, 120} : color_of_age(ages[cell]);
            for (int i = 0; i < grow * grow; ++i)
                picture.set(r / shrink * grow + i / grow, c / shrink * grow + i % grow, color.red,
                            color.green, color.blue);
        }
    }
    picture.write(file);
}

/// Rank 0 reads the pattern; all get it, centred on the board.
std::vector<int> read_cells(const Options& options, Extent& cells)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<int> flat;
    std::string failure;
    if (rank == 0) {
        try {
            cells = parse_extent(options.grid);
            std::ifstream in(options.pattern);
            if (!in) throw std::runtime_error("cannot open " + options.pattern);
            Pattern pattern;
            try {
                pattern = read_rle(in);
            } catch (const PatternError& error) {
                throw std::runtime_error(options.pattern + ": " + error.what());
            }
            if (pattern.rows > cells.rows || pattern.columns > cells.columns)
                throw std::runtime_error(options.pattern + ": a pattern of " + std::to_string(pattern.rows) +
                                         "x" + std::to_string(pattern.columns) + " cells on a grid of " +
                                         options.grid);
            for (const auto& [row, column] : pattern.cells) {
                flat.push_back(row + (cells.rows - pattern.rows) / 2);
                flat.push_back(column + (cells.columns - pattern.columns) / 2);
            }
        } catch (const std::exception& error) {
            failure = error.what();
        }
    }
    end_if_failed(failure, "life", MPI_COMM_WORLD);
    int sizes[] = {static_cast<int>(flat.size()), cells.rows, cells.columns};
    ORTHO_Bcast(sizes, 3, MPI_INT, 0, MPI_COMM_WORLD);
    cells = {sizes[1], sizes[2]};
    flat.resize(static_cast<std::size_t>(sizes[0]));
    ORTHO_Bcast(flat.data(), sizes[0], MPI_INT, 0, MPI_COMM_WORLD);
    return flat;
}

void run(const Options& options)
{
    Extent cells{0, 0};
    const std::vector<int> pattern = read_cells(options, cells);

    // On a tiny board not every process has a cell; those that have none watch.
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const Extent processes = process_grid(size, cells);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < processes.rows * processes.columns ? 0 : MPI_UNDEFINED, rank,
                   &comm);
    std::string failure;
    if (comm != MPI_COMM_NULL) {
        const int order[] = {processes.rows, processes.columns};
        const int periodic[] = {1, 1};
        int points = 0;
        ORTHO_Cart_name(comm, 2, ORTHO_ROWMAJOR, order, periodic, &points);
        Block block(comm, cells, processes);
        for (std::size_t i = 0; i < pattern.size(); i += 2) block.set(pattern[i], pattern[i + 1]);

        Progress progress("generation", options.generations);
        for (long long generation = 0; generation < options.generations; ++generation) {
            block.step();
            if (options.traces) block.age();
            if (rank == 0) progress.at(generation + 1);
        }
        if (rank == 0) progress.hide();
        const long long population = block.population();
        if (!options.png.empty()) {
            const std::vector<Cell> board = block.gather();
            const std::vector<Cell> ages = options.traces ? block.gather_ages() : std::vector<Cell>();
            try {
                if (rank == 0) write_png(board, ages, cells, options.png);
            } catch (const std::exception& error) {
                failure = error.what();
            }
        }
        if (rank == 0) std::printf("generation %lld population %lld\n", options.generations, population);
    }
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    end_if_failed(failure, "life", MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Options options;
    CommandLine line("Conway's Game of Life on a torus, under mpiexec with any number of processes", "life");
    line.add_option("pattern", options.pattern, "the pattern to start with, an .rle file").required();
    line.add_option("--grid", options.grid, "rows x columns of the torus");
    line.add_option("--generations", options.generations, "how many generations to run").not_negative();
    line.add_option("--png", options.png, "write the last generation to this PNG file");
    line.add_flag("--traces", options.traces, "color the cells by when they lived last");
    parse_or_end(line, argc, argv);
    run(options);
    MPI_Finalize();
    return 0;
}
