// SPDX-License-Identifier: BSD-3-Clause
// Nothing is destroyed at the end of the program.  Simulated processes share it, and their variables are
// swapped (smpi/privatization:mmap).  So one process's handlers would run upon another's variables, and free
// them twice.

extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
