// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators whose processes share memory.

#include "collectives/dense.hpp"

#include <numeric>
#include <utility>

#include "engine/run.hpp"
#include "mpi/comm.hpp"
#include "mpi/keyval.hpp"
#include "topology/settings.hpp"

namespace ortho::collectives {

namespace {

extern "C" int ortho_delete_dense(MPI_Comm, int, void* value, void*)
{
    auto* const dense = static_cast<Dense*>(value);
    try {
        if (dense->graph) dense->graph->lose_users();
    } catch (...) {
        // Nothing that is under way needs them.
    }
    delete dense;
    return MPI_SUCCESS;
}

mpi::CommKeyval& key()
{
    // A duplicate decides for itself.
    static mpi::CommKeyval keyval(MPI_COMM_NULL_COPY_FN, ortho_delete_dense);
    return keyval;
}

std::shared_ptr<topology::Graph> make_graph(MPI_Comm comm)
{
    const int processes = mpi::size_of(comm);
    if (processes == 1) return nullptr;
    topology::Facts facts;
    facts.settings = topology::agree_on_settings(comm, MPI_INFO_NULL, {});
    if (!facts.settings->layout.one_node) return nullptr;
    facts.settings->algorithms.clear(); // they are for graphs
    facts.settings->measure = false;    // so is that
    facts.settings->verify = false;     // and that
    facts.lists.rank = mpi::rank_of(comm);
    facts.lists.sources.resize(static_cast<std::size_t>(processes));
    std::iota(facts.lists.sources.begin(), facts.lists.sources.end(), 0);
    facts.lists.targets = facts.lists.sources;
    facts.isomorphism_decided = true;
    auto graph = topology::make_attached(comm, std::move(facts));
    return engine::share_memory(*graph) ? graph : nullptr;
}

} // namespace

const Dense* find_dense(MPI_Comm comm)
{
    return comm == MPI_COMM_NULL ? nullptr : static_cast<const Dense*>(key().find(comm));
}

const Dense& decide_dense(MPI_Comm comm)
{
    auto dense = std::make_unique<Dense>(make_graph(comm));
    if (dense->graph) dense->graph->set_users(comm);
    key().set(comm, dense.get());
    return *dense.release(); // the attribute's delete function has it now
}

} // namespace ortho::collectives
