// SPDX-License-Identifier: BSD-3-Clause
// A directory that is spread over all processes: who owns the element with an id.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace ortho::indexmap {

/// Numbers for processes, or from them.
using Rows = std::map<int, std::vector<std::int64_t>>;

/// Sends these rows, and returns those that come.  Throws on all processes if `prepare` throws on any.
/// Collective.
Rows exchange_rows(MPI_Comm comm, const std::function<Rows()>& prepare);

/// The owners of some elements, and the places of these among the owners' elements.
struct Places {
    std::vector<int> owners;
    std::vector<MPI_Count> indices;
};

/// Where the elements `wanted` are, which may repeat.  `ids`: those that this process owns, in any order, of
/// 0 or more.  Each process keeps the entries of a part of all ids, which a hash chooses: owners tell it, and
/// others ask it.  Throws base::Error (arg), on all processes, if an element is owned twice, or is owned by
/// nobody and wanted.  Collective.
Places find_owners(MPI_Comm comm, std::span<const MPI_Count> ids, std::span<const MPI_Count> wanted);

} // namespace ortho::indexmap
