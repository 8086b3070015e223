// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that have come back are reduced into the elements that they are copies of.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "indexmap/ghost_exchange.hpp"
#include "indexmap/index_map.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"
#include "mpi/operator.hpp"

namespace ortho::indexmap {

/// An element as operators see it: numbers of a predefined type, one behind the other.
struct Numbers {
    MPI_Datatype type;
    MPI_Count count;
};
/// The element itself if it is something else, or the operator is the user's.
Numbers numbers_in(MPI_Datatype element, MPI_Op op);

/// Brings plain elements together in `summands`, reduces a row of as many into them, and puts them back.
/// each(use): use(address) for each element, in the order of the row.
template <class Each>
void reduce_together(const std::byte* row, std::byte* summands, std::size_t bytes_of_element,
                     MPI_Count elements, const Numbers& numbers, MPI_Op op, Each each)
{
    std::byte* next = summands;
    each([&](const std::byte* element) {
        std::memcpy(next, element, bytes_of_element);
        next += bytes_of_element;
    });
    mpi::check(mpi::reduce_local(row, summands, elements * numbers.count, numbers.type, op));
    next = summands;
    each([&](std::byte* element) {
        std::memcpy(element, next, bytes_of_element);
        next += bytes_of_element;
    });
}

/// The ghosts of all fields that holders send, in memory of its own, holder by holder.  They are reduced in
/// the order of holders and of their ghosts, so that equal maps give equal bits.
class GhostReduction {
public:
    /// `elements`: the datatypes of the fields; kept by the caller.
    GhostReduction(std::shared_ptr<const IndexMap> map, std::vector<MPI_Datatype> elements, MPI_Op op);

    /// The memory, and where in it the elements of a field begin that a holder sends.
    std::byte* memory() const { return memory_.get(); }
    MPI_Aint offset(std::size_t holder, std::size_t field) const { return offsets_[holder][field]; }

    /// All have come: reduces them into the elements of these arrays.
    void reduce(const std::vector<void*>& owned) const;

private:
    /// The elements that a holder has copies of.
    struct Elements {
        std::vector<Stretch> stretches;
        bool are_scattered; ///< short stretches, and no element twice
    };

    void reduce(std::size_t holder, std::size_t field, std::byte* owned) const;
    void reduce_scattered(const std::vector<MPI_Count>& places, const std::byte* row, std::byte* owned,
                          std::size_t field) const;

    std::shared_ptr<const IndexMap> map_;
    std::vector<MPI_Datatype> elements_;
    std::vector<mpi::Measures> measures_;
    std::vector<Numbers> numbers_;
    MPI_Op op_;
    std::vector<Elements> owners_elements_;      ///< by holder
    std::vector<std::vector<MPI_Aint>> offsets_; ///< by holder and field
    std::unique_ptr<std::byte[]> memory_;
    std::unique_ptr<std::byte[]> summands_; ///< elements of the owner that do not lie in a row
};

} // namespace ortho::indexmap
