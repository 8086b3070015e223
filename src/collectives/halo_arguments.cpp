// SPDX-License-Identifier: BSD-3-Clause
// The arguments of halo exchanges: checked, and compared between processes.

#include "collectives/halo_arguments.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "grid/strided_box.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/operator.hpp"
#include "mpi/public_call.hpp"
#include "mpi/type_signature.hpp"
#include "runtime/internal_collectives.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"

namespace ortho::collectives {

namespace {

using base::ErrorKind;
using base::require;

void require_pointer(const void* pointer, const char* argument, const std::string& name)
{
    require(pointer != nullptr, ErrorKind::arg, argument, name, " is a null pointer");
}

int dimensions_in(const ORTHO_Field& field, int d) { return field.ndims == 0 ? d : field.ndims; }

/// Numbers of array dimensions as those of the grid's.
template <class To, class From>
std::vector<To> by_grid(const From* numbers, const std::vector<int>& dimensions)
{
    std::vector<To> result(dimensions.size());
    for (std::size_t k = 0; k < dimensions.size(); ++k)
        result[at(dimensions[k])] = static_cast<To>(numbers[k]);
    return result;
}

/// The strides of an array that is packed.
std::vector<MPI_Aint> packed_strides(const Field& field, const std::string& whose)
{
    std::vector<MPI_Aint> strides(field.nesting.size());
    MPI_Aint stride = mpi::measure(field.element).extent;
    for (const int k : field.nesting | std::views::reverse) {
        strides[at(k)] = stride;
        require(!__builtin_mul_overflow(stride, static_cast<MPI_Aint>(field.shape.sizes[at(k)]), &stride),
                ErrorKind::arg, "sizes", whose, "sizes makes an array of more bytes than memory has");
    }
    return strides;
}

/// From the innermost dimension on, each stride must step over what lies inside.  Elements with holes may lie
/// in each other's.
void check_strides(const ORTHO_Field& field, int n, const std::string& whose)
{
    std::vector<int> nesting;
    for (int k = 0; k < n; ++k)
        if (field.sizes[k] > 1) nesting.push_back(k);
    const auto distance = [&](int k) {
        return base::times_plus(field.strides[k], field.strides[k] < 0 ? -1 : 1, 0);
    };
    std::ranges::stable_sort(nesting, {}, distance);
    const mpi::Measures element = mpi::measure(field.element);
    std::int64_t inside = element.size == element.true_extent ? element.size : 0;
    for (const int k : nesting) {
        require(field.strides[k] != 0, ErrorKind::arg, "strides", whose, "strides[", k,
                "] is 0, which puts all elements of that dimension in one place");
        require(distance(k) >= inside, ErrorKind::arg, "strides", whose, "strides[", k,
                "] = ", field.strides[k], " does not step over the ", inside, " bytes of ",
                k == nesting.front() ? "an element" : "the elements of the dimensions inside",
                ": elements overlap");
        if (inside > 0) inside = base::times_plus(distance(k), field.sizes[k] - 1, inside);
        require(inside < std::numeric_limits<std::int64_t>::max(), ErrorKind::arg, "strides", whose,
                "strides[", k, "] = ", field.strides[k], " leads further than memory reaches");
    }
}

std::string direction_text(std::span<const int> direction)
{
    std::string result;
    for (const int n : direction) result += base::text(result.empty() ? "(" : ",", n);
    return result + ")";
}

/// The regions among these that the field names.
grid::Stencil regions_of(const ORTHO_Field& field, const grid::Stencil& regions, const std::string& whose)
{
    const int n = field.ndirections;
    if (n == ORTHO_ALL_DIRECTIONS) return regions;
    const int d = regions.dimensions();
    require(n >= 0, ErrorKind::arg, "ndirections", whose, "ndirections = ", n, " is negative");
    if (n > 0) require_pointer(field.directions, "directions", whose + "directions");
    const grid::Halo all = grid::make_halo(
        grid::Grid(std::vector<int>(at(d), 1), std::vector<char>(at(d), 1)), {regions});
    grid::Stencil result(d);
    for (int i = 0; i < n; ++i) {
        const std::span<const int> direction{field.directions + static_cast<std::ptrdiff_t>(i) * d, at(d)};
        const auto name = [&] {
            return base::text(whose, "directions[", i, "] = ", direction_text(direction));
        };
        const bool is_unit = std::ranges::all_of(direction, [](int step) { return step >= -1 && step <= 1; });
        const bool is_zero = std::ranges::all_of(direction, [](int step) { return step == 0; });
        if (!is_unit || is_zero)
            base::fail(ErrorKind::arg, "directions", name(), " is no direction of -1, 0, 1, not all 0");
        if (all.find(direction, 0) < 0)
            base::fail(ErrorKind::arg, "directions", name(),
                       " is a region that the stencil does not fill: the opposite is none of its offsets");
        result.push_back(direction);
    }
    return result;
}

void check_element(MPI_Datatype element, const std::string& name)
{
    require(element != MPI_DATATYPE_NULL, ErrorKind::type, "elements", name, " is MPI_DATATYPE_NULL");
    if (!mpi::is_named(element)) mpi::require_committed(element, name);
}

void check_operator(MPI_Op op, const FieldList& list)
{
    require(op != MPI_OP_NULL, ErrorKind::op, "op", "op is MPI_OP_NULL");
    for (const ORTHO_Field& field : list.fields) mpi::require_operator(op, field.element);
    require(mpi::commutes(op), ErrorKind::op, "op", "op does not commute");
}

void require_pointers(const ORTHO_Field& field, std::size_t f, const FieldNames& names)
{
    for (const void* const reserved : field.reserved)
        if (reserved != nullptr)
            base::fail(ErrorKind::arg, "reserved", names.whose(f),
                       "reserved is not all null: ORTHO_FIELD_INIT sets it");
    const std::pair<const char*, const MPI_Count*> lists[] = {
        {"sizes", field.sizes}, {"lower", field.lower}, {"upper", field.upper}};
    for (const auto& [name, list] : lists)
        if (list == nullptr) base::fail(ErrorKind::arg, name, names.whose(f), name, " is a null pointer");
}

/// Adds a field to what is checked.
void add_field(CheckedFields& checked, const ORTHO_Field& field, int d, const grid::Stencil& regions,
               const FieldNames& names)
{
    const std::size_t f = checked.fields.size();
    const std::string whose = names.whose(f);
    require_pointers(field, f, names);
    const int n = dimensions_in(field, d);
    require(n >= d, ErrorKind::dims, "ndims", whose, "ndims = ", field.ndims, " on a grid of ", d,
            " dimensions");
    grid::GhostedArray{
        {field.sizes, field.sizes + n}, {field.lower, field.lower + n}, {field.upper, field.upper + n}}
        .require_room(whose);
    check_element(field.element, names.element(f));
    const bool has_elements = std::all_of(field.sizes, field.sizes + n,
                                          [](MPI_Count size) { return size > 0; });
    require(!has_elements || field.base != nullptr, ErrorKind::buffer, names.fields(), names.base(f),
            " is a null pointer");
    require(field.base != MPI_IN_PLACE, ErrorKind::buffer, names.fields(), names.base(f), " is MPI_IN_PLACE");
    require(field.order == MPI_ORDER_C || field.order == MPI_ORDER_FORTRAN, ErrorKind::arg, "order", whose,
            "order = ", field.order,
            " is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN: a field begins with ORTHO_FIELD_INIT");

    const std::vector<int> dimensions = dimensions_of(n, field.dimension, d, whose);
    for (int k = 0; k < n; ++k)
        require(dimensions[at(k)] < d || (field.lower[k] == 0 && field.upper[k] == 0), ErrorKind::arg,
                "lower", whose, "lower and upper are not 0 in dimension ", k, ", which is not divided");
    Field result;
    result.shape = {by_grid<std::int64_t>(field.sizes, dimensions),
                    by_grid<std::int64_t>(field.lower, dimensions),
                    by_grid<std::int64_t>(field.upper, dimensions)};
    result.nesting = dimensions;
    if (field.order == MPI_ORDER_FORTRAN) std::ranges::reverse(result.nesting);
    result.element = field.element;
    if (field.strides == nullptr) {
        result.strides = packed_strides(result, whose);
    } else {
        if (has_elements) check_strides(field, n, whose);
        result.strides = by_grid<MPI_Aint>(field.strides, dimensions);
    }
    if (!mpi::is_named(field.element)) {
        checked.elements.push_back(mpi::Datatype::duplicate(field.element));
        result.element = checked.elements.back().get();
    }
    checked.regions.push_back(grid::with_layers(regions_of(field, regions, whose), result.shape));
    checked.fields.push_back(std::move(result));
    checked.bases.push_back(field.base);
    checked.dimensions.push_back(dimensions);
    checked.orders.push_back(field.order);
    checked.types.push_back(mpi::identity(field.element));
}

std::string type_text(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
    return base::text(mpi::text_of(mpi::signature_of(1, type)), ", extent ", mpi::measure(type).extent);
}

/// The properties that ORTHO_Halo_rebind_fields compares.
struct Alike {
    int grid_dimensions;
    std::vector<Field> fields;
    std::vector<std::vector<int>> dimensions;
    std::vector<std::uint64_t> types;

    /// Throws base::Error (arg) unless this may take the place of field f.
    void require(const ORTHO_Field& field, std::size_t f) const
    {
        const FieldNames names;
        require_pointers(field, f, names);
        const auto require_number = [&](const char* member, std::size_t k, long long is, long long was) {
            if (is != was)
                base::fail(ErrorKind::arg, member, names.whose(f), member, "[", k, "] = ", is, ", and was ",
                           was, " when the request was made");
        };
        const Field& made = fields[f];
        const std::size_t n = dimensions[f].size();
        const int d = grid_dimensions;
        if (at(dimensions_in(field, d)) != n)
            base::fail(ErrorKind::arg, "ndims", names.whose(f), "ndims = ", field.ndims,
                       ", and the array had ", n, " dimensions when the request was made");
        const std::vector<int> now = dimensions_of(static_cast<int>(n), field.dimension, d, names.whose(f));
        for (std::size_t k = 0; k < n; ++k) {
            const int along = dimensions[f][k];
            require_number("dimension", k, now[k], along);
            require_number("sizes", k, field.sizes[k], made.shape.sizes[at(along)]);
            require_number("lower", k, field.lower[k], made.shape.lower[at(along)]);
            require_number("upper", k, field.upper[k], made.shape.upper[at(along)]);
        }
        if (!is_same_type(field.element, f))
            base::fail(ErrorKind::arg, "elements", names.element(f), " is ", type_text(field.element),
                       ", and was ", type_text(made.element), " when the request was made");
        if (made.shape.is_empty()) return; // wherever it may lie
        MPI_Aint packed = field.strides == nullptr ? mpi::measure(made.element).extent : 0;
        for (std::size_t i = 0; i < n; ++i) { // the innermost first
            const std::size_t k = field.order == MPI_ORDER_FORTRAN ? i : n - 1 - i;
            if (field.sizes[k] > 1)
                require_number("strides", k, field.strides == nullptr ? packed : field.strides[k],
                               made.strides[at(dimensions[f][k])]);
            packed *= static_cast<MPI_Aint>(field.sizes[k]);
        }
        if (field.base == nullptr || field.base == MPI_IN_PLACE)
            base::fail(ErrorKind::buffer, "fields", names.base(f),
                       field.base == nullptr ? " is a null pointer" : " is MPI_IN_PLACE");
    }

private:
    bool is_same_type(MPI_Datatype type, std::size_t f) const
    {
        // A predefined type is known by its handle.  For other types there is a handle of our own.
        return type == fields[f].element ||
               (type != MPI_DATATYPE_NULL &&
                (mpi::identity(type) == types[f] || mpi::are_alike(type, fields[f].element)));
    }
};

} // namespace

std::vector<int> dimensions_of(int n, const int dimension[], int d, const std::string& whose)
{
    std::vector<int> result(at(n));
    std::iota(result.begin(), result.end(), 0);
    if (dimension == nullptr) return result;
    int next = d;
    for (int k = 0; k < n; ++k) {
        const int along = result[at(k)] = dimension[k];
        if (along == ORTHO_UNDIVIDED) {
            result[at(k)] = next++;
            continue;
        }
        require(along >= 0 && along < d, ErrorKind::arg, "dimension", whose, "dimension[", k, "] = ", along,
                " is no dimension of a grid of ", d);
        const auto before = std::find(result.begin(), result.begin() + k, along);
        require(before == result.begin() + k, ErrorKind::arg, "dimension", whose,
                "dimension is no permutation: dimension[", before - result.begin(), "] and dimension[", k,
                "] are both ", along);
    }
    require(next == n, ErrorKind::arg, "dimension", whose, "dimension names ", n + d - next,
            " of the grid's ", d, " dimensions");
    return result;
}

std::string FieldNames::whose(std::size_t field) const
{
    if (pointer != nullptr) return base::text(pointer, "->");
    return one_shape ? std::string() : base::text("fields[", field, "].");
}

std::string FieldNames::base(std::size_t field) const
{
    return one_shape ? base::text("fields[", field, "]") : whose(field) + "base";
}

std::string FieldNames::element(std::size_t field) const
{
    return one_shape ? base::text("elements[", field, "]") : whose(field) + "element";
}

HaloArguments HaloArguments::of_fields(int nfields, const ORTHO_Field fields[], int d, MPI_Info info)
{
    HaloArguments result;
    result.info = info;
    result.nfields = nfields;
    result.d = d;
    result.list = [=](const grid::Grid&) {
        if (nfields > 0) mpi::require_result(fields, "fields");
        return FieldList{{fields, fields + nfields}};
    };
    return result;
}

HaloArguments HaloArguments::of_one_shape(int nfields, void* const fields[], const MPI_Datatype elements[],
                                          int d, const int sizes[], const int lower[], const int upper[],
                                          MPI_Info info)
{
    HaloArguments result;
    result.info = info;
    result.nfields = nfields;
    result.d = d;
    result.names.one_shape = true;
    result.list = [=](const grid::Grid& grid) {
        mpi::require_result(sizes, "sizes");
        mpi::require_result(lower, "lower");
        mpi::require_result(upper, "upper");
        if (nfields > 0) {
            mpi::require_result(fields, "fields");
            mpi::require_result(elements, "elements");
        }
        FieldList made;
        const int as_grid = grid.is(grid::Order::col_major) && d > 1 ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
        const int order = topology::order_in(info).value_or(as_grid);
        for (const int* const numbers : {sizes, lower, upper})
            made.numbers.insert(made.numbers.end(), numbers, numbers + d);
        for (int f = 0; f < nfields; ++f) {
            ORTHO_Field field = ORTHO_FIELD_INIT;
            field.base = fields[f];
            field.element = elements[f];
            field.sizes = made.numbers.data();
            field.lower = field.sizes + d;
            field.upper = field.lower + d;
            field.order = order;
            made.fields.push_back(field);
        }
        return made;
    };
    return result;
}

CheckedFields check_fields(const HaloArguments& arguments, const grid::Grid& grid,
                           const grid::Stencil& regions)
{
    const int d = arguments.d;
    require(arguments.nfields >= 0, ErrorKind::arg, "nfields", "nfields = ", arguments.nfields,
            " is negative");
    require(d > 0, ErrorKind::dims, "d", "d = ", d, " is not a positive number of dimensions");
    require(d == grid.dimensions(), ErrorKind::dims, "d", "d = ", d, " on a grid of ", grid.dimensions(),
            " dimensions, each of which has ghost widths");
    const FieldList list = arguments.list(grid);
    CheckedFields checked;
    for (const ORTHO_Field& field : list.fields) add_field(checked, field, d, regions, arguments.names);
    if (arguments.reduces) check_operator(arguments.op, list);
    return checked;
}

call::FindOverlap overlap_finder(const CheckedFields& checked)
{
    std::vector<grid::StridedBox> boxes;
    for (const Field& field : checked.fields) {
        const mpi::Measures element = mpi::measure(field.element);
        grid::StridedBox& box = boxes.emplace_back();
        if (field.shape.is_empty() || element.size != element.true_extent) continue;
        box = {element.true_lb, {}, element.size};
        for (std::size_t k = 0; k < field.strides.size(); ++k) {
            const std::int64_t n = field.shape.sizes[k];
            const std::int64_t stride = field.strides[k];
            if (n == 1) continue;
            if (stride < 0) box.address += (n - 1) * stride;
            box.axes.push_back({n, stride < 0 ? -stride : stride});
        }
    }
    return [boxes = std::move(boxes)](const call::Bases& bases) {
        std::vector<grid::StridedBox> placed = boxes;
        for (std::size_t f = 0; f < placed.size(); ++f)
            placed[f].address += reinterpret_cast<std::intptr_t>(bases[f]);
        return grid::find_overlap(placed);
    };
}

std::function<call::Bases(std::span<const ORTHO_Field>)> bases_of_fields_like(const CheckedFields& checked,
                                                                              int d)
{
    return [alike = Alike{d, checked.fields, checked.dimensions, checked.types}](
               std::span<const ORTHO_Field> fields) {
        call::Bases bases;
        for (std::size_t f = 0; f < fields.size(); ++f) {
            alike.require(fields[f], f);
            bases.push_back(fields[f].base);
        }
        return bases;
    };
}

void require_same_fields(MPI_Comm comm, const HaloArguments& arguments, const CheckedFields& checked,
                         const grid::Stencil& regions)
{
    const auto fail_for = [](const char* argument, const std::string& name, const agree::Difference& found,
                             const std::function<std::string(long long)>& words) {
        base::fail(ErrorKind::mismatch, argument, name,
                   " is not the same on all processes: ", words(found.on_rank_0), " on rank 0, ",
                   words(found.there), " on rank ", found.rank);
    };
    const auto number = [](long long n) { return base::text(n); };
    long long n[] = {std::ssize(checked.fields), 0}; // and dimensions of all of them together
    for (const std::vector<int>& dimensions : checked.dimensions) n[1] += std::ssize(dimensions);
    if (const auto found = agree::find_difference(comm, n))
        fail_for(found->index == 0 ? "nfields" : "ndims", found->index == 0 ? "nfields" : "the sum of ndims",
                 *found, number);

    // The lists have one length now.
    struct Entry {
        const char* argument;
        std::string name;
        std::function<std::string(long long)> words;
    };
    std::vector<long long> numbers;
    std::vector<std::function<Entry()>> entries; // made if they are needed
    const auto add = [&](long long value, std::function<Entry()> entry) {
        numbers.push_back(value);
        entries.push_back(std::move(entry));
    };
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        const Field& field = checked.fields[f];
        const std::vector<int>& dimensions = checked.dimensions[f];
        const auto member = [&, f](const char* argument, std::size_t k) {
            return [&, f, argument, k] {
                return Entry{argument, base::text(arguments.names.whose(f), argument, "[", k, "]"), number};
            };
        };
        add(std::ssize(dimensions), [&, f] {
            return Entry{"ndims", arguments.names.whose(f) + "ndims", number};
        });
        add(mpi::measure(field.element).size, [&, f] {
            return Entry{"elements", "the size of " + arguments.names.element(f), number};
        });
        add(checked.orders[f], [&, f] {
            return Entry{"order", arguments.names.whose(f) + "order", [](long long order) {
                             return std::string(order == MPI_ORDER_C ? "MPI_ORDER_C" : "MPI_ORDER_FORTRAN");
                         }};
        });
        for (std::size_t k = 0; k < dimensions.size(); ++k) add(dimensions[k], member("dimension", k));
        for (std::size_t k = 0; k < dimensions.size(); ++k) {
            add(field.shape.lower[at(dimensions[k])], member("lower", k));
            add(field.shape.upper[at(dimensions[k])], member("upper", k));
        }
        for (std::size_t i = 0; i < checked.boundaries[f].size(); ++i) {
            const ORTHO_Boundary& side = checked.boundaries[f][i];
            add(side.kind, member("boundary", i));
            add(side.sign, member("boundary", i));
        }
        const grid::Halo filled = grid::make_halo(
            grid::Grid(std::vector<int>(at(arguments.d), 1), std::vector<char>(at(arguments.d), 1)),
            {checked.regions[f]});
        for (int i = 0; i < regions.size(); ++i)
            add(filled.find(regions[i], 0) >= 0 ? 1 : 0, [&, f, i] {
                return Entry{"directions",
                             base::text(arguments.names.whose(f), "directions: whether ",
                                        direction_text(regions[i]), " is among them"),
                             [](long long is_there) { return std::string(is_there != 0 ? "yes" : "no"); }};
            });
    }
    if (const auto found = agree::find_difference(comm, numbers)) {
        const Entry entry = entries[found->index]();
        fail_for(entry.argument, entry.name, *found, entry.words);
    }
}

void warn_of_what_is_seldom_meant(const HaloArguments& arguments, const grid::Grid& grid)
{
    const FieldList list = arguments.list(grid);
    const auto has_layers = [&](const MPI_Count* layers) {
        return std::any_of(layers, layers + arguments.d, [](MPI_Count n) { return n > 0; });
    };
    for (std::size_t f = 0; f < list.fields.size(); ++f) {
        const ORTHO_Field& field = list.fields[f];
        if (field.ndirections == 0 && field.directions == nullptr &&
            (has_layers(field.lower) || has_layers(field.upper)))
            mpi::warn(base::text("fields[", f,
                                 "] has ghost layers, and ndirections = 0, so that none is filled: ",
                                 "ORTHO_FIELD_INIT sets ORTHO_ALL_DIRECTIONS"));
        if (arguments.names.one_shape && field.order == MPI_ORDER_FORTRAN &&
            !topology::order_in(arguments.info))
            mpi::warn(
                base::text(mpi::PublicCall::current()->function(),
                           " takes the arrays as Fortran's, with the first dimension innermost, since "
                           "the ranks of the grid are numbered so: info ortho_order says C or Fortran"));
    }
}

void require_same_elements(MPI_Comm comm, const HaloArguments& arguments, const CheckedFields& checked)
{
    std::vector<mpi::TypeSignature> mine;
    for (const Field& field : checked.fields) mine.push_back(mpi::signature_of(1, field.element));
    std::vector<mpi::TypeSignature> on_rank_0 = mine;
    runtime::broadcast(comm, on_rank_0.data(), static_cast<int>(mine.size() * sizeof(mpi::TypeSignature)));
    topology::check_together(comm, [&] {
        for (std::size_t f = 0; f < mine.size(); ++f)
            require(mpi::fit(on_rank_0[f], mine[f]), ErrorKind::mismatch, "elements",
                    arguments.names.element(f), " is ", mpi::text_of(mine[f]), ", and on rank 0 ",
                    mpi::text_of(on_rank_0[f]));
    });
}

} // namespace ortho::collectives
