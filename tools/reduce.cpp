// SPDX-License-Identifier: BSD-3-Clause
#include "reduce.hpp"

#include <algorithm>
#include <cstddef>

#include "neighbor_calls.hpp"

namespace bench {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Sums of `count` doubles over the sources.  They are small integers, so that every order of adding gives
/// the same.
struct Sums {
    const Exchange& exchange;
    int rank;
    int count;
    std::vector<double> send;
    std::vector<double> sum;
    std::vector<double> gathered; ///< for MPI

    Sums(const Exchange& exchange_, int rank_, int count_)
        : exchange(exchange_), rank(rank_), count(count_), send(at(count)), sum(at(count)),
          gathered(exchange.sources.size() * at(count) + 1)
    {
    }
    static double content(int process, int sample, int k) { return (1'009 * process + 101 * sample + k) % 65'521; }
    void prepare(int sample)
    {
        std::ranges::fill(sum, -1);
        for (int k = 0; k < count; ++k) send[at(k)] = content(rank, sample, k);
    }
    bool is_right(int sample) const
    {
        if (exchange.sources.empty()) return true;
        for (int k = 0; k < count; ++k) {
            double expected = 0;
            for (const int source : exchange.sources) expected += content(source, sample, k);
            if (sum[at(k)] != expected) return false;
        }
        return true;
    }
    void by_mpi(MPI_Comm comm)
    {
        MPI_Neighbor_allgather(send.data(), count, MPI_DOUBLE, gathered.data(), count, MPI_DOUBLE, comm);
        for (std::size_t i = 0; i < exchange.sources.size(); ++i) {
            const double* const block = &gathered[i * at(count)];
            if (i == 0)
                std::copy_n(block, count, sum.data());
            else
                MPI_Reduce_local(block, sum.data(), count, MPI_DOUBLE, MPI_SUM);
        }
    }
    void by_us(MPI_Comm comm) { ORTHO_Allreduce(send.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, comm); }
};

} // namespace

std::string run_reduce(const CellOptions& options)
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
                    {[&](int sample) { sums.prepare(sample); }, [&](int sample) { return sums.is_right(sample); }},
                    algorithm_of(asked));
        }
    };
    return run_cells(options, {"allreduce"},
                     "stencils {-1, ..., n-2}^d without 0, sums of m doubles; MPI: MPI_Neighbor_allgather and MPI_Reduce_local",
                     measure_stencil);
}

} // namespace bench
