// SPDX-License-Identifier: BSD-3-Clause
// An exchange of ghosts: the engine's, and what this process does with the elements once all have come.

#include "indexmap/ghost_exchange.hpp"

#include <mutex>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "engine/road.hpp"
#include "mpi/public_call.hpp"
#include "mpiortho.h"
#include "verify/verification.hpp"

namespace ortho::indexmap {

int make_exchange_graph(const char* function, MPI_Comm comm, const std::vector<int>& in,
                        const std::vector<int>& out, MPI_Info info, mpi::Comm& graph)
{
    MPI_Comm made = MPI_COMM_NULL;
    const mpi::CallsNamed named(function);
    const int code = ORTHO_Dist_graph_create_adjacent(comm, static_cast<int>(in.size()), in.data(),
                                                      MPI_UNWEIGHTED, static_cast<int>(out.size()),
                                                      out.data(), MPI_UNWEIGHTED, info, 0, &made);
    if (code == MPI_SUCCESS) graph = mpi::Comm(made);
    return code;
}

std::unique_ptr<request::Task> prepare_exchange(const std::shared_ptr<topology::Graph>& graph,
                                                const std::shared_ptr<GhostBlocks>& blocks,
                                                const call::Bases& bases, const ExchangeWords& words,
                                                bool may_separate, MPI_Info info)
{
    const call::Sides sides = blocks->of(bases);
    call::Call call{.collective = planner::Collective::alltoall,
                    .send = sides.send,
                    .receive = sides.receive,
                    .irregular = true};
    call.lay = [blocks](const schedule::Schedule&, const call::Bases& begins) { return blocks->of(begins); };
    call.bases = bases;
    call.bases_of_fields = [no_halo = words.no_halo](std::span<const ORTHO_Field>) -> call::Bases {
        base::fail(base::ErrorKind::request, "request", no_halo);
    };
    call.may_separate = may_separate;
    call.function = words.function;
    const auto describe = [&] { return call; };
    if (graph->verification_comm) verify::verify(*graph, words.function, describe);
    return engine::prepare(graph, describe, info);
}

bool GhostExchange::advance(bool eager, runtime::Backoff& backoff)
{
    if (!exchange_->advance(eager, backoff)) return false;
    if (!has_end_) return true;
    const std::unique_lock lock = mpi::lock_to_drive(mutex_, eager);
    if (!lock) return false;
    if (std::exchange(has_ended_, true)) return true;
    try {
        exchange_->rethrow();
        end();
    } catch (...) {
        failure_ = std::current_exception();
    }
    return true;
}

} // namespace ortho::indexmap
