// SPDX-License-Identifier: BSD-3-Clause
// Copies of arguments that a user may free once a non-blocking or persistent call has returned.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <utility>
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
        if (std::ranges::find(made_, type, &Datatype::get) != made_.end()) return;
        owned_.push_back(Datatype::duplicate(type));
        type = owned_.back().get();
    }

    /// Takes over a datatype that has been made for the call.
    MPI_Datatype own(Datatype type) { return made_.emplace_back(std::move(type)).get(); }

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
    std::vector<Datatype> made_;
};

} // namespace ortho::mpi
