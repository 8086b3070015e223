// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Bcast on a graph.

#include "calls/arguments.hpp"

namespace ortho::collectives {

engine::Call Bcast::describe(const Arguments& arguments) const
{
    arguments.check_root(root);
    constexpr SideNames names{"buffer", "count", "datatype", ""};
    engine::Call call{.collective = planner::Collective::bcast, .send = {}, .receive = {}, .root = root};
    if (arguments.rank() == root && arguments.sends())
        call.send = arguments.regular(buffer, 1, count, datatype, names);
    else if (arguments.rank() != root && arguments.receives_from(root))
        call.receive = arguments.regular(buffer, 1, count, datatype, names);
    return call;
}

} // namespace ortho::collectives
