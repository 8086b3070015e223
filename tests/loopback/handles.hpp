// SPDX-License-Identifier: BSD-3-Clause
// Handles of our own: ints with some MPIs, pointers with others.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace loopback {

template <class Handle>
Handle handle_of(std::uintptr_t number)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Handle>(number);
    else
        return static_cast<Handle>(number);
}

template <class Handle>
std::uintptr_t number_of(Handle handle)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<std::uintptr_t>(handle);
    else
        return static_cast<std::uintptr_t>(static_cast<unsigned>(handle));
}

/// The objects of one kind that a process has handles of.  The last handle that was freed is used again
/// first, as MPIs do.
template <class Handle, class Object, unsigned kind>
class Table {
public:
    Handle add(std::unique_ptr<Object> object)
    {
        std::size_t index = objects_.size();
        if (free_.empty()) {
            objects_.push_back(std::move(object));
        } else {
            index = free_.back();
            free_.pop_back();
            objects_[index] = std::move(object);
        }
        return handle_of<Handle>(base + index * step);
    }

    /// Null if there is none.
    Object* find(Handle handle) const
    {
        const std::uintptr_t offset = number_of(handle) - base;
        return offset / step < objects_.size() && offset % step == 0 ? objects_[offset / step].get()
                                                                     : nullptr;
    }

    std::unique_ptr<Object> remove(Handle handle)
    {
        const std::size_t index = (number_of(handle) - base) / step;
        free_.push_back(index);
        return std::move(objects_[index]);
    }

    template <class F>
    void for_each(F f) const
    {
        for (const auto& object : objects_)
            if (object) f(*object);
    }

private:
    static constexpr std::uintptr_t base = 0x70000000U + (kind << 24U);
    static constexpr std::uintptr_t step = 16; // pointers are aligned
    std::vector<std::unique_ptr<Object>> objects_;
    std::vector<std::size_t> free_;
};

} // namespace loopback
