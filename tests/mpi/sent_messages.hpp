// SPDX-License-Identifier: BSD-3-Clause
// Counts the messages of MPI's that the library sends.  For programs of one file.
#pragma once

#include <dlfcn.h>

namespace test {

inline int sent_messages = 0;

} // namespace test

extern "C" int PMPI_Isend(const void* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
                          MPI_Request* request)
{
    // In a module of loopback the MPI is the program that has loaded it.
    static void* const next = dlsym(RTLD_NEXT, "PMPI_Isend");
    static const auto send = reinterpret_cast<decltype(&PMPI_Isend)>(
        next != nullptr ? next : dlsym(RTLD_DEFAULT, "PMPI_Isend"));
    ++test::sent_messages;
    return send(data, count, type, target, tag, comm, request);
}
