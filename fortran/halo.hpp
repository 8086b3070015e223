// SPDX-License-Identifier: BSD-3-Clause
// Operations on halos, which are given the arrays again.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "fortran/arguments.hpp"
#include "fortran/field.hpp"

namespace ortho::fortran {

/// The shape of an array that was given at first.
struct Array {
    std::size_t element;
    int code; ///< of its type
    std::vector<std::size_t> extents, strides;
    void* base;

    bool is_like(const CFI_cdesc_t& other) const
    {
        if (!has_shape_of(other)) return false;
        for (std::size_t k = 0; k < extents.size(); ++k)
            if (extents[k] > 1 && other.dim[k].sm != static_cast<CFI_index_t>(strides[k])) return false;
        return true;
    }
    /// Are types and shapes equal?
    bool has_shape_of(const CFI_cdesc_t& other) const
    {
        if (other.elem_len != element || static_cast<std::size_t>(other.rank) != extents.size()) return false;
        if (const int its = code_of(other); its != code && !may_be_one_type(its)) return false;
        for (std::size_t k = 0; k < extents.size(); ++k)
            if (extent_of(other, static_cast<int>(k)) != static_cast<CFI_index_t>(extents[k])) return false;
        return true;
    }
    bool may_be_one_type(int its) const
    {
        const char *const mine = type_of(code), *const other = type_of(its);
        return *mine == '\0' || *other == '\0' || mine == other;
    }
};

Array array_of(const Field& field);

/// A field as the library has it, and what it points to.
struct Layout {
    Element element;
    std::vector<MPI_Count> sizes, lower, upper;
    std::vector<MPI_Aint> strides;
    std::vector<int> dimension;
    std::vector<ORTHO_Boundary> sides; ///< none if nothing is said
};
/// `ghosts`: in each of d dimensions, for a field that has none of its own.
Layout layout_of(const Field& field, int number, const std::vector<int>& ghosts, int d, bool reduces);
/// The integers of a list that may be left out.
std::vector<int> numbers_of(const CFI_cdesc_t* list);

/// Bytes behind where an array begins.
struct Place {
    std::size_t array;
    std::ptrdiff_t offset;
};

/// The description of a halo.  Errors go to its communicator, or to MPI_COMM_SELF once that is freed.
/// Copies of a handle lead here when the halo is freed: then this is some other halo's, or waits for one.
struct Arrays {
    ORTHO_Request request = ORTHO_REQUEST_NULL; ///< of the halo; null when it is freed
    std::vector<Array> arrays;
    /// Where the library's fields begin, in a halo of an index map; none in others.
    std::vector<Place> owned, ghosts;
    bool are_examples = false; ///< of a process that has no part of a mosaic: nothing of them travels
    MPI_Comm comm = MPI_COMM_SELF;
    bool is_there = false; ///< the communicator, which tells of its end by an attribute
    int keyval = MPI_KEYVAL_INVALID;

    static Arrays* taken();
    void drop();
    void watch(MPI_Comm of, ORTHO_Request its)
    {
        request = its;
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
        PMPI_Comm_set_attr(of, keyval, this);
        comm = of;
        is_there = true;
    }
    static int forget(MPI_Comm, int, void* value, void*)
    {
        static_cast<Arrays*>(value)->comm = MPI_COMM_SELF;
        static_cast<Arrays*>(value)->is_there = false;
        return MPI_SUCCESS;
    }
};

struct Drop {
    void operator()(Arrays* arrays) const { arrays->drop(); }
};
using TakenArrays = std::unique_ptr<Arrays, Drop>;

struct Halo {
    ORTHO_Request request;
    Arrays* arrays;
};

/// Descriptors of the arrays, and null behind the last one.
using Given = const CFI_cdesc_t* const*;

void halo_start(Halo* halo, Given given, MPI_Fint* ierror);
void halo_wait(Halo* halo, Given given, MPI_Fint* ierror);
void halo_run(Halo* halo, Given given, MPI_Fint* ierror);
void halo_rebind(Halo* halo, Given given, MPI_Fint* ierror);
void halo_ghosts_rebind(Halo* halo, Given given, MPI_Fint* ierror);

/// Where these places are in arrays that begin there.
std::vector<void*> addresses_of(const std::vector<Place>& places, const std::vector<void*>& bases);

} // namespace ortho::fortran
