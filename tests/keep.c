// SPDX-License-Identifier: BSD-3-Clause
// For tests under LeakSanitizer, by LD_PRELOAD: libraries that MPI has loaded stay, so that tests/lsan.supp
// can tell their leaks by name with fast unwinding.  tests/mpi/check.hpp does this, too.
int dlclose(void *library)
{
    (void)library;
    return 0;
}
