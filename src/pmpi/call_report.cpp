// SPDX-License-Identifier: BSD-3-Clause
// Counts of MPI's calls that were replaced, and times of ours.

#include "pmpi/call_report.hpp"

#include <mpi.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/interposer.hpp"
#include "pmpi/init_finalize.hpp"

namespace ortho::pmpi {

namespace {

struct Register {
    std::mutex mutex;
    std::vector<const Counter*> counters;
    bool printed = false;
};

Register& counted()
{
    static Register& instance = *new Register; // lives as long as MPI may be called
    return instance;
}

std::string row(const char* function, const char* calls, const char* seconds, const char* left)
{
    char text[160];
    std::snprintf(text, sizeof text, "  %-32s %12s %14s %14s\n", function, calls, seconds, left);
    return text;
}

std::string row(const Counter& counter)
{
    char calls[32];
    char seconds[32];
    char left[32];
    std::snprintf(calls, sizeof calls, "%" PRIu64, counter.calls());
    std::snprintf(seconds, sizeof seconds, "%.6f", static_cast<double>(counter.nanoseconds()) * 1e-9);
    std::snprintf(left, sizeof left, "%" PRIu64, counter.left());
    return row(counter.is_of_starts() ? "  started" : counter.function(), calls, seconds, left);
}

/// Why nothing was replaced.
const char* what_was_missing()
{
    if (mode() == Mode::off) return "ORTHO_PMPI=off leaves all calls to MPI";
    return is_dense()
               ? "no call on a communicator that carries a topology, and no blocking alltoall or allgather"
               : "no call on a communicator that carries a topology";
}

} // namespace

Counter::Counter(const char* function, bool is_of_starts) : function_(function), is_of_starts_(is_of_starts)
{
    Register& instance = counted();
    const std::lock_guard lock(instance.mutex);
    instance.counters.push_back(this);
}

Counter& Counter::starts()
{
    std::call_once(makes_starts_, [this] { starts_ = new Counter(function_, true); });
    return *starts_;
}

void print_report()
{
    if (!wants_report()) return;
    const auto [rank, size] = world();
    if (rank != 0) return;
    Register& instance = counted();
    const std::lock_guard lock(instance.mutex);
    if (instance.printed) return;
    instance.printed = true;
    auto counters = instance.counters;
    std::erase_if(counters, [](const Counter* counter) { return counter->calls() + counter->left() == 0; });
    std::ranges::sort(counters, [](const Counter* a, const Counter* b) {
        const int order = std::strcmp(a->function(), b->function());
        return order != 0 ? order < 0 : a->is_of_starts() < b->is_of_starts();
    });
    std::string text = "mpiortho: what libmpiortho-pmpi replaced on rank 0 of " + std::to_string(size) +
                       " (ORTHO_PMPI=" + modes_text() + ")\n";
    if (!counters.empty())
        text += row("function", "replaced", "seconds", "left to MPI");
    else
        text += std::string("  nothing: ") + what_was_missing() + "\n";
    for (const Counter* const counter : counters) text += row(*counter);
    char copies[200];
    ortho_copies_text(copies, sizeof copies);
    if (copies[0] != '\0') text += std::string("  copies: ") + copies + '\n';
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

} // namespace ortho::pmpi
