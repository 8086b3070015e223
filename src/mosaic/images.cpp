// SPDX-License-Identifier: BSD-3-Clause
// The places that are one point, seen from a tile and beyond it.  No MPI in this file.

#include "mosaic/images.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::mosaic {

namespace {

Images::Order order_of(std::int64_t a, std::int64_t b)
{
    return a < b ? Images::Order::less : a > b ? Images::Order::greater : Images::Order::equal;
}

} // namespace

/// The order of slope * position and a number, for the positions in dimension k.
Images::Order Images::compare(std::size_t k, std::int64_t slope, std::int64_t number)
{
    const Box& elements = positions_.elements;
    const auto at_element = [&](std::int64_t element) {
        return order_of(slope * (2 * element + positions_.offset[k]), number);
    };
    const Order first = at_element(elements.first[k]);
    if (first == at_element(elements.end(k) - 1)) return first;
    // Cut before the first element that does not lie before the number, unless it is the first of all.
    const std::int64_t numerator = (slope < 0 ? -number : number) - std::abs(slope) * positions_.offset[k];
    const std::int64_t denominator = 2 * std::abs(slope);
    const std::int64_t element = numerator / denominator + (numerator % denominator > 0 ? 1 : 0);
    cut_ = {k, std::max(element, elements.first[k] + 1)};
    return Order::mixed;
}

Images::Order Images::compare(const Image& image, std::size_t j, std::int64_t number)
{
    return compare(image.map.source(j), image.map.sign[j], number - image.map.origin[j]);
}

Images::Order Images::compare(const Image& a, const Image& b, std::size_t j)
{
    const std::size_t k = a.map.source(j);
    if (b.map.source(j) == k)
        return compare(k, a.map.sign[j] - b.map.sign[j], b.map.origin[j] - a.map.origin[j]);
    const Range its = range(a, j);
    const Range others = range(b, j);
    if (its.last < others.first) return Order::less;
    if (its.first > others.last) return Order::greater;
    if (others.first == others.last) return compare(a, j, others.first);
    if (its.first == its.last) {
        const Order order = compare(b, j, its.first);
        return order == Order::less ? Order::greater : order == Order::greater ? Order::less : order;
    }
    cut_ = {k, positions_.elements.first[k] + positions_.elements.count[k] / 2}; // they meet along a diagonal
    return Order::mixed;
}

Images::Order Images::compare(const Image& a, const Image& b)
{
    for (std::size_t j = 0; j < d_; ++j)
        if (const Order order = compare(a, b, j); order != Order::equal) return order;
    return Order::equal;
}

/// Equal, or anything else, or mixed.
Images::Order Images::are_at_one_place(const Image& a, const Image& b)
{
    if (a.tile != b.tile) return Order::less;
    Order result = Order::equal;
    for (std::size_t j = 0; j < d_; ++j) {
        const Order order = compare(a, b, j);
        if (order == Order::mixed)
            result = order;
        else if (order != Order::equal)
            return order;
    }
    return result;
}

std::size_t Images::root(std::size_t point) const
{
    while (points_[point] != point) point = points_[point];
    return point;
}

/// True if it makes no difference by which of two ways one has come to a place.
bool Images::is_same_way(const Image& a, const Image& b) const
{
    if (kind_ == Kind::scalar || kind_ == Kind::position) return true;
    const std::size_t there = a.map.target(component_);
    return b.map.target(component_) == there && a.map.sign[there] == b.map.sign[there];
}

/// Adds an image, unless there is a shorter way to its place, or the same way.  Shorter ways come first; of
/// equal ways the least shift counts.
bool Images::add(const Image& image, std::optional<std::size_t> point)
{
    bool is_known = false;
    for (State& state : states_) {
        if (!state.is_inside && state.point.has_value() != point.has_value()) continue;
        const Order order = are_at_one_place(state.image, image);
        if (order == Order::mixed) return false;
        if (order != Order::equal) continue;
        if (point && state.point) points_[root(*point)] = root(*state.point);
        if (state.is_inside) point = state.point;
        const bool is_longer = image.crossings > state.image.crossings;
        if (!is_longer && !is_same_way(state.image, image)) continue;
        is_known = true;
        if (!is_longer) state.image.shift = std::min(state.image.shift, image.shift);
    }
    if (is_known) return true;
    constexpr std::size_t most_states = 1000;
    base::require(states_.size() < most_states, base::ErrorKind::arg, "contacts",
                  "contacts lead around tile ", image.tile, " without end");
    State state{image, point};
    for (std::size_t k = 0; k < d_; ++k) {
        const Order begin = compare(image, k, 0);
        const Order end = begin == Order::mixed ? begin : compare(image, k, 2 * tiles_.size(image.tile)[k]);
        if (end == Order::mixed) return false;
        state.beyond[k] = begin == Order::less ? -1 : end == Order::greater ? 1 : 0;
    }
    state.is_inside = std::ranges::count(state.beyond, 0) == std::ssize(state.beyond);
    if (state.is_inside && !point) {
        state.point = points_.size();
        points_.push_back(points_.size());
    }
    states_.push_back(state);
    return true;
}

/// Order::equal if a contact covers a place on its side.  Places beyond its ends count as the ends.
Images::Order Images::covers(const Contact& contact, const Image& image)
{
    const Index& size = tiles_.size(contact.tile);
    for (std::size_t m = 0; m < d_; ++m) {
        if (m == contact.along()) continue;
        const std::int64_t begin = contact.part.first[m];
        const std::int64_t end = contact.part.end(m);
        if (begin > 0) {
            const Order order = compare(image, m, 2 * begin);
            if (order == Order::less || order == Order::mixed) return order;
        }
        if (end < size[m]) {
            const Order order = compare(image, m, 2 * end);
            if (order == Order::greater || order == Order::mixed) return order;
        }
    }
    return Order::equal;
}

/// Order::equal if a place in a tile lies on the side of a contact, or in its seam.
Images::Order Images::is_in_seam(const Contact& contact, const Image& image)
{
    const std::int64_t size = tiles_.size(contact.tile)[contact.along()];
    const Order order = compare(image, contact.along(),
                                contact.side > 0 ? 2 * (size - contact.seam) : 2 * contact.seam);
    const Order outward = contact.side > 0 ? Order::greater : Order::less;
    return order == outward ? Order::equal : order;
}

/// Adds what lies behind the contacts of a side, for a place beyond it, or one in the tile.
bool Images::cross(const State& state, std::size_t k, int side)
{
    for (const Contact& contact : tiles_.beyond(state.image.tile, k, side)) {
        Order order = state.is_inside ? is_in_seam(contact, state.image) : Order::equal;
        if (order == Order::equal) order = covers(contact, state.image);
        if (order == Order::mixed) return false;
        if (order != Order::equal) continue;
        Image next{contact.donor, chain(state.image.map, contact.map), state.image.shift,
                   state.image.crossings + 1};
        if (kind_ == Kind::position) next.shift += contact.shift[component_];
        const std::size_t j = contact.donor_dimension();
        const auto [first, last] = range(next, j);
        const std::int64_t size = tiles_.size(contact.donor)[j];
        base::require(first >= 0 && last <= 2 * size, base::ErrorKind::arg, "lower",
                      "ghosts beyond a side of tile ", contact.tile, " are deeper than tile ", contact.donor,
                      ", which is there and has ", size, " cells in dimension ", j);
        if (!add(next, state.point)) return false;
    }
    return true;
}

bool Images::find(int tile, const Positions& positions, Kind kind, int component)
{
    positions_ = positions;
    kind_ = kind;
    component_ = at(component);
    states_.clear();
    points_.clear();
    found_.clear();
    if (!add({.tile = tile}, std::nullopt)) return false;
    for (std::size_t next = 0; next < states_.size(); ++next) {
        const State state = states_[next];
        // Leave a place beyond sides by each of them, and a place in a tile by the seams that it lies in.
        for (std::size_t k = 0; k < d_; ++k)
            for (const int side : {-1, 1})
                if ((state.is_inside || state.beyond[k] == side) && !cross(state, k, side)) return false;
    }
    are_one_point_ = true;
    std::optional<std::size_t> first;
    for (const State& state : states_) {
        if (!state.is_inside) continue;
        found_.push_back(state.image);
        if (!first) first = root(*state.point);
        are_one_point_ = are_one_point_ && root(*state.point) == *first;
    }
    return true;
}

} // namespace ortho::mosaic
