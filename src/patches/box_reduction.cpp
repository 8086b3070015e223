// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that have come back are reduced into the elements that fill them.

#include "patches/box_reduction.hpp"

#include <algorithm>
#include <utility>

#include "base/arithmetic.hpp"
#include "mpi/failure.hpp"
#include "mpi/operator.hpp"
#include "transport/data_location.hpp"

namespace ortho::patches {

MPI_Aint BoxReduction::add(std::size_t base, const MemoryBox& box, MPI_Datatype element, int sign)
{
    constexpr std::size_t alignment = 64;
    const mpi::Measures measures = mpi::measure(element);
    const mpi::Span span = mpi::operands_span(measures, box.elements());
    const auto bytes = static_cast<std::size_t>(span.end - span.begin);
    const MPI_Aint row = static_cast<MPI_Aint>(bytes_) - span.begin;
    parts_.push_back({base, box, element, measures, indexmap::numbers_in(element, op_), sign, row});
    bytes_ += base::rounded_up(bytes, alignment);
    most_ = std::max(most_, bytes);
    return row;
}

void BoxReduction::allocate()
{
    memory_ = std::make_unique<std::byte[]>(bytes_);
    summands_ = std::make_unique<std::byte[]>(most_);
}

std::size_t BoxReduction::find_holes(const call::Bases& bases) const
{
    const auto found = std::ranges::find_if(parts_, [&](const Part& part) {
        return part.measures.size != part.measures.extent && memory::home_of(bases[part.base]);
    });
    return found == parts_.end() ? bases.size() : found->base;
}

void BoxReduction::prepare(const call::Bases& bases, BoxTypes& types)
{
    for (Part& part : parts_) {
        if (part.by_row || !memory::home_of(bases[part.base])) continue;
        part.by_row = std::make_unique<collectives::ShownGhosts>(part.element);
        const MemoryBox in_row{0, {{part.box.elements(), part.measures.size}}};
        part.by_row->change(
            part.box.offset, types.of(part.box, part.element),
            [this, &part, in_row](std::byte* row, std::size_t) { reduce(part, in_row, row); });
        part.by_row->finish();
    }
}

void BoxReduction::reduce(const call::Bases& bases)
{
    for (const Part& part : parts_) {
        void* const base = bases[part.base];
        if (!part.by_row) {
            reduce(part, part.box, static_cast<std::byte*>(base) + part.box.offset);
            continue;
        }
        part.by_row->begin(base);
        part.by_row->fill();
        part.by_row->wait();
    }
}

void BoxReduction::reduce(const Part& part, const MemoryBox& box, std::byte* begin)
{
    std::byte* const row = memory_.get() + part.row;
    const MPI_Count elements = part.box.elements();
    if (part.sign < 0)
        change({0, {{elements, part.measures.extent}}}, row, *mpi::signed_numbers(part.element), part.sign,
               0);
    const auto& [type, numbers] = part.numbers;
    if (!transport::is_plain(type, mpi::measure(type))) { // it has gaps, or the operator is the user's
        const std::byte* next = row;
        each_element(box, begin, [&](std::byte* element) {
            mpi::check(mpi::reduce_local(next, element, numbers, type, op_));
            next += part.measures.extent;
        });
        return;
    }
    indexmap::reduce_together(row, summands_.get(), static_cast<std::size_t>(part.measures.size), elements,
                              part.numbers, op_, [&](auto use) { each_element(box, begin, use); });
}

} // namespace ortho::patches
