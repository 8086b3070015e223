// SPDX-License-Identifier: BSD-3-Clause
// Processes that die: ULFM, if the MPI has it (Open MPI 5) and was started with it.

#include "mpi/process_failure.hpp"

#ifdef ORTHO_MPI_ULFM
#include <mpi-ext.h>
#endif

#include "base/environment.hpp"
#include "mpi/keyval.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/public_call.hpp"

namespace ortho::mpi {

#ifdef ORTHO_MPI_ULFM

namespace {

/// The attribute of the library's own communicators.
CommKeyval& own_key()
{
    static CommKeyval keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN);
    return keyval;
}

bool is_own(MPI_Comm comm) noexcept
{
    try {
        return comm != MPI_COMM_NULL && own_key().find(comm) != nullptr;
    } catch (...) {
        return false;
    }
}

} // namespace

void look_for_ulfm() noexcept
{
    int* value = nullptr;
    int found = 0;
    // A program with sessions has no communicator to ask.
    const bool is_on = has_world()
                           ? PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_FT, &value, &found) == MPI_SUCCESS &&
                                 found != 0 && *value != 0
                           : base::environment("OMPI_MCA_mpi_ft_enable") == "1";
    detail::ulfm.store(is_on);
}

bool is_revoked(MPI_Comm comm) noexcept
{
    int flag = 0;
    return PMPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && flag != 0;
}

bool has_failed(MPI_Comm comm) noexcept
{
    MPI_Group failed = MPI_GROUP_EMPTY;
    int size = 0;
    if (PMPIX_Comm_get_failed(comm, &failed) != MPI_SUCCESS) return false;
    PMPI_Group_size(failed, &size);
    if (failed != MPI_GROUP_EMPTY) PMPI_Group_free(&failed);
    return size > 0;
}

void set_own(MPI_Comm comm)
{
    if (processes_may_fail()) own_key().set(comm, &own_key());
}

void end_all_on(MPI_Comm comm) noexcept
{
    if (processes_may_fail() && is_own(comm)) PMPIX_Comm_revoke(comm);
}

int code_for_user(MPI_Comm comm, int code) noexcept
{
    int error_class = MPI_SUCCESS;
    if (!processes_may_fail() || comm == MPI_COMM_NULL ||
        PMPI_Error_class(code, &error_class) != MPI_SUCCESS || error_class != MPIX_ERR_REVOKED ||
        is_revoked(comm))
        return code;
    return MPIX_ERR_PROC_FAILED;
}

int code_of_revoked() noexcept { return MPIX_ERR_REVOKED; }
int code_of_failed() noexcept { return MPIX_ERR_PROC_FAILED; }

#else

int code_of_revoked() noexcept { return MPI_ERR_OTHER; }
int code_of_failed() noexcept { return MPI_ERR_OTHER; }

#endif

int loss_on(MPI_Comm comm) noexcept
{
    if (!processes_may_fail() || comm == MPI_COMM_NULL || comm == MPI_COMM_SELF) return MPI_SUCCESS;
    if (is_revoked(comm)) return code_of_revoked();
    return has_failed(comm) ? code_of_failed() : MPI_SUCCESS;
}

int loss_in_call() noexcept
{
    const PublicCall* const call = PublicCall::current();
    return call != nullptr ? loss_on(call->comm()) : MPI_SUCCESS;
}

} // namespace ortho::mpi
