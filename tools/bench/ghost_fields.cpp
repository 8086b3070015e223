// SPDX-License-Identifier: BSD-3-Clause
#include "bench/ghost_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/index.hpp"

namespace bench {

namespace {

using ortho::at;

constexpr double nothing = -1;

} // namespace

Exchange ghost_exchange(const World& world, const std::string& grid, bool mesh, const std::vector<int>& sides,
                        const std::vector<int>& depths, std::string& mistake)
{
    mistake = grid_mistake(grid, {3}, world.size);
    if (mistake.empty() && std::ranges::max(depths) > std::ranges::min(sides))
        mistake = "--depths: more layers than are owned";
    if (!mistake.empty()) return {};
    std::vector<int> dims = parse_grid(grid, 3, world.size, mistake);
    return make_exchange(world.comm, std::move(dims), !mesh, "moore:1", mistake);
}

Point offset_of(const Exchange& exchange, int i)
{
    return {exchange.offsets[at(3 * i)], exchange.offsets[at(3 * i + 1)], exchange.offsets[at(3 * i + 2)]};
}

Ghosts::Ghosts(const Exchange& exchange, int rank, int fields, int side, int depth, bool shared)
    : exchange_(exchange),
      side_(side),
      depth_(depth)
{
    for (int k = 2; k >= 0; --k) { // row-major, like ranks
        coordinates_[at(k)] = rank % exchange.dims[at(k)];
        rank /= exchange.dims[at(k)];
    }
    const std::size_t elements = at(whole()) * at(whole()) * at(whole());
    for (int f = 0; f < fields; ++f) fields_.emplace_back(elements, shared);
}

Region Ghosts::owned(Point offset) const
{
    Region region{};
    for (std::size_t k = 0; k < 3; ++k) {
        region.first[k] = offset[k] > 0 ? side_ : depth_;
        region.extent[k] = offset[k] == 0 ? side_ : depth_;
    }
    return region;
}

Region Ghosts::ghosts(Point offset) const
{
    Region region{};
    for (std::size_t k = 0; k < 3; ++k) {
        region.first[k] = offset[k] == 0 ? depth_ : offset[k] > 0 ? 0 : side_ + depth_;
        region.extent[k] = offset[k] == 0 ? side_ : depth_;
    }
    return region;
}

/// Calls visit(index, point) for the ghosts, and for as many owned layers: the elements that an exchange
/// reads or writes.
template <class Visit>
void Ghosts::visit_shell(Visit visit) const
{
    const int n = whole();
    const int inner_end = n - 2 * depth_; // [2 depth, n - 2 depth) is inside both
    const auto is_inner = [&](int i) { return i >= 2 * depth_ && i < inner_end; };
    for (int x = 0; x < n; ++x) {
        for (int y = 0; y < n; ++y) {
            const bool all = !is_inner(x) || !is_inner(y);
            for (int z = 0; z < n; ++z) {
                if (!all && is_inner(z)) z = inner_end;
                visit((at(x) * at(n) + at(y)) * at(n) + at(z), Point{x, y, z});
            }
        }
    }
}

double Ghosts::content(int f, Point local, int sample) const
{
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const int all = exchange_.dims[k] * side_;
        int i = coordinates_[k] * side_ + local[k] - depth_;
        if (exchange_.periods[k] != 0) i = (i + all) % all;
        if (i < 0 || i >= all) return nothing;
        number = number * at(all) + at(i);
    }
    return static_cast<double>((number * 5 + at(f)) * 11 + at(sample % 11));
}

void Ghosts::copy_regions()
{
    const std::size_t n = at(whole());
    for (Array<double>& elements : fields_) {
        double* const field = elements.data();
        const auto index = [n](const Point& p) { return (at(p[0]) * n + at(p[1])) * n + at(p[2]); };
        for (int i = 0; i < exchange_.stencil_size(); ++i) {
            const Region from = owned(offset_of(exchange_, i));
            const Region to = ghosts(offset_of(exchange_, i));
            for (int x = 0; x < from.extent[0]; ++x)
                for (int y = 0; y < from.extent[1]; ++y)
                    std::copy_n(field + index({from.first[0] + x, from.first[1] + y, from.first[2]}),
                                from.extent[2],
                                field + index({to.first[0] + x, to.first[1] + y, to.first[2]}));
        }
    }
}

void Ghosts::prepare(int sample)
{
    const auto is_owned = [&](int i) { return i >= depth_ && i < depth_ + side_; };
    for (int f = 0; f < fields(); ++f) {
        double* const elements = field(f);
        visit_shell([&](std::size_t index, Point p) {
            elements[index] = std::ranges::all_of(p, is_owned) ? content(f, p, sample) : nothing;
        });
    }
}

bool Ghosts::is_right(int sample, bool outward) const
{
    bool right = true;
    const auto side_of = [&](int i) { return i < depth_ ? -1 : i < depth_ + side_ ? 0 : 1; };
    for (int f = 0; f < fields(); ++f) {
        const double* const elements = fields_[at(f)].data();
        visit_shell([&](std::size_t index, Point p) {
            if (elements[index] == content(f, p, sample)) return;
            const Point side{side_of(p[0]), side_of(p[1]), side_of(p[2])};
            right &= outward && elements[index] == nothing && side != Point{} && !moves_into(f, side);
        });
    }
    return right;
}

bool Ghosts::moves_into(int f, const Point& side)
{
    int number = f % 26;
    if (number >= 13) ++number; // skip the direction without movement
    const Point velocity{number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
    for (std::size_t k = 0; k < 3; ++k)
        if (side[k] != 0 && side[k] != -velocity[k]) return false;
    return true;
}

} // namespace bench
