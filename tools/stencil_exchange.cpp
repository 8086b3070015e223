// SPDX-License-Identifier: BSD-3-Clause
#include "stencil_exchange.hpp"

#include <fmt/format.h>
#include <mpiortho.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "split_text.hpp"
#include "stencil_text.hpp"

namespace bench {

std::vector<int> parse_grid(const std::string& text, int dimensions, int processes, std::string& mistake)
{
    std::vector<int> dims;
    if (text.empty()) {
        dims.assign(static_cast<std::size_t>(dimensions), 0);
        MPI_Dims_create(processes, dimensions, dims.data());
        return dims;
    }
    dims = tools::parse_product(text);
    if (dims.empty()) {
        mistake = fmt::format("--grid {} is no grid", text);
        return {};
    }
    std::int64_t points = 1;
    for (const int size : dims) points *= size >= 1 && points <= processes ? size : processes + 1;
    if (points != processes) {
        mistake = fmt::format("--grid {} has not as many points as there are processes, {}", text, processes);
        return {};
    }
    return dims;
}

std::string grid_mistake(const std::string& text, const std::vector<int>& dimensions, int processes)
{
    std::string mistake;
    if (text.empty()) return mistake;
    const std::vector<int> dims = parse_grid(text, 0, processes, mistake);
    for (const int d : dimensions)
        if (mistake.empty() && dims.size() != static_cast<std::size_t>(d))
            mistake = fmt::format("--grid {} has not the {} dimensions of --d", text, d);
    return mistake;
}

std::string elements_mistake(double elements)
{
    return elements > std::numeric_limits<int>::max()
               ? "so many offsets and elements are more than MPI counts"
               : "";
}

Exchange make_exchange(MPI_Comm comm, std::vector<int> dims, bool periodic, const std::string& stencil,
                       std::string& mistake)
{
    tools::NamedStencil named;
    try {
        named = tools::parse_stencil(stencil, static_cast<int>(dims.size()));
    } catch (const ortho::base::Error& error) {
        mistake = fmt::format("--{}", error.what());
    }
    const std::span<const int> offsets = named.offsets.flat();
    Exchange exchange = make_exchange(comm, std::move(dims), periodic, {offsets.begin(), offsets.end()});
    exchange.stencil = std::move(named.name);
    return exchange;
}

Exchange make_exchange(MPI_Comm comm, std::vector<int> dims, bool periodic, std::vector<int> offsets)
{
    Exchange exchange;
    exchange.dims = std::move(dims);
    exchange.offsets = std::move(offsets);
    const std::size_t d = exchange.dims.size();
    exchange.periods.assign(d, periodic ? 1 : 0);
    int points = 0;
    ORTHO_Cart_name(comm, static_cast<int>(d), ORTHO_ROWMAJOR, exchange.dims.data(), exchange.periods.data(),
                    &points);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < exchange.stencil_size(); ++i) {
        int source = MPI_PROC_NULL;
        int target = MPI_PROC_NULL;
        ORTHO_Cart_relative_shift(comm, rank, &exchange.offsets[static_cast<std::size_t>(i) * d], &source,
                                  &target);
        if (source != MPI_PROC_NULL) {
            exchange.sources.push_back(source);
            exchange.source_offsets.push_back(i);
        }
        if (target != MPI_PROC_NULL) {
            exchange.targets.push_back(target);
            exchange.target_offsets.push_back(i);
        }
    }
    return exchange;
}

} // namespace bench
