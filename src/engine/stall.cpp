// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_STALL_S: who waits long says for whom.

#include "engine/stall.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

#include "base/text.hpp"

namespace ortho::engine {

namespace {

std::string list_of(const std::vector<int>& ranks)
{
    if (ranks.empty()) return "processes that are no neighbors of it";
    std::string result = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) result += base::text(i > 0 ? ", " : "", ranks[i]);
    return result;
}

} // namespace

Waiting waiting_of(topology::Graph& graph, const char* function, std::vector<int> ranks)
{
    const std::lock_guard lock(graph.mutex);
    return {function, graph.title(), graph.facts->lists.rank, std::move(ranks)};
}

bool StallWatch::has_come()
{
    if (has_told_ || Clock::now() - begin_ < std::chrono::seconds(seconds_)) return false;
    has_told_ = true;
    return true;
}

void StallWatch::report(const char* inside, const Waiting& waiting) const
{
    const std::string text =
        base::text("mpiortho: ", inside != nullptr ? base::text(inside, ": ") : "", waiting.function, " on ", waiting.title,
                   ": rank ", waiting.rank, " has waited ", seconds_, " s for ", list_of(waiting.ranks), '\n');
    std::fputs(text.c_str(), stderr); // in one piece
}

} // namespace ortho::engine
