// SPDX-License-Identifier: BSD-3-Clause
// Which elements fill the ghosts of a patch.  No MPI in this file.

#include "mosaic/ghosts.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/index.hpp"

namespace ortho::mosaic {

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
