// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a grid for a number of processes.  No MPI in this file.

#include "placement/dims.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "placement/boxes.hpp"
#include "placement/placement.hpp"
#include "placement/strips.hpp"

namespace ortho::placement {

namespace {

// With nodes, at most this number of balanced lists is compared.
constexpr std::size_t most_ways = 200;
// At most this number of boxes, or strips, is tried for each list.
constexpr int dims_effort = 3000;
// Placements are made where they take some milliseconds, for the lists that seem best.
constexpr std::int64_t most_placed = 2048;
constexpr std::size_t most_ways_placed = 8;
// No number of processes is a product of so many factors in as many ways.
constexpr std::size_t most_products = 200'000;

/// All non-increasing lists of `count` numbers with this product.
class Products {
public:
    Products(std::int64_t product, int count) : divisors_(base::divisors(product))
    {
        go(product, count, product);
    }

    std::vector<std::vector<int>> take() && { return std::move(found_); }

private:
    void go(std::int64_t left, int count, std::int64_t most)
    {
        if (found_.size() == most_products) return;
        if (count == 0) {
            if (left == 1) found_.push_back(list_);
            return;
        }
        // Small numbers first: lists that are left out at the end are far from balanced.
        for (const int number : divisors_) {
            if (number > most) break;
            if (left % number != 0 || !reaches(left, count, number)) continue;
            list_.push_back(number);
            go(left / number, count - 1, number);
            list_.pop_back();
        }
    }

    /// Is number^count at least `left`?
    static bool reaches(std::int64_t left, int count, std::int64_t number)
    {
        for (; count > 0 && left > 1; --count) {
            if (number == 1) return false;
            left = base::divided_up(left, number);
        }
        return left <= 1;
    }

    std::vector<int> divisors_;
    std::vector<int> list_;
    std::vector<std::vector<int>> found_;
};

/// The amount exchanged between slices of the cube, times the number of processes and on_node_share.
class Exchanged {
public:
    Exchanged(const std::vector<int>& dims, const grid::Nodes& nodes) : nodes_(nodes)
    {
        std::vector<int> step(dims.size());
        grid::Stencil steps(static_cast<int>(dims.size()));
        for (std::size_t k = 0; k < dims.size(); ++k) {
            all_ += static_cast<double>(nodes.processes()) * (dims[k] - 1.0);
            if (dims[k] == 1) continue;
            // A slice of a process is 1 / dims[k] thick, so a greater dims[k] makes its face larger.
            step[k] = 1;
            steps.push_back(step);
            step[k] = 0;
            weights_.push_back(dims[k]);
        }
        neighborhood_ = {grid::Grid(dims, std::vector<char>(dims.size())), steps};
    }

    /// Estimated from the cut of boxes, or the promise of strips.
    double estimate() const
    {
        double cut = std::numeric_limits<double>::max();
        const int size = nodes_.size(0);
        if (std::ranges::all_of(nodes_.sizes(), [&](int other) { return other == size; }))
            if (std::optional<std::vector<int>> box = best_box(neighborhood_, weights_, size, dims_effort)) {
                for (std::size_t k = 0; k < box->size(); ++k)
                    (*box)[k] = neighborhood_.grid.size(static_cast<int>(k)) / (*box)[k];
                cut = static_cast<double>(cut_of_boxes(neighborhood_, weights_, *box));
            }
        for (const Strips& strips : promising_strips(neighborhood_, weights_, nodes_.count(), 1, dims_effort))
            cut = std::min(cut, std::round(strips.promise));
        return all_ + (on_node_share - 1) * cut;
    }

    /// Counted on a placement.
    double truth() const
    {
        const std::vector<Proposal> proposals = propose(neighborhood_, weights_, nodes_);
        return all_ + (on_node_share - 1) * static_cast<double>(best_of(proposals).cut.total);
    }

private:
    const grid::Nodes& nodes_;
    grid::Neighborhood neighborhood_;
    std::vector<std::int64_t> weights_;
    double all_ = 0; // the amount if there were no nodes
};

/// A text like "3 x 0".
std::string sizes_text(std::span<const int> sizes)
{
    std::string result;
    for (const int size : sizes) result += base::text(result.empty() ? "" : " x ", size);
    return result;
}

} // namespace

std::vector<int> choose_dims(std::int64_t processes, std::span<const int> given, const grid::Nodes* nodes)
{
    using base::ErrorKind;
    std::int64_t product = 1;
    int free = 0;
    for (std::size_t k = 0; k < given.size(); ++k) {
        base::require(given[k] >= 0, ErrorKind::dims, "dims", "dims[", k, "] = ", given[k], " is negative");
        if (given[k] == 0)
            ++free;
        else
            product *= given[k];
        base::require(product <= processes && processes % product == 0, ErrorKind::dims, "dims", processes,
                      " processes make no grid of ", sizes_text(given), ", where 0 is any size: ", product,
                      " does not divide ", processes);
    }
    base::require(free > 0 || product == processes, ErrorKind::dims, "dims",
                  "all sizes are given, and they are ", product, ", not ", processes, " processes");

    std::vector<std::vector<int>> ways = Products(processes / product, free).take();
    const auto sum = [](const std::vector<int>& way) {
        return std::accumulate(way.begin(), way.end(), std::int64_t{0});
    };
    const auto is_more_balanced = [&](const std::vector<int>& a, const std::vector<int>& b) {
        return sum(a) != sum(b) ? sum(a) < sum(b) : a < b;
    };
    const auto with_given = [&](const std::vector<int>& way) {
        std::vector<int> result(given.begin(), given.end());
        auto next = way.begin();
        for (int& size : result)
            if (size == 0) size = *next++;
        return result;
    };
    if (nodes == nullptr || nodes->count() <= 1)
        return with_given(*std::ranges::min_element(ways, is_more_balanced));

    std::ranges::sort(ways, is_more_balanced);
    if (ways.size() > most_ways) ways.resize(most_ways);
    const auto sort_by = [&](auto&& cost_of) {
        std::vector<std::pair<double, std::vector<int>>> costs;
        for (std::vector<int>& way : ways) {
            const double cost = cost_of(Exchanged(with_given(way), *nodes));
            costs.emplace_back(cost, std::move(way));
        }
        std::ranges::stable_sort(costs, {}, &std::pair<double, std::vector<int>>::first);
        for (std::size_t i = 0; i < ways.size(); ++i) ways[i] = std::move(costs[i].second);
    };
    sort_by([](const Exchanged& exchanged) { return exchanged.estimate(); });
    if (processes <= most_placed) {
        if (ways.size() > most_ways_placed) ways.resize(most_ways_placed);
        std::ranges::sort(ways, is_more_balanced);
        sort_by([](const Exchanged& exchanged) { return exchanged.truth(); });
    }
    return with_given(ways.front());
}

} // namespace ortho::placement
