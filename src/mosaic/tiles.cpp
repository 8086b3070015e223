// SPDX-License-Identifier: BSD-3-Clause
// Tiles, and what lies beyond their sides.  No MPI in this file.

#include "mosaic/tiles.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::mosaic {

namespace {

using base::ErrorKind;

/// A contact of the user's, and its number.
struct Given {
    Contact contact;
    std::size_t number;
};

template <class... Values>
void require(bool holds, std::size_t number, const Values&... values)
{
    base::require(holds, ErrorKind::arg, "contacts", "contacts[", number, "]", values...);
}

/// Looks at one contact after the other, and adds its inverse.
class Checks {
public:
    Checks(int d, const std::vector<Index>& sizes) : d_(at(d)), sizes_(sizes) {}

    void add(Contact contact, std::size_t number)
    {
        check_numbers(contact, number);
        complete(contact.part, contact, number);
        check_plane(contact, number);
        all_.push_back({contact, number});
        if (!contact.is_fold()) all_.push_back({reverse(contact), number});
    }
    /// All have been added.
    std::vector<Contact> finish()
    {
        for (const Given& given : all_) check_image(given);
        std::ranges::stable_sort(all_, {}, [](const Given& given) { return side_of(given.contact); });
        std::vector<Contact> result;
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (!is_there_already(i)) result.push_back(all_[i].contact);
        return result;
    }

private:
    using SideKey = std::array<int, 3>;
    static SideKey side_of(const Contact& contact) { return {contact.tile, contact.dimension, contact.side}; }

    void check_numbers(const Contact& contact, std::size_t number) const
    {
        const int tiles = static_cast<int>(sizes_.size());
        require(contact.tile >= 0 && contact.tile < tiles, number, ".tile = ", contact.tile, " is none of ",
                tiles, " tiles");
        require(contact.donor >= 0 && contact.donor < tiles, number, ".donor = ", contact.donor,
                " is none of ", tiles, " tiles");
        require(contact.dimension >= 0 && at(contact.dimension) < d_, number,
                ".dimension = ", contact.dimension, " is none of ", d_, " dimensions");
        require(contact.side == -1 || contact.side == 1, number, ".side = ", contact.side,
                " is neither -1 nor 1");
    }

    /// Counts of 0 become those of the whole side.
    void complete(Box& part, const Contact& contact, std::size_t number) const
    {
        const Index& size = sizes_[at(contact.tile)];
        for (std::size_t k = 0; k < most_dimensions; ++k) {
            if (k >= d_) {
                part.set(k, 0, 1);
                continue;
            }
            if (k == contact.along() || part.count[k] == 0) part.set(k, 0, size[k]);
            require(part.first[k] >= 0 && part.count[k] > 0 && part.end(k) <= size[k], number,
                    " is for cell ", part.first[k], " to cell ", part.end(k) - 1, " in dimension ", k,
                    " of tile ", contact.tile, ", which has ", size[k]);
        }
    }

    /// The side of this tile must be the side of the donor, or be folded.
    void check_plane(Contact& contact, std::size_t number) const
    {
        const std::size_t j = contact.donor_dimension();
        const std::int64_t here = contact.side > 0 ? 2 * sizes_[at(contact.tile)][contact.along()] : 0;
        const std::int64_t there = contact.map.sign[j] * here + contact.map.origin[j];
        const std::int64_t side = contact.donor_side() > 0 ? 2 * sizes_[at(contact.donor)][j] : 0;
        if (contact.is_fold()) {
            contact.seam = contact.side > 0 ? (side - there) / 2 : (there - side) / 2;
            require(contact.seam >= 0 && contact.seam <= sizes_[at(contact.tile)][j], number,
                    " leads outside of its tile: it folds dimension ", j,
                    " around a place that is not in it");
        } else {
            const bool is_inside = there > 0 && there < 2 * sizes_[at(contact.donor)][j];
            require(there == side, number, " leads ", is_inside ? "inside" : "outside", " of tile ",
                    contact.donor, ": the side is put to ", there / 2, " in dimension ", j, ", and not to ",
                    side / 2);
        }
    }

    /// The cells of the donor's side that a contact leads to; beyond its ends, too, where it is shifted.
    Box image_of(const Contact& contact) const
    {
        Box image;
        for (std::size_t j = 0; j < d_; ++j) {
            const auto [first, last] = range_of(contact.map, j, {contact.part, {1, 1, 1, 1}}); // centres
            image.set(j, (first - 1) / 2, (last + 1) / 2);
        }
        image.set(contact.donor_dimension(), 0, sizes_[at(contact.donor)][contact.donor_dimension()]);
        return image;
    }

    Contact reverse(const Contact& contact) const
    {
        Contact result = contact;
        result.tile = contact.donor;
        result.dimension = static_cast<int>(contact.donor_dimension());
        result.side = contact.donor_side();
        result.donor = contact.tile;
        result.map = inverse(contact.map);
        for (double& shift : result.shift) shift = -shift;
        result.part = image_of(contact);
        // A whole side that is shifted comes from a whole side.
        const Index& size = sizes_[at(contact.donor)];
        for (std::size_t j = 0; j < d_; ++j)
            if (result.part.first[j] < 0 || result.part.end(j) > size[j]) result.part.set(j, 0, size[j]);
        return result;
    }

    bool has_contact(int tile, std::size_t k, int side) const
    {
        const SideKey key{tile, static_cast<int>(k), side};
        return std::ranges::any_of(all_, [&](const Given& given) { return side_of(given.contact) == key; });
    }
    /// The image of a contact may lead beyond the ends of the donor's side where the tiles go on.
    void check_image(const Given& given) const
    {
        const Contact& contact = given.contact;
        const Box image = image_of(contact);
        const Index& size = sizes_[at(contact.donor)];
        for (std::size_t j = 0; j < d_; ++j) {
            const bool below = image.first[j] < 0;
            const bool above = image.end(j) > size[j];
            const std::size_t k = contact.map.source(j);
            const bool is_whole = contact.part.count[k] == sizes_[at(contact.tile)][k];
            require(!(below || above) || (is_whole && image.count[j] == size[j] &&
                                          (!below || has_contact(contact.donor, j, -1)) &&
                                          (!above || has_contact(contact.donor, j, 1))),
                    given.number, " leads outside of tile ", contact.donor, ": to cell ", image.first[j],
                    " to cell ", image.end(j) - 1, " in dimension ", j, ", which has ", size[j],
                    contact.is_fold() ? ": such a fold needs a contact around the tile there" : "");
        }
        if (contact.is_fold()) check_fold(given);
    }
    /// There and back again; around the tile where that is periodic.
    void check_fold(const Given& given) const
    {
        const Contact& contact = given.contact;
        const Map twice = chain(contact.map, contact.map);
        const Index& size = sizes_[at(contact.tile)];
        for (std::size_t j = 0; j < d_; ++j) {
            const bool returns = twice.source(j) == j && twice.sign[j] > 0;
            const bool is_around = twice.origin[j] % (2 * size[j]) == 0 &&
                                   (twice.origin[j] == 0 || has_contact(contact.tile, j, 1));
            require(returns && is_around, given.number,
                    " leads to its own side, and is not its own inverse in dimension ", j);
        }
    }

    /// True if the contact is one of those before it.  No two others may be for one place.
    bool is_there_already(std::size_t i) const
    {
        const Contact& contact = all_[i].contact;
        for (std::size_t before = i; before-- > 0 && side_of(all_[before].contact) == side_of(contact);) {
            const Contact& other = all_[before].contact;
            if (common(contact.part, other.part).is_empty()) continue;
            if (contact.part == other.part && contact.donor == other.donor && contact.map == other.map &&
                contact.shift == other.shift)
                return true;
            require(false, all_[i].number, " and contacts[", all_[before].number,
                    "] both say what lies beyond the ", contact.side < 0 ? "lower" : "upper",
                    " side of dimension ", contact.dimension, " of tile ", contact.tile);
        }
        return false;
    }

    std::size_t d_;
    const std::vector<Index>& sizes_;
    std::vector<Given> all_;
};

} // namespace

Tiles::Tiles(int d, std::vector<Index> sizes, const std::vector<Contact>& contacts)
    : d_(d),
      sizes_(std::move(sizes))
{
    Checks checks(d, sizes_);
    for (std::size_t i = 0; i < contacts.size(); ++i) checks.add(contacts[i], i);
    contacts_ = checks.finish();
    begins_.assign(sizes_.size() * at(d) * 2 + 1, 0);
    for (const Contact& contact : contacts_)
        ++begins_[side_number(contact.tile, contact.along(), contact.side) + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
}

} // namespace ortho::mosaic
