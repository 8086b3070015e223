// SPDX-License-Identifier: BSD-3-Clause
// What is sent and what must be received, by arithmetic, and what is wrong if it is not.  No MPI in this
// file.
#pragma once

#include <string>
#include <vector>

#include "conform/exchange_pattern.hpp"

namespace conform {

constexpr int ints_per_block = 3;
/// What stands where nothing was received.
constexpr int untouched = -1;

/// Int k of block `block` of `process` in a call: a number that says where it comes from.  At most 99 blocks
/// and 99 calls.
int content(int process, int block, int call, int k);

/// Where blocks lie in a buffer, in ints.
struct Placement {
    bool scattered; ///< backwards and with holes, for calls that have displacements; else one after the other

    int place(int slot, int slots) const;
    int ints(int slots) const;
};

/// What a process sends.  `personal`: a block for each neighbor; else one for all.
std::vector<int> sent(const Part& part, bool personal, Placement placement, int call);

/// What it must have received, of all parts, into a buffer that was untouched.
std::vector<int> expected(const Pattern& pattern, int process, bool personal, Placement placement, int call);

/// What is wrong with what was received, in words; "" if nothing is.
std::string mistake(const Pattern& pattern, int process, bool personal, Placement placement, int call,
                    const std::vector<int>& received);

} // namespace conform
