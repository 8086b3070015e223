// SPDX-License-Identifier: BSD-3-Clause
// Arrays in memory that the processes of a node share, or in a process's own.
#pragma once

#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// The values of --memory: a process's own, or ORTHO_Alloc_mem's, which the processes of a node share.
inline constexpr const char* private_memory = "private";
inline constexpr const char* shared_memory = "shared";
inline bool is_shared(const std::string& memory) { return memory == shared_memory; }

/// `count` elements, first zero.  T is plain data.
template <class T>
class Array {
public:
    Array(std::size_t count, bool shared)
    {
        if (shared)
            ORTHO_Alloc_mem(static_cast<MPI_Aint>(count * sizeof(T)), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &shared_);
        else
            own_.resize(count);
        std::fill_n(data(), count, T{});
    }
    Array(Array&& other) noexcept
        : own_(std::move(other.own_)),
          shared_(std::exchange(other.shared_, nullptr))
    {}
    Array& operator=(Array&&) = delete;
    ~Array()
    {
        if (shared_ != nullptr) ORTHO_Free_mem(shared_, MPI_COMM_WORLD);
    }
    T* data() { return shared_ != nullptr ? shared_ : own_.data(); }
    const T* data() const { return shared_ != nullptr ? shared_ : own_.data(); }

private:
    std::vector<T> own_;
    T* shared_ = nullptr;
};

} // namespace bench
