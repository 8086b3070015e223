// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_VERIFY: receive blocks that overlap.

#include "call/block_overlap.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "mpi/datatype.hpp"

namespace ortho::call {

namespace {

struct Taken {
    MPI_Aint begin;
    MPI_Aint end;
    int slot;
};

} // namespace

void require_apart(const BufferBlocks& blocks)
{
    std::vector<Taken> all;
    for (int slot = 0; slot < blocks.slots(); ++slot) {
        if (blocks.is_gap(slot) || blocks.count(slot) <= 0) continue;
        const mpi::Measures measures = mpi::measure(blocks.type(slot));
        const bool is_dense = measures.size == measures.extent && measures.size == measures.true_extent &&
                              measures.true_lb == 0;
        if (measures.size == 0 || !is_dense) continue;
        const MPI_Aint begin = blocks.byte_displacement(slot);
        all.push_back({begin, begin + measures.extent * blocks.count(slot), slot});
    }
    std::ranges::sort(all, {}, &Taken::begin);
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto [first, second] = std::minmax(all[i - 1].slot, all[i].slot);
        base::require(all[i].begin >= all[i - 1].end, base::ErrorKind::buffer, "recvbuf", "slots ", first,
                      " and ", second, " of recvbuf overlap");
    }
}

} // namespace ortho::call
