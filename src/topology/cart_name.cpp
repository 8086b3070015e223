// SPDX-License-Identifier: BSD-3-Clause
// The Cartesian name of a communicator.

#include "topology/cart_name.hpp"

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/keyval.hpp"
#include "mpi/mutex.hpp"

namespace ortho::topology {

namespace {

/// The attribute.  Without a grid, the communicator's own Cartesian topology is no name.
struct Name final : mpi::Attached {
    explicit Name(std::optional<grid::Grid> grid_) : grid(std::move(grid_)) {}

    std::optional<grid::Grid> grid;
};

mpi::CommAttribute<Name> cart_names;

Name& attach(MPI_Comm comm, std::optional<grid::Grid> grid)
{
    return cart_names.attach(comm, std::make_unique<Name>(std::move(grid)));
}

} // namespace

grid::Grid cartesian_topology(MPI_Comm comm)
{
    int d = 0;
    mpi::check_users(PMPI_Cartdim_get(comm, &d));
    const auto n = static_cast<std::size_t>(d);
    std::vector<int> sizes(n);
    std::vector<int> periods(n);
    std::vector<int> coordinates(n);
    if (d > 0) mpi::check_users(PMPI_Cart_get(comm, d, sizes.data(), periods.data(), coordinates.data()));
    std::vector<char> periodic;
    for (const int period : periods) periodic.push_back(period != 0);
    return grid::Grid(sizes, std::move(periodic));
}

const grid::Grid* find_name(MPI_Comm comm)
{
    const Name* name = cart_names.find(comm);
    if (name == nullptr && !mpi::is_inter(comm) && mpi::own_topology_of(comm) == MPI_CART) {
        // Two threads may come here first; the second one must not replace the first one's object.
        static mpi::Mutex making;
        const std::lock_guard lock(making);
        name = cart_names.find(comm);
        if (name == nullptr) name = &attach(comm, cartesian_topology(comm));
    }
    return name != nullptr && name->grid ? &*name->grid : nullptr;
}

const grid::Grid& name_of(MPI_Comm comm, const char* argument)
{
    mpi::require_comm(comm, argument);
    const grid::Grid* const name = find_name(comm);
    base::require(name != nullptr, base::ErrorKind::name, argument, argument,
                  " has no Cartesian name (see ORTHO_Cart_name)");
    return *name;
}

void set_name(MPI_Comm comm, grid::Grid name) { attach(comm, std::move(name)); }

void remove_name(MPI_Comm comm)
{
    if (cart_names.find(comm) == nullptr && !mpi::is_inter(comm) && mpi::own_topology_of(comm) != MPI_CART)
        return;
    attach(comm, std::nullopt);
}

} // namespace ortho::topology
