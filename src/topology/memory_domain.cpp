// SPDX-License-Identifier: BSD-3-Clause
// The place of a process inside its node.

#include "topology/memory_domain.hpp"

#ifdef ORTHO_HAVE_HWLOC
#include <hwloc.h>

#include <memory>
#endif

namespace ortho::topology {

#ifdef ORTHO_HAVE_HWLOC

namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
struct Free {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, Free>;

int look()
{
    hwloc_topology_t loaded = nullptr;
    if (hwloc_topology_init(&loaded) != 0) return -1;
    const Topology topology(loaded);
    if (hwloc_topology_load(loaded) != 0) return -1;
    const Bitmap cores(hwloc_bitmap_alloc());
    const Bitmap memory(hwloc_bitmap_alloc());
    if (cores == nullptr || memory == nullptr) return -1;
    if (hwloc_get_cpubind(loaded, cores.get(), HWLOC_CPUBIND_PROCESS) != 0) return -1;
    hwloc_cpuset_to_nodeset(loaded, cores.get(), memory.get());
    if (hwloc_bitmap_weight(memory.get()) == 1) return hwloc_bitmap_first(memory.get());
    const auto* const socket = hwloc_get_next_obj_covering_cpuset_by_type(loaded, cores.get(),
                                                                          HWLOC_OBJ_PACKAGE, nullptr);
    return socket != nullptr ? static_cast<int>(socket->logical_index) : -1;
}

} // namespace

int memory_domain()
{
    static const int domain = look(); // loading hwloc takes milliseconds
    return domain;
}

#else

int memory_domain() { return -1; }

#endif

} // namespace ortho::topology
