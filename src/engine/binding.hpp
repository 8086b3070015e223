// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to buffers, datatypes and ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "call/call.hpp"
#include "call/call_text.hpp"
#include "call/edges.hpp"
#include "engine/message_contents.hpp"
#include "grid/local_graph.hpp"
#include "schedule/schedule.hpp"
#include "staging/staging.hpp"
#include "topology/graph.hpp"
#include "transport/bound_datatypes.hpp"
#include "transport/packing.hpp"
#include "transport/transport.hpp"

namespace ortho::engine {

using call::Bases;
using call::BlockSlots;
using call::BufferBlocks;
using call::Call;
using call::CallText;
using call::Edges;
using call::HaloBytes;
using call::Sides;
using transport::DataLocation;

using staging::StagedBlock;
using staging::Staging;

/// A local step on places.
struct Step {
    schedule::Action::Kind kind;
    DataLocation from;
    DataLocation to;
    /// Not empty: how to copy it without MPI.
    std::vector<grid::StridedBox> boxes{};
    transport::Parts parts{};
};

/// The copies and reductions that this process makes by itself, in order.
struct Steps {
    struct Copy {
        const std::byte* from;
        std::byte* to;
        std::size_t bytes;
    };
    /// Between rows on devices.
    struct DeviceCopy {
        memory::RowPart from, to;
        std::size_t bytes;
    };
    std::vector<Copy> copies;           ///< in place of the others, if all are such
    std::vector<DeviceCopy> on_devices; ///< likewise
    std::vector<Step> others;

    bool empty() const { return copies.empty() && others.empty() && on_devices.empty(); }
};

struct BoundPhase {
    /// By transport; null where it has none.
    std::vector<std::unique_ptr<transport::Messages>> messages;
    Steps meanwhile;
    /// MPI moves messages within this node, in our looks at them: what is local better comes behind.
    bool local_last = false;
    Steps afterwards;
};

/// When a receive block is complete: with a message of a phase, with its first local steps, or with
/// its last ones.
struct Arrival {
    enum class With : std::uint8_t { nothing, message, beginning, end };

    With with = With::nothing;
    std::size_t phase = 0;
    std::size_t transport = 0;
    std::size_t message = 0; ///< index of the receive among the transport's
};

/// Bytes of one element of the blocks that are sent, and of those that are received.
struct ElementBytes {
    std::size_t send;
    std::size_t receive;
};

/// All that binding needs besides the schedule.
struct BindingRequest {
    std::shared_ptr<const schedule::Schedule> schedule;
    std::shared_ptr<const topology::GraphInfo> graph_info;
    /// The schedule's send, receive slots are canonical indices; else they are the blocks' own.
    bool canonical_send;
    bool canonical_receive;
    bool has_request; ///< that somebody may ask which blocks have come
    const Sides& sides;
    MPI_Op op; ///< MPI_OP_NULL if nothing is reduced
    /// The datatype that operators see, if it is the program's as long as the call lasts; else null.
    MPI_Datatype operand;
    /// For each temp slot that holds blocks on their way: the bytes of each block, or one size for all.
    std::span<const std::int64_t> transit_bytes;
    transport::Transports transports;
};

/// A schedule with the places of all data that it moves: addresses of the user's blocks, and temporary space
/// of its own.  A message of several blocks has a derived datatype, so that nothing is packed ([A] 3.1,
/// Listing 5).  Small blocks are packed in a row.  Keeps the user's datatypes that it needs, but none of the
/// user's arrays.
class Binding final : public transport::Labels {
public:
    explicit Binding(const BindingRequest& request);

    /// Can it be the same call with other buffers and sizes?
    bool is_replaceable() const;
    /// It becomes that, in place; nothing of it is under way.  Its datatypes are predefined, and those of
    /// before; their elements lie in rows, and have so many bytes.  False if messages would go other ways, or
    /// need more than other addresses and sizes: then the binding is to be destroyed.
    bool replace(const BufferBlocks& send, const BufferBlocks& receive, const ElementBytes& element_bytes);

    std::span<const BoundPhase> phases() const { return phases_; }
    const transport::Transports& transports() const { return transports_; }
    /// Rows that messages are packed in among it.
    std::size_t temp_bytes() const
    {
        return temp_bytes_ + layouts_.row_bytes() + (staging_ ? staging_->bytes() : 0);
    }
    /// Null if no block lies in the memory of a device.
    Staging* staging() const { return staging_.get(); }
    /// How many messages that this process sends stay on devices.
    std::size_t sends_on_devices() const { return sends_on_devices_; }
    /// Bytes that this process sends in all.
    std::int64_t sent_bytes() const { return sent_bytes_; }
    /// Do messages go by MPI, or are there local steps that it does?
    bool takes_mpi() const { return takes_mpi_; }
    /// How many messages this process sends by each transport, as its words say.
    std::vector<std::size_t> sent_messages() const;
    /// The place of the receive block of this index in the user's buffer.
    const Arrival& arrival(int slot) const { return arrivals_[static_cast<std::size_t>(slot)]; }
    int receive_slots() const { return static_cast<int>(arrivals_.size()); }

    std::string contents_of(transport::Label label) const override;
    /// Which block a local step of the phase writes, in words.
    std::string contents_of(const BoundPhase& phase, const Step& step) const;

private:
    void make_temp(const BindingRequest& request);
    void make_staging(const BindingRequest& request);
    /// Null if no device reduces.
    std::unique_ptr<Staging> make_reducing_staging(const BindingRequest& request);
    /// Blocks that nobody looks for in host memory stay on devices.
    void leave_on_devices(const schedule::Schedule& schedule);
    /// Sets the step's copy between devices; false if it is none.
    bool copy_on_devices(const Step& step, Steps& steps);
    void make_operands(const BindingRequest& request);
    void make_transit(const BindingRequest& request);
    void note_arrival(schedule::Slot slot, const Arrival& arrival);
    /// The index of the user's block that a send or receive slot means.
    int block_of(schedule::Slot slot) const;
    /// The user's block that a send or receive slot means.
    DataLocation place_of_users(const BindingRequest& request, schedule::Slot slot) const;
    DataLocation place_of(const BindingRequest& request, schedule::Slot slot);
    /// Is it described relative to a temporary slot?
    bool lies_in_temp(schedule::Slot slot) const;
    /// Binds what goes to a partner, or comes from it: `bind(messages, transport, slots, places)` for each
    /// message.
    template <class Bind>
    void bind_round(const BindingRequest& request, int partner, std::span<const schedule::Slot> slots,
                    BoundPhase& phase, Bind bind);
    /// Blocks of these sizes for one partner, or from it: `use(transport, begin, end)` for those of each
    /// message.  Both ends know the sizes, and split in the same way, or the transport does not need that.
    template <class Use>
    void visit_messages(int partner, std::span<const std::size_t> sizes, Use use) const;
    /// The blocks that replace the bound ones.
    struct Replacement {
        const BufferBlocks& send;
        const BufferBlocks& receive;
        ElementBytes element_bytes;
    };
    bool replace_phase(std::size_t i, const Replacement& by);
    bool replace(Steps& steps, std::span<const schedule::Action> actions, const Replacement& by) const;
    /// `use(transport, slots)` for each message, whose data are in `laid_`; false if any of them is.
    template <class Use>
    bool replace_messages(const Replacement& by, int partner, std::span<const schedule::Slot> slots, Use use);
    /// These go into `laid_`, in one row where they lie in one.
    void lay(std::span<const transport::PlainData> blocks);
    /// Finds the data of a slot; false if it is temporary space so large that it has a datatype of its own.
    bool find_plain(const Replacement& by, schedule::Slot slot, transport::PlainData& data) const;
    /// Does it take so many blocks for a process one by one?
    bool takes_blocks(std::size_t transport, int partner, std::size_t blocks) const;
    /// The first one that takes a message of so many bytes; `mpi_messages`: how many MPI would send.
    std::size_t transport_to(int partner, std::size_t bytes, std::size_t mpi_messages) const;
    /// These as steps, in order.
    Steps bind_actions(const BindingRequest& request, std::span<const schedule::Action> actions);
    /// Sets a copy's boxes and parts, where we know how to copy the data and there is room for it.
    void make_copy(Step& step);
    /// The phase of the schedule that this one was bound from.
    const schedule::Phase& unbound(const BoundPhase& phase) const;

    transport::Transports transports_;
    std::vector<BoundPhase> phases_;
    std::vector<Arrival> arrivals_; // by receive block; empty if nobody asks
    MessageContents contents_;
    bool canonical_send_;
    std::int64_t sent_bytes_ = 0;
    bool takes_mpi_ = false;
    std::vector<DataLocation> temp_slots_;
    std::size_t temp_bytes_ = 0;
    std::unique_ptr<std::byte[]> temp_;
    std::unique_ptr<Staging> staging_;
    std::size_t sends_on_devices_ = 0;
    transport::BoundDatatypes layouts_;
    // While binding: slot -> what it is part of.
    std::map<schedule::Slot, schedule::Slot> wholes_;
    std::set<schedule::Slot> with_host_; // that are looked for in host memory, of those that are sent
    // While replacing: the blocks of a round, their sizes, and what goes in a message.
    std::vector<transport::PlainData> blocks_;
    std::vector<std::size_t> sizes_;
    std::vector<transport::PlainData> laid_;
};

} // namespace ortho::engine
