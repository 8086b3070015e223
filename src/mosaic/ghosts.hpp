// SPDX-License-Identifier: BSD-3-Clause
// Which elements fill the ghosts of a patch.  No MPI in this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mosaic/images.hpp"
#include "mosaic/patches.hpp"

namespace ortho::mosaic {

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
