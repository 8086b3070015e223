// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond sides of tiles that no contact leads across.

#include "patches/closed_tiles.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::patches {

namespace {

using collectives::ShownGhosts;
using mosaic::Box;
using mosaic::Contact;
using mosaic::Index;

/// Before the tile, in it, or behind it, in each dimension.
using Region = std::array<int, mosaic::most_dimensions>;

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
        std::size_t regions = 1;
        for (std::size_t k = 0; k < d_; ++k) regions *= 3;
        for (std::size_t number = 0; number < regions; ++number) {
            Region region{};
            Box box;
            std::size_t rest = number;
            for (std::size_t k = 0; k < d_; ++k, rest /= 3) {
                region[k] = static_cast<int>(rest % 3) - 1;
                const std::int64_t low = region[k] < 0   ? array_.elements.first[k]
                                         : region[k] > 0 ? tile_box_.end(k)
                                                         : 0;
                const std::int64_t high = region[k] < 0   ? 0
                                          : region[k] > 0 ? array_.elements.end(k)
                                                          : tile_box_.end(k);
                box.set(k, std::max(low, array_.elements.first[k]), std::min(high, array_.elements.end(k)));
            }
            if (box.is_empty()) continue;
            for (const Box& part : cut(box, region))
                for (const Box& lost : unfilled)
                    if (const Box both = common(part, lost); !both.is_empty()) add(both, region);
        }
        result_.finish();
        return std::move(result_);
    }

private:
    /// The parts of a box that are beyond the same contacts, each as a whole.
    std::vector<Box> cut(const Box& box, const Region& region) const
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
        for (std::size_t k = 0; k < d_; ++k) {
            if (region[k] == 0) continue;
            for (const Contact& contact : tiles_.beyond(tile_, k, region[k]))
                for (std::size_t j = 0; j < d_; ++j) {
                    if (j == k || region[j] != 0 || contact.part.count[j] == 0) continue;
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
                if (j != k && contact.part.count[j] != 0 &&
                    (cell < contact.part.first[j] || cell >= contact.part.end(j)))
                    return false;
            }
            return true;
        });
    }

    void add(const Box& ghosts, const Region& region)
    {
        std::vector<std::pair<std::size_t, int>> mirrors; // dimensions and kinds
        const ORTHO_Boundary* constant = nullptr;
        int sign = 1;
        bool is_beyond = false;
        for (std::size_t k = 0; k < d_; ++k) {
            if (region[k] == 0 || !is_closed(ghosts.first, k, region[k])) continue;
            is_beyond = true;
            const ORTHO_Boundary& boundary = boundary_[2 * k + (region[k] > 0 ? 1 : 0)];
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
            result_.set(begin, type,
                        mpi::measure(type).size / std::max(mpi::measure(element_).size, MPI_Count{1}),
                        constant->value, sign);
            return;
        }
        std::vector<std::pair<Box, Box>> pairs{{ghosts, ghosts}}; // and what they show
        for (const auto& [k, kind] : mirrors) mirror(pairs, k, region[k], kind);
        for (const auto& [to, from] : pairs) show(to, from, sign);
    }

    /// Boxes of ghosts, and of what they show, layer by layer beyond that side of dimension k.
    void mirror(std::vector<std::pair<Box, Box>>& pairs, std::size_t k, int side, int kind) const
    {
        const std::int64_t face = side < 0 ? 0 : tile_box_.end(k) - 1;
        std::vector<std::pair<Box, Box>> result;
        for (auto& [to, from] : pairs) {
            const std::int64_t first = to.first[k];
            for (std::int64_t i = 0, n = to.count[k]; i < n; ++i) {
                const std::int64_t ghost = first + i;
                const std::int64_t beyond = side < 0 ? -1 - ghost : ghost - face - 1;
                const std::int64_t shown = face - side * collectives::steps_to(kind, beyond);
                const std::int64_t low = std::max(tile_box_.first[k], array_.elements.first[k]);
                const std::int64_t high = std::min(tile_box_.end(k), array_.elements.end(k));
                const bool is_here = shown >= low && shown < high;
                base::require(is_here, base::ErrorKind::arg, "boundary",
                              collectives::name_of_side(base::text("fields[", field_, "]."), k, side > 0),
                              " is ", collectives::name_of_kind(kind), ", which shows element ", shown,
                              " here, and the array of a patch of tile ", tile_, " has elements ", low,
                              " to ", high - 1);
                Box target = to;
                Box source = from;
                target.set(k, ghost, ghost + 1);
                source.set(k, shown, shown + 1);
                result.emplace_back(target, source);
            }
        }
        pairs = std::move(result);
    }

    /// Ghosts that show ghosts which no element fills stay as they are.
    void show(const Box& to, const Box& from, int sign)
    {
        std::vector<Box> shown{from};
        for (const Box& lost : unfilled_) {
            std::vector<Box> left;
            for (const Box& box : shown) {
                const Box both = common(box, lost);
                if (both.is_empty())
                    left.push_back(box);
                else
                    add_rest(left, box, both);
            }
            shown = std::move(left);
        }
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
                                         const std::vector<mosaic::Unfilled>& unfilled)
{
    collectives::AllShownGhosts result;
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        if (checked.boundaries[f].empty()) continue;
        for (std::size_t p = 0; p < mosaic.number_here(); ++p) {
            std::vector<mosaic::Box> boxes;
            for (const mosaic::Unfilled& one : unfilled)
                if (at(one.field) == f && one.patch == mosaic.first_here() + p) boxes.push_back(one.box);
            ShownGhosts ghosts = ClosedTile(mosaic, checked, f, p).ghosts(boxes);
            if (ghosts.bytes() > 0) result.emplace_back(f * mosaic.number_here() + p, std::move(ghosts));
        }
    }
    return result;
}

} // namespace ortho::patches
