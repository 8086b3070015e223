// SPDX-License-Identifier: BSD-3-Clause
// Kinds of memory that no host instruction may touch.  No MPI in this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "grid/strided_box.hpp"
#include "memory/reduction.hpp"

namespace ortho::memory {

/// Whole pages of host memory for rows, with what gives them back; null if there are none.
using Pages = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;
using AllocatePages = Pages (*)(std::size_t bytes);

/// How the processes of a node find a row in the memory of a device; plain data.
struct SharedRow {
    std::int64_t process;
    std::uint64_t address;                ///< in that process
    std::array<unsigned char, 64> handle; ///< the driver's, for other processes
};

class Transfer;

/// Bytes in a row of a Transfer.
struct RowPart {
    Transfer* transfer = nullptr; ///< null: in none
    bool is_stored = false;       ///< the row of boxes that are stored
    std::size_t offset = 0;
};

/// Copies between boxes in the memory of a device and rows in host memory, by way of rows on the device.
class Transfer {
public:
    /// Waits until nothing is under way.
    virtual ~Transfer() = default;

    /// The row of the boxes that are fetched, on the device; null if it lies in host memory alone.
    virtual const SharedRow* shared() const = 0;
    /// Bytes of a row on the device.
    virtual void* address(const RowPart& part) = 0;
    /// These bytes of the row of stored boxes have come to the device: store() does not look for them in host
    /// memory.
    virtual void note_on_device(std::size_t begin, std::size_t end) = 0;
    /// Begins to copy these bytes of that row from host memory: store() does not.
    virtual void bring_to_device(std::size_t begin, std::size_t end) = 0;
    /// From now on fetch() leaves these bytes of its row on the device.
    virtual void leave_on_device(std::size_t begin, std::size_t end) = 0;
    /// Copies to the host what fetch() has left on the device.  Waits for that.
    virtual void bring_to_host(std::size_t begin, std::size_t end) = 0;
    /// Begins to copy from the row of a Transfer, of this process or another one, to this one's row of stored
    /// boxes on the device: store() does not look for these bytes in host memory.  False if the device cannot
    /// reach that row.  Bytes of another process stay as they are until are_copied().
    virtual bool copy_to_stored(const SharedRow& from, std::size_t offset, std::size_t to,
                                std::size_t bytes) = 0;
    virtual bool are_copied() = 0;

    /// Where the boxes that are fetched lie for the host, one after the other without gaps.
    virtual std::byte* fetched() = 0;
    /// Where the boxes that are stored lie for the host, one after the other, too.
    virtual std::byte* stored() = 0;

    /// Begins to copy from the device, after the work that is in the stream.  A null pointer: the default
    /// stream, which comes after all work that is in the device's other streams.
    virtual void fetch(void* stream) = 0;
    /// How many bytes of that row have come, from its begin on.
    virtual std::size_t fetched_so_far() = 0;
    /// A long row comes in pieces.  Waits for the next one; false if nothing is left.
    virtual bool wait_for_piece() = 0;
    /// Begins to copy to the device what lies in these bytes of the row: whole boxes.
    virtual void store(std::size_t begin, std::size_t end) = 0;
    /// Likewise, but what lies elsewhere in a row of this Transfer; with a reduction, reduces it into the boxes.
    virtual void store_from(const RowPart& from, std::size_t begin, std::size_t end,
                            const std::optional<Reduction>& reduction) = 0;
    /// True once all that was begun is done.
    virtual bool is_done() = 0;
    /// Waits for that.
    virtual void wait() = 0;
    /// Work that is put into the stream from now on comes after the last store().
    virtual void precede(void* stream) = 0;
};

/// So many bytes take longer to copy than to begin to, and are copied while others travel.
inline constexpr std::size_t piece_bytes = 256 << 10;

/// Kernels move no more than this at once.
inline constexpr unsigned most_unit_bytes = 16;

/// Where a kernel reads and writes rows.
enum class Rows : std::uint8_t { on_device, with_host };

/// A kind of memory, and the streams of its devices.  Functions throw base::Error if the driver refuses.
class Kind {
public:
    virtual ~Kind() = default;

    /// The device whose memory the address lies in; nothing if the host may touch it.
    virtual std::optional<void*> device_of(const void* address) noexcept = 0;
    /// `number_bytes`: of the numbers that stored boxes consist of, if they may be reduced.
    virtual std::unique_ptr<Transfer> transfer(void* device, std::span<const grid::StridedBox> fetched,
                                               std::span<const grid::StridedBox> stored,
                                               AllocatePages allocate, Rows rows = Rows::on_device,
                                               unsigned number_bytes = most_unit_bytes) = 0;
    /// Waits until the work that is in the stream is done.
    virtual void wait_for(void* stream) = 0;
};

/// True if find_row() knows any row.
bool any_row();
/// The bytes in a row that these bytes of host memory stand for, among those.
RowPart find_row(const std::byte* begin, std::size_t bytes);

/// While this lives, find_row() knows the rows of a Transfer.
class FoundRows {
public:
    FoundRows(Transfer& transfer, std::size_t fetched_bytes, std::size_t stored_bytes);
    FoundRows(const FoundRows&) = delete;
    FoundRows& operator=(const FoundRows&) = delete;
    ~FoundRows();

private:
    Transfer* transfer_;
};

/// Where data lies.
struct Home {
    Kind* kind = nullptr; ///< null: the host may touch it
    void* device = nullptr;

    operator bool() const { return kind != nullptr; }
    bool operator==(const Home&) const = default;
};

/// Is any kind's driver in the process?  Without one no address lies on a device, and this takes some ten
/// nanoseconds.
bool any_driver();
Home home_of(const void* address);
inline constexpr const char* no_driver = "no driver of a device is in the process, or ORTHO_DEVICE=0 leaves "
                                         "devices alone, so there are no streams";
/// Waits until the work that is in a stream is done.  Throws base::Error (arg) if there is no driver.
void wait_for(void* stream);

/// The row of the table for NVIDIA's devices; null if their driver is not in the process.
Kind* find_cuda();

} // namespace ortho::memory
