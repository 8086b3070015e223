// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/arguments.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "grid/grid.hpp"

namespace ortho::fortran {
namespace {

Constants found;

/// The address that stands for a constant of weights, or that of the first element.
int* weights_or_elements(const CFI_cdesc_t& array)
{
    if (constants().is(Constants::unweighted, array.base_addr)) return MPI_UNWEIGHTED;
    if (constants().is(Constants::weights_empty, array.base_addr)) return MPI_WEIGHTS_EMPTY;
    return static_cast<int*>(array.base_addr);
}

/// How many blocks a call on comm has on one side.
int blocks_of(MPI_Comm comm, Side side)
{
    int topology = 0, n = 0;
    if (comm == MPI_COMM_NULL || ORTHO_Topo_test(comm, &topology) != MPI_SUCCESS) return 0;
    if (topology == ORTHO_GRAPH) {
        int in = 0, out = 0, weighted = 0;
        ORTHO_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
        return side == Side::in ? in : out;
    }
    if (topology == ORTHO_INTER)
        PMPI_Comm_remote_size(comm, &n);
    else
        PMPI_Comm_size(comm, &n);
    return n;
}

/// Throws base::Error (dims) unless they are those of a grid that has a process for each point.
void require_dims(MPI_Comm comm, int d, const MPI_Fint dims[])
{
    if (comm == MPI_COMM_NULL) return;
    int processes = 0;
    PMPI_Comm_size(comm, &processes);
    const grid::Grid grid({dims, dims + d}, std::vector<char>(static_cast<std::size_t>(d)),
                          grid::Order::col_major, "dims");
    base::require(grid.points() <= processes, ErrorKind::dims, "dims", "dims gives a grid of ", grid.points(),
                  " processes on a communicator of ", processes);
}

} // namespace

const Constants& constants()
{
    static const bool asked = (mpiortho_fortran_constants(), true);
    static_cast<void>(asked);
    base::require(found.sections_are_right, ErrorKind::other, "arguments",
                  "this Fortran compiler passes sections of arrays otherwise than Fortran 2018 says");
    return found;
}

void copy_error_classes()
{
    mpiortho_fortran_err_name = ORTHO_ERR_NAME;
    mpiortho_fortran_err_neighbor = ORTHO_ERR_NEIGHBOR;
    mpiortho_fortran_err_undefined = ORTHO_ERR_UNDEFINED;
    mpiortho_fortran_err_algorithm = ORTHO_ERR_ALGORITHM;
    mpiortho_fortran_err_mismatch = ORTHO_ERR_MISMATCH;
}

void answer_by(const char* routine, MPI_Comm comm, MPI_Fint* ierror, int (*call)(void*), void* arguments)
{
    struct Face { // an error handler may throw
        explicit Face(const char* name) { ORTHO_Set_face(name, 1); }
        ~Face() { ORTHO_Set_face(nullptr, 0); }
    };
    const int code = [&] {
        const Face face(routine);
        try {
            return call(arguments);
        } catch (const base::Error& error) {
            return ortho_raise(routine, comm, error.kind(), error.argument(), error.what());
        } catch (const std::bad_alloc& error) {
            return ortho_raise(routine, comm, ErrorKind::memory, "", error.what());
        }
    }();
    if (code != MPI_SUCCESS) copy_error_classes();
    if (ierror != nullptr) *ierror = code;
}

CFI_index_t extent_of(const CFI_cdesc_t& array, int dimension)
{
    const CFI_index_t extent = array.dim[dimension].extent;
    const bool is_assumed_size = extent == -1 && dimension == array.rank - 1;
    return extent < 0 && !is_assumed_size ? 0 : extent;
}

bool is_contiguous(const CFI_cdesc_t& array)
{
    CFI_index_t expected = static_cast<CFI_index_t>(array.elem_len);
    bool contiguous = true;
    for (int i = 0; i < array.rank; ++i) {
        const CFI_dim_t& dim = array.dim[i];
        if (extent_of(array, i) == 0) return true;
        if (dim.extent != 1 && dim.sm != expected) contiguous = false;
        expected *= dim.extent;
    }
    return contiguous;
}

const char* type_of(int code)
{
    switch (code & CFI_type_mask) {
    case CFI_type_Integer: return "integer";
    case CFI_type_Logical: return "logical";
    case CFI_type_Real: return "real";
    case CFI_type_Complex: return "complex";
    case CFI_type_Character: return "character";
    default: return "";
    }
}

std::size_t elements_of(const CFI_cdesc_t& array)
{
    if (array.rank > 0 && extent_of(array, array.rank - 1) < 0)
        return static_cast<std::size_t>(std::numeric_limits<MPI_Count>::max());
    std::size_t n = 1;
    for (int i = 0; i < array.rank; ++i)
        n *= static_cast<std::size_t>(std::max<CFI_index_t>(array.dim[i].extent, 0));
    return n;
}

void each_element(const CFI_cdesc_t& array, const std::function<void(void*)>& visit)
{
    CFI_index_t at[CFI_MAX_RANK] = {};
    char* element = static_cast<char*>(array.base_addr);
    for (std::size_t left = elements_of(array); left > 0; --left) {
        visit(element);
        for (int i = 0; i < array.rank; ++i) {
            element += array.dim[i].sm;
            if (++at[i] < array.dim[i].extent) break;
            element -= array.dim[i].sm * at[i];
            at[i] = 0;
        }
    }
}

void each_of_first(const CFI_cdesc_t& list, const char* argument, MPI_Count n,
                   const std::function<void(void*)>& visit)
{
    if (n <= 0) return;
    base::require(list.base_addr != nullptr, ErrorKind::buffer, argument, argument,
                  " is not allocated, or a null pointer");
    base::require(static_cast<MPI_Count>(elements_of(list)) >= n, ErrorKind::arg, argument, argument, " has ",
                  elements_of(list), " elements, and ", n, " are needed");
    MPI_Count left = n;
    if (is_contiguous(list)) {
        for (char* p = static_cast<char*>(list.base_addr); left > 0; --left, p += list.elem_len) visit(p);
        return;
    }
    each_element(list, [&](void* p) {
        if (left-- > 0) visit(p);
    });
}

void* choice_buffer(const CFI_cdesc_t* array, const char* argument)
{
    void* const base = array->base_addr;
    if (base == nullptr) return base; // its extents mean nothing
    if (constants().is(Constants::in_place, base)) return MPI_IN_PLACE;
    if (constants().is(Constants::bottom, base)) return MPI_BOTTOM;
    base::require(!is_class_star(*array), ErrorKind::buffer, argument, argument, " ", in_select_type);
    base::require(is_contiguous(*array), ErrorKind::buffer, argument, argument,
                  " is a section whose elements lie apart: pass its first element and a datatype");
    return base;
}

MPI_Count room_of(const CFI_cdesc_t& array, MPI_Datatype type)
{
    constexpr MPI_Count unknown = std::numeric_limits<MPI_Count>::max();
    const bool is_known = array.base_addr != nullptr && array.rank > 0 &&
                          extent_of(array, array.rank - 1) >= 0 &&
                          !constants().is(Constants::bottom, array.base_addr);
    if (!is_known || type == MPI_DATATYPE_NULL) return unknown;
    MPI_Aint lb = 0, extent = 0, first = 0, reach = 0;
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &first, &reach);
    const MPI_Count bytes = static_cast<MPI_Count>(elements_of(array) * array.elem_len);
    if (extent <= 0) return unknown;
    return bytes < first + reach ? 0 : (bytes - first - reach) / extent + 1;
}

Ints::Ints(const CFI_cdesc_t* array) : data_(weights_or_elements(*array))
{
    if (is_contiguous(*array)) return;
    copy_.reserve(elements_of(*array));
    each_element(*array, [&](void* element) { copy_.push_back(*static_cast<int*>(element)); });
    data_ = copy_.data();
}

GotInts::GotInts(const CFI_cdesc_t* array) : array_(array), data_(weights_or_elements(*array))
{
    if (is_contiguous(*array) || data_ != array->base_addr) return;
    copy_.reserve(elements_of(*array));
    each_element(*array, [&](void* element) { copy_.push_back(*static_cast<int*>(element)); });
    data_ = copy_.data();
}

GotInts::~GotInts()
{
    if (copy_.empty()) return;
    const int* value = copy_.data();
    each_element(*array_, [&](void* element) { *static_cast<int*>(element) = *value++; });
}

GotIndices::~GotIndices()
{
    if (list_->base_addr == nullptr) return;
    const auto end = std::find(indices_.begin(), indices_.end(), -1);
    const auto room = static_cast<MPI_Count>(elements_of(*list_));
    const int* index = indices_.data();
    each_of_first(*list_, "indices", std::min<MPI_Count>(end - indices_.begin(), room),
                  [&](void* element) { *static_cast<int*>(element) = *index++ + 1; });
}

Types::Types(const MPI_Fint* types, MPI_Fint comm, const CFI_cdesc_t* buffer, Side side)
{
    if (constants().is(Constants::in_place, buffer->base_addr)) return;
    const int n = blocks_of(MPI_Comm_f2c(comm), side);
    types_.reserve(static_cast<std::size_t>(n) + 1); // never null
    for (int i = 0; i < n; ++i) types_.push_back(MPI_Type_f2c(types[i]));
}

Statuses::Statuses(MPI_Fint* p, int n)
    : p_(p == nullptr || constants().is(Constants::statuses_ignore, p) || n < 0 ? nullptr : p),
      statuses_(p_ == nullptr ? 0 : static_cast<std::size_t>(n))
{}

Statuses::~Statuses()
{
    if (p_ == nullptr) return;
    MPI_Fint* to = p_;
    for (const MPI_Status& status : statuses_) {
        MPI_Status_c2f(&status, to);
        to += sizeof(MPI_Status) / sizeof(MPI_Fint);
    }
}

} // namespace ortho::fortran

extern "C" void mpiortho_fortran_constant(const MPI_Fint* kind, const MPI_Fint* binding,
                                          const CFI_cdesc_t* constant)
{
    ortho::fortran::found.address[*kind][*binding] = constant->base_addr;
}

/// A list of ortho_cart_name that does not go with dims.
extern "C" void mpiortho_fortran_wrong_size(const MPI_Fint* comm, const char* argument, const MPI_Fint* n,
                                            const MPI_Fint* needed, MPI_Fint* ierror)
{
    using namespace ortho;
    fortran::answer("ortho_cart_name", MPI_Comm_f2c(*comm), ierror, [&]() -> int {
        base::fail(base::ErrorKind::dims, argument, argument, " has ", *n, " elements, and ", *needed,
                   " are needed");
    });
}

/// ORTHO_Cart_name, whose `order` is called dims.
extern "C" void mpiortho_fortran_cart_name_dims(const MPI_Fint* comm, const MPI_Fint* d,
                                                const MPI_Fint* dimorder, const MPI_Fint dims[],
                                                const MPI_Fint periods[], MPI_Fint* size, MPI_Fint* ierror)
{
    using namespace ortho;
    const MPI_Comm c_comm = MPI_Comm_f2c(*comm);
    fortran::answer("ortho_cart_name", c_comm, ierror, [&] {
        fortran::require_dims(c_comm, *d, dims);
        return ORTHO_Cart_name(c_comm, *d, *dimorder, dims, periods, size);
    });
}

/// The part of an array of these sizes that this process of a grid owns, as ORTHO_Blocks_count divides it; none
/// where the process is not on the grid.  Dimensions behind the grid's are not divided.
extern "C" void mpiortho_fortran_block(const MPI_Fint* grid, const CFI_cdesc_t* sizes,
                                       const CFI_cdesc_t* first, const CFI_cdesc_t* n, MPI_Fint* ierror)
{
    using namespace ortho;
    using base::ErrorKind;
    const MPI_Comm comm = MPI_Comm_f2c(*grid);
    fortran::answer("ortho_block", comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, ierror, [&] {
        const auto length = [](const CFI_cdesc_t* list) { return list->dim[0].extent; };
        const auto number = [](const CFI_cdesc_t* list, CFI_index_t k) -> MPI_Fint& {
            return *reinterpret_cast<MPI_Fint*>(static_cast<char*>(list->base_addr) + k * list->dim[0].sm);
        };
        base::require(length(first) == length(sizes) && length(n) == length(sizes), ErrorKind::dims, "first",
                      "first has ", length(first), " elements, n ", length(n), ", and sizes ", length(sizes));
        int is_named = 0, d = 0, points = 0, rank = 0, order = 0, code = MPI_SUCCESS;
        if (comm != MPI_COMM_NULL) {
            PMPI_Comm_rank(comm, &rank);
            code = ORTHO_Cart_test(comm, &is_named, &d, &points);
            base::require(is_named != 0, ErrorKind::name, "grid", "grid has no Cartesian name");
        }
        base::require(length(sizes) >= d, ErrorKind::dims, "sizes", "sizes has ", length(sizes),
                      " elements, and the grid ", d, " dimensions");
        std::vector<int> parts(static_cast<std::size_t>(d) + 1), place = parts, periods = parts;
        const bool owns = rank < points;
        if (owns) code = ORTHO_Cart_get(comm, &order, d, parts.data(), periods.data());
        if (owns && code == MPI_SUCCESS) code = ORTHO_Cart_coordinates(comm, rank, place.data());
        if (code != MPI_SUCCESS) return code;
        for (CFI_index_t k = 0; k < length(sizes); ++k) {
            const MPI_Fint size = number(sizes, k);
            base::require(size >= 0, ErrorKind::count, "sizes", "sizes(", k + 1, ") = ", size,
                          " is negative");
            MPI_Count begin = 0, count = owns ? size : 0;
            const auto i = static_cast<std::size_t>(k);
            if (owns && k < d) ORTHO_Blocks_count(size, parts[i], place[i], &begin, &count);
            number(first, k) = static_cast<MPI_Fint>(begin) + 1;
            number(n, k) = static_cast<MPI_Fint>(count);
        }
        return code;
    });
}

/// A section of 2 x 3 integers, its first one, and the next ones in both dimensions.
extern "C" void mpiortho_fortran_section(const CFI_cdesc_t* a, const char* first, const char* below,
                                         const char* beside)
{
    ortho::fortran::found.sections_are_right = a->base_addr == first && a->elem_len == sizeof(MPI_Fint) &&
                                               a->rank == 2 && a->dim[0].extent == 2 &&
                                               a->dim[1].extent == 3 && first + a->dim[0].sm == below &&
                                               first + a->dim[1].sm == beside;
}
