// SPDX-License-Identifier: BSD-3-Clause
// The fields of an exchange between patches: checked, and compared between processes.

#include "patches/checked_fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "collectives/shown_ghosts.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/type_signature.hpp"
#include "patches/signed_numbers.hpp"

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
        if (result.kind == Kind::position)
            check_range(given_.component, 0, 3, "component");
        else
            check_range(given_.component, 0, result.kind == Kind::scalar ? 0 : d_ - 1, "component");
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

    /// Array dimension k runs along dimension result[k]; those that are not divided come behind the mosaic's.
    std::vector<int> dimensions() const
    {
        require(ndims_ >= d_, ErrorKind::dims, "ndims", whose_, "ndims = ", given_.ndims, " on a mosaic of ",
                d_, " dimensions");
        std::vector<int> result(at(ndims_));
        std::iota(result.begin(), result.end(), 0);
        if (given_.dimension == nullptr) return result;
        int next = d_;
        for (int k = 0; k < ndims_; ++k) {
            int& along = result[at(k)] = given_.dimension[k];
            if (along == ORTHO_UNDIVIDED) {
                along = next++;
                continue;
            }
            const auto before = result.begin() + k;
            require(along >= 0 && along < d_ && std::find(result.begin(), before, along) == before,
                    ErrorKind::arg, "dimension", whose_, "dimension[", k, "] = ", along,
                    " is no dimension of the mosaic, or is twice");
        }
        require(next == ndims_, ErrorKind::arg, "dimension", whose_, "dimension names ", d_ + ndims_ - next,
                " of ", d_, " dimensions");
        return result;
    }
    /// The elements of dimensions that are not divided.
    std::vector<MPI_Count> undivided(const std::vector<int>& dimensions) const
    {
        std::vector<MPI_Count> result(at(ndims_ - d_));
        if (ndims_ > d_) require_list(given_.undivided, "undivided");
        for (std::size_t k = 0; k < dimensions.size(); ++k) {
            if (dimensions[k] < d_) continue;
            const MPI_Count count = result[at(dimensions[k] - d_)] = given_.undivided[k];
            require(count > 0 && count < most_elements, ErrorKind::arg, "undivided", whose_, "undivided[", k,
                    "] = ", count, " is no number of elements");
        }
        return result;
    }

    Array array(std::size_t patch, const mosaic::Box& elements, const std::vector<int>& dimensions,
                const std::vector<MPI_Count>& undivided) const
    {
        Array result{elements, std::vector<MPI_Aint>(at(ndims_)), undivided};
        std::vector<std::size_t> inner_first(at(ndims_));
        std::iota(inner_first.begin(), inner_first.end(), std::size_t{0});
        require(given_.order == MPI_ORDER_C || given_.order == MPI_ORDER_FORTRAN, ErrorKind::arg, "order",
                whose_, "order = ", given_.order, " is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
        if (given_.order == MPI_ORDER_C) std::ranges::reverse(inner_first);
        MPI_Aint packed = mpi::measure(given_.element).extent;
        for (const std::size_t k : inner_first) {
            const std::size_t along = at(dimensions[k]);
            const MPI_Count count = along < at(d_) ? MPI_Count{elements.count[along]}
                                                   : undivided[along - at(d_)];
            MPI_Aint& stride = result.strides[along] = packed;
            if (given_.strides != nullptr) stride = given_.strides[patch * at(ndims_) + k];
            require(stride != 0 || count == 1, ErrorKind::arg, "strides", whose_, "strides of patch ", patch,
                    ": that of dimension ", k, " is 0");
            require(!__builtin_mul_overflow(packed, static_cast<MPI_Aint>(count), &packed), ErrorKind::arg,
                    "lower", whose_, "makes an array of more bytes than memory has");
        }
        return result;
    }
    void* base(std::size_t patch) const
    {
        require_list(given_.bases, "bases");
        void* const result = given_.bases[patch];
        require(result != nullptr && result != MPI_IN_PLACE, ErrorKind::buffer, "bases", whose_, "bases[",
                patch, result == nullptr ? "] is a null pointer" : "] is MPI_IN_PLACE");
        return result;
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

/// Finds the fields of each group.
void find_groups(std::vector<mosaic::Field>& fields, const ORTHO_Mosaic_field given[], int d)
{
    std::map<std::pair<int, int>, std::array<int, mosaic::most_dimensions>> groups;
    const auto is_in_group = [](const mosaic::Field& field) {
        return field.kind == Kind::vector || field.kind == Kind::pair;
    };
    for (std::size_t f = 0; f < fields.size(); ++f) {
        if (!is_in_group(fields[f])) continue;
        const auto [group, is_new] = groups.try_emplace({given[f].kind, given[f].group});
        if (is_new) group->second.fill(-1);
        int& place = group->second[at(fields[f].component)];
        require(place < 0, ErrorKind::arg, "component", "fields[", place, "] and fields[", f,
                "] are both component ", fields[f].component, " of group ", given[f].group);
        place = static_cast<int>(f);
    }
    for (std::size_t f = 0; f < fields.size(); ++f) {
        if (!is_in_group(fields[f])) continue;
        fields[f].group = groups.at({given[f].kind, given[f].group});
        for (int k = 0; k < d; ++k)
            require(fields[f].group[at(k)] >= 0, ErrorKind::arg, "component", "group ", given[f].group,
                    " of fields[", f, "] has no component ", k, ": it needs all ", d);
    }
}

} // namespace

CheckedFields check_fields(int nfields, const ORTHO_Mosaic_field fields[], const Mosaic& mosaic)
{
    require(nfields >= 1, ErrorKind::count, "nfields", "nfields = ", nfields, " is not a positive number");
    mpi::require_result(fields, "fields");
    const int d = mosaic.tiles.dimensions();
    CheckedFields result;
    std::vector<std::vector<MPI_Count>> all_undivided;
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
        all_undivided.push_back(undivided);
        result.boundaries.push_back(check.boundary());
        result.fields.push_back(field);
        result.elements.push_back(fields[f].element);
        result.kept.keep_type(result.elements.back());
    }
    find_groups(result.fields, fields, d);
    for (std::size_t f = 0; f < result.fields.size(); ++f) {
        const mosaic::Field& field = result.fields[f];
        if (field.kind != Kind::vector && field.kind != Kind::pair) continue;
        const std::size_t first = at(field.group[0]);
        require(all_undivided[f] == all_undivided[first] &&
                    mpi::fit(mpi::signature_of(1, fields[f].element),
                             mpi::signature_of(1, fields[first].element)),
                ErrorKind::arg, "element", "fields[", f, "] and fields[", first,
                "] are one vector, and have elements of different types, or other numbers of them");
    }
    return result;
}

void require_same(MPI_Comm comm, const CheckedFields& checked, const ORTHO_Mosaic_field fields[], int d)
{
    constexpr std::size_t most_undivided = 8;
    const long long number[] = {std::ssize(checked.fields)};
    if (const auto differs = agree::find_difference(comm, number))
        base::fail(ErrorKind::mismatch, "nfields", "nfields is ", differs->on_rank_0, " on rank 0, and ",
                   differs->there, " on rank ", differs->rank);
    static constexpr const char* names[] = {"kind", "component",           "group",
                                            "sync", "the type of element", "ndims"};
    std::vector<long long> numbers;
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        const mosaic::Field& field = checked.fields[f];
        const ORTHO_Mosaic_field& given = fields[f];
        const mpi::TypeSignature type = mpi::signature_of(1, given.element);
        const int ndims = given.ndims == 0 ? d : given.ndims;
        numbers.insert(numbers.end(), {given.kind, given.component, given.group, field.syncs ? 1 : 0,
                                       static_cast<long long>(type.hash), ndims});
        for (std::size_t k = 0; k < mosaic::most_dimensions; ++k)
            numbers.insert(numbers.end(),
                           {field.lower[k], field.upper[k], static_cast<long long>(field.location[k])});
        std::array<long long, most_undivided> undivided{};
        std::size_t next = 0;
        for (int k = 0; k < ndims; ++k)
            if (given.dimension == nullptr ? k >= d : given.dimension[k] == ORTHO_UNDIVIDED)
                undivided[std::min(next++, most_undivided - 1)] = given.undivided[k];
        numbers.insert(numbers.end(), undivided.begin(), undivided.end());
        std::array<long long, 4 * mosaic::most_dimensions> sides{};
        for (std::size_t i = 0; i < checked.boundaries[f].size(); ++i) {
            sides[2 * i] = checked.boundaries[f][i].kind;
            sides[2 * i + 1] = checked.boundaries[f][i].sign;
        }
        numbers.insert(numbers.end(), sides.begin(), sides.end());
    }
    const auto differs = agree::find_difference(comm, numbers);
    if (!differs) return;
    const std::size_t each = numbers.size() / checked.fields.size();
    const std::size_t which = differs->index % each;
    constexpr std::size_t before_undivided = std::size(names) + 3 * mosaic::most_dimensions;
    const char* const name = which < std::size(names)                    ? names[which]
                             : which < before_undivided                  ? "lower, upper or location"
                             : which < before_undivided + most_undivided ? "undivided"
                                                                         : "boundary";
    base::fail(ErrorKind::mismatch, "fields", "fields[", differs->index / each, "]: ", name,
               " is not the same on all processes: ", differs->on_rank_0, " on rank 0, and ", differs->there,
               " on rank ", differs->rank);
}

} // namespace ortho::patches
