// SPDX-License-Identifier: BSD-3-Clause
// Warnings.

#include "mpi/warning.hpp"

#include <cstdio>
#include <mutex>
#include <set>

#include "mpi/library_lifetime.hpp"

namespace ortho::mpi {

void warn(const std::string& text)
{
    static std::mutex said_mutex;
    static std::set<std::string>& said =
        *new std::set<std::string>; // threads may use it when the program ends
    {
        const std::lock_guard lock(said_mutex);
        if (!said.insert(text).second) return;
    }
    if (world().rank == 0) std::fprintf(stderr, "mpiortho: %s\n", text.c_str());
}

} // namespace ortho::mpi
