// SPDX-License-Identifier: BSD-3-Clause
// Which elements fill the ghosts of a patch.  No MPI in this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mosaic/patches.hpp"
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

/// Where element i lies in a dimension: at the lower face of cell i, at its centre, or at its upper face.
/// `both`: at lower faces, and the last patch of a tile has its upper face, too.
enum class Location : std::int8_t { lower = -1, centre = 0, upper = 1, both = 2 };

struct Field {
    std::array<Location, most_dimensions> location{};
    Kind kind = Kind::scalar;
    int component = 0;
    std::array<int, most_dimensions> group{}; ///< the fields of a vector's or a pair's components
    Index lower{};                            ///< ghosts before the owned elements
    Index upper{};                            ///< ghosts behind them
    bool syncs = false; ///< owned elements that are one point get the value of the first of them

    bool is_component() const { return kind == Kind::vector || kind == Kind::pair; }
};

/// The elements of a field that a patch owns.
Box owned_elements(const Tiles& tiles, const Patch& patch, const Field& field);
/// These, and ghosts.
Box all_elements(const Tiles& tiles, const Patch& patch, const Field& field);

/// A box of elements of a patch that gets its values from one of another patch, or of the same one.
struct Filled {
    int field;
    std::size_t patch;
    Box box;
    int donor_field;
    std::size_t donor;
    Box donor_box;
    /// Dimension j of the donor's box runs along dimension map.from[j] here, backward if map.sign[j] is -1.
    Map map;
    int sign;     ///< the values are multiplied by it,
    double shift; ///< and this is added
};

/// Ghosts that no element fills.
struct Unfilled {
    int field;
    std::size_t patch;
    Box box;
};

struct Ghosts {
    std::vector<Filled> filled;
    std::vector<Unfilled> unfilled;
};

/// Finds the elements of ghosts.
class GhostSearch {
public:
    GhostSearch(const Tiles& tiles, const Patches& patches, const std::vector<Field>& fields)
        : tiles_(tiles),
          patches_(patches),
          fields_(fields),
          images_(tiles)
    {}

    /// Adds all boxes of a field on a patch.  Throws base::Error (arg) if ghosts are deeper than a tile.
    void add(Ghosts& ghosts, int field, std::size_t patch);

private:
    /// An image where some field may have elements.
    struct Candidate {
        Image image; ///< its places are doubled numbers of elements there
        int field;
        int sign;
        double shift;
    };

    void add_box(const Box& box);
    bool resolve(const Box& box);
    std::optional<Candidate> candidate_of(const Image& image) const;
    bool insert(const Candidate& candidate);
    void assign(const Box& box);
    std::vector<Box> assign(const Box& box, const Candidate& candidate);
    void put(const Filled& filled);
    void leave(const Box& box);

    const Tiles& tiles_;
    const Patches& patches_;
    const std::vector<Field>& fields_;
    Images images_;
    // While boxes are added.
    Ghosts* ghosts_ = nullptr;
    std::size_t first_filled_ = 0, first_unfilled_ = 0; ///< of this field and patch
    int field_ = 0;
    std::size_t patch_ = 0;
    bool are_owned_ = false;
    std::vector<Candidate> candidates_; ///< the first one with an owner counts
};

} // namespace ortho::mosaic
