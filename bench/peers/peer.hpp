// SPDX-License-Identifier: BSD-3-Clause
// The programs beside this file share this: the same work by mpiortho and by another library, in turns.
//     mpiexec -n P PROGRAM [SECONDS [PATTERNS [SIDE...]]]
// SECONDS are those of a way for each line of the table; 0 is a call.  PATTERNS is a folder that
// bench/irregular/patterns.py has written for so many processes, or "-".  SIDE is the number of cells in
// each dimension of a box.
#pragma once

#include <mpiortho.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/irregular/pattern.hpp"

namespace peer {

/// The value of a word of an element: arithmetic knows it on all processes.
inline double value(MPI_Count element, int words, int word, int round)
{
    return static_cast<double>((element * words + word) * 64 + round % 64);
}

/// Some elements of an array: where they lie, and their numbers in the whole.
struct Elements {
    std::vector<std::size_t> at;
    std::vector<MPI_Count> numbers;
    std::vector<int> times; ///< the value is there so many times; once if empty

    void add(std::size_t place, MPI_Count number)
    {
        at.push_back(place);
        numbers.push_back(number);
    }
    void write(double* array, int words, int round) const
    {
        for (std::size_t i = 0; i < at.size(); ++i)
            for (int w = 0; w < words; ++w)
                array[at[i] * static_cast<std::size_t>(words) + static_cast<std::size_t>(w)] = value(
                    numbers[i], words, w, round);
    }
    bool are_right(const double* array, int words, int round) const
    {
        for (std::size_t i = 0; i < at.size(); ++i)
            for (int w = 0; w < words; ++w)
                if (array[at[i] * static_cast<std::size_t>(words) + static_cast<std::size_t>(w)] !=
                    (times.empty() ? 1 : times[i]) * value(numbers[i], words, w, round))
                    return false;
        return true;
    }
};

/// One way to do the work.
struct Way {
    std::string name;               ///< mpiortho, or the peer's set-up
    std::function<void(int)> write; ///< what this process contributes, before each call
    std::function<void()> call;
    std::function<bool(int)> is_right; ///< has this process got what it should?
};

/// Compares ways, and prints the table: a line for each work.
class Table {
public:
    Table(const char* peer, int argc, char** argv) : peer_(peer)
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &processes);
        if (argc > 1) seconds_ = std::atof(argv[1]);
        if (argc > 2 && argv[2] != std::string("-")) patterns_ = argv[2];
        for (int i = 3; i < argc; ++i) sides.push_back(std::atoi(argv[i]));
        if (argc <= 3) sides = {16, 32, 64, 128};
        if (rank == 0)
            std::printf("# %-8s  %-24s  %12s  %12s  %6s  %s\n", "peer", "work", "mpiortho us", "peer us",
                        "ratio", "ways of the peer");
    }
    ~Table()
    {
        if (wrong_ > 0) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    /// The first way is ours.
    void compare(const std::string& work, const std::vector<Way>& ways)
    {
        std::vector<std::vector<double>> times(ways.size());
        std::vector<int> batch(ways.size());
        for (std::size_t w = 0; w < ways.size(); ++w) { // the first calls are no samples
            sample(work, ways[w], 1);
            const double call = std::max(sample(work, ways[w], seconds_ > 0 ? 5 : 1), 1e-7);
            batch[w] = std::max(1, static_cast<int>(seconds_ / samples / call));
        }
        for (int s = 0; s < (seconds_ > 0 ? samples : 1); ++s)
            for (std::size_t turn = 0; turn < ways.size(); ++turn) {
                const std::size_t w = (static_cast<std::size_t>(s) + turn) % ways.size();
                times[w].push_back(sample(work, ways[w], batch[w]));
            }
        for (auto& list : times) std::sort(list.begin(), list.end());
        if (rank != 0) return;
        const auto median = [&](std::size_t w) { return times[w][times[w].size() / 2] * 1e6; };
        std::size_t best = 1;
        for (std::size_t w = 1; w < ways.size(); ++w)
            if (median(w) < median(best)) best = w;
        std::printf("%-10s  %-24s  %12.2f  %12.2f  %6.2f ", peer_, work.c_str(), median(0), median(best),
                    median(best) / median(0));
        for (std::size_t w = 1; w < ways.size(); ++w)
            std::printf(" %s %.2f", ways[w].name.c_str(), median(w));
        std::printf("\n");
        std::fflush(stdout);
    }

    /// Calls a function with each pattern and its name.
    template <class F>
    void for_patterns(const F& f) const
    {
        if (patterns_.empty()) return;
        for (const char* name : {"tri", "tet", "bricks", "near", "power", "random"})
            f(Pattern(patterns_ + '/' + name, rank, processes), std::string(name));
    }
    /// Calls a function with each box.
    template <class F>
    void for_boxes(const F& f) const;

    int rank = 0, processes = 0;
    std::vector<int> sides;

private:
    static constexpr int samples = 11;

    /// The time of a call on the slowest process.
    double sample(const std::string& work, const Way& way, int batch)
    {
        double seconds = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < batch; ++i) {
            way.write(++round_);
            const double begin = MPI_Wtime();
            way.call();
            seconds += MPI_Wtime() - begin;
        }
        seconds /= batch;
        int wrong = way.is_right(round_) ? 0 : 1;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (wrong > 0 && rank == 0)
            std::printf("WRONG VALUES: %s %s %s\n", peer_, work.c_str(), way.name.c_str());
        wrong_ += wrong;
        return seconds;
    }

    const char* peer_;
    double seconds_ = 0.2;
    std::string patterns_;
    int round_ = 0, wrong_ = 0;
};

/// A periodic box of cells, divided among all processes: a halo fills the ghosts around each part.
struct Box {
    int side, depth;
    bool corners;                   ///< a box has them, a star does not
    std::array<int, 3> processes{}; ///< the last dimension varies fastest, in cells and in ranks
    std::array<int, 3> coordinates{}, extents{};

    Box(const Table& table, int the_side, int the_depth, bool with_corners)
        : side(the_side),
          depth(the_depth),
          corners(with_corners)
    {
        MPI_Dims_create(table.processes, 3, processes.data());
        for (std::size_t k = 3, rest = static_cast<std::size_t>(table.rank); k-- > 0;) {
            coordinates[k] = static_cast<int>(rest % static_cast<std::size_t>(processes[k]));
            rest /= static_cast<std::size_t>(processes[k]);
            extents[k] = side / processes[k];
        }
    }
    /// The cells of one kind in an array with so many layers around the owned cells.
    Elements elements(bool ghosts, int layers) const
    {
        Elements result;
        std::array<int, 3> c{};
        for (c[0] = -depth; c[0] < extents[0] + depth; ++c[0])
            for (c[1] = -depth; c[1] < extents[1] + depth; ++c[1])
                for (c[2] = -depth; c[2] < extents[2] + depth; ++c[2]) {
                    int outside = 0, near = 0;
                    MPI_Count place = 0, number = 0;
                    for (std::size_t k = 0; k < 3; ++k) {
                        if (c[k] < 0 || c[k] >= extents[k]) ++outside;
                        if (c[k] < depth || c[k] >= extents[k] - depth) ++near;
                        place = place * (extents[k] + 2 * layers) + c[k] + layers;
                        number = number * side + (coordinates[k] * extents[k] + c[k] + side) % side;
                    }
                    if (ghosts ? outside == 1 || (outside > 1 && corners) : outside == 0 && near > 0)
                        result.add(static_cast<std::size_t>(place), number);
                }
        return result;
    }
    /// The owned cells that others have copies of.
    Elements sent(int layers) const { return elements(false, layers); }
    Elements ghosts(int layers) const { return elements(true, layers); }
    bool divides() const
    {
        for (std::size_t k = 0; k < 3; ++k)
            if (side % processes[k] != 0 || extents[k] < depth) return false;
        return true;
    }
    std::string name(int words) const
    {
        return (corners ? "box " : "star ") + std::to_string(depth) + ' ' + std::to_string(side) + "^3 x" +
               std::to_string(words);
    }
    std::size_t cells(int layers) const
    {
        std::size_t n = 1;
        for (const int extent : extents) n *= static_cast<std::size_t>(extent + 2 * layers);
        return n;
    }
};

template <class F>
void Table::for_boxes(const F& f) const
{
    for (const bool corners : {false, true})
        for (const int depth : {1, 2})
            for (const int side : sides) {
                const Box box(*this, side, depth, corners);
                if (box.divides()) f(box);
            }
}

/// Our halo of a box, whose cells have so many words.
template <std::size_t Words>
Way our_halo(const Box& box)
{
    using Field = mpiortho::field<std::array<double, Words>, 3>;
    struct Ours {
        mpiortho::grid<3> grid;
        Field field;
        mpiortho::halo<3> halo;
        Elements sent, ghosts;
        explicit Ours(const Box& b)
            : grid(MPI_COMM_WORLD, {.sizes = b.processes,
                                    .periodic = {true, true, true},
                                    .stencil = b.corners ? mpiortho::moore<3>() : mpiortho::neumann<3>()}),
              field(b.extents, b.depth),
              halo(grid, field),
              sent(b.sent(b.depth)),
              ghosts(b.ghosts(b.depth))
        {}
        double* data() { return field.data()->data(); }
    };
    auto ours = std::make_shared<Ours>(box);
    return {"mpiortho", [=](int round) { ours->sent.write(ours->data(), Words, round); },
            [=] { ours->halo.run(); },
            [=](int round) { return ours->ghosts.are_right(ours->data(), Words, round); }};
}

/// The elements of a pattern in an array of owned elements with the ghosts behind them.
struct Places {
    Elements sent, ghosts, both, reduced;

    Places(const Pattern& pattern, int rank)
    {
        const MPI_Count begin = pattern.first[static_cast<std::size_t>(rank)];
        std::vector<int> copies(static_cast<std::size_t>(pattern.owned));
        for (const auto& [holder, list] : pattern.holders)
            for (const int i : list) ++copies[static_cast<std::size_t>(i)];
        for (std::size_t i = 0; i < copies.size(); ++i)
            if (copies[i] > 0) {
                sent.add(i, begin + static_cast<MPI_Count>(i));
                reduced.times.push_back(1 + copies[i]);
            }
        reduced.at = sent.at;
        reduced.numbers = sent.numbers;
        for (std::size_t g = 0; g < pattern.numbers.size(); ++g)
            ghosts.add(copies.size() + g, pattern.numbers[g]);
        both = sent;
        for (std::size_t g = 0; g < ghosts.at.size(); ++g) both.add(ghosts.at[g], ghosts.numbers[g]);
    }
};

/// Ours on an index map: ghosts get the values of their elements, or are added to them.
template <std::size_t Words>
Way our_ghosts(const Table& table, const Pattern& pattern, bool reverse)
{
    struct Ours {
        mpiortho::index_map map;
        std::vector<std::array<double, Words>> u;
        mpiortho::ghost_exchange exchange;
        Places places;
        Ours(const Pattern& p, int rank, bool back)
            : map(MPI_COMM_WORLD, p.owned, p.numbers),
              u(map.size()),
              exchange(back ? map.reduce(std::plus<>{}, u) : map.fill(u)),
              places(p, rank)
        {}
        double* data() { return u.data()->data(); }
    };
    auto ours = std::make_shared<Ours>(pattern, table.rank, reverse);
    return {"mpiortho",
            [=](int round) {
                (reverse ? ours->places.both : ours->places.sent).write(ours->data(), Words, round);
            },
            [=] { ours->exchange.run(); },
            [=](int round) {
                return (reverse ? ours->places.reduced : ours->places.ghosts)
                    .are_right(ours->data(), Words, round);
            }};
}

/// A peer's way on an array of owned elements with the ghosts behind them.
inline Way on_array(const std::string& name, const Table& table, const Pattern& pattern, std::size_t words,
                    bool reverse, const std::function<void(double* owned, double* ghosts)>& call)
{
    struct Array {
        std::vector<double> u;
        double* ghosts;
        Places places;
        Array(const Pattern& p, int rank, std::size_t n)
            : u((static_cast<std::size_t>(p.owned) + p.numbers.size()) * n),
              ghosts(u.data() + static_cast<std::size_t>(p.owned) * n),
              places(p, rank)
        {}
    };
    auto a = std::make_shared<Array>(pattern, table.rank, words);
    const int n = static_cast<int>(words);
    return {name,
            [=](int round) { (reverse ? a->places.both : a->places.sent).write(a->u.data(), n, round); },
            [=] { call(a->u.data(), a->ghosts); },
            [=](int round) {
                return (reverse ? a->places.reduced : a->places.ghosts).are_right(a->u.data(), n, round);
            }};
}

/// Both directions of a pattern, if it has ghosts, on elements of so many words.  `peers` makes the peer's
/// ways, if it has any.
template <std::size_t Words, class F>
void compare_ghosts(Table& table, const Pattern& pattern, const std::string& name, const F& peers)
{
    auto ghosts = static_cast<int>(pattern.numbers.size());
    MPI_Allreduce(MPI_IN_PLACE, &ghosts, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (ghosts == 0) return;
    for (const bool reverse : {false, true}) {
        std::vector<Way> ways{our_ghosts<Words>(table, pattern, reverse)};
        for (Way& way : peers(pattern, Words, reverse)) ways.push_back(std::move(way));
        if (ways.size() > 1)
            table.compare(name + (reverse ? " reverse x" : " x") + std::to_string(Words), ways);
    }
}

} // namespace peer
