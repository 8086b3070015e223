// SPDX-License-Identifier: BSD-3-Clause
// Datatypes as runs of bytes at regular distances.

#include "mpi/strides.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/type_contents.hpp"

namespace ortho::mpi {

namespace {

using grid::StridedBox;
using Axis = StridedBox::Axis;

std::optional<StridedBox> box_of(MPI_Datatype type);

std::int64_t number_of(const void* address)
{
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
}

/// The boxes of `old` along axes, outermost first.
std::optional<StridedBox> along(const std::vector<Axis>& axes, std::int64_t address, MPI_Datatype old)
{
    auto box = box_of(old);
    if (!box) return std::nullopt;
    box->address += address;
    box->axes.insert(box->axes.begin(), axes.begin(), axes.end());
    return box;
}

/// A type that repeats its one old type at regular distances.
struct Repetition {
    std::int64_t address = 0; ///< of the first old element
    std::vector<Axis> axes{}; ///< outermost first
};

Repetition subarray(const TypeContents& contents)
{
    const int d = static_cast<int>(contents.number(0));
    Repetition result;
    std::int64_t stride = measure(contents.old()).extent;
    const bool last_is_innermost = contents.number(3 * d + 1) == MPI_ORDER_C;
    for (int i = 0; i < d; ++i) {
        const int k = last_is_innermost ? d - 1 - i : i;
        result.axes.push_back({contents.number(1 + d + k), stride});
        result.address += contents.number(1 + 2 * d + k) * stride;
        stride *= contents.number(1 + k);
    }
    std::ranges::reverse(result.axes);
    return result;
}

std::optional<Repetition> repetition(const TypeContents& contents)
{
    const auto extent = [&] { return static_cast<std::int64_t>(measure(contents.old()).extent); };
    switch (contents.combiner()) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: return Repetition{};
    case MPI_COMBINER_CONTIGUOUS: return Repetition{0, {{contents.number(0), extent()}}};
    case MPI_COMBINER_VECTOR:
        return Repetition{
            0, {{contents.number(0), contents.number(2) * extent()}, {contents.number(1), extent()}}};
    case MPI_COMBINER_HVECTOR:
        return Repetition{0, {{contents.number(0), contents.number(2)}, {contents.number(1), extent()}}};
    case MPI_COMBINER_SUBARRAY: return subarray(contents);
    default: return std::nullopt;
    }
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
    const auto repeated = repetition(contents);
    return repeated ? along(repeated->axes, repeated->address, contents.old()) : std::nullopt;
}

} // namespace

std::optional<grid::StridedBox> strided_box(const void* address, MPI_Count count, MPI_Datatype type)
{
    if (count == 0) return StridedBox{};
    auto box = along({{count, measure(type).extent}}, number_of(address), type);
    return box ? normalized(std::move(*box)) : std::nullopt;
}

namespace {

/// The bytes of one element at address 0, in any order: those that MPI writes.
std::vector<StridedBox> written_by(MPI_Datatype type)
{
    const Measures measures = measure(type);
    std::vector<char> image(static_cast<std::size_t>(measures.true_extent), 0);
    const std::vector<char> data(static_cast<std::size_t>(measures.size), 1);
    const Datatype committed = Datatype::row(1, type);
    int position = 0;
    check(PMPI_Unpack(data.data(), static_cast<int>(data.size()), &position, image.data() - measures.true_lb,
                      1, committed.get(), self_channel()));
    std::vector<StridedBox> boxes;
    for (auto next = image.begin(); next != image.end();) {
        const auto begin = std::ranges::find(next, image.end(), 1);
        next = std::ranges::find(begin, image.end(), 0);
        if (begin != next)
            boxes.push_back({std::int64_t{measures.true_lb} + (begin - image.begin()), {}, next - begin});
    }
    return boxes;
}

/// A type, and what is asked of it again and again.
struct Element {
    explicit Element(MPI_Datatype its_type) : type(its_type), measures(measure(type)), box(box_of(type))
    {
        if (box) box = normalized(std::move(*box));
    }

    MPI_Datatype type;
    Measures measures;
    std::optional<StridedBox> box;
};

/// Boxes as they are found.
struct FoundBoxes {
    std::vector<StridedBox> boxes{};
    bool in_order = true;
    std::size_t most = std::numeric_limits<std::size_t>::max();
    bool need_order = false;

    /// Are these boxes not what is looked for?
    bool are_useless() const { return boxes.size() > most || (need_order && !in_order); }
};

void add_boxes(FoundBoxes& result, std::int64_t address, MPI_Count count, const Element& element);

/// Types that list where their parts lie; false for others.
bool add_listed(FoundBoxes& result, std::int64_t address, const TypeContents& contents)
{
    const int combiner = contents.combiner();
    const bool has_one_length = combiner == MPI_COMBINER_INDEXED_BLOCK ||
                                combiner == MPI_COMBINER_HINDEXED_BLOCK;
    const bool in_elements = combiner == MPI_COMBINER_INDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK;
    const bool is_struct = combiner == MPI_COMBINER_STRUCT;
    if (!has_one_length && !in_elements && !is_struct && combiner != MPI_COMBINER_HINDEXED) return false;
    const int n = static_cast<int>(contents.number(0));
    const int first_place = has_one_length ? 2 : 1 + n;
    std::optional<Element> old;
    if (!is_struct && n > 0) old.emplace(contents.old());
    for (int i = 0; i < n && !result.are_useless(); ++i) {
        if (is_struct) old.emplace(contents.types()[static_cast<std::size_t>(i)]);
        const std::int64_t unit = in_elements ? std::int64_t{old->measures.extent} : 1;
        add_boxes(result, address + contents.number(first_place + i) * unit,
                  contents.number(has_one_length ? 1 : 1 + i), *old);
    }
    return true;
}

void add_repeated(FoundBoxes& result, std::int64_t address, std::span<const Axis> axes,
                  const Element& element)
{
    if (axes.empty()) return add_boxes(result, address, 1, element);
    for (std::int64_t i = 0; i < axes[0].count && !result.are_useless(); ++i)
        add_repeated(result, address + i * axes[0].stride, axes.subspan(1), element);
}

void add_boxes(FoundBoxes& result, std::int64_t address, MPI_Count count, const Element& element)
{
    if (count == 0 || element.measures.size == 0) return;
    if (element.box) {
        if (element.box->axes.empty() && element.box->run == element.measures.extent) {
            result.boxes.push_back({address + element.box->address, {}, count * element.box->run});
            return;
        }
        StridedBox box = *element.box;
        box.address += address;
        box.axes.insert(box.axes.begin(), {count, element.measures.extent});
        if (auto in_order = normalized(std::move(box))) {
            result.boxes.push_back(std::move(*in_order));
            return;
        }
    }
    const auto begin_of = [&](MPI_Count i) { return address + std::int64_t{i} * element.measures.extent; };
    if (!is_named(element.type) && is_derived(combiner_of(element.type))) {
        const TypeContents contents(element.type);
        if (const auto repeated = repetition(contents)) {
            const Element old(contents.old());
            for (MPI_Count i = 0; i < count && !result.are_useless(); ++i)
                add_repeated(result, begin_of(i) + repeated->address, repeated->axes, old);
            return;
        }
        MPI_Count i = 0;
        while (i < count && !result.are_useless() && add_listed(result, begin_of(i), contents)) ++i;
        if (i == count) return;
    }
    result.in_order = false;
    if (result.are_useless()) return;
    const std::vector<StridedBox> boxes = written_by(element.type);
    for (MPI_Count i = 0; i < count; ++i)
        for (StridedBox box : boxes) {
            box.address += begin_of(i);
            result.boxes.push_back(std::move(box));
        }
}

} // namespace

DataBoxes boxes_of(const void* address, MPI_Count count, MPI_Datatype type)
{
    FoundBoxes result;
    add_boxes(result, number_of(address), count, Element(type));
    return {std::move(result.boxes), result.in_order};
}

std::optional<std::vector<grid::StridedBox>> boxes_in_order(const void* address, MPI_Count count,
                                                            MPI_Datatype type, std::size_t most)
{
    FoundBoxes result{.most = most, .need_order = true};
    add_boxes(result, number_of(address), count, Element(type));
    if (result.are_useless()) return std::nullopt;
    return std::move(result.boxes);
}

} // namespace ortho::mpi
