// SPDX-License-Identifier: BSD-3-Clause
// Where inside its node a process is.
#pragma once

namespace ortho::topology {

/// The part of the node's memory (NUMA domain) that is next to all cores this process may run on, else their
/// socket; -1 if there is no such thing, as where processes are not bound to cores, or where the library was
/// built without hwloc.
int memory_domain();

} // namespace ortho::topology
