// SPDX-License-Identifier: BSD-3-Clause
// Blocks in the memory of devices go through host memory.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "memory/kind.hpp"
#include "memory/reduction.hpp"
#include "schedule/schedule.hpp"
#include "transport/bound_datatypes.hpp"
#include "transport/data_location.hpp"
#include "transport/packing.hpp"

namespace ortho::staging {

/// How a device does it; nothing for operators and datatypes that are left to MPI.
std::optional<memory::Reduction> device_reduction(MPI_Op op, MPI_Datatype type);

/// The steps that end a schedule of one phase, each from what this process sends or has received to a part of
/// the result, without places in between; nothing if there are others.
std::optional<std::vector<schedule::Action>> last_steps(const schedule::Schedule& schedule);

/// In the arena, where other processes of the node read what is sent: the data is copied once on its way.
memory::Pages allocate_rows(std::size_t bytes);

/// A block of a call, which may lie in the memory of a device.
struct StagedBlock {
    schedule::Slot slot;
    int index; ///< among the blocks of its side
    transport::DataLocation place;
    bool is_read;    ///< its data is there when the call begins
    bool is_written; ///< its data is there when the call is over
    /// It shares bytes with another block, or somebody looks at its datatype: so it lies in host memory as on
    /// the device.  Other blocks lie there in a row, as bytes.
    bool keeps_shape;
    /// Its data is there for the device, in the place of this slot, and is copied or reduced to it.
    std::optional<schedule::Slot> from{};
    std::optional<memory::Reduction> reduction{};
};

/// Host memory in place of blocks that lie in the memory of devices.
class Staging {
public:
    /// Null if none of these does.
    static std::unique_ptr<Staging> of(std::span<const StagedBlock> blocks);
    /// Blocks of a call that reduces numbers of so many bytes: the device does it, in the order of the blocks
    /// that are written.  Null if it cannot.
    static std::unique_ptr<Staging> of_reduction(std::span<const StagedBlock> blocks, unsigned number_bytes);

    /// Where the block lies for the host: where it is unless it lies on a device.
    transport::DataLocation place(schedule::Slot slot, const transport::DataLocation& place,
                                  transport::BoundDatatypes& layouts) const;

    /// Rows may stay on devices: nodequeue finds them by their places in host memory.
    void tell_of_rows();
    /// Nobody looks for this block in host memory.
    void leave_on_device(schedule::Slot slot);

    /// Begins to copy what is read, after the work that is in the stream.
    void fetch(void* stream);
    /// Has some of it come to each row?
    bool is_coming();
    /// Waits until more of it has come; false, and it is there for the host, if nothing is left.
    bool wait_for_piece();
    /// Copies it, after the work in the default stream.
    void fetch_now();
    /// Has all of it come?  Then it is there for the host.
    bool is_fetched();
    /// Begins to copy what was written to the devices.
    void store();
    bool is_stored();
    void store_now();
    /// Copies the block of this index, which has been received, and store() does not.
    void store_block(int index);
    /// Work that is put into the stream from now on comes after that.
    void precede(void* stream);

    std::size_t bytes() const { return bytes_; }
    /// Does it reduce, so that nobody else does?
    bool reduces() const { return reduces_; }

private:
    /// The blocks on one device.
    struct Part {
        explicit Part(const memory::Home& its_home) : home(its_home) {}

        memory::Home home;
        std::vector<grid::StridedBox> read, written;
        std::size_t read_bytes = 0, written_bytes = 0;
        std::unique_ptr<memory::Transfer> transfer;
        std::unique_ptr<memory::FoundRows> found_rows{}; ///< null: the rows are looked for in host memory
    };
    /// A block on a device.
    struct Staged {
        StagedBlock block;
        std::size_t part;
        std::size_t read_offset, written_offset, bytes; ///< in the rows of its part
        transport::Parts image{};                       ///< where it lies for the host, if that is no row
        std::uintptr_t begin = 0;                       ///< where its data begins on the device
        bool is_stored = false;                         ///< before the others
    };
    /// Host memory for a stretch of addresses.
    struct Image {
        std::uintptr_t begin;
        std::uintptr_t end;
        std::unique_ptr<std::byte[]> memory{};
        std::uintptr_t shift = 0; ///< to be added to an address on the device
    };

    void add(const StagedBlock& block);
    void store_reduced(const Staged& staged);
    std::size_t part_of(const memory::Home& home);
    void make_images();
    const Image* image_of(std::uintptr_t address) const;
    /// Copies what was received to where the kernel reads it.
    void gather_image(const Staged& staged);

    std::vector<Part> parts_;
    std::vector<Staged> blocks_;
    std::map<schedule::Slot, std::size_t> numbers_; ///< of the blocks
    std::vector<Image> images_;                     ///< by address
    std::size_t bytes_ = 0;
    bool reduces_ = false;
};

} // namespace ortho::staging
