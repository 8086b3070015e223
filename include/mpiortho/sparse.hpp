// SPDX-License-Identifier: BSD-3-Clause
// Data for processes that do not know of it: a part of <mpiortho.hpp>.
//
//     // Block i, the next counts[i] elements of `leaving`, goes to process targets[i].
//     auto arrived = mpiortho::sparse_alltoallv(leaving, targets, counts, comm);
//     for (std::size_t i = 0; i < arrived.size(); ++i) use(arrived.source(i), arrived.block(i));
//
//     mine = mpiortho::migrate(std::move(mine), owner_of, comm); // particles, each to its owner
#ifndef MPIORTHO_SPARSE_HPP
#define MPIORTHO_SPARSE_HPP

#include <span>
#include <vector>

#include "buffer.hpp"
#include "list.hpp"
#include "request.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

namespace detail {
/// std::vector<bool> has no data().
template <class T>
using vector_of = std::conditional_t<std::is_same_v<T, bool>, list<T>, std::vector<T>>;
} // namespace detail

/// The blocks that have come, by rising source.
template <class T>
class sparse_blocks {
public:
    /// Receives what has come in a sparse exchange of the C interface, which ends, also with an error.
    explicit sparse_blocks(ORTHO_Sparse exchange)
    {
        const struct ending {
            ORTHO_Sparse& exchange;
            ~ending()
            {
                if (exchange != ORTHO_SPARSE_NULL && detail::is_running()) ORTHO_Sparse_free(&exchange);
            }
        } end{exchange};
        int n = 0;
        MPI_Count total = 0;
        detail::check_code(ORTHO_Sparse_count(exchange, &n, &total), MPI_COMM_SELF);
        data_ = detail::vector_of<T>(static_cast<std::size_t>(total));
        sources_.resize(static_cast<std::size_t>(n));
        counts_.resize(static_cast<std::size_t>(n));
        begins_.resize(static_cast<std::size_t>(n));
        detail::check_code(ORTHO_Sparse_receive_at_most(&exchange, data_.data(), total, datatype<T>(), n,
                                                        sources_.data(), counts_.data(), begins_.data()),
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
    const detail::vector_of<T>& data() const& noexcept { return data_; }
    detail::vector_of<T> data() && noexcept { return std::move(data_); }

private:
    detail::vector_of<T> data_;
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

/// `call(n, begins)` makes the exchange, of n blocks.  The C function tells all processes of wrong lists.
template <class T, class Call>
void exchange_sparsely(const row_of<T>& send, std::span<const int> targets, std::span<const MPI_Count> counts,
                       MPI_Comm comm, Call call)
{
    const std::vector<MPI_Aint> begins = begins_of(counts);
    const bool is_right = targets.size() == counts.size() && send.is_row &&
                          begins.back() <= static_cast<MPI_Aint>(send.size);
    int code = MPI_SUCCESS;
    if (is_right || tells_others(comm))
        code = call(is_right ? static_cast<int>(targets.size()) : -1, begins.data());
    if (!send.is_row)
        fail_on(comm, MPI_ERR_BUFFER,
                "mpiortho: the elements of the buffer do not lie in a row: pass a copy of them");
    if (targets.size() != counts.size())
        fail_on(comm, MPI_ERR_ARG, "mpiortho: targets has %zu processes, and counts %zu blocks",
                targets.size(), counts.size());
    if (!is_right)
        fail_on(comm, MPI_ERR_ARG, "mpiortho: counts has %lld elements in all, and the buffer %zu",
                static_cast<long long>(begins.back()), static_cast<std::size_t>(send.size));
    check_code(code, comm);
}

} // namespace detail

/// Blocks that are on their way: what isparse_alltoallv returns.
template <class T>
class [[nodiscard("what comes would be given up: keep it, and call get()")]] sparse_future
{
public:
    sparse_future(ORTHO_Sparse exchange, pending operation) noexcept
        : exchange_(exchange),
          operation_(std::move(operation))
    {}
    sparse_future(sparse_future && other) noexcept
        : exchange_(std::exchange(other.exchange_, ORTHO_SPARSE_NULL)),
          operation_(std::move(other.operation_))
    {}
    sparse_future& operator=(sparse_future&& other) noexcept
    {
        std::swap(exchange_, other.exchange_);
        std::swap(operation_, other.operation_);
        return *this;
    }
    ~sparse_future()
    {
        operation_ = pending();
        if (exchange_ != ORTHO_SPARSE_NULL && detail::is_running()) ORTHO_Sparse_free(&exchange_);
    }

    /// Wait for the blocks, and return them.
    sparse_blocks<T> get()
    {
        operation_.wait();
        return sparse_blocks<T>(std::exchange(exchange_, ORTHO_SPARSE_NULL));
    }
    bool test() { return operation_.test(); }

private:
    ORTHO_Sparse exchange_;
    pending operation_;
};

/// Block i is the next counts[i] elements of `send`, for process targets[i]; blocks lie one behind the other.
/// Collective over an intra-communicator.
template <class B, communicator_like C>
auto sparse_alltoallv(const B& send, detail::row_span<const int> targets,
                      detail::row_span<const MPI_Count> counts, const C& comm)
{
    using T = detail::element_in<const B>;
    const auto row = detail::row_in(send);
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    detail::exchange_sparsely(row, targets, counts, comm, [&](int n, const MPI_Aint* begins) {
        return ORTHO_Sparse_alltoallv(row.data, n, targets.data(), counts.data(), begins, datatype<T>(), comm,
                                      MPI_INFO_NULL, &exchange);
    });
    return sparse_blocks<T>(exchange);
}

/// Starts the exchange without waiting; `send` may be changed at once.
template <class B, communicator_like C>
auto isparse_alltoallv(const B& send, detail::row_span<const int> targets,
                       detail::row_span<const MPI_Count> counts, const C& comm)
{
    using T = detail::element_in<const B>;
    const auto row = detail::row_in(send);
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    detail::exchange_sparsely(row, targets, counts, comm, [&](int n, const MPI_Aint* begins) {
        return ORTHO_Isparse_alltoallv(row.data, n, targets.data(), counts.data(), begins, datatype<T>(),
                                       comm, MPI_INFO_NULL, &exchange, &request);
    });
    return sparse_future<T>(exchange, pending(request, comm));
}

/// Each element moves to its owner: owner(element), or owner[i] of element i, is a rank of the communicator, or
/// MPI_PROC_NULL for one that goes nowhere.  Returns what this process has then, with what has stayed: by rising
/// rank of the process that had it, in the order that it had there.  Collective over an intra-communicator.
template <class T, class Owner, communicator_like C>
[[nodiscard]] std::vector<T> migrate(std::vector<T> elements, Owner&& owner, const C& comm)
{
    static_assert(element<T>, "mpiortho: the elements have no MPI datatype (see travels_as_bytes)");
    const comm_ref all(comm);
    std::vector<int> owners;
    if constexpr (std::is_invocable_r_v<int, Owner&, const T&>) {
        owners.reserve(elements.size());
        for (const T& element : elements) owners.push_back(owner(element));
    } else {
        constexpr bool is_list = std::is_constructible_v<detail::row_span<const int>, Owner&>;
        static_assert(is_list, "mpiortho: the owners are a function of an element, or a list of ints");
        if constexpr (is_list) {
            const detail::row_span<const int> list(owner);
            owners.assign(list.begin(), list.end());
        }
    }
    if (owners.size() != elements.size()) {
        ORTHO_Sparse none = ORTHO_SPARSE_NULL; // tells the other processes
        if (detail::tells_others(all))
            ORTHO_Sparse_alltoallv(nullptr, -1, nullptr, nullptr, nullptr, datatype<T>(), all, MPI_INFO_NULL,
                                   &none);
        detail::fail_on(all, MPI_ERR_ARG, "mpiortho::migrate: there are %zu owners of %zu elements",
                        owners.size(), elements.size());
    }

    const auto me = static_cast<std::size_t>(all.rank());
    std::vector<MPI_Count> each(static_cast<std::size_t>(all.size()));
    std::vector<std::size_t> ends(each.size()); // among those that leave
    std::vector<int> targets;
    std::vector<MPI_Count> counts;
    for (const int to : owners)
        if (const auto its = static_cast<std::size_t>(to); its < each.size()) {
            ++each[its];
        } else if (to != MPI_PROC_NULL && targets.empty()) { // an error, on all processes
            targets.push_back(to);
            counts.push_back(0);
        }
    std::size_t n = 0;
    for (std::size_t to = 0; to < each.size(); ++to) {
        if (to == me || each[to] == 0) continue;
        targets.push_back(static_cast<int>(to));
        counts.push_back(each[to]);
        ends[to] = n;
        n += static_cast<std::size_t>(each[to]);
    }
    std::vector<T> leaving(n);
    std::size_t stay = 0;
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (const auto to = static_cast<std::size_t>(owners[i]); to == me)
            elements[stay++] = elements[i];
        else if (to < each.size())
            leaving[ends[to]++] = elements[i];
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(stay), elements.end());

    const sparse_blocks<T> arrived = sparse_alltoallv(leaving, targets, counts, all);
    auto middle = arrived.data().begin(); // where those of lower ranks end
    for (std::size_t i = 0; i < arrived.size() && arrived.source(i) < all.rank(); ++i)
        middle += std::ssize(arrived.block(i));
    elements.insert(elements.end(), middle, arrived.data().end());
    elements.insert(elements.begin(), arrived.data().begin(), middle);
    return elements;
}

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
