// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that have come back are reduced into the elements that they are copies of.

#include "indexmap/ghost_reduction.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "indexmap/ghost_blocks.hpp"
#include "mpi/failure.hpp"
#include "mpi/operator.hpp"
#include "transport/local_copy.hpp"

namespace ortho::indexmap {

namespace {

constexpr std::size_t alignment = 64;
/// Elements that lie in rows of so many on average are reduced where they lie; others are brought together.
constexpr std::size_t in_a_row = 8;

/// Is no element there twice?
bool are_distinct(std::vector<MPI_Count> places)
{
    std::ranges::sort(places);
    return std::ranges::adjacent_find(places) == places.end();
}

} // namespace

GhostReduction::GhostReduction(std::shared_ptr<const IndexMap> map, std::vector<MPI_Datatype> elements,
                               MPI_Op op)
    : map_(std::move(map)),
      elements_(std::move(elements)),
      op_(op)
{
    for (MPI_Datatype const element : elements_) measures_.push_back(mpi::measure(element));
    std::size_t end = 0;
    std::size_t most = 0;
    for (const Shared& holder : map_->holders()) {
        std::vector<Row>& rows = rows_.emplace_back();
        for (const mpi::Measures& measures : measures_) {
            const mpi::Span span = mpi::span_of(measures, static_cast<MPI_Count>(holder.places.size()));
            const auto bytes = static_cast<std::size_t>(span.end - span.begin);
            rows.push_back({static_cast<MPI_Aint>(end) - span.begin, bytes});
            end += (bytes + alignment - 1) / alignment * alignment;
            most = std::max(most, bytes);
        }
    }
    memory_ = std::make_unique<std::byte[]>(end);
    summands_ = std::make_unique<std::byte[]>(most);
}

void GhostReduction::reduce(const std::vector<void*>& owned) const
{
    for (std::size_t h = 0; h < rows_.size(); ++h)
        for (std::size_t f = 0; f < elements_.size(); ++f)
            reduce(map_->holders()[h], memory_.get() + offset(h, f), static_cast<std::byte*>(owned[f]),
                   elements_[f]);
}

void GhostReduction::reduce(const Shared& holder, const std::byte* row, std::byte* owned,
                            MPI_Datatype element) const
{
    const mpi::Measures measures = mpi::measure(element);
    const auto size = static_cast<std::size_t>(measures.size);
    const std::vector<Stretch> stretches = stretches_of(holder.places);
    const bool is_plain = transport::is_plain(element, measures);
    if (op_ != MPI_REPLACE && is_plain && holder.places.size() < in_a_row * stretches.size() &&
        are_distinct(holder.places)) {
        std::byte* const summands = summands_.get();
        for (std::size_t i = 0; i < holder.places.size(); ++i)
            std::memcpy(summands + i * size, owned + static_cast<std::size_t>(holder.places[i]) * size, size);
        mpi::check(
            mpi::reduce_local(row, summands, static_cast<MPI_Count>(holder.places.size()), element, op_));
        for (std::size_t i = 0; i < holder.places.size(); ++i)
            std::memcpy(owned + static_cast<std::size_t>(holder.places[i]) * size, summands + i * size, size);
        return;
    }
    for (const Stretch& stretch : stretches) {
        std::byte* const to = owned + static_cast<MPI_Aint>(stretch.first) * measures.extent;
        if (op_ == MPI_REPLACE)
            transport::copy({const_cast<std::byte*>(row), stretch.count, element},
                            {to, stretch.count, element});
        else
            mpi::check(mpi::reduce_local(row, to, stretch.count, element, op_));
        row += static_cast<MPI_Aint>(stretch.count) * measures.extent;
    }
}

} // namespace ortho::indexmap
