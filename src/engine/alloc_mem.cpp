// SPDX-License-Identifier: BSD-3-Clause
// The public calls for memory that the processes of a node share.

#include <cstddef>
#include <map>
#include <mutex>

#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "nodequeue/arena.hpp"
#include "topology/agreed_settings.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;

constexpr std::size_t alignment = 64;

std::mutex mutex; // of the following
std::map<const void*, nodequeue::Block>& blocks()
{
    static std::map<const void*, nodequeue::Block> all;
    return all;
}

} // namespace

extern "C" {

int ORTHO_Alloc_mem(MPI_Aint size, MPI_Info info, MPI_Comm comm, void* baseptr)
{
    return mpi::guard("ORTHO_Alloc_mem", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::look_at_keys(info, topology::reads_nothing);
        mpi::require_result(baseptr, "baseptr");
        base::require(size >= 0, ErrorKind::arg, "size", "size = ", size, " is negative");
        void*& result = *static_cast<void**>(baseptr);
        result = nullptr;
        if (size == 0) return;
        nodequeue::Block block = nodequeue::allocate_block(static_cast<std::size_t>(size), alignment);
        base::require(block != nullptr, ErrorKind::memory, "size", "there is no memory for size = ", size,
                      " bytes");
        void* const begin = block.get();
        const std::lock_guard lock(mutex);
        blocks().emplace(begin, std::move(block));
        result = begin;
    });
}

int ORTHO_Free_mem(void* base, MPI_Comm comm)
{
    return mpi::guard("ORTHO_Free_mem", comm, [&] {
        mpi::require_comm(comm, "comm");
        if (base == nullptr) return; // of size 0
        const std::lock_guard lock(mutex);
        const auto found = blocks().find(base);
        ortho::base::require(found != blocks().end(), ErrorKind::arg, "base", "base = ", base,
                             " is nothing that ORTHO_Alloc_mem has given");
        blocks().erase(found);
    });
}

} // extern "C"
