// SPDX-License-Identifier: BSD-3-Clause
// Attribute keys for communicators, windows and datatypes.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "mpi/failure.hpp"
#include "mpi/library_lifetime.hpp"

namespace ortho::mpi {

/// An attribute key, made at first use by `make(int* key)`, and freed by `free(int key)` at the end.
class Key {
public:
    template <class Make, class Free>
    int get(Make make, Free free)
    {
        if (const int key = key_.load(std::memory_order_acquire); key != MPI_KEYVAL_INVALID) return key;
        require_running();
        const std::lock_guard lock(mutex_);
        int key = key_.load();
        if (key != MPI_KEYVAL_INVALID) return key;
        make(&key);
        key_.store(key, std::memory_order_release);
        const auto end = [this, free] {
            free(key_.load());
            key_.store(MPI_KEYVAL_INVALID); // the next get() says that MPI is over
        };
        at_finalize(end, AtEnd::after_all);
        return key;
    }

private:
    std::mutex mutex_;
    std::atomic<int> key_{MPI_KEYVAL_INVALID};
};

/// A key of communicators.
class CommKeyval {
public:
    constexpr CommKeyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove)
        : copy_(copy),
          remove_(remove)
    {}

    int get()
    {
        const auto make = [this](int* made) {
            check(PMPI_Comm_create_keyval(copy_, remove_, made, nullptr));
            if (!has_world()) return;
            at_finalize([key = *made] {
                // Some MPIs do not delete the attributes of MPI_COMM_WORLD when they end.
                void* value = nullptr;
                int found = 0;
                if (PMPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found) == MPI_SUCCESS && found != 0)
                    PMPI_Comm_delete_attr(MPI_COMM_WORLD, key);
            });
        };
        return key_.get(make, [](int key) { PMPI_Comm_free_keyval(&key); });
    }

    /// The attribute, or null.
    void* find(MPI_Comm comm)
    {
        void* value = nullptr;
        int found = 0;
        check_users(PMPI_Comm_get_attr(comm, get(), &value, &found));
        return found != 0 ? value : nullptr;
    }

    void set(MPI_Comm comm, void* value) { check_users(PMPI_Comm_set_attr(comm, get(), value)); }
    /// Gives the value to the attribute, whose delete function owns it then.
    template <class T>
    T& hand_over(MPI_Comm comm, std::unique_ptr<T> value)
    {
        set(comm, value.get());
        return *value.release();
    }

private:
    MPI_Comm_copy_attr_function* copy_;
    MPI_Comm_delete_attr_function* remove_;
    Key key_;
};

/// The base of objects that are attributes of communicators, and end with these.
struct Attached {
    Attached() = default;
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
    virtual ~Attached() = default;

    Counted counted; // destroyed last
};

extern "C" inline int ortho_delete_attached(MPI_Comm, int, void* value, void*)
{
    delete static_cast<Attached*>(value);
    return MPI_SUCCESS;
}

/// Attributes of one type, which a duplicate of a communicator does not get.
template <class T>
class CommAttribute {
public:
    /// Null if there is none.
    T* find(MPI_Comm comm) { return static_cast<T*>(static_cast<Attached*>(keyval_.find(comm))); }
    /// Gives the communicator this one, in place of an older one.
    T& attach(MPI_Comm comm, std::unique_ptr<T> object)
    {
        return static_cast<T&>(keyval_.hand_over(comm, std::unique_ptr<Attached>(std::move(object))));
    }

private:
    CommKeyval keyval_{MPI_COMM_NULL_COPY_FN, ortho_delete_attached};
};

/// A key of windows, which are never copied.
class WinKeyval {
public:
    explicit WinKeyval(MPI_Win_delete_attr_function* remove) : remove_(remove) {}

    /// The attribute, or null.
    void* find(MPI_Win win)
    {
        void* value = nullptr;
        int found = 0;
        check_users(PMPI_Win_get_attr(win, get(), &value, &found));
        return found != 0 ? value : nullptr;
    }

    void set(MPI_Win win, void* value) { check_users(PMPI_Win_set_attr(win, get(), value)); }

private:
    int get()
    {
        return key_.get(
            [this](int* key) { check(PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, remove_, key, nullptr)); },
            [](int key) { PMPI_Win_free_keyval(&key); });
    }

    MPI_Win_delete_attr_function* remove_;
    Key key_;
};

} // namespace ortho::mpi
