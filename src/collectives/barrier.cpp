// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Barrier on a graph.

#include "calls/arguments.hpp"

namespace ortho::collectives {

engine::Call Barrier::describe(const Arguments&) const
{
    return {.collective = planner::Collective::barrier, .send = {}, .receive = {}};
}

} // namespace ortho::collectives
