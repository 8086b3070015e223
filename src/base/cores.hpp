// SPDX-License-Identifier: BSD-3-Clause
// Cores, and how many processes of this job share them.  No MPI in this file.
#pragma once

#include <string_view>

namespace ortho::base {

/// The number of tasks of a node in Slurm's list, such as "2(x3),1", which has four nodes; 0 if it does not say.
int tasks_of_node(std::string_view list, int node);

/// The number of processes of this job on this node, as the launcher says; 0 if it does not say.
int processes_here();

/// The number of cores of this node that the processes of this job may use together, at least 1.  If the
/// launcher has bound this process, these are the cores that the launcher itself may use.
int cores_here();

/// The number of processes of this job that share a core, rounded up; 1 if the launcher tells no number.
int processes_a_core();

} // namespace ortho::base
