// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to buffers, datatypes and ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/blocks.hpp"
#include "engine/contents.hpp"
#include "engine/lines.hpp"
#include "engine/packing.hpp"
#include "grid/graph.hpp"
#include "mpi/datatype.hpp"
#include "schedule/schedule.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// A message that MPI can send or receive in one piece.
struct Message {
    int partner;
    Place place;
    /// Not empty: the place is a row of bytes of ours, which these are gathered into, or spread from.
    Parts parts;

    std::byte* row() const { return static_cast<std::byte*>(place.address); }
};

/// A local step on places.
struct Step {
    schedule::Action::Kind kind;
    Place from;
    Place to;
    /// Not empty: how to copy it without MPI.
    std::vector<grid::StridedBox> boxes{};
    Parts parts{};
};

/// What is done locally, in order.
struct Steps {
    struct Copy {
        const std::byte* from;
        std::byte* to;
        std::size_t bytes;
    };
    std::vector<Copy> copies; ///< in place of the others, if all are such
    std::vector<Step> others;
};

/// A message to a process that sees this one's memory, by a line of shared memory.  Its data is the parts, or
/// if there are none the place; both, if it is so large that it goes by MPI.
struct Write {
    Message message;
    std::size_t bytes;
    std::size_t directions; ///< not 0: bytes of them, and the receiver copies the data from where it lies
    shared::Sender* line;
    int after; ///< the phase's last write before it on this line, or -1
};

/// A message from such a process.
struct Read {
    Message message;
    std::size_t bytes; ///< that there is room for
    shared::Receiver* line;
    int after;
};

struct BoundPhase {
    std::vector<Message> receives;
    std::vector<Message> sends;
    std::vector<Read> reads;
    std::vector<Write> writes;
    Steps meanwhile;
    Steps afterwards;
};

/// When a receive block is complete: with a message of a phase, with its first local steps, or with
/// its last ones.
struct Arrival {
    enum class With : std::uint8_t { nothing, message, read, beginning, end };

    With with = With::nothing;
    std::size_t phase = 0;
    std::size_t message = 0; ///< index in the phase's receives, or reads
};

/// The blocks of a call.
struct Sides {
    Blocks send;
    /// A block that is part of a temporary slot is described relative to that.
    Blocks receive;
    /// A temp slot of block b holds data to be reduced: it looks like operands[b].  If there are none,
    /// temp slots hold bytes on their way.
    Blocks operands;
};

/// What binding needs to know besides the schedule.
struct BindingRequest {
    std::shared_ptr<const schedule::Schedule> schedule;
    std::shared_ptr<const topology::Facts> facts;
    /// The schedule's send, receive slots are canonical indices; else they are the blocks' own.
    bool canonical_send;
    bool canonical_receive;
    const Sides& sides;
    /// Of a temp slot on its way: the bytes of each block, or of all.
    std::span<const std::int64_t> transit_bytes;
    /// Short runs of messages may be gathered into rows of ours; else each message lies where its data does.
    bool packs;
    /// Of messages between processes that share memory; null if none do.
    Lines* lines = nullptr;
};

/// A schedule with everything that it moves in place: addresses of the user's blocks, temporary
/// space of its own, and for each message of several blocks a derived datatype, so that nothing is
/// packed ([A] 3.1, Listing 5), or, where the blocks are small, a row that they are packed in.  Keeps what it
/// needs of the user's datatypes, and none of the user's arrays.
class Binding {
public:
    explicit Binding(const BindingRequest& request);

    std::span<const BoundPhase> phases() const { return phases_; }
    std::size_t temp_bytes() const { return temp_bytes_; }
    /// Of data that this process sends in all.
    std::int64_t sent_bytes() const { return sent_bytes_; }
    /// Do messages go by MPI, or are there local steps that it does?
    bool takes_mpi() const { return takes_mpi_; }
    /// How many messages this process sends through shared memory.
    int writes() const;
    /// Of the receive block of this index in the user's buffer.
    const Arrival& arrival(int slot) const { return arrivals_[static_cast<std::size_t>(slot)]; }
    int receive_slots() const { return static_cast<int>(arrivals_.size()); }

    /// Which blocks a message brings, in words; it is one of the phase's receives, or of its reads.
    std::string contents_of(const BoundPhase& phase, const Message& message) const;
    /// Throws what MPI's code for such a message means: of one that is too long, what it was for.  `room`: bytes.
    [[noreturn]] void fail(int code, const BoundPhase& phase, const Message& message, MPI_Count room) const;
    /// Which block a local step of the phase writes, in words.
    std::string contents_of(const BoundPhase& phase, const Step& step) const;

private:
    void make_temp(const BindingRequest& request);
    void make_operands(const BindingRequest& request);
    void make_transit(const BindingRequest& request);
    void note_arrival(const BindingRequest& request, schedule::Slot slot, const Arrival& arrival);
    Place place_of(const BindingRequest& request, schedule::Slot slot);
    void bind_receive(const BindingRequest& request, int partner, std::span<const schedule::Slot> slots,
                      BoundPhase& phase);
    void bind_send(const BindingRequest& request, int partner, std::span<const schedule::Slot> slots,
                   BoundPhase& phase);
    /// The data of these, in order, in as few places as it comes in.
    std::vector<Place> places_of(const BindingRequest& request, std::span<const schedule::Slot> slots);
    std::size_t bytes_of(const std::vector<Place>& places);
    Message bind_message(const BindingRequest& request, int partner, const std::vector<Place>& places);
    Message bind_shared(const BindingRequest& request, int partner, const std::vector<Place>& places);
    /// Sets a message's parts.  False if we do not know how to copy the data.
    bool make_parts(Message& message, const std::vector<Place>& places);
    Steps bind_actions(const BindingRequest& request, std::span<const schedule::Action> actions);
    /// Sets a copy's boxes and parts, where we know how to copy the data and there is room for it.
    void make_copy(Step& step);
    /// Our own handle of a type of the user's.
    MPI_Datatype keep(MPI_Datatype type);
    struct Shape {
        mpi::Measures measures;
        bool plain;
    };
    const Shape& shape_of(MPI_Datatype type);
    MPI_Datatype own(MPI_Datatype made);
    /// One place for all these, in order.
    Place combine(const std::vector<Place>& places);
    /// Makes the message a row of short runs.  False if it has others.
    bool pack(Message& message, const std::vector<Place>& places);

    /// Of the schedule, whose phases these are.
    const schedule::Phase& unbound(const BoundPhase& phase) const;

    std::vector<BoundPhase> phases_;
    std::vector<Arrival> arrivals_;
    Contents contents_;
    std::int64_t sent_bytes_ = 0;
    bool takes_mpi_ = false;
    std::vector<Place> temp_slots_;
    std::size_t temp_bytes_ = 0;
    std::unique_ptr<std::byte[]> temp_;
    std::vector<std::unique_ptr<std::byte[]>> rows_; // of temp_bytes_, too
    std::vector<mpi::Datatype> types_;
    // While binding: slot -> what it is part of; the user's handle -> ours; handle -> shape.
    std::map<schedule::Slot, schedule::Slot> wholes_;
    std::map<MPI_Datatype, MPI_Datatype> kept_;
    std::map<MPI_Datatype, Shape> shapes_;
};

} // namespace ortho::engine
