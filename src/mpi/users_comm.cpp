// SPDX-License-Identifier: BSD-3-Clause
// The program's communicator behind operations of ours, which may outlive it.

#include "mpi/users_comm.hpp"

#include <utility>

#include "mpi/keyval.hpp"
#include "mpi/process_failure.hpp"

namespace ortho::mpi {

namespace {

struct UsersCommAttribute final : Attached {
    ~UsersCommAttribute() override
    {
        try {
            comm->lose();
        } catch (...) {
            // Then errors are raised through the default handler.
        }
    }

    std::shared_ptr<UsersComm> comm = std::make_shared<UsersComm>();
};

} // namespace

std::shared_ptr<UsersComm> UsersComm::of(MPI_Comm comm)
{
    static CommAttribute<UsersCommAttribute> attributes;
    static Mutex making;
    const std::lock_guard lock(making);
    if (const auto* const found = attributes.find(comm)) return found->comm;
    auto made = std::make_unique<UsersCommAttribute>();
    made->comm->set(comm);
    return attributes.attach(comm, std::move(made)).comm;
}

void UsersComm::set(MPI_Comm comm)
{
    const std::lock_guard lock(mutex_);
    comm_ = comm;
}

void UsersComm::lose()
{
    const std::lock_guard lock(mutex_);
    MPI_Comm const freed = std::exchange(comm_, MPI_COMM_NULL);
    was_revoked_ = processes_may_fail() && freed != MPI_COMM_NULL && is_revoked(freed);
    handler_ = Errhandler(freed);
}

MPI_Comm UsersComm::for_errors() noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        if (comm_ != MPI_COMM_NULL) return comm_;
        if (!own_) {
            Comm made = copy_of(self());
            if (handler_.get() != MPI_ERRHANDLER_NULL)
                check(PMPI_Comm_set_errhandler(made.get(), handler_.get()));
            if (was_revoked_) {
                set_own(made.get());
                end_all_on(made.get());
            }
            own_ = std::move(made);
        }
        return own_.get();
    } catch (...) {
        return self(); // an error during an error
    }
}

std::string UsersComm::title() const
{
    const std::lock_guard lock(mutex_); // protects the communicator from being freed
    return comm_ == MPI_COMM_NULL ? "a communicator that was freed" : title_of(comm_);
}

} // namespace ortho::mpi
