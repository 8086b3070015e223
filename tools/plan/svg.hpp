// SPDX-License-Identifier: BSD-3-Clause
// Pictures as SVG files for any browser, on a light or a dark ground, as the reader's settings say.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

struct Point {
    double x = 0;
    double y = 0;
};

/// Colors that people with other color vision can distinguish, too (Okabe and Ito's).
inline constexpr const char* blue = "#0072B2";
inline constexpr const char* vermilion = "#D55E00";
inline constexpr const char* green = "#009E73";
inline constexpr const char* orange = "#E69F00";
inline constexpr const char* ink = "#222222";
inline constexpr const char* pale_ink = "#666666";
inline constexpr const char* hairline = "#D5D5D5";
inline constexpr const char* ground = "#FFFFFF";
/// The color of words on one of the first four colors.
inline constexpr const char* on_color = "#FEFEFE";

/// Colors that are light enough for numbers on them.
inline constexpr std::array light_colors{"#8CC5E3", "#F2B67C", "#9BD3AE", "#F3A6B2", "#C7B4E2", "#F4DF83",
                                         "#A9B7C6", "#D8A98B", "#B9DE72", "#7FD0CF", "#E9A3D8", "#D9D9D9"};

/// The color in place of each one on a dark ground.  All colors of pictures are here.
struct Shades {
    const char* light;
    const char* dark;
};
inline constexpr Shades all_shades[] = {
    {blue, "#56A8DC"},
    {vermilion, "#F08A4B"},
    {green, "#34C79B"},
    {orange, "#E9B33A"},
    {ink, "#E6E6E6"},
    {pale_ink, "#A3A3A3"},
    {hairline, "#3A3A40"},
    {ground, "#16161A"},
    {on_color, "#101014"},
    // The process that the picture is about, and others.
    {"#FFF3D6", "#4A3A12"},
    {"#F7F7F7", "#222227"},
    {"#BDBDBD", "#55555C"},
    {"#DDDDDD", "#44444A"}, // nothing is sent
    {"#444444", "#C8C8C8"}, // borders of nodes
    // Nodes, with words on them.
    {"#8CC5E3", "#1F5C7E"},
    {"#F2B67C", "#8A4D12"},
    {"#9BD3AE", "#23653A"},
    {"#F3A6B2", "#8B3346"},
    {"#C7B4E2", "#574180"},
    {"#F4DF83", "#6E5B0C"},
    {"#A9B7C6", "#43525F"},
    {"#D8A98B", "#6B4127"},
    {"#B9DE72", "#476610"},
    {"#7FD0CF", "#12605F"},
    {"#E9A3D8", "#7B3069"},
    {"#D9D9D9", "#505054"},
};

enum class Anchor { start, middle, end };

struct TextStyle {
    double size = 13;
    Anchor anchor = Anchor::start;
    const char* color = ink;
    bool bold = false;
    bool halo = false; ///< on a white rim, readable across lines
};

struct LineStyle {
    const char* color = ink;
    double width = 1;
    const char* dashes = ""; ///< as in stroke-dasharray
    bool arrow = false;      ///< at its end
    double opacity = 1;
};

/// One picture.  Coordinates are pixels from the upper left corner.
class Svg {
public:
    /// `title` and `description` are for readers who cannot see the picture.
    Svg(double width, double height, std::string_view title, std::string_view description);

    /// `y` is the base line.
    void text(Point at, std::string_view words, const TextStyle& style = {});
    void line(Point from, Point to, const LineStyle& style = {});
    /// From one point to another, bent to the left by `bend` pixels in the middle.
    void arc(Point from, Point to, double bend, const LineStyle& style = {});
    void polyline(const std::vector<Point>& points, const LineStyle& style = {});
    void polygon(const std::vector<Point>& points, const char* fill);
    void rectangle(Point corner, double width, double height, const char* fill, const char* stroke = "none",
                   double radius = 0, double opacity = 1);
    void circle(Point center, double radius, const char* fill, const char* stroke = "none");

    /// Throws base::Error (arg) if the file cannot be written.
    void write(const std::string& file) const;

private:
    std::string head_;
    std::string body_;
    std::vector<std::string> arrow_colors_;

    std::string stroke(const LineStyle& style);
};

/// The approximate width of words, in pixels.
double text_width(std::string_view words, double size);

} // namespace tools
