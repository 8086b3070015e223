// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Mosaic_create and what belongs to it; contacts.

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/error.hpp"
#include "base/handles.hpp"
#include "base/index.hpp"
#include "mpi/error_handling.hpp"
#include "patches/mosaic_handles.hpp"
#include "runtime/internal_collectives.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using mosaic::Contact;
using mosaic::Index;
using mosaic::most_dimensions;
using patches::Mosaic;

base::Handles<ORTHO_Mosaic_s>& mosaics()
{
    static auto* const all = new base::Handles<ORTHO_Mosaic_s>; // may outlive what is destroyed at exit
    return *all;
}

/// No sum of a few such numbers overflows.
constexpr MPI_Count most_cells = MPI_Count{1} << 48;

void require_small(MPI_Count number, const char* argument)
{
    require(number >= -most_cells && number <= most_cells, ErrorKind::arg, argument, argument,
            " has the number ", number, ", and counts of cells go to 2^48");
}

std::vector<Index> sizes_of(int d, int ntiles, const MPI_Count sizes[])
{
    require(d >= 1 && at(d) <= most_dimensions, ErrorKind::dims, "d", "d = ", d,
            " is no number of dimensions from 1 to ", most_dimensions);
    require(ntiles >= 1, ErrorKind::count, "ntiles", "ntiles = ", ntiles, " is not positive");
    mpi::require_result(sizes, "sizes");
    std::vector<Index> result(at(ntiles), Index{1, 1, 1, 1});
    for (std::size_t tile = 0; tile < at(ntiles); ++tile)
        for (std::size_t k = 0; k < at(d); ++k) {
            require_small(result[tile][k] = sizes[tile * at(d) + k], "sizes");
            require(result[tile][k] > 0, ErrorKind::arg, "sizes", "sizes: tile ", tile, " has ",
                    result[tile][k], " cells in dimension ", k);
        }
    return result;
}

Contact contact_of(int d, const ORTHO_Contact& given)
{
    for (std::size_t k = 0; k < at(d); ++k)
        for (const MPI_Count number : {given.first[k], given.count[k], given.origin[k]})
            require_small(number, "contacts");
    Contact result{.tile = given.tile,
                   .dimension = given.dimension,
                   .side = given.side,
                   .part = patches::box_of(d, given.first, given.count),
                   .donor = given.donor};
    std::ranges::copy(given.shift, result.shift.begin());
    Index origin{};
    std::copy_n(given.origin, d, origin.begin());
    result.map = mosaic::map_of(d, given.transform, origin.data());
    return result;
}

ORTHO_Contact written(int d, const Contact& contact)
{
    ORTHO_Contact result{};
    result.tile = contact.tile;
    result.dimension = contact.dimension;
    result.side = contact.side;
    result.donor = contact.donor;
    for (std::size_t j = 0; j < at(d); ++j) {
        result.transform[contact.map.source(j)] = contact.map.sign[j] * (static_cast<int>(j) + 1);
        result.origin[j] = contact.map.origin[j] / 2;
    }
    return result;
}

/// A side of a tile that somebody names.  As many tiles as are named have sizes.
mosaic::Side side_of(int d, int tile, int dimension, int side,
                     const std::array<const char*, 3>& names = {"tile", "dimension", "side"})
{
    require(tile >= 0, ErrorKind::arg, names[0], names[0], ": there is no tile ", tile,
            "; the first one is tile 0");
    require(dimension >= 0 && dimension < d, ErrorKind::arg, names[1], names[1], " = ", dimension,
            " is none of ", d, " dimensions");
    require(side == ORTHO_LOWER || side == ORTHO_UPPER, ErrorKind::arg, names[2], names[2], " = ", side,
            " is neither ORTHO_LOWER nor ORTHO_UPPER");
    return {tile, dimension, side};
}

/// The body of a function that makes one contact.
template <class Make>
int write_contact(const char* function, int d, ORTHO_Contact* contact, Make make)
{
    return mpi::guard_at_any_time(function, [&] {
        mpi::require_result(contact, "contact");
        *contact = written(d, make());
    });
}

/// All that the tiles and the contacts of a call say, in numbers.
std::vector<long long> numbers_of(int d, const std::vector<Index>& sizes,
                                  const std::vector<Contact>& contacts)
{
    std::vector<long long> result;
    for (const Index& size : sizes) result.insert(result.end(), size.begin(), size.begin() + d);
    for (const Contact& contact : contacts) {
        result.insert(result.end(), {contact.tile, contact.dimension, contact.side, contact.donor});
        for (std::size_t k = 0; k < most_dimensions; ++k)
            result.insert(result.end(), {contact.part.first[k], contact.part.count[k], contact.map.from[k],
                                         contact.map.sign[k], contact.map.origin[k],
                                         std::bit_cast<long long>(contact.shift[k])});
    }
    return result;
}

void require_same(MPI_Comm comm, std::span<const long long> numbers, const char* argument, const char* what)
{
    if (const auto differs = agree::find_difference(comm, numbers))
        base::fail(ErrorKind::mismatch, argument, what, " not the same on rank 0 and on rank ",
                   differs->rank);
}

/// The patches of all processes, from those of this one.
void gather(Mosaic& mosaic, MPI_Comm comm, int d, const std::vector<mosaic::Patch>& mine)
{
    const std::vector<long long> begins = runtime::begins_of_all(comm, std::ssize(mine));
    mosaic.begin.assign(begins.begin(), begins.end());
    std::vector<mosaic::Patch> patches(mosaic.begin.back());
    { // these numbers take as much memory as the patches do
        std::vector<long long> numbers;
        for (const mosaic::Patch& patch : mine) {
            numbers.push_back(patch.tile);
            numbers.insert(numbers.end(), patch.cells.first.begin(), patch.cells.first.begin() + d);
            numbers.insert(numbers.end(), patch.cells.count.begin(), patch.cells.count.begin() + d);
        }
        const std::vector<long long> all = runtime::gather_all(comm, numbers);
        const long long* next = all.data();
        for (mosaic::Patch& patch : patches) {
            patch.tile = static_cast<int>(*next++);
            for (std::size_t k = 0; k < at(d); ++k) patch.cells.first[k] = *next++;
            for (std::size_t k = 0; k < at(d); ++k) patch.cells.count[k] = *next++;
        }
    }
    mosaic.patches = mosaic::Patches(std::move(patches));
}

} // namespace

std::shared_ptr<Mosaic> patches::find_mosaic(ORTHO_Mosaic handle)
{
    const ORTHO_Mosaic_s* const found = mosaics().find(handle);
    return found == nullptr ? nullptr : found->mosaic;
}

std::shared_ptr<Mosaic> patches::mosaic_of(ORTHO_Mosaic handle)
{
    auto result = find_mosaic(handle);
    require(result != nullptr, ErrorKind::arg, "mosaic",
            "mosaic is no mosaic: it was never set, or was freed");
    return result;
}

mosaic::Box patches::box_of(int d, const MPI_Count first[], const MPI_Count count[])
{
    mosaic::Box box;
    std::copy_n(first, d, box.first.begin());
    std::copy_n(count, d, box.count.begin());
    return box;
}

ORTHO_Patch patches::patch_of(int d, int tile, const mosaic::Box& box)
{
    ORTHO_Patch result{};
    result.tile = tile;
    std::copy_n(box.first.begin(), d, result.first);
    std::copy_n(box.count.begin(), d, result.count);
    return result;
}

void patches::write_patches(const std::vector<ORTHO_Patch>& all, int most, ORTHO_Patch patches[],
                            const char* name, int* n)
{
    require(most >= 0, ErrorKind::count, "maxn", "maxn = ", most, " is negative");
    if (most > 0) mpi::require_result(patches, name);
    mpi::require_result(n, "n");
    *n = static_cast<int>(all.size());
    std::copy_n(all.begin(), std::min(most, *n), patches);
}

extern "C" {

int ORTHO_Contact_join(int d, const MPI_Count sizes[], int a, int adim, int aside, int b, int bdim, int bside,
                       const int reversed[], ORTHO_Contact* contact)
{
    return write_contact("ORTHO_Contact_join", d, contact, [&] {
        const auto here = side_of(d, a, adim, aside, {"a", "adim", "aside"});
        const auto there = side_of(d, b, bdim, bside, {"b", "bdim", "bside"});
        const std::vector<Index> all = sizes_of(d, std::max(a, b) + 1, sizes);
        std::array<bool, most_dimensions> backward{};
        for (std::size_t k = 0; k < at(d); ++k) backward[k] = reversed != nullptr && reversed[k] != 0;
        return mosaic::join(d, all, here, there, backward);
    });
}

int ORTHO_Contact_periodic(int d, const MPI_Count sizes[], int tile, int dimension, ORTHO_Contact* contact)
{
    return write_contact("ORTHO_Contact_periodic", d, contact, [&] {
        const auto upper = side_of(d, tile, dimension, ORTHO_UPPER);
        return mosaic::join(d, sizes_of(d, tile + 1, sizes), upper, {tile, dimension, ORTHO_LOWER}, {});
    });
}

int ORTHO_Contact_fold(int d, const MPI_Count sizes[], int tile, int dimension, int side, int along,
                       int pivot, ORTHO_Contact* contact)
{
    return write_contact("ORTHO_Contact_fold", d, contact, [&] {
        const auto folded = side_of(d, tile, dimension, side);
        require(pivot >= ORTHO_PIVOT_T && pivot <= ORTHO_PIVOT_V, ErrorKind::arg, "pivot", "pivot = ", pivot,
                " is none of ORTHO_PIVOT_T, _F, _U and _V");
        return mosaic::fold(d, sizes_of(d, tile + 1, sizes), folded, along,
                            static_cast<mosaic::Pivot>(pivot));
    });
}

int ORTHO_Contact_cubed_sphere(int d, const MPI_Count sizes[], ORTHO_Contact contacts[])
{
    return mpi::guard_at_any_time("ORTHO_Contact_cubed_sphere", [&] {
        require(d >= 2, ErrorKind::dims, "d", "d = ", d, " is less than the 2 dimensions of a panel");
        mpi::require_result(contacts, "contacts");
        for (const Contact& contact : mosaic::cubed_sphere(d, sizes_of(d, 6, sizes)))
            *contacts++ = written(d, contact);
    });
}

int ORTHO_Mosaic_divide(int d, int ntiles, const MPI_Count sizes[], const MPI_Count most[], int parts,
                        int part, int maxn, ORTHO_Patch patches[], int* n)
{
    return mpi::guard_at_any_time("ORTHO_Mosaic_divide", [&] {
        const std::vector<Index> all = sizes_of(d, ntiles, sizes);
        Index longest{};
        for (std::size_t k = 0; k < at(d); ++k) {
            longest[k] = most == nullptr ? 0 : most[k];
            require(longest[k] >= 0, ErrorKind::arg, "most", "most[", k, "] = ", longest[k], " is negative");
        }
        require(parts >= 1, ErrorKind::arg, "parts", "parts = ", parts, " is not positive");
        require(part >= 0 && part < parts, ErrorKind::arg, "part", "part = ", part, " is none of ", parts,
                " parts");
        std::vector<ORTHO_Patch> result;
        for (const mosaic::Patch& patch : mosaic::divide(d, all, longest, parts, part))
            result.push_back(patches::patch_of(d, patch.tile, patch.cells));
        patches::write_patches(result, maxn, patches, "patches", n);
    });
}

int ORTHO_Mosaic_create(MPI_Comm comm, int d, int ntiles, const MPI_Count sizes[], int ncontacts,
                        const ORTHO_Contact contacts[], int npatches, const ORTHO_Patch patches[],
                        MPI_Info info, ORTHO_Mosaic* mosaic)
{
    return mpi::guard("ORTHO_Mosaic_create", comm, [&] {
        mpi::require_intra(comm, "comm");
        std::vector<Index> all_sizes;
        std::vector<Contact> all_contacts;
        std::optional<mosaic::Tiles> tiles;
        std::vector<mosaic::Patch> mine;
        topology::check_together(comm, [&] {
            topology::look_at_keys(info, topology::reads_nothing);
            all_sizes = sizes_of(d, ntiles, sizes);
            require(ncontacts >= 0, ErrorKind::count, "ncontacts", "ncontacts = ", ncontacts, " is negative");
            require(npatches >= 0, ErrorKind::count, "npatches", "npatches = ", npatches, " is negative");
            if (ncontacts > 0) mpi::require_result(contacts, "contacts");
            if (npatches > 0) mpi::require_result(patches, "patches");
            mpi::require_result(mosaic, "mosaic");
            for (int i = 0; i < ncontacts; ++i) all_contacts.push_back(contact_of(d, contacts[i]));
            tiles.emplace(d, all_sizes, all_contacts);
            for (int i = 0; i < npatches; ++i)
                mine.push_back({patches[i].tile, patches::box_of(d, patches[i].first, patches[i].count)});
            mosaic::require_inside(*tiles, mine);
        });
        const long long lengths[] = {d, ntiles, ncontacts};
        require_same(comm, lengths, "ntiles", "d, ntiles or ncontacts is");
        require_same(comm, numbers_of(d, all_sizes, all_contacts), "contacts", "sizes or contacts are");
        const auto made = std::make_shared<Mosaic>(
            Mosaic{std::move(*tiles), mosaic::Patches({}), {}, mpi::rank_of(comm), runtime::bare_copy(comm)});
        mpi::copy_errhandler(comm, made->comm.get());
        gather(*made, comm, d, mine);
        topology::check_together(
            comm, [&] { made->patches.require_apart(d, made->first_here(), made->number_here()); });
        auto handle = std::make_unique<ORTHO_Mosaic_s>();
        handle->mosaic = made;
        *mosaic = mosaics().add(std::move(handle));
    });
}

int ORTHO_Mosaic_free(ORTHO_Mosaic* mosaic)
{
    return mpi::guard("ORTHO_Mosaic_free", [&] {
        mpi::require_result(mosaic, "mosaic");
        static_cast<void>(patches::mosaic_of(*mosaic));
        mosaics().remove(*mosaic);
        *mosaic = ORTHO_MOSAIC_NULL;
    });
}

int ORTHO_Mosaic_owner(ORTHO_Mosaic mosaic, int tile, const MPI_Count element[], int* rank, int* patch)
{
    return mpi::guard("ORTHO_Mosaic_owner", [&] {
        const auto its = patches::mosaic_of(mosaic);
        mpi::require_result(element, "element");
        mpi::require_result(rank, "rank");
        mpi::require_result(patch, "patch");
        require(tile >= 0 && tile < its->tiles.number(), ErrorKind::arg, "tile", "tile = ", tile,
                " is none of ", its->tiles.number(), " tiles");
        Index cell{};
        for (std::size_t k = 0; k < at(its->tiles.dimensions()); ++k) {
            cell[k] = element[k];
            require(cell[k] >= 0 && cell[k] < its->tiles.size(tile)[k], ErrorKind::arg, "element", "element[",
                    k, "]: cell ", cell[k], " is none of ", its->tiles.size(tile)[k], " cells");
        }
        const std::int64_t found = its->patches.owner(tile, cell);
        *rank = found < 0 ? -1 : its->owner(at(found));
        *patch = found < 0 ? -1 : static_cast<int>(at(found) - its->begin[at(*rank)]);
    });
}

} // extern "C"
