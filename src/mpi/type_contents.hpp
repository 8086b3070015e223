// SPDX-License-Identifier: BSD-3-Clause
// What a derived datatype was made from.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/datatype.hpp"

namespace ortho::mpi {

/// The combiner of a type, and of a derived one the arguments it was made with, whether its constructor had
/// large counts or not.  Types that it was made from live as long as this.
class TypeContents {
public:
    explicit TypeContents(MPI_Datatype type);

    int combiner() const { return combiner_; }
    /// All numbers among the arguments: integers, and then addresses, as MPI_Type_get_contents lists them.
    const std::vector<MPI_Count>& numbers() const { return numbers_; }
    MPI_Count number(int i) const { return numbers_[static_cast<std::size_t>(i)]; }
    const std::vector<MPI_Datatype>& types() const { return types_; }
    /// The one type of those that are made from one.
    MPI_Datatype old() const { return types_.front(); }

private:
    int combiner_ = MPI_COMBINER_NAMED;
    std::vector<MPI_Count> numbers_;
    std::vector<MPI_Datatype> types_;
    std::vector<Datatype> owners_;
};

int combiner_of(MPI_Datatype type);

/// Neither predefined nor one of Fortran's kinds: made from other types.
bool is_derived(int combiner);

} // namespace ortho::mpi
