// SPDX-License-Identifier: BSD-3-Clause
// What a derived datatype was made from.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/datatype.hpp"

namespace ortho::mpi {

/// The combiner of a type, and of a derived one the arguments it was made with.  Types that it was made from
/// live as long as this.
class TypeContents {
public:
    explicit TypeContents(MPI_Datatype type);

    int combiner() const { return combiner_; }
    int integer(int i) const { return integers_[static_cast<std::size_t>(i)]; }
    MPI_Aint address(int i) const { return addresses_[static_cast<std::size_t>(i)]; }
    const std::vector<int>& integers() const { return integers_; }
    const std::vector<MPI_Datatype>& types() const { return types_; }
    /// The one type of those that are made from one.
    MPI_Datatype old() const { return types_.front(); }

private:
    int combiner_ = MPI_COMBINER_NAMED;
    std::vector<int> integers_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Datatype> types_;
    std::vector<Datatype> owners_;
};

/// Neither predefined nor one of Fortran's kinds: made from other types.
bool is_derived(int combiner);

} // namespace ortho::mpi
