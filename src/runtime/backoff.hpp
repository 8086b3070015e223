// SPDX-License-Identifier: BSD-3-Clause
// The pause between two looks of a waiting process.
#pragma once

namespace ortho::runtime {

/// First does nothing, then gives the core away, unless the MPI has done so during the look.  If a node has
/// more processes than cores, gives the core away at once, since the awaited process may need it.  (MPICH's
/// own blocking calls spin; there they take a scheduler's time slice for each process.)
class Backoff {
public:
    /// The look was at shared memory, and has not driven MPI.
    void looked_at_memory() noexcept { at_memory_ = true; }
    void pause();
    /// For a call that looks once and may be repeated: drives MPI now and then.  Others may wait for messages
    /// that only this process's MPI can move.
    static void look_once();

private:
    bool at_memory_ = false;
    unsigned looks_ = 0;
};

} // namespace ortho::runtime
