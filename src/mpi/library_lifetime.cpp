// SPDX-License-Identifier: BSD-3-Clause
// The lifetime of the library: from MPI_Init to MPI_Finalize, or as long as a program with sessions uses it.

#include "mpi/library_lifetime.hpp"

#include <pthread.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi/failure.hpp"
#include "mpi/process_failure.hpp"
#include "mpi/public_call.hpp"
#include "mpi/which_mpi.hpp"

namespace ortho::mpi {

namespace {

using detail::Life;
using detail::life;

std::atomic<bool> in_session{false};
std::atomic<bool> knows_session{false}; // the program has made a call on a session's communicator
std::atomic<int> held{0};
std::mutex life_mutex;                                     // protects the variables below
std::array<std::vector<std::function<void()>>, 3> actions; // by AtEnd
Session session; // from the first call until exit(): MPI_Session_init of MPICH 4 and Open MPI 5 may crash

void end(Life next) noexcept
{
    for (auto& list : actions) {
        std::vector<std::function<void()>> last;
        {
            const std::lock_guard lock(life_mutex);
            if (&list == &actions.back() && held.load() > 0) break;
            last.swap(list);
        }
        for (auto action = last.rbegin(); action != last.rend(); ++action) try {
                (*action)();
            } catch (...) { // MPI ends whatever could not be freed
            }
    }
    life.store(next);
    in_session.store(false);
}

extern "C" int ortho_farewell(MPI_Comm, int, void*, void*)
{
    if (life.load() != Life::over) end(Life::leaving);
    return MPI_SUCCESS;
}

bool is_initialized()
{
    int initialized = 0;
    check(PMPI_Initialized(&initialized));
    return initialized != 0;
}

/// Is this thread in a public call on a communicator that must be a session's?  Valid in a program that never
/// calls MPI_Init: after MPI_Finalize a handle may belong to a communicator that does not exist any more.
bool has_session()
{
    const PublicCall* const call = PublicCall::current();
    if (!Session::exists || call == nullptr) return false;
    MPI_Comm const comm = call->comm();
    // A handle in static memory that was never set is zero.
    return comm != MPI_Comm{} && comm != MPI_COMM_NULL && comm != MPI_COMM_SELF && comm != MPI_COMM_WORLD;
}

void require_mpi_now(bool is_there)
{
    base::require(is_there, base::ErrorKind::other, "MPI_Init",
                  "called before MPI_Init or after MPI_Finalize");
}

void leave_session() noexcept
{
    if (life.load() == Life::over) return;
    if (in_session.load() && held.load() > 0) return;
    if (in_session.load() || !is_running()) end(Life::over);
    session.close();
}

/// A launcher's variables in the environment.
struct Launcher {
    const char* of;   ///< the launcher's MPI
    const char* size; ///< size of the world that it has started
    const char* rank;
    const char* ours;
};

constexpr Launcher of_mpich{"MPICH", "PMI_SIZE", "PMI_RANK", "Open MPI"};
constexpr Launcher of_open_mpi{"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "MPICH"};

/// Warns if the launcher of another MPI, or srun by a protocol of another MPI, has started several processes
/// of which each is alone in its MPI_COMM_WORLD: they would report success.  For programs that have called
/// MPI_Init.
void look_at_launcher()
{
    if (world().size != 1) return;
    const bool is_open_mpi = which_mpi().is_open_mpi;
    const Launcher& other = is_open_mpi ? of_mpich : of_open_mpi;
    const auto size = base::environment_number(other.size);
    const auto tasks = base::environment_number("SLURM_STEP_NUM_TASKS");
    const auto is_first = [](const char* rank) { return base::environment(rank) == "0"; };
    if (size.value_or(1) > 1 && size != tasks) {
        if (is_first(other.rank))
            warn(base::text("this program is built with ", other.ours, ", but the mpiexec of ", other.of,
                            " has started ", *size,
                            " processes, each of which runs alone; use the mpiexec of ", other.ours));
    } else if (tasks.value_or(1) > 1 && is_first("SLURM_PROCID") &&
               !base::environment((is_open_mpi ? of_open_mpi : of_mpich).size)) {
        warn(base::text("this program is built with ", other.ours, ", and srun has started ", *tasks,
                        " processes, each of which runs alone; srun --mpi=list prints the ways to start it, "
                        "and MPICH needs pmi2, Open MPI pmix"));
    }
}

void start()
{
    const std::lock_guard lock(life_mutex);
    if (life.load() == Life::running) return;
    detail::look_for_mpi();
    const bool with_world = is_initialized();
    require_mpi_now(with_world || has_session() || session.self() != MPI_COMM_NULL);
    if (with_world) {
        int keyval = MPI_KEYVAL_INVALID;
        check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ortho_farewell, &keyval, nullptr));
        check(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr));
        check(PMPI_Comm_free_keyval(&keyval)); // it lives until the attribute is deleted
    } else if (session.self() == MPI_COMM_NULL) {
        check(session.open());
        std::atexit(leave_session);
    }
    // A child of fork() calls MPI no more, nor does its exit(): all objects are the parent's.
    static const int watched = pthread_atfork(nullptr, nullptr, [] { life.store(Life::over); });
    static_cast<void>(watched);
    in_session.store(!with_world);
    int level = MPI_THREAD_MULTIPLE; // a session does not tell its level
    if (with_world) check(PMPI_Query_thread(&level));
    keep_thread_level(level);
    look_for_ulfm();
    life.store(Life::running);
    for (const std::string& text : base::odd_variables()) warn(text);
    if (with_world) look_at_launcher();
}

} // namespace

void detail::look_for_mpi()
{
    base::require(life.load() != Life::over, base::ErrorKind::other, "MPI_Init",
                  "called in a child of fork(), or while the program exits");
    if (is_initialized()) return require_mpi_now(!is_finalized());
    if (has_session()) knows_session.store(true);
    require_mpi_now(knows_session.load());
}

bool detail::is_finalized() noexcept
{
    int finalized = 0;
    return PMPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0;
}

void require_running()
{
    if (!is_running()) start();
}

void at_finalize(std::function<void()> action, AtEnd when)
{
    const std::lock_guard lock(life_mutex);
    actions.at(static_cast<std::size_t>(when)).push_back(std::move(action));
}

void count_in() noexcept { ++held; }

void count_out() noexcept
{
    if (--held > 0 || !is_running()) return;
    if (in_session.load())
        end(Life::unborn);
    else if (life.load() == Life::leaving)
        end(Life::leaving);
}

bool has_world() noexcept { return !in_session.load(std::memory_order_relaxed); }

MPI_Comm self() noexcept { return has_world() ? MPI_COMM_SELF : session.self(); }

World world()
{
    if (!has_world()) return session.world();
    World result;
    check(PMPI_Comm_rank(MPI_COMM_WORLD, &result.rank));
    check(PMPI_Comm_size(MPI_COMM_WORLD, &result.size));
    return result;
}

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
