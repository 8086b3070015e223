// SPDX-License-Identifier: BSD-3-Clause
// The communicator for sparse exchanges behind one of the user's.

#include "sparse/sparse_comm.hpp"

#include <mutex>
#include <utility>

#include "mpi/keyval.hpp"
#include "mpi/library_lifetime.hpp"
#include "runtime/wait.hpp"
#include "topology/private_comm.hpp"

namespace ortho::sparse {

namespace {

/// The attribute of the user's communicator.
struct SparseAttribute {
    mpi::Counted counted; // goes last
    std::shared_ptr<SparseComm> comm = std::make_shared<SparseComm>();
};

extern "C" int ortho_delete_sparse_comm(MPI_Comm, int, void* value, void*)
{
    delete static_cast<SparseAttribute*>(value);
    return MPI_SUCCESS;
}

mpi::CommKeyval& key()
{
    // A duplicate has one of its own.
    static mpi::CommKeyval keyval(MPI_COMM_NULL_COPY_FN, ortho_delete_sparse_comm);
    return keyval;
}

} // namespace

std::shared_ptr<SparseComm> SparseComm::of(MPI_Comm user)
{
    if (const auto* const found = static_cast<const SparseAttribute*>(key().find(user))) return found->comm;
    return key().hand_over(user, std::make_unique<SparseAttribute>()).comm;
}

void SparseComm::make(MPI_Comm user)
{
    runtime::wait_until_on(user, [&] { return is_made(); });
    if (!comm_) comm_ = topology::make_own(user);
}

void SparseComm::begin_to_make(MPI_Comm user)
{
    const std::lock_guard lock(mutex_);
    if (comm_ || next_ != MPI_COMM_NULL) return;
    // MPI has no other call that makes one without waiting.  It runs the program's functions that copy
    // attributes.
    mpi::check_users(PMPI_Comm_idup(user, &next_, &request_));
}

bool SparseComm::is_made()
{
    const std::lock_guard lock(mutex_);
    if (next_ == MPI_COMM_NULL) return true;
    int flag = 0;
    mpi::check(runtime::test(&request_, &flag));
    if (flag == 0) return false;
    comm_ = topology::taken_over(mpi::Comm(std::exchange(next_, MPI_COMM_NULL)));
    return true;
}

} // namespace ortho::sparse
