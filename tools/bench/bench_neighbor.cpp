// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_neighbor.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/form_table.hpp"
#include "neighbor_calls.hpp"
#include "size_text.hpp"
#include "split_text.hpp"
#include "stencil_exchange.hpp"

namespace bench {

namespace {

/// A stencil on a grid.  "3d:moore:1" has three dimensions; others have those of --grid, or --dimensions.
Exchange exchange_of(const World& world, const NeighborOptions& options, const std::string& text,
                     std::string& mistake)
{
    std::string stencil = text;
    int dimensions = options.dimensions;
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos && colon > 1 && text[colon - 1] == 'd') {
        const std::optional<int> said = tools::parse_integer(std::string_view(text).substr(0, colon - 1));
        if (!said || *said < 1 || *said > 16) {
            mistake = fmt::format("--stencil '{}' has no dimensions from 1d to 16d", text);
            return {};
        }
        dimensions = *said;
        stencil = text.substr(colon + 1);
        mistake = grid_mistake(options.cells.grid, {dimensions}, world.size);
        if (!mistake.empty()) return {};
    }
    std::vector<int> dims = parse_grid(options.cells.grid, dimensions, world.size, mistake);
    if (!mistake.empty()) return {};
    return make_exchange(world.comm, std::move(dims), !options.cells.mesh, stencil, mistake);
}

/// Makes the rows.
class FormRows {
public:
    FormRows(const World& world, const NeighborOptions& options, FormTable* table)
        : world_(world),
          options_(options),
          table_(table)
    {}

    void measure_stencil(const std::string& collective, const Exchange& exchange)
    {
        MPI_Comm native = mpi_comm(world_.comm, exchange);
        std::vector<MPI_Comm> ours;
        for (const std::string& algorithm : options_.algorithms)
            ours.push_back(ortho_comm(world_.comm, exchange, algorithm, options_.forward));
        std::string topology = fmt::format("{}d:{}", exchange.dims.size(), exchange.stencil);
        std::ranges::replace(topology, ' ', '-'); // a stencil may be "with centre"
        const bool personal = collective.starts_with("alltoall");
        for (const int bytes : options_.bytes) {
            const FormCell cell{collective, topology, exchange.stencil_size(), bytes};
            const std::int64_t blocks = (personal ? 2 : 1) * std::int64_t{cell.offsets} + (personal ? 0 : 1);
            if (blocks * bytes > options_.room) {
                if (table_ != nullptr)
                    table_->leave_out(name_of(cell), options_.forms.size() * ours.size(),
                                      fmt::format("its buffers are {} a process, more than {}",
                                                  tools::size_text(blocks * bytes),
                                                  tools::size_text(options_.room)));
                continue;
            }
            Data data(exchange, world_.rank, personal, bytes / 4);
            const Family calls = family(collective, &data);
            for (const std::string& form : options_.forms)
                for (std::size_t i = 0; i < ours.size(); ++i)
                    measure_form(cell, data, calls, form, native, ours[i], options_.algorithms[i]);
        }
        for (MPI_Comm& comm : ours) MPI_Comm_free(&comm);
        MPI_Comm_free(&native);
    }
    /// The number of wrong samples of ours.
    int wrong() const { return wrong_; }

private:
    void measure_form(const FormCell& cell, Data& data, const Family& calls, const std::string& form,
                      MPI_Comm native, MPI_Comm comm, const std::string& algorithm)
    {
        Requests requests;
        const char* const persistent = calls.mpi.init ? "persistent" : "blocking";
        std::vector<Contestant> contestants = between(
            mpi_form(form == "run" ? persistent : form, calls.mpi, native, requests),
            our_form(form, calls.ours, comm, algorithm, requests));
        const Runs runs = measure(
            world_.comm, contestants,
            {[&](int sample) { data.prepare(sample); }, [&](int sample) { return data.is_right(sample); }},
            options_.cells);
        wrong_ += wrong_of_ours(contestants, runs);
        const std::string chosen = choice(
            form, [&](MPI_Info info, ORTHO_Request* request) { calls.ours.init(comm, info, request); });
        if (table_ != nullptr) table_->add(cell, contestants, runs, chosen);
    }

    const World& world_;
    const NeighborOptions& options_;
    FormTable* table_; ///< only on rank 0
    int wrong_ = 0;
};

} // namespace

std::string run_neighbor(const NeighborOptions& wanted)
{
    NeighborOptions options = wanted;
    const bool without_persistent = !family("alltoall", nullptr).mpi.init &&
                                    std::erase(options.forms, "persistent") > 0;
    const World world;
    std::string mistake;
    std::vector<Exchange> exchanges;
    for (const std::string& stencil : options.stencils) {
        exchanges.push_back(exchange_of(world, options, stencil, mistake));
        if (!mistake.empty()) return mistake;
    }

    std::unique_ptr<FormTable> table;
    if (world.rank == 0)
        table = std::make_unique<FormTable>(
            options.cells, world.size, "exchanges with neighbors, each form against the same of MPI's",
            options.collectives.size() * exchanges.size() * options.bytes.size() * options.forms.size() *
                options.algorithms.size());
    if (table && without_persistent) table->leave_out("persistent", 0, "this MPI has no such form");
    mistake = csv_mistake(world, options.cells.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    FormRows rows(world, options, table.get());
    for (const std::string& collective : options.collectives)
        for (const Exchange& exchange : exchanges) rows.measure_stencil(collective, exchange);
    if (table) table->end();
    return rows.wrong() == 0 ? "" : "wrong results, see above";
}

} // namespace bench
