// SPDX-License-Identifier: BSD-3-Clause
// Attribute keys for communicators and datatypes.
#pragma once

#include <mpi.h>

#include <atomic>
#include <mutex>

#include "mpi/failure.hpp"
#include "mpi/library.hpp"

namespace ortho::mpi {

/// A communicator attribute key, made at first use and freed at the farewell.
class CommKeyval {
public:
    CommKeyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove)
        : copy_(copy), remove_(remove)
    {
    }

    int get()
    {
        const int key = key_.load(std::memory_order_acquire);
        return key != MPI_KEYVAL_INVALID ? key : make();
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
    void erase(MPI_Comm comm) { check_users(PMPI_Comm_delete_attr(comm, get())); }

private:
    int make()
    {
        require_running();
        const std::lock_guard lock(mutex_);
        int key = key_.load();
        if (key != MPI_KEYVAL_INVALID) return key;
        check(PMPI_Comm_create_keyval(copy_, remove_, &key, nullptr));
        key_.store(key, std::memory_order_release);
        at_farewell([this] {
            // Not every MPI deletes the attributes of MPI_COMM_WORLD when it ends.
            int k = key_.load();
            void* value = nullptr;
            int found = 0;
            if (PMPI_Comm_get_attr(MPI_COMM_WORLD, k, &value, &found) == MPI_SUCCESS && found != 0)
                PMPI_Comm_delete_attr(MPI_COMM_WORLD, k);
            PMPI_Comm_free_keyval(&k);
            key_.store(MPI_KEYVAL_INVALID); // whoever asks for it now is told that MPI is over
        });
        return key;
    }

    MPI_Comm_copy_attr_function* copy_;
    MPI_Comm_delete_attr_function* remove_;
    std::mutex mutex_;
    std::atomic<int> key_{MPI_KEYVAL_INVALID};
};

} // namespace ortho::mpi
