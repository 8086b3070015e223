// SPDX-License-Identifier: BSD-3-Clause
// The real functions behind those that are played, and datatypes, which are the real MPI's.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstddef>
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

/// Keeps a datatype while its user may free it.
class KeptType {
public:
    KeptType() = default;
    explicit KeptType(MPI_Datatype type);
    KeptType(KeptType&& other) noexcept;
    KeptType& operator=(KeptType&& other) noexcept;
    ~KeptType();
    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool is_ours_ = false;
};

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

} // namespace loopback
