// SPDX-License-Identifier: BSD-3-Clause
// The interposer's life, which begins with the first call that it looks at.

#include "pmpi/life.hpp"

#include <atomic>
#include <mutex>
#include <vector>

#include "pmpi/carried.hpp"
#include "pmpi/report.hpp"

namespace ortho::pmpi {

namespace {

std::atomic<int> made_key{MPI_KEYVAL_INVALID};
std::mutex mutex; // of what follows
bool begun = false;
std::vector<void (*)()> actions;

extern "C" int ortho_pmpi_farewell(MPI_Comm, int, void*, void*)
{
    std::vector<void (*)()> last;
    {
        const std::lock_guard lock(mutex);
        last.swap(actions);
    }
    for (auto* const action : last) action();
    print_report();
    int key = made_key.exchange(MPI_KEYVAL_INVALID);
    if (key != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&key);
    return MPI_SUCCESS;
}

int begin()
{
    const std::lock_guard lock(mutex);
    if (begun) return made_key.load();
    int made = MPI_KEYVAL_INVALID;
    int farewell = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(copy_carried, delete_carried, &made, nullptr) != MPI_SUCCESS) return made;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ortho_pmpi_farewell, &farewell, nullptr) == MPI_SUCCESS) {
        PMPI_Comm_set_attr(MPI_COMM_SELF, farewell, nullptr);
        PMPI_Comm_free_keyval(&farewell); // it lives on until the attribute is deleted
    }
    begun = true;
    made_key.store(made);
    return made;
}

} // namespace

int key()
{
    const int key = made_key.load(std::memory_order_acquire);
    return key != MPI_KEYVAL_INVALID ? key : begin();
}

void at_end(void (*action)())
{
    const std::lock_guard lock(mutex);
    actions.push_back(action);
}

} // namespace ortho::pmpi
