// SPDX-License-Identifier: BSD-3-Clause
// Sums over the neighbors, on data that reveals errors.
#pragma once

#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stencil_exchange.hpp"

namespace bench {

/// Sums of `count` doubles over the sources: small integers, exact in each order of additions.
struct Sums {
    const Exchange& exchange;
    int rank;
    int count;
    bool personal; ///< a block for each target; else one for all
    std::vector<double> send;
    std::vector<double> sum;
    std::vector<double> gathered; ///< for MPI
    std::vector<int> counts;      ///< of the blocks, if they are personal
    std::vector<int> places;

    Sums(const Exchange& exchange_, int rank_, int count_, bool personal_ = false)
        : exchange(exchange_),
          rank(rank_),
          count(count_),
          personal(personal_),
          send(static_cast<std::size_t>(count) * (personal ? exchange.targets.size() : 1)),
          sum(static_cast<std::size_t>(count)),
          gathered(exchange.sources.size() * static_cast<std::size_t>(count) + 1),
          counts(exchange.targets.size(), count),
          places(exchange.targets.size())
    {
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i) * count;
    }
    /// An element of the block that a process sends along this offset of the stencil.
    double content(int process, int offset, int sample, int k) const
    {
        return (1'009 * process + 101 * sample + k + (personal ? 10'007 * (offset + 1) : 0)) % 65'521;
    }
    void prepare(int sample)
    {
        std::ranges::fill(sum, -1);
        for (std::size_t i = 0; i < send.size(); ++i) {
            const int k = static_cast<int>(i) % count, block = static_cast<int>(i) / count;
            send[i] = content(rank, personal ? exchange.target_offsets[static_cast<std::size_t>(block)] : 0,
                              sample, k);
        }
    }
    bool is_right(int sample) const
    {
        if (exchange.sources.empty()) return true;
        for (int k = 0; k < count; ++k) {
            double expected = 0;
            for (std::size_t i = 0; i < exchange.sources.size(); ++i)
                expected += content(exchange.sources[i], exchange.source_offsets[i], sample, k);
            if (sum[static_cast<std::size_t>(k)] != expected) return false;
        }
        return true;
    }
    void by_mpi(MPI_Comm comm)
    {
        const auto gather = personal ? MPI_Neighbor_alltoall : MPI_Neighbor_allgather;
        gather(send.data(), count, MPI_DOUBLE, gathered.data(), count, MPI_DOUBLE, comm);
        for (std::size_t i = 0; i < exchange.sources.size(); ++i) {
            const double* const block = &gathered[i * static_cast<std::size_t>(count)];
            if (i == 0)
                std::copy_n(block, count, sum.data());
            else
                MPI_Reduce_local(block, sum.data(), count, MPI_DOUBLE, MPI_SUM);
        }
    }
    void by_us(MPI_Comm comm) { ORTHO_Allreduce(send.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, comm); }
    void init(MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
    {
        if (personal)
            ORTHO_Reduce_scatterv_init(send.data(), counts.data(), places.data(), sum.data(), count,
                                       MPI_DOUBLE, MPI_SUM, comm, info, request);
        else
            ORTHO_Allreduce_init(send.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, comm, info, request);
    }
};

} // namespace bench
