// SPDX-License-Identifier: BSD-3-Clause
// Communicators for a case, and calls on them.
#pragma once

#include <mpi.h>

#include "conform/exchange_cases.hpp"
#include "conform/outcome.hpp"

namespace conform {

/// A case on as many processes of a communicator as it needs.  Errors of calls do not end the program.
class Trial {
public:
    /// `whose` communicators and calls to try.
    Trial(const Case& what, Whose whose, MPI_Comm comm);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();

    /// Makes a call in one form, twice, with other data the second time.  The words, on rank 0, are those of
    /// the first process that finds an error.  Collective.
    Result run(const char* collective, Form form) const;

private:
    const Pattern& pattern_;
    Whose whose_;
    MPI_Comm base_;
    MPI_Comm comm_;
};

/// Only notes errors, also on MPI_COMM_WORLD and MPI_COMM_SELF, where some MPIs raise them.
void note_errors_everywhere();

} // namespace conform
