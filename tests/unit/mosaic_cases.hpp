// SPDX-License-Identifier: BSD-3-Clause
// Random mosaics, and which element fills which ghost, by arithmetic on one element after the other.
#pragma once

#include <stdexcept>

#include "mosaic/ghosts.hpp"

namespace mosaic_cases {

using cases::Random;
using cases::uniform;
using ortho::at;
using ortho::mosaic::Box;
using ortho::mosaic::Field;
using ortho::mosaic::Index;
using ortho::mosaic::Kind;
using ortho::mosaic::Location;
using ortho::mosaic::Patch;

/// A contact as users write it.
struct Contact {
    int tile = 0, dimension = 0, side = 0;
    Index first{}, count{}; ///< count 0: the whole side
    int donor = 0;
    std::array<int, 4> transform{1, 2, 3, 4};
    Index origin{};
    std::array<double, 4> shift{};
};

/// A mosaic, and fields on it.
struct Case {
    int d = 1;
    std::vector<Index> sizes;
    std::vector<Contact> contacts;
    std::vector<Patch> patches;
    std::vector<Field> fields;

    std::vector<ortho::mosaic::Contact> made_contacts() const
    {
        std::vector<ortho::mosaic::Contact> result;
        for (const Contact& contact : contacts)
            result.push_back(
                {.tile = contact.tile,
                 .dimension = contact.dimension,
                 .side = contact.side,
                 .part = {contact.first, contact.count},
                 .donor = contact.donor,
                 .map = ortho::mosaic::map_of(d, contact.transform.data(), contact.origin.data()),
                 .shift = contact.shift});
        return result;
    }
};

/// visit(element) for each element of a box.
template <class Visit>
void each_element(const Box& box, Visit visit)
{
    Index element = box.first;
    for (std::size_t k = 0; k < element.size();) {
        visit(element);
        for (k = 0; k < element.size() && ++element[k] == box.end(k); ++k) element[k] = box.first[k];
    }
}

/// Ghosts reach further than a tile.
struct TooDeep : std::runtime_error {
    TooDeep() : std::runtime_error("too deep") {}
};

/// The element that fills a ghost.
struct Source {
    int tile = 0, field = 0;
    std::size_t patch = 0;
    Index element{};
    int sign = 1;
    double shift = 0;
    int crossings = 0;

    /// The first one counts.
    auto key() const { return std::tuple(tile, element, crossings, field, -sign, shift); }
};

/// Follows single positions across contacts.
class Arithmetic {
public:
    explicit Arithmetic(const Case& its) : case_(its), d_(at(its.d)), contacts_(its.contacts)
    {
        for (const Contact& contact : its.contacts)
            if (!is_fold(contact)) contacts_.push_back(from_donor(contact));
        for (std::size_t p = 0; p < its.patches.size(); ++p)
            for (std::size_t f = 0; f < its.fields.size(); ++f)
                each_owned(p, static_cast<int>(f), [&](const Index& element) {
                    owners_[{its.patches[p].tile, static_cast<int>(f),
                             position(static_cast<int>(f), element)}] = {p, element};
                });
    }

    /// visit(element) for each element that a patch owns of a field, ...
    template <class Visit>
    void each_owned(std::size_t patch, int field, Visit visit) const
    {
        each_element(box_of(patch, field, 0), visit);
    }
    /// ... and for each ghost.
    template <class Visit>
    void each_ghost(std::size_t patch, int field, Visit visit) const
    {
        const Box owned = box_of(patch, field, 0);
        each_element(box_of(patch, field, 1), [&](const Index& element) {
            if (common(owned, {element}).is_empty()) visit(element);
        });
    }

    /// The element that fills one.  Nothing if none does.
    std::optional<Source> source(std::size_t patch, int field, const Index& element) const
    {
        Place start;
        start.tile = case_.patches[patch].tile;
        start.at = position(field, element);
        const Field& its = case_.fields[at(field)];
        if (its.kind == Kind::vector || its.kind == Kind::pair) start.axis = its.component;
        if (its.kind == Kind::position) start.moved = its.component;
        const std::set<Place> arrived = inside(start);
        // All that are the same point as one of them.
        std::vector<std::set<Place>> points;
        for (const Place& place : arrived) {
            std::set<Place> point = same_point(place);
            for (std::size_t i = 0; i < points.size();) {
                if (!meet(point, points[i])) {
                    ++i;
                    continue;
                }
                point.merge(points[i]);
                points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
            }
            points.push_back(point);
        }
        if (points.size() != 1) return std::nullopt;
        std::optional<Source> best;
        for (const Place& place : shortest_ways(points[0])) {
            const auto found = owned_at(field, place);
            if (found && (!best || found->key() < best->key())) best = found;
        }
        return best;
    }

private:
    struct Place {
        int tile = 0;
        Index at{};    ///< doubled
        int axis = -1; ///< what the direction of the field's component has become
        int sign = 1;
        int moved = -1; ///< the component of a position
        double shift = 0;
        int crossings = 0;

        auto operator<=>(const Place&) const = default;
    };

    Index position(int field, const Index& element) const
    {
        Index result{};
        for (std::size_t k = 0; k < d_; ++k) {
            const Location location = case_.fields[at(field)].location[k];
            result[k] = 2 * element[k] + (location == Location::centre  ? 1
                                          : location == Location::upper ? 2
                                                                        : 0);
        }
        return result;
    }
    /// The elements of a field on a patch.
    Box box_of(std::size_t patch, int field, int with_ghosts) const
    {
        const Patch& its = case_.patches[patch];
        const Field& form = case_.fields[at(field)];
        Box result;
        for (std::size_t k = 0; k < d_; ++k) {
            const std::int64_t end = its.cells.end(k);
            const bool has_both = form.location[k] == Location::both && end == case_.sizes[at(its.tile)][k];
            result.set(k, its.cells.first[k] - with_ghosts * form.lower[k],
                       end + (has_both ? 1 : 0) + with_ghosts * form.upper[k]);
        }
        return result;
    }

    std::optional<Source> owned_at(int field, const Place& place) const
    {
        const Field& its = case_.fields[at(field)];
        Source result;
        result.field = field;
        result.tile = place.tile;
        result.crossings = place.crossings;
        if (place.axis >= 0) result.field = its.group[at(place.axis)];
        if (its.kind == Kind::vector) result.sign = place.sign;
        result.shift = place.shift;
        const auto found = owners_.find({place.tile, result.field, place.at});
        if (found == owners_.end()) return std::nullopt;
        result.patch = found->second.first;
        result.element = found->second.second;
        return result;
    }

    std::int64_t end(int tile, std::size_t k) const { return 2 * case_.sizes[at(tile)][k]; }

    /// The cells along its side of a contact, doubled; all of them if the count is 0.
    void part(const Contact& contact, std::size_t k, std::int64_t& low, std::int64_t& high) const
    {
        low = 2 * contact.first[k];
        high = low + 2 * contact.count[k];
        if (contact.count[k] != 0) return;
        low = 0;
        high = end(contact.tile, k);
    }
    static std::size_t target(const Contact& contact, std::size_t k)
    {
        return at(std::abs(contact.transform[k]) - 1);
    }
    bool is_fold(const Contact& contact) const
    {
        const auto k = at(contact.dimension);
        return contact.donor == contact.tile && contact.transform[k] == -(contact.dimension + 1);
    }
    /// Is the place beyond this side, or, if it is in its tile, on it?  A fold may lie before its side.
    bool is_at_side(const Place& place, std::size_t k, int side, bool is_inside, std::int64_t seam) const
    {
        const std::int64_t at = place.at[k];
        if (!is_inside) return side < 0 ? at < 0 : at > end(place.tile, k);
        return side < 0 ? at <= seam : at >= end(place.tile, k) - seam;
    }
    std::int64_t clamped(const Place& place, std::size_t k) const
    {
        return std::clamp<std::int64_t>(place.at[k], 0, end(place.tile, k));
    }

    /// The contact as its donor sees it.
    Contact from_donor(const Contact& contact) const
    {
        const auto k = at(contact.dimension);
        Contact result{.tile = contact.donor,
                       .dimension = static_cast<int>(target(contact, k)),
                       .side = contact.transform[k] > 0 ? -contact.side : contact.side,
                       .donor = contact.tile};
        for (std::size_t m = 0; m < d_; ++m) {
            const std::size_t j = target(contact, m);
            const int sign = contact.transform[m] < 0 ? -1 : 1;
            result.transform[j] = sign * (static_cast<int>(m) + 1);
            result.origin[m] = -sign * contact.origin[j];
            std::int64_t low = 0, high = 0;
            part(contact, m, low, high);
            const auto [first, last] = std::minmax(
                {sign * low + 2 * contact.origin[j], sign * high + 2 * contact.origin[j]});
            if (first < 0 || last > end(contact.donor, j)) continue; // shifted: for the whole of both sides
            result.first[j] = first / 2;
            result.count[j] = (last - first) / 2;
        }
        for (std::size_t m = 0; m < result.shift.size(); ++m) result.shift[m] = -contact.shift[m];
        return result;
    }
    /// Across one contact, if it is here.
    std::optional<Place> cross(const Place& place, const Contact& contact, bool is_inside) const
    {
        const auto k = at(contact.dimension);
        if (place.tile != contact.tile) return std::nullopt;
        std::int64_t seam = 0;
        if (is_fold(contact))
            seam = contact.side < 0 ? 2 * contact.origin[k] : 2 * (end(place.tile, k) - contact.origin[k]);
        if (!is_at_side(place, k, contact.side, is_inside, seam)) return std::nullopt;
        Place next = place;
        ++next.crossings;
        next.tile = contact.donor;
        for (std::size_t m = 0; m < d_; ++m) {
            std::int64_t low = 0, high = 0;
            part(contact, m, low, high);
            if (m != k && (clamped(place, m) < low || clamped(place, m) > high)) return std::nullopt;
            const std::size_t j = target(contact, m);
            const int sign = contact.transform[m] < 0 ? -1 : 1;
            next.at[j] = sign * place.at[m] + 2 * contact.origin[j];
            if (place.axis == static_cast<int>(m)) {
                next.axis = static_cast<int>(j);
                next.sign = place.sign * sign;
            }
        }
        if (next.moved >= 0) next.shift += contact.shift[at(next.moved)];
        if (const auto j = target(contact, k); next.at[j] < 0 || next.at[j] > end(next.tile, j))
            throw TooDeep();
        return next;
    }

    bool is_inside(const Place& place) const
    {
        for (std::size_t k = 0; k < d_; ++k)
            if (place.at[k] < 0 || place.at[k] > end(place.tile, k)) return false;
        return true;
    }
    std::set<Place> inside(const Place& place, int depth = 0) const
    {
        if (is_inside(place)) return {place};
        if (depth > 20) throw std::runtime_error("a position goes around without end");
        std::set<Place> result;
        for (const Contact& contact : contacts_)
            if (const auto next = cross(place, contact, false)) result.merge(inside(*next, depth + 1));
        return result;
    }
    /// All places in tiles that are this point, by the shortest ways to each.
    std::set<Place> same_point(const Place& place) const
    {
        std::set<Place> result{place};
        std::map<std::pair<int, Index>, int> shortest{{{place.tile, place.at}, place.crossings}};
        std::vector<Place> level{place};
        while (!level.empty()) {
            std::set<Place> next;
            for (const Place& from : level)
                for (const Contact& contact : contacts_)
                    if (const auto across = cross(from, contact, true)) next.merge(inside(*across));
            level.clear();
            for (const Place& found : next) {
                const auto [way, is_new] = shortest.try_emplace({found.tile, found.at}, found.crossings);
                if (!is_new && way->second < found.crossings) continue;
                way->second = found.crossings;
                if (result.insert(found).second) level.push_back(found);
            }
        }
        return result;
    }
    /// Without longer ways to a place than there are.
    static std::set<Place> shortest_ways(const std::set<Place>& point)
    {
        std::set<Place> result;
        for (const Place& place : point)
            if (std::ranges::none_of(point, [&](const Place& other) {
                    return other.tile == place.tile && other.at == place.at &&
                           other.crossings < place.crossings;
                }))
                result.insert(place);
        return result;
    }
    static bool meet(const std::set<Place>& a, const std::set<Place>& b)
    {
        for (const Place& one : a)
            for (const Place& other : b)
                if (one.tile == other.tile && one.at == other.at) return true;
        return false;
    }

    const Case& case_;
    std::size_t d_;
    std::vector<Contact> contacts_; ///< as both tiles see them
    std::map<std::tuple<int, int, Index>, std::pair<std::size_t, Index>> owners_;
};

/// Makes random mosaics.
class Maker {
public:
    explicit Maker(Random& random, int most_d = 4) : random_(random)
    {
        case_.d = pick(1, most_d);
        d_ = at(case_.d);
        const int longest[] = {0, 14, 7, 4, 3};
        const std::array<int, 2> lengths{pick(1, longest[case_.d]), pick(1, longest[case_.d])};
        const bool cubes = pick(0, 2) == 0;
        for (int tiles = pick(1, case_.d > 2 ? 4 : 7); tiles > 0; --tiles) {
            Index& size = case_.sizes.emplace_back();
            for (std::size_t k = 0; k < d_; ++k)
                size[k] = !cubes && pick(0, 1) != 0 ? lengths[1] : lengths[0];
        }
    }

    Case make()
    {
        for (int n = pick(0, 3 * case_.d * static_cast<int>(case_.sizes.size())); n > 0; --n) {
            const int kind = pick(0, 9);
            if (kind < 2)
                add_fold();
            else if (kind < 4)
                add_periodic();
            else
                add_join();
        }
        for (std::size_t tile = 0; tile < case_.sizes.size(); ++tile) {
            Box box;
            for (std::size_t k = 0; k < d_; ++k) box.set(k, 0, case_.sizes[tile][k]);
            const bool has_holes = pick(0, 3) == 0;
            add_patches(static_cast<int>(tile), box, pick(0, 3), has_holes);
        }
        std::shuffle(case_.patches.begin(), case_.patches.end(), random_);
        add_fields();
        return case_;
    }

    /// Divides a box into patches.
    void add_patches(int tile, const Box& box, int cuts, bool has_holes)
    {
        const auto k = at(pick(0, case_.d - 1));
        if (cuts == 0 || box.count[k] < 2) {
            if (!has_holes || pick(0, 4) > 0) case_.patches.push_back({tile, box});
            return;
        }
        Box below = box;
        Box above = box;
        const std::int64_t middle = box.first[k] + pick(1, static_cast<int>(box.count[k]) - 1);
        below.set(k, box.first[k], middle);
        above.set(k, middle, box.end(k));
        add_patches(tile, below, cuts - 1, has_holes);
        add_patches(tile, above, cuts - 1, has_holes);
    }

    void add_fields()
    {
        for (int n = pick(1, 2); n > 0; --n) {
            const auto kind = static_cast<Kind>(pick(0, 3));
            const bool is_group = kind == Kind::vector || kind == Kind::pair;
            const int first = static_cast<int>(case_.fields.size());
            Field form;
            form.kind = kind;
            form.syncs = pick(0, 2) == 0;
            const int depth = pick(0, 3) == 0 ? 4 : 2;
            for (std::size_t k = 0; k < d_; ++k) {
                form.lower[k] = pick(0, depth);
                form.upper[k] = pick(0, depth);
                form.location[k] = location();
            }
            if (!is_group) {
                form.component = kind == Kind::position ? pick(0, 3) : 0;
                case_.fields.push_back(form);
                continue;
            }
            const int arrangement = pick(0, 2);
            const Location faces = location();
            for (int c = 0; c < case_.d; ++c) {
                form.component = c;
                for (int other = 0; other < case_.d; ++other) form.group[at(other)] = first + other;
                for (std::size_t k = 0; k < d_ && arrangement > 0; ++k)
                    form.location[k] = arrangement == 1 && k != at(c) ? Location::centre : faces;
                case_.fields.push_back(form);
            }
        }
    }

private:
    struct Side {
        int tile;
        std::size_t k;
        int side;
    };

    int pick(int low, int high) { return uniform(random_, low, high); }
    Location location() { return static_cast<Location>(pick(-1, 2)); }
    Side any_side()
    {
        return {pick(0, static_cast<int>(case_.sizes.size()) - 1), at(pick(0, case_.d - 1)),
                pick(0, 1) == 0 ? -1 : 1};
    }
    const Index& size(int tile) const { return case_.sizes[at(tile)]; }

    /// Takes cells along a side, unless some are taken.
    bool is_free(const Side& side, const Box& part) const
    {
        for (const auto& [taken, box] : taken_)
            if (taken.tile == side.tile && taken.k == side.k && taken.side == side.side &&
                !ortho::mosaic::common(box, part).is_empty())
                return false;
        return true;
    }
    Box whole(const Side& side) const
    {
        Box box;
        for (std::size_t m = 0; m < d_; ++m) box.set(m, 0, m == side.k ? 1 : size(side.tile)[m]);
        return box;
    }

    /// Two sides, or parts of them, dimensions in any order and direction.
    void add_join()
    {
        const Side a = any_side();
        const Side b = any_side();
        if (a.tile == b.tile && a.k == b.k && a.side == b.side) return;
        std::vector<std::size_t> others;
        for (std::size_t j = 0; j < d_; ++j)
            if (j != b.k) others.push_back(j);
        if (pick(0, 2) == 0) std::shuffle(others.begin(), others.end(), random_);
        Contact contact{.tile = a.tile, .dimension = static_cast<int>(a.k), .side = a.side, .donor = b.tile};
        Box here = whole(a);
        Box there = whole(b);
        const bool is_partial = pick(0, 2) == 0;
        const auto set_axis = [&](std::size_t k, std::size_t j, int sign, std::int64_t origin) {
            contact.transform[k] = sign * (static_cast<int>(j) + 1);
            contact.origin[j] = origin;
        };
        std::size_t next = 0;
        for (std::size_t k = 0; k < d_; ++k) {
            if (k == a.k) continue;
            const std::size_t j = others[next++];
            const int n = static_cast<int>(size(a.tile)[k]), m = static_cast<int>(size(b.tile)[j]);
            if (n != m && !is_partial) return;
            const int count = is_partial ? pick(1, std::min(n, m)) : n;
            here.set(k, is_partial ? pick(0, n - count) : 0, 0);
            there.set(j, is_partial ? pick(0, m - count) : 0, 0);
            here.count[k] = there.count[j] = count;
            const bool backward = pick(0, 1) != 0;
            set_axis(k, j, backward ? -1 : 1,
                     backward ? there.first[j] + here.end(k) : there.first[j] - here.first[k]);
        }
        const std::int64_t from = a.side > 0 ? size(a.tile)[a.k] : 0;
        const std::int64_t to = b.side > 0 ? size(b.tile)[b.k] : 0;
        const int sign = a.side == b.side ? -1 : 1;
        set_axis(a.k, b.k, sign, to - sign * from);
        if (!is_free(a, here) || !is_free(b, there)) return;
        if (is_partial) {
            contact.first = here.first;
            contact.count = here.count;
        }
        add_shifts(contact);
        taken_.push_back({a, here});
        taken_.push_back({b, there});
        case_.contacts.push_back(contact);
    }

    void add_shifts(Contact& contact)
    {
        if (pick(0, 1) != 0)
            for (double& shift : contact.shift) shift = pick(-3, 3);
    }

    bool take_opposite(int tile, std::size_t k)
    {
        const Side low{tile, k, -1};
        const Side high{tile, k, 1};
        if (!is_free(low, whole(low)) || !is_free(high, whole(high))) return false;
        taken_.push_back({low, whole(low)});
        taken_.push_back({high, whole(high)});
        return true;
    }
    Contact periodic(int tile, std::size_t k)
    {
        Contact contact{.tile = tile, .dimension = static_cast<int>(k), .donor = tile};
        contact.side = pick(0, 1) == 0 ? -1 : 1;
        contact.origin[k] = contact.side > 0 ? -size(tile)[k] : size(tile)[k];
        add_shifts(contact);
        return contact;
    }
    /// Joins the sides of a tile, maybe shifted along another periodic dimension.
    void add_periodic()
    {
        const Side side = any_side();
        if (!take_opposite(side.tile, side.k)) return;
        Contact contact = periodic(side.tile, side.k);
        const auto along = at(pick(0, case_.d - 1));
        if (along != side.k && pick(0, 1) == 0 &&
            (plain_.count({side.tile, along}) || make_periodic(side.tile, along))) {
            const int n = static_cast<int>(size(side.tile)[along]);
            contact.origin[along] = pick(-n, n);
        } else {
            plain_.insert({side.tile, side.k});
        }
        case_.contacts.push_back(contact);
    }
    /// Without a shift.
    bool make_periodic(int tile, std::size_t k)
    {
        if (!take_opposite(tile, k)) return false;
        case_.contacts.push_back(periodic(tile, k));
        plain_.insert({tile, k});
        return true;
    }

    /// A side that is folded: around a pivot, or a mirror, or half around the tile as beyond a pole.
    void add_fold()
    {
        const Side side = any_side();
        if (!is_free(side, whole(side))) return;
        Contact contact{
            .tile = side.tile, .dimension = static_cast<int>(side.k), .side = side.side, .donor = side.tile};
        const std::int64_t n = size(side.tile)[side.k];
        const bool before_side = pick(0, 1) != 0;
        contact.transform[side.k] = -(contact.dimension + 1);
        contact.origin[side.k] = side.side > 0 ? 2 * n - (before_side ? 1 : 0) : before_side ? 1 : 0;
        const auto along = at(pick(0, case_.d - 1));
        if (along != side.k) {
            const std::int64_t m = size(side.tile)[along];
            const int way = pick(0, 3);
            const bool must_go_round = way == 0 || way == 2;
            if (must_go_round && !plain_.count({side.tile, along}) && !make_periodic(side.tile, along))
                return;
            if (way < 2) contact.transform[along] = -(static_cast<int>(along) + 1);
            if (way < 2) contact.origin[along] = m + (way == 0 ? 1 : 0);
            if (way == 2 && m % 2 == 0) contact.origin[along] = m / 2;
        }
        taken_.push_back({side, whole(side)});
        case_.contacts.push_back(contact);
    }

    Random& random_;
    Case case_;
    std::size_t d_ = 1;
    std::vector<std::pair<Side, Box>> taken_;
    std::set<std::pair<int, std::size_t>> plain_;
};

} // namespace mosaic_cases
