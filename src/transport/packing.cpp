// SPDX-License-Identifier: BSD-3-Clause
// Data of a message, gathered and spread by us.  No MPI in this file.

#include "transport/packing.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "transport/row_past_caches.hpp"

namespace ortho::transport {

namespace {

using grid::StridedBox;
using Axes = std::span<const StridedBox::Axis>;

std::byte* begin_of(const StridedBox& box)
{
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(box.address));
}

/// use(bytes), a constant for one int and for one to four doubles, of which there is most: these are copied
/// by one instruction or two.
template <class Use>
void with_size(std::size_t bytes, Use use)
{
    switch (bytes) {
    case 4: use(std::integral_constant<std::size_t, 4>()); break;
    case 8: use(std::integral_constant<std::size_t, 8>()); break;
    case 16: use(std::integral_constant<std::size_t, 16>()); break;
    case 24: use(std::integral_constant<std::size_t, 24>()); break;
    case 32: use(std::integral_constant<std::size_t, 32>()); break;
    default: use(bytes);
    }
}

/// copy(address in the row, piece, bytes) for each.
template <class Row, class Copy>
void visit(std::span<const Piece> pieces, Row* row, Copy copy)
{
    for (const Piece& piece : pieces) {
        with_size(piece.bytes, [&](auto bytes) { copy(row, piece.address, bytes); });
        row += piece.bytes;
    }
}

/// use(address, count, stride) for each line of runs of a box: the innermost loop is its own.
template <class Use>
void walk(Axes axes, std::byte* address, Use& use)
{
    if (axes.empty()) {
        use(address, 1, 0);
        return;
    }
    const auto [count, stride] = axes[0];
    if (axes.size() == 1) {
        use(address, count, stride);
    } else {
        for (std::int64_t i = 0; i < count; ++i) walk(axes.subspan(1), address + i * stride, use);
    }
}

/// copy(address in the row, run, bytes) for each of a line; the row behind them.
template <class Row, class Bytes, class Copy>
Row* visit_line(std::byte* address, std::int64_t count, std::int64_t stride, Row* row, Bytes bytes, Copy copy)
{
    // Its own variables, which no copied byte can lie in.
    for (std::int64_t i = 0; i < count; ++i, row += bytes, address += stride) copy(row, address, bytes);
    return row;
}

template <class Row, class Copy>
void visit(std::span<const StridedBox> boxes, Row* row, Copy copy)
{
    for (const StridedBox& box : boxes) {
        if (box.is_empty()) continue; // it may lie nowhere
        with_size(static_cast<std::size_t>(box.run), [&](auto bytes) {
            auto use = [&](std::byte* address, std::int64_t count, std::int64_t stride) {
                row = visit_line(address, count, stride, row, bytes, copy);
            };
            walk(box.axes, begin_of(box), use);
        });
    }
}

template <class Row, class Copy>
void visit(const IndexedBlocks& indexed_blocks, Row* row, Copy copy)
{
    with_size(indexed_blocks.bytes, [&](auto bytes) {
        for (const std::uint32_t offset : indexed_blocks.offsets) {
            copy(row, indexed_blocks.base + offset, bytes);
            row += bytes;
        }
    });
}

template <class Row, class Copy>
void visit(const Parts& parts, Row* row, Copy copy)
{
    if (!parts.indexed_blocks.offsets.empty())
        visit(parts.indexed_blocks, row, copy);
    else if (!parts.pieces.empty())
        visit(std::span<const Piece>(parts.pieces), row, copy);
    else
        visit(std::span<const StridedBox>(parts.boxes), row, copy);
}

bool have_one_shape(const StridedBox& a, const StridedBox& b)
{
    return a.run == b.run &&
           std::ranges::equal(a.axes, b.axes, {}, &StridedBox::Axis::count, &StridedBox::Axis::count);
}

/// copy(from, stride, to, stride, count) for each line of runs.
template <class Copy>
void walk_both(Axes from_axes, const std::byte* from, Axes to_axes, std::byte* to, Copy& copy)
{
    if (from_axes.empty()) {
        copy(from, 0, to, 0, 1);
        return;
    }
    const auto [count, stride] = from_axes[0];
    const std::int64_t to_stride = to_axes[0].stride;
    if (from_axes.size() == 1) {
        copy(from, stride, to, to_stride, count);
    } else {
        for (std::int64_t i = 0; i < count; ++i)
            walk_both(from_axes.subspan(1), from + i * stride, to_axes.subspan(1), to + i * to_stride, copy);
    }
}

/// Boxes of one shape.
void copy_box(const StridedBox& from, const StridedBox& to)
{
    if (from.is_empty()) return; // it may lie nowhere
    with_size(static_cast<std::size_t>(from.run), [&](auto bytes) {
        auto copy = [&](const std::byte* a, std::int64_t a_stride, std::byte* b, std::int64_t b_stride,
                        std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i, a += a_stride, b += b_stride) std::memcpy(b, a, bytes);
        };
        walk_both(from.axes, begin_of(from), to.axes, begin_of(to), copy);
    });
}

void copy_runs(std::span<const StridedBox> from, std::span<const StridedBox> to)
{
    Runs a(from);
    Runs b(to);
    while (!a.at_end() && !b.at_end()) {
        const std::size_t bytes = std::min(a.left(), b.left());
        std::memcpy(b.address(), a.address(), bytes);
        a.advance(bytes);
        b.advance(bytes);
    }
}

std::vector<StridedBox> boxes_of(std::span<const Piece> pieces)
{
    std::vector<StridedBox> boxes;
    for (const Piece& piece : pieces)
        boxes.push_back({static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(piece.address)),
                         {},
                         static_cast<std::int64_t>(piece.bytes)});
    return boxes;
}

std::vector<StridedBox> boxes_of(const Parts& parts)
{
    if (!parts.boxes.empty()) return parts.boxes;
    std::vector<Piece> pieces = parts.pieces;
    for (const std::uint32_t offset : parts.indexed_blocks.offsets)
        pieces.push_back({parts.indexed_blocks.base + offset, parts.indexed_blocks.bytes});
    return boxes_of(pieces);
}

} // namespace

std::size_t Parts::runs() const
{
    std::size_t result = pieces.size() + indexed_blocks.offsets.size();
    for (const StridedBox& box : boxes) result += box.number_of_runs();
    return result;
}

void Parts::crumble(std::size_t least)
{
    constexpr std::size_t large = 64;
    constexpr std::size_t blocks_a_piece = 4; // together they take no more space than a piece
    if (!boxes.empty() && std::ranges::all_of(boxes, [](const StridedBox& box) { return box.axes.empty(); }))
        pieces = runs_of(std::exchange(boxes, {}));
    if (pieces.size() < least) return;
    std::byte* base = pieces[0].address;
    std::byte* end = base;
    std::size_t bytes = 0;
    std::size_t all_bytes = 0;
    for (const Piece& piece : pieces) {
        base = std::min(base, piece.address);
        end = std::max(end, piece.address + piece.bytes);
        bytes = std::gcd(bytes, piece.bytes);
        all_bytes += piece.bytes;
    }
    if (bytes == 0 || bytes > large || all_bytes > bytes * pieces.size() * blocks_a_piece ||
        end - base > std::int64_t{std::numeric_limits<std::uint32_t>::max()})
        return;
    indexed_blocks = {base, bytes, {}};
    indexed_blocks.offsets.reserve(all_bytes / bytes);
    for (const Piece& piece : pieces)
        for (std::size_t done = 0; done < piece.bytes; done += bytes)
            indexed_blocks.offsets.push_back(static_cast<std::uint32_t>(piece.address + done - base));
    pieces = std::vector<Piece>(); // {} would keep the memory
}

void Runs::enter()
{
    while (!boxes_.empty() && boxes_[0].is_empty()) boxes_ = boxes_.subspan(1);
    if (boxes_.empty()) return;
    run_ = begin_of(boxes_[0]);
    steps_.assign(boxes_[0].axes.size(), 0);
}

void Runs::skip(std::int64_t runs)
{
    done_ = 0;
    const auto& axes = boxes_[0].axes;
    for (std::size_t k = axes.size(); k > 0; --k) {
        run_ += runs * axes[k - 1].stride;
        steps_[k - 1] += runs;
        if (steps_[k - 1] < axes[k - 1].count) return;
        run_ -= axes[k - 1].count * axes[k - 1].stride;
        steps_[k - 1] = 0;
        runs = 1;
    }
    boxes_ = boxes_.subspan(1);
    enter();
}

void Runs::advance(std::size_t bytes)
{
    done_ += bytes;
    if (left() == 0) skip(1);
}

template <class Row, class Copy>
void Runs::copy_blocks(Row* row, std::size_t bytes, Copy copy)
{
    while (bytes > 0) {
        const std::uint32_t* const offset = &blocks_->offsets[block_];
        if (done_ > 0 || bytes < blocks_->bytes) {
            const std::size_t some = std::min(bytes, blocks_->bytes - done_);
            copy(row, blocks_->base + *offset + done_, some);
            row += some;
            bytes -= some;
            done_ = (done_ + some) % blocks_->bytes;
            if (done_ == 0) ++block_;
            continue;
        }
        const std::size_t n = bytes / blocks_->bytes;
        with_size(blocks_->bytes, [&](auto size) {
            for (std::size_t i = 0; i < n; ++i, row += size) copy(row, blocks_->base + offset[i], size);
        });
        bytes -= n * blocks_->bytes;
        block_ += n;
    }
}

template <class Row, class Copy>
void Runs::copy_next(Row* row, std::size_t bytes, Copy copy)
{
    if (blocks_ != nullptr && !blocks_->offsets.empty()) return copy_blocks(row, bytes, copy);
    while (bytes > 0) {
        const auto run = static_cast<std::size_t>(boxes_[0].run);
        if (done_ > 0 || bytes < run || boxes_[0].axes.empty()) {
            const std::size_t some = std::min(bytes, left());
            copy(row, address(), some);
            row += some;
            bytes -= some;
            advance(some);
            continue;
        }
        const auto [count, stride] = boxes_[0].axes.back();
        const std::int64_t runs = std::min(count - steps_.back(), static_cast<std::int64_t>(bytes / run));
        with_size(run, [&](auto size) { row = visit_line(run_, runs, stride, row, size, copy); });
        bytes -= static_cast<std::size_t>(runs) * run;
        skip(runs);
    }
}

[[gnu::hot]] void Runs::gather(std::byte* row, std::size_t bytes)
{
    copy_next(row, bytes,
              [](std::byte* to, const std::byte* from, auto size) { std::memcpy(to, from, size); });
}

[[gnu::hot]] void Runs::spread(const std::byte* row, std::size_t bytes)
{
    copy_next(row, bytes,
              [](const std::byte* from, std::byte* to, auto size) { std::memcpy(to, from, size); });
}

[[gnu::hot]] void gather(const Parts& parts, std::byte* row)
{
    visit(parts, row, [](std::byte* to, const std::byte* from, auto bytes) { std::memcpy(to, from, bytes); });
}

void gather_past_caches(const Parts& parts, std::byte* row)
{
    RowPastCaches sink(row);
    visit(parts, row, [&](std::byte*, const std::byte* from, auto bytes) { sink.append(from, bytes); });
    sink.end();
}

[[gnu::hot]] void spread(const std::byte* row, const Parts& parts)
{
    visit(parts, row, [](const std::byte* from, std::byte* to, auto bytes) { std::memcpy(to, from, bytes); });
}

void spread_some(const std::byte* row, std::size_t bytes, const Parts& parts)
{
    copy(boxes_of(std::vector<Piece>{{const_cast<std::byte*>(row), bytes}}), parts);
}

std::vector<Piece> runs_of(std::span<const StridedBox> boxes)
{
    std::vector<Piece> runs;
    for (const StridedBox& box : boxes) {
        if (box.is_empty()) continue;
        auto use = [&](std::byte* address, std::int64_t count, std::int64_t stride) {
            for (std::int64_t i = 0; i < count; ++i)
                runs.push_back({address + i * stride, static_cast<std::size_t>(box.run)});
        };
        walk(box.axes, begin_of(box), use);
    }
    return runs;
}

std::vector<Piece> runs_of(const Parts& parts)
{
    return parts.pieces.empty() ? runs_of(boxes_of(parts)) : parts.pieces;
}

void copy(std::span<const StridedBox> from, const Parts& to)
{
    // Boxes are copied to as they are: there may be many small ones.
    const std::vector<StridedBox> made = to.boxes.empty() ? boxes_of(to) : std::vector<StridedBox>();
    const std::span<const StridedBox> boxes = to.boxes.empty() ? made : to.boxes;
    if (std::ranges::equal(from, boxes, have_one_shape)) {
        for (std::size_t i = 0; i < from.size(); ++i) copy_box(from[i], boxes[i]);
        return;
    }
    copy_runs(from, boxes);
}

} // namespace ortho::transport
