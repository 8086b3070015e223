// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the constructors of derived datatypes.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/datatype.hpp"

namespace ortho::mpi {

/// The combiner of a type; and for derived types the arguments of the constructor, with or without large
/// counts.  The types among the arguments live as long as this object.
class TypeContents {
public:
    explicit TypeContents(MPI_Datatype type);

    int combiner() const { return combiner_; }
    /// All numbers among the arguments: integers, and then addresses, as MPI_Type_get_contents lists them.
    const std::vector<MPI_Count>& numbers() const { return numbers_; }
    MPI_Count number(int i) const { return numbers_[static_cast<std::size_t>(i)]; }
    const std::vector<MPI_Datatype>& types() const { return types_; }
    /// The only type among the arguments.
    MPI_Datatype old() const { return types_.front(); }

private:
    int combiner_ = MPI_COMBINER_NAMED;
    std::vector<MPI_Count> numbers_;
    std::vector<MPI_Datatype> types_;
    std::vector<Datatype> owners_;
};

int combiner_of(MPI_Datatype type);

/// True for types made from other types: neither predefined nor one of Fortran's kinds.
bool is_derived(int combiner);

} // namespace ortho::mpi
