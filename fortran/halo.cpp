// SPDX-License-Identifier: BSD-3-Clause
// Halos of Fortran: fields are arrays as descriptors say, and each start, wait and run is given the arrays
// again.
#include <algorithm>
#include <mutex>
#include <string>

#include "fortran/field.hpp"
#include "fortran/halo.hpp"

namespace ortho::fortran {
namespace {

std::string shape_of(const std::vector<std::size_t>& extents, const std::vector<std::size_t>& strides)
{
    std::string text = "shape [";
    for (std::size_t k = 0; k < extents.size(); ++k)
        text += (k == 0 ? "" : ", ") + std::to_string(static_cast<std::ptrdiff_t>(extents[k]));
    text += "], strides of [";
    for (std::size_t k = 0; k < strides.size(); ++k)
        text += (k == 0 ? "" : ", ") + std::to_string(static_cast<std::ptrdiff_t>(strides[k]));
    return text + "] bytes";
}

std::string elements_text(int code, std::size_t bytes)
{
    const std::string type = type_of(code);
    return type + (type.empty() ? "" : " ") + "elements of " + std::to_string(bytes) + " bytes";
}

// --- From arrays to the library's fields ------------------------------------------------------------

/// The grid dimension, from 1, along which each dimension of the array is divided; 0: it is not.
std::vector<int> divided_of(const Field& field, int number, int d)
{
    std::vector<int> along(static_cast<std::size_t>(field.rank), 0);
    const int given = field.ndivided < 0 ? d : field.ndivided;
    base::require(given <= field.rank, ErrorKind::dims, "fields", "field ", number, " has ", field.rank,

                  " dimensions, and ", given,
                  " are to be divided, one for each ghost width or number in divided");
    int n = 0;
    bool all_one = true;
    for (int k = 0; k < given; ++k) {
        along[static_cast<std::size_t>(k)] = field.ndivided < 0 ? k + 1 : field.divided[k];
        if (along[static_cast<std::size_t>(k)] != 0) ++n;
        if (along[static_cast<std::size_t>(k)] > 1) all_one = false;
    }
    if (all_one) { // a mask: in their order
        int next = 0;
        for (int& grid : along)
            if (grid == 1) grid = ++next;
    }
    std::vector<int> sorted;
    std::copy_if(along.begin(), along.end(), std::back_inserter(sorted), [](int grid) { return grid != 0; });
    std::sort(sorted.begin(), sorted.end());
    bool once = n == d;
    for (int i = 0; once && i < d; ++i) once = sorted[static_cast<std::size_t>(i)] == i + 1;
    base::require(once, ErrorKind::dims, "fields", "field ", number,
                  " is not divided along each of the grid's ", d, " dimensions once");
    return along;
}

/// One side's widths, in the order of the grid's dimensions.
const int* widths_of(int n, const int given[], const std::vector<int>& ghosts, int number, std::size_t d)
{
    base::require(n < 0 || static_cast<std::size_t>(n) == d, ErrorKind::dims, "fields", "field ", number,
                  " has ", n, " ghost widths on a grid of ", d, " dimensions");
    base::require(n >= 0 || ghosts.size() == d, ErrorKind::arg, "ghosts",
                  "no ghost widths are given for field ", number);
    return n < 0 ? ghosts.data() : given;
}

/// The number that is given for a side of the grid, or for all.
int of_side(int n, const int given[], int side, int usual)
{
    return n == 0 ? usual : given[n == 1 ? 0 : side];
}

std::string name_of(int i) { return "array " + std::to_string(i + 1); }

constexpr const char* name_the_error_code = "; the error code is given by name: ierror=";

/// Is it a scalar of the default integers?  No field is a scalar.
bool may_be_error_code(const CFI_cdesc_t& given)
{
    const int code = code_of(given);
    return given.rank == 0 && given.elem_len == sizeof(MPI_Fint) &&
           (code == CFI_type_other || (code & CFI_type_mask) == CFI_type_Integer);
}

/// Gives the caller the error code of a call: in `ierror`, or in a variable that was meant as that, but is
/// given as one array too many.
void tell(MPI_Fint code, Given given, MPI_Fint* ierror)
{
    if (ierror != nullptr) *ierror = code;
    if (ierror != nullptr || code == MPI_SUCCESS || given[0] == nullptr) return;
    while (given[1] != nullptr) ++given;
    if (may_be_error_code(**given)) *static_cast<MPI_Fint*>((*given)->base_addr) = code;
}

[[noreturn]] void refuse(const Array& array, const CFI_cdesc_t& given, int i)
{
    std::vector<std::size_t> extents, strides;
    for (int k = 0; k < given.rank; ++k) {
        extents.push_back(static_cast<std::size_t>(extent_of(given, k)));
        strides.push_back(static_cast<std::size_t>(given.dim[k].sm));
    }
    base::fail(ErrorKind::arg, "halo", name_of(i), " has ", elements_text(code_of(given), given.elem_len),
               ", ", shape_of(extents, strides), ", but the halo was made for ",
               elements_text(array.code, array.element), ", ", shape_of(array.extents, array.strides),
               is_class_star(given)        ? "; it is class(*): pass it within select type"
               : may_be_error_code(given)  ? name_the_error_code
               : array.has_shape_of(given) ? "; if this is the same array, the compiler has passed a copy"
                                           : "");
}

std::mutex spare_mutex;
std::vector<Arrays*>& spare = *new std::vector<Arrays*>; // halos may outlive what is destroyed at exit

/// A copy of the handle of a halo that was freed is not.
bool is_live(const Halo& halo) { return halo.arrays != nullptr && halo.arrays->request == halo.request; }

void require_live(const Halo& halo)
{
    base::require(is_live(halo), ErrorKind::request, "halo",
                  "halo was not made by ortho_halo_init or ortho_ghosts_init, or was freed");
}

/// Checks that they are none, or as many as there are fields, each of its field's shape.  Returns whether
/// there are any.
bool check(const Halo& halo, Given given)
{
    require_live(halo);
    const std::vector<Array>& arrays = halo.arrays->arrays;
    int n = 0;
    while (given[n] != nullptr) ++n;
    // Some compilers pass arrays that are not allocated as absent ones.
    base::require(n > 0 || given[1] == nullptr, ErrorKind::buffer, "halo", "array 1 is not allocated");
    if (n == 0) return false;
    if (static_cast<std::size_t>(n) != arrays.size()) [[unlikely]]
        base::fail(ErrorKind::arg, "halo", n, " arrays are given, but the halo is of ", arrays.size(),
                   may_be_error_code(*given[n - 1]) ? name_the_error_code : "");
    for (int i = 0; i < n; ++i) {
        if (given[i]->base_addr == nullptr) [[unlikely]]
            base::fail(ErrorKind::buffer, "halo", name_of(i), " is not allocated, or a null pointer");
        if (const Array& array = arrays[static_cast<std::size_t>(i)]; !array.is_like(*given[i])) [[unlikely]]
            refuse(array, *given[i], i);
    }
    return true;
}

int rebind(const Halo& halo, const std::vector<void*>& bases)
{
    const Arrays& arrays = *halo.arrays;
    if (arrays.owned.empty())
        return ORTHO_Halo_rebind(halo.request, static_cast<int>(bases.size()), bases.data());
    return ORTHO_Ghosts_rebind(halo.request, static_cast<int>(arrays.owned.size()),
                               addresses_of(arrays.owned, bases).data(),
                               addresses_of(arrays.ghosts, bases).data());
}

/// From the next start on, the halo is of these arrays.  Returns MPI's code.
int take(const Halo& halo, Given given)
{
    bool others = false;
    std::vector<Array>& arrays = halo.arrays->arrays;
    for (std::size_t i = 0; i < arrays.size(); ++i) others = others || given[i]->base_addr != arrays[i].base;
    if (!others || halo.arrays->are_examples) return MPI_SUCCESS;
    std::vector<void*> bases;
    for (std::size_t i = 0; i < arrays.size(); ++i) bases.push_back(given[i]->base_addr);
    const int code = rebind(halo, bases);
    if (code != MPI_SUCCESS) return code;
    for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i].base = bases[i];
    return MPI_SUCCESS;
}

MPI_Comm comm_of(const Halo& halo) { return halo.arrays == nullptr ? MPI_COMM_SELF : halo.arrays->comm; }

/// Start, or run.
template <class Call>
void with_arrays(const char* routine, Halo* halo, Given given, MPI_Fint* ierror, Call call)
{
    MPI_Fint result = MPI_SUCCESS;
    answer(routine, comm_of(*halo), &result, [&] {
        const int code = check(*halo, given) ? take(*halo, given) : MPI_SUCCESS;
        return code == MPI_SUCCESS ? call(&halo->request) : code;
    });
    tell(result, given, ierror);
}

/// Fields as the library has them, and what they point to.
struct Description {
    std::vector<Layout> layouts;
    std::vector<ORTHO_Field> fields;
    int d = 0;
};

/// Dimensions of the grid that the communicator is named with; 0 without a name, which the library refuses.
int grid_dimensions(MPI_Comm comm)
{
    int named = 0, d = 0, size = 0;
    if (comm == MPI_COMM_NULL || ORTHO_Cart_test(comm, &named, &d, &size) != MPI_SUCCESS) return 0;
    return d;
}

/// Describes arrays; widths: in each grid dimension, for those that have none of their own.
Description describe(const std::vector<const Field*>& given, const std::vector<int>& widths, MPI_Comm comm,
                     bool reduces, std::vector<Array>& arrays)
{
    constants();
    Description made;
    const int d = grid_dimensions(comm);
    made.d = static_cast<int>(widths.size());
    base::require(d == 0 || made.d == 0 || made.d == d, ErrorKind::dims, "ghosts", "ghosts has ", made.d,
                  made.d == 1 ? " width" : " widths", " on a grid of ", d, " dimensions");
    int number = 0;
    for (const Field* field : given) {
        if (made.d == 0) made.d = d;
        if (made.d == 0) made.d = std::max({field->nlower, field->nupper, 0});
        base::require(made.d > 0, ErrorKind::arg, "ghosts", "no ghost widths are given");
        made.layouts.push_back(layout_of(*field, ++number, widths, made.d, reduces));
        arrays.push_back(array_of(*field));
        base::require(field->nlocation == 0 && field->kind == ORTHO_SCALAR, ErrorKind::arg, "fields",
                      "field ", number, " has a location or a kind, as fields on mosaics have");
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Layout& layout = made.layouts[i];
        ORTHO_Field field = ORTHO_FIELD_INIT;
        field.base = arrays[i].base;
        field.element = layout.element.type;
        field.sizes = layout.sizes.data();
        field.lower = layout.lower.data();
        field.upper = layout.upper.data();
        field.strides = layout.strides.data();
        field.dimension = layout.dimension.data();
        if (!layout.sides.empty()) field.boundary = layout.sides.data();
        field.ndims = static_cast<int>(layout.sizes.size());
        field.order = MPI_ORDER_FORTRAN;
        made.fields.push_back(field);
    }
    return made;
}

void halo_init(const char* routine, const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts, const MPI_Fint* op,
               const MPI_Fint* comm, const MPI_Fint* info, Halo* halo, MPI_Fint* ierror)
{
    *halo = {ORTHO_REQUEST_NULL, nullptr};
    const MPI_Comm c_comm = MPI_Comm_f2c(*comm);
    answer(routine, c_comm, ierror, [&] {
        MPI_Info const c_info = info_of(info);
        const auto init = [&](int n, const ORTHO_Field* library, int d) {
            if (op == nullptr) return ORTHO_Halo_fields_init(n, library, d, c_comm, c_info, &halo->request);
            return ORTHO_Halo_reduce_fields_init(n, library, d, MPI_Op_f2c(*op), c_comm, c_info,
                                                 &halo->request);
        };
        TakenArrays arrays(Arrays::taken());
        Description made;
        try {
            made = describe(fields_of(fields), numbers_of(ghosts), c_comm, op != nullptr, arrays->arrays);
        } catch (const base::Error& error) {
            refuse_together(c_comm, error, [&] { init(-1, nullptr, 1); });
        }
        const int code = init(static_cast<int>(made.fields.size()), made.fields.data(), made.d);
        if (code != MPI_SUCCESS) return code;
        arrays->watch(c_comm, halo->request);
        halo->arrays = arrays.release();
        return code;
    });
}

/// The whole array, if this process is the root.
Description describe_whole(const Field* whole, int root, int d, MPI_Comm comm)
{
    int rank = 0;
    if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
    if (rank != root) return {};
    base::require(whole != nullptr, ErrorKind::arg, "whole", "whole is not given at the root");
    std::vector<Array> arrays;
    return describe({whole}, std::vector<int>(static_cast<std::size_t>(d), 0), comm, false, arrays);
}

/// ORTHO_Field_gather and ORTHO_Field_scatter.
template <class Move>
void move_field(const char* routine, const Field* field, const Field* whole, const CFI_cdesc_t* ghosts,
                const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* ierror, Move move)
{
    const MPI_Comm c_comm = MPI_Comm_f2c(*comm);
    answer(routine, c_comm, ierror, [&] {
        std::vector<Array> arrays;
        Description part, all;
        try {
            part = describe({field}, numbers_of(ghosts), c_comm, false, arrays);
            all = describe_whole(whole, *root, part.d, c_comm);
        } catch (const base::Error& error) {
            refuse_together(c_comm, error, [&] { move(nullptr, nullptr, -1, *root, c_comm); });
        }
        return move(part.fields.data(), all.fields.data(), part.d, *root, c_comm);
    });
}

/// ORTHO_Halo_gather and ORTHO_Halo_scatter.
template <class Move>
void move_field_of(const Halo& halo, const char* routine, const MPI_Fint* field, const Field* whole,
                   const MPI_Fint* root, MPI_Fint* ierror, Move move)
{
    MPI_Comm const comm = comm_of(halo);
    answer(routine, comm, ierror, [&] {
        require_live(halo);
        const int d = halo.arrays->is_there ? grid_dimensions(comm) : 0;
        base::require(d > 0, ErrorKind::request, "halo",
                      "halo is not on a grid, or its communicator was freed");
        Description all;
        try {
            all = describe_whole(whole, *root, d, comm);
        } catch (const base::Error& error) {
            refuse_together(comm, error, [&] { move(halo.request, *field - 1, nullptr, *root); });
        }
        return move(halo.request, *field - 1, all.fields.data(), *root);
    });
}

} // namespace

Arrays* Arrays::taken()
{
    const std::lock_guard lock(spare_mutex);
    if (spare.empty()) return new Arrays;
    Arrays* const arrays = spare.back();
    spare.pop_back();
    return arrays;
}

void Arrays::drop()
{
    if (is_there) PMPI_Comm_delete_attr(comm, keyval);
    if (keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval);
    *this = Arrays{};
    const std::lock_guard lock(spare_mutex);
    spare.push_back(this);
}

Layout layout_of(const Field& field, int number, const std::vector<int>& ghosts, int d, bool reduces)
{
    require_array(field, "field " + std::to_string(number));
    const auto n = static_cast<std::size_t>(d);
    const int* const lower = widths_of(field.nlower, field.lower, ghosts, number, n);
    const int* const upper = widths_of(field.nupper, field.upper, ghosts, number, n);

    for (const int sides : {field.nkinds, field.nsigns})
        base::require(sides <= 1 || sides == 2 * d, ErrorKind::dims, "fields", "field ", number, " has ",
                      sides, " numbers in boundary or sign, and the grid has ", 2 * d, " sides");
    base::require(field.nsigns == 0 || field.nkinds > 0, ErrorKind::arg, "fields", "field ", number,
                  " has a sign, which is for sides that are mirrors, and no boundary");
    const auto* const end = field.kinds + field.nkinds;
    base::require(field.has_value == 0 || std::find(field.kinds, end, ORTHO_BOUNDARY_CONSTANT) != end,
                  ErrorKind::arg, "fields", "field ", number,
                  " has a value, which is for ORTHO_BOUNDARY_CONSTANT, and no side is");

    Layout layout{Element::of(field, reduces), {}, {}, {}, {}, {}, {}};
    for (const int grid : divided_of(field, number, d)) { // from 1
        const std::size_t k = layout.dimension.size();
        layout.sizes.push_back(static_cast<MPI_Count>(field.extents[k]));
        layout.strides.push_back(static_cast<MPI_Aint>(field.strides[k]));
        layout.lower.push_back(grid == 0 ? 0 : lower[grid - 1]);
        layout.upper.push_back(grid == 0 ? 0 : upper[grid - 1]);
        layout.dimension.push_back(grid == 0 ? ORTHO_UNDIVIDED : grid - 1);
        for (int side = 2 * grid - 2; field.nkinds > 0 && side < 2 * grid; ++side) {
            ORTHO_Boundary& boundary = layout.sides.emplace_back();
            if (grid == 0) continue;
            boundary.kind = of_side(field.nkinds, field.kinds, side, ORTHO_BOUNDARY_NONE);
            boundary.sign = of_side(field.nsigns, field.signs, side, 1);
            if (field.has_value != 0) boundary.value = field.value;
        }
    }
    return layout;
}

std::vector<int> numbers_of(const CFI_cdesc_t* list)
{
    std::vector<int> numbers;
    if (list != nullptr)
        each_element(*list, [&](void* element) { numbers.push_back(*static_cast<int*>(element)); });
    return numbers;
}

Array array_of(const Field& field)
{
    return {field.element,
            field.code,
            {field.extents, field.extents + field.rank},
            {field.strides, field.strides + field.rank},
            field.base};
}

std::vector<void*> addresses_of(const std::vector<Place>& places, const std::vector<void*>& bases)
{
    std::vector<void*> addresses;
    for (const Place& place : places)
        addresses.push_back(static_cast<char*>(bases[place.array]) + place.offset);
    return addresses;
}

void halo_start(Halo* halo, Given given, MPI_Fint* ierror)
{
    with_arrays("ortho_start", halo, given, ierror, ORTHO_Start);
}

void halo_run(Halo* halo, Given given, MPI_Fint* ierror)
{
    with_arrays("ortho_run", halo, given, ierror,
                [](ORTHO_Request* request) { return ORTHO_Run(request, MPI_STATUS_IGNORE); });
}

void halo_rebind(Halo* halo, Given given, MPI_Fint* ierror)
{
    with_arrays("ortho_halo_rebind", halo, given, ierror, [](ORTHO_Request*) { return MPI_SUCCESS; });
}

void halo_ghosts_rebind(Halo* halo, Given given, MPI_Fint* ierror)
{
    with_arrays("ortho_ghosts_rebind", halo, given, ierror, [](ORTHO_Request*) { return MPI_SUCCESS; });
}

void halo_wait(Halo* halo, Given given, MPI_Fint* ierror)
{
    MPI_Fint result = MPI_SUCCESS;
    answer("ortho_wait", comm_of(*halo), &result, [&] {
        const int code = ORTHO_Wait(&halo->request, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || !check(*halo, given)) return code;
        for (std::size_t i = 0; i < halo->arrays->arrays.size(); ++i)
            if (given[i]->base_addr != halo->arrays->arrays[i].base) [[unlikely]]
                base::fail(
                    ErrorKind::buffer, "halo", name_of(static_cast<int>(i)),
                    " is not where it was at the start: another array, or a copy that the compiler has made");
        return code;
    });
    tell(result, given, ierror);
}

} // namespace ortho::fortran

using namespace ortho::fortran;

extern "C" {

void mpiortho_fortran_halo_init(const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts, const MPI_Fint* comm,
                                const MPI_Fint* info, Halo* halo, MPI_Fint* ierror)
{
    halo_init("ortho_halo_init", fields, ghosts, nullptr, comm, info, halo, ierror);
}

void mpiortho_fortran_halo_reduce_init(const CFI_cdesc_t* fields, const CFI_cdesc_t* ghosts,
                                       const MPI_Fint* op, const MPI_Fint* comm, const MPI_Fint* info,
                                       Halo* halo, MPI_Fint* ierror)
{
    halo_init("ortho_halo_reduce_init", fields, ghosts, op, comm, info, halo, ierror);
}

void mpiortho_fortran_field_gather(const Field* field, const Field* whole, const MPI_Fint* root,
                                   const MPI_Fint* comm, const CFI_cdesc_t* ghosts, MPI_Fint* ierror)
{
    move_field("ortho_field_gather", field, whole, ghosts, root, comm, ierror, ORTHO_Field_gather);
}

void mpiortho_fortran_field_scatter(const Field* whole, const Field* field, const MPI_Fint* root,
                                    const MPI_Fint* comm, const CFI_cdesc_t* ghosts, MPI_Fint* ierror)
{
    move_field("ortho_field_scatter", field, whole, ghosts, root, comm, ierror,
               [](const ORTHO_Field* part, const ORTHO_Field* all, int d, int from, MPI_Comm c_comm) {
                   return ORTHO_Field_scatter(all, part, d, from, c_comm);
               });
}

void mpiortho_fortran_halo_gather(const Halo* halo, const MPI_Fint* field, const Field* whole,
                                  const MPI_Fint* root, MPI_Fint* ierror)
{
    move_field_of(*halo, "ortho_field_gather", field, whole, root, ierror, ORTHO_Halo_gather);
}

void mpiortho_fortran_halo_scatter(const Halo* halo, const MPI_Fint* field, const Field* whole,
                                   const MPI_Fint* root, MPI_Fint* ierror)
{
    move_field_of(*halo, "ortho_field_scatter", field, whole, root, ierror, ORTHO_Halo_scatter);
}

void mpiortho_fortran_halo_unfilled(const Halo* halo, const MPI_Fint* field, const MPI_Fint* maxn,
                                    const CFI_cdesc_t* directions, MPI_Fint* n, MPI_Fint* ierror)
{
    answer("ortho_halo_unfilled", comm_of(*halo), ierror,
           [&] { return ORTHO_Halo_unfilled(halo->request, *field - 1, *maxn, GotInts(directions), n); });
}

void mpiortho_fortran_halo_test(Halo* halo, MPI_Fint* flag, MPI_Fint* ierror)
{
    answer("ortho_test", comm_of(*halo), ierror,
           [&] { return ORTHO_Test(&halo->request, flag, MPI_STATUS_IGNORE); });
}

void mpiortho_fortran_halo_free(Halo* halo, MPI_Fint* ierror)
{
    answer("ortho_request_free", comm_of(*halo), ierror, [&] {
        ortho::base::require(halo->arrays == nullptr || is_live(*halo), ErrorKind::request, "halo",
                             "halo was freed: the handle is a copy");
        const int code = ORTHO_Request_free(&halo->request);
        if (code != MPI_SUCCESS) return code;
        if (halo->arrays != nullptr) halo->arrays->drop();
        halo->arrays = nullptr;
        return code;
    });
}

} // extern "C"
