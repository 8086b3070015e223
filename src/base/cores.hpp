// SPDX-License-Identifier: BSD-3-Clause
// Cores, and how many processes of this job share them.  No MPI in this file.
#pragma once

namespace ortho::base {

/// Processes of this job on this node, as the launcher says; 0 if it does not.
int processes_here();

/// Cores of this node that the processes of this job may use together: those that the launcher itself may
/// use, if it has bound this process to some of them; else those that this process may use.  At least 1.
int cores_here();

/// Processes of this job that share a core, rounded up; 1 if the launcher does not say how many there are.
int processes_a_core();

} // namespace ortho::base
