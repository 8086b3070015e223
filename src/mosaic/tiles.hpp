// SPDX-License-Identifier: BSD-3-Clause
// Tiles, and what lies beyond their sides.  No MPI in this file.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mosaic/contact.hpp"

namespace ortho::mosaic {

/// The tiles of a mosaic.  Contacts are there in both directions.
class Tiles {
public:
    /// Dimensions are 1 to 4, and sizes positive.  Contacts lead in one direction each.  Throws base::Error
    /// (arg) for contacts that are wrong, or do not fit.
    Tiles(int d, std::vector<Index> sizes, const std::vector<Contact>& contacts);

    int dimensions() const { return d_; }
    int number() const { return static_cast<int>(sizes_.size()); }
    const Index& size(int tile) const { return sizes_[static_cast<std::size_t>(tile)]; }
    /// The contacts of a side.
    std::span<const Contact> beyond(int tile, std::size_t k, int side) const
    {
        const std::size_t i = side_number(tile, k, side);
        return {contacts_.data() + begins_[i], begins_[i + 1] - begins_[i]};
    }

private:
    std::size_t side_number(int tile, std::size_t k, int side) const
    {
        return (static_cast<std::size_t>(tile) * static_cast<std::size_t>(d_) + k) * 2 + (side > 0 ? 1 : 0);
    }

    int d_;
    std::vector<Index> sizes_;
    std::vector<Contact> contacts_;   ///< by tile, dimension and side
    std::vector<std::size_t> begins_; ///< of each side's
};

} // namespace ortho::mosaic
