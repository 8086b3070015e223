// SPDX-License-Identifier: BSD-3-Clause
// A small list: a part of <mpiortho.hpp> that users need not know.
#ifndef MPIORTHO_LIST_HPP
#define MPIORTHO_LIST_HPP

#include <cstddef>
#include <utility>

namespace mpiortho {
inline namespace v0_2 {
namespace detail {

/// A list of simple values: as much of std::vector as is needed here, in a fraction of the time to compile.
template <class T>
class list {
public:
    list() = default;
    explicit list(std::size_t n) : data_(new T[n]()), size_(n), room_(n) {}
    list(const list& other) : list(other.size_)
    {
        for (std::size_t i = 0; i < size_; ++i) data_[i] = other.data_[i];
    }
    list(list&& other) noexcept { swap(other); }
    list& operator=(list other) noexcept
    {
        swap(other);
        return *this;
    }
    ~list() { delete[] data_; }

    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }
    void push_back(T value)
    {
        if (size_ == room_) {
            list larger(2 * room_ + 4);
            for (std::size_t i = 0; i < size_; ++i) larger.data_[i] = std::move(data_[i]);
            larger.size_ = size_;
            swap(larger);
        }
        data_[size_++] = std::move(value);
    }
    void swap(list& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

} // namespace detail
} // namespace v0_2
} // namespace mpiortho

#endif
