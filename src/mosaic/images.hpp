// SPDX-License-Identifier: BSD-3-Clause
// The places that are one point, seen from a tile and beyond it.  No MPI in this file.
#pragma once

#include <optional>
#include <vector>

#include "mosaic/tiles.hpp"

namespace ortho::mosaic {

/// Where positions of a tile are found: in a tile, at places that a map tells.
struct Image {
    int tile = 0;
    Map map{};
    double shift = 0;  ///< of the component that is followed, of a position
    int crossings = 0; ///< of sides, at least
};

/// Kinds of fields differ in how elements change across a contact.  Components of vectors and pairs take each
/// other's place; those of vectors may change their signs; a constant is added to components of positions.
enum class Kind : std::int8_t { scalar, vector, pair, position };

/// A place where a box has to be cut: before this element of the dimension.
struct Cut {
    std::size_t dimension;
    std::int64_t before;
};

/// The images of all positions of a box at once.  Each question has one answer for the whole box, or it says
/// where to cut the box; then the parts are looked at anew.
class Images {
public:
    explicit Images(const Tiles& tiles) : tiles_(tiles), d_(static_cast<std::size_t>(tiles.dimensions())) {}

    /// Finds the images in tiles.  Positions that lie beyond sides of the tile cross these by their contacts,
    /// in any order.  Positions on a side with a contact, or in the seam of a fold, are the same point there.
    /// Ways are apart where they make other things of a component of this kind.  False: the box is to be cut.
    /// Throws base::Error (arg) where contacts lead to tiles not as deep.
    bool find(int tile, const Positions& positions, Kind kind, int component);
    const Cut& cut() const { return cut_; }

    /// Found images, by the shortest ways.  There may be several to one place.
    const std::vector<Image>& found() const { return found_; }
    /// False: they are different points, to which different orders of crossing lead.
    bool are_one_point() const { return are_one_point_; }

    enum class Order { less, equal, greater, mixed };
    /// The order of the first coordinates of two images that differ; `mixed`: the box is to be cut.
    Order compare(const Image& a, const Image& b);

private:
    /// An image on its way.
    struct State {
        Image image;
        /// Which point it belongs to; none as long as it has not been in a tile.
        std::optional<std::size_t> point{};
        std::array<std::int8_t, most_dimensions> beyond{}; ///< which sides of its tile: -1, 0, +1
        bool is_inside = false;
    };

    Range range(const Image& image, std::size_t j) const { return range_of(image.map, j, positions_); }
    Order compare(std::size_t k, std::int64_t slope, std::int64_t number);
    Order compare(const Image& image, std::size_t j, std::int64_t number);
    Order compare(const Image& a, const Image& b, std::size_t j);
    Order are_at_one_place(const Image& a, const Image& b);
    bool cross(const State& state, std::size_t k, int side);
    Order is_in_seam(const Contact& contact, const Image& image);
    Order covers(const Contact& contact, const Image& image);
    bool is_same_way(const Image& a, const Image& b) const;
    bool add(const Image& image, std::optional<std::size_t> point);
    std::size_t root(std::size_t point) const;

    const Tiles& tiles_;
    std::size_t d_;
    Positions positions_;
    Kind kind_ = Kind::scalar;
    std::size_t component_ = 0;
    Cut cut_{};
    std::vector<State> states_;
    std::vector<std::size_t> points_; ///< those that turned out to be one lead to each other
    std::vector<Image> found_;
    bool are_one_point_ = true;
};

} // namespace ortho::mosaic
