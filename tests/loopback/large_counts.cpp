// SPDX-License-Identifier: BSD-3-Clause
// Collectives with counts of type MPI_Count: those with ints, since counts are small here.
#include <vector>

#include "mpi_errors.hpp"

#ifdef ORTHO_MPI_LARGE_COUNTS

namespace {

/// Numbers as ints; null if there are none.
class Ints {
public:
    template <class Number>
    Ints(const Number* numbers, int n) : is_null_(numbers == nullptr)
    {
        for (int i = 0; i < n && !is_null_; ++i) ints_.push_back(static_cast<int>(numbers[i]));
    }
    const int* data() const { return is_null_ ? nullptr : ints_.data(); }

private:
    bool is_null_;
    std::vector<int> ints_;
};

int size_of(MPI_Comm comm)
{
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return size;
}

int partners_of(MPI_Comm comm)
{
    int is_inter = 0, size = size_of(comm);
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter != 0) PMPI_Comm_remote_size(comm, &size);
    return size;
}

} // namespace

#include "calls/loopback.hpp"

#endif
