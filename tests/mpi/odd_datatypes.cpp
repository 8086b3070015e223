// SPDX-License-Identifier: BSD-3-Clause
// Datatypes for n ints, as awkward as users', and buffers in which every byte is accounted for.

#include "odd_datatypes.hpp"

namespace test {

Layout::Layout(int kind, int n) : kind_(kind), n_(n)
{
    if (kind_ == 5 && n_ % 2 != 0) kind_ = 0;
    if (n_ == 0) kind_ = 0;
    count_ = n_;
    MPI_Datatype base = MPI_DATATYPE_NULL;
    const MPI_Aint back = -16;
    switch (kind_) {
    case 1:
        MPI_Type_vector(n_, 1, 2, MPI_INT, &type_);
        count_ = 1;
        break;
    case 2: MPI_Type_create_resized(MPI_INT, -16, 12, &type_); break;
    case 3:
        MPI_Type_create_hindexed_block(1, 1, &back, MPI_INT, &base);
        MPI_Type_create_resized(base, -16, 8, &type_);
        break;
    case 4: {
        std::vector<int> positions;
        for (int k = n_; k-- > 0;) positions.push_back(k);
        MPI_Type_create_indexed_block(n_, 1, positions.data(), MPI_INT, &type_);
        count_ = 1;
        break;
    }
    case 5: {
        const int positions[] = {0, n_ / 2};
        MPI_Type_create_indexed_block(2, 1, positions, MPI_INT, &base);
        MPI_Type_create_resized(base, 0, 4, &type_);
        count_ = n_ / 2;
        break;
    }
    case 6:
        MPI_Type_contiguous(n_, MPI_INT, &type_);
        count_ = 1;
        break;
    case 7: { // column 1 of n rows of 3
        const int sizes[] = {n_, 3}, part[] = {n_, 1}, from[] = {0, 1};
        MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &type_);
        count_ = 1;
        break;
    }
    case 8: { // an int; two ints of gap; the others
        const int lengths[] = {1, n_ - 1};
        const MPI_Aint places[] = {0, 12};
        const MPI_Datatype types[] = {MPI_INT, MPI_INT};
        MPI_Type_create_struct(n_ > 1 ? 2 : 1, lengths, places, types, &type_);
        count_ = 1;
        break;
    }
    case 9: type_ = kept; return;
    default: type_ = MPI_INT; return;
    }
    owned_ = true;
    MPI_Type_commit(&type_);
    if (base != MPI_DATATYPE_NULL) MPI_Type_free(&base);
}

Layout::Layout(Layout&& other) noexcept
    : kind_(other.kind_),
      n_(other.n_),
      count_(other.count_),
      type_(other.type_),
      owned_(std::exchange(other.owned_, false))
{}

Layout::~Layout()
{
    if (owned_) MPI_Type_free(&type_);
}

int Layout::position(int k) const
{
    switch (kind_) {
    case 1:
    case 9: return 2 * k;
    case 2: return 3 * k;
    case 3: return 2 * k - 4;
    case 4: return n_ - 1 - k;
    case 5: return k / 2 + k % 2 * (n_ / 2);
    case 7: return 3 * k + 1;
    case 8: return k == 0 ? 0 : k + 2;
    default: return k;
    }
}

int Layout::extent() const
{
    MPI_Aint lb = 0, extent = 0;
    MPI_Type_get_extent(type_, &lb, &extent);
    return static_cast<int>(extent) / 4;
}

std::string Buffer::difference(const Buffer& expected) const
{
    std::ostringstream out;
    for (std::size_t i = 0; i < data_.size(); ++i) {
        if (data_[i] == expected.data_[i]) continue;
        out << "at int " << static_cast<int>(i) - before_ << ": " << data_[i] << " instead of "
            << expected.data_[i];
        break;
    }
    return out.str();
}

} // namespace test
