// SPDX-License-Identifier: BSD-3-Clause
// Mosaics of Fortran, where tiles, dimensions, cells and patches count from 1.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "fortran/arguments.hpp"

namespace ortho::fortran {

/// type(ortho_contact) and type(ortho_patch) have the members of C; indices become larger by `by`.
inline ORTHO_Contact shifted(ORTHO_Contact contact, int by)
{
    for (int* const index : {&contact.tile, &contact.dimension, &contact.donor}) *index += by;
    for (MPI_Count& first : contact.first) first += by;
    return contact;
}
inline ORTHO_Patch shifted(ORTHO_Patch patch, int by)
{
    patch.tile += by;
    for (MPI_Count& first : patch.first) first += by;
    return patch;
}

/// The first n contacts, or patches, of a list.
template <class Item>
std::vector<Item> items_of(const CFI_cdesc_t& list, const char* argument, MPI_Count n)
{
    std::vector<Item> items;
    each_of_first(list, argument, n, [&](void* p) { items.push_back(shifted(*static_cast<Item*>(p), -1)); });
    return items;
}

/// Room for n contacts, or patches.
template <class Item>
class GotItems {
public:
    GotItems(const CFI_cdesc_t* list, const char* argument, MPI_Count n)
        : list_(list),
          argument_(argument),
          items_(items_of<Item>(*list, argument, n))
    {}
    GotItems(const GotItems&) = delete;
    ~GotItems()
    {
        const Item* item = items_.data();
        each_of_first(*list_, argument_, static_cast<MPI_Count>(items_.size()),
                      [&](void* p) { *static_cast<Item*>(p) = shifted(*item++, 1); });
    }
    operator Item*() { return items_.data(); }

private:
    const CFI_cdesc_t* list_;
    const char* argument_;
    std::vector<Item> items_;
};

/// A contact that is made.
class GotContact {
public:
    explicit GotContact(ORTHO_Contact* p) : p_(p) {}
    GotContact(const GotContact&) = delete;
    ~GotContact() { *p_ = shifted(made_, 1); }
    operator ORTHO_Contact*() { return &made_; }

private:
    ORTHO_Contact* p_;
    ORTHO_Contact made_{};
};

/// The cells of the first tiles.  Numbers that C refuses before it reads them need none.
struct Sizes : std::vector<MPI_Count> {
    Sizes(const CFI_cdesc_t& sizes, int d, int tiles)
        : std::vector<MPI_Count>(
              list_of<MPI_Count>(sizes, "sizes", d < 1 || d > 4 ? 0 : MPI_Count{d} * tiles, 0))
    {}
};

/// The number of a mosaic's dimensions; 4 for one that Fortran has not made.
int dimensions_of(ORTHO_Mosaic mosaic);

/// A number for each of d dimensions; those that are not given are refused where they are indices, which count
/// from `first`.
struct Cell : std::array<MPI_Count, 4> {
    Cell(const CFI_cdesc_t& numbers, int first, int d)
    {
        fill(-first);
        const auto n = std::min({elements_of(numbers), size(), static_cast<std::size_t>(std::max(d, 0))});
        const auto given = list_of<MPI_Count>(numbers, "element", static_cast<MPI_Count>(n), first);
        std::copy(given.begin(), given.end(), begin());
    }
};

} // namespace ortho::fortran
