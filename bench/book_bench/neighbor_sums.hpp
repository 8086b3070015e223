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
    std::vector<double> send;
    std::vector<double> sum;
    std::vector<double> gathered; ///< for MPI

    Sums(const Exchange& exchange_, int rank_, int count_)
        : exchange(exchange_),
          rank(rank_),
          count(count_),
          send(static_cast<std::size_t>(count)),
          sum(static_cast<std::size_t>(count)),
          gathered(exchange.sources.size() * static_cast<std::size_t>(count) + 1)
    {}
    static double content(int process, int sample, int k)
    {
        return (1'009 * process + 101 * sample + k) % 65'521;
    }
    void prepare(int sample)
    {
        std::ranges::fill(sum, -1);
        for (int k = 0; k < count; ++k) send[static_cast<std::size_t>(k)] = content(rank, sample, k);
    }
    bool is_right(int sample) const
    {
        if (exchange.sources.empty()) return true;
        for (int k = 0; k < count; ++k) {
            double expected = 0;
            for (const int source : exchange.sources) expected += content(source, sample, k);
            if (sum[static_cast<std::size_t>(k)] != expected) return false;
        }
        return true;
    }
    void by_mpi(MPI_Comm comm)
    {
        MPI_Neighbor_allgather(send.data(), count, MPI_DOUBLE, gathered.data(), count, MPI_DOUBLE, comm);
        for (std::size_t i = 0; i < exchange.sources.size(); ++i) {
            const double* const block = &gathered[i * static_cast<std::size_t>(count)];
            if (i == 0)
                std::copy_n(block, count, sum.data());
            else
                MPI_Reduce_local(block, sum.data(), count, MPI_DOUBLE, MPI_SUM);
        }
    }
    void by_us(MPI_Comm comm) { ORTHO_Allreduce(send.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, comm); }
};

} // namespace bench
