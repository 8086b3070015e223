// SPDX-License-Identifier: BSD-3-Clause
// Communicators for a case, and calls on them.
#pragma once

#include <mpi.h>

#include "conform/exchange_cases.hpp"
#include "conform/outcome.hpp"

namespace conform {

/// A case on the processes of a communicator, as many as it has; nothing in it ends the program when
/// a call returns an error.
class Trial {
public:
    /// `whose`: communicators and calls.
    Trial(const Case& what, Whose whose, MPI_Comm comm);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();

    /// Make a call in one form, twice, with other data the second time.  The words, on rank 0, are of the
    /// first process that finds something wrong.  Collective.
    Result run(const char* collective, Form form) const;

private:
    const Pattern& pattern_;
    Whose whose_;
    MPI_Comm base_;
    MPI_Comm comm_;
};

/// Errors on MPI_COMM_WORLD and MPI_COMM_SELF, too, where some MPIs raise them, are noted, and nothing else.
void note_errors_everywhere();

} // namespace conform
