// SPDX-License-Identifier: BSD-3-Clause
// The partial results of a stencil reduction, each once.  No MPI in this file.

#include "algorithm/partial_results.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "algorithm/offset_steps.hpp"

namespace ortho::algorithm {

PartialResults::PartialResults(const grid::Neighborhood& neighborhood, const Groups& groups)
{
    const grid::Stencil& offsets = neighborhood.offsets;
    const OffsetSteps along(neighborhood, groups);
    std::vector<std::vector<int>> number; // by group and offset: the number of the step
    for (const std::vector<int>& columns : along.columns) {
        OffsetTuples tuples = number_tuples(along.steps, columns);
        auto& steps = steps_.emplace_back(at(tuples.distinct),
                                          std::vector<int>(at(neighborhood.dimensions()), 0));
        for (int i = 0; i < offsets.size(); ++i)
            for (const int column : columns)
                steps[at(tuples.number[at(i)])][at(along.dimension[at(column)])] = along.steps(i, column);
        zero_.push_back(tuples.zero);
        number.push_back(std::move(tuples.number));
    }

    // Sorted by the last group's step first, offsets with one place of a partial result lie together.
    const int m = static_cast<int>(groups.size());
    std::vector<int> order(at(offsets.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto agree_after = [&](int a, int b, int j) {
        for (int g = m; --g > j;)
            if (number[at(g)][at(a)] != number[at(g)][at(b)]) return false;
        return true;
    };
    std::ranges::sort(order, [&](int a, int b) {
        for (int g = m; g-- > 0;)
            if (number[at(g)][at(a)] != number[at(g)][at(b)])
                return number[at(g)][at(a)] < number[at(g)][at(b)];
        return false;
    });

    struct Place {
        int offset; // any offset that shares it
        Part part;  // of the partial result of the next level
    };
    std::vector<Place> places;
    for (const int i : order) {
        if (!places.empty() && agree_after(places.back().offset, i, -1))
            ++places.back().part.times;
        else
            places.push_back({i, {0, 0, 1}});
    }
    for (int j = 0; j < m; ++j) {
        std::map<std::vector<Part>, int> numbers;
        std::vector<Place> next;
        for (std::size_t begin = 0; begin < places.size();) {
            std::vector<Part> parts;
            std::size_t end = begin;
            for (; end < places.size() && agree_after(places[begin].offset, places[end].offset, j); ++end) {
                parts.push_back(places[end].part);
                parts.back().step = number[at(j)][at(places[end].offset)];
            }
            const auto [entry, is_new] = numbers.try_emplace(std::move(parts),
                                                             static_cast<int>(numbers.size()));
            next.push_back({places[begin].offset, {0, entry->second, 1}});
            begin = end;
        }
        auto& level = levels_.emplace_back(numbers.size());
        while (!numbers.empty()) {
            auto node = numbers.extract(numbers.begin());
            level[at(node.mapped())] = std::move(node.key());
        }
        places = std::move(next);
    }
}

} // namespace ortho::algorithm
