// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <vector>

#include "bench/ghost_fields.hpp"
#include "bench/ghost_region_types.hpp"
#include "bench/halo_calls.hpp"
#include "bench/statistics.hpp"
#include "bench/table_columns.hpp"
#include "neighbor_calls.hpp"
#include "timing_samples.hpp"
#include "world_comm.hpp"

namespace bench {

namespace {

/// An exchange that may be left alone between its two halves.
struct Way {
    std::string library;
    std::string name;
    std::function<void()> start;
    std::function<void()> wait;
};

/// One step of a heat equation on all elements that need no ghosts.
class Interior {
public:
    explicit Interior(Ghosts& ghosts)
        : ghosts_(ghosts),
          next_(static_cast<std::size_t>(ghosts.whole()) * static_cast<std::size_t>(ghosts.whole()) *
                static_cast<std::size_t>(ghosts.whole()))
    {}

    void update()
    {
        const std::ptrdiff_t row = ghosts_.whole();
        const std::ptrdiff_t plane = row * row;
        const std::ptrdiff_t first = ghosts_.depth() + 1;
        const std::ptrdiff_t last = ghosts_.depth() + ghosts_.side() - 1;
        const double* const from = ghosts_.field(0);
        for (std::ptrdiff_t x = first; x < last; ++x)
            for (std::ptrdiff_t y = first; y < last; ++y) {
                const double* const a = from + x * plane + y * row;
                double* const b = next_.data() + x * plane + y * row;
                for (std::ptrdiff_t z = first; z < last; ++z)
                    b[z] = a[z] + 0.1 * (a[z - 1] + a[z + 1] + a[z - row] + a[z + row] + a[z - plane] +
                                         a[z + plane] - 6 * a[z]);
            }
    }

private:
    Ghosts& ghosts_;
    std::vector<double> next_;
};

constexpr auto overlap_columns = std::to_array<Column>({
    {"side", 4, "doubles of the cube of each process in each dimension, with one layer of ghosts"},
    {"exchange", -10,
     "messages: one a neighbor; MPI: MPI_Ineighbor_alltoallw; mpiortho: a halo that is started"},
    {"alone", 9, "microseconds of the exchange, the median"},
    {"interior", 9, "of one step of a heat equation on the interior"},
    {"both", 9, "of the step between the start of the exchange and its end"},
    {"hidden", 6, "percent of the exchange that the step hides: (alone + interior - both) / alone"},
});

/// Prints times.  False if our results were wrong.
bool measure_overlap(const World& world, const Exchange& exchange, const OverlapOptions& options, int side,
                     MPI_Comm mpi, MPI_Comm ours)
{
    Ghosts ghosts(exchange, world.rank, 1, side, 1, false);
    const Neighbors n(exchange, ghosts);
    Interior interior(ghosts);
    ORTHO_Request request = halo(ghosts, ours);
    MPI_Request collective = MPI_REQUEST_NULL;
    std::vector<MPI_Request> messages;
    const std::vector<Way> ways = {
        {"", "messages", [&] { start_messages(exchange, n, ghosts, mpi, messages); },
         [&] { MPI_Waitall(static_cast<int>(messages.size()), messages.data(), MPI_STATUSES_IGNORE); }},
        {"", "MPI",
         [&] {
             MPI_Ineighbor_alltoallw(ghosts.field(0), n.ones.data(), n.zeros.data(), n.send.data(),
                                     ghosts.field(0), n.ones.data(), n.zeros.data(), n.receive.data(), mpi,
                                     &collective);
         },
         [&] { MPI_Wait(&collective, MPI_STATUS_IGNORE); }},
        {"mpiortho", "mpiortho", [&] { ORTHO_Start(&request); },
         [&] { ORTHO_Wait(&request, MPI_STATUS_IGNORE); }},
    };
    std::vector<Contestant> contestants{{"", "interior", "", [&] { interior.update(); }}};
    for (const Way& way : ways) {
        contestants.push_back({way.library, "alone", "", [&] {
                                   way.start();
                                   way.wait();
                               }});
        contestants.push_back({way.library, "both", "", [&] {
                                   way.start();
                                   interior.update();
                                   way.wait();
                               }});
    }
    const std::vector<Series> series = take_samples(
        world.comm, contestants,
        {[&](int sample) { ghosts.prepare(sample); }, [&](int sample) { return ghosts.is_right(sample); }},
        options.samples);
    ORTHO_Request_free(&request);
    const auto us = [&](std::size_t i) { return 1e6 * median(series[i].seconds); };
    for (std::size_t i = 0; world.rank == 0 && i < ways.size(); ++i) {
        const double alone = us(2 * i + 1);
        const double both = us(2 * i + 2);
        print_row(overlap_columns, "", side, ways[i].name, fixed(alone, 1), fixed(us(0), 1), fixed(both, 1),
                  fixed(100 * (alone + us(0) - both) / alone, 0));
    }
    return wrong_of_ours(contestants, series) == 0;
}

} // namespace

std::string run_overlap(const OverlapOptions& options)
{
    const World world;
    std::string mistake;
    const Exchange exchange = ghost_exchange(world, options.grid, false, options.sides, {1}, mistake);
    if (!mistake.empty()) return mistake;
    MPI_Comm mpi = mpi_comm(world.comm, exchange);
    MPI_Comm ours = ortho_comm(world.comm, exchange, "auto", false);
    if (world.rank == 0) {
        fmt::print("# {} processes, torus {}, {}: medians of {}\n", world.size, fmt::join(exchange.dims, "x"),
                   std::getenv("ORTHO_PROGRESS") == nullptr ? "no thread" : "ORTHO_PROGRESS=thread",
                   options.samples);
        print_explanations(overlap_columns);
        print_names(overlap_columns);
    }
    bool right = true;
    for (const int side : options.sides)
        right = measure_overlap(world, exchange, options, side, mpi, ours) && right;
    MPI_Comm_free(&mpi);
    MPI_Comm_free(&ours);
    return right ? "" : "wrong results";
}

} // namespace bench
