// SPDX-License-Identifier: BSD-3-Clause
// A neighborhood exchange as one operation of MPI's, whose request MPI's own calls complete.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "mpi/count_array.hpp"
#include "mpi/ialltoallw.hpp"

namespace ortho::pmpi {

struct Neighbors;

/// A block of a call.
struct Block {
    MPI_Aint address;
    MPI_Count count;
    MPI_Datatype type;

    bool operator==(const Block&) const = default;
};

/// The blocks of a call by their numbers; none at all on a side where the process takes no part.
struct Blocks {
    std::vector<Block> sends;
    std::vector<Block> receives;

    bool operator==(const Blocks&) const = default;
};

/// The names of a call's arguments on one side, for errors.
struct SideNames {
    const char* count;
    const char* displacements;
    const char* type;
};

/// n blocks one after the other, or, of a call that sends one to all, n times the same.  All of these throw
/// base::Error.
std::vector<Block> regular(const void* buffer, std::size_t n, MPI_Count count, MPI_Datatype type,
                           const SideNames& names);
std::vector<Block> same(const void* buffer, std::size_t n, MPI_Count count, MPI_Datatype type,
                        const SideNames& names);
/// Displacements in extents, as in v calls.
std::vector<Block> varying(const void* buffer, std::size_t n, const mpi::Numbers& counts,
                           const mpi::Numbers& displacements, MPI_Datatype type, const SideNames& names);
/// Displacements in bytes, as in w calls.
std::vector<Block> typed(const void* buffer, std::size_t n, const mpi::Numbers& counts,
                         const mpi::Numbers& displacements, const MPI_Datatype* types,
                         const SideNames& names);

/// The messages of an exchange: to each partner, and from each, one, with all blocks for it.
///
/// It goes by an MPI_Alltoallw on the user's own communicator: that cannot meet the user's messages, all
/// processes make it in the same order as the call it stands for, and as there is one message for each
/// partner nothing can be paired wrongly, as some MPIs do with repeated neighbors.
class Exchange {
public:
    /// Blocks by send and by receive block number; the neighbors say whose they are, and in what order.
    Exchange(MPI_Comm comm, const Neighbors& neighbors, std::span<const Block> sends,
             std::span<const Block> receives);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    ~Exchange();

    int start(MPI_Comm comm, MPI_Request* request) const { return exchange_.start(comm, request); }

private:
    struct Edge {
        int partner;
        const Block* block;
    };

    /// Those that are there, whoever keeps them.
    struct Living {
        std::mutex mutex;
        std::set<Exchange*> exchanges;
    };
    static Living& living();

    void fill(mpi::Ialltoallw::Side& side, std::span<const Edge> edges);
    void free_types();

    mpi::Ialltoallw exchange_;
    std::vector<MPI_Datatype> made_;
};

/// The last exchanges on a communicator: programs repeat themselves, and MPICH loses some memory with each
/// new datatype.
class Repeated {
public:
    /// The exchange of these blocks: the one that was made before, if all their datatypes are MPI's own,
    /// whose handles never mean anything else.
    std::shared_ptr<const Exchange> find_or_make(MPI_Comm comm, const Neighbors& neighbors, Blocks blocks);

private:
    struct Entry {
        Blocks blocks;
        std::shared_ptr<const Exchange> exchange;
    };

    static constexpr std::size_t most = 16;
    std::vector<Entry> entries_;
    std::size_t oldest_ = 0;
};

} // namespace ortho::pmpi
