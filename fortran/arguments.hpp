// SPDX-License-Identifier: BSD-3-Clause
// Arguments as Fortran passes them, for calls of C.  Each is made in the call's argument list, and gives back
// what the call has written when the call is over.
#pragma once

#include <ISO_Fortran_binding.h>
#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "mpi/interposer.hpp"
#include "mpiortho.h"

extern "C" {
/// In the module: calls mpiortho_fortran_constant with each constant of each of MPI's three bindings.
void mpiortho_fortran_constants();
/// Variables of the module.
extern MPI_Fint mpiortho_fortran_err_name, mpiortho_fortran_err_neighbor, mpiortho_fortran_err_undefined,
    mpiortho_fortran_err_algorithm, mpiortho_fortran_err_mismatch;
}

namespace ortho::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran's integers are C's");

using base::ErrorKind;

/// The error classes of C, for Fortran, which has them after an error.
void copy_error_classes();

/// Info that may be left out.
inline MPI_Info info_of(const MPI_Fint* info)
{
    return info == nullptr ? MPI_INFO_NULL : MPI_Info_f2c(*info);
}

/// Make a call in the name of `routine`.  Errors that this face itself finds are raised on `comm`.
void answer_by(const char* routine, MPI_Comm comm, MPI_Fint* ierror, int (*call)(void*), void* arguments);
template <class Call>
void answer(const char* routine, MPI_Comm comm, MPI_Fint* ierror, Call call)
{
    answer_by(
        routine, comm, ierror, [](void* arguments) -> int { return (*static_cast<Call*>(arguments))(); },
        &call);
}

/// A collective call: what is wrong before it, here alone, must fail on the other processes, too.  Makes the
/// call, which fails with `error` on all of them, and throws what was caught.
template <class Call>
[[noreturn]] void refuse_together(MPI_Comm comm, const base::Error& error, Call&& call)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    if (comm != MPI_COMM_NULL) {
        PMPI_Comm_get_errhandler(comm, &handler);
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        ortho_refuse(&error);
        call();
        ortho_refuse(nullptr);
        PMPI_Comm_set_errhandler(comm, handler);
        PMPI_Errhandler_free(&handler);
    }
    throw;
}

// --- Arrays -----------------------------------------------------------------------------------

/// Elements in a dimension, from 0 on; -1 in the last one of an array of assumed size.  gfortran gives an array
/// without elements what its bounds say: a(5:1) has the extent -3.
CFI_index_t extent_of(const CFI_cdesc_t& array, int dimension);
/// Do its elements lie one behind the other?  An array of assumed size does.
bool is_contiguous(const CFI_cdesc_t& array);
/// The code of its type, of which other compilers have others: CFI_type_other then.
inline int code_of(const CFI_cdesc_t& array)
{
    return array.version == CFI_VERSION ? array.type : CFI_type_other;
}
/// class(*), of which gfortran describes its own container, not the array in it.  No other type has the code.
inline bool is_class_star(const CFI_cdesc_t& array)
{
    return array.version == CFI_VERSION && array.type == CFI_type_other;
}
/// The cure, for messages.
constexpr const char* in_select_type =
    "is class(*), which the compiler does not describe: pass it within select type";
/// integer, real ...; empty for derived types, and for those that are not known.
const char* type_of(int code);
/// The number of its elements; of an array of assumed size, the largest number that there is.
std::size_t elements_of(const CFI_cdesc_t& array);
/// Calls `visit` with the address of each element, in their order.  Not for arrays of assumed size.
void each_element(const CFI_cdesc_t& array, const std::function<void(void*)>& visit);

/// Constants that MPI recognises by their address.
struct Constants {
    static constexpr int kinds = 6;
    enum Kind { in_place, bottom, unweighted, weights_empty, status_ignore, statuses_ignore };
    static constexpr int bindings = 3;
    const void* address[kinds][bindings] = {};
    bool sections_are_right = false; ///< as the compiler of the module passes them

    bool is(Kind kind, const void* p) const
    {
        return p == address[kind][0] || p == address[kind][1] || p == address[kind][2];
    }
};
/// Throws base::Error (other) if sections are not right.
const Constants& constants();

/// A choice buffer.  Throws base::Error (buffer) for a section whose elements lie apart, and for class(*).
void* choice_buffer(const CFI_cdesc_t* array, const char* argument);

/// How many elements of a datatype lie in a choice buffer.  That is not known behind a scalar, which may be
/// the first element of an array.
MPI_Count room_of(const CFI_cdesc_t& array, MPI_Datatype type);

/// Integers that are read.  A section is copied.
class Ints {
public:
    explicit Ints(const CFI_cdesc_t* array);
    operator const int*() const { return data_; }

private:
    std::vector<int> copy_;
    const int* data_;
};

/// Integers that may be written.
class GotInts {
public:
    explicit GotInts(const CFI_cdesc_t* array);
    GotInts(const GotInts&) = delete;
    ~GotInts();
    operator int*() const { return data_; }

private:
    const CFI_cdesc_t* array_;
    std::vector<int> copy_;
    int* data_;
};

/// Indices of which at most n are written, the first ones of a list.  They count from 1 in Fortran.
class GotIndices {
public:
    GotIndices(const CFI_cdesc_t* list, int n)
        : list_(list),
          indices_(static_cast<std::size_t>(n < 0 ? 0 : n) + 1, -1) // those that are not written stay -1
    {}
    GotIndices(const GotIndices&) = delete;
    ~GotIndices();
    operator int*() { return list_->base_addr == nullptr ? nullptr : indices_.data(); }

private:
    const CFI_cdesc_t* list_;
    std::vector<int> indices_;
};

/// Calls `visit` with the addresses of the first n elements of a list.  Throws base::Error (arg) if it has
/// fewer.
void each_of_first(const CFI_cdesc_t& list, const char* argument, MPI_Count n,
                   const std::function<void(void*)>& visit);
/// Integers are of the default kind, or MPI's, which have 8 bytes.
inline bool is_default(const CFI_cdesc_t& list) { return list.elem_len == sizeof(MPI_Fint); }

/// The first n integers of a list.  They count from `first` in Fortran, from 0 in C.
template <class T>
std::vector<T> list_of(const CFI_cdesc_t& list, const char* argument, MPI_Count n, int first)
{
    std::vector<T> numbers;
    numbers.reserve(n < 0 ? 1 : static_cast<std::size_t>(n) + 1); // never null
    each_of_first(list, argument, n, [&](void* p) {
        const MPI_Count number = is_default(list) ? *static_cast<MPI_Fint*>(p) : *static_cast<MPI_Count*>(p);
        numbers.push_back(static_cast<T>(number - first));
    });
    return numbers;
}

/// A number that is written; MPI_UNDEFINED where an integer of the default kind does not hold it.
inline void write_number(MPI_Count number, MPI_Count* to) { *to = number; }
inline void write_number(MPI_Count number, MPI_Fint* to)
{
    *to = number > std::numeric_limits<MPI_Fint>::max() ? MPI_UNDEFINED : static_cast<MPI_Fint>(number);
}

/// Room for n integers, which may be left out: null then.
template <class T>
class GotList {
public:
    GotList(const CFI_cdesc_t* list, const char* argument, MPI_Count n, int first)
        : list_(list),
          argument_(argument),
          first_(first)
    {
        if (list != nullptr) numbers_ = list_of<T>(*list, argument, n, first);
    }
    GotList(const GotList&) = delete;
    ~GotList()
    {
        if (list_ == nullptr) return;
        const T* number = numbers_.data();
        each_of_first(*list_, argument_, static_cast<MPI_Count>(numbers_.size()), [&](void* p) {
            const MPI_Count value = static_cast<MPI_Count>(*number++) + first_;
            if (is_default(*list_))
                write_number(value, static_cast<MPI_Fint*>(p));
            else
                write_number(value, static_cast<MPI_Count*>(p));
        });
    }
    operator T*() { return list_ == nullptr ? nullptr : numbers_.data(); }

private:
    const CFI_cdesc_t* list_;
    const char* argument_;
    int first_;
    std::vector<T> numbers_;
};

/// An index that is written.
class GotIndex {
public:
    explicit GotIndex(MPI_Fint* p) : p_(p) {}
    GotIndex(const GotIndex&) = delete;
    ~GotIndex() { *p_ = value_ == MPI_UNDEFINED ? value_ : value_ + 1; }
    operator int*() { return &value_; }

private:
    MPI_Fint* p_;
    int value_ = -1;
};

/// A number of elements, or one of them, that is written: it counts from `first` in Fortran.
template <class Number>
class GotNumber {
public:
    GotNumber(Number* p, int first) : p_(p), first_(first) {}
    GotNumber(const GotNumber&) = delete;
    ~GotNumber() { write_number(value_ + first_, p_); }
    operator MPI_Count*() { return &value_; }

private:
    Number* p_;
    int first_;
    MPI_Count value_ = 0;
};

/// A handle that is made, or changed.
template <class Handle, class Convert>
class Made {
public:
    Made(MPI_Fint* p, Handle first, Convert convert) : p_(p), value_(first), convert_(convert) {}
    Made(const Made&) = delete;
    ~Made() { *p_ = convert_(value_); }
    operator Handle*() { return &value_; }

private:
    MPI_Fint* p_;
    Handle value_;
    Convert convert_;
};

/// The side of a graph that blocks are of.
enum class Side { in, out };

/// A datatype for each block.  The datatypes of MPI_IN_PLACE are not looked at.
class Types {
public:
    Types(const MPI_Fint* types, MPI_Fint comm, const CFI_cdesc_t* buffer, Side side);
    operator const MPI_Datatype*() const { return types_.data(); }

private:
    std::vector<MPI_Datatype> types_;
};

/// Statuses; Fortran may leave them out.
class Statuses {
public:
    Statuses(MPI_Fint* p, int n);
    Statuses(const Statuses&) = delete;
    ~Statuses();
    operator MPI_Status*() { return p_ == nullptr ? MPI_STATUSES_IGNORE : statuses_.data(); }

private:
    MPI_Fint* p_;
    std::vector<MPI_Status> statuses_;
};
class Status {
public:
    explicit Status(MPI_Fint* p)
        : p_(p == nullptr || constants().is(Constants::status_ignore, p) ? nullptr : p)
    {}
    Status(const Status&) = delete;
    ~Status()
    {
        if (p_ != nullptr) MPI_Status_c2f(&status_, p_);
    }
    operator MPI_Status*() { return p_ == nullptr ? MPI_STATUS_IGNORE : &status_; }

private:
    MPI_Fint* p_;
    MPI_Status status_{};
};

/// Room for a text, with a null char behind it; a character variable is filled up with blanks.
class Text {
public:
    explicit Text(const CFI_cdesc_t* text) : text_(text), room_(text->elem_len + 1) {}
    Text(const Text&) = delete;
    ~Text()
    {
        const std::size_t length = std::strlen(room_.data());
        char* const to = static_cast<char*>(text_->base_addr);
        std::memcpy(to, room_.data(), length);
        std::memset(to + length, ' ', text_->elem_len - length);
    }
    operator char*() { return room_.data(); }

private:
    const CFI_cdesc_t* text_;
    std::vector<char> room_;
};
inline int length(const CFI_cdesc_t* text) { return static_cast<int>(text->elem_len) + 1; }

} // namespace ortho::fortran
