// SPDX-License-Identifier: BSD-3-Clause
#include "stencils.hpp"

#include <fmt/format.h>
#include <mpiortho.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace bench {

namespace {

/// Integers with separators between them; false if there is anything else.
bool parse_integers(std::string_view text, char separator, std::vector<int>& numbers)
{
    while (true) {
        int number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc()) return false;
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return true;
        if (text.front() != separator) return false;
        text.remove_prefix(1);
    }
}

/// Points of d integers: "1,0;0,-1".
bool parse_points(std::string_view text, std::size_t d, std::vector<int>& numbers)
{
    while (true) {
        const std::size_t end = text.find(';');
        const std::size_t before = numbers.size();
        if (!parse_integers(text.substr(0, end), ',', numbers) || numbers.size() != before + d) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
}

/// A ball without its center, by the library.
bool ball(MPI_Comm named, int metric, std::string_view depth_text, std::size_t d, std::vector<int>& offsets)
{
    std::vector<int> depth;
    if (!parse_integers(depth_text, ',', depth) || depth.size() != 1 || depth[0] < 0) return false;
    int size = 0;
    ORTHO_Cart_stencil_count(named, metric, depth[0], &size);
    offsets.resize(static_cast<std::size_t>(size) * d);
    ORTHO_Cart_stencil(named, metric, depth[0], size, offsets.data());
    const std::vector<int> center(d, 0);
    ORTHO_Cart_stencil_diff(named, size, offsets.data(), 1, center.data(), &size, offsets.data());
    offsets.resize(static_cast<std::size_t>(size) * d);
    return true;
}

/// All points of {-1, ..., n-2}^d but 0.
bool box(std::string_view n_text, std::size_t d, std::vector<int>& offsets)
{
    std::vector<int> n;
    if (!parse_integers(n_text, ',', n) || n.size() != 1 || n[0] < 2) return false;
    std::vector<int> point(d, -1);
    while (true) {
        if (std::ranges::any_of(point, [](int x) { return x != 0; }))
            offsets.insert(offsets.end(), point.begin(), point.end());
        std::size_t k = d;
        while (k > 0 && point[k - 1] == n[0] - 2) point[--k] = -1;
        if (k == 0) return true;
        ++point[k - 1];
    }
}

} // namespace

std::vector<int> parse_grid(const std::string& text, int dimensions, int processes, std::string& mistake)
{
    std::vector<int> dims;
    if (text.empty()) {
        dims.assign(static_cast<std::size_t>(dimensions), 0);
        MPI_Dims_create(processes, dimensions, dims.data());
        return dims;
    }
    if (!parse_integers(text, 'x', dims)) {
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
    const std::size_t d = dims.size();
    // The library lists balls in the dimensions of a name.
    int points = 0;
    const std::vector<int> periods(d, periodic ? 1 : 0);
    ORTHO_Cart_name(comm, static_cast<int>(d), ORTHO_ROWMAJOR, dims.data(), periods.data(), &points);

    const std::size_t colon = stencil.find(':');
    const std::string kind = stencil.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : stencil.substr(colon + 1);
    std::vector<int> offsets;
    const bool good = kind == "moore"       ? ball(comm, ORTHO_CHEBYSHEV_DISTANCE, rest, d, offsets)
                      : kind == "manhattan" ? ball(comm, ORTHO_MANHATTAN_DISTANCE, rest, d, offsets)
                      : kind == "box"       ? box(rest, d, offsets)
                      : kind == "offsets"   ? parse_points(rest, d, offsets)
                                            : false;
    if (!good) {
        mistake = fmt::format("--stencil {} is no stencil of {} dimensions", stencil, d);
        offsets.clear();
    }
    return make_exchange(comm, std::move(dims), periodic, std::move(offsets));
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
