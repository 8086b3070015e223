// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_STALL_S, ORTHO_STALL_ABORT: a process that waits long names the processes that it waits for.

#include "runtime/stall_report.hpp"

#include <cstdio>
#include <thread>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "mpi/comm.hpp"
#include "mpi/public_call.hpp"

namespace ortho::runtime {

namespace {

/// The settings in one word, which each wait reads.
std::atomic<unsigned>& word()
{
    static std::atomic<unsigned> settings = [] {
        const bool verifies = base::environment_flag("ORTHO_VERIFY").value_or(false);
        const auto seconds = static_cast<unsigned>(
            base::environment_number("ORTHO_STALL_S")
                .value_or(verifies && !base::environment("ORTHO_STALL_S") ? seconds_where_verified : 0));
        return seconds << 1U | (base::environment_flag("ORTHO_STALL_ABORT").value_or(false) ? 1U : 0U);
    }();
    return settings;
}

std::string words_for(const std::vector<int>& ranks)
{
    if (ranks.empty()) return "other processes";
    return (ranks.size() == 1 ? "rank " : "ranks ") + base::list_of(ranks);
}

Waiting waiting_in(const mpi::PublicCall& call)
{
    if (call.comm() == MPI_COMM_SELF || call.comm() == MPI_COMM_NULL)
        return {call.function(), "this process", mpi::world().rank};
    return {call.function(), mpi::title_of(call.comm()), mpi::rank_of(call.comm())};
}

/// The time for MPICH's launcher to pass on text, which it drops when it is told to end the program.
constexpr std::chrono::milliseconds for_launcher{200};

} // namespace

[[gnu::hot]] StallSettings stall_settings() noexcept
{
    const unsigned settings = word().load(std::memory_order_relaxed);
    return {static_cast<int>(settings >> 1U), (settings & 1U) != 0};
}

void set_stall_settings(const StallSettings& settings) noexcept
{
    word().store(static_cast<unsigned>(settings.seconds) << 1U | (settings.aborts ? 1U : 0U));
}

bool StallWatch::has_come()
{
    const auto passed = Clock::now() - begin_;
    if (passed < std::chrono::seconds(settings_.seconds)) return false;
    if (has_told_ && settings_.aborts &&
        passed >= std::chrono::seconds(settings_.seconds) + std::chrono::seconds(1)) {
        std::fputs("mpiortho: the program ends, since ORTHO_STALL_ABORT=1\n", stderr);
        std::this_thread::sleep_for(for_launcher);
        PMPI_Abort(mpi::has_world() ? MPI_COMM_WORLD : mpi::self(), 1);
    }
    if (has_told_) return false;
    has_told_ = true;
    return true;
}

void StallWatch::report(const char* inside, const Waiting& waiting) const
{
    const std::string text = base::text(
        "mpiortho: ", inside != nullptr && inside != waiting.function ? base::text(inside, ": ") : "",
        waiting.function, waiting.which,
        waiting.number > 0 ? base::text(", request ", waiting.number, ',') : "", " on ", waiting.title,
        ": rank ", waiting.rank, " has waited ", settings_.seconds, " s for ", words_for(waiting.ranks),
        '\n');
    std::fputs(text.c_str(), stderr); // in one piece
}

void StallWatch::report() const
{
    const mpi::PublicCall* const call = mpi::PublicCall::current();
    if (call == nullptr) return;
    const WaitsFor* const known = WaitsFor::current();
    report(call->function(), known != nullptr ? known->what() : waiting_in(*call));
}

} // namespace ortho::runtime
