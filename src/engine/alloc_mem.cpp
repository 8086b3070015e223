// SPDX-License-Identifier: BSD-3-Clause
// The public calls for memory that the processes of a node share.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "base/environment.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "nodequeue/arena.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;

constexpr std::size_t alignment = 64;

struct Private {
    void operator()(std::byte* block) const { ::operator delete (block, std::align_val_t{alignment}); }
};

/// What users have of us.
struct Block {
    std::byte* shared; ///< in the arena; null if it is private
    std::unique_ptr<std::byte, Private> owner;
};

std::mutex mutex; // of the following
std::map<const void*, Block>& blocks()
{
    static std::map<const void*, Block> all;
    return all;
}

Block allocate(std::size_t bytes)
{
    if (base::environment_flag("ORTHO_SHM").value_or(true)) {
        if (nodequeue::Arena* const arena = nodequeue::Arena::mine())
            if (std::byte* const block = arena->allocate(bytes)) return {block, nullptr};
    }
    void* const block = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
    base::require(block != nullptr, ErrorKind::memory, "size", "there is no memory for size = ", bytes,
                  " bytes");
    return {nullptr, std::unique_ptr<std::byte, Private>(static_cast<std::byte*>(block))};
}

} // namespace

extern "C" {

int ORTHO_Alloc_mem(MPI_Aint size, MPI_Info /*info*/, MPI_Comm comm, void* baseptr)
{
    return mpi::guard("ORTHO_Alloc_mem", comm, [&] {
        mpi::require_comm(comm, "comm");
        mpi::require_result(baseptr, "baseptr");
        base::require(size >= 0, ErrorKind::arg, "size", "size = ", size, " is negative");
        void*& result = *static_cast<void**>(baseptr);
        result = nullptr;
        if (size == 0) return;
        Block block = allocate(static_cast<std::size_t>(size));
        std::byte* const begin = block.shared != nullptr ? block.shared : block.owner.get();
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
        if (found->second.shared != nullptr) nodequeue::Arena::mine()->release(found->second.shared);
        blocks().erase(found);
    });
}

} // extern "C"
