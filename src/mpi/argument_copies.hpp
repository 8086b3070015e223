// SPDX-License-Identifier: BSD-3-Clause
// Copies of arguments that a user may free once a non-blocking or persistent call has returned.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/count_array.hpp"
#include "mpi/datatype.hpp"

namespace ortho::mpi {

/// Arrays and datatypes, kept as long as this object.  Null stays null.
class ArgumentCopies {
public:
    void keep(CountArray& numbers, int n)
    {
        if (numbers.is_wide()) {
            const MPI_Count* array = numbers.counts();
            copy(counts_, array, n);
            numbers = array;
        } else {
            const int* array = numbers.ints();
            copy(ints_, array, n);
            numbers = array;
        }
    }
    void keep_types(const MPI_Datatype*& array, int n)
    {
        copy(types_, array, n);
        if (array == nullptr) return;
        for (MPI_Datatype& type : types_.back()) keep_type(type);
    }
    void keep_type(MPI_Datatype& type)
    {
        if (type == MPI_DATATYPE_NULL || is_named(type)) return;
        owned_.push_back(Datatype::duplicate(type));
        type = owned_.back().get();
    }

private:
    template <class T>
    static void copy(std::vector<std::vector<T>>& copies, const T*& array, int n)
    {
        if (array == nullptr) return;
        copies.emplace_back(array, array + n);
        array = copies.back().data();
    }

    std::vector<std::vector<int>> ints_;
    std::vector<std::vector<MPI_Count>> counts_;
    std::vector<std::vector<MPI_Datatype>> types_;
    std::vector<Datatype> owned_;
};

} // namespace ortho::mpi
