// SPDX-License-Identifier: BSD-3-Clause
// Pictures of a mesh of triangles, seen from above.

#include "mesh_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace {

constexpr int samples = 3; // of a pixel, in each direction

/// A point as it is seen: to the right, down, and towards the eye; and the light that it gets.
struct Seen {
    double x, y, z;
};

/// Seen a little from the side, so that the picture has depth.
Seen turned(const Position& p)
{
    constexpr double angle = 0.45;
    const double y = std::cos(angle) * p.y - std::sin(angle) * p.z;
    const double z = std::sin(angle) * p.y + std::cos(angle) * p.z;
    return {p.x, -y, z};
}

/// The picture, sample by sample.
struct Canvas {
    int side;
    std::vector<double> depth;
    std::vector<Color> colors;

    explicit Canvas(int side_, const Color& ground)
        : side(side_),
          depth(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_),
                -std::numeric_limits<double>::infinity()),
          colors(depth.size(), ground)
    {}
};

Color lit(const Color& color, double light)
{
    const auto part = [light](std::uint8_t c) {
        return static_cast<std::uint8_t>(std::lround(std::min(255.0, light * c)));
    };
    return {part(color.red), part(color.green), part(color.blue)};
}

/// The color at (a, b, d), the shares of the three corners.
Color color_at(const Color (&colors)[3], double a, double b, double d, Coloring coloring)
{
    if (coloring == Coloring::cells) return a >= b && a >= d ? colors[0] : b >= d ? colors[1] : colors[2];
    const Color first = a + b > 0 ? blend(colors[0], colors[1], b / (a + b)) : colors[0];
    return blend(first, colors[2], d);
}

void draw_triangle(Canvas& canvas, const Seen (&p)[3], const Color (&colors)[3], double light,
                   Coloring coloring)
{
    constexpr double line = 0.9; // half of it, in samples
    const auto side = [&](int i, int j) { return std::hypot(p[i].x - p[j].x, p[i].y - p[j].y); };
    const double area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
    if (area == 0) return;
    const auto low = [&](double a, double b, double c) {
        return std::max(0, static_cast<int>(std::floor(std::min({a, b, c}))));
    };
    const auto high = [&](double a, double b, double c) {
        return std::min(canvas.side - 1, static_cast<int>(std::ceil(std::max({a, b, c}))));
    };
    for (int r = low(p[0].y, p[1].y, p[2].y); r <= high(p[0].y, p[1].y, p[2].y); ++r)
        for (int c = low(p[0].x, p[1].x, p[2].x); c <= high(p[0].x, p[1].x, p[2].x); ++c) {
            const double x = c + 0.5;
            const double y = r + 0.5;
            const double b = ((x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (y - p[0].y)) / area;
            const double d = ((p[1].x - p[0].x) * (y - p[0].y) - (x - p[0].x) * (p[1].y - p[0].y)) / area;
            const double a = 1 - b - d;
            if (a < 0 || b < 0 || d < 0) continue;
            const double z = a * p[0].z + b * p[1].z + d * p[2].z;
            const std::size_t at = static_cast<std::size_t>(r) * static_cast<std::size_t>(canvas.side) +
                                   static_cast<std::size_t>(c);
            if (z <= canvas.depth[at]) continue;
            canvas.depth[at] = z;
            // How far it is to the next side.
            const double away = std::fabs(area) * std::min({a / side(1, 2), b / side(0, 2), d / side(0, 1)});
            const double shade = coloring == Coloring::cells && away < line ? 0.72 : 1;
            canvas.colors[at] = lit(color_at(colors, a, b, d, coloring), shade * light);
        }
}

} // namespace

void draw_mesh(Picture& picture, int left, const SurfaceMesh& mesh, const std::vector<Color>& colors,
               Coloring coloring)
{
    std::vector<Seen> seen;
    for (const Position& p : mesh.vertices) seen.push_back(turned(p));
    const auto [left_end, right_end] = std::ranges::minmax(seen, {}, &Seen::x);
    const auto [top, bottom] = std::ranges::minmax(seen, {}, &Seen::y);
    Canvas canvas(samples * picture.rows, {22, 22, 26});
    const double scale = 0.95 * canvas.side / std::max(right_end.x - left_end.x, bottom.y - top.y);
    for (Seen& p : seen)
        p = {0.5 * canvas.side + scale * (p.x - 0.5 * (left_end.x + right_end.x)),
             0.5 * canvas.side + scale * (p.y - 0.5 * (top.y + bottom.y)), scale * p.z};

    for (const auto& triangle : mesh.triangles) {
        Seen corners[3];
        Color shades[3];
        for (std::size_t i = 0; i < 3; ++i) {
            corners[i] = seen[static_cast<std::size_t>(triangle[i])];
            shades[i] = colors[static_cast<std::size_t>(triangle[i])];
        }
        // Light comes over the left shoulder; the side that is seen is the one that counts.
        const double ax = corners[1].x - corners[0].x;
        const double ay = corners[1].y - corners[0].y;
        const double az = corners[1].z - corners[0].z;
        const double bx = corners[2].x - corners[0].x;
        const double by = corners[2].y - corners[0].y;
        const double bz = corners[2].z - corners[0].z;
        double nx = ay * bz - az * by;
        double ny = az * bx - ax * bz;
        double nz = ax * by - ay * bx;
        const double length = std::sqrt(nx * nx + ny * ny + nz * nz) * (nz < 0 ? -1 : 1);
        nx /= length;
        ny /= length;
        nz /= length;
        const double light = 0.45 + 0.6 * std::max(0.0, -0.35 * nx - 0.5 * ny + 0.79 * nz);
        draw_triangle(canvas, corners, shades, light, coloring);
    }
    for (int r = 0; r < picture.rows; ++r)
        for (int c = 0; c < picture.rows; ++c) {
            int sum[3] = {};
            for (int i = 0; i < samples * samples; ++i) {
                const Color& color = canvas.colors[static_cast<std::size_t>(samples * r + i / samples) *
                                                       static_cast<std::size_t>(canvas.side) +
                                                   static_cast<std::size_t>(samples * c + i % samples)];
                sum[0] += color.red;
                sum[1] += color.green;
                sum[2] += color.blue;
            }
            const auto mean = [](int s) { return static_cast<std::uint8_t>(s / (samples * samples)); };
            picture.set(r, left + c, mean(sum[0]), mean(sum[1]), mean(sum[2]));
        }
}
