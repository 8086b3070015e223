// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the constructors of derived datatypes.

#include "mpi/type_contents.hpp"

#include <cstddef>

namespace ortho::mpi {

namespace {

#ifdef ORTHO_MPI_LARGE_TYPES
using Count = MPI_Count;
#else
using Count = int;
#endif

/// The numbers of constructor arguments of each kind.  MPI_Type_get_envelope refuses types of constructors
/// with large counts; MPI_Type_get_envelope_c takes all types.
struct Envelope {
    Count integers = 0;
    Count addresses = 0;
    Count counts = 0; ///< of type MPI_Count; MPI_Type_get_contents has integers and addresses for them
    Count types = 0;
    int combiner = MPI_COMBINER_NAMED;

    explicit Envelope(MPI_Datatype type)
    {
#ifdef ORTHO_MPI_LARGE_TYPES
        check(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner));
#else
        check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
#endif
    }
};

/// The number of integers that stand before the large counts.
std::ptrdiff_t integers_before_counts(int combiner)
{
    switch (combiner) {
    case MPI_COMBINER_SUBARRAY: return 1; // the number of dimensions
    case MPI_COMBINER_DARRAY: return 3;   // the number of dimensions, process and number of processes
    default: return 0;
    }
}

} // namespace

bool is_derived(int combiner)
{
    return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
           combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

int combiner_of(MPI_Datatype type) { return Envelope(type).combiner; }

TypeContents::TypeContents(MPI_Datatype type)
{
    const Envelope envelope(type);
    combiner_ = envelope.combiner;
    if (combiner_ == MPI_COMBINER_NAMED) return; // MPI tells no arguments
    std::vector<int> integers(static_cast<std::size_t>(envelope.integers));
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(envelope.addresses));
    std::vector<MPI_Count> counts(static_cast<std::size_t>(envelope.counts));
    types_.resize(static_cast<std::size_t>(envelope.types), MPI_DATATYPE_NULL);
#ifdef ORTHO_MPI_LARGE_TYPES
    check(PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts,
                                   envelope.types, integers.data(), addresses.data(), counts.data(),
                                   types_.data()));
#else
    check(PMPI_Type_get_contents(type, envelope.integers, envelope.addresses, envelope.types, integers.data(),
                                 addresses.data(), types_.data()));
#endif
    numbers_.assign(integers.begin(), integers.end());
    numbers_.insert(numbers_.end(), addresses.begin(), addresses.end());
    if (!counts.empty())
        numbers_.insert(numbers_.begin() + integers_before_counts(combiner_), counts.begin(), counts.end());
    // Derived types come as handles made for us.  Predefined types and Fortran's kinds must not be freed.
    for (MPI_Datatype old : types_)
        if (is_derived(combiner_of(old))) owners_.emplace_back(old);
}

} // namespace ortho::mpi
