// SPDX-License-Identifier: BSD-3-Clause
// Data for processes that do not know of it: a part of <mpiortho.hpp>.
//
//     // Block i, the next counts[i] elements of `leaving`, goes to process targets[i].
//     auto arrived = mpiortho::sparse_alltoallv(leaving, targets, counts, comm);
//     for (std::size_t i = 0; i < arrived.size(); ++i) use(arrived.source(i), arrived.block(i));
#ifndef MPIORTHO_SPARSE_HPP
#define MPIORTHO_SPARSE_HPP

#include <span>
#include <vector>

#include "buffer.hpp"
#include "request.hpp"

namespace mpiortho {
inline namespace v0_2 {

/// The blocks that have come, by rising source.
template <class T>
class sparse_blocks {
public:
    /// Receives what has come in a sparse exchange of the C interface.
    explicit sparse_blocks(ORTHO_Sparse exchange)
    {
        int n = 0;
        MPI_Count total = 0;
        detail::check(ORTHO_Sparse_count(exchange, &n, &total), MPI_COMM_SELF);
        data_.resize(static_cast<std::size_t>(total));
        sources_.resize(static_cast<std::size_t>(n));
        counts_.resize(static_cast<std::size_t>(n));
        begins_.resize(static_cast<std::size_t>(n));
        detail::check(ORTHO_Sparse_receive(&exchange, data_.data(), datatype<T>(), sources_.data(),
                                           counts_.data(), begins_.data()),
                      MPI_COMM_SELF);
    }

    /// How many blocks there are.
    std::size_t size() const noexcept { return sources_.size(); }
    int source(std::size_t i) const { return sources_[i]; }
    std::span<const T> block(std::size_t i) const
    {
        return {data_.data() + begins_[i], static_cast<std::size_t>(counts_[i])};
    }
    /// All elements, block after block.
    const std::vector<T>& data() const& noexcept { return data_; }
    std::vector<T> data() && noexcept { return std::move(data_); }

private:
    std::vector<T> data_;
    std::vector<int> sources_;
    std::vector<MPI_Count> counts_;
    std::vector<MPI_Aint> begins_;
};

namespace detail {

/// Where blocks begin that lie one behind the other, and where the last one ends.
inline std::vector<MPI_Aint> begins_of(std::span<const MPI_Count> counts)
{
    std::vector<MPI_Aint> result{0};
    for (const MPI_Count count : counts) result.push_back(result.back() + static_cast<MPI_Aint>(count));
    return result;
}

} // namespace detail

/// Block i is the next counts[i] elements of `send`, for process targets[i]; blocks lie one behind the other.
/// Collective over an intra-communicator.
template <class B, communicator_like C>
auto sparse_alltoallv(const B& send, std::span<const int> targets, std::span<const MPI_Count> counts,
                      const C& comm)
{
    static_assert(detail::lies_in_a_row<const B>, "mpiortho: the buffer of a sparse exchange has no elements "
                                                  "in a row");
    using T = std::remove_cvref_t<decltype(*std::data(send))>;
    const std::vector<MPI_Aint> begins = detail::begins_of(counts);
    const bool is_right = targets.size() == counts.size() &&
                          begins.back() <= static_cast<MPI_Aint>(std::size(send));
    // Of wrong lists the C function tells all processes.
    const int n = is_right ? static_cast<int>(targets.size()) : -1;
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    const int code = ORTHO_Sparse_alltoallv(std::data(send), n, targets.data(), counts.data(), begins.data(),
                                            datatype<T>(), comm, MPI_INFO_NULL, &exchange);
    if (!is_right)
        detail::fail(comm, MPI_ERR_ARG,
                     "mpiortho: targets and counts are not equally long, or counts has more "
                     "elements in all than the buffer");
    detail::check(code, comm);
    return sparse_blocks<T>(exchange);
}

} // namespace v0_2
} // namespace mpiortho

#endif
