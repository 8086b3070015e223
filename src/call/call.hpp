// SPDX-License-Identifier: BSD-3-Clause
// A call on a graph, as its arguments describe it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "call/buffer_blocks.hpp"
#include "grid/halo.hpp"
#include "grid/stencil.hpp"
#include "mpiortho.h"
#include "planner/algorithm_list.hpp"
#include "request/task.hpp"
#include "schedule/schedule.hpp"

namespace ortho::engine {
struct Expectation; // engine/expected_sizes.hpp
}

namespace ortho::call {

/// The blocks of a call.
struct Sides {
    BufferBlocks send;
    /// A block that is part of a temporary slot is described relative to that.
    BufferBlocks receive;
    /// A temp slot of block b holds data to be reduced: it looks like operands[b].  If there are none,
    /// temp slots hold bytes on their way.
    BufferBlocks operands;
};

/// The bytes of the slots of a halo exchange.
struct HaloBytes {
    std::vector<std::int64_t> most{}; ///< on the process that has most
    bool are_equal = false;           ///< all processes have as many
};

/// The end of a call on this process: the bases are filled further once all has come; null if they are not.
struct AtEnd {
    std::function<void(const Bases&)> act{};
    std::string words{};
};

/// Finds two bases whose fields share memory, by their numbers.
using FindOverlap = std::function<std::optional<std::pair<std::size_t, std::size_t>>(const Bases&)>;

/// A collective call on a graph, as its arguments describe it.
struct Call {
    planner::Collective collective;
    BufferBlocks send{};
    BufferBlocks receive{};
    bool irregular = false; ///< a v or w form
    int root = 0;
    bool in_place = false;
    MPI_Op op = MPI_OP_NULL;
    /// For a reduction: an element block, significant on every process, whatever edges it has.
    BufferBlocks element{};
    /// A halo exchange, or its adjoint: what is exchanged, and the bytes of each slot.
    std::shared_ptr<const grid::Halo> halo{};
    HaloBytes halo_bytes{};
    bool by_name = false;      ///< of a halo exchange: on a communicator with a name in place of a graph
    bool of_one_shape = false; ///< of a halo exchange: all fields have one shape
    /// The sizes that all processes expect of its blocks; null if none.
    std::shared_ptr<const engine::Expectation> expected{};
    /// In place of send and receive: where blocks lie may depend on the schedule that was chosen.
    std::function<Sides(const schedule::Schedule&, const Bases&)> lay{};
    /// Where its buffers begin, if it has such a function.
    Bases bases{};
    /// Where fields begin that are like those of the halo exchange; null if the bases are no fields, but
    /// buffers to send from and to receive into.
    std::function<Bases(std::span<const ORTHO_Field>)> bases_of_fields{};
    /// Copies elements of fields that begin there to a whole array, or from it; null if there are no fields.
    std::function<void(const Bases&, const request::FieldMove&)> move_field{};
    FindOverlap find_overlap{}; ///< null if nobody looks for fields that share memory
    /// For each field: the ghost regions that nothing fills here.
    std::vector<grid::Stencil> unfilled{};
    /// For a halo exchange, whose blocks are not known yet: most of its data does not lie in rows, so that
    /// MPI packs it.  For other calls the blocks tell this.
    bool strided = false;
    /// Other buffers may take blocks apart that overlap now.
    bool may_separate = false;
    AtEnd at_end{};
    /// The words for its data in explanations; if they are empty, its blocks are described.
    std::string data{};
    std::string arrays{}; ///< of a halo exchange, in words
    std::string name{};   ///< the user's, of a persistent call: info ortho_name
    /// The public function, as reports call it.
    const char* function = "";
};

/// Checks a call's arguments, and describes it.
using Describe = std::function<Call()>;

/// True if a block of the call goes along an edge from `source` to `target`.
bool has_block(planner::Collective collective, int root, int source, int target);
inline bool has_block(const Call& call, int source, int target)
{
    return has_block(call.collective, call.root, source, target);
}
/// Where the call's buffers begin.
Bases bases_of(const Call& call);
/// True if the first block that has any elements lies in the memory of a device.
bool lie_on_device(const BufferBlocks& blocks);
/// True if data of the call lies in the memory of a device.
bool is_on_devices(const Call& call);

/// Sets all that follows from the call alone; also the sizes if it is a halo exchange.
void set_call(algorithm::CallSpecification& specification, const Call& call);

} // namespace ortho::call
