// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_VERIFY: receive blocks that overlap.
#pragma once

#include "call/buffer_blocks.hpp"

namespace ortho::call {

/// Throws base::Error (buffer) if two of the blocks overlap.  Only of blocks without holes is this known.
void require_apart(const BufferBlocks& blocks);

} // namespace ortho::call
