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
    const std::size_t d = array.strides.size() - array.counts.size();
    for (std::size_t k = 0; k < d; ++k)
        result.offset += static_cast<MPI_Aint>(box.first[k] - array.elements.first[k]) * array.strides[k];
    for (const int k : order)
        result.axes.push_back(
            {at(k) < d ? MPI_Count{box.count[at(k)]} : array.counts[at(k) - d], array.strides[at(k)]});
    return result;
}

MemoryBox box_filled(const Array& array, const mosaic::Filled& filled, const std::vector<int>& order, int d)
{
    std::vector<int> here;
    for (const int j : order) here.push_back(j < d ? static_cast<int>(filled.map.source(at(j))) : j);
    MemoryBox result = box_in(array, filled.box, here);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] >= d || filled.map.sign[at(order[i])] > 0) continue;
        MemoryBox::Axis& axis = result.axes[i];
        result.offset += static_cast<MPI_Aint>(axis.count - 1) * axis.stride;
        axis.stride = -axis.stride;
    }
    return result;
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
