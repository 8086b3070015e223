// SPDX-License-Identifier: BSD-3-Clause
// An unstructured mesh of triangles on a closed surface.

#include "surface_mesh.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

namespace {

Position operator-(const Position& a, const Position& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
double dot(const Position& a, const Position& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Position cross(const Position& a, const Position& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double length(const Position& a) { return std::sqrt(dot(a, a)); }
Position scaled(const Position& a, double factor) { return {factor * a.x, factor * a.y, factor * a.z}; }

/// Random numbers that are the same everywhere (a linear congruential generator).
class Random {
public:
    /// Between 0 and 1.
    double next()
    {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<double>(state_ >> 11U) / 9007199254740992.0;
    }

private:
    std::uint64_t state_ = 1;
};

/// The middle of the tube: a trefoil knot.
Position knot(double s)
{
    return {std::sin(s) + 2 * std::sin(2 * s), std::cos(s) - 2 * std::cos(2 * s), -1.2 * std::sin(3 * s)};
}

/// A point on the skin: `s` along the tube, `t` around it.
Position skin(double s, double t)
{
    constexpr double radius = 0.7;
    constexpr double step = 1e-3;
    const Position here = knot(s);
    const Position along = knot(s + step) - knot(s - step);
    // Towards the inside of the bend, without what goes along.
    const Position bend = knot(s + step) - scaled(here, 2) - scaled(knot(s - step), -1);
    const Position inward = bend - scaled(along, dot(bend, along) / dot(along, along));
    const Position beside = cross(along, inward);
    const double a = radius * std::cos(t) / length(inward);
    const double b = radius * std::sin(t) / length(beside);
    return here - scaled(inward, a) - scaled(beside, b);
}

void find_neighbors(SurfaceMesh& mesh)
{
    std::map<std::pair<int, int>, double> weights;
    mesh.areas.assign(mesh.vertices.size(), 0);
    for (const auto& triangle : mesh.triangles)
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const int a = triangle[(corner + 1) % 3];
            const int b = triangle[(corner + 2) % 3];
            const Position& here = mesh.vertices[static_cast<std::size_t>(triangle[corner])];
            const Position to_a = mesh.vertices[static_cast<std::size_t>(a)] - here;
            const Position to_b = mesh.vertices[static_cast<std::size_t>(b)] - here;
            const double twice_area = length(cross(to_a, to_b));
            const double half_cotangent = 0.5 * dot(to_a, to_b) / twice_area;
            weights[{a, b}] += half_cotangent;
            weights[{b, a}] += half_cotangent;
            mesh.areas[static_cast<std::size_t>(triangle[corner])] += twice_area / 6;
        }
    mesh.begin.assign(mesh.vertices.size() + 1, 0);
    for (const auto& [edge, weight] : weights) {
        ++mesh.begin[static_cast<std::size_t>(edge.first) + 1];
        mesh.neighbors.push_back(edge.second);
        mesh.weights.push_back(weight);
    }
    std::partial_sum(mesh.begin.begin(), mesh.begin.end(), mesh.begin.begin());
}

} // namespace

SurfaceMesh make_knot(int around)
{
    const int along = 2 * (13 * around / 4); // even, so that the last row meets the first one
    const auto n = static_cast<std::size_t>(around) * static_cast<std::size_t>(along);
    Random random;
    std::vector<int> number(n);
    std::iota(number.begin(), number.end(), 0);
    for (std::size_t i = n - 1; i > 0; --i)
        std::swap(number[i], number[static_cast<std::size_t>(random.next() * static_cast<double>(i + 1))]);
    const auto vertex = [&](int s, int t) {
        return number[static_cast<std::size_t>((s % along) * around + t % around)];
    };

    SurfaceMesh mesh;
    mesh.vertices.resize(n);
    for (int s = 0; s < along; ++s)
        for (int t = 0; t < around; ++t) {
            // Up to a third of a cell away from where a regular mesh has it.
            const double ds = (s + 0.66 * (random.next() - 0.5)) / along;
            const double dt = (t + 0.5 * (s % 2) + 0.66 * (random.next() - 0.5)) / around;
            mesh.vertices[static_cast<std::size_t>(vertex(s, t))] = skin(2 * std::numbers::pi * ds,
                                                                         2 * std::numbers::pi * dt);
        }
    for (int s = 0; s < along; ++s)
        for (int t = 0; t < around; ++t) {
            // Rows are shifted by half a cell in turn, so that every second one looks back.
            const int a = vertex(s, t);
            const int b = vertex(s, t + 1);
            const int c = vertex(s + 1, t);
            const int d = vertex(s + 1, t + 1);
            if (s % 2 == 0) {
                mesh.triangles.push_back({a, c, b});
                mesh.triangles.push_back({b, c, d});
            } else {
                mesh.triangles.push_back({a, d, b});
                mesh.triangles.push_back({a, c, d});
            }
        }
    find_neighbors(mesh);
    return mesh;
}
