// SPDX-License-Identifier: BSD-3-Clause
// The lifetime of the interposer, which begins with the first call that it sees.

#include "pmpi/init_finalize.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "mpi/library_lifetime.hpp"
#include "mpi/object_info.hpp"
#include "mpi/which_mpi.hpp"
#include "pmpi/call_report.hpp"
#include "pmpi/interposed_topology.hpp"
#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

namespace {

std::atomic<int> made_key{MPI_KEYVAL_INVALID};
std::mutex mutex; // protects the variables below
bool begun = false;
bool has_left = false; // MPI_Finalize calls no functions for attributes that it gets from now on
std::vector<void (*)()> actions;
mpi::Session session; // for programs that never call MPI_Init
#ifdef ORTHO_MPI_SESSIONS
int sessions = 0; // sessions of the program
#endif

void end()
{
    std::vector<void (*)()> last;
    {
        const std::lock_guard lock(mutex);
        last = actions;
        begun = false;
    }
    for (auto* const action : last) action();
    print_report();
    forget_found();
    int key = made_key.exchange(MPI_KEYVAL_INVALID);
    if (key != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&key);
}

extern "C" int ortho_pmpi_farewell(MPI_Comm, int, void*, void*)
{
    has_left = true;
    end();
    return MPI_SUCCESS;
}

bool is_initialized()
{
    int initialized = 0;
    return PMPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0;
}

int begin()
{
    const std::lock_guard lock(mutex);
    if (begun) return made_key.load();
    int made = MPI_KEYVAL_INVALID;
    int farewell = MPI_KEYVAL_INVALID;
    if (!is_initialized() && session.open() != MPI_SUCCESS) return made;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &made, nullptr) != MPI_SUCCESS)
        return made;
    if (is_initialized() && !has_left &&
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ortho_pmpi_farewell, &farewell, nullptr) ==
            MPI_SUCCESS) {
        PMPI_Comm_set_attr(MPI_COMM_SELF, farewell, nullptr);
        PMPI_Comm_free_keyval(&farewell); // it lives until the attribute is deleted
    }
    int level = MPI_THREAD_MULTIPLE; // a session does not tell its level
    int finalized = 0;
    if (is_initialized() && PMPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0)
        PMPI_Query_thread(&level);
    mpi::keep_thread_level(level);
    tell_of_settings(world().rank);
    begun = true;
    made_key.store(made);
    return made;
}

} // namespace

[[gnu::hot]] int key()
{
    const int key = made_key.load(std::memory_order_acquire);
    return key != MPI_KEYVAL_INVALID ? key : begin();
}

void begin_report()
{
    if (wants_report()) key();
}

void at_end(void (*action)())
{
    const std::lock_guard lock(mutex);
    if (std::ranges::find(actions, action) == actions.end()) actions.push_back(action);
}

MPI_Comm self()
{
    const std::lock_guard lock(mutex);
    return session.self() != MPI_COMM_NULL ? session.self() : MPI_COMM_SELF;
}

MPI_Comm make_comm_alone()
{
    // Not by MPI_Comm_dup, which would call the program's functions for its attributes of MPI_COMM_SELF.
    MPI_Comm const comm = self();
    MPI_Group me = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    if (PMPI_Comm_group(comm, &me) != MPI_SUCCESS) return made;
    if (PMPI_Comm_create_group(comm, me, mpi::promised_tag, &made) == MPI_SUCCESS)
        mpi::return_errors(made);
    else
        made = MPI_COMM_NULL;
    PMPI_Group_free(&me);
    return made;
}

mpi::World world()
{
    if (!is_initialized()) return session.world();
    mpi::World result;
    PMPI_Comm_rank(MPI_COMM_WORLD, &result.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &result.size);
    return result;
}

} // namespace ortho::pmpi

#ifdef ORTHO_MPI_SESSIONS
using namespace ortho;

extern "C" {

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* opened)
{
    mpi::refuse_other_abi();
    const int code = PMPI_Session_init(info, errhandler, opened);
    if (code != MPI_SUCCESS) return code;
    pmpi::begin_report();
    const std::lock_guard lock(pmpi::mutex);
    ++pmpi::sessions;
    return code;
}

int MPI_Session_finalize(MPI_Session* closed)
{
    bool is_last = false;
    {
        const std::lock_guard lock(pmpi::mutex);
        is_last = --pmpi::sessions == 0 && pmpi::begun && pmpi::session.self() != MPI_COMM_NULL;
    }
    if (is_last) {
        pmpi::end();
        pmpi::session.close();
    }
    return PMPI_Session_finalize(closed);
}

} // extern "C"
#endif
