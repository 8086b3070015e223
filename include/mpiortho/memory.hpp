// SPDX-License-Identifier: BSD-3-Clause
// Memory that the processes of a node share: a part of <mpiortho.hpp>.
#ifndef MPIORTHO_MEMORY_HPP
#define MPIORTHO_MEMORY_HPP

#include <span>
#include <type_traits>
#include <utility>

#include "communicator.hpp"

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {

/// Elements in memory that the other processes of the node can read: large blocks are copied once from there.
///
/// Making it is collective over comm, and so is its destructor.  comm must live as long.  Sizes may differ,
/// and be 0.  The elements are zero bytes or what was there before: set them.
template <class T>
class shared_memory {
    static_assert(std::is_trivially_copyable_v<T>, "mpiortho: shared memory is for trivially copyable types");

public:
    shared_memory() = default;
    shared_memory(MPI_Comm comm, std::size_t n, const info& hints = {}) : size_(n), comm_(comm)
    {
        detail::check_code(ORTHO_Alloc_mem(static_cast<MPI_Aint>(n * sizeof(T)), hints.get(), comm, &data_),
                           comm);
    }
    shared_memory(shared_memory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          comm_(std::exchange(other.comm_, MPI_COMM_NULL))
    {}
    shared_memory& operator=(shared_memory&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(comm_, other.comm_);
        return *this;
    }
    ~shared_memory()
    {
        if (comm_ != MPI_COMM_NULL && detail::is_running()) ORTHO_Free_mem(data_, comm_);
    }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
