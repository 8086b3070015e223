// SPDX-License-Identifier: BSD-3-Clause
// Our own session, for programs that never call MPI_Init.
#pragma once

#include <mpi.h>

namespace ortho::mpi {

/// The place of this process among all that were started together.
struct World {
    int rank = 0;
    int size = 1;
};

/// Open while we need MPI; the program's own sessions may end before.
class Session {
public:
    /// Has the MPI sessions?
#ifdef ORTHO_MPI_SESSIONS
    static constexpr bool exists = true;
#else
    static constexpr bool exists = false;
#endif

    /// Returns MPI's code; MPI_ERR_OTHER with an MPI without sessions.
    int open()
    {
#ifdef ORTHO_MPI_SESSIONS
        const int code = PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_);
        if (code != MPI_SUCCESS) return code;
        MPI_Group me = MPI_GROUP_NULL;
        int made = PMPI_Group_from_session_pset(session_, "mpi://SELF", &me);
        if (made == MPI_SUCCESS)
            made = PMPI_Comm_create_from_group(me, "mpiortho.self", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                               &self_);
        if (me != MPI_GROUP_NULL) PMPI_Group_free(&me);
        if (made != MPI_SUCCESS) close();
        return made;
#else
        return MPI_ERR_OTHER;
#endif
    }
    void close()
    {
#ifdef ORTHO_MPI_SESSIONS
        if (self_ != MPI_COMM_NULL) PMPI_Comm_free(&self_);
        if (session_ != MPI_SESSION_NULL) PMPI_Session_finalize(&session_);
#endif
    }

    /// A communicator of this process alone.
    MPI_Comm self() const { return self_; }
    World world() const
    {
        World result;
#ifdef ORTHO_MPI_SESSIONS
        MPI_Group all = MPI_GROUP_NULL;
        if (PMPI_Group_from_session_pset(session_, "mpi://WORLD", &all) != MPI_SUCCESS) return result;
        PMPI_Group_rank(all, &result.rank);
        PMPI_Group_size(all, &result.size);
        PMPI_Group_free(&all);
#endif
        return result;
    }

private:
#ifdef ORTHO_MPI_SESSIONS
    MPI_Session session_ = MPI_SESSION_NULL;
#endif
    MPI_Comm self_ = MPI_COMM_NULL;
};

} // namespace ortho::mpi
