// SPDX-License-Identifier: BSD-3-Clause
// The place of a process inside its node.
#pragma once

namespace ortho::topology {

/// The part of the node's memory (NUMA domain) that is next to all cores that this process may run on, else
/// their socket.  -1 if there is none, as for processes that are not bound to cores, or if the library was
/// built without hwloc.
int memory_domain();

} // namespace ortho::topology
