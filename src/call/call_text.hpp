// SPDX-License-Identifier: BSD-3-Clause
// A call in words.
#pragma once

#include <mpi.h>

#include <limits>
#include <optional>
#include <string>

#include "call/buffer_blocks.hpp"

namespace ortho::call {

struct Call;

/// The smallest of some numbers, and the largest.
struct Extremes {
    MPI_Count least = std::numeric_limits<MPI_Count>::max();
    MPI_Count most = 0;

    void add(MPI_Count number);
};

/// The description of the blocks of one side.  It is put into words once somebody asks.
struct BlocksText {
    /// Describes other blocks, whose elements are the same, and have so many bytes.
    void replace(const BufferBlocks& blocks, std::size_t element_bytes);
    /// "8 blocks of 40 MPI_INT (160 bytes each)"; empty if there are none.
    std::string words() const;

    int blocks = 0;
    Extremes elements{};
    Extremes bytes{};
    std::string type{};        ///< its name, if all have one that has one
    bool has_several = false;  ///< datatypes
    bool has_elements = false; ///< any block
};

/// The description of a call.
struct CallText {
    /// "ORTHO_Alltoall_init sends and receives 8 blocks of 40 MPI_INT (160 bytes each)", the root included,
    /// and the operator left out.
    std::string words() const;
    /// "sends and receives 8 blocks of 40 MPI_INT (160 bytes each)"; empty if it moves no data.
    std::string data() const;

    const char* function = "";
    std::string given{}; ///< in place of what the blocks tell
    BlocksText send{};
    BlocksText receive{};
    std::optional<int> root{};
};

CallText text_of(const Call& call);

} // namespace ortho::call
