// SPDX-License-Identifier: BSD-3-Clause
// What to do between two looks at what is waited for.
#pragma once

namespace ortho::runtime {

/// Nothing at first, then giving the core away, unless the MPI has done so during the look.  Where a
/// node has more processes than cores the core goes at once, since whoever is waited for may need
/// it: MPICH's own blocking calls, which spin, take a scheduler's time slice a process there.
class Backoff {
public:
    /// Of a look that finds nothing: it was at shared memory, and has not driven MPI.
    void looked_at_memory() noexcept { at_memory_ = true; }
    void pause();
    /// Of a call that looks once, and may be made again and again: drives MPI now and then, since others may
    /// wait for what only this process's MPI can move on.
    static void look_once();

private:
    bool at_memory_ = false;
    unsigned looks_ = 0;
};

} // namespace ortho::runtime
