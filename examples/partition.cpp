// SPDX-License-Identifier: BSD-3-Clause
// Which process has which vertex of a mesh.

#include "partition.hpp"

#ifdef HAVE_METIS
#include <metis.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>

namespace {

/// Where a point comes on a Z-curve (Morton's): the bits of its coordinates in turn.
std::uint64_t place_on_curve(const Position& p, const Position& low, double size)
{
    constexpr int bits = 20;
    std::uint64_t result = 0;
    const auto cell = [&](double x, double from) {
        return static_cast<std::uint64_t>((x - from) / size * ((1 << bits) - 1));
    };
    const std::uint64_t cells[] = {cell(p.x, low.x), cell(p.y, low.y), cell(p.z, low.z)};
    for (int bit = bits - 1; bit >= 0; --bit)
        for (const std::uint64_t c : cells) result = 2 * result + (c >> static_cast<unsigned>(bit) & 1U);
    return result;
}

std::vector<int> by_curve(const SurfaceMesh& mesh, int parts)
{
    Position low = mesh.vertices.front();
    Position high = low;
    for (const Position& p : mesh.vertices) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const double size = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    std::vector<std::uint64_t> place;
    for (const Position& p : mesh.vertices) place.push_back(place_on_curve(p, low, size));
    std::vector<std::size_t> order(mesh.vertices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return place[i]; });
    std::vector<int> result(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        result[order[i]] = static_cast<int>(i * static_cast<std::size_t>(parts) / order.size());
    return result;
}

#ifdef HAVE_METIS
std::vector<int> by_metis(const SurfaceMesh& mesh, int parts)
{
    std::vector<int> result(mesh.vertices.size(), 0);
    if (parts == 1) return result; // METIS wants two at least
    std::vector<idx_t> begin(mesh.begin.begin(), mesh.begin.end());
    std::vector<idx_t> neighbors(mesh.neighbors.begin(), mesh.neighbors.end());
    std::vector<idx_t> part(mesh.vertices.size());
    idx_t vertices = mesh.size();
    idx_t constraints = 1;
    idx_t wanted = parts;
    idx_t cut = 0;
    if (METIS_PartGraphKway(&vertices, &constraints, begin.data(), neighbors.data(), nullptr, nullptr,
                            nullptr, &wanted, nullptr, nullptr, nullptr, &cut, part.data()) != METIS_OK)
        throw std::runtime_error("METIS finds no partition");
    std::ranges::transform(part, result.begin(), [](idx_t p) { return static_cast<int>(p); });
    return result;
}
#endif

} // namespace

bool has_metis()
{
#ifdef HAVE_METIS
    return true;
#else
    return false;
#endif
}

std::vector<int> partition(const SurfaceMesh& mesh, int parts, Partitioner by)
{
    if (by == Partitioner::curve) return by_curve(mesh, parts);
#ifdef HAVE_METIS
    return by_metis(mesh, parts);
#else
    throw std::runtime_error("there is no METIS in this program");
#endif
}

long long cut_edges(const SurfaceMesh& mesh, const std::vector<int>& parts)
{
    long long result = 0;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        for (int e = mesh.begin[i]; e < mesh.begin[i + 1]; ++e) {
            const auto j = static_cast<std::size_t>(mesh.neighbors[static_cast<std::size_t>(e)]);
            result += i < j && parts[i] != parts[j] ? 1 : 0;
        }
    return result;
}
