// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of the regions of fields with ghost layers.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "bench/ghost_fields.hpp"

namespace bench {

/// Datatypes of regions, freed with this object.
class RegionTypes {
public:
    explicit RegionTypes(const Ghosts& ghosts) : whole_(ghosts.whole()) {}
    RegionTypes(const RegionTypes&) = delete;
    RegionTypes& operator=(const RegionTypes&) = delete;
    ~RegionTypes()
    {
        for (MPI_Datatype& type : types_) MPI_Type_free(&type);
    }
    MPI_Datatype of(const Region& region)
    {
        const int sizes[] = {whole_, whole_, whole_};
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_subarray(3, sizes, region.extent.data(), region.first.data(), MPI_ORDER_C, MPI_DOUBLE,
                                 &type);
        MPI_Type_commit(&type);
        types_.push_back(type);
        return type;
    }

private:
    int whole_;
    std::vector<MPI_Datatype> types_;
};

/// A datatype for each neighbor: for MPI_Neighbor_alltoallw, and for 26 messages for each field.
struct Neighbors {
    RegionTypes types;
    std::vector<MPI_Datatype> send, receive;
    std::vector<int> ones;
    std::vector<MPI_Aint> zeros;

    Neighbors(const Exchange& exchange, const Ghosts& ghosts)
        : types(ghosts),
          ones(static_cast<std::size_t>(exchange.stencil_size()) + 1, 1),
          zeros(ones.size(), 0)
    {
        for (const int i : exchange.target_offsets)
            send.push_back(types.of(ghosts.owned(offset_of(exchange, i))));
        for (const int i : exchange.source_offsets)
            receive.push_back(types.of(ghosts.ghosts(offset_of(exchange, i))));
    }
};

} // namespace bench
