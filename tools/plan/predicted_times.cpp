// SPDX-License-Identifier: BSD-3-Clause
// Predicted times over block sizes.

#include "plan/predicted_times.hpp"

#include <cmath>

namespace plan {

namespace {

constexpr int steps_an_octave = 8;

} // namespace

Curves make_curves(const Setting& setting, const planner::Planner& planner)
{
    Curves result;
    const auto candidates = [&](std::int64_t bytes) { return planner.candidates(setting.call(bytes)); };
    const auto chosen = [&](std::int64_t bytes) {
        const std::vector<planner::Candidate> all = candidates(bytes);
        return std::string(cheapest(all)->algorithm->name);
    };
    for (int i = 0;; ++i) {
        const auto size = std::llround(static_cast<double>(smallest_size) *
                                       std::exp2(static_cast<double>(i) / steps_an_octave));
        if (result.sizes.empty() || size > result.sizes.back()) result.sizes.push_back(size);
        if (size >= largest_size) break;
    }
    for (const std::int64_t size : result.sizes) {
        const std::vector<planner::Candidate> all = candidates(size);
        std::size_t next = 0;
        for (const planner::Candidate& candidate : all) {
            if (!candidate.applies()) continue;
            if (next == result.curves.size())
                result.curves.push_back({std::string(candidate.algorithm->name), {}});
            result.curves[next++].times_ps.push_back(candidate.choice.cost_ps);
        }
        const std::string name(cheapest(all)->algorithm->name);
        if (result.reigns.empty()) {
            result.reigns.push_back({name, size, size});
        } else if (result.reigns.back().algorithm == name) {
            result.reigns.back().last = size;
        } else {
            // There is one change between two neighboring sizes.
            std::int64_t before = result.reigns.back().last;
            std::int64_t after = size;
            while (after - before > 1) {
                const std::int64_t middle = before + (after - before) / 2;
                (chosen(middle) == result.reigns.back().algorithm ? before : after) = middle;
            }
            result.reigns.back().last = before;
            result.reigns.push_back({name, after, size});
        }
    }
    return result;
}

} // namespace plan
