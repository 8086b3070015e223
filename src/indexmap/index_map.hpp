// SPDX-License-Identifier: BSD-3-Clause
// Which elements of a process other processes have copies of: ghosts of meshes, of sparse matrices.
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mpi/comm.hpp"
#include "mpiortho.h"

namespace ortho::indexmap {

/// Elements that this process shares with another one, or with itself, in the order of both lists.
struct Shared {
    int rank;
    std::vector<MPI_Count> places; ///< numbers of owned elements, or of ghosts
    std::vector<MPI_Count> copies; ///< of owned elements: the number of the ghost there
};

class IndexMap {
public:
    /// Ghost g is element indices[g] of owners[g].  Throws base::Error on all processes if that is wrong on
    /// any.  Collective.
    static std::shared_ptr<IndexMap> make(MPI_Comm comm, MPI_Count nowned, std::span<const int> owners,
                                          std::span<const MPI_Count> indices);

    MPI_Count owned() const { return owned_; }
    MPI_Count ghosts() const { return ghosts_; }
    /// The owners of the ghosts, by rising rank.
    const std::vector<Shared>& owners() const { return owners_; }
    /// The processes that have copies of owned elements, by rising rank.
    const std::vector<Shared>& holders() const { return holders_; }
    /// The copies of an element, by rising rank and ghost.
    std::vector<std::pair<int, MPI_Count>> copies_of(MPI_Count element) const;

    /// Edges lead from owners to holders; or, if it is reversed, from holders to owners.  Null before it is
    /// made.
    MPI_Comm graph(bool is_reversed) const { return graphs_[is_reversed ? 1 : 0].get(); }
    /// It is made now, if it is not there.  Returns an error code, which has been raised in the name of
    /// `function`.  Collective.
    int make_graph(const char* function, MPI_Comm comm, bool is_reversed, MPI_Info info);

private:
    MPI_Count owned_ = 0;
    MPI_Count ghosts_ = 0;
    std::vector<Shared> owners_, holders_;
    mpi::Comm graphs_[2];
};

} // namespace ortho::indexmap

struct ORTHO_Index_map_s {
    std::shared_ptr<ortho::indexmap::IndexMap> map; ///< operations have it, too
};

namespace ortho::indexmap {

/// The map of a handle; null if it is no handle of a map.
std::shared_ptr<IndexMap> find_map(ORTHO_Index_map handle);
/// The map of a handle.  Throws base::Error (arg) if it is no handle of a map.
std::shared_ptr<IndexMap> map_of(ORTHO_Index_map handle);

} // namespace ortho::indexmap
