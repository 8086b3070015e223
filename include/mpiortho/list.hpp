// SPDX-License-Identifier: BSD-3-Clause
// A small list: a part of <mpiortho.hpp> that users need not know.
#ifndef MPIORTHO_LIST_HPP
#define MPIORTHO_LIST_HPP

#include <cstddef>
#include <utility>

// A program that defines MPIORTHO_CHECKED before it includes <mpiortho.hpp> has names of its own: its classes
// have other members.  So units with the macro and without it can be linked, where they share no class.
#ifdef MPIORTHO_CHECKED
#define MPIORTHO_NAMESPACE v0_2_checked
#define MPIORTHO_IF_CHECKED(...) __VA_ARGS__
#else
#define MPIORTHO_NAMESPACE v0_2
#define MPIORTHO_IF_CHECKED(...)
#endif

namespace mpiortho {
inline namespace MPIORTHO_NAMESPACE {
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

#ifdef MPIORTHO_CHECKED
/// The memory of a field, as exchanges know it: has it been given back?  Copies are of one memory.
class watched_memory {
public:
    watched_memory() = default; ///< of which nobody knows
    static watched_memory fresh()
    {
        watched_memory result;
        result.state_ = new state;
        return result;
    }
    watched_memory(const watched_memory& other) noexcept : state_(other.state_)
    {
        if (state_ != nullptr) __atomic_add_fetch(&state_->copies, 1, __ATOMIC_RELAXED);
    }
    watched_memory& operator=(watched_memory other) noexcept
    {
        std::swap(state_, other.state_);
        return *this;
    }
    ~watched_memory()
    {
        if (state_ != nullptr && __atomic_sub_fetch(&state_->copies, 1, __ATOMIC_ACQ_REL) == 0) delete state_;
    }

    void give_back() noexcept
    {
        if (state_ != nullptr) __atomic_store_n(&state_->is_gone, true, __ATOMIC_RELEASE);
    }
    bool is_gone() const noexcept
    {
        return state_ != nullptr && __atomic_load_n(&state_->is_gone, __ATOMIC_ACQUIRE);
    }

private:
    struct state {
        int copies = 1;
        bool is_gone = false;
    };
    state* state_ = nullptr;
};
#endif

} // namespace detail
} // namespace MPIORTHO_NAMESPACE
} // namespace mpiortho

#endif
