// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/neighbor.hpp"

#include "neighbor_calls.hpp"

namespace bench {

std::string run_neighbor_cells(const std::vector<std::string>& collectives, const BoxOptions& options)
{
    const auto measure_stencil = [&](const World& world, const std::string& collective,
                                     const Exchange& exchange, const MeasureCell& measure) {
        const bool personal = collective.starts_with("alltoall");
        const Comms comms(world.comm, exchange, personal ? "alltoall_direct" : "allgather_direct");
        for (const int m : options.m) {
            Data data(exchange, world.rank, personal, m);
            const Family calls = family(collective, &data);
            Requests requests;
            std::vector<Contestant> contestants;
            add_mpi(contestants, calls.mpi, comms.mpi, requests);
            contestants.push_back({"MPI", "control", "", [&] { calls.mpi.blocking(comms.mpi); }});
            contestants.push_back(
                {"mpiortho", "blocking", "auto", [&] { calls.ours.blocking(comms.automatic); }});
            contestants.push_back(
                {"mpiortho", "blocking", "direct", [&] { calls.ours.blocking(comms.direct); }});
            ORTHO_Request asked = ORTHO_REQUEST_NULL;
            calls.ours.init(comms.automatic, MPI_INFO_NULL, &asked);
            measure(m, contestants,
                    {[&](int sample) { data.prepare(sample); },
                     [&](int sample) { return data.is_right(sample); }},
                    algorithm_of(asked));
        }
    };
    return run_cells(options, collectives, "stencils {-1, ..., n-2}^d without 0, blocks of m ints",
                     measure_stencil);
}

} // namespace bench
