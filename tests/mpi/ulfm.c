/* SPDX-License-Identifier: BSD-3-Clause */
/* tests/pmpi/ulfm.c by calls of the library. */
#define WITH_ORTHO
#include "../pmpi/ulfm.c"
