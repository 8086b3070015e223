// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/reduce.hpp"

#include "book_bench/neighbor_sums.hpp"
#include "neighbor_calls.hpp"

namespace bench {

std::string run_reduce(const BoxOptions& options)
{
    const auto measure_stencil = [&](const World& world, const std::string&, const Exchange& exchange,
                                     const MeasureCell& measure) {
        const Comms comms(world.comm, exchange, "allreduce_direct");
        for (const int m : options.m) {
            Sums sums(exchange, world.rank, m);
            std::vector<Contestant> contestants = {
                {"MPI", "blocking", "", [&] { sums.by_mpi(comms.mpi); }},
                {"MPI", "control", "", [&] { sums.by_mpi(comms.mpi); }},
                {"mpiortho", "blocking", "auto", [&] { sums.by_us(comms.automatic); }},
                {"mpiortho", "blocking", "direct", [&] { sums.by_us(comms.direct); }},
            };
            ORTHO_Request asked = ORTHO_REQUEST_NULL;
            ORTHO_Allreduce_init(sums.send.data(), sums.sum.data(), m, MPI_DOUBLE, MPI_SUM, comms.automatic,
                                 MPI_INFO_NULL, &asked);
            measure(m, contestants,
                    {[&](int sample) { sums.prepare(sample); },
                     [&](int sample) { return sums.is_right(sample); }},
                    algorithm_of(asked));
        }
    };
    return run_cells(options, {"allreduce"},
                     "stencils {-1, ..., n-2}^d without 0, sums of m doubles; MPI: MPI_Neighbor_allgather "
                     "and MPI_Reduce_local",
                     measure_stencil);
}

} // namespace bench
