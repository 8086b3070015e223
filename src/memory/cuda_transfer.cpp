// SPDX-License-Identifier: BSD-3-Clause
// Copies between boxes in the memory of NVIDIA's devices and rows.  No MPI in this file.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "memory/cuda_box_table.hpp"
#include "memory/cuda_device.hpp"

namespace ortho::memory::cuda {

namespace {

using grid::StridedBox;

struct Unregister {
    void operator()(std::byte* address) const { driver.cuMemHostUnregister(address); }
};
struct DestroyEvent {
    void operator()(Event event) const { driver.cuEventDestroy_v2(event); }
};
using OwnedEvent = std::unique_ptr<void, DestroyEvent>;
OwnedEvent make_event()
{
    constexpr unsigned without_times = 2;
    Event event = nullptr;
    CHECKED(cuEventCreate, &event, without_times);
    return OwnedEvent(event);
}

std::size_t aligned(std::size_t bytes) { return base::rounded_up(bytes, 64); }

/// Bytes of a row, from begin to end.
struct Stretch {
    std::size_t begin, end;
};

/// Calls use(begin, end) for what lies in none of the stretches, which are in order.
template <class Use>
void visit_rest(std::size_t begin, std::size_t end, const std::vector<Stretch>& stretches, Use use)
{
    for (const Stretch& stretch : stretches) {
        if (stretch.end <= begin) continue;
        if (stretch.begin >= end) break;
        if (stretch.begin > begin) use(begin, stretch.begin);
        begin = stretch.end;
    }
    if (begin < end) use(begin, end);
}

void insert(std::vector<Stretch>& stretches, const Stretch& stretch)
{
    stretches.insert(std::ranges::upper_bound(stretches, stretch.begin, {}, &Stretch::begin), stretch);
}

/// A kernel gathers boxes into a row on the device, and spreads what lies there: one launch each way.  Rows
/// go to host memory and come from there as a whole, but for what stays on the device.  Where the device has no
/// memory left, the kernel reaches the rows in host memory.
class CudaTransfer final : public Transfer {
public:
    CudaTransfer(Device& device, std::span<const StridedBox> fetched, std::span<const StridedBox> stored,
                 AllocatePages allocate, Rows rows, unsigned number_bytes)
        : device_(device),
          fetched_(fetched, most_unit_bytes),
          stored_(stored, number_bytes),
          pages_(allocate(place_rows()))
    {
        if (!pages_) throw std::bad_alloc();
        try {
            prepare(rows);
        } catch (...) { // for whoever fetches or stores: others wait for messages from and to these rows
            failure_ = std::current_exception();
        }
    }
    CudaTransfer(const CudaTransfer&) = delete;
    CudaTransfer& operator=(const CudaTransfer&) = delete;
    ~CudaTransfer() override
    {
        if (driver.cuCtxPushCurrent_v2(device_.context) != success) return;
        for (const OwnedEvent& event : events_)
            if (event) driver.cuEventSynchronize(event.get());
        if (memory_on_device_) device_.release(*memory_on_device_);
        // In the context, too.
        pinned_.reset();
        pieces_.clear();
        events_ = {};
        Context before = nullptr;
        driver.cuCtxPopCurrent_v2(&before);
    }

    const SharedRow* shared() const override { return memory_on_device_ ? &memory_on_device_->row : nullptr; }
    void* address(const RowPart& part) override
    {
        return reinterpret_cast<void*>(begin_ + (part.is_stored ? stored_ : fetched_).offset + part.offset);
    }
    void note_on_device(std::size_t begin, std::size_t end) override { insert(copied_, {begin, end}); }
    void bring_to_device(std::size_t begin, std::size_t end) override
    {
        const Current current = enter();
        copy_to_device(begin, end);
        note_copies(begin, end);
    }
    void leave_on_device(std::size_t begin, std::size_t end) override { insert(left_, {begin, end}); }
    void bring_to_host(std::size_t begin, std::size_t end) override
    {
        const Current current = enter();
        CHECKED(cuMemcpyDtoH_v2, fetched() + begin, begin_ + fetched_.offset + begin, end - begin);
    }
    bool copy_to_stored(const SharedRow& from, std::size_t offset, std::size_t to, std::size_t bytes) override
    {
        if (!memory_on_device_) return false;
        const Current current = enter();
        const auto address = device_.open(from);
        if (!address) return false;
        CHECKED(cuMemcpyDtoDAsync_v2, begin_ + stored_.offset + to, *address + offset, bytes, device_.stream);
        note_copies(to, to + bytes);
        return true;
    }
    bool are_copied() override
    {
        const Current current = enter();
        return is_over(events_[2]);
    }

    std::byte* fetched() override { return pages_.get() + fetched_.offset; }
    std::byte* stored() override { return pages_.get() + stored_.offset; }

    void fetch(void* stream) override
    {
        const Current current = enter();
        copied_.clear();
        stream = named(stream);
        // This device puts nothing into another one's stream.
        if (Context its = nullptr; driver.cuStreamGetCtx(stream, &its) == success && its != device_.context)
            CHECKED(cuStreamSynchronize, std::exchange(stream, device_.stream));
        // Copies from the row before are done.
        CHECKED(cuStreamWaitEvent, stream, events_[1].get(), 0U);
        launch(device_.copy_boxes, fetched_, 0, fetched_.bytes(), begin_ + fetched_.offset, 0U, stream);
        come_ = under_way_ = 0;
        try {
            if (memory_on_device_) copy_to_host(stream);
        } catch (...) { // some of it is under way
            driver.cuEventRecord(events_[0].get(), stream);
            throw;
        }
        CHECKED(cuEventRecord, events_[0].get(), stream);
    }
    std::size_t fetched_so_far() override
    {
        if (come_ > under_way_) return fetched_.bytes();
        const Current current = enter();
        while (come_ <= under_way_ && is_over(come_ < under_way_ ? pieces_[come_].come : events_[0])) ++come_;
        if (come_ > under_way_) return fetched_.bytes();
        return come_ > 0 ? pieces_[come_ - 1].end : 0;
    }
    bool wait_for_piece() override
    {
        if (come_ >= under_way_) return false;
        const Current current = enter();
        CHECKED(cuEventSynchronize, pieces_[come_++].come.get());
        return true;
    }
    void store(std::size_t begin, std::size_t end) override
    {
        store_from({this, true, begin}, begin, end, std::nullopt);
    }
    void store_from(const RowPart& from, std::size_t begin, std::size_t end,
                    const std::optional<Reduction>& reduction) override
    {
        const Current current = enter();
        if (memory_on_device_ && from.is_stored)
            visit_rest(from.offset, from.offset + end - begin, copied_,
                       [&](std::size_t first, std::size_t last) { copy_to_device(first, last); });
        // Where the row would begin if it held these bytes in their place.
        const DevicePointer row = reinterpret_cast<DevicePointer>(address(from)) - begin;
        if (reduction)
            launch(device_.reduce_boxes, stored_, begin, end, row, *reduction, device_.stream);
        else
            launch(device_.copy_boxes, stored_, begin, end, row, 1U, device_.stream);
        CHECKED(cuEventRecord, events_[1].get(), device_.stream);
    }
    bool is_done() override
    {
        const Current current = enter();
        return std::ranges::all_of(events_, is_over);
    }
    void wait() override
    {
        const Current current = enter();
        for (const OwnedEvent& event : events_) CHECKED(cuEventSynchronize, event.get());
    }
    void precede(void* stream) override
    {
        const Current current = enter();
        CHECKED(cuStreamWaitEvent, named(stream), events_[1].get(), 0U);
    }

private:
    static constexpr std::size_t most_pieces = 16;
    /// Bytes that are copied to the host before an event.
    struct Piece {
        OwnedEvent come{};
        std::size_t end = 0; ///< in the row
    };

    /// Makes the device do something, unless it could not be prepared.
    Current enter() const
    {
        if (failure_) std::rethrow_exception(failure_);
        return Current(device_.context);
    }
    void prepare(Rows rows)
    {
        const Current current(device_.context);
        device_.load();
        constexpr unsigned portable_and_mapped = 3;
        CHECKED(cuMemHostRegister_v2, pages_.get(), bytes_, portable_and_mapped);
        pinned_.reset(pages_.get());
        CHECKED(cuMemHostGetDevicePointer_v2, &begin_, pages_.get(), 0U);
        for (OwnedEvent& event : events_) event = make_event();
        const std::size_t pieces = fetched_.bytes() / piece_bytes;
        if (pieces > 1) pieces_.resize(std::min(most_pieces, pieces));
        for (Piece& piece : pieces_) piece.come = make_event();
        if (rows == Rows::on_device) memory_on_device_ = device_.allocate(bytes_);
        if (memory_on_device_) begin_ = memory_on_device_->row.address;
        place_tables();
    }
    /// These bytes of the row of stored boxes are on their way.
    void note_copies(std::size_t begin, std::size_t end)
    {
        CHECKED(cuEventRecord, events_[2].get(), device_.stream);
        note_on_device(begin, end);
    }
    static bool is_over(const OwnedEvent& event)
    {
        const Result result = driver.cuEventQuery(event.get());
        if (result != not_ready) check(result, "cuEventQuery");
        return result == success;
    }
    /// The end of the piece of the fetched row that holds this place, before `end`.
    std::size_t end_of_piece(std::size_t place, std::size_t end) const
    {
        if (pieces_.empty()) return end;
        const std::size_t bytes = aligned(fetched_.bytes() / pieces_.size());
        return std::min(end, (place / bytes + 1) * bytes);
    }
    /// The bytes before this place in the fetched row are on their way.
    void note_piece(std::size_t end, Stream stream)
    {
        if (under_way_ == pieces_.size() || end != end_of_piece(end - 1, fetched_.bytes())) return;
        CHECKED(cuEventRecord, pieces_[under_way_].come.get(), stream);
        pieces_[under_way_++].end = end;
    }
    void copy_to_host(Stream stream)
    {
        visit_rest(0, fetched_.bytes(), left_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t next = begin; begin < end; begin = next) {
                next = end_of_piece(begin, end);
                CHECKED(cuMemcpyDtoHAsync_v2, fetched() + begin, begin_ + fetched_.offset + begin,
                        next - begin, stream);
                note_piece(next, stream);
            }
        });
    }
    void copy_to_device(std::size_t begin, std::size_t end)
    {
        CHECKED(cuMemcpyHtoDAsync_v2, begin_ + stored_.offset + begin, stored() + begin, end - begin,
                device_.stream);
    }
    /// The rows, and the tables behind them.  Returns the bytes of all, which are whole pages.
    std::size_t place_rows()
    {
        stored_.offset = aligned(fetched_.bytes());
        tables_ = stored_.offset + aligned(stored_.bytes());
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t bytes = tables_ + fetched_.table_bytes() + stored_.table_bytes();
        return bytes_ = base::rounded_up(std::max<std::size_t>(1, bytes), page);
    }
    void place_tables()
    {
        std::byte* const tables = pages_.get() + tables_;
        const std::size_t of_fetched = fetched_.table_bytes();
        if (of_fetched > 0) std::memcpy(tables, fetched_.boxes.data(), of_fetched);
        if (stored_.table_bytes() > 0)
            std::memcpy(tables + of_fetched, stored_.boxes.data(), stored_.table_bytes());
        if (memory_on_device_)
            CHECKED(cuMemcpyHtoD_v2, begin_ + tables_, tables, of_fetched + stored_.table_bytes());
        fetched_.on_device = begin_ + tables_;
        stored_.on_device = fetched_.on_device + of_fetched;
    }
    /// `last_argument`: of the kernel.
    template <class Argument>
    void launch(void* kernel, BoxTable& table, std::size_t begin, std::size_t end, DevicePointer row,
                Argument last_argument, Stream stream)
    {
        if (begin == end) return;
        constexpr unsigned threads = 256;
        constexpr unsigned long long most_blocks = 4096;
        unsigned long long first = begin / table.unit;
        unsigned long long last = end / table.unit;
        const auto blocks = static_cast<unsigned>(
            std::min(most_blocks, base::divided_up(last - first, threads)));
        auto number = static_cast<unsigned>(table.boxes.size());
        void* arguments[] = {&table.on_device, &number, &row, &first, &last, &table.unit, &last_argument};
        CHECKED(cuLaunchKernel, kernel, blocks, 1U, 1U, threads, 1U, 1U, 0U, stream, arguments, nullptr);
    }

    Device& device_;
    BoxTable fetched_;
    BoxTable stored_;
    std::size_t tables_ = 0; // where they begin
    std::size_t bytes_ = 0;
    Pages pages_;
    std::unique_ptr<std::byte, Unregister> pinned_;  // they are; before they go
    std::optional<Device::Memory> memory_on_device_; // laid out as that
    DevicePointer begin_ = 0;                        // of the memory that the kernel reaches
    std::exception_ptr failure_;                     // why the device does nothing of it
    std::array<OwnedEvent, 3> events_;               // the ends of the last fetch(), store() and copies
    std::vector<Piece> pieces_;                      // of the fetched row; none if it is short
    std::size_t under_way_ = 0;                      // of them, by the last fetch()
    std::size_t come_ = 0;                           // of those; one more: the whole row
    std::vector<Stretch> left_;                      // of the fetched row: stay on the device
    std::vector<Stretch> copied_;                    // of the stored row: there already
};

} // namespace

std::unique_ptr<Transfer> make_transfer(Device& device, std::span<const StridedBox> fetched,
                                        std::span<const StridedBox> stored, AllocatePages allocate, Rows rows,
                                        unsigned number_bytes)
{
    return std::make_unique<CudaTransfer>(device, fetched, stored, allocate, rows, number_bytes);
}

} // namespace ortho::memory::cuda
