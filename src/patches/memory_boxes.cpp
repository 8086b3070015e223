// SPDX-License-Identifier: BSD-3-Clause
// Boxes of elements in the arrays of patches.

#include "patches/memory_boxes.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <ranges>
#include <utility>

#include "base/index.hpp"
#include "mpi/failure.hpp"
#include "mpi/signed_numbers.hpp"

namespace ortho::patches {

std::vector<int> nesting_of(const Array& array)
{
    std::vector<int> result(array.strides.size());
    std::iota(result.begin(), result.end(), 0);
    std::ranges::stable_sort(result, std::ranges::greater{},
                             [&](int k) { return std::abs(array.strides[at(k)]); });
    return result;
}

MemoryBox box_in(const Array& array, const mosaic::Box& box, const std::vector<int>& order)
{
    MemoryBox result;
    const std::size_t d = array.mosaic_dimensions();
    for (std::size_t k = 0; k < d; ++k)
        result.offset += static_cast<MPI_Aint>(box.first[k] - array.elements.first[k]) * array.strides[k];
    for (const int k : order)
        result.axes.push_back(
            {at(k) < d ? MPI_Count{box.count[at(k)]} : array.counts[at(k) - d], array.strides[at(k)]});
    return result;
}

MemoryBox box_filled(const Array& array, const mosaic::Filled& filled)
{
    const std::vector<int> order = nesting_of(array);
    MemoryBox result = box_in(array, filled.box, order);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t k = at(order[i]);
        if (k >= array.mosaic_dimensions() || filled.map.sign[filled.map.target(k)] > 0) continue;
        MemoryBox::Axis& axis = result.axes[i];
        result.offset += static_cast<MPI_Aint>(axis.count - 1) * axis.stride;
        axis.stride = -axis.stride;
    }
    return result;
}

std::vector<int> donor_order(const Array& array, const mosaic::Filled& filled)
{
    std::vector<int> order = nesting_of(array);
    for (int& k : order)
        if (at(k) < array.mosaic_dimensions()) k = static_cast<int>(filled.map.target(at(k)));
    return order;
}

void change(const MemoryBox& box, std::byte* begin, const mpi::SignedNumbers& numbers, int sign, double shift)
{
    mpi::change(numbers, sign, shift, [&](auto use) { each_element(box, begin, use); });
}

MPI_Datatype BoxTypes::of(const MemoryBox& box, MPI_Datatype element)
{
    const auto [found, is_new] = types_.try_emplace({mpi::handle_number(element), box.axes});
    if (!is_new) return found->second.get();
    mpi::Datatype made;
    MPI_Datatype type = element;
    for (const auto& [count, stride] : box.axes | std::views::reverse) {
        if (count == 1) continue;
        made = mpi::Datatype::strided(count, stride, type);
        type = made.get();
    }
    if (made.get() == MPI_DATATYPE_NULL) made = mpi::Datatype::duplicate(type);
    MPI_Datatype whole = made.get();
    mpi::check(PMPI_Type_commit(&whole));
    found->second = std::move(made);
    return found->second.get();
}

} // namespace ortho::patches
