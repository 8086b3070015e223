// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that have come back are reduced into the elements that they are copies of.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "indexmap/index_map.hpp"
#include "mpi/datatype.hpp"

namespace ortho::indexmap {

/// The ghosts of all fields that holders send, in memory of its own, holder by holder.  They are reduced in the
/// order of holders and of their ghosts, so that equal maps give equal bits.
class GhostReduction {
public:
    /// `elements`: the datatypes of the fields; kept by the caller.
    GhostReduction(std::shared_ptr<const IndexMap> map, std::vector<MPI_Datatype> elements, MPI_Op op);

    /// The memory, and where in it the elements of a field begin that a holder sends.
    std::byte* memory() const { return memory_.get(); }
    MPI_Aint offset(std::size_t holder, std::size_t field) const { return rows_[holder][field].offset; }

    /// All have come: reduces them into the elements of these arrays.
    void reduce(const std::vector<void*>& owned) const;

private:
    struct Row {
        MPI_Aint offset = 0;
        std::size_t bytes = 0;
    };

    void reduce(const Shared& holder, const std::byte* row, std::byte* owned, MPI_Datatype element) const;

    std::shared_ptr<const IndexMap> map_;
    std::vector<MPI_Datatype> elements_;
    std::vector<mpi::Measures> measures_;
    MPI_Op op_;
    std::vector<std::vector<Row>> rows_; ///< by holder and field
    std::unique_ptr<std::byte[]> memory_;
    std::unique_ptr<std::byte[]> summands_; ///< elements of the owner that do not lie in a row
};

} // namespace ortho::indexmap
