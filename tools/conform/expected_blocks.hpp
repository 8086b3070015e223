// SPDX-License-Identifier: BSD-3-Clause
// Computes sent and expected blocks, and describes differences.  No MPI in this file.
#pragma once

#include <string>
#include <vector>

#include "conform/exchange_pattern.hpp"

namespace conform {

constexpr int ints_per_block = 3;
/// The content of a buffer where nothing was received.
constexpr int untouched = -1;

/// Int k of block `block` of `process` in a call: a number that tells its origin, for 99 blocks and 99 calls.
int content(int process, int block, int call, int k);

/// The places of blocks in a buffer, in ints.
struct Placement {
    bool scattered; ///< backwards and with holes, for calls that have displacements; else one after the other

    int place(int slot, int slots) const;
    int ints(int slots) const;
};

/// The data that a process sends.  `personal`: one block for each neighbor; else one block for all.
std::vector<int> sent(const Part& part, bool personal, Placement placement, int call);

/// The data that it must have received, from all parts, in a buffer that was untouched.
std::vector<int> expected(const Pattern& pattern, int process, bool personal, Placement placement, int call);

/// Describes the errors in received data; "" if there are none.
std::string mistake(const Pattern& pattern, int process, bool personal, Placement placement, int call,
                    const std::vector<int>& received);

} // namespace conform
