// SPDX-License-Identifier: BSD-3-Clause
// For tests under LeakSanitizer, by LD_PRELOAD: what MPI has loaded stays, so that tests/lsan.supp can tell
// its leaks by name with fast unwinding.  The same as in tests/mpi/check.hpp.
int dlclose(void *library)
{
    (void)library;
    return 0;
}
