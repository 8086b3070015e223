// SPDX-License-Identifier: BSD-3-Clause
// Files that tell programs that start MPI programs which rank is on which node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "grid/nodes.hpp"

namespace plan {

/// Names of files, or empty.
struct RankFileOptions {
    std::string rank_order;         ///< Cray MPICH's MPICH_RANK_ORDER
    std::string rankfile;           ///< Open MPI's
    std::string hostfile;           ///< a line a rank: Slurm's SLURM_HOSTFILE
    std::string rankmap;            ///< the node of each rank, for MPICH 5
    std::vector<std::string> hosts; ///< the names of the nodes
};

/// MPICH takes a host that comes again behind another one for a further node.  Does one?
bool comes_again(const ortho::grid::Nodes& nodes, std::span<const int> process_at);

/// Writes the files that are wanted, where process_at[i] is the place of rank i: places are numbered from
/// node to node.  Throws base::Error for a mistake in the options.
void write_rank_files(const RankFileOptions& options, const ortho::grid::Nodes& nodes,
                      std::span<const int> process_at);

} // namespace plan
