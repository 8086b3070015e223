// SPDX-License-Identifier: BSD-3-Clause
// The real functions behind those that are played, and datatypes, which are the real MPI's.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace loopback {

/// The function of that name which a program gets that does not define it.
template <class Function>
Function* real(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define REAL(name)                                                                                           \
    ([] {                                                                                                    \
        static auto* const function = ::loopback::real<decltype(name)>(#name);                               \
        return function;                                                                                     \
    }())

/// A datatype is there as long as this is, although its user may free it; null: it is always there.
std::shared_ptr<const void> keep_type(MPI_Datatype type);
/// Like MPI_Type_free.
int free_type(MPI_Datatype* type);
/// Is it committed?
bool is_usable(MPI_Datatype type);

using Bytes = std::vector<std::byte>;

/// Some elements in memory.
struct Elements {
    const void* address = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;

    std::size_t bytes() const;
    Bytes pack() const;
    /// Writes them, or as many as there are bytes; false: there are too many bytes.
    bool unpack(const Bytes& packed) const;

private:
    template <class Visitor>
    void visit(Visitor visitor) const;
};

/// Some bytes, several times at a distance.
struct Run {
    MPI_Aint offset, bytes, times = 1, distance = 0;
};

/// The bytes that one element of a datatype stands for, in the order of its type map.  MPI_Pack does not serve:
/// MPICH 4.0.2 packs too little of some types, by what their objects were before.
struct Layout {
    std::vector<Run> runs;
    MPI_Aint extent = 0;
};
/// Kept until the type is freed.
std::shared_ptr<const Layout> layout_of(MPI_Datatype type);
void forget_layout(MPI_Datatype type);

} // namespace loopback
