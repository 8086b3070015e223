// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that have come back are reduced into the elements that they are copies of.

#include "indexmap/ghost_reduction.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/arithmetic.hpp"
#include "mpi/type_contents.hpp"
#include "transport/data_location.hpp"

namespace ortho::indexmap {

namespace {

constexpr std::size_t alignment = 64;
/// Elements that lie in rows of so many on average are reduced where they lie; others are brought together.
constexpr std::size_t in_a_row = 8;
/// Doubles that lie in shorter rows on average are added without MPI.
constexpr std::size_t in_a_row_to_add = 64;

/// Ghosts in a row are added to their elements, each of which has so many numbers.
template <class T>
void add(const std::byte* row, const std::vector<MPI_Count>& places, MPI_Count count, std::byte* owned)
{
    const T* ghost = reinterpret_cast<const T*>(row);
    T* const numbers = reinterpret_cast<T*>(owned);
    const auto add_all = [&](auto n) {
        for (const MPI_Count place : places)
            for (MPI_Count k = 0; k < n; ++k) numbers[place * n + k] += *ghost++;
    };
    if (count == 1)
        add_all(std::integral_constant<MPI_Count, 1>());
    else
        add_all(count);
}

/// Is no element there twice?
bool are_distinct(std::vector<MPI_Count> places)
{
    std::ranges::sort(places);
    return std::ranges::adjacent_find(places) == places.end();
}

} // namespace

Numbers numbers_in(MPI_Datatype element, MPI_Op op)
{
    const mpi::TypeContents contents(element);
    const bool is_row = contents.combiner() == MPI_COMBINER_CONTIGUOUS;
    if (!mpi::name_of(op) || (!is_row && contents.combiner() != MPI_COMBINER_DUP)) return {element, 1};
    const Numbers inner = numbers_in(contents.old(), op);
    if (!mpi::is_named(inner.type)) return {element, 1};
    return {inner.type, is_row ? inner.count * contents.number(0) : inner.count};
}

GhostReduction::GhostReduction(std::shared_ptr<const IndexMap> map, std::vector<MPI_Datatype> elements,
                               MPI_Op op)
    : map_(std::move(map)),
      elements_(std::move(elements)),
      op_(op)
{
    for (MPI_Datatype const element : elements_) {
        measures_.push_back(mpi::measure(element));
        numbers_.push_back(numbers_in(element, op));
    }
    std::size_t end = 0;
    std::size_t most = 0;
    for (const Shared& holder : map_->holders()) {
        std::vector<Stretch> stretches = stretches_of(holder.places);
        const bool are_short = holder.places.size() < in_a_row * stretches.size();
        owners_elements_.push_back({std::move(stretches), are_short && are_distinct(holder.places)});
        std::vector<MPI_Aint>& offsets = offsets_.emplace_back();
        for (const mpi::Measures& measures : measures_) {
            const mpi::Span span = mpi::operands_span(measures, static_cast<MPI_Count>(holder.places.size()));
            const auto bytes = static_cast<std::size_t>(span.end - span.begin);
            offsets.push_back(static_cast<MPI_Aint>(end) - span.begin);
            end += base::rounded_up(bytes, alignment);
            most = std::max(most, bytes);
        }
    }
    memory_ = std::make_unique<std::byte[]>(end);
    summands_ = std::make_unique<std::byte[]>(most);
}

void GhostReduction::reduce(const std::vector<void*>& owned) const
{
    for (std::size_t h = 0; h < offsets_.size(); ++h)
        for (std::size_t f = 0; f < elements_.size(); ++f) reduce(h, f, static_cast<std::byte*>(owned[f]));
}

void GhostReduction::reduce(std::size_t holder, std::size_t field, std::byte* owned) const
{
    const std::byte* row = memory_.get() + offset(holder, field);
    MPI_Datatype const element = elements_[field];
    const mpi::Measures& measures = measures_[field];
    const Numbers& numbers = numbers_[field];
    const Elements& shared = owners_elements_[holder];
    const std::vector<MPI_Count>& places = map_->holders()[holder].places;
    if (op_ != MPI_REPLACE && transport::is_plain(numbers.type, measures)) {
        const bool are_added = op_ == MPI_SUM && numbers.type == MPI_DOUBLE &&
                               places.size() < in_a_row_to_add * shared.stretches.size();
        if (are_added) return add<double>(row, places, numbers.count, owned);
        if (shared.are_scattered) return reduce_scattered(places, row, owned, field);
    }
    for (const Stretch& stretch : shared.stretches) {
        std::byte* const to = owned + static_cast<MPI_Aint>(stretch.first) * measures.extent;
        if (op_ == MPI_REPLACE)
            transport::copy({const_cast<std::byte*>(row), stretch.count, element},
                            {to, stretch.count, element});
        else
            mpi::check(mpi::reduce_local(row, to, stretch.count * numbers.count, numbers.type, op_));
        row += static_cast<MPI_Aint>(stretch.count) * measures.extent;
    }
}

/// Brings the owner's elements together, reduces all at once, and puts them back.
void GhostReduction::reduce_scattered(const std::vector<MPI_Count>& places, const std::byte* row,
                                      std::byte* owned, std::size_t field) const
{
    const auto size = static_cast<std::size_t>(measures_[field].size);
    reduce_together(row, summands_.get(), size, std::ssize(places), numbers_[field], op_, [&](auto use) {
        for (const MPI_Count place : places) use(owned + static_cast<std::size_t>(place) * size);
    });
}

} // namespace ortho::indexmap
