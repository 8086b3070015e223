// SPDX-License-Identifier: BSD-3-Clause
// The forms of a collective where nothing is kept of earlier calls.

#include "collectives/call_forms.hpp"

#include <mpi.h>

#include <functional>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "mpi/which_mpi.hpp"
#include "topology/agreed_settings.hpp"
#include "verify/verification.hpp"

namespace ortho::collectives {

namespace {

/// True for a call on a graph: the one that its communicator carries, or that of a neighborhood collective.
bool is_on_graph(MPI_Comm comm, bool of_neighbors)
{
    return of_neighbors || topology::collective_topology(comm) == ORTHO_GRAPH;
}
std::shared_ptr<topology::Graph> graph_of(MPI_Comm comm, bool of_neighbors)
{
    return of_neighbors ? topology::neighbors_of(comm) : topology::graph_of(comm);
}

/// The call on a graph that a collective is there.
call::Call described(const AnyCollective& collective, const char* function, const topology::Graph& graph)
{
    call::Call call = collective.describe(ArgumentChecks(collective.comm, graph));
    call.function = function;
    return call;
}

/// Describes a call that makes a request, after a look at where that goes.
auto describer(const AnyCollective& collective, const char* function, const topology::Graph& graph,
               const ORTHO_Request* request)
{
    return [&collective, function, &graph, request] {
        mpi::require_result(request, "request");
        return described(collective, function, graph);
    };
}

/// May persistent operations of MPI's be on one communicator, and on the user's?  MPI_Start of Open MPI
/// 5.0.11 may crash, and Intel's MPI takes them in the order in which each process starts them.
bool persistent_operations_share_communicators()
{
    return !mpi::which_mpi().is_open_mpi && !mpi::which_mpi().is_intel;
}

/// A persistent collective on a full or inter-communicator: MPI's own where MPI has one, else started anew
/// each time, on a communicator of its own.  Collective.
std::unique_ptr<request::Task> prepare_on_mpi(const AnyCollective& collective, const char* function,
                                              MPI_Info info)
{
    auto task = std::make_unique<request::NativeTask>(collective.comm, function);
    const bool rebinds = topology::agree_on_rebinding(collective.comm, info);
    task->set_name(topology::name_in(info));
    MPI_Comm own = rebinds ? task->make_own_comm() : MPI_COMM_NULL;
    auto call = collective.on_mpi();
    const bool is_mpis = !rebinds && call->is_prepared_by_mpi();
    if (!rebinds && (!is_mpis || !persistent_operations_share_communicators())) own = task->make_own_comm();
    if (own != MPI_COMM_NULL) call->move_to(own);
    if (rebinds) task->set_rebind(collective.on_mpi_with(own));
    task->set(std::move(call));
    if (is_mpis) task->prepare(info);
    return task;
}

} // namespace

void require_same_kind(const void* buffer, const void* before, const char* argument)
{
    base::require((buffer == MPI_IN_PLACE) == (before == MPI_IN_PLACE), base::ErrorKind::buffer, argument,
                  argument, before == MPI_IN_PLACE ? " is not" : " is",
                  " MPI_IN_PLACE, other than when the request was made");
    base::require(buffer != nullptr || before == nullptr, base::ErrorKind::buffer, argument, argument,
                  " is a null pointer");
}

GraphInUse graph_for(MPI_Comm comm, bool of_neighbors, bool may_be_dense)
{
    if (may_be_dense)
        if (Dense* const dense = find_dense(comm)) return dense->complete;
    if (is_on_graph(comm, of_neighbors)) {
        GraphInUse in_use{graph_of(comm, of_neighbors)};
        topology::attach_if_plenty(*in_use.graph, comm);
        return in_use;
    }
    return may_be_dense && !mpi::is_inter(comm) ? decide_dense(comm).complete : GraphInUse{};
}

void run_anew(const AnyCollective& collective, const char* function,
              const std::shared_ptr<topology::Graph>& graph)
{
    const auto describe = [&] { return described(collective, function, *graph); };
    if (!graph->attached())
        return engine::run_detached(collective.comm, graph, function, describe, lister(collective));
    if (graph->verification_comm) verify::verify(*graph, function, describe);
    engine::run(*graph, describe(), lister(collective)); // describe checks the arguments
}

std::unique_ptr<request::Task> start_anew(const AnyCollective& collective, const char* function,
                                          const ORTHO_Request* request)
{
    if (is_on_graph(collective.comm, collective.of_neighbors)) {
        const auto graph = graph_of(collective.comm, collective.of_neighbors);
        const auto describe = describer(collective, function, *graph, request);
        // By reference, which takes no memory.
        return engine::start(collective.comm, graph, function, std::cref(describe), lister(collective));
    }
    mpi::require_result(request, "request");
    auto native = std::make_unique<request::NativeTask>(collective.comm, function);
    native->set(collective.on_mpi());
    native->start(false);
    return native;
}

int make_persistent(const char* own_name, const AnyCollective& collective, MPI_Info info,
                    ORTHO_Request* request)
{
    return mpi::guard(own_name, collective.comm, [&](const char* function) {
        std::unique_ptr<request::Task> task;
        if (is_on_graph(collective.comm, collective.of_neighbors)) {
            const auto graph = graph_of(collective.comm, collective.of_neighbors);
            topology::attach(*graph, collective.comm);
            const auto describe = describer(collective, function, *graph, request);
            if (graph->verification_comm) verify::verify(*graph, function, describe);
            task = engine::prepare(graph, describe, info);
        } else {
            mpi::require_result(request, "request");
            task = prepare_on_mpi(collective, function, info);
        }
        *request = request::make_request(std::move(task), true);
    });
}

} // namespace ortho::collectives
