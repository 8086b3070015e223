// SPDX-License-Identifier: BSD-3-Clause
// type(ortho_field): an array of Fortran, for halos and index maps.

#include "fortran/field.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ortho::fortran {
namespace {

/// An error that ortho_field cannot raise where it is called, since it has no communicator.
enum Problem { none, assumed_size, too_many, no_array, class_star, addresses, overlapping, other_value };

/// A list that may be left out.  Returns its length, or -1.
int read_list(const CFI_cdesc_t* list, int to[], int& problem, int most = most_dimensions)
{
    if (list == nullptr) return -1;
    const int n = static_cast<int>(list->dim[0].extent);
    if (n > most) {
        problem = too_many;
        return 0;
    }
    each_element(*list, [&to](void* element) { *to++ = *static_cast<int*>(element); });
    return n;
}

/// Do elements overlap?  No array's do, but gfortran says so of class(*) that is character(*) in select type.
bool overlap(const CFI_cdesc_t& a)
{
    if (a.base_addr == nullptr || elements_of(a) == 0) return false;
    return std::any_of(a.dim, a.dim + a.rank, [&a](const CFI_dim_t& dim) {
        return dim.extent > 1 && static_cast<std::size_t>(std::abs(dim.sm)) < a.elem_len;
    });
}

/// The dummy arguments that describe ghosts.
struct Ghosts {
    const CFI_cdesc_t *divided, *lower, *upper, *boundary, *sign, *value, *location;
    const MPI_Fint* kind;
};

Field field_of(const CFI_cdesc_t* a, int datatype, const Ghosts& given)
{
    Field field{};
    field.base = a->base_addr;
    if (overlap(*a)) field.problem = overlapping;
    if (code_of(*a) == CFI_type_cptr) field.problem = addresses;
    if (is_class_star(*a)) field.problem = class_star;
    if (field.base == nullptr) field.problem = no_array; // its extents mean nothing
    field.element = a->elem_len;
    field.code = code_of(*a);
    field.datatype = datatype;
    field.rank = a->rank;
    for (int k = 0; k < a->rank; ++k) {
        if (field.base != nullptr && extent_of(*a, k) < 0) field.problem = assumed_size;
        field.extents[k] = static_cast<std::size_t>(extent_of(*a, k));
        field.strides[k] = static_cast<std::size_t>(a->dim[k].sm);
    }
    field.ndivided = read_list(given.divided, field.divided, field.problem);
    field.nlower = read_list(given.lower, field.lower, field.problem);
    field.nupper = read_list(given.upper, field.upper, field.problem);
    field.nkinds = std::max(read_list(given.boundary, field.kinds, field.problem, 2 * most_dimensions), 0);
    field.nsigns = std::max(read_list(given.sign, field.signs, field.problem, 2 * most_dimensions), 0);
    field.nlocation = std::max(read_list(given.location, field.location, field.problem, 4), 0);
    if (given.kind != nullptr) field.kind = *given.kind;
    if (given.value != nullptr) {
        const CFI_cdesc_t& value = *given.value;
        const bool is_like = value.elem_len == a->elem_len && code_of(value) == code_of(*a) &&
                             value.elem_len <= sizeof field.value && value.base_addr != nullptr;
        if (is_like)
            std::memcpy(field.value, value.base_addr, value.elem_len);
        else if (field.problem == none)
            field.problem = other_value;
        field.has_value = 1;
    }
    return field;
}

/// The datatype of numbers that reductions know; MPI_DATATYPE_NULL for others.
MPI_Datatype number_type(int code, std::size_t size)
{
    switch (code) {
    case CFI_type_int8_t: return MPI_INT8_T;
    case CFI_type_int16_t: return MPI_INT16_T;
    case CFI_type_int32_t: return MPI_INT32_T;
    case CFI_type_int64_t: return MPI_INT64_T;
    case CFI_type_float: return MPI_FLOAT;
    case CFI_type_double: return MPI_DOUBLE;
    case CFI_type_float_Complex: return MPI_C_FLOAT_COMPLEX;
    case CFI_type_double_Complex: return MPI_C_DOUBLE_COMPLEX;
    default: {
        const bool is_logical = (code & CFI_type_mask) == CFI_type_Logical && size == sizeof(MPI_Fint);
        return is_logical ? MPI_LOGICAL : MPI_DATATYPE_NULL;
    }
    }
}

} // namespace

std::vector<const Field*> fields_of(const CFI_cdesc_t* list)
{
    std::vector<const Field*> fields;
    each_element(*list, [&](void* field) { fields.push_back(static_cast<const Field*>(field)); });
    return fields;
}

void require_array(const Field& field, const std::string& name)
{
    base::require(field.problem != assumed_size, ErrorKind::arg, "fields", name,
                  " is an array of assumed size: its last extent is not known");
    base::require(field.problem != no_array, ErrorKind::buffer, "fields", name,
                  " is not allocated, or a null pointer");
    base::require(field.problem != class_star, ErrorKind::type, "fields", name, " ", in_select_type);
    base::require(field.problem != addresses, ErrorKind::type, "fields", name,
                  " is of type(c_ptr), or class(*) that was passed on as type(*)");
    base::require(field.problem != overlapping, ErrorKind::type, "fields", name,
                  " has elements that overlap, as the compiler describes them");
    base::require(field.problem != too_many, ErrorKind::arg, "fields", name,
                  " has a list of more than 15, 30 for the sides of 15 dimensions, or 4 locations");
    base::require(field.problem != other_value, ErrorKind::type, "fields", name,
                  " has a value that is no element as the array's, of at most 64 bytes");
}

Element::Element(Element&& other) noexcept
    : type(std::exchange(other.type, MPI_DATATYPE_NULL)),
      made_(std::exchange(other.made_, false))
{}

Element& Element::operator=(Element&& other) noexcept
{
    std::swap(type, other.type);
    std::swap(made_, other.made_);
    return *this;
}

Element::~Element()
{
    if (made_) PMPI_Type_free(&type);
}

Element Element::made(MPI_Datatype type)
{
    PMPI_Type_commit(&type);
    Element element;
    element.type = type;
    element.made_ = true;
    return element;
}

Element Element::of(const Field& field, bool reduces)
{
    Element element;
    element.type = field.datatype == unknown ? number_type(field.code, field.element)
                                             : MPI_Type_f2c(field.datatype);
    if (element.type != MPI_DATATYPE_NULL || field.datatype != unknown) return element;
    base::require(!reduces, ErrorKind::type, "fields",
                  "ortho_field needs a datatype to reduce such elements");
    element.type = MPI_BYTE;
    return element.row(field.element);
}

Element Element::spaced(std::size_t extent) const
{
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    PMPI_Type_create_resized(type, 0, static_cast<MPI_Aint>(extent), &spread);
    return made(spread);
}

Element Element::row(std::size_t count) const
{
    MPI_Datatype several = MPI_DATATYPE_NULL;
    PMPI_Type_contiguous(static_cast<int>(count), type, &several);
    return made(several);
}

Element Element::strided(std::size_t count, std::ptrdiff_t stride) const
{
    MPI_Datatype several = MPI_DATATYPE_NULL;
    PMPI_Type_create_hvector(static_cast<int>(count), 1, stride, type, &several);
    return made(several);
}

} // namespace ortho::fortran

using namespace ortho::fortran;

extern "C" {

Field mpiortho_fortran_field(const CFI_cdesc_t* a, const CFI_cdesc_t* divided, const CFI_cdesc_t* lower,
                             const CFI_cdesc_t* upper, const CFI_cdesc_t* boundary, const CFI_cdesc_t* sign,
                             const CFI_cdesc_t* value, const CFI_cdesc_t* location, const MPI_Fint* kind)
{
    return field_of(a, Element::unknown, {divided, lower, upper, boundary, sign, value, location, kind});
}

Field mpiortho_fortran_field_of_type(const CFI_cdesc_t* a, const MPI_Fint* datatype,
                                     const CFI_cdesc_t* divided, const CFI_cdesc_t* lower,
                                     const CFI_cdesc_t* upper, const CFI_cdesc_t* boundary,
                                     const CFI_cdesc_t* sign, const CFI_cdesc_t* value,
                                     const CFI_cdesc_t* location, const MPI_Fint* kind)
{
    return field_of(a, *datatype, {divided, lower, upper, boundary, sign, value, location, kind});
}

} // extern "C"
