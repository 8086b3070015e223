// SPDX-License-Identifier: BSD-3-Clause
// Finds a grid on which the edges of processes are one stencil, when nobody has named one.  No MPI in this
// file.

#include "grid/grid_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/hash.hpp"
#include "base/index.hpp"
#include "grid/isomorphism.hpp"
#include "grid/stencil.hpp"

namespace ortho::grid {

namespace {

/// All processes are asked if they are so few.
constexpr int few_processes = 64;
constexpr std::size_t most_asked = 1024;
/// Grids whose stencil is computed, at most: any grid is one for the edges of everybody to everybody.
constexpr int most_compared = 64;

/// A dimension of a grid by the ranks: `stride` is the difference of ranks at one step.
struct Dimension {
    int stride, size;
    bool periodic;

    int coordinate(int rank) const { return rank / stride % size; }
    /// The process one step ahead; `gap` behind the border.
    int next(int rank) const
    {
        if (coordinate(rank) < size - 1) return rank + stride;
        return periodic ? rank - (size - 1) * stride : gap;
    }
};

/// Is the one list the other one, a step ahead in the dimension, but for what begins or ends at a border?
/// The lists are sorted.
bool is_ahead(const Dimension& dimension, const std::vector<int>& here, const std::vector<int>& ahead)
{
    std::vector<int> moved;
    for (const int partner : here)
        if (const int next = dimension.next(partner); next != gap) moved.push_back(next);
    std::ranges::sort(moved);
    const auto is_new = [&](int partner) {
        return !dimension.periodic && dimension.coordinate(partner) == 0;
    };
    return std::ranges::equal(moved, ahead | std::views::filter([&](int p) { return !is_new(p); }));
}

long long mixed(long long a, long long b)
{
    const std::uint64_t hash = base::hash_of(std::array{a, b}) * 0x9e3779b97f4a7c15U;
    return static_cast<long long>(hash ^ hash >> 32U);
}

class Search {
public:
    Search(int processes, const std::vector<LocalGraph>& known)
        : processes_(processes),
          known_(known),
          divisors_(base::divisors(processes))
    {
        for (const LocalGraph& graph : known) {
            sorted_.push_back({graph.rank, graph.sources, graph.targets});
            for (auto* const list : {&sorted_.back().sources, &sorted_.back().targets}) {
                std::erase(*list, gap);
                std::ranges::sort(*list);
            }
        }
        find_dimensions();
    }

    std::optional<Grid> best()
    {
        std::vector<Dimension> chosen;
        for (int d = 1; d <= most_searched_dimensions; ++d) choose(chosen, processes_, d);
        return std::move(best_);
    }

private:
    const LocalGraph* find(int rank) const
    {
        const auto found = std::ranges::lower_bound(sorted_, rank, {}, &LocalGraph::rank);
        return found != sorted_.end() && found->rank == rank ? &*found : nullptr;
    }

    /// Do the edges of known processes one step apart differ by that step?
    bool is_possible(const Dimension& dimension) const
    {
        return std::ranges::all_of(sorted_, [&](const LocalGraph& here) {
            const int next = dimension.next(here.rank);
            const LocalGraph* const ahead = next != gap ? find(next) : nullptr;
            return ahead == nullptr || (is_ahead(dimension, here.targets, ahead->targets) &&
                                        is_ahead(dimension, here.sources, ahead->sources));
        });
    }

    void find_dimensions()
    {
        for (const int stride : divisors_)
            for (const int size : divisors_) {
                if (size == 1 || processes_ / stride % size != 0) continue;
                // A ring is a path with two more offsets, too.
                for (const bool periodic : {true, false})
                    if (const Dimension one{stride, size, periodic}; is_possible(one)) {
                        dimensions_.push_back(one);
                        break;
                    }
            }
    }

    /// Tries all grids of `left` more dimensions, the next of which has the strides below `above`.
    void choose(std::vector<Dimension>& chosen, int above, int left)
    {
        if (left == 0 || above == 1) {
            if (left == 0 && above == 1) compare(chosen);
            return;
        }
        for (const Dimension& one : dimensions_) {
            if (one.stride != above / one.size || above % one.size != 0) continue;
            chosen.push_back(one);
            choose(chosen, one.stride, left - 1);
            chosen.pop_back();
        }
    }

    void compare(const std::vector<Dimension>& chosen)
    {
        if (compared_++ >= most_compared) return;
        std::vector<int> sizes;
        std::vector<char> periodic;
        for (const Dimension& one : chosen) {
            sizes.push_back(one.size);
            periodic.push_back(one.periodic ? 1 : 0);
        }
        const Grid grid(sizes, std::move(periodic));
        std::vector<Stencil> lists;
        for (const LocalGraph* const one : knowing_all(grid))
            lists.push_back(edge_offsets(grid, one->rank, one->targets, Direction::out));
        const Neighborhood neighborhood = merge_corners(grid, lists);
        const auto cost = std::pair(hops(neighborhood.offsets), neighborhood.size());
        if (cost >= best_cost_) return;
        if (!std::ranges::all_of(known_,
                                 [&](const LocalGraph& one) { return match(neighborhood, one).has_value(); }))
            return;
        best_cost_ = cost;
        best_ = grid;
    }

    /// Known processes that together know the stencil on a grid, as far as all of them do.
    std::vector<const LocalGraph*> knowing_all(const Grid& grid) const
    {
        std::vector<const LocalGraph*> result;
        for (const int corner : corners(grid)) result.push_back(find(corner));
        if (std::ranges::find(result, nullptr) == result.end()) return result;
        result.clear();
        for (const LocalGraph& one : sorted_) result.push_back(&one);
        return result;
    }

    /// The messages of a process that sends blocks along one dimension at a time.
    static int hops(const Stencil& offsets)
    {
        int result = 0;
        std::vector<int> steps(at(offsets.size()));
        for (int k = 0; k < offsets.dimensions(); ++k) {
            for (int i = 0; i < offsets.size(); ++i) steps[at(i)] = offsets(i, k);
            std::ranges::sort(steps);
            const auto rest = std::ranges::unique(steps);
            result += static_cast<int>(rest.begin() - steps.begin()) -
                      (std::ranges::find(steps.begin(), rest.begin(), 0) != rest.begin() ? 1 : 0);
        }
        return result;
    }

    int processes_;
    const std::vector<LocalGraph>& known_;
    std::vector<int> divisors_;
    std::vector<LocalGraph> sorted_; ///< the known graphs with sorted lists, without gaps
    std::vector<Dimension> dimensions_;
    int compared_ = 0;
    std::pair<int, int> best_cost_{std::numeric_limits<int>::max(), 0};
    std::optional<Grid> best_;
};

} // namespace

MirrorHashes::MirrorHashes(int processes, int from, int to)
    : original(mixed(from, to)),
      mirror(mixed(processes - 1 - to, processes - 1 - from))
{}

MirrorHashes::MirrorHashes(int processes, const LocalGraph& graph)
{
    // The order of the edges does not count.
    unsigned long long targets = 0;
    unsigned long long sources = 0;
    for (const int target : graph.targets)
        if (target != gap) targets += static_cast<unsigned long long>(mixed(target - graph.rank, 0));
    for (const int source : graph.sources)
        if (source != gap) sources += static_cast<unsigned long long>(mixed(graph.rank - source, 0));
    original = mixed(graph.rank, static_cast<long long>(targets));
    mirror = mixed(processes - 1 - graph.rank, static_cast<long long>(sources));
}

std::vector<int> searched_ranks(int processes)
{
    std::vector<int> ranks;
    if (processes <= few_processes) {
        for (int i = 0; i < processes; ++i) ranks.push_back(i);
        return ranks;
    }
    // Pairs that are one step apart, for each stride: at the ends of the grid and of each coordinate, and
    // somewhere in between.
    std::vector<int> begins{0, processes - 1, processes, processes / 3 + processes / 7};
    for (const int factor : base::prime_factors(processes)) begins.push_back(processes / factor);
    for (const int begin : begins)
        for (const int stride : base::divisors(processes))
            for (const int rank : {begin, begin - stride, begin + stride})
                if (rank >= 0 && rank < processes) ranks.push_back(rank);
    std::ranges::sort(ranks);
    const auto repeated = std::ranges::unique(ranks);
    ranks.erase(repeated.begin(), repeated.end());
    if (ranks.size() > most_asked) ranks.resize(most_asked);
    return ranks;
}

std::optional<Grid> find_grid(int processes, const std::vector<LocalGraph>& known)
{
    return Search(processes, known).best();
}

} // namespace ortho::grid
