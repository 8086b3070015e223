// SPDX-License-Identifier: BSD-3-Clause
// Counts and displacements of calls: in int, or in 64 bits in calls whose name ends with _c.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ortho::mpi {

/// A view of an array of numbers that a call has as argument.
class CountArray {
public:
    CountArray() = default;
    CountArray(std::nullptr_t) {}
    /// An array of int, MPI_Count or MPI_Aint.
    template <std::integral Number>
    CountArray(const Number* values) : values_(values),
                                       is_wide_(sizeof(Number) > sizeof(int))
    {}

    bool operator==(std::nullptr_t) const { return values_ == nullptr; }
    template <class Index>
    MPI_Count operator[](Index i) const
    {
        return is_wide_ ? Wide{values_}[static_cast<std::size_t>(i)] : static_cast<const int*>(values_)[i];
    }

    bool is_wide() const { return is_wide_; }
    const void* data() const { return values_; }
    // The array in its own type.
    const int* ints() const { return static_cast<const int*>(values_); }
    const MPI_Count* counts() const { return static_cast<const MPI_Count*>(values_); }
    const MPI_Aint* addresses() const { return static_cast<const MPI_Aint*>(values_); }

    /// An array of 64-bit integers of any type.
    struct Wide {
        const void* values;
        MPI_Count operator[](std::size_t i) const
        {
            std::int64_t value = 0;
            std::memcpy(&value, static_cast<const std::byte*>(values) + i * sizeof value, sizeof value);
            return value;
        }
    };
    /// Calls use(array) with an array that is indexed as fast as possible.
    template <class Use>
    void visit(Use use) const
    {
        if (is_wide_)
            use(Wide{values_});
        else
            use(static_cast<const int*>(values_));
    }

private:
    static_assert(sizeof(MPI_Count) == sizeof(std::int64_t));

    const void* values_ = nullptr;
    bool is_wide_ = false;
};

} // namespace ortho::mpi
