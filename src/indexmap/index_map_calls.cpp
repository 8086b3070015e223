// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Index_map_create and what belongs to it.

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "base/handles.hpp"
#include "base/index.hpp"
#include "indexmap/directory.hpp"
#include "indexmap/index_map.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "runtime/internal_collectives.hpp"
#include "topology/agreement.hpp"
#include "topology/neighbor_lists.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using indexmap::IndexMap;

base::Handles<ORTHO_Index_map_s>& maps()
{
    static auto* const all = new base::Handles<ORTHO_Index_map_s>; // may outlive what is destroyed at exit
    return *all;
}

std::size_t length(MPI_Count n) { return static_cast<std::size_t>(n); }

void check_sizes(MPI_Count nowned, MPI_Count nghosts, const void* list, const char* name,
                 const ORTHO_Index_map* map)
{
    require(nowned >= 0, ErrorKind::count, "nowned", "nowned = ", nowned, " is negative");
    require(nghosts >= 0, ErrorKind::count, "nghosts", "nghosts = ", nghosts, " is negative",
            nghosts == -1 ? ", which C++ gives for lists that do not fit each other" : "");
    if (nghosts > 0) mpi::require_result(list, name);
    mpi::require_result(map, "map");
}

void check_ids(MPI_Count n, const MPI_Count ids[], const char* name)
{
    for (MPI_Count i = 0; i < n; ++i)
        require(ids[i] >= 0, ErrorKind::arg, name, name, "[", i, "] = ", ids[i], " is negative");
}

/// make() makes the map, whose graph is made, too: then the map is the user's.
template <class Make>
int create(const char* function, MPI_Comm comm, MPI_Info info, ORTHO_Index_map* map, const Make& make)
{
    std::shared_ptr<IndexMap> made;
    int code = mpi::guard(function, comm, [&] {
        mpi::require_intra(comm, "comm");
        made = make();
    });
    if (code == MPI_SUCCESS) code = made->make_graph(function, comm, false, info);
    if (code != MPI_SUCCESS) return code;
    auto handle = std::make_unique<ORTHO_Index_map_s>();
    handle->map = made;
    *map = maps().add(std::move(handle));
    return MPI_SUCCESS;
}

/// Ghosts by global numbers as ghosts by owner and index.
struct GlobalGhosts : indexmap::Places {
    /// `first`: for each rank the first number of its elements; behind them the number of all elements.
    void add(MPI_Count ghost, MPI_Count number, const std::vector<long long>& first)
    {
        require(number >= 0 && number < first.back(), ErrorKind::arg, "numbers", "numbers[", ghost,
                "]: element ", number, " is none of ", first.back(), " elements");
        const auto owner = std::ranges::upper_bound(first, number) - first.begin() - 1;
        owners.push_back(static_cast<int>(owner));
        indices.push_back(number - first[static_cast<std::size_t>(owner)]);
    }
};

} // namespace

std::shared_ptr<IndexMap> indexmap::find_map(ORTHO_Index_map handle)
{
    const ORTHO_Index_map_s* const found = maps().find(handle);
    return found == nullptr ? nullptr : found->map;
}

std::shared_ptr<IndexMap> indexmap::map_of(ORTHO_Index_map handle)
{
    auto result = find_map(handle);
    require(result != nullptr, ErrorKind::arg, "map", "map is no index map: it was never set, or was freed");
    return result;
}

extern "C" {

int ORTHO_Index_map_create(MPI_Count nowned, MPI_Count nghosts, const int owners[], const MPI_Count indices[],
                           MPI_Comm comm, MPI_Info info, ORTHO_Index_map* map)
{
    return create("ORTHO_Index_map_create", comm, info, map, [&] {
        topology::check_together(comm, [&] {
            check_sizes(nowned, nghosts, owners, "owners", map);
            if (nghosts > 0) mpi::require_result(indices, "indices");
            const int processes = mpi::size_of(comm);
            for (MPI_Count g = 0; g < nghosts; ++g) {
                topology::check_rank(owners[g], processes, "owners", g);
                require(indices[g] >= 0, ErrorKind::arg, "indices", "indices[", g, "]: there is no element ",
                        indices[g], "; the first one is element 0");
            }
        });
        return IndexMap::make(comm, nowned, {owners, length(nghosts)}, {indices, length(nghosts)});
    });
}

int ORTHO_Index_map_create_global(MPI_Count nowned, MPI_Count nghosts, const MPI_Count numbers[],
                                  MPI_Comm comm, MPI_Info info, ORTHO_Index_map* map)
{
    return create("ORTHO_Index_map_create_global", comm, info, map, [&] {
        topology::check_together(comm, [&] { check_sizes(nowned, nghosts, numbers, "numbers", map); });
        const std::vector<long long> first = runtime::begins_of_all(comm, nowned);
        GlobalGhosts ghosts;
        topology::check_together(comm, [&] {
            for (MPI_Count g = 0; g < nghosts; ++g) ghosts.add(g, numbers[g], first);
        });
        return IndexMap::make(comm, nowned, ghosts.owners, ghosts.indices);
    });
}

int ORTHO_Index_map_create_ids(MPI_Count nowned, const MPI_Count ids[], MPI_Count nghosts,
                               const MPI_Count ghost_ids[], MPI_Comm comm, MPI_Info info,
                               ORTHO_Index_map* map)
{
    return create("ORTHO_Index_map_create_ids", comm, info, map, [&] {
        topology::check_together(comm, [&] {
            check_sizes(nowned, nghosts, ghost_ids, "ghost_ids", map);
            if (nowned > 0) mpi::require_result(ids, "ids");
            check_ids(nowned, ids, "ids");
            check_ids(nghosts, ghost_ids, "ghost_ids");
        });
        const indexmap::Places ghosts = indexmap::find_owners(comm, {ids, length(nowned)},
                                                              {ghost_ids, length(nghosts)});
        return IndexMap::make(comm, nowned, ghosts.owners, ghosts.indices);
    });
}

int ORTHO_Index_map_free(ORTHO_Index_map* map)
{
    return mpi::guard("ORTHO_Index_map_free", [&] {
        mpi::require_result(map, "map");
        static_cast<void>(indexmap::map_of(*map));
        maps().remove(*map);
        *map = ORTHO_INDEX_MAP_NULL;
    });
}

int ORTHO_Index_map_graph(ORTHO_Index_map map, MPI_Comm* graph)
{
    return mpi::guard("ORTHO_Index_map_graph", [&] {
        const auto its = indexmap::map_of(map);
        mpi::require_result(graph, "graph");
        *graph = its->graph(false);
    });
}

int ORTHO_Index_map_holders(ORTHO_Index_map map, MPI_Count element, int maxn, int ranks[], MPI_Count ghosts[],
                            int* n)
{
    return mpi::guard("ORTHO_Index_map_holders", [&] {
        const auto its = indexmap::map_of(map);
        require(element >= 0 && element < its->owned(), ErrorKind::arg, "element", "element ", element,
                " is none of ", its->owned(), " owned elements");
        require(maxn >= 0, ErrorKind::count, "maxn", "maxn = ", maxn, " is negative");
        if (maxn > 0) mpi::require_result(ranks, "ranks");
        mpi::require_result(n, "n");
        const auto copies = its->copies_of(element);
        *n = static_cast<int>(copies.size());
        for (int i = 0; i < std::min(maxn, *n); ++i) {
            ranks[i] = copies[at(i)].first;
            if (ghosts != nullptr) ghosts[i] = copies[at(i)].second;
        }
    });
}

} // extern "C"
