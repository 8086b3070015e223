// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_halo_forms.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>

#include "bench/form_table.hpp"
#include "bench/ghost_fields.hpp"
#include "bench/ghost_region_types.hpp"
#include "bench/halo_calls.hpp"
#include "neighbor_calls.hpp"

namespace bench {

namespace {

/// The graph, made by MPI and by us, without promises.
struct HaloComms {
    MPI_Comm mpi;
    MPI_Comm ours;

    HaloComms(MPI_Comm base, const Exchange& exchange)
        : mpi(mpi_comm(base, exchange)),
          ours(ortho_comm(base, exchange, "auto", false))
    {}
    HaloComms(const HaloComms&) = delete;
    HaloComms& operator=(const HaloComms&) = delete;
    ~HaloComms()
    {
        MPI_Comm_free(&mpi);
        MPI_Comm_free(&ours);
    }
};

/// The bytes of the ghosts of all fields of a process, or of those that the fields move into.
std::int64_t ghost_bytes(const Ghosts& ghosts, bool outward)
{
    std::int64_t elements = 0;
    for (int f = 0; f < ghosts.fields(); ++f)
        for (int number = 0; number < 27; ++number) {
            const Point side{number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
            if (side == Point{} || (outward && !Ghosts::moves_into(f, side))) continue;
            std::int64_t region = 1;
            for (const int step : side) region *= step == 0 ? ghosts.side() : ghosts.depth();
            elements += region;
        }
    return static_cast<std::int64_t>(sizeof(double)) * elements;
}

/// Returns the number of wrong samples of ours.
int measure_forms(const World& world, const Exchange& exchange, const HaloComms& comms, Ghosts& ghosts,
                  const HaloOptions& options, const std::string& directions, FormTable* table)
{
    const bool outward = directions == "outward";
    const auto make = [&](MPI_Info info) {
        return outward ? outward_halo(ghosts, comms.ours, info) : halo(ghosts, comms.ours, info);
    };
    const Neighbors neighbors(exchange, ghosts);
    Faces faces(exchange, ghosts, comms.mpi);
    JoinedFaces joined(exchange, ghosts, comms.mpi);
    std::vector<MPI_Request> persistent;
    std::vector<Contestant> rivals;
    for (const std::string& form : alltoallw_forms())
        rivals.push_back(alltoallw_form(form, neighbors, ghosts, comms.mpi, persistent));
    rivals.push_back(
        {"by hand", "messages", "", [&] { by_messages(exchange, neighbors, ghosts, comms.mpi); }});
    rivals.push_back({"by hand", "faces", "", [&] { faces.exchange(); }});
    rivals.push_back({"by hand", "joined", "", [&] { joined.exchange(); }});
    const FormCell cell{outward ? "outward" : "halo",
                        fmt::format("{}x{}x{}", ghosts.fields(), ghosts.side(), ghosts.depth()),
                        exchange.stencil_size(), ghost_bytes(ghosts, outward)};
    int wrong = 0;
    for (const std::string& form : options.forms) {
        const std::string chosen = choice(form,
                                          [&](MPI_Info info, ORTHO_Request* asked) { *asked = make(info); });
        ORTHO_Request request = make(MPI_INFO_NULL);
        const Contestant ours = form == "run" ? run(request, "auto") : started(request, "auto");
        for (const Contestant& rival : rivals) {
            std::vector<Contestant> contestants = between(rival, ours);
            const Runs runs = measure(world.comm, contestants,
                                      {[&](int sample) { ghosts.prepare(sample); },
                                       [&](int sample) { return ghosts.is_right(sample, outward); }},
                                      options.cells);
            wrong += wrong_of_ours(contestants, runs);
            if (table != nullptr) table->add(cell, contestants, runs, chosen);
        }
        ORTHO_Request_free(&request);
    }
    for (MPI_Request& request : persistent) MPI_Request_free(&request);
    return wrong;
}

} // namespace

std::string run_halo_forms(const World& world, const Exchange& exchange, const HaloOptions& options)
{
    std::unique_ptr<FormTable> table;
    if (world.rank == 0)
        table = std::make_unique<FormTable>(
            options.cells, world.size,
            fmt::format("grid {}; ghosts of cubes of doubles in {} memory, {} neighbors",
                        fmt::join(exchange.dims, "x"), options.memory, exchange.stencil_size()),
            options.fields.size() * options.depths.size() * options.sides.size() * options.forms.size() *
                options.directions.size() * (alltoallw_forms().size() + 3));
    const std::string mistake = csv_mistake(world, options.cells.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    int wrong = 0;
    const HaloComms comms(world.comm, exchange);
    for (const int fields : options.fields)
        for (const int depth : options.depths)
            for (const int side : options.sides) {
                Ghosts ghosts(exchange, world.rank, fields, side, depth, is_shared(options.memory));
                for (const std::string& directions : options.directions)
                    wrong += measure_forms(world, exchange, comms, ghosts, options, directions, table.get());
            }
    if (table) table->end();
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
