// SPDX-License-Identifier: BSD-3-Clause
// Handles of objects that users make and free.  No MPI in this file.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace ortho::base {

/// The objects that are alive.  find() knows a handle that was never set, or whose object is gone, without
/// reading through it.
template <class Object>
class Handles {
public:
    /// Returns the address of the object as its handle.
    Object* add(std::unique_ptr<Object> object)
    {
        const std::lock_guard lock(mutex_);
        Object* const handle = object.get();
        objects_.emplace(handle, std::move(object));
        return handle;
    }
    /// The object of a handle, or null.
    Object* find(const Object* handle) const
    {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second.get();
    }
    void remove(const Object* handle)
    {
        std::unique_ptr<Object> last; // is destroyed without the lock
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) return;
        last = std::move(found->second);
        objects_.erase(found);
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<const Object*, std::unique_ptr<Object>> objects_;
};

} // namespace ortho::base
