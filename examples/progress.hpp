// SPDX-License-Identifier: BSD-3-Clause
// How far a long run is, and how long it will still take.  No MPI in this file.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

/// "12 s", "4 min", "1.5 h".
std::string duration_text(double seconds);

/// Says on standard error how far a long run is: on a terminal by a bar that is drawn again and again, and
/// elsewhere, as under mpiexec or in a file, in a line every half minute.  One process says it.
class Progress {
public:
    /// Where it writes, and what tells the time.
    struct Surface {
        std::FILE* out;
        bool is_terminal;
        std::function<double()> seconds;
    };
    /// With `bar` it counts as a terminal, as where mpiexec passes on what is written to one.
    static Surface standard_error(bool bar = false);

    /// `total` units take "about" as long as those before them; or "at most", if fewer may do.
    Progress(const char* unit, long long total, const char* how = "about",
             Surface surface = standard_error());
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { hide(); }

    /// So many are done.
    void at(long long done);
    /// Takes the line away from the terminal: before something else is written, or at the end.
    void hide();

private:
    const char* unit_;
    long long total_;
    const char* how_;
    Surface surface_;
    double begin_;
    double next_;
    bool shown_ = false;
};
