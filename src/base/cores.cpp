// SPDX-License-Identifier: BSD-3-Clause
// Cores, and how many processes of this job share them.  No MPI in this file.

#include "base/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/arithmetic.hpp"
#include "base/environment.hpp"
#include "base/text.hpp"

namespace ortho::base {

namespace {

/// The number of cores that a process may use; 0 if it cannot be found out.
int cores_of(pid_t process)
{
    // The kernel's set may be larger than the C library's type.
    for (std::size_t most = CPU_SETSIZE; most <= std::size_t{1} << 20; most *= 4) {
        const std::size_t bytes = CPU_ALLOC_SIZE(most);
        cpu_set_t* const set = CPU_ALLOC(most);
        if (set == nullptr) return 0;
        const int code = sched_getaffinity(process, bytes, set);
        const int cores = code == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (code == 0) return cores;
    }
    return 0;
}

/// Empty if the process has ended.
std::string proc_file(pid_t process, const char* file)
{
    return content_of(text("/proc/", process, '/', file)).value_or("");
}

/// The parent of a process; 0 if it cannot be found out.
pid_t parent_of(pid_t process)
{
    // The line reads "1234 (name) S 1230 ...".  The name may hold any letter, ')' too.
    const std::string stat = proc_file(process, "stat");
    const std::size_t end = stat.rfind(')');
    if (end == std::string::npos || end + 4 > stat.size()) return 0;
    return static_cast<pid_t>(std::strtol(stat.c_str() + end + 4, nullptr, 10));
}

/// Has the launcher told this process which rank it is?
bool is_launched(pid_t process)
{
    const std::string environment = '\0' + proc_file(process, "environ");
    constexpr std::string_view names[] = {
        "PMI_RANK=", "OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "SLURM_PROCID="};
    return std::ranges::any_of(names, [&](std::string_view name) {
        return environment.find(std::string(1, '\0').append(name)) != std::string::npos;
    });
}

/// The process that has started this process and its siblings; 0 if it cannot be found out.  Shells may stand
/// between the two.
pid_t launcher()
{
    constexpr int most_shells = 16;
    pid_t process = getppid();
    for (int i = 0; i < most_shells && process > 1; ++i) {
        if (!is_launched(process)) return process;
        process = parent_of(process);
    }
    return 0;
}

} // namespace

int tasks_of_node(std::string_view list, int node)
{
    const auto number = [&list](std::string_view before) {
        int result = 0;
        if (!list.starts_with(before)) return result;
        list.remove_prefix(before.size());
        const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), result);
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
        return error == std::errc() ? result : 0;
    };
    for (;;) {
        const int tasks = number("");
        const bool is_repeated = list.starts_with("(x");
        const int nodes = is_repeated ? number("(x") : 1;
        if (tasks <= 0 || nodes <= 0) return 0;
        if (is_repeated && !list.starts_with(')')) return 0;
        if (node < nodes) return tasks;
        node -= nodes;
        if (is_repeated) list.remove_prefix(1);
        if (!list.starts_with(',')) return 0;
        list.remove_prefix(1);
    }
}

int processes_here()
{
    for (const char* name :
         {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"})
        if (const auto number = environment_number(name)) return *number;
    // Launchers of MPIs that Slurm has started are steps themselves, and have told the number above.
    const char* const tasks = std::getenv("SLURM_STEP_TASKS_PER_NODE");
    const auto node = environment_number("SLURM_NODEID");
    if (const int here = tasks != nullptr && node ? tasks_of_node(tasks, *node) : 0; here > 0) return here;
    return environment_number("SLURM_NTASKS_PER_NODE").value_or(0);
}

int cores_here()
{
    int cores = cores_of(0);
    if (cores == 0) cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    if (const pid_t process = launcher()) cores = std::max(cores, cores_of(process));
    return std::max(1, cores);
}

int processes_a_core()
{
    static const int result = divided_up(std::max(1, processes_here()), cores_here());
    return result;
}

} // namespace ortho::base
