// SPDX-License-Identifier: BSD-3-Clause
// Datatypes as runs of bytes at regular distances.

#include "mpi/strides.hpp"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "mpi/datatype.hpp"
#include "mpi/type_contents.hpp"

namespace ortho::mpi {

namespace {

using grid::StridedBox;
using Axis = StridedBox::Axis;

std::optional<StridedBox> box_of(MPI_Datatype type);

/// The boxes of `old` along axes, outermost first.
std::optional<StridedBox> along(const std::vector<Axis>& axes, std::int64_t address, MPI_Datatype old)
{
    auto box = box_of(old);
    if (!box) return std::nullopt;
    box->address += address;
    box->axes.insert(box->axes.begin(), axes.begin(), axes.end());
    return box;
}

std::optional<StridedBox> subarray(const TypeContents& contents)
{
    const int d = static_cast<int>(contents.number(0));
    std::vector<Axis> inner_first;
    std::int64_t address = 0;
    std::int64_t stride = measure(contents.old()).extent;
    const bool last_is_innermost = contents.number(3 * d + 1) == MPI_ORDER_C;
    for (int i = 0; i < d; ++i) {
        const int k = last_is_innermost ? d - 1 - i : i;
        inner_first.push_back({contents.number(1 + d + k), stride});
        address += contents.number(1 + 2 * d + k) * stride;
        stride *= contents.number(1 + k);
    }
    std::ranges::reverse(inner_first);
    return along(inner_first, address, contents.old());
}

/// The box of one element at address 0, not normalized.
std::optional<StridedBox> box_of(MPI_Datatype type)
{
    if (is_named(type)) {
        const Measures measures = measure(type);
        if (measures.true_lb != 0 || measures.size != measures.true_extent) return std::nullopt;
        return StridedBox{0, {}, measures.size};
    }
    const TypeContents contents(type);
    const auto extent = [&] { return static_cast<std::int64_t>(measure(contents.old()).extent); };
    switch (contents.combiner()) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: return box_of(contents.old());
    case MPI_COMBINER_CONTIGUOUS: return along({{contents.number(0), extent()}}, 0, contents.old());
    case MPI_COMBINER_VECTOR:
        return along({{contents.number(0), contents.number(2) * extent()}, {contents.number(1), extent()}}, 0,
                     contents.old());
    case MPI_COMBINER_HVECTOR:
        return along({{contents.number(0), contents.number(2)}, {contents.number(1), extent()}}, 0,
                     contents.old());
    case MPI_COMBINER_SUBARRAY: return subarray(contents);
    default: return std::nullopt;
    }
}

} // namespace

std::optional<grid::StridedBox> strided_box(const void* address, MPI_Count count, MPI_Datatype type)
{
    if (count == 0) return StridedBox{};
    auto box = along({{count, measure(type).extent}},
                     static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address)), type);
    return box ? normalized(std::move(*box)) : std::nullopt;
}

} // namespace ortho::mpi
