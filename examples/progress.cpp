// SPDX-License-Identifier: BSD-3-Clause
// How far a long run is, and how long it will still take.

#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <utility>

namespace {

/// Until the first time, and from one to the next.
struct Pace {
    double first;
    double next;
};
constexpr Pace terminal_pace{2, 0.5};
constexpr Pace line_pace{30, 30};

constexpr std::size_t bar_width = 30;

/// "=====>        "
std::string bar(long long done, long long total)
{
    const auto full = bar_width * static_cast<std::size_t>(done) / static_cast<std::size_t>(total);
    std::string result(bar_width, ' ');
    result.replace(0, full, full, '=');
    if (full < bar_width) result[full] = '>';
    return result;
}

} // namespace

std::string duration_text(double seconds)
{
    char text[32];
    if (seconds < 99.5)
        std::snprintf(text, sizeof text, "%.0f s", seconds);
    else if (seconds < 99.5 * 60)
        std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
    else
        std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
    return text;
}

Progress::Surface Progress::standard_error(bool bar)
{
    return {
        stderr, bar || isatty(STDERR_FILENO) != 0, [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        }};
}

Progress::Progress(const char* unit, long long total, const char* how, Surface surface)
    : unit_(unit),
      total_(total),
      how_(how),
      surface_(std::move(surface)),
      begin_(surface_.seconds()),
      next_(begin_ + (surface_.is_terminal ? terminal_pace : line_pace).first)
{}

void Progress::at(long long done)
{
    const double now = surface_.seconds();
    if (now < next_ || done < 1 || done >= total_) return;
    next_ = now + (surface_.is_terminal ? terminal_pace : line_pace).next;
    const double left = (now - begin_) / static_cast<double>(done) * static_cast<double>(total_ - done);
    if (surface_.is_terminal)
        std::fprintf(surface_.out, "\r%s [%s] ", unit_, bar(done, total_).c_str());
    else
        std::fprintf(surface_.out, "%s ", unit_);
    std::fprintf(surface_.out, "%lld of %lld, %s %s left%s", done, total_, how_, duration_text(left).c_str(),
                 surface_.is_terminal ? "\033[K" : "\n");
    std::fflush(surface_.out);
    shown_ = surface_.is_terminal;
}

void Progress::hide()
{
    if (!shown_) return;
    std::fprintf(surface_.out, "\r\033[K");
    std::fflush(surface_.out);
    shown_ = false;
}
