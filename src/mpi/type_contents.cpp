// SPDX-License-Identifier: BSD-3-Clause
// What a derived datatype was made from.

#include "mpi/type_contents.hpp"

namespace ortho::mpi {

namespace {

/// Of what MPI_Type_get_contents needs to know.
struct Envelope {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;

    explicit Envelope(MPI_Datatype type)
    {
        check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    }
};

} // namespace

bool is_derived(int combiner)
{
    return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
           combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

TypeContents::TypeContents(MPI_Datatype type)
{
    const Envelope envelope(type);
    combiner_ = envelope.combiner;
    if (combiner_ == MPI_COMBINER_NAMED) return; // MPI does not tell
    integers_.resize(static_cast<std::size_t>(envelope.integers));
    addresses_.resize(static_cast<std::size_t>(envelope.addresses));
    types_.resize(static_cast<std::size_t>(envelope.types), MPI_DATATYPE_NULL);
    check(PMPI_Type_get_contents(type, envelope.integers, envelope.addresses, envelope.types,
                                 integers_.data(), addresses_.data(), types_.data()));
    // Derived types come as handles made for us; predefined ones must not be freed, nor those of Fortran's
    // kinds.
    for (MPI_Datatype old : types_)
        if (is_derived(Envelope(old).combiner)) owners_.emplace_back(old);
}

} // namespace ortho::mpi
