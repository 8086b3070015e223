// SPDX-License-Identifier: BSD-3-Clause
// The blocks of an exchange of ghosts.

#include "indexmap/ghost_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "mpi/failure.hpp"

namespace ortho::indexmap {

void GhostSide::add(std::size_t base, MPI_Aint offset, mpi::Datatype type)
{
    partners_.back().push_back({base, offset, type.get()});
    types_.push_back(std::move(type));
}

call::BufferBlocks GhostSide::of(const call::Bases& bases)
{
    blocks_.clear();
    counts_.assign(partners_.size(), 1);
    addresses_.resize(partners_.size());
    block_types_.resize(partners_.size());
    for (std::size_t i = 0; i < partners_.size(); ++i) {
        const std::vector<Piece>& pieces = partners_[i];
        std::vector<MPI_Aint> addresses;
        std::vector<MPI_Datatype> types;
        for (const Piece& piece : pieces) {
            const auto begin = reinterpret_cast<std::uintptr_t>(bases[piece.base]);
            addresses.push_back(static_cast<MPI_Aint>(begin) + piece.offset);
            types.push_back(piece.type);
        }
        if (pieces.size() == 1) {
            addresses_[i] = addresses[0];
            block_types_[i] = types[0];
            continue;
        }
        const std::vector<int> ones(pieces.size(), 1);
        MPI_Datatype made = MPI_DATATYPE_NULL;
        mpi::check(PMPI_Type_create_struct(static_cast<int>(pieces.size()), ones.data(), addresses.data(),
                                           types.data(), &made));
        blocks_.emplace_back(made);
        mpi::check(PMPI_Type_commit(&made));
        addresses_[i] = 0;
        block_types_[i] = made;
    }
    return call::BufferBlocks::typed(MPI_BOTTOM, static_cast<int>(partners_.size()),
                                     mpi::CountArray(counts_.data()), mpi::CountArray(addresses_.data()),
                                     block_types_.data(), nullptr);
}

std::vector<Stretch> stretches_of(const std::vector<MPI_Count>& places)
{
    std::vector<Stretch> result;
    for (const MPI_Count place : places)
        if (!result.empty() && place == result.back().first + result.back().count)
            ++result.back().count;
        else
            result.push_back({place, 1});
    return result;
}

mpi::Datatype elements_at(const std::vector<MPI_Count>& places, MPI_Datatype element)
{
    const std::vector<Stretch> stretches = stretches_of(places);
    constexpr MPI_Count most = std::numeric_limits<int>::max();
    const bool fit = std::ranges::all_of(stretches, [](const Stretch& s) { return s.count <= most; });
    base::require(fit && std::ssize(stretches) <= most, base::ErrorKind::count, "nghosts",
                  "2^31 ghosts or more of one process");
    const MPI_Aint extent = mpi::measure(element).extent;
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    for (const Stretch& stretch : stretches) {
        lengths.push_back(static_cast<int>(stretch.count));
        displacements.push_back(static_cast<MPI_Aint>(stretch.first) * extent);
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check(PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                         displacements.data(), element, &made));
    mpi::Datatype result(made);
    mpi::check(PMPI_Type_commit(&made));
    return result;
}

} // namespace ortho::indexmap
