// SPDX-License-Identifier: BSD-3-Clause
// Which elements fill the ghosts of a patch.  No MPI in this file.

#include "mosaic/ghosts.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <utility>

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

namespace {

/// The doubled position of element 0.
Index offsets_of(const Field& field, int d)
{
    Index result{};
    for (std::size_t k = 0; k < at(d); ++k)
        if (const Location where = field.location[k]; where == Location::centre || where == Location::upper)
            result[k] = where == Location::centre ? 1 : 2;
    return result;
}

} // namespace

Box owned_elements(const Tiles& tiles, const Patch& patch, const Field& field)
{
    Box box = patch.cells;
    for (std::size_t k = 0; k < at(tiles.dimensions()); ++k)
        if (field.location[k] == Location::both && box.end(k) == tiles.size(patch.tile)[k]) ++box.count[k];
    return box;
}

Box all_elements(const Tiles& tiles, const Patch& patch, const Field& field)
{
    Box box = owned_elements(tiles, patch, field);
    for (std::size_t k = 0; k < at(tiles.dimensions()); ++k)
        box.set(k, box.first[k] - field.lower[k], box.end(k) + field.upper[k]);
    return box;
}

void GhostSearch::add(Ghosts& ghosts, int field, std::size_t patch)
{
    ghosts_ = &ghosts;
    first_filled_ = ghosts.filled.size();
    first_unfilled_ = ghosts.unfilled.size();
    field_ = field;
    patch_ = patch;
    const Field& its = fields_[at(field)];
    const Box owned = owned_elements(tiles_, patches_[patch], its);
    std::vector<Box> boxes;
    add_rest(boxes, all_elements(tiles_, patches_[patch], its), owned);
    are_owned_ = false;
    for (const Box& box : boxes) add_box(box);
    if (!its.syncs) return;
    are_owned_ = true;
    add_box(owned);
}

void GhostSearch::add_box(const Box& box)
{
    std::vector<Box> boxes{box};
    while (!boxes.empty()) {
        const Box next = boxes.back();
        boxes.pop_back();
        if (resolve(next)) {
            assign(next);
            continue;
        }
        const auto [k, before] = images_.cut();
        Box below = next;
        Box above = next;
        below.set(k, next.first[k], before);
        above.set(k, before, next.end(k));
        boxes.push_back(above);
        boxes.push_back(below);
    }
}

/// Finds the candidates for a box.  False: it is to be cut.
bool GhostSearch::resolve(const Box& box)
{
    candidates_.clear();
    const int d = tiles_.dimensions();
    const Field& field = fields_[at(field_)];
    if (!images_.find(patches_[patch_].tile, {box, offsets_of(field, d)}, field.kind, field.component))
        return false;
    if (!images_.are_one_point()) return true;
    for (const Image& image : images_.found())
        if (const auto candidate = candidate_of(image); candidate && !insert(*candidate)) return false;
    return true;
}

std::optional<GhostSearch::Candidate> GhostSearch::candidate_of(const Image& image) const
{
    const Field& field = fields_[at(field_)];
    Candidate result{image, field_, 1, 0};
    if (field.is_component()) {
        const std::size_t there = image.map.target(at(field.component));
        result.field = field.group[there];
        if (field.kind == Kind::vector) result.sign = image.map.sign[there];
    } else if (field.kind == Kind::position) {
        result.shift = image.shift;
    }
    const Index here = offsets_of(field, tiles_.dimensions());
    const Index there = offsets_of(fields_[at(result.field)], tiles_.dimensions());
    for (std::size_t j = 0; j < at(tiles_.dimensions()); ++j) {
        result.image.map.origin[j] -= there[j];
        if (result.image.map.apply(j, here) % 2 != 0) return std::nullopt;
    }
    return result;
}

/// Keeps candidates in order: the lowest tile first, then the lowest element, then the shortest way.
bool GhostSearch::insert(const Candidate& candidate)
{
    const auto rank = [](const Candidate& one) {
        return std::tuple(one.image.crossings, one.field, -one.sign, one.shift);
    };
    auto place = candidates_.begin();
    for (; place != candidates_.end(); ++place) {
        if (candidate.image.tile != place->image.tile) {
            if (candidate.image.tile < place->image.tile) break;
            continue;
        }
        const Images::Order order = images_.compare(candidate.image, place->image);
        if (order == Images::Order::mixed) return false;
        if (order == Images::Order::less) break;
        if (order == Images::Order::equal && rank(candidate) < rank(*place)) break;
    }
    candidates_.insert(place, candidate);
    return true;
}

void GhostSearch::assign(const Box& box)
{
    std::vector<Box> left{box};
    for (const Candidate& candidate : candidates_) {
        std::vector<Box> rest;
        for (const Box& part : left) std::ranges::move(assign(part, candidate), std::back_inserter(rest));
        left = std::move(rest);
    }
    if (are_owned_) return;
    for (const Box& part : left) leave(part);
}

/// Gives the box the elements of the candidate that patches own.  Returns what nobody owns.
std::vector<Box> GhostSearch::assign(const Box& box, const Candidate& candidate)
{
    const auto d = at(tiles_.dimensions());
    const auto& [image, field, sign, shift] = candidate;
    const Index& size = tiles_.size(image.tile);
    const Positions positions{box, offsets_of(fields_[at(field_)], tiles_.dimensions())};
    Box there;
    Box cells; // whose patches may own some
    for (std::size_t j = 0; j < d; ++j) {
        const auto [first, last] = range_of(image.map, j, positions);
        there.set(j, first / 2, last / 2 + 1);
        cells.set(j, std::min(there.first[j], size[j] - 1), there.end(j));
    }
    std::vector<Box> left{box};
    patches_.each_in(image.tile, cells, [&](std::size_t donor) {
        const Box owned = common(there, owned_elements(tiles_, patches_[donor], fields_[at(field)]));
        if (owned.is_empty()) return;
        Box here = box;
        for (std::size_t j = 0; j < d; ++j) {
            const std::size_t k = image.map.source(j);
            const std::int64_t before = image.map.sign[j] > 0 ? owned.first[j] - there.first[j]
                                                              : there.end(j) - owned.end(j);
            here.first[k] = box.first[k] + before;
            here.count[k] = owned.count[j];
        }
        left = rest_of(left, here);
        const bool is_itself = are_owned_ && image.crossings == 0;
        if (!is_itself) put({field_, patch_, here, field, donor, owned, image.map, sign, shift});
    });
    return left;
}

/// Adds a box, or makes one that is there larger.
void GhostSearch::put(const Filled& filled)
{
    for (std::size_t i = ghosts_->filled.size(); i-- > first_filled_;) {
        Filled& other = ghosts_->filled[i];
        const bool are_alike = other.donor == filled.donor && other.donor_field == filled.donor_field &&
                               other.map == filled.map && other.sign == filled.sign &&
                               other.shift == filled.shift;
        if (!are_alike || !merge(other.box, filled.box)) continue;
        merge(other.donor_box, filled.donor_box);
        return;
    }
    ghosts_->filled.push_back(filled);
}

void GhostSearch::leave(const Box& box)
{
    for (std::size_t i = first_unfilled_; i < ghosts_->unfilled.size(); ++i)
        if (merge(ghosts_->unfilled[i].box, box)) return;
    ghosts_->unfilled.push_back({field_, patch_, box});
}

} // namespace ortho::mosaic
