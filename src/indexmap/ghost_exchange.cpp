// SPDX-License-Identifier: BSD-3-Clause
// An exchange of ghosts: the engine's, and what this process does with the elements once all have come.

#include "indexmap/ghost_exchange.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "engine/road.hpp"
#include "mpi/failure.hpp"
#include "mpi/public_call.hpp"
#include "mpiortho.h"
#include "verify/verification.hpp"

namespace ortho::indexmap {

void GhostSide::add(std::size_t base, MPI_Aint offset, mpi::Datatype type)
{
    partners_.back().push_back({base, offset, type.get()});
    types_.push_back(std::move(type));
}

call::BufferBlocks GhostSide::of(const call::Bases& bases)
{
    blocks_.clear();
    counts_.assign(partners_.size(), 1);
    addresses_.resize(partners_.size());
    block_types_.resize(partners_.size());
    for (std::size_t i = 0; i < partners_.size(); ++i) {
        const std::vector<Piece>& pieces = partners_[i];
        std::vector<MPI_Aint> addresses;
        std::vector<MPI_Datatype> types;
        for (const Piece& piece : pieces) {
            const auto begin = reinterpret_cast<std::uintptr_t>(bases[piece.base]);
            addresses.push_back(static_cast<MPI_Aint>(begin) + piece.offset);
            types.push_back(piece.type);
        }
        if (pieces.size() == 1) {
            addresses_[i] = addresses[0];
            block_types_[i] = types[0];
            continue;
        }
        const std::vector<int> ones(pieces.size(), 1);
        MPI_Datatype made = MPI_DATATYPE_NULL;
        mpi::check(PMPI_Type_create_struct(static_cast<int>(pieces.size()), ones.data(), addresses.data(),
                                           types.data(), &made));
        blocks_.emplace_back(made);
        mpi::check(PMPI_Type_commit(&made));
        addresses_[i] = 0;
        block_types_[i] = made;
    }
    return call::BufferBlocks::typed(MPI_BOTTOM, static_cast<int>(partners_.size()),
                                     mpi::CountArray(counts_.data()), mpi::CountArray(addresses_.data()),
                                     block_types_.data(), nullptr);
}

std::vector<Stretch> stretches_of(const std::vector<MPI_Count>& places)
{
    std::vector<Stretch> result;
    for (const MPI_Count place : places)
        if (!result.empty() && place == result.back().first + result.back().count)
            ++result.back().count;
        else
            result.push_back({place, 1});
    return result;
}

mpi::Datatype elements_at(const std::vector<MPI_Count>& places, MPI_Datatype element)
{
    const std::vector<Stretch> stretches = stretches_of(places);
    constexpr MPI_Count most = std::numeric_limits<int>::max();
    const bool fit = std::ranges::all_of(stretches, [](const Stretch& s) { return s.count <= most; });
    base::require(fit && std::ssize(stretches) <= most, base::ErrorKind::count, "nghosts",
                  "2^31 ghosts or more of one process");
    const MPI_Aint extent = mpi::measure(element).extent;
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    for (const Stretch& stretch : stretches) {
        lengths.push_back(static_cast<int>(stretch.count));
        displacements.push_back(static_cast<MPI_Aint>(stretch.first) * extent);
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check(PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                         displacements.data(), element, &made));
    mpi::Datatype result(made);
    mpi::check(PMPI_Type_commit(&made));
    return result;
}

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
