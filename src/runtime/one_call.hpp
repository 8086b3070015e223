// SPDX-License-Identifier: BSD-3-Clause
// Reductions that tell whether all processes are in one public call.
#pragma once

#include <functional>
#include <span>

namespace ortho::runtime {

/// `maximize` replaces each number by the largest one of any process, as it does for its caller.  Collective;
/// each process has its rank.  The reduction has room for numbers that say which function the process has
/// called.  So two collective calls that meet by mistake are an error on all processes (mismatch), and not
/// numbers of one that the other takes for its own.
void maximize_in_one_call(std::span<long long> numbers, int rank,
                          const std::function<void(std::span<long long>)>& maximize);

} // namespace ortho::runtime
