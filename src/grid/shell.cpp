// SPDX-License-Identifier: BSD-3-Clause
// Balls and shells of offsets around a process.  No MPI in this file.

#include "grid/shell.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/index.hpp"

namespace ortho::grid {

namespace {

/// Counts saturate here: a ball may be far larger than a shell in it whose count fits.
constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

std::int64_t plus(std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? unbounded : result;
}

std::int64_t times(std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? unbounded : result;
}

/// The product over all dimensions of the numbers of coordinates within [-depth, depth] and the box.
std::int64_t chebyshev_ball(const Shell& shell, int depth)
{
    if (depth < 0) return 0;
    std::int64_t product = 1;
    for (std::size_t k = 0; k < shell.low.size(); ++k) {
        const std::int64_t low = std::max(shell.low[k], -depth);
        const std::int64_t high = std::min(shell.high[k], depth);
        product = times(product, high - low + 1);
    }
    return product;
}

constexpr std::int64_t widest_table = std::int64_t{1} << 22;

/// The number of offsets of L1 norm at most `depth` in the box.
///
/// ways[s] is the number of offsets of norm exactly s over the dimensions seen so
/// far.  The widest dimension comes last and is counted in closed form, so that the
/// table is only as long as the others are wide.
std::int64_t manhattan_ball(const Shell& shell, int depth)
{
    if (depth < 0) return 0;
    struct Side {
        std::int64_t below, above;
    };
    std::vector<Side> sides;
    for (std::size_t k = 0; k < shell.low.size(); ++k) {
        sides.push_back({std::min(-std::int64_t{shell.low[k]}, std::int64_t{depth}),
                         std::min(std::int64_t{shell.high[k]}, std::int64_t{depth})});
    }
    if (sides.empty()) return 1;
    std::ranges::sort(sides, {}, [](const Side& side) { return std::max(side.below, side.above); });

    std::vector<std::int64_t> ways{1};
    for (std::size_t k = 0; k + 1 < sides.size(); ++k) {
        const Side& side = sides[k];
        const std::int64_t wide = std::max(side.below, side.above);
        // A stencil that is so wide in two dimensions is a mistake: make no table for it.
        if (wide > widest_table) return unbounded;
        const std::int64_t old_top = std::ssize(ways) - 1;
        const std::int64_t top = std::min<std::int64_t>(depth, old_top + wide);
        // next[s] = ways[s] + sum of ways[s-j] over 1 <= j <= below and over 1 <= j <= above.
        std::vector<std::int64_t> next(at(top + 1));
        std::vector<std::int64_t> sum(at(top + 2));
        for (std::int64_t s = 0; s <= top; ++s)
            sum[at(s + 1)] = plus(sum[at(s)], s <= old_top ? ways[at(s)] : 0);
        if (sum.back() == unbounded) return unbounded;
        const auto window = [&](std::int64_t s, std::int64_t reach) {
            return sum[at(s)] - sum[at(std::max<std::int64_t>(0, s - reach))];
        };
        for (std::int64_t s = 0; s <= top; ++s) {
            const std::int64_t here = s <= old_top ? ways[at(s)] : 0;
            next[at(s)] = plus(here, plus(window(s, side.below), window(s, side.above)));
        }
        ways = std::move(next);
    }

    const Side& last = sides.back();
    std::int64_t total = 0;
    for (std::int64_t s = 0; s < std::ssize(ways); ++s) {
        const std::int64_t left = depth - s;
        const std::int64_t line = 1 + std::min(last.below, left) + std::min(last.above, left);
        total = plus(total, times(ways[at(s)], line));
    }
    return total;
}

std::int64_t ball(const Shell& shell, int depth)
{
    return shell.metric == Metric::manhattan ? manhattan_ball(shell, depth) : chebyshev_ball(shell, depth);
}

/// Writes the offsets of a shell in lexicographic order.
class Lister {
public:
    Lister(const Shell& shell, std::span<int> result)
        : shell_(shell),
          result_(result),
          offset_(shell.low.size())
    {}

    void run() { visit(0, 0); }

private:
    bool full() const { return result_.size() < offset_.size(); }

    void write()
    {
        std::ranges::copy(offset_, result_.begin());
        result_ = result_.subspan(offset_.size());
    }

    /// `norm` is the norm of the coordinates before dimension k.
    void visit(std::size_t k, std::int64_t norm)
    {
        if (k == offset_.size()) {
            if (norm >= shell_.shadow) write();
            return;
        }
        const bool sums = shell_.metric == Metric::manhattan;
        const std::int64_t reach = sums ? shell_.depth - norm : shell_.depth;
        const std::int64_t low = std::max<std::int64_t>(shell_.low[k], -reach);
        const std::int64_t high = std::min<std::int64_t>(shell_.high[k], reach);
        // The loop skips the hole of the shadow in the last dimension.
        const std::int64_t hole = k + 1 < offset_.size() ? 0
                                  : sums                 ? shell_.shadow - norm
                                  : norm < shell_.shadow ? shell_.shadow
                                                         : 0;
        for (std::int64_t x = low; x <= high && !full(); ++x) {
            if (std::abs(x) < hole) {
                x = hole - 1; // the loop goes on at +hole
                continue;
            }
            offset_[k] = static_cast<int>(x);
            visit(k + 1, sums ? norm + std::abs(x) : std::max(norm, std::abs(x)));
        }
    }

    const Shell& shell_;
    std::span<int> result_;
    std::vector<int> offset_;
};

} // namespace

Shell unbounded_shell(Metric metric, int shadow, int depth, int d)
{
    const auto dimensions = static_cast<std::size_t>(d);
    return {metric, shadow, depth, std::vector<int>(dimensions, -depth), std::vector<int>(dimensions, depth)};
}

std::int64_t count(const Shell& shell)
{
    if (shell.shadow > shell.depth) return 0;
    const std::int64_t outer = ball(shell, shell.depth);
    if (outer == unbounded) return too_many;
    const std::int64_t result = outer - ball(shell, shell.shadow - 1);
    return result > std::numeric_limits<int>::max() ? too_many : result;
}

void list(const Shell& shell, std::span<int> result)
{
    if (shell.shadow > shell.depth || shell.low.empty()) return;
    Lister(shell, result).run();
}

} // namespace ortho::grid
