// SPDX-License-Identifier: BSD-3-Clause
// Boxes of elements in the arrays of patches.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <vector>

#include "mosaic/ghosts.hpp"
#include "mpi/datatype.hpp"
#include "mpi/type_signature.hpp"

namespace ortho::patches {

/// The array of a field on a patch, but for where it begins.  Its dimensions are those of the mosaic, and
/// behind them those that are not divided.
struct Array {
    mosaic::Box elements{};          ///< ghosts included
    std::vector<MPI_Aint> strides{}; ///< bytes from one element to the next
    std::vector<MPI_Count> counts{}; ///< of elements; those of the mosaic's dimensions do not count here

    std::size_t mosaic_dimensions() const { return strides.size() - counts.size(); }
};

/// The dimensions of an array in the order in which they lie in memory, the outermost first.
std::vector<int> nesting_of(const Array& array);

/// Elements of an array, in an order of their own: strides may be negative.
struct MemoryBox {
    struct Axis {
        MPI_Count count;
        MPI_Aint stride;

        auto operator<=>(const Axis&) const = default;
    };
    MPI_Aint offset = 0;      ///< of the first element
    std::vector<Axis> axes{}; ///< outermost first

    MPI_Count elements() const
    {
        MPI_Count result = 1;
        for (const Axis& axis : axes) result *= axis.count;
        return result;
    }
};

/// A box of a patch, in the order of these dimensions of its array.
MemoryBox box_in(const Array& array, const mosaic::Box& box, const std::vector<int>& order);
/// The box that one of another patch fills, and the order of the other's dimensions that runs along with it.
MemoryBox box_filled(const Array& array, const mosaic::Filled& filled);
std::vector<int> donor_order(const Array& array, const mosaic::Filled& filled);

/// use(address) for each element.
template <class Use>
void each_element(const MemoryBox& box, std::byte* begin, Use use, std::size_t axis = 0)
{
    const auto [count, stride] = box.axes[axis];
    if (axis + 1 == box.axes.size()) {
        for (MPI_Count i = 0; i < count; ++i) use(begin + i * stride);
        return;
    }
    for (MPI_Count i = 0; i < count; ++i) each_element(box, begin + i * stride, use, axis + 1);
}

/// mpi::change() of the elements of a box; `begin`: the first one.
void change(const MemoryBox& box, std::byte* begin, const mpi::SignedNumbers& numbers, int sign,
            double shift);

/// The datatypes of boxes; boxes of one form have one.
class BoxTypes {
public:
    /// Committed.
    MPI_Datatype of(const MemoryBox& box, MPI_Datatype element);

private:
    std::map<std::pair<std::uint64_t, std::vector<MemoryBox::Axis>>, mpi::Datatype> types_;
};

} // namespace ortho::patches
