// SPDX-License-Identifier: BSD-3-Clause
// Functions of the C library that virtual processes get instead of the real ones.
#include "virtual_system.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include <fcntl.h>

#include "process.hpp"
#include "real_mpi.hpp"

namespace loopback {

namespace {

std::uint64_t looks = 0; // at the clock
std::uint64_t requests_for_memory = 0;

bool refuses_memory()
{
    if (me == nullptr) return false;
    ++requests_for_memory;
    return (refusals.from > 0 && requests_for_memory >= refusals.from) ||
           (refusals.percent > 0 && scheduler->below(100) < refusals.percent);
}

std::uint64_t in_nanoseconds(const timespec& time)
{
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

int sleep_until(std::uint64_t end)
{
    wait_until([&] { return nanoseconds() >= end; });
    return 0;
}

/// Where a variable stands in the environment of the running process, or the end.
char** find_variable(std::string_view name)
{
    char** entry = environ;
    while (*entry != nullptr && !(std::string_view(*entry).starts_with(name) && (*entry)[name.size()] == '='))
        ++entry;
    return entry;
}

} // namespace

std::string node_name() { return "node-" + std::to_string(me->node); }

std::uint64_t nanoseconds() { return 1'000'000'000'000U + scheduler->now() * 1'000U + ++looks * 50U; }

} // namespace loopback

using namespace loopback;

#define SYSTEM extern "C" __attribute__((visibility("default")))

SYSTEM int sched_yield() noexcept
{
    if (me == nullptr) return REAL(sched_yield)();
    scheduler->wait();
    return 0;
}

SYSTEM int clock_gettime(clockid_t clock, timespec* time) noexcept
{
    if (me == nullptr) return REAL(clock_gettime)(clock, time);
    if ((looks & 15U) == 0) scheduler->yield(); // somebody may wait for a time
    const std::uint64_t now = nanoseconds();
    time->tv_sec = static_cast<time_t>(now / 1'000'000'000U);
    time->tv_nsec = static_cast<long>(now % 1'000'000'000U);
    return 0;
}

SYSTEM int nanosleep(const timespec* time, timespec* left)
{
    return me == nullptr ? REAL(nanosleep)(time, left) : sleep_until(nanoseconds() + in_nanoseconds(*time));
}

SYSTEM int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left)
{
    if (me == nullptr) return REAL(clock_nanosleep)(clock, flags, time, left);
    return sleep_until(((flags & TIMER_ABSTIME) != 0 ? 0 : nanoseconds()) + in_nanoseconds(*time));
}

SYSTEM int usleep(useconds_t microseconds)
{
    return me == nullptr ? REAL(usleep)(microseconds) : sleep_until(nanoseconds() + microseconds * 1'000UL);
}

SYSTEM int gethostname(char* name, size_t room) noexcept
{
    if (me == nullptr) return REAL(gethostname)(name, room);
    std::strncpy(name, node_name().c_str(), room);
    return 0;
}

// The C library's functions know one environment.  They forget little.

SYSTEM int setenv(const char* name, const char* value, int overwrite) noexcept
{
    if (me == nullptr) return REAL(setenv)(name, value, overwrite);
    char** const entry = find_variable(name);
    if (*entry != nullptr && overwrite == 0) return 0;
    if (*entry == nullptr) {
        const auto n = static_cast<std::size_t>(entry - environ);
        char** const longer = static_cast<char**>(std::calloc(n + 2, sizeof(char*)));
        std::copy_n(environ, n, longer);
        environ = longer;
    }
    *find_variable(name) = strdup((std::string(name) + "=" + value).c_str());
    return 0;
}

SYSTEM int unsetenv(const char* name) noexcept
{
    if (me == nullptr) return REAL(unsetenv)(name);
    for (char** entry = find_variable(name); *entry != nullptr; ++entry) entry[0] = entry[1];
    return 0;
}

SYSTEM int memfd_create(const char* name, unsigned flags) noexcept
{
    if (!refuses_memory()) return REAL(memfd_create)(name, flags);
    errno = EMFILE;
    return -1;
}

SYSTEM int fallocate(int file, int mode, off_t begin, off_t bytes)
{
    if ((mode & FALLOC_FL_PUNCH_HOLE) != 0 || !refuses_memory())
        return REAL(fallocate)(file, mode, begin, bytes);
    errno = ENOSPC;
    return -1;
}

SYSTEM void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t begin) noexcept
{
    if ((flags & MAP_SHARED) == 0 || !refuses_memory())
        return REAL(mmap)(address, bytes, protection, flags, file, begin);
    errno = ENOMEM;
    return MAP_FAILED;
}
