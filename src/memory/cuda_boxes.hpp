// SPDX-License-Identifier: BSD-3-Clause
// Boxes as the kernel reads them.  No MPI in this file.
#pragma once

namespace ortho::memory {

/// Runs of units at regular distances, fewer than 2^31 units in all.
struct CudaBox {
    static constexpr int axes = 3;

    unsigned long long address;
    unsigned long long first; ///< how many units the boxes before it have
    unsigned int run;         ///< units in a row
    unsigned int counts[axes];
    long long strides[axes]; ///< bytes; the outermost axis first
};

} // namespace ortho::memory
