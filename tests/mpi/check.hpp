// SPDX-License-Identifier: BSD-3-Clause
// The small frame that MPI tests run in.  Nothing in it is fatal: a process that leaves early
// would have the others wait.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "mpi/which_mpi.hpp"
#include "mpiortho.h"

#ifdef __SANITIZE_ADDRESS__
// Libraries that MPI has loaded stay: LeakSanitizer knows no names of unloaded code, so that tests/lsan.supp
// could not tell its leaks from ours.
extern "C" __attribute__((visibility("default"), weak)) int dlclose(void*) { return 0; }
#endif

// Defined by tests/loopback alone.
extern "C" __attribute__((weak)) unsigned long loopback_calls;

namespace test {

/// Are all processes played by tests/loopback?  It has no windows, and one system's process for all.
inline bool is_played() { return &loopback_calls != nullptr; }

/// Is it MPICH that runs, or an MPI made of it?  MPICH spins where there are more processes than cores.
inline bool is_mpich() { return ortho::mpi::which_mpi().is_mpich; }
inline bool is_intel() { return ortho::mpi::which_mpi().is_intel; }
inline bool is_open_mpi() { return ortho::mpi::which_mpi().is_open_mpi; }

/// Under the standard ABI Intel's MPI aborts in its own calls, whatever MPI_ERRORS_RETURN says.
inline bool aborts_anyway() { return ortho::mpi::built_for_abi && is_intel(); }

/// Do sanitizers watch the memory?  All takes longer then.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool watched = true;
#else
inline constexpr bool watched = false;
#endif

inline std::atomic<int> failures = 0; // threads may check, too

inline int rank(MPI_Comm comm = MPI_COMM_WORLD)
{
    int r = 0;
    MPI_Comm_rank(comm, &r);
    return r;
}

inline int size(MPI_Comm comm = MPI_COMM_WORLD)
{
    int s = 0;
    MPI_Comm_size(comm, &s);
    return s;
}

inline void fail(const char* file, int line, const std::string& what)
{
    // The first few are enough to know what is wrong.
    if (++failures <= 20) std::fprintf(stderr, "%s:%d: rank %d: %s\n", file, line, rank(), what.c_str());
}

template <class A, class B>
void expect_equal(const A& a, const B& b, const char* text, const char* file, int line)
{
    if (a == b) return;
    std::ostringstream out;
    out << text << ": " << a << " is not " << b;
    fail(file, line, out.str());
}

/// A number from the environment.
inline int given(const char* variable, int otherwise)
{
    const char* value = std::getenv(variable);
    return value != nullptr ? std::atoi(value) : otherwise;
}

/// Another build has all cases, ORTHO_TEST_ONE_IN says, or sanitizers watch, which take their time.
inline bool few_will_do() { return watched || given("ORTHO_TEST_ONE_IN", 1) > 1; }

/// As often as `usual`.  Where sanitizers watch, ORTHO_TEST_ONE_IN says that one in so many will do, since
/// another build has them all.
inline int times(int usual)
{
    return watched ? std::max(1, usual / std::max(1, given("ORTHO_TEST_ONE_IN", 1))) : usual;
}

/// Errors come back as codes, on all three communicators that MPI may raise them on.
inline void return_errors(MPI_Comm comm)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (comm != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

/// Ends main(): the exit status says whether any check failed on this process.
inline int finish()
{
    const int result = failures == 0 ? 0 : 1;
    if (failures > 20) std::fprintf(stderr, "rank %d: %d failures in all\n", rank(), failures.load());
    MPI_Finalize();
    return result;
}

} // namespace test

/// Begins what main() does between MPI_Init and MPI_Finalize: a body follows, which may use argc and argv.
#define TEST_MAIN()                                                                                          \
    static void run_tests(int argc, char** argv);                                                            \
    int main(int argc, char** argv)                                                                          \
    {                                                                                                        \
        MPI_Init(&argc, &argv);                                                                              \
        run_tests(argc, argv);                                                                               \
        return test::finish();                                                                               \
    }                                                                                                        \
    static void run_tests([[maybe_unused]] int argc, [[maybe_unused]] char** argv)

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) test::fail(__FILE__, __LINE__, #condition);                                        \
    } while (0)
#define CHECK_EQ(a, b) test::expect_equal((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_EQ((call), MPI_SUCCESS)

namespace test {

/// The text of ORTHO_Explain.
inline std::string explanation(ORTHO_Request request)
{
    char text[8192] = "";
    CHECK_OK(ORTHO_Explain(request, text, sizeof text, nullptr));
    return text;
}

} // namespace test
