// SPDX-License-Identifier: BSD-3-Clause
// Errors of our calls in the place of MPI's.

#include "pmpi/replace.hpp"

#include <new>

namespace ortho::pmpi {

int raise_caught(const char* function, MPI_Comm comm)
{
    try {
        throw;
    } catch (const base::Error& error) {
        return ortho_raise(function, comm, error.kind(), error.argument(), error.what());
    } catch (const std::bad_alloc& error) {
        return ortho_raise(function, comm, base::ErrorKind::memory, "memory", error.what());
    }
}

} // namespace ortho::pmpi
