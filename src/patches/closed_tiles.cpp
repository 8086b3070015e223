// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond sides of tiles that no contact leads across.

#include "patches/closed_tiles.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::patches {

namespace {

using collectives::ShownGhosts;
using mosaic::Box;
using mosaic::Contact;
using mosaic::Index;

/// One field on one patch.  Dimensions are padded one after the other, as those of an array on a grid.
class ClosedTile {
public:
    ClosedTile(const Mosaic& mosaic, const CheckedFields& checked, std::size_t f, std::size_t p)
        : tiles_(mosaic.tiles),
          d_(at(mosaic.tiles.dimensions())),
          field_(f),
          boundary_(checked.boundaries[f]),
          tile_(mosaic.patches[mosaic.first_here() + p].tile),
          array_(checked.arrays[f][p]),
          element_(checked.elements[f]),
          result_(element_)
    {
        for (std::size_t k = 0; k < d_; ++k)
            tile_box_.set(k, 0,
                          tiles_.size(tile_)[k] +
                              (checked.fields[f].location[k] == mosaic::Location::both ? 1 : 0));
    }

    ShownGhosts ghosts(const std::vector<Box>& unfilled)
    {
        unfilled_ = unfilled;
        for (const Box& lost : unfilled)
            for (const Box& part : cut(lost)) add(part);
        result_.finish();
        return std::move(result_);
    }

private:
    /// -1 before the tile, 0 in it, +1 behind it.
    int side_of(std::int64_t element, std::size_t k) const
    {
        return element < 0 ? -1 : element >= tile_box_.end(k) ? 1 : 0;
    }

    /// The parts of a box that are beyond the same sides and the same contacts, each as a whole.
    std::vector<Box> cut(const Box& box) const
    {
        std::vector<Box> boxes{box};
        const auto cut_at = [&](std::size_t j, std::int64_t place) {
            for (std::size_t i = 0, n = boxes.size(); i < n; ++i) {
                Box& below = boxes[i];
                if (place <= below.first[j] || place >= below.end(j)) continue;
                Box above = below;
                above.set(j, place, below.end(j));
                below.set(j, below.first[j], place);
                boxes.push_back(above);
            }
        };
        for (std::size_t k = 0; k < d_; ++k)
            for (const int side : {-1, 1}) {
                cut_at(k, side < 0 ? 0 : tile_box_.end(k));
                if (side_of(side < 0 ? box.first[k] : box.end(k) - 1, k) != side) continue;
                for (const Contact& contact : tiles_.beyond(tile_, k, side))
                    for (std::size_t j = 0; j < d_; ++j) {
                        cut_at(j, contact.part.first[j]);
                        // Elements at both faces: the last one belongs to the last cell.
                        if (contact.part.end(j) < tiles_.size(tile_)[j]) cut_at(j, contact.part.end(j));
                    }
            }
        return boxes;
    }

    /// No contact leads across that side of dimension k where this element is next to it.
    bool is_closed(const Index& element, std::size_t k, int side) const
    {
        return std::ranges::none_of(tiles_.beyond(tile_, k, side), [&](const Contact& contact) {
            for (std::size_t j = 0; j < d_; ++j) {
                const std::int64_t cell = std::clamp(element[j], std::int64_t{0}, tiles_.size(tile_)[j] - 1);
                if (j != k && (cell < contact.part.first[j] || cell >= contact.part.end(j))) return false;
            }
            return true;
        });
    }

    void add(const Box& ghosts)
    {
        std::vector<std::pair<std::size_t, int>> mirrors; // dimensions and kinds
        const ORTHO_Boundary* constant = nullptr;
        int sign = 1;
        bool is_beyond = false;
        for (std::size_t k = 0; k < d_; ++k) {
            const int side = side_of(ghosts.first[k], k);
            if (side == 0 || !is_closed(ghosts.first, k, side)) continue;
            is_beyond = true;
            const ORTHO_Boundary& boundary = boundary_[2 * k + (side > 0 ? 1 : 0)];
            if (boundary.kind == ORTHO_BOUNDARY_NONE) return;
            if (boundary.kind == ORTHO_BOUNDARY_CONSTANT) {
                constant = &boundary;
                sign = 1;
                continue;
            }
            sign *= boundary.sign;
            mirrors.emplace_back(k, boundary.kind);
        }
        if (!is_beyond) return;
        if (constant != nullptr) {
            const auto [begin, type] = layout(ghosts);
            result_.set(begin, type, constant->value, sign);
            return;
        }
        std::vector<std::pair<Box, Box>> pairs{{ghosts, ghosts}}; // and what they show
        for (const auto& [k, kind] : mirrors) mirror(pairs, k, kind);
        for (const auto& [to, from] : pairs) show(to, from, sign);
    }

    /// Boxes of ghosts, and of what they show, layer by layer beyond a side of dimension k.
    void mirror(std::vector<std::pair<Box, Box>>& pairs, std::size_t k, int kind) const
    {
        const std::int64_t low = std::max(tile_box_.first[k], array_.elements.first[k]);
        const std::int64_t high = std::min(tile_box_.end(k), array_.elements.end(k));
        std::vector<std::pair<Box, Box>> result;
        for (auto [to, from] : pairs)
            for (std::int64_t ghost = to.first[k], end = to.end(k); ghost < end; ++ghost) {
                const bool above = ghost > 0;
                const std::int64_t steps = collectives::steps_to(kind, above ? ghost - tile_box_.end(k)
                                                                             : -1 - ghost);
                const std::int64_t shown = above ? tile_box_.end(k) - 1 - steps : steps;
                base::require(shown >= low && shown < high, base::ErrorKind::arg, "boundary",
                              collectives::name_of_side(base::text("fields[", field_, "]."), k, above),
                              " is ", collectives::name_of_kind(kind), ", which shows element ", shown,
                              " here, and the array of a patch of tile ", tile_, " has elements ", low,
                              " to ", high - 1);
                to.set(k, ghost, ghost + 1);
                from.set(k, shown, shown + 1);
                result.emplace_back(to, from);
            }
        pairs = std::move(result);
    }

    /// Ghosts that show ghosts which no element fills stay as they are.
    void show(const Box& to, const Box& from, int sign)
    {
        std::vector<Box> shown{from};
        for (const Box& lost : unfilled_) shown = rest_of(shown, lost);
        for (const Box& box : shown) {
            Box ghosts = box;
            for (std::size_t k = 0; k < d_; ++k) ghosts.first[k] += to.first[k] - from.first[k];
            const auto [begin, type] = layout(ghosts);
            result_.show(begin, layout(box).first, type, sign);
        }
    }

    /// Where a box begins, and the datatype of its elements.
    std::pair<MPI_Aint, MPI_Datatype> layout(const Box& box)
    {
        const MemoryBox memory = box_in(array_, box, nesting_of(array_));
        return {memory.offset, types_.of(memory, element_)};
    }

    const mosaic::Tiles& tiles_;
    std::size_t d_;
    std::size_t field_;
    const std::vector<ORTHO_Boundary>& boundary_;
    int tile_;
    const Array& array_;
    MPI_Datatype element_;
    Box tile_box_{}; ///< the elements of the tile
    std::vector<Box> unfilled_{};
    BoxTypes types_{};
    ShownGhosts result_;
};

} // namespace

collectives::AllShownGhosts closed_tiles(const Mosaic& mosaic, const CheckedFields& checked,
                                         const std::vector<std::vector<ORTHO_Patch>>& unfilled)
{
    collectives::AllShownGhosts result;
    for (std::size_t i = 0; i < unfilled.size(); ++i) {
        const std::size_t f = i / mosaic.number_here();
        if (checked.boundaries[f].empty()) continue;
        std::vector<Box> boxes;
        for (const ORTHO_Patch& one : unfilled[i])
            boxes.push_back(box_of(mosaic.tiles.dimensions(), one.first, one.count));
        ShownGhosts ghosts = ClosedTile(mosaic, checked, f, i % mosaic.number_here()).ghosts(boxes);
        if (ghosts.bytes() > 0) result.emplace_back(i, std::move(ghosts));
    }
    return result;
}

} // namespace ortho::patches
