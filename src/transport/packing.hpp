// SPDX-License-Identifier: BSD-3-Clause
// Data of a message, gathered and spread by us.  No MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/peer_memory.hpp"
#include "grid/strided_box.hpp"

namespace ortho::transport {

using Piece = base::Range;

/// Pieces of one small size, or of a few times this size, in little space: where there are thousands, their
/// list must not be larger than they.
struct IndexedBlocks {
    std::byte* base = nullptr;
    std::size_t bytes = 0;              ///< of each
    std::vector<std::uint32_t> offsets; ///< from the base
};

/// Data that we know how to copy: pieces, indexed blocks, or boxes, one after the other.
struct Parts {
    std::vector<Piece> pieces{};
    IndexedBlocks indexed_blocks{};        ///< in place of pieces
    std::vector<grid::StridedBox> boxes{}; ///< in place of both

    bool empty() const { return pieces.empty() && indexed_blocks.offsets.empty() && boxes.empty(); }
    /// Turns boxes of one run each into pieces, and short pieces, at least so many, into indexed blocks, if
    /// these take no more space.
    void crumble(std::size_t least);
    /// How many runs of bytes there are.
    std::size_t runs() const;
};

/// Where runs of bytes are so short on average, to copy them costs less than to have MPI walk through a
/// derived datatype, which takes some 10 to 50 ns a run at either end, but copies once less.
constexpr std::size_t packed_bytes_a_run = 512;

void gather(const Parts& parts, std::byte* row);
/// gather() with stores past the caches, where this processor has them.
void gather_past_caches(const Parts& parts, std::byte* row);
void spread(const std::byte* row, const Parts& parts);
/// Spreads a row that has but so many bytes.
void spread_some(const std::byte* row, std::size_t bytes, const Parts& parts);

/// The runs of boxes, one after the other, for those who do not copy all at once.
class Runs {
public:
    explicit Runs(std::span<const grid::StridedBox> boxes) : boxes_(boxes) { enter(); }
    /// Indexed blocks, which are gathered and spread only; else boxes.
    explicit Runs(const Parts& parts) : Runs(parts.boxes) { blocks_ = &parts.indexed_blocks; }

    bool at_end() const { return boxes_.empty(); }
    /// The rest of the run, and where it is.
    std::size_t left() const { return static_cast<std::size_t>(boxes_[0].run) - done_; }
    std::byte* address() const { return run_ + done_; }
    /// Behind so many bytes of the run.
    void advance(std::size_t bytes);

    /// Copies the next bytes into a row, or from a row.  At least so many are left.
    void gather(std::byte* row, std::size_t bytes);
    void spread(const std::byte* row, std::size_t bytes);

private:
    void enter();
    /// Behind so many runs, no more than are left of the innermost axis.
    void skip(std::int64_t runs);
    template <class Row, class Copy>
    void copy_next(Row* row, std::size_t bytes, Copy copy);
    template <class Row, class Copy>
    void copy_blocks(Row* row, std::size_t bytes, Copy copy);

    const IndexedBlocks* blocks_ = nullptr;
    std::size_t block_ = 0; ///< the next one
    std::span<const grid::StridedBox> boxes_;
    std::byte* run_ = nullptr;
    std::size_t done_ = 0;            // of the run
    std::vector<std::int64_t> steps_; // along the box's axes
};

/// The runs of bytes, one after the other.
std::vector<Piece> runs_of(std::span<const grid::StridedBox> boxes);
std::vector<Piece> runs_of(const Parts& parts);

/// From boxes to parts, without a row between: as many bytes as both have.
void copy(std::span<const grid::StridedBox> from, const Parts& to);

} // namespace ortho::transport
