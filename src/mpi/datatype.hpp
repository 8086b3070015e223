// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: their measures, their identity, and our own ones.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "mpi/failure.hpp"
#include "mpi/library_lifetime.hpp"

namespace ortho::mpi {

/// The measures of a datatype, in bytes.
struct Measures {
    MPI_Count size;       ///< of the data
    MPI_Aint lb;          ///< where an element begins
    MPI_Aint extent;      ///< from one element to the next
    MPI_Aint true_lb;     ///< where the data begins
    MPI_Aint true_extent; ///< from the data's first byte to its last

    bool operator==(const Measures&) const = default;
};

Measures measure(MPI_Datatype type);

/// The range of bytes of `count` elements, relative to the buffer's address.
struct Span {
    MPI_Aint begin;
    MPI_Aint end;
};
Span span_of(const Measures& measures, MPI_Count count);
/// The range that an operator of the program's may touch: it may assign whole elements, gaps included.
Span operands_span(const Measures& measures, MPI_Count count);

/// Is the datatype predefined?
bool is_named(MPI_Datatype type);

/// Throws base::Error (type) if messages of the type are not allowed, since it is not committed.  MPI has no
/// function for this question.  `what` is the type's name in the error.
void require_committed(MPI_Datatype type, std::string_view what);
inline constexpr const char* type_of_sent = "the datatype of what is sent";
inline constexpr const char* type_of_received = "the datatype of what is received";

/// Throws base::Error (count) for more elements than addresses reach, so that no sum of sizes overflows.
void require_room(MPI_Count count, MPI_Datatype type, const char* argument, int index = -1);

/// The handle as a number.
template <class Handle>
std::uint64_t handle_number(Handle handle)
{
    std::uint64_t number = 0;
    static_assert(sizeof handle <= sizeof number);
    std::memcpy(&number, &handle, sizeof handle);
    return number;
}

/// A number that no other datatype has, had or will have.  A handle alone is not enough, since MPI uses it
/// again after MPI_Type_free.  Predefined types are known by their handles.
std::uint64_t identity(MPI_Datatype type);

/// A datatype of our own.
class Datatype {
public:
    Datatype() = default;
    explicit Datatype(MPI_Datatype type) : type_(type) {}
    Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Datatype& operator=(Datatype&& other) noexcept
    {
        std::swap(type_, other.type_);
        return *this;
    }
    ~Datatype()
    {
        if (type_ != MPI_DATATYPE_NULL && is_running()) PMPI_Type_free(&type_);
    }

    MPI_Datatype get() const { return type_; }

    /// Another type with the elements of one that the user may free at any time; committed if that one is.
    static Datatype duplicate(MPI_Datatype type);
    /// `count` elements one behind the other, of any count; committed.
    static Datatype row(MPI_Count count, MPI_Datatype type);
    /// `count` elements, of any count, `stride` bytes from one to the next; not committed.
    static Datatype strided(MPI_Count count, MPI_Aint stride, MPI_Datatype type);

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

} // namespace ortho::mpi
