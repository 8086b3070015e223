// SPDX-License-Identifier: BSD-3-Clause
// The fields of an exchange between patches: checked, and compared between processes.

#include "patches/checked_fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "collectives/halo_arguments.hpp"
#include "collectives/shown_ghosts.hpp"
#include "memory/kind.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/type_signature.hpp"

namespace ortho::patches {

namespace {

using base::ErrorKind;
using base::require;
using mosaic::Kind;
using mosaic::Location;

/// No sum of a few such numbers overflows.
constexpr MPI_Count most_elements = MPI_Count{1} << 40;

/// One field of the call.
class FieldCheck {
public:
    FieldCheck(const ORTHO_Mosaic_field& given, int number, int d)
        : given_(given),
          whose_(base::text("fields[", number, "].")),
          d_(d),
          ndims_(given.ndims == 0 ? d : given.ndims)
    {}

    mosaic::Field field() const
    {
        for (const void* const reserved : given_.reserved)
            require(reserved == nullptr, ErrorKind::arg, "reserved", whose_,
                    "reserved is not all null: ORTHO_MOSAIC_FIELD_INIT sets it");
        mosaic::Field result;
        check_range(given_.kind, ORTHO_SCALAR, ORTHO_POSITION, "kind");
        result.kind = static_cast<Kind>(given_.kind);
        const int most = result.kind == Kind::position ? 3 : result.kind == Kind::scalar ? 0 : d_ - 1;
        check_range(given_.component, 0, most, "component");
        result.component = given_.component;
        result.syncs = given_.sync != 0;
        require_list(given_.lower, "lower");
        require_list(given_.upper, "upper");
        for (std::size_t k = 0; k < at(d_); ++k) {
            check_depth(result.lower[k] = given_.lower[k], "lower", k);
            check_depth(result.upper[k] = given_.upper[k], "upper", k);
            if (given_.location == nullptr) continue;
            check_range(given_.location[k], ORTHO_LOWER, ORTHO_BOTH, "location");
            result.location[k] = static_cast<Location>(given_.location[k]);
        }
        return result;
    }

    void check_element(const mosaic::Field& field) const
    {
        require(given_.element != MPI_DATATYPE_NULL, ErrorKind::type, "element", whose_,
                "element is MPI_DATATYPE_NULL");
        mpi::require_committed(given_.element, whose_ + "element");
        if (field.kind != Kind::vector && field.kind != Kind::position) return;
        const auto form = mpi::signed_numbers(given_.element);
        require(form && !(form->are_complex && field.kind == Kind::position), ErrorKind::type, "element",
                whose_, "element is not made of numbers that may change their signs or have something added");
    }

    /// Both sides of each dimension.
    std::vector<ORTHO_Boundary> boundary() const
    {
        if (given_.boundary == nullptr) return {};
        std::vector<ORTHO_Boundary> result(given_.boundary, given_.boundary + 2 * d_);
        for (std::size_t i = 0; i < result.size(); ++i) {
            const std::string name = collectives::name_of_side(whose_, i / 2, i % 2 != 0);
            collectives::require_side(result[i], name);
            result[i] = collectives::signed_side(result[i], given_.element, name, "boundary",
                                                 whose_ + "element");
        }
        return result;
    }

    std::vector<int> dimensions() const
    {
        require(ndims_ >= d_, ErrorKind::dims, "ndims", whose_, "ndims = ", given_.ndims, " on a mosaic of ",
                d_, " dimensions");
        return collectives::dimensions_of(ndims_, given_.dimension, d_, whose_);
    }
    /// The elements of dimensions that are not divided.
    std::vector<MPI_Count> undivided(const std::vector<int>& dimensions) const
    {
        std::vector<MPI_Count> result(at(ndims_ - d_));
        if (ndims_ > d_) require_list(given_.undivided, "undivided");
        for (std::size_t k = 0; k < dimensions.size(); ++k) {
            if (dimensions[k] < d_) continue;
            const MPI_Count count = result[at(dimensions[k] - d_)] = given_.undivided[k];
            require(count >= 0 && count < most_elements, ErrorKind::arg, "undivided", whose_, "undivided[", k,
                    "] = ", count, " is no number of elements");
        }
        return result;
    }

    Array array(std::size_t patch, const mosaic::Box& elements, const std::vector<int>& dimensions,
                const std::vector<MPI_Count>& undivided) const
    {
        Array result{elements, std::vector<MPI_Aint>(at(ndims_)), undivided};
        require(given_.order == MPI_ORDER_C || given_.order == MPI_ORDER_FORTRAN, ErrorKind::arg, "order",
                whose_, "order = ", given_.order,
                " is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN: it begins with ORTHO_MOSAIC_FIELD_INIT");
        const bool is_empty = std::ranges::count(undivided, 0) > 0;
        MPI_Aint packed = mpi::measure(given_.element).extent;
        for (std::size_t i = 0; i < at(ndims_); ++i) { // the innermost first
            const std::size_t k = given_.order == MPI_ORDER_C ? at(ndims_) - 1 - i : i;
            const std::size_t along = at(dimensions[k]);
            const MPI_Count count = along < at(d_) ? MPI_Count{elements.count[along]}
                                                   : undivided[along - at(d_)];
            MPI_Aint& stride = result.strides[along] = packed;
            if (given_.strides != nullptr) stride = given_.strides[patch * at(ndims_) + k];
            require(stride != 0 || count == 1 || is_empty, ErrorKind::arg, "strides", whose_,
                    "strides of patch ", patch, ": that of dimension ", k, " is 0");
            require(!__builtin_mul_overflow(packed, static_cast<MPI_Aint>(count), &packed), ErrorKind::arg,
                    "lower", whose_, "makes an array of more bytes than memory has");
        }
        return result;
    }
    void* base(std::size_t patch) const
    {
        require_list(given_.bases, "bases");
        require_array(given_.bases[patch], whose_, patch);
        return given_.bases[patch];
    }

private:
    void require_list(const void* list, const char* name) const
    {
        if (list == nullptr) base::fail(ErrorKind::arg, name, whose_, name, " is a null pointer");
    }
    void check_range(int number, int low, int high, const char* name) const
    {
        if (number < low || number > high)
            base::fail(ErrorKind::arg, name, whose_, name, " = ", number, " is none of ", low, " to ", high);
    }
    void check_depth(MPI_Count depth, const char* name, std::size_t k) const
    {
        if (depth < 0 || depth > most_elements)
            base::fail(ErrorKind::arg, name, whose_, name, "[", k, "] = ", depth, " is no number of ghosts");
    }

    const ORTHO_Mosaic_field& given_;
    std::string whose_;
    int d_;
    int ndims_;
};

/// Finds the fields of each group, whose elements must be alike.
void find_groups(CheckedFields& checked, const ORTHO_Mosaic_field given[], int d)
{
    std::vector<mosaic::Field>& fields = checked.fields;
    std::map<std::pair<int, int>, std::array<int, mosaic::most_dimensions>> groups;
    for (std::size_t f = 0; f < fields.size(); ++f) {
        if (!fields[f].is_component()) continue;
        const auto [group, is_new] = groups.try_emplace({given[f].kind, given[f].group});
        if (is_new) group->second.fill(-1);
        int& place = group->second[at(fields[f].component)];
        require(place < 0, ErrorKind::arg, "component", "fields[", place, "] and fields[", f,
                "] are both component ", fields[f].component, " of group ", given[f].group);
        place = static_cast<int>(f);
    }
    for (std::size_t f = 0; f < fields.size(); ++f) {
        if (!fields[f].is_component()) continue;
        fields[f].group = groups.at({given[f].kind, given[f].group});
        for (int k = 0; k < d; ++k)
            require(fields[f].group[at(k)] >= 0, ErrorKind::arg, "component", "group ", given[f].group,
                    " of fields[", f, "] has no component ", k, ": it needs all ", d);
        const std::size_t first = at(fields[f].group[0]);
        require(
            checked.undivided[f] == checked.undivided[first] &&
                mpi::fit(mpi::signature_of(1, given[f].element), mpi::signature_of(1, given[first].element)),
            ErrorKind::arg, "element", "fields[", f, "] and fields[", first,
            "] are one vector, and have elements of different types, or other numbers of them");
    }
}

} // namespace

void require_array(const void* base, const std::string& whose, std::size_t patch)
{
    require(base != nullptr && base != MPI_IN_PLACE, ErrorKind::buffer, "bases", whose, "bases[", patch,
            base == nullptr ? "] is a null pointer" : "] is MPI_IN_PLACE");
}

void require_one_home(const CheckedFields& checked, const call::Bases& bases)
{
    if (!memory::any_driver()) return;
    std::optional<memory::Home> home;
    std::size_t i = 0;
    for (std::size_t f = 0; f < checked.fields.size(); ++f)
        for (std::size_t p = 0; p < checked.arrays[f].size(); ++p, ++i) {
            if (std::ranges::count(checked.undivided[f], 0) > 0) continue; // no elements
            const memory::Home its = memory::home_of(bases[i]);
            require(its == home.value_or(its), ErrorKind::buffer, "bases", "fields[", f, "].bases[", p,
                    "] lies in another kind of memory than an array before, or on another device");
            home = its;
        }
}

CheckedFields check_fields(int nfields, const ORTHO_Mosaic_field fields[], const Mosaic& mosaic)
{
    require(nfields >= 1, ErrorKind::count, "nfields", "nfields = ", nfields, " is not a positive number");
    mpi::require_result(fields, "fields");
    const int d = mosaic.tiles.dimensions();
    CheckedFields result;
    for (int f = 0; f < nfields; ++f) {
        const FieldCheck check(fields[f], f, d);
        const mosaic::Field field = check.field();
        check.check_element(field);
        const std::vector<int> dimensions = check.dimensions();
        const std::vector<MPI_Count> undivided = check.undivided(dimensions);
        std::vector<Array>& arrays = result.arrays.emplace_back();
        for (std::size_t p = 0; p < mosaic.number_here(); ++p) {
            const mosaic::Patch& patch = mosaic.patches[mosaic.first_here() + p];
            arrays.push_back(check.array(p, all_elements(mosaic.tiles, patch, field), dimensions, undivided));
            result.bases.push_back(check.base(p));
        }
        result.undivided.push_back(undivided);
        result.boundaries.push_back(check.boundary());
        result.fields.push_back(field);
        result.elements.push_back(fields[f].element);
        result.kept.keep_type(result.elements.back());
    }
    require_one_home(result, result.bases);
    find_groups(result, fields, d);
    return result;
}

void require_same(MPI_Comm comm, const CheckedFields& checked, const ORTHO_Mosaic_field fields[], int d)
{
    constexpr std::size_t most_undivided = 16;
    const long long number[] = {std::ssize(checked.fields)};
    if (const auto differs = agree::find_difference(comm, number))
        base::fail(ErrorKind::mismatch, "nfields", "nfields is ", differs->on_rank_0, " on rank 0, and ",
                   differs->there, " on rank ", differs->rank);
    std::vector<long long> numbers; // as many on all processes
    std::vector<const char*> names;
    const auto say = [&](const char* name, auto... values) {
        (numbers.push_back(static_cast<long long>(values)), ...);
        names.resize(numbers.size(), name);
    };
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        const mosaic::Field& field = checked.fields[f];
        const std::vector<MPI_Count>& undivided = checked.undivided[f];
        std::vector<ORTHO_Boundary> sides = checked.boundaries[f];
        sides.resize(2 * mosaic::most_dimensions);
        say("kind", field.kind);
        say("component", field.component);
        say("group", fields[f].group);
        say("sync", field.syncs);
        say("the type of element", mpi::signature_of(1, fields[f].element).hash);
        say("ndims", d + std::ssize(undivided));
        for (std::size_t k = 0; k < mosaic::most_dimensions; ++k)
            say("lower, upper or location", field.lower[k], field.upper[k], field.location[k]);
        for (std::size_t k = 0; k < most_undivided; ++k)
            say("undivided", k < undivided.size() ? undivided[k] : 0);
        for (const ORTHO_Boundary& side : sides) say("boundary", side.kind, side.sign);
    }
    if (const auto differs = agree::find_difference(comm, numbers))
        base::fail(ErrorKind::mismatch, "fields", "fields[",
                   differs->index / (numbers.size() / checked.fields.size()), "]: ", names[differs->index],
                   " is not the same on all processes: ", differs->on_rank_0, " on rank 0, and ",
                   differs->there, " on rank ", differs->rank);
}

} // namespace ortho::patches
