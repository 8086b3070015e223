// SPDX-License-Identifier: BSD-3-Clause
// type(ortho_field): an array of Fortran, for halos and index maps.
#pragma once

#include <string>
#include <vector>

#include "fortran/arguments.hpp"

namespace ortho::fortran {

constexpr int most_dimensions = 15;

/// type(ortho_field).
struct Field {
    void* base;
    std::size_t element;
    std::size_t extents[most_dimensions], strides[most_dimensions];
    int rank, code, datatype, problem;
    int ndivided, nlower, nupper; ///< -1: not given
    int divided[most_dimensions], lower[most_dimensions], upper[most_dimensions];
    /// One for all sides, or two for each dimension of the grid; 0: not given.
    int nkinds, nsigns, kinds[2 * most_dimensions], signs[2 * most_dimensions];
    /// On a mosaic; nlocation is 0 where it is not given.
    int nlocation, location[4], kind;
    int has_value;
    alignas(std::size_t) char value[64]; ///< one element
};

/// An argument that is a list of fields.
std::vector<const Field*> fields_of(const CFI_cdesc_t* list);

/// Throws base::Error unless it is an array whose extents are known.  `name`: as the error calls it.
void require_array(const Field& field, const std::string& name);

/// A datatype of the caller's, or one that was made here.
class Element {
public:
    Element() = default;
    Element(const Element&) = delete;
    Element(Element&& other) noexcept;
    Element& operator=(Element&& other) noexcept;
    ~Element();
    /// One element of the field's array.  Throws base::Error (type) if it cannot be reduced, but should be.
    static Element of(const Field& field, bool reduces);

    /// This datatype with another extent.
    Element spaced(std::size_t extent) const;
    /// So many of them, one behind the other, or so many bytes from one to the next.
    Element row(std::size_t count) const;
    Element strided(std::size_t count, std::ptrdiff_t stride) const;

    static constexpr int unknown = -1000000;
    MPI_Datatype type = MPI_DATATYPE_NULL;

private:
    static Element made(MPI_Datatype type);

    bool made_ = false;
};

} // namespace ortho::fortran
